"""The contract of solvers, through the learners that users call: every solver, every loss that it admits, dense, sparse, float32, weighted rows.

1. ``stop_reason_`` is "solved" if and only if ``duality_gap_`` is at most ``tol``.
2. The objective of the weights, worked out here in float64, is above its minimum by no more than the gap says.  The minimum is found by
   SciPy: smooth losses by L-BFGS, hinges as quadratic programs with a slack for every row.

A learner is enrolled by a line of PROBLEMS; its solvers are those that its parameter ``solver`` takes, so that a new one is tested at once.
"""

import warnings
from functools import cache, partial

import numpy as np
import pytest
from scipy import optimize, sparse
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from common import seeded
from novikoff import Adaline, AdalineRegressor, KernelSVM, LinearSVM, LogisticNeuron

C, L2, GAMMA = 2.0, 0.5, 0.7
CLOSE = 1e-7  # SciPy's minima are as near as this, relative


# Losses of scores, (rows, outputs), for targets from 0 on


def signs_of(y, outputs):
    return np.where(y[:, None] == (np.arange(outputs) if outputs > 1 else 1), 1.0, -1.0)


def squared_hinge(scores, y):
    return C * np.square(np.maximum(0.0, 1 - signs_of(y, scores.shape[1]) * scores)).sum(axis=1)


def hinge(scores, y):
    return C * np.maximum(0.0, 1 - signs_of(y, scores.shape[1]) * scores).sum(axis=1)


def crammer_singer(scores, y):
    own = scores[np.arange(len(y)), y][:, None]
    return C * np.maximum(0.0, 1 + np.where(np.arange(scores.shape[1]) == y[:, None], -1.0, scores - own).max(axis=1))


def logistic(scores, y):
    return np.logaddexp(0.0, -signs_of(y, scores.shape[1]) * scores).sum(axis=1)


def softmax(scores, y):
    return logsumexp(scores, axis=1) - scores[np.arange(len(y)), y]


def squares(scores, y):
    return 0.5 * np.square(signs_of(y, scores.shape[1]) - scores).sum(axis=1)


def numbers(scores, y):
    return 0.5 * np.square(y[:, None] - scores).sum(axis=1)


# The learner, its loss, the number of classes (0: numbers), and the factor of |w|^2 / 2.
PROBLEMS = {
    "squared hinge": (partial(LinearSVM, C=C), squared_hinge, 2, 1.0),
    "squared hinge, one-vs-rest": (partial(LinearSVM, C=C), squared_hinge, 3, 1.0),
    "hinge": (partial(LinearSVM, C=C, loss="hinge"), hinge, 2, 1.0),
    "hinge, one-vs-rest": (partial(LinearSVM, C=C, loss="hinge"), hinge, 3, 1.0),
    "Crammer-Singer": (partial(LinearSVM, C=C, multiclass="crammer_singer"), crammer_singer, 3, 1.0),
    "logistic": (partial(LogisticNeuron, l2=L2), logistic, 2, L2),
    "logistic, one-vs-rest": (partial(LogisticNeuron, l2=L2, multiclass="ovr"), logistic, 3, L2),
    "softmax": (partial(LogisticNeuron, l2=L2), softmax, 3, L2),
    "squares": (partial(Adaline, l2=L2), squares, 2, L2),
    "squares, one-vs-rest": (partial(Adaline, l2=L2), squares, 3, L2),
    "regression": (partial(AdalineRegressor, l2=L2), numbers, 0, L2),
}
ROWS = {
    "dense": np.asarray,
    "sparse": sparse.csr_array,
    "float32": lambda X: X.astype(np.float32),
    "weighted": np.asarray,
}


def solvers_of(learner):
    """The words that its parameter takes, without that for steps."""
    constraint = learner._parameter_constraints["solver"][0]
    return sorted(constraint.options - {"steps"})


@cache
def data(name, classes):
    """Rows that overlap, some zeros among them, labels, and weights; the same for every solver."""
    rng = seeded(f"{name} {classes}")
    X = np.round(rng.normal(size=(36, 3)) * [1.0, 3.0, 0.3] + [0.0, 1.0, 0.0], 2) * (rng.random((36, 3)) < 0.8)
    target = X @ rng.normal(size=3) + rng.normal(size=36)
    y = target if not classes else np.digitize(target, np.quantile(target, np.arange(1, classes) / classes))
    X = X.astype(np.float32).astype(float)
    return X, y, rng.integers(1, 4, 36).astype(float) if name == "weighted" else np.ones(36)


@cache
def minimum(problem, name):
    """The smallest objective, about."""
    _, loss, classes, l2 = PROBLEMS[problem]
    return least(*data(name, classes), loss, classes if classes > 2 else 1, l2)


def least(X, y, weight, loss, outputs, l2):
    n, columns = X.shape
    rows = np.column_stack([X, np.ones(n)])
    own = np.append(np.full(columns, l2), 0.0)

    def value(w):
        w = w.reshape(outputs, columns + 1)
        return 0.5 * float((own * w**2).sum()) + float(weight @ loss(rows @ w.T, y))

    if loss in (hinge, crammer_singer):
        return least_with_slacks(rows, y, weight, loss, outputs, own, value)
    slope = {
        squared_hinge: lambda a: -2 * C * signs_of(y, outputs) * np.maximum(0.0, 1 - signs_of(y, outputs) * a),
        logistic: lambda a: -signs_of(y, outputs) / (1 + np.exp(signs_of(y, outputs) * a)),
        softmax: lambda a: np.exp(a - logsumexp(a, axis=1, keepdims=True)) - (np.arange(outputs) == y[:, None]),
        squares: lambda a: a - signs_of(y, outputs),
        numbers: lambda a: a - y[:, None],
    }[loss]

    def gradient(w):
        w = w.reshape(outputs, columns + 1)
        return (own * w + (weight[:, None] * slope(rows @ w.T)).T @ rows).ravel()

    exact = {"ftol": 0.0, "gtol": 1e-10, "maxiter": 5000, "maxcor": 50}
    start = np.zeros(outputs * (columns + 1))
    return optimize.minimize(value, start, jac=gradient, method="L-BFGS-B", options=exact).fun


