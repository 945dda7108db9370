"""Support vector machines over partitions: Newton's method of ``solvers.newton``, whose sums over rows are made by folds.

Rows carry no state.  The multipliers of the hinge are a function of the weights at which they were updated, and of the stiffness there,

    q <- min(max(q + s (1 - z_i), 0), 1) ,      z_i = y_i (w.x_i + b) ,      at first q = 1/2 ,

so that a partition works them out again, whenever it is asked, from all those weights; and those of the few rows near the margin, which are handed over and solved
for in one place, are told.  The first round brings some rows, whose solution all problems begin
with; for m rows its margins are wrong by about ``sqrt(columns / m)``.  A round is one fold: it asks for the sums of a step at weights, with the matrix of a step if columns are few; otherwise steps are found by conjugate gradients, each of whose products is a round.  The end of a step is looked at in
the round of the next one.  The problems of several classes, or of several values of C, share their rounds.

The proof is that of all losses (``gap_rounds``), with the shares that multipliers say.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..rows.partitions import Partitions
from ..solvers.audit import GapSides, relative_gap
from ..solvers.newton import (
    MOST_NEAR,
    NEAREST,
    SAMPLE,
    TIMES_ACTIVE,
    Lockstep,
    MarginsInMemory,
    Near,
    Sums,
    conjugate_gradients,
)
from ..solvers.objectives import Hinge, SquaredHinge
from ..solvers.products import divided, factor_of
from ..solvers.small_newton import GROWTH
from ..system.clock import Clock
from ..system.threads import one_thread
from .active_rows import ActiveRows
from .blocks_given import aligned
from .gap_rounds import GapSums, merge, shares_kept, sides_of, sums_of

MOST_COLUMNS = 1500  # of a matrix that every partition makes and sends
STEEP, TRIALS = (
    0.5,
    20,
)  # of its slope at the beginning that P may rise with at the end of a step; lengths that are tried
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


class MultiplierUpdate(NamedTuple):
    """Of multipliers: they became the slopes at these weights, except those of rows that were solved for."""

    weights: np.ndarray
    stiff: float
    known: dict[int, tuple[np.ndarray, np.ndarray]]  # of each partition, these rows and their multipliers


class At(NamedTuple):
    """Where a problem is: its weights (the bias last), its stiffness, and the updates of its multipliers before."""

    which: Which
    weights: np.ndarray
    stiff: float
    before: tuple[MultiplierUpdate, ...]


# What partitions say


def loss_of(rows: ActiveRows, which: Which) -> Hinge:
    """That of some rows."""
    signs = np.where(rows.target == which.place, 1.0, -1.0)
    return (SquaredHinge if which.squared else Hinge)(signs[None], which.C * rows.weight)


def there(number: int, rows: ActiveRows, at: At) -> MarginsInMemory:
    """The rows of a partition with the multipliers, margins and slopes that the problem has there."""
    loss, which = loss_of(rows, at.which), at.which
    here = MarginsInMemory(rows.X, loss.signs, loss.bounds, which.squared, which.intercept, Clock())
    updates = (*at.before, MultiplierUpdate(at.weights, at.stiff, {}))  # of the squared hinge there are none before
    margins = here.y * here.scores(np.array([update.weights for update in updates]))
    here.p[:] = 0.0 if which.squared else 0.5
    for line, (_, stiff, known) in zip(margins, updates, strict=True):
        here.q[:] = here.p
        here.margins = line[None]
        here.slopes(0, stiff)
        few, p = known.get(number, (ONLY[:0], ONLY[:0]))
        here.p[0, few] = p
    return here


class Seen(NamedTuple):
    """What a partition says of a place."""

    sums: Sums
    matrix: np.ndarray


def look(number: int, rows: ActiveRows, at: At, matrix: bool) -> Seen:
    """The sums of Newton's method over one partition, and the matrix of active rows, or its diagonal."""
    here = there(number, rows, at)
    sums, active = here.look(ONLY, at.weights[None], np.array([at.stiff])), here.active(ONLY)
    return Seen(sums, here.matrix(0, active[0]) if matrix else here.diagonal(active * here.costs)[0])


