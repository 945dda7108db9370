"""Maximum likelihood at once: against a slow twin and scikit-learn, never uphill, and sensible where there is no minimum."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from common import stacked
from novikoff import LogisticNeuron, SeparationError, logistic_path
from novikoff.solvers import lbfgs, products
from novikoff.solvers.lbfgs import LossInMemory, SmoothProblem, joint_matrix, loss_of, maximise, search
from novikoff.system.clock import Clock, Countdown

KINDS = {"dense": np.asarray, "float32": lambda X: X.astype(np.float32), "sparse": sparse.csr_array}
SOLVERS = "newton", "lbfgs"
solvers = pytest.mark.parametrize("solver", SOLVERS)


@pytest.fixture
def rows(rng):
    return (rng.normal(size=(150, 4)) * [1.0, 3.0, 0.5, 1.0] + [0.0, 5.0, 0.0, 0.0]).astype(np.float32).astype(float)


def labels(rows, rng, classes):
    score = rows @ [1.0, -0.3, 0.5, 0.0] + 1.5 + rng.logistic(size=len(rows))
    return np.digitize(score, {2: [0.0], 3: [-0.7, 0.9]}[classes])


# A slow twin


def eliminate(matrix, right):
    """The solution of a system of equations, by elimination."""
    table = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for i in range(len(table)):
        pivot = max(range(i, len(table)), key=lambda r: abs(table[r][i]))
        table[i], table[pivot] = table[pivot], table[i]
        table[i] = [value / table[i][i] for value in table[i]]
        for r in range(len(table)):
            if r != i:
                table[r] = [a - table[r][i] * b for a, b in zip(table[r], table[i], strict=True)]
    return [line[-1] for line in table]


def newton_twin(X, target, weight, l2, steps=25):
    """Newton's method for two classes, as a textbook has it: w <- w - (X' D X + l2)^-1 (X' (p - d) + l2 w)."""
    rows = [[*row, 1.0] for row in X.tolist()]
    size = len(rows[0])
    penalty = [l2] * (size - 1) + [0.0]
    w = [0.0] * size
    for _ in range(steps):
        slope = [penalty[j] * w[j] for j in range(size)]
        matrix = [[penalty[j] * (j == k) for k in range(size)] for j in range(size)]
        for x, d, s in zip(rows, target, weight, strict=True):
            p = 1 / (1 + math.exp(-sum(a * b for a, b in zip(w, x, strict=True))))
            for j in range(size):
                slope[j] += s * (p - d) * x[j]
                for k in range(size):
                    matrix[j][k] += s * p * (1 - p) * x[j] * x[k]
        w = [a - b for a, b in zip(w, eliminate(matrix, slope), strict=True)]
    return np.array(w)


@solvers
@pytest.mark.parametrize("l2", [0.0, 1.0, 30.0])
@pytest.mark.parametrize("kind", KINDS)
def test_it_comes_to_where_the_slow_twin_comes(solver, l2, kind, rows, rng):
    target, weight = labels(rows, rng, 2), rng.integers(1, 4, 150).astype(float)
    neuron = LogisticNeuron(solver=solver, l2=l2, tol=1e-8).fit(KINDS[kind](rows), target, weight)
    twin = newton_twin(rows, target.tolist(), weight.tolist(), l2)
    theirs = 1 / (1 + np.exp(-(rows @ twin[:-1] + twin[-1])))
    np.testing.assert_allclose(neuron.predict_proba(rows)[:, 1], theirs, atol=1e-3)
    assert neuron.stop_reason_ == "solved"
    if solver == "newton":
        np.testing.assert_allclose(stacked(neuron)[0], twin, atol=1e-3)


@pytest.mark.parametrize("form", ["binary", "softmax", "ovr"])
@pytest.mark.parametrize("count", [150, 1500])
@pytest.mark.parametrize("kind", KINDS)
def test_without_a_penalty_it_is_maximum_likelihood(form, count, kind, rows, rng):
    """By default, but for ``l2=0``: where rows overlap, probabilities agree to a thousandth."""
    X = np.tile(rows, (count // 150, 1)) + rng.normal(size=(count, 4))
    X = X.astype(np.float32).astype(float)
    target = labels(X, rng, 2 if form == "binary" else 3)
    multiclass = "auto" if form == "binary" else form
    neuron = LogisticNeuron(l2=0, multiclass=multiclass).fit(KINDS[kind](X), target)
    assert neuron.solver_ == ("newton" if count < 1000 else "lbfgs")
    found = neuron.predict_proba(X)
    if form == "ovr":
        each = [LogisticRegression(C=np.inf, tol=1e-10, max_iter=9999).fit(X, target == k) for k in range(3)]
        chances = np.column_stack([one.predict_proba(X)[:, 1] for one in each])
        exact = chances / chances.sum(axis=1, keepdims=True)
    else:
        exact = LogisticRegression(C=np.inf, tol=1e-10, max_iter=9999).fit(X, target).predict_proba(X)
    np.testing.assert_allclose(found, exact, atol=1e-3 if form == "binary" or count < 1000 else 1e-2)


@solvers
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("slope", [0.5, 3.0])
@pytest.mark.parametrize("l2", [0.0, 2.0])
def test_the_gradient_is_zero(solver, classes, slope, l2, rows, rng, monkeypatch):
    """The numerical one, of the objective as the docstring has it."""
    monkeypatch.setattr(lbfgs, "NEAR", 1e-6)
    monkeypatch.setattr(lbfgs, "SMALL_GAIN", 1e-15)
    target, weight = labels(rows, rng, classes), rng.integers(1, 4, 150).astype(float)
    neuron = LogisticNeuron(solver=solver, l2=l2, slope=slope, tol=1e-12).fit(rows, target, weight)
    weights = stacked(neuron)

    def objective(weights):
        neuron.coef_, neuron.intercept_ = weights[:, :-1], weights[:, -1]
        own = neuron.predict_log_proba(rows)[range(150), target]
        return -weight @ own + l2 / 2 * np.square(weights[:, :-1]).sum()

    step = 1e-5
    slopes = np.zeros_like(weights)
    for place in np.ndindex(*weights.shape):
        nudge = np.zeros_like(weights)
        nudge[place] = step
        slopes[place] = (objective(weights + nudge) - objective(weights - nudge)) / (2 * step)
    assert np.abs(slopes).max() < 1e-4 * slope * np.abs(rows).sum()


@solvers
def test_scales_of_columns_and_whole_weights(solver, rows, rng):
    target, weight = labels(rows, rng, 3), rng.integers(1, 4, 150)
    many = np.repeat(np.arange(150), weight)
    for l2 in (0.0, 1.0):
        one = LogisticNeuron(solver=solver, l2=l2, tol=1e-6).fit(rows, target, weight)
        other = LogisticNeuron(solver=solver, l2=l2, tol=1e-6).fit(rows[many], target[many])
        np.testing.assert_allclose(one.predict_proba(rows), other.predict_proba(rows), atol=1e-3)
    plain = LogisticNeuron(solver="newton", l2=0).fit(rows, target)
    scale = np.array([1e-5, 1.0, 1e5, 1.0])
    moved = LogisticNeuron(solver="newton", l2=0).fit(rows * scale + [0, 0, 1e6, 0], target)
    np.testing.assert_allclose(moved.coef_ * scale, plain.coef_, atol=1e-2)


@solvers
def test_dependent_columns_do_no_harm(solver, rows, rng):
    target = labels(rows, rng, 2)
    wide = np.hstack([rows, rows[:, :2], np.ones((150, 1)), np.zeros((150, 1))])
    for X in (wide, sparse.csr_array(wide)):
        neuron = LogisticNeuron(solver=solver, l2=0).fit(X, target)
        exact = LogisticNeuron(solver="newton", l2=0).fit(rows, target)
        np.testing.assert_allclose(neuron.predict_proba(X), exact.predict_proba(rows), atol=1e-3)
        assert neuron.stop_reason_ == "solved"


# Down, always


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6), outputs=st.sampled_from((1, 3)), size=st.floats(-3, 6), l2=st.sampled_from((0.0, 1.0))
)
def test_a_step_never_climbs(seed, outputs, size, l2):
    """Along any direction that goes down, however long."""
    rng = np.random.default_rng(seed)
    X, target = rng.normal(size=(20, 3)), rng.integers(0, max(2, outputs), 20)
    objective = LossInMemory(SmoothProblem(X, target, np.empty(0), True, 1.0, l2, outputs))
    weights = rng.normal(size=4 * outputs)
    objective.set_direction(weights)  # from zero weights to these
    objective.value(1.0)
    objective.step(1.0)
    gradient = objective.gradient() + objective.penalty * weights
    direction = -gradient * rng.uniform(0.1, 1.0, gradient.shape) * 10.0**size
    objective.set_direction(direction)
    slope = float(gradient @ direction)
    before = objective.loss + float((objective.penalty * weights**2).sum()) / 2
    far = search(objective, weights, direction, slope)
    objective.step(far)
    after = objective.loss + float((objective.penalty * (weights + far * direction) ** 2).sum()) / 2
    assert far > 0
    assert after < before


@solvers
def test_the_budget_and_the_clock_are_kept(solver, rows, rng):
    target = labels(rows, rng, 2)
    short = LogisticNeuron(solver=solver, max_iter=2).fit(rows, target)
    assert (short.n_iter_, short.stop_reason_) == (2, "budget")
    problem = SmoothProblem(rows, target, np.empty(0), True, 1.0, 0.0, 1)
    found = maximise(problem, solver, 100, Clock(1e-9), 1e-4)
    assert (found.reason, found.steps) == ("time", 0)


# Where there is no minimum


@solvers
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_separated_classes(solver, classes, kind, rng):
    target = np.arange(90) % classes
    X = rng.normal(size=(90, 2)) + 20.0 * target[:, None]
    X[:, 1] = X[:, 0] * (target == 1) + rng.normal(size=90)
    with pytest.warns(ConvergenceWarning, match=r"all 90 training rows.*linearly separable.*no minimum"):
        neuron = LogisticNeuron(solver=solver, l2=0).fit(KINDS[kind](X), target)
    assert neuron.stop_reason_ == "separated"
    assert np.isfinite(stacked(neuron)).all()
    assert neuron.n_errors_ == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        penalised = LogisticNeuron().fit(KINDS[kind](X), target)
        LogisticNeuron(solver=solver, l2=0, on_separation="ignore").fit(KINDS[kind](X), target)
    assert penalised.stop_reason_ == "solved"
    with pytest.raises(SeparationError, match="minimum only because of the penalty"):
        LogisticNeuron(on_separation="raise").fit(KINDS[kind](X), target)


def test_quasi_complete_separation(rng):
    X = rng.normal(size=(60, 2))
    target = (X[:, 0] > 0).astype(int)
    X[:4], target[:4] = [[0, 0], [0, 1], [0, 2], [0, 3]], [0, 1, 1, 0]
    with pytest.warns(ConvergenceWarning, match="quasi-completely separated"):
        neuron = LogisticNeuron(l2=0).fit(X, target)
    assert neuron.stop_reason_ == "no_minimum"
    assert neuron.n_iter_ < 60
    assert np.isfinite(stacked(neuron)).all()
    assert LogisticNeuron().fit(X, target).stop_reason_ == "solved"


def test_the_squared_error_is_learned_by_steps(rows, rng):
    target = labels(rows, rng, 2)
    assert LogisticNeuron(loss="squared", random_state=0).fit(rows, target).solver_ == "steps"
    for solver in SOLVERS:
        with pytest.raises(ValueError, match="not convex"):
            LogisticNeuron(loss="squared", solver=solver).fit(rows, target)


def test_rows_that_are_too_many_to_copy_are_read_in_blocks(rows, rng, monkeypatch):
    target = labels(rows, rng, 3)
    for solver in SOLVERS:
        whole = LogisticNeuron(solver=solver).fit(rows, target)
        monkeypatch.setattr(products, "KEPT", 10)
        monkeypatch.setattr(products, "BLOCK", 64)
        blocks = LogisticNeuron(solver=solver).fit(rows, target)
        monkeypatch.undo()
        np.testing.assert_allclose(stacked(blocks), stacked(whole), atol=1e-3)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("solver", ["auto", *SOLVERS])
def test_bad_values_are_named(value, solver, rows, rng):
    target = labels(rows, rng, 2)
    rows[17, 2] = value
    for kind in ("dense", "sparse"):
        with pytest.raises(ValueError, match="row 17, column 2"):
            LogisticNeuron(solver=solver).fit(KINDS[kind](rows), target)


@pytest.mark.parametrize("seed", range(3))
def test_columns_of_different_scales_are_not_given_up(seed):
    """More rows than Newton's method is used for: what is called solved has nothing left to gain in any column alone."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 1200)
    X = (rng.normal(size=(1200, 8)) + rng.normal(size=(3, 8))[y]) * 10.0 ** rng.integers(-3, 4, size=8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        neuron = LogisticNeuron().fit(X, y)
        peer = LogisticRegression(max_iter=10_000, tol=1e-10).fit(X, y)
    assert neuron.solver_ == "lbfgs"
    assert neuron.score(X, y) > peer.score(X, y) - 0.005


def test_numbers_of_any_type_are_the_default():
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 0, 1])
    assert LogisticNeuron(n_iter_no_change=np.int64(5)).fit(X, y).solver_ == LogisticNeuron().fit(X, y).solver_


def test_a_solver_keeps_nothing_but_its_solution():
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert LogisticNeuron(solver="newton", max_iter=1).fit(X, y).keep_ == "last"


@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
@pytest.mark.parametrize("number", [3.3, 1e8 / 3, 0.1, 1e-9 / 7])
def test_a_constant_column_has_no_weight_worth_mentioning(solver, number, rng):
    """Less its rounded mean, it is not a column of zeros."""
    X = np.column_stack([rng.normal(size=(301, 3)) * [1, 1e-3, 30], np.full(301, number)])
    y = (X[:, 0] + rng.logistic(size=301) > 0).astype(int)
    with_it = LogisticNeuron(solver=solver, l2=0.0).fit(X, y)
    without = LogisticNeuron(solver="newton", l2=0.0).fit(X[:, :3], y)
    assert with_it.coef_[0, 3] == 0
    np.testing.assert_allclose(with_it.predict_proba(X), without.predict_proba(X[:, :3]), atol=1e-3)


@pytest.mark.parametrize(("solver", "classes"), [("newton", 2), ("newton", 3), ("lbfgs", 2)])
@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("apart", [1e-3, 1e-5])
def test_columns_that_nearly_depend_on_each_other_are_told_apart(apart, twice, solver, classes, rng):
    """Also where others do, which change nothing, and where what is common to all outputs does not either."""
    X = rng.normal(size=(1500, 4))
    y = (X @ rng.normal(size=(4, classes)) + rng.gumbel(size=(1500, classes))).argmax(axis=1)
    near = np.column_stack([X[:, 0], X[:, 1], X[:, 0] + apart * X[:, 2], X[:, 3], *([X[:, 1]] if twice else [])])
    found = LogisticNeuron(solver=solver, l2=0.0).fit(near, y)
    assert found.stop_reason_ == "solved"
    wanted = LogisticNeuron(solver="newton", l2=0.0).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(found.predict_proba(near), wanted, atol=1e-4)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("light", [1e-3, 1e-8])
def test_rows_of_small_weight_that_are_still_moving_have_a_minimum(light, scale):
    """Heavy rows are done, so that all that is left is little beside the first gradient; but the light ones overlap as well."""
    X = np.array([[1, 0], [1, 0], [-1, 0], [2, 0], [0, scale], [0, scale]])
    neuron = LogisticNeuron(l2=0, fit_intercept=False)
    neuron.fit(X, [1, 0, 0, 1, 1, 0], sample_weight=[1e6, 1e6, 1e6, 1e6, light, 1e-5 * light])
    assert neuron.stop_reason_ == "solved"
    np.testing.assert_allclose(neuron.coef_[0, 1] * scale, np.log(1e5), rtol=1e-4)


def test_rows_of_32_bits_do_not_hide_that_there_is_no_minimum(rng):
    """What a probability near 1 misses is less than 32 bits can hold, long before weights are large."""
    X, target = rng.normal(size=(40, 3)), np.arange(40) % 2
    X[-1], target[-1] = [0, 0, 1], 2
    X[:-1, 2] = np.minimum(-1, X[:-1, 2])  # the last row is the only one of its class, and apart from all others
    neuron = LogisticNeuron(l2=0, fit_intercept=False, solver="newton", on_separation="ignore")
    assert neuron.fit(X.astype(np.float32), target).stop_reason_ == "no_minimum"


def test_a_matrix_of_softmax_is_that_of_its_probabilities_where_these_are_nearly_sure(rng):
    """Each block is a sum of squares, whose numbers are none but rounding if it is taken from one minus another."""
    X = 1e5 * rng.normal(size=(7, 3))
    weight, rest = 10.0 ** rng.uniform(0, 6, 7), 10.0 ** rng.uniform(-26, -20, (2, 7))
    loss = loss_of(SmoothProblem(X, np.zeros(7, int), weight, True, 1.0, 0.0, 3))
    rows = products.rows_of(X, True, 0.0, 3)
    matrix = joint_matrix(rows, loss, weight * np.vstack([-rest.sum(axis=0), rest]), Clock())
    np.testing.assert_allclose(matrix.diagonal()[:4], rows.squares(weight * rest.sum(axis=0)), rtol=1e-6)


def test_no_minimum_is_not_said_of_classes_that_are_proved_to_overlap():
    """A row that holds the weights back may be moved by less than any threshold, so a cheap proof has the last word."""
    X = np.array([[1, 0], [-1, 0], [1, 0], [0, 1], [0, -1e-7]])
    weight = [1e6, 1e6, 2e6, 1e-6, 1e-6]
    learner = LogisticNeuron(l2=0, fit_intercept=False, on_separation="ignore", solver="newton")
    assert learner.fit(X, [0, 0, 1, 1, 1], weight).stop_reason_ in ("solved", "stalled")
    X[4, 1] = 0
    assert learner.fit(X, [0, 0, 1, 1, 1], weight).stop_reason_ == "no_minimum"


# Many values of C


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_a_path_is_its_fits(classes, kind, rows, rng):
    target, weight = labels(rows, rng, classes), rng.integers(1, 4, 150)
    X = KINDS[kind](rows)
    path = logistic_path(X, target, C=[0.01, 1, 30], sample_weight=weight, tol=1e-6)
    assert path.coef.shape == (3, 1 if classes == 2 else 3, 4)
    assert path.duality_gap.max() <= 1e-6
    for C, coef, intercept in zip(path.C, path.coef, path.intercept, strict=True):
        one = LogisticNeuron(l2=1 / C, tol=1e-6).fit(X, target, weight)
        wanted, found = rows @ one.coef_.T + one.intercept_, rows @ coef.T + intercept
        np.testing.assert_allclose(
            found - found.mean(axis=1, keepdims=True) * (classes > 2),
            wanted - wanted.mean(axis=1, keepdims=True) * (classes > 2),
            atol=0.05,
        )


def test_a_path_refuses_what_it_cannot_do(rows, rng):
    target = labels(rows, rng, 2)
    assert logistic_path(rows, target).C.size == 13
    for C, said in (([], "C is empty"), ([1, 0], "positive and finite"), ([np.inf], "positive and finite")):
        with pytest.raises(ValueError, match=said):
            logistic_path(rows, target, C=C)
    for choice in ({"solver": "steps"}, {"loss": "squared"}):
        with pytest.raises(ValueError, match="solves for each C"):
            logistic_path(rows, target, **choice)


# Limits


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_limit_ends_a_fit_inside_a_step(solver, rng):
    """Looks are counted, not seconds: a matrix of many unknowns is made in pieces."""
    X, target = rng.normal(size=(300, 30)), rng.integers(0, 20, 300)
    problem = SmoothProblem(X, target, np.empty(0), True, 1.0, 1.0, 20)
    found = maximise(problem, solver, 100, Countdown(4), 1e-12)
    assert found.reason == "time"
    assert found.steps <= 4
    assert np.isfinite(found.gap)
