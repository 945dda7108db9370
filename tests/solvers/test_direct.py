"""Least squares at once: the gradient is zero, the answer is scikit-learn's, and bad condition numbers do not spoil it."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge

from novikoff import Adaline, AdalineRegressor, LogisticNeuron
from novikoff.solvers import audit, direct
from novikoff.solvers.audit import Fit, prove_smooth
from novikoff.solvers.direct import Equations, attempts, solve
from novikoff.solvers.objectives import Squares
from novikoff.system.clock import Clock

KINDS = {"dense": np.asarray, "float32": lambda X: X.astype(np.float32), "sparse": sparse.csr_array}
kinds = pytest.mark.parametrize("kind", KINDS)


def gradient(found, X, wanted, weight, l2):
    """Of sum s (d - w.x - b)^2 / 2 + l2 / 2 |w|^2, by w and by b."""
    coef, bias = found
    rest = (wanted - X @ coef.T - bias) * weight[:, None]
    return X.T @ rest - l2 * coef.T, rest.sum(axis=0)


@kinds
@pytest.mark.parametrize("l2", [0.0, 1e-6, 1.0, 100.0])
@pytest.mark.parametrize("shape", [(60, 5), (20, 19), (8, 30), (60, 1)])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_is_zero(kind, l2, shape, weighted, rng):
    X = rng.normal(size=shape) * (rng.random(shape) < 0.15) if kind == "sparse" else rng.normal(size=shape) + 3
    X = X.astype(np.float32).astype(float)
    wanted = rng.normal(loc=[0.0, 5.0, -1.0], size=(len(X), 3))
    weight = rng.integers(0, 3, len(X)) + 0.5 if weighted else np.ones(len(X))
    found = solve(Equations(KINDS[kind](X), wanted, weight if weighted else weight[:0], 1.0, l2))
    for part in gradient(found, X, wanted, weight, l2):
        assert np.abs(part).max() < 1e-7 * np.abs(X).max() * np.abs(wanted).sum()


@kinds
@pytest.mark.parametrize("shape", [(80, 6), (30, 200)])
def test_it_agrees_with_ridge(kind, shape, rng, monkeypatch):
    X = (rng.normal(size=shape) * (rng.random(shape) < 0.3)).astype(np.float32).astype(float)
    wanted = rng.normal(size=(len(X), 2))
    theirs = Ridge(alpha=2.5, solver="svd").fit(X, wanted)
    for few in (10**6, 3):  # products of columns; conjugate gradients
        monkeypatch.setattr(direct, "FEW_COLUMNS", few)
        monkeypatch.setattr(direct, "CLOSE", 1e-12)
        coef, bias = solve(Equations(KINDS[kind](X), wanted, np.empty(0), 1.0, 2.5))
        np.testing.assert_allclose(coef, theirs.coef_, atol=1e-9)
        np.testing.assert_allclose(bias, theirs.intercept_, atol=1e-9)


def exactly(rows, wanted):
    """The solution of X' X w = X' d in rational numbers, by elimination."""
    columns = len(rows[0])
    table = [
        [sum(Fraction(row[i]) * Fraction(row[j]) for row in rows) for j in range(columns)]
        + [sum(Fraction(row[i]) * Fraction(d) for row, d in zip(rows, wanted, strict=True))]
        for i in range(columns)
    ]
    return np.array([float(value) for value in solved(table)])


@pytest.mark.parametrize("closeness", [1e-2, 1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_columns_that_nearly_depend_on_each_other_are_told_apart(closeness, kind, rng):
    """Against rational numbers: the products of such columns have lost half of their digits, and more."""
    first = rng.integers(-9, 10, (40, 3)).astype(float)
    rows = np.column_stack([first, first[:, 0] + closeness * rng.integers(-9, 10, 40)])
    wanted = rows @ [1.0, 2.0, -1.0, 3.0] + rng.integers(-2, 3, 40)
    answer = exactly(np.column_stack([rows, np.ones(40)]).tolist(), wanted.tolist())
    coef, bias = solve(Equations(KINDS[kind](rows), wanted[:, None], np.empty(0), 1.0, 0.0))
    np.testing.assert_allclose(
        np.append(coef[0], bias), answer, rtol=1e-14 / closeness**1.5 + 1e-9, atol=1e-9 / closeness
    )


@pytest.mark.parametrize("far", [0.0, 1e3, 1e7])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e9])
def test_scales_and_origins_of_columns_do_not_matter(far, size, rng):
    X = rng.normal(size=(50, 3))
    wanted = X @ [[1.0], [2.0], [-1.0]] + rng.normal(size=(50, 1))
    plain, _ = solve(Equations(X, wanted, np.empty(0), 1.0, 0.0))
    moved, _ = solve(Equations((X + far) * [1.0, size, 1.0], wanted, np.empty(0), 1.0, 0.0))
    np.testing.assert_allclose(moved * [1.0, size, 1.0], plain, rtol=1e-6, atol=1e-6)


@kinds
@pytest.mark.parametrize("constant", [0.0, 1.0, 0.1])
def test_of_many_solutions_it_is_the_shortest(kind, constant, rng):
    levels = [np.eye(m)[rng.integers(0, m, 60)] for m in (3, 4, 5)]  # each table's columns add up to 1
    X = np.hstack([*levels, np.full((60, 1), 0.1), np.zeros((60, 1))])
    wanted = rng.normal(size=(60, 2))
    coef, bias = solve(Equations(KINDS[kind](X), wanted, np.empty(0), constant, 0.0))
    bordered = np.column_stack(
        [KINDS[kind](X).toarray() if kind == "sparse" else KINDS[kind](X), np.full(60, constant)]
    )
    shortest = np.linalg.lstsq(bordered.astype(float), wanted, rcond=1e-10)[0]
    np.testing.assert_allclose(coef, shortest[:-1].T, atol=1e-6)
    np.testing.assert_allclose(bias, shortest[-1] * constant, atol=1e-6)


@kinds
def test_a_penalty_makes_one_hot_tables_sound(kind, rng):
    levels = [np.eye(m)[rng.integers(0, m, 60)] for m in (3, 4, 5)]
    X, wanted = np.hstack(levels), rng.normal(size=(60, 1))
    coef, bias = solve(Equations(KINDS[kind](X), wanted, np.empty(0), 1.0, 1.0))
    theirs = Ridge(alpha=1.0, solver="svd").fit(X, wanted[:, 0])
    np.testing.assert_allclose(coef[0], theirs.coef_, atol=1e-9)
    np.testing.assert_allclose(bias[0], theirs.intercept_, atol=1e-9)
    huge = np.column_stack([X, X]) * 1e8  # to which a penalty of 1 is nothing but for what does not matter
    coef, bias = solve(Equations(KINDS[kind](huge), wanted, np.empty(0), 1.0, 1.0))
    plain = X @ np.linalg.lstsq(np.column_stack([X, np.ones(60)]), wanted, rcond=None)[0][:-1]
    scores = huge @ coef.T + bias
    np.testing.assert_allclose(scores - scores.mean(), plain - plain.mean(), atol=1e-4)


@kinds
def test_whole_weights_are_repeated_rows(kind, rng):
    X, wanted = rng.normal(size=(30, 4)).astype(np.float32).astype(float), rng.normal(size=(30, 2))
    weight = rng.integers(1, 4, 30)
    many = np.repeat(np.arange(30), weight)
    for l2 in (0.0, 2.0):
        one = solve(Equations(KINDS[kind](X), wanted, weight.astype(float), 1.0, l2))
        other = solve(Equations(KINDS[kind](X[many]), wanted[many], np.empty(0), 1.0, l2))
        for mine, theirs in zip(one, other, strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-9)


def test_sparse_columns_of_different_scales_are_solved(rng, monkeypatch):
    X = sparse.random_array((400, 60), density=0.2, rng=rng, format="csr") @ sparse.diags_array(
        1000.0 ** rng.random(60)
    )
    X, wanted = sparse.csr_array(X), rng.normal(size=(400, 1))
    equations = Equations(X, wanted, np.empty(0), 1.0, 1.0)
    dense, middle = solve(equations._replace(X=X.toarray()))
    monkeypatch.setattr(direct, "FEW_COLUMNS", 3)
    coef, bias = next(attempts(equations, Clock()))
    np.testing.assert_allclose(coef, dense, atol=1e-3 * np.abs(dense).max())
    np.testing.assert_allclose(bias, middle, atol=1e-3)


@pytest.mark.parametrize("large", [1e9, 1e20])
def test_small_columns_count_where_columns_depend_on_each_other(large, rng):
    a, b = rng.normal(size=(2, 50))
    wanted = (2 * a + 3 * b + 1 + 0.1 * rng.normal(size=50))[:, None]
    best = np.linalg.lstsq(np.column_stack([a, b, np.ones(50)]), wanted, rcond=None)[1][0]
    for columns in ([large * a, b / large, np.ones(50)], [a, a, b / large], [large * a, large * b, 0 * a]):
        X = np.column_stack(columns)
        coef, bias = solve(Equations(X, wanted, np.empty(0), 1.0, 0.0))
        assert np.square(wanted[:, 0] - X @ coef[0] - bias).sum() == pytest.approx(best, rel=1e-9)


def test_a_gap_does_not_depend_on_where_numbers_that_are_wanted_begin(rng):
    """The bias takes their mean in: it is no part of the objective of which the gap is a share."""
    X = rng.normal(size=(15, 2))
    y = 1e-4 * (X @ [1, 2] + rng.normal(size=15))
    near = AdalineRegressor(l2=1.0, tol=1e-9).fit(X.astype(np.float32), y)
    far = AdalineRegressor(l2=1.0, tol=1e-9).fit(X.astype(np.float32), y + 2.0**20)
    assert near.stop_reason_ == "solved"
    left = y + 2.0**20 - X.astype(np.float32) @ far.coef_.astype(float) - far.intercept_.astype(float)
    square = 0.5 * float(left @ left)
    gained = 0.5 * 15 * float(left.mean()) ** 2  # by a better bias alone
    assert far.duality_gap_ >= 0.99 * gained / (square + 0.5 * float(far.coef_.astype(float) @ far.coef_.astype(float)))


def exact_minimum(X, d, weight, l2, intercept):
    """Of ``sum s (d - w.x - b)^2 / 2 + l2/2 |w|^2``, in fractions."""
    rows = [[Fraction(float(v)) for v in row] + [Fraction(1)] * intercept for row in X]
    d, weight = [Fraction(float(v)) for v in d], [Fraction(float(v)) for v in weight]
    size, own = len(rows[0]), X.shape[1]
    table = [
        [
            sum((s * row[i] * row[j] for s, row in zip(weight, rows, strict=True)), Fraction(l2 if i == j < own else 0))
            for j in range(size)
        ]
        + [sum(s * row[i] * t for s, row, t in zip(weight, rows, d, strict=True))]
        for i in range(size)
    ]
    return exact_value(rows, d, weight, solved(table), l2, own)


def solved(table):
    """The solution of linear equations, the right side being the last column."""
    for i in range(len(table)):
        pivot = next(r for r in range(i, len(table)) if table[r][i])
        table[i], table[pivot] = table[pivot], table[i]
        table[i] = [value / table[i][i] for value in table[i]]
        for r in range(len(table)):
            if r != i and table[r][i]:
                table[r] = [a - table[r][i] * b for a, b in zip(table[r], table[i], strict=True)]
    return [line[-1] for line in table]


def exact_value(rows, d, weight, w, l2, own):
    scores = [sum(a * b for a, b in zip(row, w, strict=True)) for row in rows]
    loss = sum(s * (t - a) ** 2 for s, t, a in zip(weight, d, scores, strict=True)) / 2
    return loss + Fraction(l2) * sum(v * v for v in w[:own]) / 2


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("tol", [1e-4, 1e-9])
def test_a_proved_gap_is_not_below_the_truth(kind, intercept, tol, rng, monkeypatch):
    """Weights near the minimum and far from it, rows of any scale, far from zero, with weights: against fractions."""
    monkeypatch.setattr(audit, "AT_ONCE", 24)  # several blocks
    for _ in range(8):
        n, columns = int(rng.integers(3, 14)), int(rng.integers(1, 4))
        X = (rng.normal(size=(n, columns)) + rng.choice([0.0, 100.0])) * 10.0 ** rng.integers(-3, 4, columns)
        X = X.astype(kind)
        wanted = (rng.normal(size=(n, 2)) * 10.0 ** rng.integers(-3, 4)).astype(rng.choice([np.float32, np.float64]))
        weight = rng.uniform(0.1, 5, n) if rng.random() < 0.5 else np.empty(0)
        l2 = float(10.0 ** rng.integers(-2, 3))
        coef, bias = solve(Equations(X, wanted, weight, float(intercept), l2))
        coef = coef * (1 + rng.choice([0.0, 1e-6, 1e-3, 1.0]) * rng.normal(size=coef.shape))
        fit, equations = Fit(X, intercept, l2, kind), Equations(X, wanted, weight, float(intercept), l2)
        proof = prove_smooth(Squares(wanted, weight), fit, coef, bias, tol)
        assert exact_gap_of(proof, equations) <= proof.gap


def exact_gap_of(proof, equations):
    """The largest of all outputs."""
    X, wanted, weight, intercept, l2, _ = equations
    s, intercept, gaps = weight if weight.size else np.ones(len(X)), bool(intercept), []
    rows = [[Fraction(float(v)) for v in row] + [Fraction(1)] * intercept for row in X]
    for coef, bias, d in zip(proof.coef, proof.bias, wanted.T, strict=True):
        w = [Fraction(float(v)) for v in [*coef, *([bias] if intercept else [])]]
        value = exact_value(rows, [Fraction(float(v)) for v in d], [Fraction(float(v)) for v in s], w, l2, X.shape[1])
        gaps.append(float((value - exact_minimum(X, d, s, l2, intercept)) / value))
    return max(gaps)


def test_mistakes_are_those_of_predict(rng):
    """The proof counts them; rows whose scores are too close are asked again."""
    for kind in (np.float32, np.float64):
        X = rng.normal(size=(300, 4)).astype(kind)
        X[:5] = 0  # scores of which are those of the bias: twins among the classes
        y = rng.integers(0, 5, 300)
        for weight in (None, rng.integers(0, 3, 300).astype(float)):
            took_part = np.ones(300, bool) if weight is None else weight > 0
            for target in (y, y > 1):
                for learner in (Adaline(), LogisticNeuron(), LogisticNeuron(multiclass="ovr")):
                    fitted = learner.fit(X, target, weight)
                    assert fitted.n_errors_ == np.count_nonzero((fitted.predict(X) != target) & took_part)


def test_float32_rows_are_solved_as_far_as_float32_weights_go(rng):
    X = (rng.normal(size=(500, 30)) @ rng.normal(size=(30, 30))).astype(np.float32)
    y = rng.integers(0, 3, 500)
    for tol in (1e-4, 1e-7):
        fitted = Adaline(tol=tol).fit(X, y)
        assert fitted.stop_reason_ == "solved"
        assert fitted.duality_gap_ <= tol


def test_time_that_is_over_is_said(rng):
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        fitted = Adaline(time_limit=1e-9).fit(X, y)
    assert fitted.stop_reason_ == "time"
    assert np.isfinite(fitted.duality_gap_)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        assert AdalineRegressor(time_limit=1e-9).fit(X, y).stop_reason_ == "time"


def test_shares_of_better_weights_prove_more_of_large_numbers(rng):
    """Rounded weights have a slope that counts for much where the penalty is small; their objective hardly changes."""
    X = (rng.normal(size=(60, 3)) * 1e3).astype(np.float32)
    y = X @ [1e-3, 2e-3, 0.0] + rng.normal(size=60)
    equations = Equations(X, y[:, None], np.empty(0), 1.0, 1e-3)
    fit, loss = Fit(X, True, 1e-3, np.float32), Squares(y[:, None], np.empty(0))
    coef, bias = solve(equations)
    better = prove_smooth(loss, fit, coef, bias, 1e-12)
    plain = prove_smooth(loss, fit, *(each.astype(np.float32).astype(float) for each in (coef, bias)), 1e-12)
    assert better.gap < 1e-3 * plain.gap
    assert AdalineRegressor(l2=1e-3, tol=1e-9).fit(X, y).stop_reason_ == "solved"
