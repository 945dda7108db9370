"""Support vector machines over partitions: Newton's method of ``solvers.newton``, whose sums over rows are made by folds.

Rows carry no state.  The multipliers of the hinge are a function of the weights at which they were updated, and of the stiffness there,

    q <- min(max(q + s (1 - z_i), 0), 1) ,      z_i = y_i (w.x_i + b) ,

so that a partition works them out again, whenever it is asked, from all those weights; and those of the few rows near the margin, which are handed over and solved
for in one place, are told.  A round is one fold: it asks for the sums of a step at weights, with
the matrix of a step if columns are few; otherwise steps are found by conjugate gradients, each of whose products is a round.  The end of a step is looked at in
the round of the next one.  The problems of several classes, or of several values of C, share their rounds.

**The proof** is that of ``solvers.audit``: partitions bound what rounding may have hidden in their own sums, and bounds are added up with
their own roundings (``sound_sums``).  ``sum_i alpha_i y_i`` need not be zero: for any alpha within its bounds, with ``r = sum_i alpha_i y_i``,

    min P >= D(alpha) - |r| |b*| ,      |b*| <= 1 + R |w*| ,      |w*|^2 <= 2 P(w, b) for any w and b ,

w*, b* being the best weights and R the longest row: beyond that bias all rows of one class have no slack, and all of the other do
(see ``solvers.kkt``).  The heavier class is scaled down to make r a rounding error.
"""

from __future__ import annotations

from math import ceil
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..inputs.clock import Clock
from ..inputs.rounding_error import SMALLEST, UNIT, sum_room
from ..inputs.threads import one_thread
from ..rows.partitions import Partitions
from ..solvers.audit import SureRows, relative_gap
from ..solvers.newton import (
    MOST_NEAR,
    NEAREST,
    TIMES_ACTIVE,
    Lockstep,
    Near,
    RowsHere,
    Sums,
    conjugate_gradients,
    divided,
    factor_of,
)
from ..solvers.small_newton import GROWTH
from .blocks_given import aligned
from .sound_sums import Most, Sum, merge, total
from .taken_rows import Rows

MOST_COLUMNS = 1500  # of a matrix that every partition makes and sends
STEEP, TRIALS = (
    0.5,
    20,
)  # of its slope at the beginning that P may rise with at the end of a step; lengths that are tried
WARM = 100.0  # the stiffness at which weights that are nearly right say the multipliers
MOST_HANDED = 1000  # rows near the margin for each column, where weights of rows are 1
MOST_PRODUCTS = 60  # of conjugate gradients
ONLY = np.zeros(1, np.int64)  # the number of a partition's only problem
CLOSER, MOST_PROOFS = 0.1, 4  # of the tolerance is asked for where a proof missed it; how often


class Which(NamedTuple):
    """One of the problems with these rows."""

    place: int  # rows of this class have the sign +1, all others -1
    C: float
    squared: bool
    intercept: bool


class Update(NamedTuple):
    """Of multipliers: they became the slopes at these weights, except those of rows that were solved for."""

    weights: np.ndarray
    stiff: float
    known: dict[int, tuple[np.ndarray, np.ndarray]]  # of each partition, these rows and their multipliers


class At(NamedTuple):
    """Where a problem is: its weights (the bias last), its stiffness, and the updates of its multipliers before."""

    which: Which
    weights: np.ndarray
    stiff: float
    before: tuple[Update, ...]


# What partitions say


class Machine(NamedTuple):
    """The rows of a partition as a problem of their own."""

    X: Any
    signs: np.ndarray
    bounds: np.ndarray
    squared: bool
    intercept: bool

    def at(self, number: int, at: At) -> RowsHere:
        """The rows with the multipliers, margins and slopes that the problem has there."""
        rows = RowsHere(self.X, self.signs[None], self.bounds, self.squared, self.intercept, Clock())
        updates = (*at.before, Update(at.weights, at.stiff, {}))  # of the squared hinge there are none before
        margins = rows.y * rows.scores(np.array([update.weights for update in updates]))
        for line, (_, stiff, known) in zip(margins, updates, strict=True):
            rows.q[:] = rows.p
            rows.margins = line[None]
            rows.slopes(0, stiff)
            few, p = known.get(number, (ONLY[:0], ONLY[:0]))
            rows.p[0, few] = p
        return rows


def machine_of(rows: Rows, which: Which) -> Machine:
    """The rows of a partition as one of the problems has them."""
    signs = np.where(rows.target == which.place, 1.0, -1.0)
    return Machine(rows.X, signs, which.C * rows.weight, which.squared, which.intercept)


class Look(NamedTuple):
    """Asks for the sums of Newton's method, and for the matrix of active rows, or its diagonal."""

    at: At
    matrix: bool


