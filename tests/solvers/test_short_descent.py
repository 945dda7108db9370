"""Descent for all classes in one call: its kernels against plain Python, compiled and not."""

import numpy as np
import pytest
from scipy import sparse

from novikoff import LinearSVM
from novikoff.compiled.jit import JIT_OFF
from novikoff.learn.orders import shuffle
from novikoff.learn.rows import as_rows, natural
from novikoff.solvers import descend_together, short_descent
from novikoff.solvers.problem import Problem, best_bias, dual_value, feasible, primal_value, weights_of

pytestmark = pytest.mark.plain_python
formats = pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
losses = pytest.mark.parametrize("squared", [False, True])
biases = pytest.mark.parametrize("intercept", [False, True])
SEED = np.uint64(5)


@pytest.fixture(autouse=True)
def wrapping():
    with np.errstate(over="ignore" if JIT_OFF else "warn"):  # seeds are modulo 2^64; only plain Python remarks on it
        yield


def problem_of(convert, squared, intercept, rng, count=18, columns=5):
    X = rng.integers(-2, 3, (count, columns)).astype(float)
    signs = np.where(X[:, 0] + rng.normal(size=count) > 0, 1.0, -1.0)
    signs[:2] = 1.0, -1.0
    return Problem(convert(X), signs, rng.integers(1, 4, count) / 2, squared, intercept)


def facts_of(problem, alpha, constant2):
    squares = np.square(np.asarray(problem.X @ np.eye(problem.X.shape[1]))).sum(axis=1)
    extra = 0.5 / problem.bounds if problem.squared else np.zeros(alpha.size)
    upper = np.full(alpha.size, np.inf) if problem.squared else problem.bounds
    return np.column_stack([alpha, problem.signs, upper, extra, squares + extra + constant2])


def descend_plainly(problem, constant2, sweeps, seed):
    """Sweeps over the rows that still move, with the bias met after each of them."""
    X, signs = problem.X @ np.eye(problem.X.shape[1]), problem.signs
    facts = facts_of(problem, np.zeros(signs.size), constant2)
    alpha, w = facts[:, 0], np.zeros(X.shape[1])
    b = before = best_bias(problem, np.zeros(signs.size))
    active, (low, high) = np.arange(signs.size), (-np.inf, np.inf)
    for number in range(1, sweeps + 1):
        shuffle(active, np.uint64((int(seed) + number * int(short_descent.NEXT_SWEEP)) % 2**64))
        kept, free = [], []
        for i in active:
            gradient = signs[i] * (X[i] @ w + b) - 1 + facts[i, 3] * alpha[i]
            if (alpha[i] <= 0 and gradient > high) or (alpha[i] >= facts[i, 2] and gradient < low):
                continue
            kept.append(i)
            if (alpha[i] <= 0 and gradient >= 0) or (alpha[i] >= facts[i, 2] and gradient <= 0):
                continue
            free.append(gradient)
            if facts[i, 4] > 0:
                moved = min(max(alpha[i] - gradient / facts[i, 4], 0.0), facts[i, 2]) - alpha[i]
                alpha[i] += moved
                w += moved * signs[i] * X[i]
                b += constant2 * moved * signs[i]
            else:
                alpha[i] = facts[i, 2]
        low = min(free) if free and min(free) < 0 else -np.inf
        high = max(free) if free and max(free) > 0 else np.inf
        b, before = 2 * b - before, b
        active = np.array(kept, dtype=np.int64)
    return alpha, w


def descend(problem, signs, constant2, enough, most, first=0, last=1):
    rows, (count, columns) = as_rows(problem.X, 1), problem.X.shape
    weights, b, alphas = np.zeros((len(signs), columns)), np.zeros(len(signs)), np.zeros((len(signs), count))
    sweeps, w = np.zeros(len(signs), np.int64), natural(rows, np.zeros((1, columns)))
    facts = facts_of(problem, np.zeros(count), constant2)
    gaps = np.ones(len(signs))
    state = rows, problem.bounds, signs, facts, constant2, enough, most, 18, SEED, w, w.copy()
    short_descent.descend_all(*state, first, last, weights, b, alphas, sweeps, gaps)
    assert (gaps[first:last] <= enough).all() or most == 1
    return weights, b, alphas, sweeps


@formats
@losses
@biases
def test_sweeps_and_one_look(convert, squared, intercept, rng):
    problem = problem_of(convert, squared, intercept, rng)
    constant2 = 0.5 if intercept else 0.0
    weights, b, alphas, sweeps = descend(problem, problem.signs[None], constant2, 1e-12, 1)
    alpha, w = descend_plainly(problem, constant2, int(sweeps[0]), SEED)
    np.testing.assert_allclose(weights[0], w, atol=1e-9)
    np.testing.assert_allclose(alphas[0], feasible(problem, alpha), atol=1e-9)
    best = primal_value(problem, w, problem.signs * (problem.X @ w + best_bias(problem, problem.X @ w)))
    assert primal_value(problem, w, problem.signs * (problem.X @ w + b[0])) == pytest.approx(best, rel=1e-9)


@formats
@losses
@biases
def test_problems_solved_together_are_those_solved_alone(convert, squared, intercept, rng):
    problem = problem_of(convert, squared, intercept, rng)
    signs = np.array([problem.signs, -problem.signs, np.where(rng.random(18) < 0.5, 1.0, -1.0)])
    signs[2, :2] = 1.0, -1.0
    constant2 = 0.5 if intercept else 0.0
    weights, b, alphas, sweeps = descend(problem, signs, constant2, 1e-3, 10_000, last=3)
    for k in range(3):
        alone = descend(problem, signs, constant2, 1e-3, 10_000, k, k + 1)
        for mine, its in zip(alone, (weights, b, alphas, sweeps), strict=True):
            np.testing.assert_array_equal(mine[k], its[k])
        its = problem._replace(signs=signs[k])
        primal = primal_value(its, weights[k], signs[k] * (its.X @ weights[k] + b[k]))
        dual = dual_value(its, feasible(its, alphas[k]), weights_of(its, feasible(its, alphas[k])))
        assert primal - dual <= 1.001e-3 * primal


