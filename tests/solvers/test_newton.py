"""Newton's method for both hinges: its steps are those of its equations, and its answers the minimum, whatever the rows are."""

import numpy as np
import pytest
from scipy import sparse

from novikoff import LinearSVM
from novikoff.solvers import choose
from novikoff.solvers import newton as batched
from novikoff.solvers.audit import Fit
from novikoff.solvers.newton import MarginsInMemory, divided, newton
from novikoff.solvers.objectives import Hinge, SquaredHinge
from novikoff.solvers.small_newton import (
    FIRST_STIFFNESS,
    READY,
    SQUARED,
    add_products,
    best_length,
    factorise,
    small_newton,
    solve_batch,
    solve_with,
)
from novikoff.system.clock import Clock

KINDS = {"float64": np.float64, "float32": np.float32}
biases = pytest.mark.parametrize("intercept", [True, False])
losses = pytest.mark.parametrize("squared", [True, False])


def problems(rng, rows, columns, outputs):
    X = rng.normal(size=(rows, columns))
    y = X @ rng.normal(size=(columns, outputs)) + rng.normal(size=(rows, outputs)) * 2
    signs = np.where(y.T > 0, 1.0, -1.0)
    signs[:, :2] = 1.0, -1.0
    return X, signs, rng.uniform(0.2, 3.0, rows)


def machine(X, signs, bounds, squared, intercept):
    """A loss, and the rest of the problem."""
    return (SquaredHinge if squared else Hinge)(signs, bounds), Fit(X, intercept, 1.0)


def sides(found, X, signs, bounds, squared):
    """Both objectives, as the textbook has them."""
    slack = np.maximum(0, 1 - signs * (found.coef @ X.T + found.bias[:, None]))
    alphas = signs * found.shares.T
    primal = 0.5 * np.square(found.coef).sum(axis=1) + (slack**2 if squared else slack) @ bounds
    dual = alphas.sum(axis=1) - 0.5 * np.square(found.shares.T @ X).sum(axis=1)
    return primal, dual - 0.25 * (alphas**2) @ (1 / bounds) if squared else dual


@biases
@losses
@pytest.mark.parametrize("solver", [newton, small_newton])
@pytest.mark.parametrize("shape", [(200, 5), (60, 40), (12, 40)])
def test_primal_and_dual_meet(shape, solver, squared, intercept, rng):
    X, signs, bounds = problems(rng, *shape, 3)
    found = solver(*machine(X, signs, bounds, squared, intercept), 1e-9, Clock(), None)
    primal, dual = sides(found, X, signs, bounds, squared)
    assert np.all(np.abs(primal - dual) <= 1e-8 * primal)
    alphas = signs * found.shares.T
    assert np.all(alphas >= 0)
    assert squared or np.all(alphas <= bounds)
    assert not intercept or np.abs(found.shares.sum(axis=0)).max() <= 1e-8 * np.abs(found.shares).sum()
    assert found.steps.min() > 0


@biases
@losses
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, np.float32])
def test_many_rows_begin_with_some_of_them(form, squared, intercept, rng, monkeypatch):
    """Rows of a rare class, too: the answer is the minimum, in fewer matrices of all rows, and no time is an answer as well."""
    X, signs, bounds = problems(rng, 6000, 4, 2)
    signs[1] = np.where(X[:, 0] > 2.3, 1.0, -1.0)
    signs[1, rng.integers(6000, size=20)] *= -1
    begun, start = [], batched.Lockstep.start
    monkeypatch.setattr(batched.Lockstep, "start", lambda state: begun.append(start(state)))
    rows = form(X)
    found = newton(*machine(rows, signs, bounds, squared, intercept), 1e-8, Clock(), None)
    assert begun
    X = X.astype(np.float32).astype(float) if form is np.float32 else X
    primal, dual = sides(found, X, signs, bounds, squared)
    assert np.all(np.abs(primal - dual) <= 1e-6 * primal)
    none = newton(*machine(rows, signs, bounds, squared, intercept), 1e-8, Clock(1e-9), None)
    assert np.isfinite(none.coef).all()


@losses
def test_a_start_that_is_right_takes_few_steps(squared, rng):
    X, signs, bounds = problems(rng, 150, 6, 2)
    for solver in (newton, small_newton):
        found = solver(*machine(X, signs, bounds, squared, True), 1e-9, Clock(), None)
        again = solver(*machine(X, signs, bounds, squared, True), 1e-6, Clock(), found)
        assert again.steps.sum() < found.steps.sum()


