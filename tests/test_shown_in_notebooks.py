"""Everything that a public function hands out shows itself in a notebook: well-formed, and with names that stay names."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import novikoff
from markup import HOSTILE, read_view, table_of, words
from novikoff import LinearSVM, Perceptron, course, separability, theory

GATE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
AND, XOR = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])
LABELS = np.where(AND == 1, HOSTILE, "<b>no</b>")


def steps(**chosen):
    return novikoff.trace(Perceptron(order="cyclic", **chosen), GATE, LABELS)


def certificate():
    proof = separability(GATE, LABELS, max_margin=True)
    return novikoff.check_certificate(proof.to_dict(), GATE, LABELS)


def cycle():
    return Perceptron(order="cyclic", min_progress=None).fit(GATE, XOR).cycle_


def explained():
    frame = pd.DataFrame({HOSTILE: [1.0, 2.0, 3.0, 3.0, 4.0]})
    return novikoff.explain_separation(LogisticRegression(C=1e9).fit(frame, [0, 0, 0, 1, 1]), frame, [0, 0, 0, 1, 1])


def frame():
    return pd.DataFrame({"a": [0.0, 0, 1, 1] * 5, "b": [0.0, 1, 0, 1] * 5, "y": XOR.tolist() * 5})


RESULTS = {
    "proof": lambda: separability(GATE, LABELS),
    "certificate": certificate,
    "witness": lambda: separability(GATE, XOR).witness,
    "fewest rows": lambda: novikoff.fewest_errors(GATE, XOR),
    "cycle": cycle,
    "trace": steps,
    "batches": lambda: steps(batch_size=2),
    "short trace": lambda: steps(max_iter=1),
    "curve": lambda: novikoff.passes_curve(
        Perceptron(), np.tile(GATE, (5, 1)), np.tile(LABELS, 5), passes=3, random_state=0
    ),
    "path": lambda: novikoff.svm_path(GATE, LABELS, C=[0.1, 1.0]),
    "logistic path": lambda: novikoff.logistic_path(GATE, LABELS, C=[0.1, 1.0]),
    "svm trace": lambda: novikoff.svm_trace(LinearSVM(loss="hinge"), GATE, LABELS),
    "kkt": lambda: novikoff.svm_kkt(LinearSVM().fit(GATE, LABELS), GATE, LABELS),
    "separation": explained,
    "gap": lambda: theory.gap(steps(), GATE, LABELS),
    "ball": lambda: theory.radius(GATE),
    "dichotomies": lambda: theory.dichotomies(GATE),
    "network": lambda: theory.boolean_network([0, 1, 1, 0]),
    "large network": lambda: theory.boolean_network([i.bit_count() % 2 for i in range(64)]),
    "task": lambda: course.task("L0.3"),
    "judged": lambda: course.task("L0.3").check(HOSTILE),
    "check": lambda: novikoff.check_table(frame(), "y"),
    "compare": lambda: novikoff.compare_tables(frame(), "y", learners=["perceptron"], folds=2),
}
PICTURED = {"proof", "trace", "batches", "short trace", "curve", "gap", "check", "compare"}


@pytest.mark.parametrize("kind", RESULTS)
def test_results_show_themselves(kind, monkeypatch):
    result = RESULTS[kind]()
    tree = read_view(result._repr_html_())
    assert words(tree).strip()
    assert len(list(tree.iter("img"))) == (kind in PICTURED)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    without = read_view(result._repr_html_())
    assert list(without.iter("img")) == []
    assert words(without) == words(tree)


def test_a_trace_is_shown_as_it_is_printed():
    found = steps()
    printed = [line.split() for line in str(found).splitlines()[1:]]
    assert table_of(read_view(found._repr_html_())) == printed


def test_a_long_trace_is_shown_without_its_middle(rng):
    X = rng.normal(size=(200, 2))
    found = novikoff.trace(Perceptron(max_iter=3, random_state=0), X, rng.integers(0, 2, 200))
    assert len(found) > 40
    rows = table_of(read_view(found._repr_html_()))[1:]
    assert len(rows) == 17
    assert rows[8][0] == "..."
    assert rows[-1][0] == str(len(found))


def test_traces_that_have_no_picture_are_tables(rng):
    X = rng.normal(size=(9, 3))
    for y in (np.arange(9) % 2, np.arange(9) % 3):
        tree = read_view(novikoff.trace(Perceptron(max_iter=2, random_state=0), X, y)._repr_html_())
        assert list(tree.iter("img")) == []
        assert len(table_of(tree)) > 1


def test_numbers_in_views_are_those_of_the_results():
    path = novikoff.svm_path(GATE, AND, C=[0.5, 2.0])
    rows = table_of(read_view(path._repr_html_()))[1:]
    assert [float(row[0]) for row in rows] == [0.5, 2.0]
    assert [int(row[3]) for row in rows] == path.n_support.tolist()
    np.testing.assert_allclose([float(row[1]) for row in rows], path.objective, rtol=1e-5)
    found = theory.gap(steps(), GATE, LABELS)
    rows = table_of(read_view(found._repr_html_()))[1:]
    np.testing.assert_allclose([float(row[1]) for row in rows], found.gap[: len(rows)], rtol=1e-3)
    assert table_of(read_view(theory.dichotomies(GATE)._repr_html_()))[2][1] == "14"


def test_the_proof_of_a_check_is_open(rng):
    X = rng.normal(size=(60, 9))
    table = pd.DataFrame(X, columns=[f"x{j}" for j in range(9)]).assign(y=np.arange(60) % 2)
    result = novikoff.check_table(table, "y")
    assert result.separable is False
    assert result.n_witness > 8
    for each in read_view(result._repr_html_()).iter("details"):
        if each.find("summary").text == "The proof":
            assert each.get("open") is not None


def test_every_class_of_results_is_here():
    """A dataclass or named tuple that a public function's docstring promises has a view."""
    promised = ["Proof", "CheckedCertificate", "Trace", "PassesCurve", "SVMPath", "SVMTrace", "KKT", "SeparationOfFit"]
    promised += ["Gap", "Ball", "Dichotomies", "BooleanNetwork"]
    shown = {type(make()).__name__ for make in RESULTS.values()}
    assert set(promised) <= shown
    for name in novikoff.__all__:
        text = getattr(novikoff, name).__doc__ or ""
        after = text.partition("Returns\n")[2].partition("-------\n")[2].strip().split("\n")[0].strip()
        if after.isidentifier() and after[:1].isupper():
            assert after in shown | {
                "FitResult",
                "CheckResult",
                "CompareResult",
                "ScoreResult",
                "PredictResult",
                "WeightsResult",
                "Online",  # a learner at work, no result
                "WarmUp",  # of machine code, not of data
            }, name
