"""Newton's method for support vector machines: both hinges, for a batch of outputs over the same rows.

For each output, with signs ``y_i``, costs ``C_i`` and slacks ``t_i = 1 - y_i (w.x_i + b)``, the objective is

    P(w, b) = 1/2 |w|^2 + sum_i C_i max(0, t_i)        (squared hinge: max(0, t_i)^2) .

**One smooth problem.**  Let the loss of a row have the slope ``p_i = min(max(q_i + s t_i, 0), u)`` in t.  The squared hinge is that with ``q = 0``, ``s = 2``
and no upper bound u.  The hinge, u = 1, is solved by the method of multipliers (Hestenes 1969, Powell 1969, Rockafellar 1976): for multipliers q
and a stiffness s such a problem is solved, and then ``q <- p``.  ``C_i p_i`` is a dual point, with exact zeros and exact bounds, and what it lacks to
the primal one is ``sum_i C_i (max(0, t_i) - p_i t_i)``, which a few updates bring to nothing; s grows where they are slow.

**Newton's method.**  The smooth problem is quadratic as long as the same rows are *active*, ``0 < p_i < u``.  The minimum of that quadratic is one step away from
z = (w, b), with x_i having a 1 at its end for the bias, and L being the identity with a 0 for it:

    (L + s sum_active C_i x_i x_i') step = r ,    r = sum_i C_i p_i y_i x_i - L z .

A step goes as far as the objective falls, which is found from the slacks there and along it; where the same rows are active at its end, that
is the minimum (Mangasarian 2002; Keerthi & DeCoste 2005).  ``1/2 |r|^2`` over the weights is what inexact weights add to the duality gap.

**Rows near the margin.**  The last updates of the hinge's multipliers change few rows.  So, once the gap is small, the rows near the margin are solved for while all
others wait, those within the margin as two rows: the means of both classes, as long as these have slack, too.  Where a row has waited on the wrong
side, the gap shows it, and the rows that are near the margin then are taken again, or steps of all rows go on.

**Start.**  Where rows are many for their columns, the solution for some of each class comes first: for m rows its margins are wrong by about
``sqrt(columns / m)``, so that the first matrices of all rows are of those near the margin.

**Rows** are only asked for sums over them (``MarginsInMemory``), so that those of partitions are served by the same method (``distributed.svm_rounds``).
All outputs go in lockstep, and scores and gradients are products of matrices, in the precision of the rows.  A step is found, whichever
takes the fewest multiplications,

- by conjugate gradients, with the matrix of all rows or of a sample of them, times the part that is active, as preconditioner; of very many columns, with
  its diagonal;
- from the matrix of its active rows: the one before with the rows that came and without those that went, where these are fewer than the active ones;
- from equations in rows, where active rows are fewer than columns: with X the active rows and ``D = diag(1 / (s C_i))``,
  ``(X X' + D) t = X r_w + step_b``, ``step_w = r_w - X' t``, ``sum_i t_i = r_b``.

Few rows and columns are solved by the same method in compiled loops (``small_newton``), which has the constants of the method of multipliers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..checks.arrays import parts
from ..system.clock import Clock, OutOfTime
from .audit import Candidate, Fit
from .choose import MANY_MORE, MOST_MATRIX, as_multiplied, is_small
from .objectives import Hinge, SquaredHinge
from .products import SYRK, divided, factor_of
from .shifted_rows import shifted
from .small_newton import (
    FAST,
    FIRST_STIFFNESS,
    GROWTH,
    PATIENCE,
    READY,
    SQUARED,
    STIFFEST,
    best_length,
    pulls_of,
    small_newton,
)

ENOUGH = 0.5  # of the tolerance is asked for, so that what a better bias and rounding add finds room
LAST = 0.1  # of the tolerance is asked of the gap that a last step leaves
MOST_STEPS = 500
SAMPLE, ROUGH = 20, 1e-3  # rows of each class a column that are solved for first; the gap asked for there
CLOSE, HALF, CLOSER = (
    1e-2,
    0.5,
    0.1,
)  # gaps from which rows near the margin are solved for: the first, of the one before; what is asked for, of the tolerance
NEAREST, TIMES_ACTIVE, MOST_NEAR = (
    8,
    1.25,
    0.25,
)  # rows near the margin: a column, an active row, and of all rows, at most
KEPT = 1 << 29  # bytes of the matrices of all outputs that are kept from step to step
FEWER = 0.7  # of the columns: active rows below which equations in rows are quicker
PACE, SLOW, SLOWEST = 8, 20, 500  # steps of conjugate gradients: expected at first; at most, with a matrix; without
SAMPLED = (
    2,
    4,
)  # rows a column say enough of the matrix of all rows for a preconditioner: of one output, and of several, which share it
READING = 5  # outputs: rows are read from memory in the time of so many outputs' multiplications
AT_ONCE = 1 << 22  # numbers of rows that are multiplied with each other in one call


def newton(
    loss: Hinge,
    fit: Fit,
    tol: float,
    clock: Clock,
    start: Candidate | None = None,
    watch: Callable[[Candidate], None] | None = None,
) -> Candidate:
    """Weights of every output and their dual point, until the gap is about ``tol`` of P, the time is over, or steps get no further.  ``watch`` is called with
    what is found after every step."""
    X, centre = as_multiplied(fit.X, tol), fit.near()
    X = X if centre is None else np.subtract(X, centre, dtype=X.dtype, casting="same_kind")
    rows = MarginsInMemory(X, loss.signs, loss.bounds, isinstance(loss, SquaredHinge), fit.intercept, clock)
    state = Lockstep(rows, len(loss.signs), clock)
    if start is not None:
        state.z[:, : rows.columns] = start.coef
        state.z[:, rows.columns :] = np.asarray(shifted(start.coef, start.bias, centre, 1))[:, None]
        rows.begin(state.z, start.shares)
        state.stiff *= 1.0 if rows.squared or start.shares is None else GROWTH**3
    elif rows.count > MANY_MORE * SAMPLE * rows.width:
        state.start()
        rows.begin(state.z, None)

    def found() -> Candidate:
        coef, near = state.z[:, : rows.columns], state.z[:, rows.columns :].sum(axis=1)
        return Candidate(coef, np.asarray(shifted(coef, near, centre, -1)), state.steps, rows.shares(state.stiff))

    state.run(tol, None if watch is None else lambda: watch(found()))
    return found()


class Sums(NamedTuple):
    """Over rows, of each output."""

    smooth: np.ndarray  # C_i (p_i t_i - (p_i - q_i)^2 / 2 s), the loss that is made smooth
    loss: np.ndarray
    lacks: np.ndarray  # C_i (max(0, t_i) - p_i t_i), of the hinge
    active: np.ndarray  # C_i of active rows
    made: np.ndarray  # (outputs, width): C_i p_i y_i (x_i, 1)
    pulls: np.ndarray  # C_i p_i


class Near(NamedTuple):
    """Rows of an output near the margin, and those that wait within it."""

    X: Any
    signs: np.ndarray
    bounds: np.ndarray
    where: Any  # which they are
    p: np.ndarray
    sums: np.ndarray  # (2, columns), of the rows that wait, of the positive class first: C_i x_i
    weight: np.ndarray  # (2,): C_i


class Lockstep:
    """The outputs on their way."""

    def __init__(self, rows: Any, outputs: int, clock: Clock) -> None:
        self.rows, self.clock = rows, clock
        self.z = np.zeros((outputs, rows.width))
        self.stiff = np.full(outputs, SQUARED if rows.squared else FIRST_STIFFNESS)
        self.live, self.steps = np.arange(outputs), np.zeros(outputs, np.int64)
        self.value, self.best, self.last = np.full(outputs, np.inf), np.full(outputs, np.inf), np.zeros(outputs)
        self.waited, self.tried = np.zeros(outputs, np.int64), np.full(outputs, np.inf)
        self.settled = np.zeros(outputs, bool)  # rows near the margin were solved for in the step before

    def run(self, tol: float, watch: Callable[[], None] | None = None) -> None:
        """Steps until no output goes on, or the time is over."""
        try:
            while self.live.size and self.steps.max() < MOST_STEPS:
                self._step(tol)
                if watch is not None:
                    watch()
        except OutOfTime:
            pass

    def start(self) -> None:
        """Begin with the solutions for some rows of each class, or with some of them, if the time is over."""
        with suppress(OutOfTime):
            for k, (X, signs, bounds) in enumerate(self.rows.samples(SAMPLE * self.rows.width)):
                self.z[k], _ = self._solution(X, signs, bounds, ROUGH)
            self.stiff *= 1.0 if self.rows.squared else GROWTH**3

    def _solution(
        self, X: Any, signs: np.ndarray, bounds: np.ndarray, tol: float, start: Candidate | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Weights and the slopes p for other rows in memory."""
        loss = (SquaredHinge if self.rows.squared else Hinge)(signs[None], bounds)
        fit = Fit(X, self.rows.width > self.rows.columns, 1.0, centre=None)
        found = (small_newton if is_small(X) else newton)(loss, fit, tol, self.clock, start)
        assert found.shares is not None
        z = np.append(found.coef[0], found.bias[: self.rows.width - self.rows.columns])
        return z, np.abs(found.shares[:, 0]) / bounds

    def _step(self, tol: float) -> None:
        """A step of every output that is not done, or an update of its multipliers."""
        self.clock.tick()
        rows, live, columns, z = self.rows, self.live, self.rows.columns, self.z[self.live]
        sums: Sums = rows.look(live, z, self.stiff[live])
        rest = sums.made.copy()
        rest[:, :columns] -= z[:, :columns]
        square = 0.5 * np.square(z[:, :columns]).sum(axis=1)
        value, primal = square + sums.smooth, square + sums.loss
        left = 0.5 * np.square(rest[:, :columns]).sum(axis=1)
        for bias in rest[:, columns:].T:  # of the squared hinge, what a better bias gains, which the proof looks for
            left += (
                np.square(bias) / np.maximum(2 * SQUARED * sums.active, rows.least)
                if rows.squared
                else 2 * np.abs(bias)
            )
        gap = left + sums.lacks
        self.clock.note("newton", int(self.steps.max()), float((gap / primal).max()))
        done = gap <= ENOUGH * tol * primal
        stuck = ~done & ~(value < self.value[live])
        self.value[live] = value
        ready = ~done & ((left <= READY * sums.lacks) | stuck | self.settled[live]) & (not rows.squared)
        again = rows.remade(live, stuck | ready, z)  # (of those that are done, the proof makes its own)
        self.value[live[again]] = np.inf
        stuck, ready = stuck & ~again, ready & (~again | ~stuck)
        if ready.any():
            close = ready & (gap <= np.minimum(CLOSE * primal, HALF * self.tried[live]))
            for place in np.flatnonzero(close).tolist():
                self.tried[live[place]] = gap[place]
                again[place] = self.settled[live[place]] = self._settle(int(live[place]), tol)
            self.settled[live[ready & ~close]] = False
            ready, stuck = ready & ~again, stuck & ~again
        if ready.any():
            done[ready] |= self._update(live[ready], sums.lacks[ready], gap[ready])
            stuck[ready] = False
        going = ~(done | stuck | ready | again)
        if going.any():
            some, stiff = live[going], self.stiff[live[going]]
            wanted = np.clip((left / primal)[going], 1e-12, 1e-2)
            enough = 0.25 * np.clip(LAST * tol * (primal / left)[going], wanted, 0.5)
            directions = rows.solve(some, z[going], stiff, rest[going], enough)
            self.z[some] += rows.lengths(some, z[going], directions, rest[going], stiff)[:, None] * directions
            self.steps[some] += 1
        self.live = live[~(done | stuck)]

    def _settle(self, k: int, tol: float) -> bool:
        """Solve for the rows of an output near the margin, while the others wait; whether they could."""
        near: Near | None = self.rows.near(k, self.z[k], self.stiff[k])
        if near is None:
            return False
        weight, columns = near.weight[near.weight > 0], self.rows.columns
        means, signs = near.sums[near.weight > 0] / weight[:, None], np.array([1.0, -1.0])[near.weight > 0]
        X, signs = np.concatenate([dense(near.X), means]), np.concatenate([near.signs, signs])
        bounds, z = np.concatenate([near.bounds, weight]), self.z[k : k + 1]
        shares = signs * bounds * np.append(near.p, np.ones(len(weight)))
        start = Candidate(z[:, :columns], z[:, columns:].sum(axis=1), np.zeros(1, np.int64), shares[:, None])
        solution, p = self._solution(X, signs, bounds, CLOSER * tol, start)
        if (p[len(near.signs) :] < 1).any():
            return False
        self.z[k] = solution
        self.rows.settle(k, self.z[k], near, p[: len(near.signs)])
        self.value[k], self.steps[k] = np.inf, self.steps[k] + 1
        return True

    def _update(self, some: np.ndarray, lacks: np.ndarray, gap: np.ndarray) -> np.ndarray:
        """New multipliers of some outputs; whether they get no further."""
        self.waited[some] = np.where(gap < 0.7 * self.best[some], 0, self.waited[some] + 1)
        self.best[some] = np.minimum(self.best[some], gap)
        over = self.waited[some] > PATIENCE
        self.rows.update(some[~over], self.z[some[~over]], self.stiff[some[~over]])
        slow = (lacks > FAST * self.last[some]) & (self.stiff[some] < STIFFEST) & ~over
        self.stiff[some[slow]] *= GROWTH
        self.last[some], self.value[some] = lacks, np.inf
        return over