@losses
def test_every_step_is_watched(squared, rng):
    X, signs, bounds = problems(rng, 80, 4, 1)
    seen = []
    found = newton(*machine(X, signs, bounds, squared, True), 1e-9, Clock(), None, seen.append)
    np.testing.assert_array_equal(seen[-1].coef, found.coef)
    assert len(seen) >= found.steps[0]


def equations(rows, bounds, intercept):
    return MarginsInMemory(np.ascontiguousarray(rows), np.ones((3, len(rows))), bounds, True, intercept, Clock())


def whole_matrix(X, bounds, intercept):
    wide = np.column_stack([X, np.ones((len(X), int(intercept)))])
    return wide.T @ (bounds[:, None] * wide)


@biases
@pytest.mark.parametrize("even", [True, False])
def test_a_matrix_that_is_changed_is_the_one_of_its_rows(even, intercept, rng):
    X = rng.normal(size=(50, 4))
    bounds = np.ones(50) if even else rng.uniform(0.5, 2.0, 50)
    made = equations(X, bounds, intercept)
    for _ in range(6):
        active = rng.random(50) < 0.8
        own = whole_matrix(X[active], bounds[active], intercept)
        np.testing.assert_allclose(np.tril(made.matrix(0, active)), np.tril(own), atol=1e-10)


@biases
@pytest.mark.parametrize("rows", [2, 5, 12])
def test_equations_in_rows_and_in_columns_have_one_solution(intercept, rows, rng):
    X, bounds, rest = rng.normal(size=(rows, 4)), 0.5 + rng.random(rows), rng.normal(size=4 + intercept)
    penalty = np.diag([1.0] * 4 + [0.0] * int(intercept))
    expected = np.linalg.lstsq(penalty + 3 * whole_matrix(X, bounds, intercept), rest, rcond=None)[0]
    made = equations(X, bounds, intercept)
    np.testing.assert_allclose(made._in_rows(np.arange(rows), 3.0, rest), expected, atol=1e-8)
    np.testing.assert_allclose(divided(made._factor_of_all(3.0), rest[None])[0], expected, atol=1e-8)


@biases
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("most", [0, 3000])
def test_conjugate_gradients_find_the_same_steps(kind, most, intercept, rng, monkeypatch):
    """With a matrix and without, of dense and of sparse rows."""
    monkeypatch.setattr(batched, "MOST_MATRIX", most)
    X, bounds = rng.normal(size=(300, 8)), rng.uniform(0.5, 2.0, 300)
    rest, active = rng.normal(size=(3, 8 + intercept)), rng.random((3, 300)) < 0.6
    active[2] = np.abs(X[:, 0]) > 1  # far from a sample of all rows: it may get a matrix of its own
    made, stiff = MarginsInMemory(kind(X), np.ones((3, 300)), bounds, True, intercept, Clock()), np.full(3, 2.0)
    found = made._gradients(np.arange(3), active, stiff, rest, np.full(3, 1e-20))
    penalty = np.diag([1.0] * 8 + [0.0] * int(intercept))
    for k in range(3):
        matrix = penalty + 2 * whole_matrix(X[active[k]], bounds[active[k]], intercept)
        np.testing.assert_allclose(found[k], np.linalg.solve(matrix, rest[k]), atol=1e-8)


def test_rows_near_the_margin_are_solved_for_while_others_wait(rng):
    """Few steps of all rows, and the minimum; without them there are many more."""
    X, signs, bounds = problems(rng, 3000, 5, 2)
    problem = machine(X, signs, bounds, False, True)
    quick = newton(*problem, 1e-8, Clock())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batched, "CLOSE", 0.0)
        slow = newton(*problem, 1e-8, Clock())
    for found in (quick, slow):
        primal, dual = sides(found, X, signs, bounds, False)
        assert np.all(np.abs(primal - dual) <= 1e-7 * primal)
    assert quick.steps.sum() < slow.steps.sum()


@pytest.mark.parametrize("C", [1.0, 100.0])
@losses
def test_sparse_rows_of_very_many_columns(squared, C, rng, monkeypatch):
    X = sparse.random_array((300, 900), density=0.02, rng=rng, format="csr")
    signs = np.where(X @ rng.normal(size=(900, 2)) + 0.3 * rng.normal(size=(300, 2)) > 0, 1.0, -1.0).T.copy()
    monkeypatch.setattr(batched, "MOST_MATRIX", 50)
    bounds = np.full(300, C)
    found = newton(*machine(X, signs, bounds, squared, True), 1e-6, Clock())
    primal, dual = sides(found, X.toarray(), signs, bounds, squared)
    assert np.all(np.abs(primal - dual) <= 1e-5 * primal)


