"""The documents say what the source says, and their code runs."""

import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils._param_validation import StrOptions

import novikoff
from common import ROOT, plain_only
from novikoff import RadialBasis
from novikoff.estimators.docs import CHOICES
from novikoff.estimators.learners import LEARNERS
from novikoff.learn import rules


def blocks(marker):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf8")
    return re.findall(rf"<!-- {marker} -->\n```python\n(.*?)```", text, re.S)


def test_contributing_quotes_the_real_rule():
    assert blocks("source: step_perceptron")[0].strip() == inspect.getsource(rules.step_perceptron).strip()


def test_a_page_says_what_keeps_every_kernel_within_its_arrays():
    told = set(re.findall(r"`(\w+\.\w+)`", (ROOT / "docs" / "kernels.md").read_text(encoding="utf8")))
    kernels = {
        f"{path.stem}.{name}"
        for path in Path(novikoff.__file__).parent.rglob("*.py")
        for name in re.findall(r"^@(?:kernel|in_place|exact\(.*\))\ndef (\w+)", path.read_text(encoding="utf8"), re.M)
    }
    assert len(kernels) >= 30
    assert kernels <= told


@cache
def the_example():
    """What running the example defines: once, since its kernels are compiled anew for every new rule."""
    names = {}
    exec(blocks("run")[0], names)
    return names


# Compiled, both formats and both forms, but not all pairs of them: each is a compilation of some seconds.
every_choice = pytest.mark.parametrize(
    "choice",
    [{}, {"keep": "average"}, {"batch_size": "all"}, {"order": "worst"}, {"order": "random"}, {"history": "full"}],
)


@pytest.mark.parametrize("convert", [np.asarray, pytest.param(sparse.csr_array, marks=plain_only)])
@every_choice
@pytest.mark.plain_python
def test_the_rule_of_the_example_has_everything(convert, choice):
    wide_perceptron, X = the_example()["WidePerceptron"], example_rows()
    y = (X @ [1.0, 2.0, -1.0] > 0).astype(int)
    wide = wide_perceptron(random_state=0, **choice).fit(convert(X), y)
    assert wide.stop_reason_ == "separated"
    margins = np.where(y == 1, 1, -1) * wide.decision_function(convert(X))
    assert margins.min() > 0
    if wide.keep == "last" and wide.order != "random":  # draws with replacement may miss a row that is right by little
        assert margins.min() > 1


@pytest.mark.parametrize("convert", [pytest.param(np.asarray, marks=plain_only), sparse.csr_array])
@every_choice
@pytest.mark.plain_python
def test_the_rule_of_the_example_has_several_classes(convert, choice):
    wide_perceptron, X = the_example()["WidePerceptron"], example_rows()
    three = wide_perceptron(random_state=0, max_iter=20, **choice).fit(convert(X), np.digitize(X[:, 0], [-0.5, 0.5]))
    assert three.coef_.shape == (3, 3)


LEARNER = """
import sys, numpy as np, novikoff
from scipy import sparse
from sklearn.utils.estimator_checks import check_estimator
from novikoff.__main__ import main
X = np.random.default_rng(0).normal(size=(40, 3))
y = np.where(X @ [1.0, 2.0, -1.0] > 0, "yes", "no")
clf = novikoff.WidePerceptron(random_state=0).fit(X, y)
assert clf.stop_reason_ == "separated" and abs(clf.decision_function(X)).min() > 1
assert not clf._rate_from_rows  # so rows of a stream go straight to machine code
clf.stop_reason_ = "no_progress"
assert "its loss stopped falling" in clf._repr_html_()
clf.stop_reason_ = "separated"
assert "shuffle" in novikoff.WidePerceptron.__doc__ and "WidePerceptron" in novikoff.__all__
novikoff.save(clf, sys.argv[1] + "/wide.novikoff")
again = novikoff.load(sys.argv[1] + "/wide.novikoff")
for model in (clf, again):
    model.partial_fit(sparse.csr_array(-X[:5]), y[:5])
assert (clf.coef_ == again.coef_).all() and (clf.coef_ != 0).any()
failing = dict.fromkeys(["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"], "online")
check_estimator(novikoff.WidePerceptron(max_iter=5), expected_failed_checks=failing, on_fail="raise")
np.savetxt(sys.argv[1] + "/rows.csv", np.column_stack([X, y == "yes"]), delimiter=",", header="a,b,c,y", comments="")
sys.argv[1:] = ["fit", sys.argv[1] + "/rows.csv", "-t", "y", "--learner", "wide-perceptron", "-o", sys.argv[1] + "/cli.novikoff"]
try:
    main()
except SystemExit as done:
    assert not done.code
assert type(novikoff.load(sys.argv[-1])).__name__ == "Pipeline"
"""


def in_a_copy(tmp_path, edits, program):
    """Run a program with a copy of the package in which files were changed: text is added to them, or they are new."""
    package = tmp_path / "src" / "novikoff"
    shutil.copytree(Path(novikoff.__file__).parent, package)
    for name, change in edits.items():
        path = package / name
        path.write_text(change(path.read_text(encoding="utf8") if path.exists() else ""), encoding="utf8")
    environment = {
        **os.environ,
        "PYTHONPATH": str(package.parent),
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONWARNINGS": "ignore",
    }
    words = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_learner_takes_three_files(tmp_path):
    rule = re.search(r"class Wide\(.*?(?=\n\n\nclass)", blocks("run")[0], re.S)[0]
    (row,) = blocks("row: estimators/learners.py")
    edits = {
        "learn/rules.py": lambda text: text + "\n\n" + rule,
        "estimators/wide.py": lambda text: blocks("file: estimators/wide.py")[0],
        "estimators/learners.py": lambda text: text[: text.rindex(")")] + f"    {row.strip()},\n)\n",
    }
    in_a_copy(tmp_path, edits, LEARNER)