def least_with_slacks(rows, y, weight, loss, outputs, own, value):
    """A quadratic program: slacks are at least zero and what the loss says; solved by SLSQP, then looked at without slacks."""
    n, width = rows.shape
    each = []  # of every slack: the scores that it has to make up for
    if loss is hinge:
        signs = signs_of(y, outputs)
        each = [(i, k, signs[i, k] * np.eye(outputs)[k]) for i in range(n) for k in range(outputs)]
    else:
        each = [
            (i, 0, np.eye(outputs)[y[i]] - np.eye(outputs)[k]) for i in range(n) for k in range(outputs) if k != y[i]
        ]
    per_row = outputs if loss is hinge else 1
    held = np.zeros((len(each), outputs * width + n * per_row))
    for line, (i, k, lead) in zip(held, each, strict=True):
        line[: outputs * width] = np.outer(lead, rows[i]).ravel()
        line[outputs * width + i * per_row + k] = 1.0
    cost = np.append(np.zeros(outputs * width), C * np.repeat(weight, per_row))
    square = np.append(np.tile(own, outputs), np.zeros(n * per_row))
    start = np.append(np.zeros(outputs * width), np.ones(n * per_row))
    found = optimize.minimize(
        lambda v: 0.5 * float(square @ v**2) + float(cost @ v),
        start,
        jac=lambda v: square * v + cost,
        bounds=[(None, None)] * (outputs * width) + [(0.0, None)] * (n * per_row),
        constraints={"type": "ineq", "fun": lambda v: held @ v - 1.0, "jac": lambda v: held},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return value(found.x[: outputs * width])


def fitted(make, X, y, weight):
    """None: this solver does not admit the problem, and says so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return make().fit(X, y, None if np.all(weight == 1) else weight)
        except ValueError as refusal:
            if "solver" not in str(refusal):
                raise
            return None


def holds(learner, tol, value, lowest):
    assert (learner.stop_reason_ == "solved") == (learner.duality_gap_ <= tol)
    assert lowest <= value * (1 + CLOSE)  # SciPy has found the minimum: else nothing is shown
    assert value * (1 - learner.duality_gap_) <= lowest * (1 + 1e-12)


CASES = [(problem, solver) for problem in PROBLEMS for solver in solvers_of(PROBLEMS[problem][0].func)]


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize(("problem", "solver"), CASES)
def test_solved_is_a_gap_that_is_true(problem, solver, name):
    make, loss, classes, l2 = PROBLEMS[problem]
    X, y, weight = data(name, classes)
    for tol in (1e-4, 1e-8):
        learner = fitted(partial(make, solver=solver, tol=tol), ROWS[name](X), y, weight)
        if learner is None:
            pytest.skip(f"{solver} does not admit this problem")
        coef, bias = np.atleast_2d(learner.coef_).astype(float), np.atleast_1d(learner.intercept_).astype(float)
        value = 0.5 * l2 * float(np.square(coef).sum()) + float(weight @ loss(X @ coef.T + bias, y))
        holds(learner, tol, value, minimum(problem, name))
        left = problem == "Crammer-Singer" and solver != "auto" and tol < 1e-4  # may be left at the limits of float64
        if name != "float32" and not left:
            assert learner.stop_reason_ == "solved"


@pytest.mark.parametrize("learner", sorted({make.func.__name__ for make, *_ in PROBLEMS.values()}))
def test_every_solver_admits_a_problem(learner):
    for solver in solvers_of(next(make.func for make, *_ in PROBLEMS.values() if make.func.__name__ == learner)):
        problems = [entry for entry in PROBLEMS.values() if entry[0].func.__name__ == learner]
        assert any(
            fitted(partial(make, solver=solver), *data("dense", classes)) is not None
            for make, _, classes, _ in problems
        )


@pytest.mark.parametrize("name", ROWS)
def test_kernel_machines_keep_it_too(name):
    """The kernel's values have a root, whose rows a linear machine has the same minimum for."""
    X, y, weight = data(name, 2)
    values = rbf_kernel(X, gamma=GAMMA)
    sizes, turns = np.linalg.eigh(values)
    lowest = least(turns * np.sqrt(np.maximum(sizes, 0.0)), y, weight, hinge, 1, 1.0)
    for tol in (1e-4, 1e-8):
        learner = fitted(partial(KernelSVM, C=C, gamma=GAMMA, tol=tol), ROWS[name](X), y, weight)
        alpha = learner.dual_coef_[0]
        scores = values[:, learner.support_] @ alpha
        value = 0.5 * float(alpha @ scores[learner.support_]) + float(
            weight @ hinge((scores + learner.intercept_)[:, None], y)
        )
        holds(learner, tol, value, lowest)
        assert learner.stop_reason_ == "solved"
