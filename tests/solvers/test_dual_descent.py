"""Dual coordinate descent: its kernels against plain Python, compiled and not, and what it promises."""

import numpy as np
import pytest
from scipy import sparse

from novikoff import LinearSVM
from novikoff.compiled.jit import JIT_OFF
from novikoff.learn.orders import shuffle
from novikoff.solvers import dual_descent
from novikoff.solvers.audit import Candidate, Fit
from novikoff.solvers.objectives import Hinge, SquaredHinge
from novikoff.system.clock import Clock, Countdown
from plain_machine import Problem, best_bias, dual_value, feasible, primal_value, weights_of

pytestmark = pytest.mark.plain_python
formats = pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
losses = pytest.mark.parametrize("squared", [False, True])
biases = pytest.mark.parametrize("intercept", [False, True])


@pytest.fixture(autouse=True)
def wrapping():
    with np.errstate(over="ignore" if JIT_OFF else "warn"):  # seeds are modulo 2^64; only plain Python remarks on it
        yield


def problem_of(convert, squared, intercept, rng, count=18, columns=5):
    X = rng.integers(-2, 3, (count, columns)).astype(float)
    signs = np.where(X[:, 0] + rng.normal(size=count) > 0, 1.0, -1.0)
    signs[:2] = 1.0, -1.0
    return Problem(convert(X), signs, rng.integers(1, 4, count) / 2, squared, intercept)


def descend(problem, tol, clock, rng, start=None, patient=False):
    loss = (SquaredHinge if problem.squared else Hinge)(np.atleast_2d(problem.signs), problem.bounds)
    with pytest.MonkeyPatch.context() as patch:
        if patient:  # it does not give up
            for name in ("SURE", "CROWD", "SLOW_LOOKS"):
                patch.setattr(dual_descent, name, 10**6)
        return dual_descent.descend(loss, Fit(problem.X, problem.intercept, 1.0), tol, clock, start, rng)


def facts_of(problem, alpha, constant2=0.0):
    squares = np.square(np.asarray(problem.X @ np.eye(problem.X.shape[1]))).sum(axis=1)
    extra = 0.5 / problem.bounds if problem.squared else np.zeros(alpha.size)
    upper = np.full(alpha.size, np.inf) if problem.squared else problem.bounds
    return np.column_stack([alpha, problem.signs, upper, extra, squares + extra + constant2])


def gap_of(problem, w, b, shares):
    """The relative gap, worked out from the data; the dual point must be feasible as it is."""
    alpha = shares * problem.signs
    assert np.all(alpha >= 0)
    assert problem.squared or np.all(alpha <= problem.bounds)
    assert not problem.intercept or shares.sum() == 0
    primal = primal_value(problem, w, problem.signs * (problem.X @ w + b))
    return (primal - dual_value(problem, alpha, weights_of(problem, alpha))) / primal


def sweep_of(problem, seed):
    """The alphas after a plain sweep from zero."""
    X, signs = problem.X @ np.eye(problem.X.shape[1]), problem.signs
    constant2 = dual_descent.CONSTANT * np.square(X).sum(axis=1).mean() if problem.intercept else 0.0
    facts = facts_of(problem, np.zeros(signs.size), constant2)
    alpha, w, order = facts[:, 0], np.zeros(X.shape[1]), np.arange(signs.size)
    b = best_bias(problem, np.zeros(signs.size))
    with np.errstate(over="ignore"):  # whole numbers of 64 bits
        shuffle(order, np.uint64(seed))
    for i in order:
        gradient = signs[i] * (X[i] @ w + b) - 1 + facts[i, 3] * alpha[i]
        if facts[i, 4] > 0:
            moved = min(max(alpha[i] - gradient / facts[i, 4], 0.0), facts[i, 2]) - alpha[i]
            alpha[i] += moved
            w += moved * signs[i] * X[i]
            b += constant2 * moved * signs[i]
        elif gradient < 0:
            alpha[i] = facts[i, 2]
    return alpha


@formats
@losses
@biases
def test_a_sweep_moves_each_alpha_to_its_best(convert, squared, intercept, rng, monkeypatch):
    """A tie in the signs would leave the hinge's first bias open: weights of rows differ."""
    problem = problem_of(convert, squared, intercept, rng)
    problem = problem._replace(bounds=problem.bounds + np.arange(18) / 64)
    seed = np.random.default_rng(0).bit_generator.random_raw()
    monkeypatch.setattr(dual_descent, "PORTION", problem.X.nnz if sparse.issparse(problem.X) else problem.X.size)
    clock = Countdown(1)  # over after one sweep
    found = descend(problem._replace(signs=problem.signs[None]), 1e-12, clock, np.random.default_rng(0))
    assert found.steps[0] == 1
    alpha = sweep_of(problem, seed)
    np.testing.assert_allclose(found.shares[:, 0], feasible(problem, alpha) * problem.signs, atol=1e-9)


@formats
@losses
@biases
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_gaps_balance_and_bounds(convert, squared, intercept, kind, rng):
    """Several outputs: each is what it is alone, but for its seed, and its gap is what was asked for."""
    problem = problem_of(convert, squared, intercept, rng)
    problem = problem._replace(X=problem.X.astype(kind))
    signs = np.array([problem.signs, -problem.signs, np.where(rng.random(18) < 0.5, 1.0, -1.0)])
    signs[2, :2] = 1.0, -1.0
    found = descend(problem._replace(signs=signs), 1e-4, Clock(), rng, patient=True)
    assert found.coef.shape == (3, 5)
    for k, sign in enumerate(signs):
        one = problem._replace(signs=sign, X=problem.X.astype(float))
        assert gap_of(one, found.coef[k], found.bias[k], found.shares[:, k]) <= 1.001e-4


