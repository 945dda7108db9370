"""What is said in words is true of the data it is said of, and in plain English."""

import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from common import ROOT
from novikoff import Adaline, LinearSVM, Perceptron, TableEncoder, check_table, separability, theory
from novikoff.report.sections import TERMINAL
from novikoff.report.verdict_sections import check_sections


def small(seed, classes=3):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(classes, 9))
    X = rng.integers(-2, 3, (rows, int(rng.integers(1, 3)))).astype(float)
    return X, rng.permutation(np.append(np.arange(classes), rng.integers(0, classes, rows - classes)))


# Hulls


def test_without_an_intercept_hulls_need_not_meet():
    proof = separability([[1.0], [2.0]], [0, 1], fit_intercept=False)
    assert proof.separable is False
    assert "hull" not in str(proof)
    assert "origin" in str(proof)
    assert "row 0 is all zeros" in str(separability([[0.0], [2.0]], [0, 1], fit_intercept=False))


def test_hulls_of_several_classes_need_not_meet():
    X, y = np.array([[0.0], [1.0], [2.0], [1.0]]), [0, 1, 0, 2]
    assert "hull" not in str(separability(X, y))
    assert "hulls of the classes meet" in str(separability(X[:3], y[:3]))


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 3), st.booleans())
def test_hulls_are_said_to_meet_where_they_do(seed, classes, intercept):
    X, y = small(seed, classes)
    proof = separability(X, y, fit_intercept=intercept)
    assert ("hulls" in str(proof)) == (classes == 2 and intercept and not proof.separable)
    if "hulls" in str(proof):
        weights = np.array([float(weight) for weight in proof.witness.weights])
        points = [
            weights[y[proof.witness.rows] == k] @ X[proof.witness.rows[y[proof.witness.rows] == k]] for k in (0, 1)
        ]
        np.testing.assert_allclose(*points, atol=1e-12)  # shares of either class add up to the same


def test_a_picture_says_no_more():
    pytest.importorskip("matplotlib")
    square = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    assert "hulls meet" in separability(square, [0, 0, 1, 1]).plot().get_title()
    through = separability(square + 1, [0, 0, 1, 1], fit_intercept=False).plot()
    assert "hulls" not in through.get_title()
    assert "origin" in through.get_title()
    assert "hulls" not in separability(np.repeat(square, 2, axis=0), [0, 0, 1, 1, 2, 2, 0, 1]).plot().get_title()


# Rows in the way, and rare levels


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 3), st.booleans())
def test_without_the_rows_in_the_way_the_rest_is_separable(seed, classes, intercept):
    X, y = small(seed, classes)
    proof = separability(X, y, fit_intercept=intercept)
    rest = np.setdiff1d(np.arange(len(y)), proof.suspects)
    assume(not proof.separable and np.unique(y[rest]).size > 1)
    assert len(proof.suspects)
    assert separability(X[rest], y[rest], fit_intercept=intercept).separable


def check_result(n_suspects, n_witness):
    rows = [{"place": f"file:{i}", "label": "a", "share": 0.1, "rival": None, "values": {}} for i in range(100)]
    return {
        "command": "check",
        "kind": "overlap",
        "separable": False,
        "suspects": rows[:n_suspects],
        "n_suspects": n_suspects,
        "witness": rows[:n_witness],
        "n_witness": n_witness,
    }


@pytest.mark.parametrize(("total", "left"), [(133, "121 more rows are not shown."), (13, "1 more row is not shown.")])
def test_rows_that_are_left_out_are_counted_before_lists_are_cut(total, left):
    found = {each.title: each for each in check_sections(check_result(total, total), TERMINAL)}
    for title in ("The proof", "Rows most in the way"):
        assert found[title].footnotes == [left]
        assert len(found[title].tables[0].rows) == TERMINAL.rows


def test_a_rare_level_is_named():
    """One row lacks the category, and that row alone separates: it is named, whichever level the others are compared with."""
    rng = np.random.default_rng(0)
    levels = np.where(rng.random(60) < 0.2, "yes", "no").astype(object)
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"pbcr": np.append(levels, None), "x": np.append(rng.integers(0, 5, 60), 2)})
    y = np.append(rng.integers(0, 2, 60), 1)
    encoder = TableEncoder(standardise=False).fit(table)
    X = pd.DataFrame(encoder.transform(table).toarray(), columns=encoder.get_feature_names_out())
    proof = separability(X, y)
    assert proof.directions["pbcr=(missing)"] == "aliased"
    assert proof.reasons == ["the only row with pbcr=(missing) = 1 has class 1"]
    found = check_table(table.assign(y=y), "y")
    limits = {each["feature"]: each["direction"] for each in found.to_dict()["directions"]}
    assert limits == {
        "intercept": "finite",
        "pbcr=no": "aliased",
        "pbcr=yes": "finite",
        "pbcr=(missing)": "+inf",
        "x": "finite",
    }
    assert limits == found.proof.directions
    assert found.to_dict()["reasons"] == ["the only row with pbcr = (missing) has y = 1"]


