"""Adaline: the delta rule comes to the least-squares solution, and steps that are chosen for it never diverge."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from common import JIT_OFF, overflows, stacked
from novikoff import Adaline, AdalineRegressor, LogisticNeuron

pytestmark = pytest.mark.plain_python


@pytest.fixture
def X(rng):
    return rng.normal(size=(50, 4)) @ np.diag([1.0, 2.0, 0.5, 1.0]) + [0.0, 1.0, 0.0, 0.0]


@pytest.fixture
def Y(X, rng):
    return X @ [1.0, -2.0, 0.5, 0.0] + 0.7 + rng.normal(size=50)


@pytest.fixture
def WEIGHT(rng):
    return rng.integers(0, 4, 50).astype(float)


examples = settings(max_examples=40 if JIT_OFF else 150)


def exact(X, Y, weight=None, c=1.0):
    """The shortest solution of min sum s (d - w.x - b)^2, with b = c w0: (w, b)."""
    root = np.sqrt(np.ones(len(X)) if weight is None else weight)
    rows = np.column_stack([X, np.full(len(X), c)]) * root[:, None]
    solution = np.linalg.lstsq(rows, Y * root, rcond=None)[0]
    return solution * np.append(np.ones(X.shape[1]), c)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("c", [0, 1.0])
def test_direct_is_least_squares(convert, weighted, c, X, Y, WEIGHT, rng):
    wide = np.hstack([X, rng.normal(size=(50, 60))])  # more columns than rows
    twice = np.hstack([X, X[:, :2], np.zeros((50, 1))])  # some are not needed
    for rows in (X, twice, wide, X[:1], np.ones((50, 1))):
        d, s = Y[: len(rows)], WEIGHT[: len(rows)] + (len(rows) == 1) if weighted else None
        line = AdalineRegressor(solver="direct", fit_intercept=c > 0)
        line.fit(convert(rows), d, s)
        np.testing.assert_allclose(stacked(line)[0], exact(rows, d, s, c), atol=1e-9)
        assert line.stop_reason_ == "solved"


def test_direct_classifies_by_signed_labels(X, Y):
    target = np.digitize(Y, [-2.0, 1.0])
    several = Adaline(solver="direct", l2=0, class_weight={0: 1.0, 1: 2.0, 2: 0.5}).fit(X, target)
    for k in range(3):
        signs, weight = np.where(target == k, 1.0, -1.0), np.array([1.0, 2.0, 0.5])[target]
        np.testing.assert_allclose(stacked(several)[k], exact(X, signs, weight), atol=1e-10)
    two = Adaline(solver="direct", l2=0).fit(X, Y > 0)
    np.testing.assert_allclose(stacked(two)[0], exact(X, np.where(Y > 0, 1.0, -1.0)), atol=1e-10)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_direct_names_bad_values(value, convert, X, Y):
    bad = X.copy()
    bad[17, 2] = value
    for choice in ({"solver": "direct"}, {"eta": 0.1}):
        with pytest.raises(ValueError, match="row 17, column 2"):
            AdalineRegressor(**choice).fit(convert(bad), Y)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("c", [0, 1.0, 3.0])
def test_batch_steps_come_to_the_solution(weighted, c, X, Y, WEIGHT):
    whole = {"batch_size": "all", "max_iter": 3000, "tol": 1e-12, "min_progress": None}
    line = AdalineRegressor(fit_intercept=c > 0, intercept_scaling=c or 1.0, **whole)
    rows, d, weight = X[:20], Y[:20], WEIGHT[:20] if weighted else None
    line.fit(rows, d, weight)
    np.testing.assert_allclose(stacked(line)[0], exact(rows, d, weight, c), atol=1e-8)


def test_batch_steps_from_zero_come_to_the_shortest_solution(Y, rng):
    """Steps are sums of rows, so they never leave what the rows span."""
    rows = rng.normal(size=(8, 12))
    line = AdalineRegressor(batch_size="all", max_iter=4000, min_progress=None).fit(rows, Y[:8])
    np.testing.assert_allclose(stacked(line)[0], exact(rows, Y[:8]), atol=1e-6)
    online = AdalineRegressor(order="cyclic", keep="last", max_iter=4000, min_progress=None).fit(rows, Y[:8])
    np.testing.assert_allclose(stacked(online)[0], exact(rows, Y[:8]), atol=1e-6)


def test_online_steps_hover_about_the_solution_the_closer_the_smaller(X, Y):
    solution = exact(X, Y)
    away = []
    for eta, passes in ((3e-2, 50), (3e-3, 100), (3e-4, 300)):
        line = AdalineRegressor(eta, max_iter=passes, random_state=0, init=solution[None]).fit(X, Y)
        away.append(np.linalg.norm(stacked(line)[0] - solution))
    assert away[0] > 3 * away[1] > 9 * away[2]
    assert away[2] < 0.02


def test_averaged_online_steps_come_to_the_solution(X, Y):
    """With rows drawn at random the mean of the weights is the solution itself, however large the (safe) step."""
    choice = {"eta": 0.02, "order": "random", "max_iter": 200, "init": exact(X, Y)[None], "random_state": 0}
    choice["min_progress"] = None
    last, mean = (AdalineRegressor(keep=keep, **choice).fit(X, Y) for keep in ("last", "average"))
    away = [np.linalg.norm(stacked(line)[0] - exact(X, Y)) for line in (last, mean)]
    assert away[1] < min(0.05, away[0] / 3)


# Steps that cannot diverge


@st.composite
def scaled_rows(draw):
    """Rows whose columns have any scale from 1e-8 to 1e8."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    scales = np.array(draw(st.lists(st.floats(-8, 8), min_size=d, max_size=d)))
    return rng.normal(size=(n, d)) * 10.0**scales, rng.normal(size=n), rng.uniform(0.1, 3.0, n) if n % 2 else np.ones(n)