@losses
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("shift", [0.0, 300.0])
def test_machines_of_either_precision_are_proved(kind, classes, shift, squared, rng, monkeypatch):
    """The gap is that of float64, whatever the rows are, and both machines are the same but for it."""
    X, y = rng.normal(size=(400, 30)), rng.integers(0, classes, 400)
    X[:, :classes] += y[:, None] == np.arange(classes)
    X = (X + shift).astype(np.float32)
    weight = rng.integers(0, 3, 400).astype(float)
    loss = "squared_hinge" if squared else "hinge"
    exact = LinearSVM(loss=loss, tol=1e-9).fit(X.astype(float), y, weight)
    monkeypatch.setattr(choose, "SMALL_VALUES", 0)
    machine = LinearSVM(loss=loss).fit(X.astype(KINDS[kind]), y, weight)
    assert (machine.solver_, machine.stop_reason_) == ("newton", "solved")
    assert machine.duality_gap_ <= 1e-4
    assert exact.objective_ * (1 - 1e-9) <= machine.objective_ <= exact.objective_ * (1 + 1e-4) / (1 - 1e-4)
    assert machine.coef_.dtype == np.float64


def test_a_warm_start_takes_no_step_and_no_room_for_matrices_changes_nothing(rng, monkeypatch):
    monkeypatch.setattr(choose, "SMALL_VALUES", 0)
    X, y = rng.normal(size=(600, 20)), rng.integers(0, 3, 600)
    machine = LinearSVM(warm_start=True, tol=1e-8).fit(X, y)
    objective = machine.objective_
    assert machine.fit(X, y).n_iter_ == 0
    monkeypatch.setattr(batched, "KEPT", 0)
    assert LinearSVM(tol=1e-8).fit(X, y).objective_ == pytest.approx(objective, rel=1e-7)


def test_sparse_rows_of_few_columns(rng, monkeypatch):
    monkeypatch.setattr(choose, "SMALL_VALUES", 0)
    X = sparse.random(500, 40, 0.2, random_state=0, format="csr")
    y = X @ rng.normal(size=40) + 0.3 * rng.normal(size=500) > 0
    machine = LinearSVM(tol=1e-8).fit(X, y)
    assert machine.solver_ == "newton"
    assert machine.objective_ == pytest.approx(LinearSVM(tol=1e-8).fit(X.toarray(), y).objective_, rel=1e-7)


def test_newton_is_for_one_problem_a_class():
    X, y = np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1]
    with pytest.raises(ValueError, match="works only with multiclass='ovr'"):
        LinearSVM(solver="newton", multiclass="crammer_singer").fit(X, y)
    for loss in ("hinge", "squared_hinge"):
        assert LinearSVM(solver="newton", loss=loss).fit(X, y).solver_ == "newton"


def test_a_limit_of_time_is_kept_and_said(rng, monkeypatch):
    monkeypatch.setattr(choose, "SMALL_VALUES", 0)
    X, y = rng.normal(size=(300, 20)), rng.integers(0, 3, 300)
    with pytest.warns(match="time_limit"):
        assert LinearSVM(time_limit=1e-9).fit(X, y).stop_reason_ == "time"


def smooth_value(rows, signs, bounds, penalty, z, stiff, upper):
    """The objective of multipliers that are zero."""
    slack = 1 - signs * (rows @ z)
    pull = np.clip(stiff * slack, 0, upper)
    return 0.5 * penalty @ (z * z) + bounds @ (pull * slack - pull**2 / (2 * stiff))


def newton_step(rows, signs, bounds, penalty, z, stiff, upper):
    """One step, as the papers have it: to where the quadratic of the active rows is smallest, as far as the objective falls."""
    raw = stiff * (1 - signs * (rows @ z))
    on = (raw > 0) & (raw < upper)
    matrix = np.diag(penalty) + stiff * rows[on].T @ (bounds[on, None] * rows[on])
    rest = rows.T @ (bounds * np.clip(raw, 0, upper) * signs) - penalty * z
    step = np.linalg.lstsq(matrix, rest, rcond=None)[0]
    change = stiff * signs * (rows @ step)

    def slope(far):
        return penalty @ ((z + far * step) * step) - bounds @ (np.clip(raw - far * change, 0, upper) * change) / stiff

    low, high, far = 0.0, np.inf, 1.0
    while abs(slope(far)) > 1e-2 * abs(rest @ step):
        low, high = (low, far) if slope(far) > 0 else (far, high)
        there = raw - far * change
        inside = (there > 0) & (there < upper)
        far -= slope(far) / (penalty @ (step * step) + bounds[inside] @ change[inside] ** 2 / stiff)
        if not low < far < high:
            far = 10 * low if high == np.inf else max(0.1 * high, (low * high) ** 0.5)
            far = 0.5 * (low + high) if low >= 0.1 * high else far
    return z + far * step


