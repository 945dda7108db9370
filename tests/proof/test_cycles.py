"""What a cycle of the weights proves, in each form, and what is said of it."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from novikoff import KernelPerceptron, Perceptron, separability

LINE = np.array([[-2.0], [0.0], [3.0], [-3.0], [2.0]])  # a class each: separable, and "all" goes round


def fitted(X, y, sample_weight=None, **choices):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf = Perceptron(**{"order": "cyclic", "max_iter": 3000, "min_progress": None, **choices}).fit(
            X, y, sample_weight
        )
    return clf, " ".join(str(warning.message) for warning in caught)


@settings(max_examples=60)
@given(st.data())
def test_nothing_is_proved_that_is_not_so(data):
    """Whatever form, step, weights of rows and constant: what a cycle proves is what exact arithmetic says."""
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6), label="seed"))
    classes = data.draw(st.integers(2, 4), label="classes")
    rows, columns = int(rng.integers(classes, 8)), int(rng.integers(1, 3))
    X = rng.integers(-3, 4, (rows, columns)) * data.draw(st.sampled_from([1.0, 0.1, 0.5]), label="grid")
    y = rng.permutation(np.append(np.arange(classes), rng.integers(0, classes, rows - classes)))
    intercept = data.draw(st.booleans(), label="fit_intercept")
    weight = rng.choice([1.0, 2.0, 0.3], rows) if data.draw(st.booleans(), label="weighted") else None
    batch = data.draw(st.sampled_from([1, 2, "all"]), label="batch")
    clf, text = fitted(
        X,
        y,
        weight,
        eta=data.draw(st.sampled_from([1.0, 0.1]), label="eta"),
        order=data.draw(st.sampled_from(["cyclic"] if batch == "all" else ["cyclic", "alternate"]), label="order"),
        multiclass=data.draw(st.sampled_from(["worst", "uniform", "all", "ovr"]), label="multiclass"),
        batch_size=batch,
        fit_intercept=intercept,
        intercept_scaling=data.draw(st.sampled_from([1.0, 0.1, "radius"]), label="scaling"),
        class_weight=data.draw(st.sampled_from([None, "balanced"]), label="class weight"),
        max_iter=300,
    )
    assume(clf.stop_reason_ == "cycle")
    verdict = separability(X, y, fit_intercept=intercept)
    assert not (clf.cycle_.proves_inseparable and verdict.kind == "complete")
    assert ("no weights separate the classes" in text) == (clf.cycle_.proves_inseparable and intercept)
    for k in clf.cycle_.against_rest:
        assert separability(X, y == k, fit_intercept=intercept).kind != "complete"
    assert "overlap" not in text


def test_one_class_against_the_rest_is_no_proof_for_all_of_them():
    X, y = [[-1.0], [0.0], [1.0]], ["left", "middle", "right"]
    clf, text = fitted(X, y, multiclass="ovr")
    assert separability(X, y).kind == "complete"
    assert clf.stop_reason_ == "cycle"
    assert not clf.cycle_.proves_inseparable
    assert clf.classes_[clf.cycle_.against_rest].tolist() == ["middle"]
    assert "no weights separate it from all others together" in text
    assert "'middle'" in text
    assert "multiclass='worst'" in text
    assert fitted(X, y, multiclass="worst")[0].stop_reason_ == "separated"


def test_every_class_that_is_proved_not_to_leave_the_rest_is_named():
    square = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1], [5, 5]])
    clf, text = fitted(square, [0, 1, 1, 0, 2], multiclass="ovr")
    assert clf.cycle_.against_rest.tolist() == [0, 1]
    assert "for the classes 0, 1" in text


@pytest.mark.parametrize("rows", [LINE, LINE * 4.0, LINE + 1.0, LINE * 0.5, sparse.csr_array(LINE)])
def test_all_goes_round_on_separable_classes_and_says_so(rows):
    clf, text = fitted(rows, np.arange(5), multiclass="all")
    assert separability(rows, np.arange(5)).kind == "complete"
    assert clf.stop_reason_ == "cycle"
    assert not clf.cycle_.proves_inseparable
    assert "common to all classes" in text
    assert "multiclass='worst'" in text
    assert "max_iter" not in text
    assert fitted(rows, np.arange(5), multiclass="worst")[0].stop_reason_ == "separated"


def test_sums_that_are_alike_but_for_rounding_are_no_cycle():
    """Tenths: what is common to all classes grows, and with it the rounding; nothing recurs exactly."""
    clf, text = fitted(LINE * 0.1, np.arange(5), multiclass="all", max_iter=200)
    assert clf.stop_reason_ == "budget"
    assert "multiclass='worst'" in text


def states_of_all(points, passes):
    """[L1]'s rule in whole numbers: after every pass the weights less those of the first class, and the mistakes made."""
    weights = [[0, 0] for _ in points]
    for _ in range(passes):
        mistakes = 0
        for own, x in enumerate(points):
            scores = [w * x + b for w, b in weights]
            rivals = [k for k, score in enumerate(scores) if k != own and score >= scores[own]]
            mistakes += bool(rivals)
            for k, sign in [(own, 1)] * bool(rivals) + [(k, -1) for k in rivals]:
                weights[k] = [weights[k][0] + sign * x, weights[k][1] + sign]
        yield [(w - weights[0][0], b - weights[0][1]) for w, b in weights], mistakes


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_all_stops_where_its_weights_recur_but_for_what_is_common(seed):
    """Five classes on a line: what is said of the run is true of one in whole numbers."""
    points = np.random.default_rng(seed).choice(np.arange(-9, 10), 5, replace=False)
    clf, _ = fitted(points[:, None].astype(float), np.arange(5), multiclass="all", max_iter=300)
    states, mistakes = zip(*states_of_all(points.tolist(), clf.n_iter_), strict=True)
    assert clf.history_["mistakes"].tolist() == list(mistakes)
    assert clf.stop_reason_ != "cycle" or states[-1] in states[:-1]
    assert (clf.stop_reason_ == "separated") == (mistakes[-1] == 0)


def test_without_an_intercept_the_origin_is_part_of_what_is_proved():
    X, y = [[1.0], [2.0]], [0, 1]
    clf, text = fitted(X, y, fit_intercept=False)
    assert clf.cycle_.proves_inseparable
    assert "no weights without an intercept separate the classes" in text
    assert separability(X, y).kind == "complete"


def test_the_kernel_perceptron_names_a_form_that_ends():
    clf = KernelPerceptron(kernel="linear", order="cyclic", multiclass="all", keep="last", max_iter=50)
    with pytest.warns(ConvergenceWarning, match="multiclass='worst'"):
        clf.fit(LINE, np.arange(5))