@formats
@losses
@biases
def test_the_same_bits_whatever_is_read_between_two_looks_at_the_clock(convert, squared, intercept, rng, monkeypatch):
    problem = problem_of(convert, squared, intercept, rng)
    problem = problem._replace(signs=np.array([problem.signs, -problem.signs]))
    whole = descend(problem, 1e-6, Clock(), np.random.default_rng(3), patient=True)
    monkeypatch.setattr(dual_descent, "PORTION", 40)
    pieces = descend(problem, 1e-6, Clock(), np.random.default_rng(3), patient=True)
    for one, other in zip(whole, pieces, strict=True):
        np.testing.assert_array_equal(one, other)


@losses
def test_a_start_that_is_the_answer_takes_no_sweep(squared, rng):
    problem = problem_of(np.asarray, squared, True, rng)
    problem = problem._replace(signs=problem.signs[None])
    found = descend(problem, 1e-6, Clock(), rng, patient=True)
    again = descend(problem, 1e-5, Clock(), rng, found)
    assert again.steps[0] == 0
    worse = Candidate(found.coef, found.bias, found.steps, 2 * found.shares)
    assert descend(problem, 1e-5, Clock(), rng, worse, patient=True).steps[0] > 0


@formats
@losses
@biases
def test_looks_at_the_gap(convert, squared, intercept, rng):
    problem = problem_of(convert, squared, intercept, rng)
    alpha = feasible(problem, rng.random(18) * problem.bounds)
    w, b = weights_of(problem, alpha), float(rng.normal()) if intercept else 0.0
    scores = problem.X @ w
    facts = facts_of(problem, alpha)
    primal = primal_value(problem, w, problem.signs * (scores + b))
    assert dual_descent.cost(problem.bounds, facts, scores, b) == pytest.approx(primal - 0.5 * w @ w)
    gap = primal - dual_value(problem, alpha, w)
    assert dual_descent.missing(facts, scores, b) == pytest.approx(gap)
    alpha = rng.random(18) * problem.bounds
    even = alpha.copy()
    dual_descent.into_balance(facts_of(problem, alpha), even)
    np.testing.assert_allclose(even, feasible(problem._replace(intercept=True), alpha), atol=1e-12)


def test_rows_that_a_bound_holds_are_left_out(rng):
    problem = problem_of(np.asarray, False, True, rng)
    alpha = np.where(rng.random(18) < 0.3, 0.0, np.where(rng.random(18) < 0.5, problem.bounds, 0.25))
    scores, order, numbers = rng.normal(size=18), np.empty(18, np.int64), np.zeros(5)
    numbers[dual_descent.BIAS] = 0.2
    left = dual_descent.still_moving(facts_of(problem, alpha), scores, numbers, order)
    gradient = problem.signs * (scores + 0.2) - 1
    rest = ((alpha == 0) & (gradient > 0)) | ((alpha == problem.bounds) & (gradient < 0))
    np.testing.assert_array_equal(order[:left], np.flatnonzero(~rest))


@losses
@biases
def test_rows_of_zeros(squared, intercept, rng):
    problem = problem_of(sparse.csr_array, squared, intercept, rng)._replace(X=sparse.csr_array((18, 5)))
    found = descend(problem._replace(signs=problem.signs[None]), 1e-4, Clock(), rng)
    assert gap_of(problem, found.coef[0], found.bias[0], found.shares[:, 0]) <= 1e-4


@losses
@biases
def test_slow_descents_are_given_up(squared, intercept, rng):
    X = rng.normal(size=(60, 20)) * np.logspace(-3, 3, 20)
    signs = np.where(rng.random((40, 60)) < 0.5, 1.0, -1.0)
    problem = Problem(X, signs, np.full(60, 1e6), squared, intercept)
    found = descend(problem, 1e-6, Clock(), rng)
    assert found.steps.max() <= 20 * dual_descent.MOST_READ
    assert np.count_nonzero(found.steps) < 40  # where most outputs fail, the others are not begun
    assert np.all(found.shares.sum(axis=0) == 0) or not intercept


@losses
@biases
def test_words(squared, intercept, rng):
    """Sparse rows of many columns, several classes, by way of the machine."""
    X = sparse.random_array((80, 2000), density=0.005, format="csr", rng=rng)
    y = np.argmax(X[:, :30] @ rng.normal(size=(30, 3)) + 0.1 * rng.normal(size=(80, 3)), axis=1)
    y[:3] = 0, 1, 2
    make = {"loss": "squared_hinge" if squared else "hinge", "fit_intercept": intercept, "random_state": 0}
    machine = LinearSVM(**make).fit(X, y)
    assert machine.solver_ == "descent"
    assert machine.duality_gap_ <= 1e-4
    fine = LinearSVM(**make, tol=1e-7).fit(X, y)
    assert fine.duality_gap_ <= 1e-7
    assert machine.objective_ == pytest.approx(fine.objective_, rel=2e-4)


def test_rows_of_many_columns_and_many_support_vectors_are_left_to_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 130))
    few, many = np.where(X[:, 0] > 0, 1, 0), rng.integers(0, 2, 600)
    apart = (X + 0.3 * np.where(few == 1, 1.0, -1.0)[:, None]) / 10
    assert LinearSVM(loss="hinge", random_state=0).fit(apart, few).solver_ == "descent"
    assert LinearSVM(loss="hinge", random_state=0).fit(X, many).solver_ == "descent+newton"