def go_on(stream, X, Y):
    for _ in range(300):
        stream.partial_fit(X, Y)


def length2(learner, c):
    """The squared length of the weights, the bias counted as the weight of its constant feature."""
    weights = stacked(learner)
    weights[:, -1] /= c
    return np.square(weights).sum()


@examples
@given(rows=scaled_rows(), batch=st.sampled_from((1, 3, "all")), c=st.sampled_from((1.0, 1e-3, 50.0)))
def test_automatic_steps_keep_the_weights_within_a_bound(rows, batch, c):
    """A step of at most 1 / L on a convex loss f >= 0 whose slope is L-Lipschitz: |w - eta f'(w)|^2 <= |w|^2 + 2 eta f(0)."""
    X, Y, weight = rows
    two = (np.arange(len(Y)) % 2).astype(int)
    for learner, target, at_zero in (
        (AdalineRegressor, Y, Y**2 / 2),
        (LogisticNeuron, two, np.full(len(Y), np.log(2))),
    ):
        fitted = learner(batch_size=batch, intercept_scaling=c, max_iter=20, order="cyclic")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*linearly separable")
            fitted.fit(X, target, weight)
        assert fitted.eta_ > 0
        bound = 2 * fitted.eta_ * fitted.n_iter_ * (weight @ at_zero)
        assert length2(fitted, c) <= bound * (1 + 1e-9)


@examples
@given(rows=scaled_rows(), batch=st.sampled_from((1, 3, "all")))
def test_automatic_steps_fit_rows_that_grow(rows, batch):
    """In a stream the step falls as longer rows come."""
    X, Y, weight = rows
    X = X[np.argsort(np.square(X).sum(axis=1))]
    line, bound, etas = AdalineRegressor(batch_size=batch), 0.0, []
    for part in np.array_split(np.arange(len(X)), min(4, len(X))):
        line.partial_fit(X[part], Y[part], sample_weight=weight[part])
        etas.append(line.eta_)
        bound += line.eta_ * (weight[part] @ Y[part] ** 2)
        assert length2(line, 1.0) <= bound * (1 + 1e-9)
    assert etas == sorted(etas, reverse=True)


@examples
@given(rows=scaled_rows())
def test_batch_steps_never_climb(rows):
    X, Y, weight = rows
    line = AdalineRegressor(batch_size="all", max_iter=30, history="full").fit(X, Y, weight)
    loss = line.history_["loss"]
    assert np.all(np.diff(loss) <= 1e-9 * loss[0])
    assert loss[0] <= (weight @ Y**2) / 2 / weight.sum() * (1 + 1e-9)


@overflows
@pytest.mark.parametrize("batch", [1, 3, "all"])
def test_steps_beyond_the_limit_are_explained(batch, X, Y):
    limit = 2 * AdalineRegressor(solver="steps", batch_size=batch).fit(X, Y).eta_
    with pytest.raises(OverflowError, match=r"(?s)eta=.*too large.*eta='auto'"):
        AdalineRegressor(50 * limit, batch_size=batch, max_iter=2000).fit(X, Y)
    with pytest.warns(ConvergenceWarning, match=r"too large.*eta='auto'") as caught:
        AdalineRegressor(50 * limit, batch_size=batch, max_iter=2).fit(X, Y)
    assert caught[0].filename == __file__
    stream = AdalineRegressor(50 * limit, batch_size=batch)
    with pytest.raises(OverflowError, match="too large"):
        go_on(stream, X, Y)
    assert np.isfinite(stream.coef_).all()


@pytest.mark.parametrize("batch", [1, 3, "all"])
@pytest.mark.parametrize("learner", [Adaline, AdalineRegressor])
def test_safe_steps_never_warn(learner, batch, X, Y):
    target = Y if learner is AdalineRegressor else Y > 0
    limit = 2 * learner(solver="steps", batch_size=batch).fit(X, target).eta_
    for eta in ("auto", limit * 1e-3, limit / 2, limit * 0.999):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fitted = learner(eta, batch_size=batch, max_iter=50, random_state=0).fit(X, target)
        assert np.abs(stacked(fitted)).max() < 50


def test_the_batch_limit_is_sharp(X, Y):
    """Just beyond twice the largest curvature of all rows, batch steps do diverge."""
    rows = np.column_stack([X, np.ones(50)])
    largest = np.linalg.eigvalsh(rows.T @ rows)[-1]
    assert AdalineRegressor(batch_size="all").fit(X, Y).eta_ == pytest.approx(1 / largest, rel=1e-5)
    with pytest.warns(ConvergenceWarning, match="too large"):
        AdalineRegressor(2.1 / largest, batch_size="all", max_iter=300).fit(X, Y)


def test_tiny_rows_are_out_of_range(X, Y):
    for scale in (1e-160, 1e-200):
        with pytest.raises(OverflowError, match="Scale the columns"):
            AdalineRegressor(fit_intercept=False).fit(X * scale, Y)
    assert np.array_equal(AdalineRegressor(fit_intercept=False).fit(X * 0, Y).coef_, np.zeros(4))