class Seen(NamedTuple):
    """What that is."""

    sums: Sums
    matrix: np.ndarray


def look(number: int, rows: Rows, ask: Look) -> Seen:
    """That of one partition."""
    here = machine_of(rows, ask.at.which).at(number, ask.at)
    sums, active = here.look(ONLY, ask.at.weights[None], np.array([ask.at.stiff])), here.active(ONLY)
    return Seen(sums, here.matrix(0, active[0]) if ask.matrix else here.diagonal(active * here.costs)[0])


class Gather(NamedTuple):
    """Asks for the rows near the margin, so many of all."""

    at: At
    share: float


def gather(number: int, rows: Rows, ask: Gather) -> Near:
    """Those of one partition; rows of several are listed one after the other."""
    here = machine_of(rows, ask.at.which).at(number, ask.at)
    X, signs, bounds, few, p, *waiting = here.near_rows(0, here.nearest(0, ceil(ask.share * here.count)))
    return Near([X], [signs], [bounds], {number: few}, [p], *waiting)  # type: ignore[arg-type]


class Product(NamedTuple):
    """Asks for the matrix of active rows times a direction."""

    at: At
    direction: np.ndarray


def product(number: int, rows: Rows, ask: Product) -> np.ndarray:
    """That of one partition."""
    here = machine_of(rows, ask.at.which).at(number, ask.at)
    return here.back(here.active(ONLY) * here.costs * here.scores(ask.direction[None]))


class Proof(NamedTuple):
    """Asks for what proves the objective of weights, and the dual value of the alpha that belongs to them."""

    at: At


class Proved(NamedTuple):
    """Sums whose rounding errors are bounded; of alpha one of each class, the positive one first."""

    cost: Sum  # of slacks
    reach: Most  # the longest row
    alpha: Sum  # (2,): sum_i alpha_i
    made: Sum  # (columns, 2): sum_i alpha_i x_i
    squares: Sum  # (2,): sum_i alpha_i^2 / C_i, of the squared hinge
    held: int  # rows with alpha > 0


def prove(number: int, rows: Rows, ask: Proof) -> Proved:
    """What one partition can prove."""
    machine, at = machine_of(rows, ask.at.which), ask.at
    return proved(machine, at.weights, machine.bounds * machine.at(number, at).p[0])


def proved(machine: Machine, weights: np.ndarray, alpha: np.ndarray) -> Proved:
    """The sums of a problem's rows, with this alpha."""
    sure = SureRows(machine.X, None)
    sure.more_careful()
    w, b = (weights[:-1], weights[-1:]) if machine.intercept else (weights, np.zeros(1))
    scores, errors = sure.scores(w[None], b)
    margins = machine.signs * scores[:, 0]
    alpha = np.clip(alpha, 0.0, None if machine.squared else machine.bounds)
    slack = np.maximum(0.0, 1.0 - margins + errors[:, 0])
    up = machine.signs > 0
    each = [total(alpha[up]), total(alpha[~up])]
    costs = alpha * (alpha / machine.bounds) if machine.squared else np.zeros_like(alpha)
    squares = np.array([costs[up].sum(), costs[~up].sum()]) * sure.room**2
    return Proved(
        Sum(float(machine.bounds @ (slack * slack if machine.squared else slack)) * sure.room**2, 0.0),
        Most(sure.farthest()),
        Sum(np.array([one.value for one in each]), np.array([one.error for one in each])),
        Sum(*sure.sums(np.column_stack([np.where(up, alpha, 0.0), np.where(up, 0.0, alpha)]))),
        Sum(squares, np.zeros(2)),
        int(np.count_nonzero(alpha)),
    )


def primal_bound(weights: np.ndarray, intercept: bool, cost: Sum) -> float:
    """P, not below the truth."""
    w = weights[:-1] if intercept else weights
    return float((0.5 * np.square(w).sum() + cost.most) * sum_room(w.size + 8))


def dual_bound(proof: Proved, intercept: bool, primal: float) -> float:
    """A lower bound of the smallest P, from sums over all rows; ``primal``: the objective of any weights, or more."""
    factors, missed = np.ones(2), 0.0
    heavier = int(np.argmax(proof.alpha.value))
    if intercept and proof.alpha.value[heavier] > 0:
        factors[heavier] = min(1.0, proof.alpha.value[1 - heavier] / proof.alpha.value[heavier])
    alpha, made = proof.alpha.times(factors), proof.made.times(factors)
    if intercept:
        left = Sum(alpha.value[0], alpha.error[0]) + Sum(-alpha.value[1], alpha.error[1])
        bias = 1.0 + proof.reach.value * np.sqrt(2.0 * primal)
        missed = (abs(left.value) + left.error) * bias * sum_room(8)
    weights = Sum(made.value[:, 0], made.error[:, 0]) + Sum(-made.value[:, 1], made.error[:, 1])
    square = 0.5 * float(np.square(np.abs(weights.value) + weights.error).sum()) * sum_room(weights.value.size + 8)
    square += 0.25 * float((factors**2 * proof.squares.most).sum()) * sum_room(8)
    gain = float(alpha.value.sum() - alpha.error.sum())
    return gain - square - missed - 8 * UNIT * (abs(gain) + square + missed) - SMALLEST


