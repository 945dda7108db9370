"""What partitions say of a support vector machine's problem: sums over their rows for Newton's method, and for the proof.

Rows carry no state.  Every row's alpha is a function of its margin z = y (w.x + b) at weights that all partitions are told: of
the squared hinge ``2 C max(0, 1 - z)``; of the hinge the point of the central path for ``mu`` (``svm.central_path``), or 0 or C,
whichever side of the margin the row lies on.

The proof is that of ``svm.margin_audit``: partitions bound what rounding may have hidden in their own sums, and bounds are added up with
their own roundings (``sound_sums``).  ``sum_i alpha_i y_i`` need not be zero: for any alpha within its bounds, with
``r = sum_i alpha_i y_i``,

    min P >= D(alpha) - |r| |b*| ,      |b*| <= 1 + R |w*| ,      |w*|^2 <= 2 P(w, b) for any w and b ,

w*, b* being the best weights and R the longest row: beyond that bias all rows of one class have no slack, and all of the other do
(see ``svm.kkt``).  The heavier class is scaled down to make r a rounding error.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from ..inputs.rounding_error import SMALLEST, UNIT, sum_room
from ..inputs.threads import one_thread
from ..solvers.central_path import Inner, centre, stiffness
from ..solvers.margin_audit import AuditRows
from ..solvers.newton_system import System
from ..solvers.problem import Problem
from .blocks_given import aligned
from .sound_sums import Most, Sum, merge, total
from .taken_rows import Rows

FAR = 64.0  # rows as many widths mu / C away from the margin have next to no part in the matrix,
MOST = 0.95  # if the others have this part of it
FINEST, COARSEST = -40, 10  # distances from the margin are counted by powers of two from here to there
NOT_DRAWN = np.random.default_rng(0)  # of a system that is not asked for a sample


class Which(NamedTuple):
    """One of the problems with these rows."""

    place: int  # rows of this class have the sign +1, all others -1
    C: float
    squared: bool
    intercept: bool


def problem_of(rows: Rows, which: Which) -> Problem:
    """The rows of a partition as a problem of their own."""
    signs = np.where(rows.target == which.place, 1.0, -1.0)
    return Problem(rows.X, signs, which.C * rows.weight, which.squared, which.intercept)


class Newton(NamedTuple):
    """Asks for a step of Newton's method from weights (the bias last); ``matrix``: with its matrix, else with its diagonal."""

    which: Which
    weights: np.ndarray
    mu: float
    matrix: bool


class NewtonSums(NamedTuple):
    """Sums over rows, A having the rows ``y_i (x_i, 1)``."""

    cost: float  # of slacks
    alpha: float
    squares: float  # alpha^2 / (4 C), of the squared hinge
    made: np.ndarray  # A' alpha
    ahead: np.ndarray  # A' (d alpha / d mu), of the hinge
    stiff: float  # of D: how far alpha moves with the margin
    matrix: np.ndarray  # A' D A, or its diagonal
    near: np.ndarray  # rows by their distance from the margin


def newton_sums(rows: Rows, ask: Newton) -> NewtonSums:
    """For a step of Newton's method."""
    problem = problem_of(rows, ask.which)
    system = System(problem, NOT_DRAWN)
    margins = system.forward(ask.weights)
    alpha, stiff, ahead = bent(problem, margins, ask.mu)
    slack = np.maximum(0.0, 1.0 - margins)
    cost = float(problem.bounds @ (slack * slack if problem.squared else slack))
    squares = 0.25 * float(alpha @ (alpha / problem.bounds)) if problem.squared else 0.0
    distance = np.abs(margins - 1.0)
    near = np.zeros(0, int) if problem.squared else counted(distance)
    if ask.matrix:
        some = np.flatnonzero(stiff if problem.squared else distance * problem.bounds <= FAR * ask.mu)
        most = some.size < stiff.size and stiff[some].sum() >= MOST * stiff.sum()
        matrix = system.gram(some, stiff[some]) if most else system.gram(None, stiff)
    else:
        matrix = diagonal(problem, stiff)
    along = system.backward(problem.signs * ahead) if not problem.squared else np.zeros(0)
    made = system.backward(problem.signs * alpha)
    return NewtonSums(cost, float(alpha.sum()), squares, made, along, float(stiff.sum()), matrix, near)