class MarginsInMemory:
    """Rows in memory: their margins, multipliers q and slopes p, and the equations ``(L + s sum_active C_i x_i x_i') step = r``."""

    def __init__(
        self, X: Any, signs: np.ndarray, bounds: np.ndarray, squared: bool, intercept: bool, clock: Clock
    ) -> None:
        self.X, self.kind, self.squared, self.clock = X, X.dtype, squared, clock
        self.count, self.columns = X.shape
        self.width, self.upper = self.columns + intercept, np.inf if squared else 1.0
        self.penalty = np.append(np.ones(self.columns), np.zeros(int(intercept)))
        self.bounds, self.costs, self.y = bounds, bounds.astype(self.kind), signs.astype(self.kind)
        self.even, self.least = float(bounds[0]) if np.all(bounds == bounds[0]) else 0.0, float(bounds.min())
        self.margins, self.p = np.zeros_like(self.y), np.zeros_like(self.y)
        self.q = np.zeros((1 if squared else len(signs), self.count), self.kind)
        self.fresh = np.ones(len(signs), bool)  # margins made from weights, not from those before and a step
        self.keeps = 2 * len(signs) * self.width**2 * self.kind.itemsize <= KEPT
        self.whole: np.ndarray | None = None  # the matrix of all rows
        self.sample: np.ndarray | None = None  # about that, from some of them
        self.last: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # of an output, its active rows and their matrix
        self.shared: dict[float, np.ndarray] = {}  # factors of the matrix of all rows, by its stiffness
        self.pace = np.full(len(signs), PACE)  # steps of conjugate gradients that an output took
        self.syrk = SYRK[self.kind.char]

    def begin(self, z: np.ndarray, shares: np.ndarray | None) -> None:
        """From these weights, and from the multipliers of this dual point."""
        self.margins = self.y * self.scores(z)
        if not self.squared:
            self.q[:] = 0.5 if shares is None else np.clip(np.abs(shares.T) / self.bounds, 0.0, 1.0)

    def samples(self, most: int) -> Iterator[tuple[Any, np.ndarray, np.ndarray]]:
        """Of each output about so many rows of each class: those of rare ones tell more.  Their costs are as much larger as rows are fewer."""
        for line in self.y:
            few, times = [], []
            for rows in (np.flatnonzero(line > 0), np.flatnonzero(line < 0)):
                every = max(1, rows.size // most)
                few.append(rows[every // 2 :: every])
                times.append(np.full(few[-1].size, float(every)))
            some = np.concatenate(few)
            yield dense(self.X[some]), line[some].astype(float), self.bounds[some] * np.concatenate(times)

    def scores(self, z: np.ndarray) -> np.ndarray:
        """``w.x + b``, (outputs, rows)."""
        w = z[:, : self.columns].astype(self.kind, copy=False)
        scores: np.ndarray = w @ self.X.T if isinstance(self.X, np.ndarray) else np.ascontiguousarray((self.X @ w.T).T)
        for bias in z[:, self.columns :].T:
            scores += bias[:, None].astype(self.kind)
        return scores

    def back(self, pulls: np.ndarray) -> np.ndarray:
        """``sum_i pull_i x_i``, and for the bias the sum of pulls: (outputs, columns + 1)."""
        total = np.empty((len(pulls), self.width))
        total[:, : self.columns] = pulls @ self.X if isinstance(self.X, np.ndarray) else (self.X.T @ pulls.T).T
        total[:, self.columns :] = pulls.sum(axis=1, dtype=float)[:, None]
        return total

    def look(self, some: np.ndarray, z: np.ndarray, stiff: np.ndarray) -> Sums:
        """The sums of some outputs."""
        each = np.array([self.slopes(k, s) for k, s in zip(some.tolist(), stiff.tolist(), strict=True)])
        made = self.back(self.costs * self.p[some] * self.y[some])
        smooth, loss, lacks = each.T
        return Sums(smooth, loss, lacks, self.active(some) @ self.bounds, made, self.p[some] @ self.bounds)

    def slopes(self, k: int, stiff: float) -> tuple[float, float, float]:
        """Make the slopes of an output; the first three of its sums."""
        made: tuple[float, float, float] = pulls_of(
            self.bounds, self.margins[k], self.q[0 if self.squared else k], stiff, self.upper, self.p[k]
        )
        return made

    def active(self, some: Any) -> np.ndarray:
        p = self.p[some]
        return (p > 0) & (p < self.upper)

    def shares(self, stiff: np.ndarray) -> np.ndarray:
        """The dual point, (rows, outputs)."""
        for k, s in enumerate(stiff.tolist()):
            self.slopes(k, s)
        return (self.bounds * self.p * self.y).T

    def remade(self, live: np.ndarray, wanted: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Make margins from weights where that is wanted and was not done: what steps have left of rounding errors is taken off."""
        again = wanted & ~self.fresh[live]
        if again.any():
            self.margins[live[again]] = self.y[live[again]] * self.scores(z[again])
            self.fresh[live[again]] = True
        return again

    def update(self, some: np.ndarray, z: np.ndarray, stiff: np.ndarray) -> None:
        """``q <- p``."""
        self.q[some] = self.p[some]

    def near(self, k: int, z: np.ndarray, stiff: float) -> Near | None:
        """The rows of an output near the margin; None if these would be too many."""
        self.slopes(k, float(stiff))
        few = self.nearest(k, NEAREST * self.width)
        return None if few.size > MOST_NEAR * self.count or self.columns > MOST_MATRIX else self.near_rows(k, few)

    def nearest(self, k: int, count: int) -> np.ndarray:
        """So many rows, or some more than those that are active."""
        few, far = self.active(k), np.abs(1 - self.margins[k])
        last = min(max(count, int(TIMES_ACTIVE * np.count_nonzero(few))), far.size) - 1
        return np.flatnonzero(few | (far <= np.partition(far, last)[last]))

    def near_rows(self, k: int, few: np.ndarray) -> Near:
        """These rows, and those that wait."""
        waits = self.p[k] > 0
        waits[few] = False
        sides = np.stack([self.costs * (waits & (self.y[k] == sign)) for sign in (1, -1)])
        sums, weight = np.asarray(sides @ self.X, float), sides.sum(axis=1, dtype=float)
        return Near(
            self.X[few], self.y[k, few].astype(float), self.bounds[few], few, self.p[k, few].astype(float), sums, weight
        )

    def settle(self, k: int, z: np.ndarray, near: Near, p: np.ndarray) -> None:
        """Multipliers: those of the rows near the margin, and of rows that wait."""
        self.q[k] = self.p[k]
        self.q[k, near.where] = p
        self.margins[k] = self.y[k] * self.scores(z[None])[0]
        self.fresh[k] = True

    def lengths(
        self, some: np.ndarray, z: np.ndarray, directions: np.ndarray, rest: np.ndarray, stiff: np.ndarray
    ) -> np.ndarray:
        """How far steps go, until objectives are about smallest; margins go along."""
        along = self.y[some] * self.scores(directions)
        far = np.empty(len(some))
        for place, k in enumerate(some.tolist()):
            line = z[place], directions[place], rest[place], self.penalty, self.bounds, self.margins[k], along[place]
            far[place] = best_length(*line, self.q[0 if self.squared else k], float(stiff[place]), self.upper)
        self.margins[some] += far[:, None].astype(self.kind) * along
        self.fresh[some] = False
        return far

    def solve(
        self, some: np.ndarray, z: np.ndarray, stiff: np.ndarray, rest: np.ndarray, enough: np.ndarray
    ) -> np.ndarray:
        """The steps of these outputs, to a relative accuracy of about ``enough``, squared, where they are not exact."""
        steps, active = np.empty(rest.shape), self.active(some)
        counts, outputs, left = active.sum(axis=1).tolist(), some.tolist(), []
        full = max(1, counts.count(self.count)) if self.whole is None else 1  # one matrix serves all of these
        reading = 4.0 * (self.X.nnz if sparse.issparse(self.X) else self.X.size) * (1 + READING / len(outputs))
        for place, k in enumerate(outputs):
            changes = self._changes(k, active[place], counts[place]) / (full if counts[place] == self.count else 1)
            in_columns = self.columns <= MOST_MATRIX
            if counts[place] < FEWER * self.columns and counts[place] <= MOST_MATRIX:
                self.clock.tick()
                self.last.pop(k, None)
                steps[place] = self._in_rows(np.flatnonzero(active[place]), float(stiff[place]), rest[place])
            elif in_columns and changes * self.columns**2 + self.columns**3 / 3 <= self.pace[k] * reading:
                steps[place] = self._in_columns(k, active[place], float(stiff[place]), rest[place])
            else:
                left.append(place)
        if left:
            steps[left] = self._gradients(some[left], active[left], stiff[left], rest[left], enough[left])
        return steps

    def _in_columns(self, k: int, active: np.ndarray, stiff: float, rest: np.ndarray) -> np.ndarray:
        self.clock.tick()
        whole = active.all()
        factor = self._factor_of_all(stiff, exact=True) if whole else self._factor(self.matrix(k, active), stiff)
        return divided(factor, rest[None])[0]

    def _changes(self, k: int, active: np.ndarray, count: int) -> int:
        """Rows by which a matrix that is known differs from that of the active rows of output k, at most these."""
        if k in self.last:
            return min(count, int(np.count_nonzero(active != self.last[k][0])))
        return min(count, self.count - count) if self.whole is not None else count

    def matrix(self, k: int, active: np.ndarray) -> np.ndarray:
        """``sum_active C_i x_i x_i'`` of output k, its lower triangle."""
        numbers = np.flatnonzero(active)
        matrix: np.ndarray | None
        if k in self.last:
            before, matrix = self.last[k]
            changed = active != before
            came, went = np.flatnonzero(changed & active), np.flatnonzero(changed & before)
        else:
            matrix, came, went = self.whole, numbers[:0], np.flatnonzero(~active)
        if matrix is None or came.size + went.size >= numbers.size:
            matrix = self._add(None, numbers, 1)
        else:
            matrix = self._add(self._add(matrix, came, 1), went, -1)
        if self.keeps:
            self.last[k] = active, matrix
        return matrix

    def _add(self, before: np.ndarray | None, numbers: np.ndarray | slice, sign: int) -> np.ndarray:
        """A matrix with these rows, or without them."""
        matrix = np.zeros((self.width, self.width), self.kind, order="F") if before is None else before.copy(order="F")
        corner = np.asfortranarray(matrix[: self.columns, : self.columns])
        count = self.count if isinstance(numbers, slice) else numbers.size
        for part in parts(count, max(256, AT_ONCE // self.columns)):
            self.clock.tick()
            some: Any = part if isinstance(numbers, slice) else numbers[part]
            block, costs = dense(self.X[some]), self.costs[some]
            rooted = block if self.even else np.sqrt(costs)[:, None] * block
            corner = self.syrk(sign * (self.even or 1.0), rooted.T, beta=1.0, c=corner, lower=1, overwrite_c=1)
            matrix[self.columns :, : self.columns] += sign * (costs @ block)
            matrix[self.columns :, self.columns :] += sign * costs.sum(dtype=float)
        matrix[: self.columns, : self.columns] = corner
        return matrix

    def _factor_of_all(self, stiff: float, exact: bool = False) -> np.ndarray:
        """The factor of the matrix of all rows; if it need not be exact, of a sample of them, where they are many."""
        step = self.count // (SAMPLED[len(self.y) > 1] * self.columns)
        if self.whole is None and (exact or step < 2):
            self.shared.clear()
            self.whole = self._add(None, slice(None), 1)
        if stiff not in self.shared:
            matrix = self.whole
            if matrix is None:
                if self.sample is None:
                    some = np.arange(step // 2, self.count, step)
                    self.sample = self._add(None, some, 1) * self.kind.type(self.count / some.size)
                matrix = self.sample
            self.shared[stiff] = self._factor(matrix, stiff)
        return self.shared[stiff]

    def _factor(self, matrix: np.ndarray, stiff: float) -> np.ndarray:
        """The Cholesky factor of ``L + stiff matrix``."""
        return factor_of(np.multiply(matrix, self.kind.type(stiff), order="F"), self.penalty)

    def _in_rows(self, numbers: np.ndarray, stiff: float, rest: np.ndarray) -> np.ndarray:
        if not numbers.size:
            return np.append(rest[: self.columns], np.zeros(self.width - self.columns))
        X, own = self.X[numbers], rest[: self.columns].astype(self.kind)
        matrix = dense(X @ X.T) if sparse.issparse(X) else self.syrk(1.0, X.T, trans=1, lower=1)
        factor = factor_of(matrix, 1 / (stiff * self.costs[numbers]))
        right = np.stack([X @ own, np.ones(numbers.size, self.kind)])
        t, ones = divided(factor, right)
        if self.width == self.columns:
            return own - t @ X
        bias = (rest[-1] - t.sum(dtype=float)) / ones.sum(dtype=float)
        return np.append(own - (t + self.kind.type(bias) * ones) @ X, bias)

    def _gradients(
        self, some: np.ndarray, active: np.ndarray, stiff: np.ndarray, rest: np.ndarray, enough: np.ndarray
    ) -> np.ndarray:
        """The steps by conjugate gradients, all outputs in lockstep."""
        curved = active * (stiff[:, None].astype(self.kind) * self.costs)
        wide = self.columns > MOST_MATRIX
        if wide:
            sizes = self.penalty + self.diagonal(curved)
            sizes[sizes == 0] = 1.0

            def divide(right: np.ndarray) -> np.ndarray:
                return right / sizes

        else:
            parts_of = np.exp2(np.round(np.log2(np.maximum(active.mean(axis=1), 1e-9) * stiff)))
            groups = [(self._factor_of_all(float(part)), parts_of == part) for part in np.unique(parts_of)]

            def divide(right: np.ndarray) -> np.ndarray:
                out = np.empty_like(right)
                for factor, places in groups:
                    out[places] = divided(factor, right[places])
                return out

        def multiply(directions: np.ndarray) -> np.ndarray:
            return self.back(curved * self.scores(directions))

        most = SLOWEST if wide else SLOW
        steps, taken, late = conjugate_gradients(
            multiply, divide, rest.astype(self.kind), self.columns, enough, most, self.clock
        )
        self.pace[some] = taken
        for place in np.flatnonzero(late & (not wide)).tolist():
            self.pace[some[place]] = SLOWEST
            steps[place] = self._in_columns(int(some[place]), active[place], float(stiff[place]), rest[place])
        return steps

    def diagonal(self, curved: np.ndarray) -> np.ndarray:
        """That of ``sum_i curved_i x_i x_i'``, of each output."""
        X = self.X
        squares = (X.multiply(X).T @ curved.T).T if sparse.issparse(X) else curved @ np.square(X)
        return np.column_stack([squares, *[curved.sum(axis=1, dtype=float)] * (self.width - self.columns)])


def dense(X: Any) -> np.ndarray:
    """The same, not sparse."""
    return X.toarray() if sparse.issparse(X) else X


def conjugate_gradients(
    multiply: Callable[[np.ndarray], np.ndarray],
    divide: Callable[[np.ndarray], np.ndarray],
    right: np.ndarray,
    columns: int,
    enough: np.ndarray,
    most: int,
    clock: Clock,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Solve ``(L + A) steps = right`` for each line, to a relative accuracy of ``enough``, squared; how many products each took, and which were too few.
    ``multiply`` is by A, ``divide`` by about L + A."""
    kind = right.dtype
    steps, near = np.zeros_like(right), divide(right)
    direction, size = near, (right * near).sum(axis=1, dtype=float)
    target, going, taken = enough * size, size > 0, np.zeros(len(right), np.int64)
    for _ in range(most):
        if not going.any():
            break
        clock.tick()
        taken += going
        changed = multiply(direction).astype(kind)
        changed[:, :columns] += direction[:, :columns]
        bend = (direction * changed).sum(axis=1, dtype=float)
        going &= bend > 0
        far = np.divide(size, bend, out=np.zeros_like(size), where=going)[:, None].astype(kind)
        steps += far * direction
        right = right - far * changed
        near = divide(right)
        before, size = size, (right * near).sum(axis=1, dtype=float)
        going &= size > target
        ratio = np.divide(size, before, out=np.zeros_like(size), where=going)[:, None].astype(kind)
        direction = near + ratio * direction
    return steps, taken, going