ANSWERS: dict[type, Any] = {Look: look, Gather: gather, Product: product, Proof: prove}


def answer_all(number: int, rows: Rows, asks: list[Any]) -> list[Any] | None:
    """What one partition says to all that is asked; None if it has no rows."""
    if not rows.target.size:
        return None
    rows = Rows(*map(aligned, rows))
    with one_thread():
        return [ANSWERS[type(ask)](number, rows, ask) for ask in asks]


def merge_all(one: list[Any], other: list[Any]) -> list[Any]:
    """What two partitions, or more, say."""
    return [merge(a, b) for a, b in zip(one, other, strict=True)]


# What is asked


class RowsThere:
    """Rows of partitions, asked for what ``RowsHere`` says of rows in memory."""

    def __init__(
        self, engine: Partitions, problems: list[Which], shape: tuple[int, int], least: float, clock: Clock
    ) -> None:
        self.count, columns = shape
        self.engine, self.problems, self.columns, self.clock = engine, problems, columns, clock
        self.squared, self.width, self.least = problems[0].squared, columns + problems[0].intercept, least
        self.penalty = np.append(np.ones(columns), np.zeros(self.width - columns))
        self.narrow = self.width <= MOST_COLUMNS
        self.before: list[tuple[Update, ...]] = [()] * len(problems)
        self.seen: dict[int, Seen] = {}  # of a problem, where it is now
        self.rounds = 0

    def at(self, k: int, weights: np.ndarray, stiff: float) -> At:
        """Where a problem would be with these weights."""
        return At(self.problems[k], weights, float(stiff), self.before[k])

    def ask(self, asks: list[Any]) -> list[Any]:
        """A round."""
        self.clock.tick()
        self.rounds += 1
        answers: list[Any] = self.engine.fold(answer_all, merge_all, asks)
        return answers

    def _visit(self, some: list[int], z: np.ndarray, stiff: np.ndarray) -> None:
        if some:
            asks = [Look(self.at(*place), self.narrow) for place in zip(some, z, stiff, strict=True)]
            self.seen |= dict(zip(some, self.ask(asks), strict=True))

    def look(self, some: np.ndarray, z: np.ndarray, stiff: np.ndarray) -> Sums:
        """The sums of some problems."""
        new = [place for place, k in enumerate(some.tolist()) if k not in self.seen]
        self._visit(some[new].tolist(), z[new], stiff[new])
        return Sums(*map(np.concatenate, zip(*(self.seen[k].sums for k in some.tolist()), strict=True)))

    def remade(self, live: np.ndarray, wanted: np.ndarray, z: np.ndarray) -> np.ndarray:
        """No: margins are always made from weights."""
        return np.zeros_like(wanted)

    def update(self, some: np.ndarray, z: np.ndarray, stiff: np.ndarray) -> None:
        """From now on, the multipliers of some problems are those of these weights."""
        for k, weights, s in zip(some.tolist(), z, stiff.tolist(), strict=True):
            self.before[k] = (*self.before[k], Update(weights.copy(), s, {}))
            self.seen.pop(k, None)

    def near(self, k: int, z: np.ndarray, stiff: float) -> Near | None:
        """The rows of a problem near the margin; None if these would be too many."""
        share = NEAREST * self.width / self.count
        active = TIMES_ACTIVE * float(self.seen[k].sums.active[0]) / self.problems[k].C
        if not self.narrow or max(NEAREST * self.width, active) > min(MOST_NEAR * self.count, MOST_HANDED * self.width):
            return None
        at = self.at(k, z.copy(), stiff)
        near: Near = self.ask([Gather(at, share)])[0]
        X = sparse.vstack(near.X, format="csr") if sparse.issparse(near.X[0]) else np.concatenate(near.X)
        signs, bounds, p = map(np.concatenate, (near.signs, near.bounds, near.p))
        return near._replace(X=X, signs=signs, bounds=bounds, p=p, where=(at, near.where))

    def settle(self, k: int, z: np.ndarray, near: Near, p: np.ndarray) -> None:
        """From now on, the multipliers of a problem are those of the rows near the margin, and of rows that wait."""
        at, where = near.where
        ends = np.cumsum([len(few) for few in where.values()])[:-1]
        known = {number: (few, own) for (number, few), own in zip(where.items(), np.split(p, ends), strict=True)}
        self.before[k] = (*self.before[k], Update(at.weights, at.stiff, known))
        self.seen.pop(k)

    def solve(
        self, some: np.ndarray, z: np.ndarray, stiff: np.ndarray, rest: np.ndarray, enough: np.ndarray
    ) -> np.ndarray:
        """The steps of these problems."""
        matrices = [self.seen[k].matrix for k in some.tolist()]
        if self.narrow:
            factors = [factor_of(s * matrix, self.penalty) for s, matrix in zip(stiff, matrices, strict=True)]
            return np.array([divided(factor, right[None])[0] for factor, right in zip(factors, rest, strict=True)])
        sizes = self.penalty + stiff[:, None] * np.array(matrices)
        sizes[sizes == 0] = 1.0
        places = [self.at(*place) for place in zip(some.tolist(), z, stiff, strict=True)]

        def multiply(directions: np.ndarray) -> np.ndarray:
            asks = [Product(*both) for both in zip(places, directions, strict=True)]
            return stiff[:, None] * np.concatenate(self.ask(asks))

        return conjugate_gradients(
            multiply, lambda right: right / sizes, rest, self.columns, enough, MOST_PRODUCTS, self.clock
        )[0]

    def lengths(
        self, some: np.ndarray, z: np.ndarray, directions: np.ndarray, rest: np.ndarray, stiff: np.ndarray
    ) -> np.ndarray:
        """How far steps go: to their ends, or, where P, which is convex, is higher or rises steeply there, to where a line through both slopes is
        zero, and so on."""

        def values(sums: Sums, at: np.ndarray) -> np.ndarray:
            return np.asarray(sums.smooth + 0.5 * (self.penalty * at * at).sum(axis=1))

        far, start = np.ones(len(some)), -(rest * directions).sum(axis=1)
        most, left = values(self.look(some, z, stiff), z), np.arange(len(some))
        for _ in range(TRIALS):
            there = z[left] + far[left, None] * directions[left]
            self._visit(some[left].tolist(), there, stiff[left])
            sums = self.look(some[left], there, stiff[left])
            slopes = ((self.penalty * there - sums.made) * directions[left]).sum(axis=1)
            long = (slopes > STEEP * np.abs(start[left])) | ~(values(sums, there) <= most[left])
            left, slopes = left[long], slopes[long]
            if not left.size:
                break
            falls = np.maximum(-start[left], 0.0)
            shorter = np.divide(falls, slopes + falls, out=np.full(left.size, 0.5), where=slopes > 0)
            far[left] *= np.clip(shorter, 0.1, 0.5)
        return far


