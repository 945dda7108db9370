"""What holds for every linear learner of the table: formats agree, ugly input gets a clear error or a right answer."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from common import JIT_OFF, overflows, stacked
from novikoff import KernelSVM, LinearSVM
from novikoff.estimators.learners import LEARNERS

pytestmark = pytest.mark.plain_python


@pytest.fixture
def X(rng):
    return rng.normal(size=(30, 4))


@pytest.fixture
def NUMBERS(X, rng):
    return X @ [1.0, -2.0, 0.5, 0.0] + 0.3 * rng.normal(size=30)


@pytest.fixture
def LABELS(NUMBERS):
    return (NUMBERS > 0).astype(int)


FEW = {"max_iter": 5, "random_state": 0}
every = pytest.mark.parametrize("learner", [row for row in LEARNERS if row.linear], ids=lambda learner: learner.name)
numbers = pytest.mark.parametrize(
    "learner", [row for row in LEARNERS if row.task == "numbers"], ids=lambda learner: learner.name
)


@pytest.fixture
def y(learner, NUMBERS, LABELS):
    return NUMBERS if learner.task == "numbers" else LABELS


@pytest.fixture
def several(learner, NUMBERS):
    """Numbers, or three classes: no kernel for sparse rows besides those that other tests need, too."""
    return NUMBERS if learner.task == "numbers" else np.digitize(NUMBERS, [-1.0, 1.0])


def batches(learner, size):
    """A choice of ``batch_size``, for learners that have one."""
    return {"batch_size": size} if "batch_size" in learner.make().get_params() else {}


@pytest.mark.parametrize("kind", [*(row.kind() for row in LEARNERS), LinearSVM, KernelSVM])
def test_parameters_are_checked_as_scikit_learn_checks_them(kind):
    """A fit looks only at what is not as it is by default."""

    def error(check, made):
        with pytest.raises(ValueError, match="parameter of") as raised:
            check(made)
        return str(raised.value)

    BaseEstimator._validate_params(kind())
    for name in inspect.signature(kind).parameters:
        made = kind(**{name: object()})
        assert error(kind._validate_params, made) == error(BaseEstimator._validate_params, made)


@every
def test_dense_is_sparse(learner, X, several):
    dense, thin = (learner.make(**FEW).fit(convert(X), several) for convert in (np.asarray, sparse.csr_array))
    np.testing.assert_allclose(stacked(dense), stacked(thin), rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(dense.predict(sparse.csr_array(X)), thin.predict(X), rtol=1e-10)


@every
@pytest.mark.skipif(not JIT_OFF, reason="needs kernels of its own, each a compilation of some seconds")
def test_single_precision_is_close_to_double(learner, X, y):
    single, double = (learner.make(**FEW).fit(X.astype(kind), y) for kind in (np.float32, np.float64))
    assert single.coef_.dtype == single.intercept_.dtype == np.float32
    np.testing.assert_allclose(stacked(single), stacked(double), rtol=2e-3, atol=2e-3)


@every
def test_pickle_clone_pipeline_and_frames(learner, X, y):
    fitted = learner.make(**FEW).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict(X), fitted.predict(X))
    fresh = clone(fitted)
    assert not hasattr(fresh, "coef_")
    assert np.array_equal(fresh.fit(X, y).coef_, fitted.coef_)
    frame = pd.DataFrame(X, columns=list("abcd"))
    named = learner.make(**FEW).fit(frame, pd.Series(y))
    assert named.feature_names_in_.tolist() == list("abcd")
    assert np.array_equal(named.coef_, fitted.coef_)
    assert make_pipeline(StandardScaler(), learner.make(**FEW)).fit(frame, y).score(frame, y) > 0.6
    for part in (fitted, again):
        part.partial_fit(X, y)
    assert np.array_equal(again.coef_, fitted.coef_)


@every
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("batch", [1, "all"])
def test_bad_values_are_named(learner, value, batch, X, y, several):
    bad = X.copy()
    bad[17, 2] = value
    for convert in (np.asarray, sparse.csr_array):
        with pytest.raises(ValueError, match="row 17, column 2"), np.errstate(invalid="ignore"):
            learner.make(**batches(learner, batch)).fit(convert(bad), several)
    with pytest.raises(ValueError, match="row 17, column 2"):  # learned from or held out
        learner.make(**batches(learner, batch), early_stopping=True, validation_fraction=0.5).fit(bad, y)
    stream = learner.make(**batches(learner, batch)).fit(X, y)
    before = stream.coef_.copy()
    with pytest.raises(ValueError, match="row 17, column 2"):
        stream.partial_fit(bad, y)
    assert np.array_equal(stream.coef_, before)


@every
def test_clear_errors(learner, NUMBERS, X, y):
    for rows, wanted, message in (
        (X[:0], y[:0], "minimum of 1 is required"),
        (X[:, :0], y, "0 feature"),
        (X, y[:-1], "inconsistent numbers of samples"),
        (X, np.where(y > 0, np.nan, 0.0), "NaN"),
        (X, np.column_stack([y, y]), "1d array|shape"),
        (X[0], y, "2D array"),
    ):
        with pytest.raises(ValueError, match=message):
            learner.make().fit(rows, wanted)
    if learner.task == "classes":
        with pytest.raises(ValueError, match="only one class"):
            learner.make().fit(X, np.ones(30))
        with pytest.raises(ValueError, match="Unknown label type"):
            learner.make().fit(X, NUMBERS)


@numbers
def test_clear_errors_of_numbers(learner, LABELS, NUMBERS, X):
    stream = learner.make().partial_fit(X, NUMBERS)
    for wanted, message in (
        (np.where(LABELS, "a", "b"), "convert string"),
        (np.where(LABELS, np.inf, 0.0), "infinity"),
        (np.where(LABELS, np.nan, 0.0), "NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            learner.make().fit(X, wanted)
        with pytest.raises(ValueError, match=message):
            stream.partial_fit(X, wanted)
    with pytest.warns(match="column-vector"):
        column = learner.make(**FEW).fit(X, NUMBERS[:, None])
    assert np.array_equal(column.coef_, learner.make(**FEW).fit(X, NUMBERS).coef_)


@numbers
@pytest.mark.parametrize("value", [0.0, 3.0, -1e6])
def test_constant_numbers_are_learned(learner, value, X):
    choice = {"C": 1e7} if "Passive" in learner.name else {"eta": max(1.0, -value)} if "AdaGrad" in learner.name else {}
    line = learner.make(max_iter=400, keep="last", random_state=0, **choice).fit(X, np.full(30, value))
    np.testing.assert_allclose(line.predict(X), value, atol=0.11, rtol=1e-6)


@overflows
@every
@pytest.mark.parametrize("batch", [1, "all"])
@pytest.mark.parametrize("scale", [1e200, 1e-200, 1e155, 1e-160, 1e30, 1e-30])
def test_scales_give_finite_weights_or_an_error(learner, scale, batch, X, y):
    for intercept in (True, False):
        fresh = learner.make(fit_intercept=intercept, **batches(learner, batch), **FEW)
        refused = refusal(lambda fresh=fresh: fresh.fit(X * scale, y))
        if refused:
            assert "Scale the columns" in refused
            assert not 1e-31 < scale < 1e31
            assert not hasattr(fresh, "coef_")
        else:
            assert np.isfinite(stacked(fresh)).all()
            assert np.any(stacked(fresh) != 0) or getattr(fresh, "l2_", 0)  # which small rows do not outweigh


def refusal(call):
    """What an overflow error says, or nothing."""
    try:
        call()
    except OverflowError as error:
        return str(error)
    return ""


@every
def test_rows_of_zeros_and_a_single_column(learner, X, y):
    nothing = learner.make(fit_intercept=False, **FEW).fit(np.zeros((30, 2)), y)
    assert np.array_equal(stacked(nothing), np.zeros((1, 3)))
    with_bias = learner.make(**FEW).fit(np.zeros((30, 2)), y)
    assert np.array_equal(np.ravel(with_bias.coef_), np.zeros(2))
    assert np.isfinite(with_bias.intercept_).all()
    assert np.isfinite(stacked(learner.make(**FEW).fit(X[:, :1], y))).all()


@every
def test_opposite_twins(learner, X, y):
    """The same rows with opposite targets: nothing can be right about both."""
    opposite = 1 - y if learner.task == "classes" else -y
    both = learner.make(**FEW).fit(np.vstack([X, X]), np.append(y, opposite))
    assert np.isfinite(stacked(both)).all()
    if learner.task == "classes":
        assert both.n_errors_ == 30
        assert both.stop_reason_ != "separated"


@every
def test_refused_calls_leave_a_learner_as_it_was(learner, X, y):
    fitted = learner.make(**FEW).fit(X, y)
    before = pickle.dumps(fitted.coef_), fitted.n_iter_
    for call in (fitted.fit, fitted.partial_fit):
        with pytest.raises(ValueError, match=r"NaN|features"):
            call(np.full((30, 4), np.nan), y)
    with pytest.raises(ValueError, match="features"):
        fitted.partial_fit(X[:, :2], y)
    assert (pickle.dumps(fitted.coef_), fitted.n_iter_) == before


@pytest.mark.parametrize("each", LEARNERS, ids=lambda each: each.name)
def test_every_parameter_is_kept_as_it_was_given(each):
    learner = type(each.make())
    given = {name: object() for name in inspect.signature(learner).parameters}
    assert vars(learner(**given)) == given