@pytest.mark.plain_python
@biases
@losses
def test_compiled_steps_are_those_of_the_papers(intercept, squared, rng):
    rows = rng.integers(-3, 4, (20, 3)).astype(float)
    penalty = np.ones(3)
    if intercept:
        rows, penalty = np.column_stack([rows, np.ones(20)]), np.append(penalty, 0.0)
    signs = np.where(rng.random((2, 20)) < 0.5, 1.0, -1.0)
    signs[:, :2] = 1.0, -1.0
    bounds = rng.integers(1, 4, 20) / 2
    size, (stiff, upper) = rows.shape[1], (SQUARED, np.inf) if squared else (FIRST_STIFFNESS, 1.0)
    whole = np.zeros((size, size))
    add_products(rows, np.arange(20), bounds, 20, whole)
    weights, steps, ended = np.zeros((2, size)), np.zeros(2, np.int64), np.zeros(2, np.bool_)
    going = np.ones(2, bool)
    for _ in range(5):
        pulls, before = np.zeros((2, 20)), weights.copy()
        solve_batch(rows, bounds, signs, penalty, whole, upper, False, 1e-13, 1, 0, 2, weights, pulls, steps, ended)
        for k in range(2):
            slack = 1 - signs[k] * (rows @ before[k])
            pull = np.clip(stiff * slack, 0, upper)
            rest = rows.T @ (bounds * pull * signs[k]) - penalty * before[k]
            lacks = 0.0 if squared else bounds @ (np.maximum(slack, 0) - pull * slack)
            left = 0.5 * penalty @ rest**2 + ((1 - penalty) * np.abs(rest)) @ (1 + np.abs(before[k]))
            going[k] &= left > max(2 * READY * lacks, 1e-9)  # multipliers are not updated yet
            if going[k]:
                expected = newton_step(rows, signs[k], bounds, penalty, before[k], stiff, upper)
                np.testing.assert_allclose(weights[k], expected, rtol=1e-7, atol=1e-9)
                values = [
                    smooth_value(rows, signs[k], bounds, penalty, z, stiff, upper) for z in (before[k], weights[k])
                ]
                assert values[1] <= values[0] * (1 + 1e-12)


@losses
def test_lengths_of_steps_beyond_the_end(squared, rng):
    """Along a line the objective has one lowest place, be it far before or after the step's end."""
    rows, signs, bounds, penalty = rng.normal(size=(30, 2)), np.ones(30), np.ones(30), np.ones(2)
    stiff, upper = (SQUARED, np.inf) if squared else (FIRST_STIFFNESS, 1.0)
    z = rng.normal(size=2)
    rest = rows.T @ np.clip(stiff * (1 - rows @ z), 0, upper) - z
    for size in (1e-4, 1e-2, 1.0, 1e10):
        step = size * rest
        far = best_length(z, step, rest, penalty, bounds, rows @ z, rows @ step, np.zeros(30), stiff, upper)
        ends = np.linspace(0, 3 * far, 301)
        best = min(smooth_value(rows, signs, bounds, penalty, z + t * step, stiff, upper) for t in ends)
        start, reached = (smooth_value(rows, signs, bounds, penalty, z + t * step, stiff, upper) for t in (0.0, far))
        assert start - reached >= 0.95 * (start - best)


@pytest.mark.plain_python
@pytest.mark.parametrize("size", [1, 2, 9])
def test_matrices_are_made_and_factored(size, rng):
    rows, scales = rng.normal(size=(11, size)), rng.random(11)
    numbers = np.array([3, 1, 7, 9, 2, 10, 0])
    for count in range(8):
        matrix = np.zeros((size, size))
        add_products(rows, numbers, scales, count, matrix)
        some = rows[numbers[:count]]
        np.testing.assert_allclose(matrix, np.tril(some.T @ (scales[:count, None] * some)), atol=1e-12)
    factor, out = np.empty((size, size)), np.empty(size)
    factorise(matrix, 2.0, np.ones(size), factor)
    whole = 2 * (matrix + np.tril(matrix, -1).T) + np.eye(size)
    np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(whole), rtol=1e-10)
    right = rng.normal(size=size)
    solve_with(factor, right, out)
    np.testing.assert_allclose(whole @ out, right, atol=1e-10)
