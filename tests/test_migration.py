"""The migration page leaves no parameter out, on either side."""

import inspect
import re
import warnings

import pytest
import sklearn.linear_model as theirs
from sklearn.svm import SVC, LinearSVC

import novikoff
from common import ROOT
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