def bent(problem: Problem, margins: np.ndarray, mu: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Alpha of rows with these margins, how far it moves with the margin, and with ``mu``."""
    if problem.squared:
        slack = np.maximum(0.0, 1.0 - margins)
        return 2.0 * problem.bounds * slack, np.where(slack > 0, 2.0 * problem.bounds, 0.0), np.zeros(0)
    alpha, eta, s, xi, stiff = np.empty((5, margins.size))
    point = Inner(problem.bounds, alpha, eta, s, xi, margins)
    centre(point, False, mu)
    stiffness(point, False, stiff)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # rows so far away that alpha is at its bound
        ahead = (1.0 / alpha - 1.0 / eta) * stiff
    return alpha, stiff, np.where(np.isfinite(ahead), ahead, 0.0)


def counted(distance: np.ndarray) -> np.ndarray:
    """How many rows are nearer than ``2^FINEST``, nearer than twice that, and so on."""
    powers = np.clip(np.frexp(distance)[1], FINEST, COARSEST) - FINEST
    return np.cumsum(np.bincount(powers, minlength=COARSEST - FINEST + 1))


def diagonal(problem: Problem, stiff: np.ndarray) -> np.ndarray:
    """``sum_i D_i x_i^2``, and of the bias ``sum_i D_i``."""
    X = problem.X
    squares = X.multiply(X).T @ stiff if sparse.issparse(X) else np.einsum("ij,ij,i->j", X, X, stiff)
    return np.append(squares, stiff.sum()) if problem.intercept else squares


class Product(NamedTuple):
    """Asks for ``A' D A`` times a direction, at weights (the bias last)."""

    which: Which
    weights: np.ndarray
    mu: float
    direction: np.ndarray


def product(rows: Rows, ask: Product) -> tuple[np.ndarray]:
    """That product."""
    problem = problem_of(rows, ask.which)
    system = System(problem, NOT_DRAWN)
    _, stiff, _ = bent(problem, system.forward(ask.weights), ask.mu)
    along = stiff * system.forward(ask.direction)
    return (system.backward(problem.signs * along),)


class Along(NamedTuple):
    """Asks how steep the slack cost is along a step, at some lengths of it."""

    which: Which
    weights: np.ndarray
    mu: float
    step: np.ndarray
    lengths: np.ndarray


def slopes(rows: Rows, ask: Along) -> tuple[np.ndarray]:
    """The slopes."""
    problem = problem_of(rows, ask.which)
    system = System(problem, NOT_DRAWN)
    margins, along = system.forward(ask.weights), system.forward(ask.step)
    alphas = (bent(problem, margins + far * along, ask.mu)[0] for far in ask.lengths.tolist())
    return (np.array([-float(alpha @ along) for alpha in alphas]),)


# The proof


class Proof(NamedTuple):
    """Asks for what proves the objective of weights, and the dual value of the alpha that belongs to them and ``mu``."""

    which: Which
    weights: np.ndarray
    mu: float


class Proved(NamedTuple):
    """Sums whose rounding errors are bounded; of alpha one of each class, the positive one first."""

    cost: Sum  # of slacks
    reach: Most  # the longest row's squared length
    alpha: Sum  # (2,): sum_i alpha_i
    made: Sum  # (columns, 2): sum_i alpha_i x_i
    squares: Sum  # (2,): sum_i alpha_i^2 / C_i, of the squared hinge
    held: int  # rows with alpha > 0


def prove(rows: Rows, ask: Proof) -> Proved:
    """What one partition can prove."""
    problem = problem_of(rows, ask.which)
    audit, margins, errors = judged(problem, ask.weights)
    alpha = bent(problem, margins, ask.mu)[0]
    return proved(problem, audit, alpha if problem.squared else np.minimum(alpha, problem.bounds), margins, errors)


def judged(problem: Problem, weights: np.ndarray) -> tuple[AuditRows, np.ndarray, np.ndarray]:
    """Rows to be audited, their margins, and bounds of the errors."""
    audit = AuditRows(problem._replace(intercept=False), long=False)  # which are near zero already
    w, b = (weights[:-1], float(weights[-1])) if problem.intercept else (weights, 0.0)
    scores, errors = audit.scores(w[None], b)
    return audit, problem.signs * scores[:, 0], errors[:, 0]


def proved(problem: Problem, audit: AuditRows, alpha: np.ndarray, margins: np.ndarray, errors: np.ndarray) -> Proved:
    """The sums of a problem's rows."""
    up = problem.signs > 0
    slack = np.maximum(0.0, 1.0 - margins + errors)
    cost = float(problem.bounds @ (slack * slack if problem.squared else slack)) * audit.surely**2
    reach = float(row_norms(problem.X, squared=True).max(initial=0.0)) * audit.surely**2
    made = Sum(*audit.sums(np.column_stack([np.where(up, alpha, 0.0), np.where(up, 0.0, alpha)])))
    each = [total(alpha[up]), total(alpha[~up])]
    sums = Sum(np.array([one.value for one in each]), np.array([one.error for one in each]))
    squares = np.zeros(2)
    if problem.squared:
        costs = alpha * (alpha / problem.bounds)
        squares = np.array([float(costs[up].sum()), float(costs[~up].sum())]) * audit.surely**2
    held = int(np.count_nonzero(alpha))
    return Proved(Sum(cost, 0.0), Most(reach), sums, made, Sum(squares, np.zeros(2)), held)


def primal_bound(weights: np.ndarray, intercept: bool, cost: Sum) -> float:
    """P, not below the truth."""
    w = weights[:-1] if intercept else weights
    return float((0.5 * np.square(w).sum() + cost.most) * sum_room(w.size + 8))


def dual_bound(proof: Proved, which: Which, primal: float) -> float:
    """A lower bound of the smallest P, from sums over all rows; ``primal``: the objective of any weights, or more."""
    factors, missed = np.ones(2), 0.0
    if which.intercept:
        heavier = int(np.argmax(proof.alpha.value))
        if proof.alpha.value[heavier] > 0:
            factors[heavier] = min(1.0, proof.alpha.value[1 - heavier] / proof.alpha.value[heavier])
    alpha, made = proof.alpha.times(factors), proof.made.times(factors)
    if which.intercept:
        left = Sum(alpha.value[0], alpha.error[0]) + Sum(-alpha.value[1], alpha.error[1])
        bias = 1.0 + np.sqrt(proof.reach.value) * np.sqrt(2.0 * primal)
        missed = (abs(left.value) + left.error) * bias * sum_room(8)
    weights = Sum(made.value[:, 0], made.error[:, 0]) + Sum(-made.value[:, 1], made.error[:, 1])
    square = 0.5 * float(np.square(np.abs(weights.value) + weights.error).sum()) * sum_room(weights.value.size + 8)
    square += 0.25 * float((factors**2 * proof.squares.most).sum()) * sum_room(8)
    gain = float(alpha.value.sum() - alpha.error.sum())
    return gain - square - missed - 8 * UNIT * (abs(gain) + square + missed) - SMALLEST


# Rows near the margin


class Gather(NamedTuple):
    """Asks for the rows near the margin of ``around`` or, if some were handed over before, for those that are on another side of it
    at ``weights``; all others wait, alpha being 0 or C by their side at ``around``."""

    which: Which
    around: np.ndarray  # weights, the bias last
    width: float
    weights: np.ndarray
    taken: dict[int, np.ndarray]  # of each partition, rows that were handed over before
    most: int  # rows of a partition to hand over


class Gathered(NamedTuple):
    """What proves the objective and the rows that wait, the rows handed over, and how many there were to hand over."""

    proof: Proved
    X: list[Any]
    signs: list[np.ndarray]
    bounds: list[np.ndarray]
    rows: dict[int, np.ndarray]
    wrong: int


def gather(number: int, rows: Rows, ask: Gather) -> Gathered:
    """What one partition hands over."""
    problem = problem_of(rows, ask.which)
    before = System(problem, NOT_DRAWN).forward(ask.around) - 1.0
    audit, margins, errors = judged(problem, ask.weights)
    taken = ask.taken.get(number, np.zeros(0, int))
    waits = np.ones(before.size, bool)
    waits[taken] = False
    if ask.taken:
        over = np.where(before < 0, margins - 1.0, 1.0 - margins)
        wrong = np.flatnonzero(waits & (over > 0))
        first = wrong[np.argsort(-over[wrong], kind="stable")]
    else:
        wrong = np.flatnonzero(np.abs(before) <= ask.width)
        first = wrong[np.argsort(np.abs(before[wrong]), kind="stable")]
    new = np.sort(first[: ask.most])
    waits[new] = False
    alpha = np.where(waits & (before < 0), problem.bounds, 0.0)
    some = problem.take(new)
    return Gathered(
        proved(problem, audit, alpha, margins, errors),
        [some.X],
        [some.signs],
        [some.bounds],
        {number: np.append(taken, new)},
        wrong.size,
    )


# One fold for many questions

ANSWERS: dict[type, Any] = {Newton: newton_sums, Product: product, Along: slopes, Proof: prove}


def answer_all(number: int, rows: Rows, asks: list[Any]) -> list[tuple[Any, ...]] | None:
    """What one partition says to all that is asked; None if it has no rows."""
    if not rows.target.size:
        return None
    rows = Rows(*map(aligned, rows))
    with one_thread():
        return [gather(number, rows, ask) if isinstance(ask, Gather) else ANSWERS[type(ask)](rows, ask) for ask in asks]


def merge_all(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """What two partitions, or more, say."""
    return [merge(a, b) for a, b in zip(one, other, strict=True)]
