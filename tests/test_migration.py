"""The migration page leaves no parameter out, on either side."""

import inspect
import re
import warnings

import pytest
import sklearn.linear_model as theirs
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

import novikoff
from common import ROOT
from novikoff.estimators.advice import PEERS, said_here
from novikoff.estimators.learners import LEARNERS

PAGE = (ROOT / "docs" / "migration-scikit-learn.md").read_text(encoding="utf8")
OLD = [
    "Perceptron",
    "SGDClassifier",
    "SGDRegressor",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
]


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]


def cells(text, column):
    """The words in code of one column of the section's tables."""
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    return set(re.findall(r"\w+", " ".join(" ".join(re.findall(r"`([^`]*)`", row[column])) for row in rows)))


@pytest.mark.parametrize("name", OLD)
def test_every_old_parameter_is_named(name):
    if not hasattr(theirs, name):
        pytest.skip("left scikit-learn")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        parameters = set(inspect.signature(getattr(theirs, name)).parameters)
    assert parameters <= cells(section("What all of them share"), 0) | cells(section(name), 0)


@pytest.mark.parametrize("old", [LinearSVC, SVC])
def test_every_old_parameter_of_a_machine_is_named(old):
    assert set(inspect.signature(old).parameters) <= cells(section(old.__name__), 0)


def test_every_new_parameter_named_exists():
    classes = [*(type(each.make()) for each in LEARNERS), novikoff.LinearSVM, novikoff.KernelSVM]
    known = {name for each in classes for name in inspect.signature(each).parameters}
    here = [line.split(" | ")[1] for line in PAGE.splitlines() if line.count(" | ") == 2]
    named = re.findall(r"`(\w+)=", " ".join(here))
    assert len(named) > 20
    assert set(named) <= known


@pytest.mark.parametrize("name", sorted({*re.findall(r"new\.(\w+)\(", PAGE)}))
def test_every_new_class_named_exists(name):
    assert name in novikoff.__all__


# Parameters of others that a learner does not have

KINDS = [*(row.kind() for row in LEARNERS), novikoff.LinearSVM, novikoff.KernelSVM]
PAIRS = [
    *((name, name) for name in ("Perceptron", "PassiveAggressiveClassifier", "PassiveAggressiveRegressor")),
    *(("SGDClassifier", name) for name in ("HingeSGD", "LogisticNeuron", "Adaline", "Perceptron")),
    ("SGDRegressor", "AdalineRegressor"),
    ("RidgeClassifier", "Adaline"),
    ("Ridge", "AdalineRegressor"),
    ("LogisticRegression", "LogisticNeuron"),
    ("LinearSVC", "LinearSVM"),
    ("SVC", "KernelSVM"),
]
OTHERS = {  # River's learners, and what interfaces of LIBLINEAR name its options
    "Perceptron": "l2 l1 optimizer loss intercept_init intercept_lr clip_gradient initializer",
    "LogisticNeuron": "l1 optimizer intercept_init intercept_lr clip_gradient initializer bias cost",
    "AdalineRegressor": "l1 optimizer loss intercept_init intercept_lr clip_gradient initializer",
    "PassiveAggressiveClassifier": "mode learn_intercept",
    "PassiveAggressiveRegressor": "mode learn_intercept",
    "ALMAClassifier": "p",
    "LinearSVM": "cost eps bias",
}


def parameters(kind):
    return set(inspect.signature(kind).parameters)


def of_old(name):
    old = {"LinearSVC": LinearSVC, "SVC": SVC}.get(name) or getattr(theirs, name, None)
    if old is None:
        pytest.skip("left scikit-learn")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return parameters(old)


def check_named(kind, name):
    """An error that names the parameter here, from the constructor and from ``set_params``; returns that parameter."""
    said = said_here(kind, name)
    assert said, f"{kind.__name__} says nothing of {name}"
    with pytest.raises(TypeError, match=rf"{kind.__name__}\(\) got an unexpected keyword argument '{name}'") as caught:
        kind(**{name: 1})
    with pytest.raises(ValueError, match=f"Invalid parameter '{name}' for estimator {kind.__name__}") as later:
        kind().set_params(**{name: 1})
    assert str(caught.value).endswith(said)
    assert str(later.value).endswith(said)
    ours = re.match(r"Use (\w+):", said)
    assert ours is None or ours[1] in parameters(kind)
    return ours and ours[1]


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_names_of_scikit_learn_are_understood_and_on_the_page(old, new):
    kind = getattr(novikoff, new)
    title = (
        "RidgeClassifier and LogisticRegression" if old in ("RidgeClassifier", "Ridge", "LogisticRegression") else old
    )
    page = section(title) + section("What all of them share")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    for name in sorted(of_old(old) - parameters(kind)):
        ours = check_named(kind, name)
        if ours:
            assert any(re.search(rf"\b{name}\b", row[0]) and re.search(rf"\b{ours}\b", row[1]) for row in rows), (
                name,
                ours,
            )


@pytest.mark.parametrize("new", OTHERS)
def test_names_of_other_libraries_are_understood(new):
    for name in OTHERS[new].split():
        check_named(getattr(novikoff, new), name)


def test_every_row_of_the_table_is_for_some_learner():
    firsts = {
        next((peer for peer in PEERS if peer.name == name and peer.fits(kind.__name__, parameters(kind))), None)
        for kind in KINDS
        for name in {peer.name for peer in PEERS} - parameters(kind)
    }
    assert [peer for peer in PEERS if peer not in firsts] == []
    assert {name for peer in PEERS for name in peer.learners} <= {kind.__name__ for kind in KINDS}


def test_values_that_a_translation_names_can_be_set():
    """Words after a "Use ...:" are choices of that parameter."""
    for kind in KINDS:
        for name in {peer.name for peer in PEERS} - parameters(kind):
            said = said_here(kind, name)
            if ours := re.match(r"Use (\w+): ((?:'[\w-]+'(?:, | or | for)?)+)", said):
                for value in re.findall(r"'([\w-]+)' for", said):
                    kind(**{ours[1]: value})._validate_params()


def test_unknown_names_are_left_to_python_and_scikit_learn():
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        novikoff.Perceptron(colour=1)
    with pytest.raises(ValueError, match="Invalid parameter 'colour'"):
        novikoff.Perceptron().set_params(colour=1)
    with pytest.raises(ValueError, match=r"Use eta: the same number\."):
        make_pipeline(novikoff.Perceptron()).set_params(perceptron__eta0=1)