# Steps, and missing values


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(-20, 20), st.sampled_from(["worst", "uniform", "all", "ovr"]))
def test_a_step_of_a_power_of_two_changes_no_answer(seed, power, form):
    X, y = small(seed)
    plain = Perceptron(order="cyclic", multiclass=form, max_iter=20).fit(X, y)
    scaled = Perceptron(2.0**power, order="cyclic", multiclass=form, max_iter=20).fit(X, y)
    assert scaled.n_mistakes_ == plain.n_mistakes_
    np.testing.assert_array_equal(scaled.coef_, plain.coef_ * 2.0**power)


@pytest.mark.parametrize(
    "ask",
    [
        lambda X: separability(X, [0, 1]),
        lambda X: theory.radius(X),
        lambda X: Perceptron().fit(X, [0, 1]),
        lambda X: LinearSVM().fit(X, [0, 1]),
        lambda X: Perceptron().fit([[0.0, 0.0], [1.0, 1.0]], [0, 1]).predict(X),
        lambda X: separability([[0.0, 0.0], [1.0, 1.0]], [0, 1]).verify(X, [0, 1]),
    ],
)
def test_missing_values_are_named_with_their_place_and_a_remedy(ask):
    with pytest.raises(ValueError, match="row 1, column 0") as caught:
        ask(np.array([[0.0, 1.0], [np.nan, 2.0]]))
    assert "Fill missing values" in str(caught.value)
    assert "does not accept" not in str(caught.value)
    with pytest.raises(ValueError, match=r"infinity.*row 1, column 0.*Correct"):
        ask(np.array([[0.0, 1.0], [np.inf, 2.0]]))


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_mistakes_of_one_against_the_rest_are_counted_for_each_class(seed):
    X, y = small(seed)
    together = Perceptron(order="cyclic", multiclass="ovr", max_iter=1).fit(X, y)
    alone = [Perceptron(order="cyclic", max_iter=1).fit(X, y == k).n_mistakes_ for k in range(3)]
    assert together.n_mistakes_ == sum(alone)


def test_steps_that_never_stand_still_are_said_to_be_those_of_an_order_that_changes():
    X, y = [[1.0], [2.0]], [0, 1]
    choices = {"eta": 0.2, "fit_intercept": False, "tol": 1e-9, "keep": "last", "random_state": 0}
    assert Adaline(order="cyclic", **choices).fit(X, y).stop_reason_ == "stable"
    with pytest.warns(ConvergenceWarning, match="in an order that changes"):
        Adaline(order="shuffle", **choices).fit(X, y)


# Plain English

ODD = (
    r"at most so many",
    r"so many passes",
    r"is no squared length",
    r"\breckon",
    r"\bwhoever\b",
    r"\bhand(s|ed)? back\b",
    r"wants? to be tuned",
    r"\bno rate to tune",
    r"one in all\b",
    r"of (classifiers|a solver|solvers),? (also|errors|one|the)\b",
    r"\bspeaks? of\b",
    r"\bfor ever\b",
    r"\bof its own\b(?! (class|type)\b)",
    r"no word about steps",
    r"nobody wants",
)
PAGES = ("src/novikoff/**/*.py", "docs/**/*.md", "benchmarks/**/*.py", "benchmarks/*.md", "examples/*", "*.md")


def odd_phrases(text):
    """Odd phrases in a text, also those that a line break or the end of a string cuts in two."""
    joined = re.sub(r"[\s\"'`]+(f[\"'])?", " ", text)
    return sorted({found[0] for phrase in ODD for found in re.finditer(phrase, joined, re.I)})


def test_odd_phrases_are_found():
    assert odd_phrases("At most so many passes") == ["At most so many", "so many passes"]
    assert odd_phrases('"the weights are handed "\n    f"back {name}"') == ["handed back"]
    assert odd_phrases("a row of its own class, for every class") == []
    assert odd_phrases("a level of its own.") == ["of its own"]


def test_texts_are_plain_english():
    """Short common words and the terms of the field: riddles that were once in these pages do not come back."""
    pages = [
        path
        for pattern in PAGES
        for path in ROOT.glob(pattern)
        if path.suffix in (".py", ".md") and path.name != "CHANGELOG.md"
    ]
    assert len(pages) > 200
    found = {}
    for path in pages:
        found[path.relative_to(ROOT).as_posix()] = odd_phrases(path.read_text(encoding="utf8"))
    assert {name: phrases for name, phrases in found.items() if phrases} == {}
