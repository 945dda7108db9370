"""Newton's method for a batch of outputs: its steps are those of its equations, and its answers the minimum, whatever the rows are."""

import numpy as np
import pytest
from scipy import sparse

from novikoff import LinearSVM
from novikoff.inputs.clock import Clock
from novikoff.solvers import newton as batched
from novikoff.solvers import together
from novikoff.solvers.newton import Matrices, newton

KINDS = {"float64": np.float64, "float32": np.float32}


def problems(rng, rows, columns, outputs, shift=0.0):
    X = rng.normal(size=(rows, columns)) + shift
    y = (X - shift) @ rng.normal(size=(columns, outputs)) + rng.normal(size=(rows, outputs)) * 2
    return X, np.where(y.T > 0, 1.0, -1.0), rng.uniform(0.2, 3.0, rows)


def minimum(X, signs, bounds, intercept):
    """The minimum of P, by steps of the textbook until the same rows are active."""
    rows = np.column_stack([X, np.ones(len(X))]) if intercept else X
    penalty = np.diag([1.0] * X.shape[1] + [0.0] * int(intercept))
    z = np.zeros(rows.shape[1])
    for _ in range(500):
        slack = 1 - signs * (rows @ z)
        on = slack > 0
        costs = 2 * bounds[on]
        matrix = penalty + rows[on].T @ (costs[:, None] * rows[on])
        rest = rows[on].T @ (costs * slack[on] * signs[on]) - penalty @ z
        step = np.linalg.lstsq(matrix, rest, rcond=None)[0]
        lengths = 0.7 ** np.arange(60)
        ends = z + lengths[:, None] * step
        slacks = np.maximum(0, 1 - signs * (ends @ rows.T))
        z = ends[np.argmin(0.5 * np.square(ends @ penalty).sum(axis=1) + np.square(slacks) @ bounds)]
        if np.abs(step).max() < 1e-12:
            break
    return z


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", [(200, 5), (60, 40), (12, 40)])
def test_the_minimum_of_every_output(shape, intercept, rng):
    X, signs, bounds = problems(rng, *shape, 3)
    found = newton(X, signs, bounds, X.mean(axis=0) if intercept else None, intercept, 1e-12, Clock(), None)
    bias = found.bias - (found.coef @ X.mean(axis=0) if intercept else 0.0)
    for k in range(3):
        exact = minimum(X, signs[k], bounds, intercept)
        np.testing.assert_allclose(found.coef[k], exact[: shape[1]], atol=1e-6)
        if intercept:
            np.testing.assert_allclose(bias[k], exact[-1], atol=1e-6)


@pytest.mark.parametrize("even", [True, False])
def test_a_matrix_that_is_changed_is_the_one_of_its_rows(even, rng):
    rows = np.ascontiguousarray(rng.normal(size=(50, 4)))
    bounds = np.ones(50) if even else rng.uniform(0.5, 2.0, 50)
    matrices = Matrices(rows, bounds, 1)
    for _ in range(6):
        active = rng.random(50) < 0.8
        made = np.tril(matrices._of(0, active, np.flatnonzero(active)))
        own = rows[active]
        np.testing.assert_allclose(made, np.tril(own.T @ (2 * bounds[active, None] * own)), atol=1e-10)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("rows", [1, 5, 12])
def test_equations_in_rows_and_in_columns_have_one_solution(intercept, rows, rng):
    X, bounds, rest = rng.normal(size=(rows, 4)), 0.5 + rng.random(rows), rng.normal(size=4 + intercept)
    wide = np.ascontiguousarray(np.column_stack([X, np.ones((rows, int(intercept)))]))
    penalty = np.array([1.0] * 4 + [0.0] * int(intercept))
    expected = np.linalg.lstsq(np.diag(penalty) + wide.T @ (2 * bounds[:, None] * wide), rest, rcond=None)[0]
    matrices, every = Matrices(wide, bounds, 1), np.ones(rows, bool)
    np.testing.assert_allclose(matrices._in_rows(np.arange(rows), rest, penalty), expected, atol=1e-8)
    whole = matrices._of(0, every, np.flatnonzero(every))
    np.testing.assert_allclose(matrices._solve(whole, penalty, rest), expected, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("shift", [0.0, 300.0])
def test_machines_of_either_precision_are_proved(kind, classes, shift, rng, monkeypatch):
    """The gap is that of float64, whatever the rows are, and both machines are the same but for it."""
    monkeypatch.setattr(together, "MOST_OF_NEWTON", 0)
    X, y = rng.normal(size=(400, 30)), rng.integers(0, classes, 400)
    X[:, :classes] += y[:, None] == np.arange(classes)
    X = (X + shift).astype(np.float32)
    weight = rng.integers(0, 3, 400).astype(float)
    machine = LinearSVM().fit(X.astype(KINDS[kind]), y, weight)
    exact = LinearSVM(solver="interior", tol=1e-9).fit(X.astype(float), y, weight)
    assert (machine.solver_, machine.stop_reason_) == ("newton", "solved")
    assert machine.duality_gap_ <= 1e-4
    assert exact.objective_ * (1 - 1e-9) <= machine.objective_ <= exact.objective_ * (1 + 1e-4) / (1 - 1e-4)
    assert machine.coef_.dtype == np.float64


def test_a_warm_start_takes_fewer_steps_and_no_room_for_matrices_changes_nothing(rng, monkeypatch):
    monkeypatch.setattr(together, "MOST_OF_NEWTON", 0)
    X, y = rng.normal(size=(600, 20)), rng.integers(0, 3, 600)
    machine = LinearSVM(warm_start=True, tol=1e-8).fit(X, y)
    objective, steps = machine.objective_, machine.n_iter_
    assert machine.fit(X, y).n_iter_ < steps
    monkeypatch.setattr(batched, "KEPT", 0)
    assert LinearSVM(tol=1e-8).fit(X, y).objective_ == pytest.approx(objective, rel=1e-7)


def test_sparse_rows_of_few_columns(rng, monkeypatch):
    monkeypatch.setattr(together, "MOST_OF_NEWTON", 0)
    X = sparse.random(500, 40, 0.2, random_state=0, format="csr")
    y = X @ rng.normal(size=40) + 0.3 * rng.normal(size=500) > 0
    machine = LinearSVM(tol=1e-8).fit(X, y)
    assert machine.solver_ == "newton"
    assert machine.objective_ == pytest.approx(LinearSVM(tol=1e-8).fit(X.toarray(), y).objective_, rel=1e-7)


def test_newton_is_for_the_squared_hinge():
    X, y = np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1]
    for choice in ({"loss": "hinge"}, {"multiclass": "crammer_singer"}):
        with pytest.raises(ValueError, match="works only with the squared hinge"):
            LinearSVM(solver="newton", **choice).fit(X, y)
    assert LinearSVM(solver="newton").fit(X, y).solver_ == "newton"


def test_a_limit_of_time_is_kept_and_said(rng, monkeypatch):
    monkeypatch.setattr(together, "MOST_OF_NEWTON", 0)
    X, y = rng.normal(size=(300, 20)), rng.integers(0, 3, 300)
    with pytest.warns(match="time_limit"):
        assert LinearSVM(time_limit=1e-9).fit(X, y).stop_reason_ == "time"