KEEP = """
import sys, numpy as np, novikoff
X = np.random.default_rng(0).normal(size=(40, 3))
y = (X[:, 0] + np.random.default_rng(1).normal(size=40) > 0).astype(int)
clf = novikoff.Perceptron(keep="longest", max_iter=30, random_state=0).fit(X, y)
longest = np.linalg.norm(clf.coef_)
assert longest >= np.linalg.norm(clf._learned.state.weights)
assert '"longest": the longest weights after any pass' in novikoff.Perceptron.__doc__.replace("\\n        ", " ").replace("\\n    ", " ")
novikoff.save(clf, sys.argv[1] + "/longest.novikoff")
again = novikoff.load(sys.argv[1] + "/longest.novikoff")
for model in (clf, again):
    for _ in range(3):
        model.partial_fit(X, 1 - y)
assert np.linalg.norm(clf.coef_) >= longest
assert (clf.coef_ == again.coef_).all()
"""


def test_a_keep_takes_one_file(tmp_path):
    in_a_copy(tmp_path, {"learn/keeps.py": lambda text: text + "\n\n" + blocks("keep: learn/keeps.py")[0]}, KEEP)


def example_rows():
    return np.random.default_rng(0).normal(size=(40, 3))


def test_every_module_begins_with_what_it_is_for():
    for path in (ROOT / "src" / "novikoff").rglob("*.py"):
        first = (ast.get_docstring(ast.parse(path.read_text(encoding="utf8"))) or "").split("\n\n")[0]
        assert first.endswith((".", ":", "?")), path


def test_design_names_every_room():
    rooms = {path.name for path in (ROOT / "src" / "novikoff").iterdir() if (path / "__init__.py").exists()}
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf8")
    assert {room for room in rooms if f"`{room}/`" not in text} == set()


def test_readme_and_ci_share_the_test_command():
    command = 'python3 -m venv .venv && .venv/bin/pip install -e ".[test]" && .venv/bin/python -m pytest'
    for name in ("README.md", "CONTRIBUTING.md", ".ci/run"):
        assert command in (ROOT / name).read_text(encoding="utf8"), name


BARE = """
import runpy, sys

class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pandas", "polars", "onnx", "onnxruntime", "pytest", "hypothesis"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Lacking())
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def test_snippets_need_no_more_than_the_readme_installs():
    words = [sys.executable, "-c", BARE, str(ROOT / ".ci" / "snippets.py")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "README.md: left out" not in done.stdout


def test_pages_that_need_more_say_so():
    for path in (ROOT / "docs").rglob("*.md"):
        if not {"course", "_build"} & set(path.parts):  # notebooks, and what the site is built of
            text = path.read_text(encoding="utf8")
            assert ("needs pandas" in text) == ("import pandas" in text), path.name


def test_public_names_are_documented():
    for name in novikoff.__all__:
        thing = getattr(novikoff, name)
        assert inspect.getdoc(thing), name
        assert ">>>" in inspect.getdoc(thing), f"{name} has no example"


def test_pictures_need_no_import_of_their_own():
    words = [sys.executable, "-c", "import novikoff; novikoff.plots.plot_regions"]
    subprocess.run(words, check=True)


def test_every_learner_has_a_benchmark():
    command = [sys.executable, "-m", "benchmarks", "--list"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for each in LEARNERS:
        if each.name != "Perceptron":  # whose rows bear no name
            assert f"`{each.name}`" in listed, each.name


def in_page_of_learners(head, rows):
    """Whether docs/learners.md has this table; the message is the table it should have."""
    lines = [head, re.sub(r"[^|]+", "---", head), *("| " + " | ".join(row) + " |" for row in rows)]
    table = "\n".join(lines) + "\n"
    page = ROOT / "docs" / "learners.md"
    assert table in page.read_text(encoding="utf8"), f"docs/learners.md should have\n{table}"


def test_there_is_a_table_of_learners():
    def code(text):
        return f"`{text}`".replace("|", "\\|")

    in_page_of_learners(
        "| learner | step g | choose it for |", [(f"`{each.name}`", code(each.step), each.purpose) for each in LEARNERS]
    )


def offered(estimator, name):
    options = (each.options for each in estimator._parameter_constraints.get(name, []) if isinstance(each, StrOptions))
    offer = next(options, set()) - {"auto"}
    return ", ".join(f"`{choice}`" for choice in CHOICES[name] if choice in offer)


def test_there_is_a_table_of_choices():
    rows = []
    for each in LEARNERS:
        learner = type(each.make())
        forms = offered(learner, "multiclass") or ("`ovr`" if each.task == "classes" else "none")
        rows.append((f"`{each.name}`", offered(learner, "keep"), forms))
    in_page_of_learners("| learner | `keep`, beside `auto` | `multiclass` |", rows)


@pytest.mark.parametrize("estimator", [*(type(each.make()) for each in LEARNERS), RadialBasis])
def test_documented_parameters_equal_the_signature(estimator):
    doc = inspect.getdoc(estimator)
    section = doc[doc.index("Parameters\n---") : doc.index("Attributes\n---")]
    documented = re.findall(r"^(\w+) : ", section, re.M)
    assert documented == list(inspect.signature(estimator).parameters)
    for name, parameter in inspect.signature(estimator).parameters.items():
        line = re.search(rf"^{name} : .*default=(.*)$", section, re.M)
        assert line, name
        assert line[1].strip('"') == str(parameter.default), name
    assert set(documented) == set(estimator._parameter_constraints)