@formats
@losses
@biases
def test_looks_at_the_gap(convert, squared, intercept, rng):
    problem = problem_of(convert, squared, intercept, rng)
    alpha = rng.random(18) * problem.bounds
    facts, rows, scores = facts_of(problem, alpha, 0.5), as_rows(problem.X, 1), np.empty(18)
    w = natural(rows, rng.normal(size=(1, 5)))
    value, b = short_descent.primal_of(rows, problem.bounds, facts, intercept, w, 0.3, 1e-6, scores)
    np.testing.assert_allclose(scores, problem.X @ w.ravel(), atol=1e-12)
    best = primal_value(problem, w.ravel(), problem.signs * (scores + best_bias(problem, scores)))
    assert value == pytest.approx(primal_value(problem, w.ravel(), problem.signs * (scores + b)))
    assert best * (1 - 1e-12) <= value <= best * (1 + 1e-6)
    kept = np.empty(18)
    dual = short_descent.dual_of(rows, facts, intercept, w, kept)
    np.testing.assert_allclose(kept, feasible(problem, alpha), atol=1e-12)
    np.testing.assert_allclose(w.ravel(), weights_of(problem, kept), atol=1e-12)
    assert dual == pytest.approx(dual_value(problem, kept, weights_of(problem, kept)))


@losses
def test_a_bias_costs_hardly_more_than_the_best(squared, rng):
    for far in (0.0, 1e3, -1e6):
        problem = problem_of(np.asarray, squared, True, rng)
        scores = rng.normal(size=18) + far
        facts = facts_of(problem, np.zeros(18), 0.0)
        none = np.zeros(5)
        b = short_descent.good_bias(problem.bounds, facts, scores, 0.0, 0.0, 1e-6)
        best = primal_value(problem, none, problem.signs * (scores + best_bias(problem, scores)))
        assert primal_value(problem, none, problem.signs * (scores + b)) <= best * (1 + 1e-6)


def test_rows_that_a_bound_holds_firmly_rest(rng):
    problem = problem_of(np.asarray, False, True, rng)
    alpha = np.where(rng.random(18) < 0.3, 0.0, np.where(rng.random(18) < 0.5, problem.bounds, 0.25))
    facts, scores, active = facts_of(problem, alpha, 0.0), rng.normal(size=18), np.empty(18, np.int64)
    left = short_descent.look_again(facts, scores, 0.2, np.array([-0.4, 0.4]), active)
    gradient = problem.signs * (scores + 0.2) - 1
    rest = ((alpha == 0) & (gradient > 0.4)) | ((alpha == problem.bounds) & (gradient < -0.4))
    np.testing.assert_array_equal(active[:left], np.flatnonzero(~rest))


def test_gaps_that_fall_too_slowly_are_given_up():
    """Halved by every hundred rows, 0.2 is 1e-3 after 764 more."""
    assert not short_descent.hopeless(0.2, 0.4, 1e-3, 100, 770)
    assert short_descent.hopeless(0.2, 0.4, 1e-3, 100, 760)
    assert short_descent.hopeless(0.2, 0.2, 1e-3, 100, 10**9)
    assert not short_descent.hopeless(0.9, 0.9, 1e-3, 100, 760)  # at first nothing is known


def test_rows_of_many_columns_and_many_support_vectors_are_left_to_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 130))
    few, many = np.where(X[:, 0] > 0, 1, 0), rng.integers(0, 2, 600)
    assert LinearSVM(loss="hinge", random_state=0).fit(X[:100], few[:100]).solver_ == "descent"
    assert "interior" in LinearSVM(loss="hinge", random_state=0).fit(X, many).solver_


def test_zeros_of_arrays_are_left_out_where_they_are_many(rng):
    X = rng.integers(0, 2, (10, 12)).astype(float)
    assert not sparse.issparse(descend_together.without_zeros(X + 1))
    X[:, 2:] = 0.0
    np.testing.assert_array_equal(descend_together.without_zeros(X).toarray(), X)


@losses
@biases
def test_words(squared, intercept, rng, monkeypatch):
    """Sparse rows of many columns, several classes: the same bits with the same seed, whatever is read between two looks at the clock."""
    X = sparse.random_array((80, 2000), density=0.005, format="csr", rng=rng)
    y = np.argmax(X[:, :30] @ rng.normal(size=(30, 3)) + 0.1 * rng.normal(size=(80, 3)), axis=1)
    y[:3] = 0, 1, 2
    make = {"loss": "squared_hinge" if squared else "hinge", "fit_intercept": intercept, "random_state": 0}
    machine = LinearSVM(**make).fit(X, y)
    assert machine.solver_ == "descent"
    assert machine.duality_gap_ <= 1e-4
    monkeypatch.setattr(descend_together, "WORK", 0)
    again = LinearSVM(**make).fit(X, y)
    np.testing.assert_array_equal(machine.coef_, again.coef_)
    np.testing.assert_array_equal(machine.dual_coef_, again.dual_coef_)
    fine = LinearSVM(**make, tol=1e-7).fit(X, y)
    assert fine.duality_gap_ <= 1e-7
    assert machine.objective_ == pytest.approx(fine.objective_, rel=2e-4)
    monkeypatch.setattr(descend_together, "MOST_READ", 1)
    assert LinearSVM(**make, tol=1e-7).fit(X, y).duality_gap_ <= 1e-7