def sample(
    number: int, rows: ActiveRows, most: int, counts: np.ndarray
) -> tuple[list[Any], list[np.ndarray], list[np.ndarray]]:
    """Some rows of each class, about ``most`` in all partitions, which have ``counts``: those of rare ones tell more.  Rows, classes and weights, as much larger as
    rows are fewer."""
    every = np.maximum(1, counts // most)
    few = np.concatenate([np.flatnonzero(rows.target == k)[number % n :: n] for k, n in enumerate(every.tolist())])
    return [rows.X[few]], [rows.target[few]], [rows.weight[few] * every[rows.target[few]]]


def gather(number: int, rows: ActiveRows, at: At, share: float) -> Near:
    """The rows near the margin, so many of all; those of several partitions are listed one after the other."""
    here = there(number, rows, at)
    X, signs, bounds, few, p, *waiting = here.near_rows(0, here.nearest(0, ceil(share * here.count)))
    return Near([X], [signs], [bounds], {number: few}, [p], *waiting)  # type: ignore[arg-type]


def product(number: int, rows: ActiveRows, at: At, direction: np.ndarray) -> np.ndarray:
    """The matrix of active rows times a direction."""
    here = there(number, rows, at)
    return here.back(here.active(ONLY) * here.costs * here.scores(direction[None]))


def prove(number: int, rows: ActiveRows, at: At, kept: np.ndarray) -> GapSums:
    """What one partition can prove of weights, and of the alpha that belongs to them, of each class so much."""
    loss, (coef, near) = loss_of(rows, at.which), split(at)
    shares = (loss.signs * loss.bounds * there(number, rows, at).p).T
    return sums_of(loss, rows.X, coef, ONLY, lambda scores: loss.dual(scores, near, shares, kept))


def split(at: At) -> tuple[np.ndarray, np.ndarray]:
    """Weights, (1, columns), and the bias, (1,)."""
    w = at.weights[None]
    return (w[:, :-1], w[0, -1:]) if at.which.intercept else (w, np.zeros(1))


def sides(at: At, found: GapSums) -> GapSides:
    """What all partitions prove."""
    none = ActiveRows(None, ONLY[:0], np.zeros(0))
    return sides_of(loss_of(none, at.which), found, *split(at), at.which.intercept, 1.0)


def answer_all(number: int, rows: ActiveRows, asks: list[Any]) -> list[Any] | None:
    """What one partition says to all that is asked, functions of it with what else they take; None if it has no rows."""
    if not rows.target.size:
        return None
    rows = ActiveRows(*map(aligned, rows))
    with one_thread():
        return [what(number, rows, *about) for what, *about in asks]


def merge_all(one: list[Any], other: list[Any]) -> list[Any]:
    """What two partitions, or more, say."""
    return [merge(a, b) for a, b in zip(one, other, strict=True)]


# What is asked


class RowsThere:
    """Rows of partitions, asked for what ``MarginsInMemory`` says of rows in memory."""

    def __init__(
        self, engine: Partitions, problems: list[Which], counts: np.ndarray, columns: int, least: float, clock: Clock
    ) -> None:
        self.counts, self.count = counts, int(counts.sum())  # of rows, of each class
        self.engine, self.problems, self.columns, self.clock = engine, problems, columns, clock
        self.squared, self.width, self.least = problems[0].squared, columns + problems[0].intercept, least
        self.penalty = np.append(np.ones(columns), np.zeros(self.width - columns))
        self.narrow = self.width <= MOST_COLUMNS
        self.before: list[tuple[MultiplierUpdate, ...]] = [()] * len(problems)
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

    def samples(self, most: int) -> Iterator[tuple[Any, np.ndarray, np.ndarray]]:
        """Some rows of each class, about so many, as every problem has them."""
        [(X, target, weight)] = self.ask([(sample, most, self.counts)])
        some = ActiveRows(joined(X), *map(np.concatenate, (target, weight)))
        for which in self.problems:
            loss = loss_of(some, which)
            yield some.X, loss.signs[0], loss.bounds

    def _visit(self, some: list[int], z: np.ndarray, stiff: np.ndarray) -> None:
        if some:
            asks = [(look, self.at(*place), self.narrow) for place in zip(some, z, stiff, strict=True)]
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
            self.before[k] = (*self.before[k], MultiplierUpdate(weights.copy(), s, {}))
            self.seen.pop(k, None)

    def kept(self, k: int) -> np.ndarray:
        """Of the shares of each class of a problem, how much is kept so that they add up to zero."""
        if k not in self.seen or self.width == self.columns:
            return np.ones(2)
        total, excess = self.seen[k].sums.pulls[0], self.seen[k].sums.made[0, -1]
        return shares_kept(np.maximum(0.5 * np.array([total - excess, total + excess]), 0.0))

    def near(self, k: int, z: np.ndarray, stiff: float) -> Near | None:
        """The rows of a problem near the margin; None if these would be too many."""
        share = NEAREST * self.width / self.count
        active = TIMES_ACTIVE * float(self.seen[k].sums.active[0]) / self.problems[k].C
        if not self.narrow or max(NEAREST * self.width, active) > min(MOST_NEAR * self.count, MOST_HANDED * self.width):
            return None
        at = self.at(k, z.copy(), stiff)
        near: Near = self.ask([(gather, at, share)])[0]
        signs, bounds, p = map(np.concatenate, (near.signs, near.bounds, near.p))
        return near._replace(X=joined(near.X), signs=signs, bounds=bounds, p=p, where=(at, near.where))

    def settle(self, k: int, z: np.ndarray, near: Near, p: np.ndarray) -> None:
        """From now on, the multipliers of a problem are those of the rows near the margin, and of rows that wait."""
        at, where = near.where
        ends = np.cumsum([len(few) for few in where.values()])[:-1]
        known = {number: (few, own) for (number, few), own in zip(where.items(), np.split(p, ends), strict=True)}
        self.before[k] = (*self.before[k], MultiplierUpdate(at.weights, at.stiff, known))
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
            asks = [(product, *both) for both in zip(places, directions, strict=True)]
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


class SolvedSVMs(NamedTuple):
    """What is found of all problems."""

    weights: np.ndarray  # (problems, width)
    primal: np.ndarray
    dual: np.ndarray
    held: list[int]  # rows with alpha > 0
    rounds: int
    history: list[tuple[float, float]]  # seconds, and the largest gap proved until then


def joined(X: list[Any]) -> Any:
    """Rows of partitions, one after the other."""
    return sparse.vstack(X, format="csr") if sparse.issparse(X[0]) else np.concatenate(X)


def solve(rows: RowsThere, start: np.ndarray | None, tol: float) -> SolvedSVMs:
    """Rounds until gaps are proved, the time is over, or nothing gets further; from the weights of another fit, if any."""
    count = len(rows.problems)
    state = Lockstep(rows, count, rows.clock)
    if start is not None:
        state.z[:] = start
        state.stiff *= 1.0 if rows.squared else GROWTH**3
    elif rows.count > 2 * SAMPLE * rows.width:
        state.start()
    weights, held = state.z.copy(), [0] * count
    primal, dual, history, asked = np.full(count, np.inf), np.full(count, -np.inf), [], tol
    for _ in range(MOST_PROOFS):
        state.run(asked)
        places = [rows.at(*place) for place in zip(range(count), state.z, state.stiff, strict=True)]
        asks = [(prove, at, rows.kept(k)) for k, at in enumerate(places)]
        proofs = rows.engine.fold(answer_all, merge_all, asks)
        rows.rounds += 1
        for k, (at, proof) in enumerate(zip(places, proofs, strict=True)):
            proved = sides(at, proof)
            if proved.primal[0] < primal[k]:
                primal[k], weights[k] = proved.primal[0], at.weights
            if proved.dual[0] > dual[k]:
                dual[k], held[k] = proved.dual[0], proof.held
        gaps = np.array([relative_gap(*sides, 0.0) for sides in zip(primal.tolist(), dual.tolist(), strict=True)])
        history.append((rows.clock.seconds, float(gaps.max())))
        if rows.clock.over or gaps.max() <= tol:
            break
        state.live, asked = np.flatnonzero(gaps > tol), CLOSER * asked
        state.value[:], state.waited[:] = np.inf, 0
    return SolvedSVMs(weights, primal, dual, held, rows.rounds, history)
