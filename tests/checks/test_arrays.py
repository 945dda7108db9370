"""Ugly input: a right answer or a clear error, nothing lost, never silent NaN."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from novikoff import AdalineRegressor, Perceptron
from novikoff.estimators.base import fit_in_memory


@pytest.fixture
def X(rng):
    return rng.normal(size=(60, 4))


@pytest.fixture
def Y(X):
    return (X @ [1.0, -2.0, 0.5, 0.0] > 0).astype(int)


def with_bad(X, value):
    bad = X.copy()
    bad[17, 2] = value
    return bad


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array, sparse.coo_array])
def test_bad_values_are_named(value, convert, X, Y):
    with pytest.raises(ValueError, match=r"row 17, column 2"):
        Perceptron().fit(convert(with_bad(X, value)), Y)
    clf = Perceptron().partial_fit(X, Y, classes=[0, 1])
    before = clf.coef_.copy()
    with pytest.raises(ValueError, match=r"row 17, column 2"):
        clf.partial_fit(convert(with_bad(X, value)), Y)
    assert np.array_equal(clf.coef_, before)


def test_bad_values_name_the_column_of_a_frame(X, Y):
    frame = pd.DataFrame(with_bad(X, np.nan), columns=list("abcd"))
    with pytest.raises(ValueError, match=r"row 17, column 2 \('c'\)"):
        Perceptron().fit(frame, Y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X, np.zeros(60)), "only one class"),
        (lambda X, y: (X[:0], y[:0]), "minimum of 1 is required"),
        (lambda X, y: (X[:, :0], y), "0 feature"),
        (lambda X, y: (X, y[:-1]), "inconsistent numbers of samples"),
        (lambda X, y: (X, X[:, 0]), "Unknown label type"),
        (lambda X, y: (X, np.where(y == 1, np.nan, 0.0)), "NaN"),
        (lambda X, y: (X[0], y), "2D array"),
    ],
)
def test_clear_errors(change, message, X, Y):
    with pytest.raises(ValueError, match=message):
        Perceptron().fit(*change(X, Y))


@pytest.mark.parametrize(
    "labels", [np.array([False, True]), np.array([-1, 1]), np.array([1.0, 2.0]), np.array(["b", "a"]), ["x", "y"]]
)
@pytest.mark.parametrize("kind", [np.asarray, list, pd.Series])
def test_labels_of_every_kind(labels, kind, X, Y):
    named = kind(np.asarray(labels)[Y])
    clf = Perceptron(random_state=0).fit(X, named)
    assert clf.stop_reason_ == "separated"
    assert np.array_equal(clf.predict(X), np.asarray(named))
    assert np.array_equal(clf.classes_, np.unique(labels))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (-np.ones(60), "[Nn]egative"),
        (np.zeros(60), "no row is left"),
        (np.full(60, np.nan), "NaN"),
        (np.ones(59), "shape"),
        ("those of one class", "only one class"),
    ],
)
def test_sample_weights_that_cannot_be(weights, message, X, Y):
    if isinstance(weights, str):
        weights = Y.astype(float)
    with pytest.raises(ValueError, match=message):
        Perceptron().fit(X, Y, sample_weight=weights)


def test_class_weights(X, Y):
    with pytest.raises(ValueError, match="not negative"):
        Perceptron(class_weight={0: -1, 1: 1}).fit(X, Y)
    balanced = Perceptron(class_weight="balanced", order="cyclic", max_iter=3).fit(X, Y)
    factor = 60 / (2 * np.bincount(Y))
    same = Perceptron(order="cyclic", max_iter=3).fit(X, Y, sample_weight=factor[Y])
    assert np.array_equal(balanced.coef_, same.coef_)


def test_constant_and_zero_columns_and_rows(X, Y):
    odd = np.column_stack([X, np.zeros(60), np.full(60, 3.0)])
    odd[5] = 0
    clf = Perceptron(random_state=0).fit(odd, Y)
    assert clf.coef_[0, 4] == 0
    assert np.isfinite(clf.coef_).all()


@pytest.mark.parametrize("exponent", [-150, -100, -20, 20, 100, 150])
@pytest.mark.parametrize("intercept", [False, "radius"])
def test_scales_give_the_same_answer(exponent, intercept, X, Y):
    choice = {"fit_intercept": False} if not intercept else {"intercept_scaling": "radius"}
    factor = 2.0 ** round(exponent * np.log2(10))
    labels = Y if intercept else (X @ [1.0, -2.0, 0.5, 0.1] > 0).astype(int)
    usual = Perceptron(random_state=0, **choice).fit(X, labels)
    scaled = Perceptron(random_state=0, **choice).fit(X * factor, labels)
    assert scaled.stop_reason_ == "separated"
    assert scaled.n_mistakes_ == usual.n_mistakes_
    assert np.array_equal(scaled.coef_, usual.coef_ * factor)
    assert np.allclose(scaled.signed_distance(X * factor) / factor, usual.signed_distance(X))


@pytest.mark.parametrize("keep", ["last", "average", "vote", "pocket", "ratchet"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_overflow_is_an_error_not_nan(keep, kind, X, Y):
    with pytest.raises(OverflowError, match="Scale the columns"):
        Perceptron(keep=keep, random_state=0).fit(kind(X * 1e200), Y)
    with pytest.raises(OverflowError, match="Scale the columns"):
        Perceptron(intercept_scaling="radius", keep=keep).fit(kind(X * 1e200), Y)


def test_overflow_in_a_stream_keeps_what_was_learned(X, Y):
    clf = Perceptron(keep="last").partial_fit(X, Y, classes=[0, 1])
    with pytest.raises(OverflowError, match="Scale the columns"):
        clf.partial_fit(X * 1e307, Y)
    assert np.isfinite(clf.coef_).all()
    clf.partial_fit(X, Y)
    assert np.isfinite(clf.coef_).all()


def test_tiny_values_get_a_warning_that_helps(X, Y):
    with pytest.warns(ConvergenceWarning, match="intercept_scaling='radius'"):
        Perceptron(max_iter=5, random_state=0).fit(X * 1e-12, np.roll(Y, 1))


def test_malformed_sparse_matrix_is_refused(X, Y):
    wild = sparse.csr_array(X)
    wild.indices[3] = 1000
    with pytest.raises(ValueError, match="indices"):
        Perceptron().fit(wild, Y)


def test_unsorted_and_duplicate_sparse_entries_add_up():
    data, columns, starts = [1.0, 2.0, 3.0, -1.0, -1.0], [2, 0, 0, 1, 0], [0, 3, 5]
    odd = sparse.csr_array((data, columns, starts), shape=(2, 3))
    clf = Perceptron(order="cyclic").fit(odd, [1, 0])
    assert np.array_equal(clf.coef_, Perceptron(order="cyclic").fit(odd.toarray(), [1, 0]).coef_)


def test_opposite_twins_are_not_separated(X, Y):
    twice, labels = np.vstack([X, X[:1]]), np.append(Y, 1 - Y[0])
    clf = Perceptron(max_iter=50, random_state=0).fit(twice, labels)
    assert clf.stop_reason_ in ("budget", "inseparable")
    assert clf.n_errors_ >= 1


def test_the_warning_carries_numbers_and_remedies(X, Y, rng):
    mixed = np.column_stack([X, 1e6 * rng.normal(size=60)])
    order = np.argsort(Y, kind="stable")
    clf = Perceptron(order="cyclic", max_iter=3)
    with pytest.warns(ConvergenceWarning) as caught:
        clf.fit(mixed[order], Y[order])
    text = str(caught[0].message)
    assert f"{clf.n_errors_} of 60" in text
    for part in ("max_iter=3", "differ by a factor of", "StandardScaler", "sorted by class", "order='shuffle'"):
        assert part in text
    assert caught[0].filename == __file__


def test_interrupted_fit_keeps_what_was_learned(X, Y):
    seen = []

    def interrupt(machine, rows, number):
        seen.append(rows)
        if len(seen) == 40:
            raise KeyboardInterrupt
        return False

    clf = Perceptron(random_state=0)
    with pytest.raises(KeyboardInterrupt):
        fit_in_memory(clf, X, np.roll(Y, 3), None, watch=interrupt)
    assert np.any(clf.coef_ != 0)
    clf.partial_fit(X, Y)


def test_not_fitted(X):
    for method in ("predict", "decision_function", "signed_distance"):
        with pytest.raises(NotFittedError):
            getattr(Perceptron(), method)(X)
    with pytest.raises(AttributeError, match="not fitted"):
        _ = Perceptron().history_


@pytest.mark.parametrize(
    ("init", "message"),
    [(np.ones(7), "shape"), (np.full((1, 4), np.nan), "NaN"), ("twos", "init"), (np.ones((2, 4)), "shape")],
)
def test_first_weights_that_cannot_be(init, message, X, Y):
    with pytest.raises(ValueError, match=message):
        Perceptron(init=init).fit(X, Y)


def test_first_weights_and_warm_start(X, Y):
    given = np.arange(5.0)
    clf = Perceptron(init=given, order="cyclic", max_iter=1).fit(X, Y)
    assert clf.fit(X, Y).n_mistakes_ == Perceptron(init=given[None], order="cyclic", max_iter=1).fit(X, Y).n_mistakes_
    one = Perceptron(warm_start=True, keep="last", order="cyclic", max_iter=1)
    for _ in range(4):
        one.fit(X, Y)
    assert np.array_equal(one.coef_, Perceptron(order="cyclic", keep="last", max_iter=4).fit(X, Y).coef_)
    ones = Perceptron(init="ones", order="cyclic", max_iter=1, intercept_scaling=3.0).fit(X[:2] * 0, [0, 1])
    assert ones.coef_.tolist() == [[1.0] * 4]
    with pytest.raises(ValueError, match="fit_intercept=False"):
        Perceptron(init=given, fit_intercept=False).fit(X, Y)


def test_signed_distance(X, Y):
    clf = Perceptron(random_state=0).fit(X, Y)
    expected = (X @ clf.coef_[0] + clf.intercept_) / np.linalg.norm(clf.coef_)
    assert np.allclose(clf.signed_distance(X), expected)
    many = Perceptron(random_state=0, max_iter=5).fit(X, np.arange(60) % 3)
    assert np.allclose(many.signed_distance(X), many.decision_function(X) / np.linalg.norm(many.coef_, axis=1))
    clf.coef_, clf.intercept_ = np.zeros((1, 4)), np.array([-2.0])
    assert clf.signed_distance(X[:2]).tolist() == [-np.inf, -np.inf]


@pytest.mark.parametrize("choice", [{}, {"tol": 1e-3}, {"keep": "average"}, {"history": "full"}], ids=str)
@pytest.mark.parametrize("batch", [1, "all"])
def test_a_diverging_step_ends_in_one_error_and_no_warning(choice, batch, X):
    with pytest.raises(OverflowError, match="eta=10 is too large"):
        AdalineRegressor(10.0, batch_size=batch, order="cyclic", max_iter=5000, **choice).fit(X, X[:, 0])