class Solved(NamedTuple):
    """What is found of all problems."""

    weights: np.ndarray  # (problems, width)
    primal: np.ndarray
    dual: np.ndarray
    held: list[int]  # rows with alpha > 0
    rounds: int
    history: list[tuple[float, float]]  # seconds, and the largest gap proved until then


def solve(rows: RowsThere, start: np.ndarray | None, tol: float) -> Solved:
    """Rounds until gaps are proved, the time is over, or nothing gets further; from the weights of another fit, if any."""
    count = len(rows.problems)
    state = Lockstep(rows, count, rows.clock)
    if start is not None:
        state.z[:] = start
        if not rows.squared:
            rows.update(state.live, start, np.full(count, WARM))
            state.stiff *= GROWTH**3
    weights, held = state.z.copy(), [0] * count
    primal, dual, history, asked = np.full(count, np.inf), np.full(count, -np.inf), [], tol
    for _ in range(MOST_PROOFS):
        state.run(asked)
        places = [rows.at(*place) for place in zip(range(count), state.z, state.stiff, strict=True)]
        proofs = rows.engine.fold(answer_all, merge_all, [Proof(at) for at in places])
        rows.rounds += 1
        for k, (at, proof) in enumerate(zip(places, proofs, strict=True)):
            value = primal_bound(at.weights, at.which.intercept, proof.cost)
            if value < primal[k]:
                primal[k], weights[k] = value, at.weights
            bound = dual_bound(proof, at.which.intercept, primal[k])
            if bound > dual[k]:
                dual[k], held[k] = bound, proof.held
        gaps = np.array([relative_gap(*sides, 0.0) for sides in zip(primal.tolist(), dual.tolist(), strict=True)])
        history.append((rows.clock.seconds, float(gaps.max())))
        if rows.clock.over or gaps.max() <= tol:
            break
        state.live, asked = np.flatnonzero(gaps > tol), CLOSER * asked
        state.value[:], state.waited[:] = np.inf, 0
    return Solved(weights, primal, dual, held, rows.rounds, history)
