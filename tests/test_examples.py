"""Every example runs and says what it promises."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import warnings

import pytest

from common import ROOT

matplotlib = pytest.importorskip("matplotlib")

EXAMPLES = ROOT / "examples"
HELPERS = {"pictures", "penguins_formats"}
LARGEST = 100_000  # bytes a picture may have

FACTS = {
    "lecture_2d": [
        "9 of 9 runs ended with every row right",
        "<- best of these",
        "No line can do better than 1.4142",
        "reaches it: margin 1.4142",
    ],
    "logic_gates": [
        "AND: separated after 18 updates",
        "OR: separated after 9 updates",
        "XOR: a cycle",
        "sum: (0, 0, 0); proves the classes inseparable: True",
        "the point (0.5, 0.5) is a mixture",
        "{a, b} | {c, d}: a cycle",
        "14 of 16, as Cover's theorem says",
        "8 of 16",
    ],
    "breast_cancer_passes": ["raw columns, keep='last'", "scaled columns, keep='average'", "best_passes"],
    "rbf_network": [
        "3 of 3 networks ended with every row right",
        "(0, 0)   1.000  0.135   -",
        "(0, 1)   0.368  0.368   +",
        "a line separates it from the other two",
    ],
    "kernel_perceptron": [
        "3 of 4 fits ended with every row right",
        "spirals, radial, budget of 60                 60",
    ],
    "four_rules": [
        "one row of class 1 far on the wrong side",
        "Adaline turns most.",
        "Adaline turns by",
    ],
    "delta_rule": [
        "direct solution: w = 1.5933, b = 1.1237",
        "the error falls with every one of 25 steps: True",
        "below 0.0292 cannot diverge",
    ],
    "is_it_separable": [
        "separable (569 rows, 30 features",
        "checked again in exact arithmetic: True",
        "makes at most 1.5e16 mistakes",
        "not separable, the classes overlap (100 rows",
    ],
    "theory_of_lines": [
        "a perceptron makes 20,303 mistakes",
        "0, 0, 0      1       5",
        "as the proof promises: True",
        "12  4096         134              134",
        "four on one line 8 of 16, not 14",
        "All four? False (14 of 16)",
        "BooleanNetwork of 2 hidden perceptrons and their OR",
        "checked on all four inputs: [0, 1, 1, 0]",
        "separable at 0.38 digits for each weight",
    ],
    "largest_margin": [
        "perceptron                               0.3223",
        "No line does better than 0.5359; LinearSVM(C=inf) reaches 0.5359",
        "The smaller C, the wider the band",
    ],
    "calibrated_svm": ["It has no predict_proba: True", "Calibrated probabilities are better: True"],
    "cluster_on_a_laptop": [
        "8 of 8 have rows of one class only",
        "The same weights as in one process, to the last bit: True",
    ],
    "moving_line": ["9 updates in 5 passes, separated", "Every update added y (x, 1), exactly", "says dog"],
}


def test_every_example_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} - HELPERS == set(FACTS)


@pytest.mark.parametrize("name", FACTS)
def test_example(name, tmp_path, monkeypatch, capsys):
    """In this process, which has imported already what takes seconds to import."""
    monkeypatch.setattr(sys, "argv", [f"{name}.py", str(tmp_path)])
    monkeypatch.syspath_prepend(EXAMPLES)
    with warnings.catch_warnings(), matplotlib.rc_context({"backend": "Agg"}):
        warnings.simplefilter("error")
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    check(name, capsys.readouterr().out, tmp_path)


def test_an_example_is_a_command(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / "moving_line.py"), str(tmp_path)],
        env=os.environ | {"MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    check("moving_line", done.stdout, tmp_path)


def check(name, said, folder):
    for fact in FACTS[name]:
        assert fact in said
    picture = folder / f"{name}.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size < LARGEST
    assert (EXAMPLES / f"{name}.png").exists(), "the picture beside the example is missing: run it once"
