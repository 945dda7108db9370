"""Newton's method for support vector machines: both hinges, for a batch of outputs over the same dense rows.

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

**Equations.**  All outputs go in lockstep, so that scores and gradients are products of matrices, in the precision of the rows.  From zero weights all rows are
active, and the first matrix is that of all outputs.  A later step is found, whichever takes the fewest multiplications,

- by conjugate gradients, with the matrix of all rows or of a sample of them, times the part that is active, as preconditioner; where they are
  slow, with a matrix of the output's own, as long as that serves;
- from the matrix of its active rows: the one before with the rows that came and without those that went, where these are fewer than the active ones;
- from equations in rows, where active rows are fewer than columns: with X the active rows and ``D = diag(1 / (s C_i))``,
  ``(X X' + D) t = X r_w + step_b``, ``step_w = r_w - X' t``, ``sum_i t_i = r_b``.

Few rows and columns are solved by the same method in compiled loops (``small_newton``), which has the constants of the method of multipliers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg.blas import dsyrk, ssyrk
from scipy.linalg.lapack import dpotrf, dpotrs, spotrf, spotrs

from ..inputs.arrays import parts
from ..inputs.clock import Clock, OutOfTime
from .audit import Found
from .shifted_rows import shifted
from .small_newton import (
    FAST,
    FIRST_STIFFNESS,
    GROWTH,
    MOST_SEARCHES,
    NEARER,
    PATIENCE,
    READY,
    SQUARED,
    STEEP,
    STIFFEST,
)

ENOUGH = 0.5  # of the tolerance is asked for, so that what a better bias and rounding add finds room
MOST_STEPS = 500
KEPT = 1 << 29  # bytes of the matrices of all outputs that are kept from step to step
FEWER = 0.7  # of the columns: active rows below which equations in rows are quicker
SLOW = 20  # steps of conjugate gradients after which an output gets its own matrix
SAMPLED = 4  # rows a column say enough of the matrix of all rows for a preconditioner
READING = 5  # outputs: rows are read from memory in the time of so many outputs' multiplications
AT_ONCE = 1 << 22  # numbers of rows that are multiplied with each other in one call
PUSHES = {  # of a matrix's diagonal, until it is definite: rounding may hide that it is
    "f": (0.0, 1e-6, 1e-4, 1e-2, 1.0),
    "d": (0.0, 1e-15, 1e-13, 1e-10, 1e-6, 1e-2, 1.0),
}
SYRK, POTRF, POTRS = {"f": ssyrk, "d": dsyrk}, {"f": spotrf, "d": dpotrf}, {"f": spotrs, "d": dpotrs}


def newton(
    X: np.ndarray,
    signs: np.ndarray,
    bounds: np.ndarray,
    squared: bool,
    intercept: bool,
    tol: float,
    clock: Clock,
    start: Found | None = None,
    watch: Callable[[Found], None] | None = None,
    centre: np.ndarray | None = None,
    elsewhere: tuple[np.ndarray, float] | None = None,
) -> Found:
    """Weights for each line of ``signs``, (outputs, rows), and their dual point, until the gap is about ``tol`` of P, the time is over, or steps get no
    further.  ``watch`` is called with what is found after every step; ``centre`` is taken off the rows, as a bias allows.  ``elsewhere``: of rows that are not
    here, whose dual point is fixed, ``sum_i C_i p_i y_i x_i``, the bias last, and ``sum_i C_i p_i``."""
    rows = X if centre is None else np.subtract(X, centre, dtype=X.dtype, casting="same_kind")
    state = Batch(rows, signs, bounds, squared, intercept, clock)
    if elsewhere is not None:
        state.pull, state.offset = elsewhere
    if start is not None:
        state.start(start, np.asarray(shifted(start.coef, start.bias, centre, 1)))

    def found() -> Found:
        coef, near = state.z[:, : X.shape[1]], state.z[:, X.shape[1] :].sum(axis=1)
        return Found(coef, np.asarray(shifted(coef, near, centre, -1)), state.steps, state.shares())

    try:
        while state.live.size and state.steps.max() < MOST_STEPS:
            state.step(tol)
            if watch is not None:
                watch(found())
    except OutOfTime:
        pass
    return found()


class Batch:
    """The outputs on their way."""

    def __init__(
        self, rows: np.ndarray, signs: np.ndarray, bounds: np.ndarray, squared: bool, intercept: bool, clock: Clock
    ) -> None:
        outputs, self.kind, self.columns, self.clock = len(signs), rows.dtype, rows.shape[1], clock
        self.bounds, self.y, self.upper = bounds, signs.astype(self.kind), np.inf if squared else 1.0
        self.costs = bounds.astype(self.kind)
        self.equations = Equations(rows, bounds, outputs, intercept, clock)
        self.z = np.zeros((outputs, self.columns + intercept))
        self.z[:, self.columns :] = (signs @ bounds / bounds.sum())[:, None]
        self.margins = self.y * self.equations.scores(self.z)
        self.stiff = np.full((outputs, 1), SQUARED if squared else FIRST_STIFFNESS, self.kind)
        self.base = None if squared else np.zeros(signs.shape, self.kind)  # the multipliers
        self.live, self.steps = np.arange(outputs), np.zeros(outputs, np.int64)
        self.fresh = np.ones(outputs, bool)  # margins made from weights, not from those before and a step
        self.value, self.best, self.last = np.full(outputs, np.inf), np.full(outputs, np.inf), np.zeros(outputs)
        self.waited = np.zeros(outputs, np.int64)
        self.pull, self.offset = np.zeros(self.columns + intercept), 0.0  # of rows elsewhere

    def start(self, at: Found, near: np.ndarray) -> None:
        """Begin with these weights, and these multipliers."""
        self.z[:, : self.columns], self.z[:, self.columns :] = at.coef, near[:, None]
        self.margins = self.y * self.equations.scores(self.z)
        if self.base is not None and at.shares is not None:
            self.base[:] = np.clip(np.abs(at.shares.T) / self.bounds, 0.0, 1.0)
            self.stiff *= self.kind.type(GROWTH**3)

    def slopes(self, some: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Slacks, slopes before they are cut off, and slopes of some outputs."""
        slack = 1 - self.margins[some]
        raw = self.stiff[some] * slack
        if self.base is not None:
            raw += self.base[some]
        return slack, raw, np.clip(raw, 0.0, self.upper)

    def shares(self) -> np.ndarray:
        """The dual point, (rows, outputs)."""
        return ((self.bounds * self.slopes(slice(None))[2]) * self.y).T

    def step(self, tol: float) -> None:
        """A step of every output that is not done, or an update of its multipliers."""
        self.clock.tick()
        live, columns, bounds = self.live, self.columns, self.bounds
        slack, raw, pull = self.slopes(live)
        rest = self.equations.back(self.costs * pull * self.y[live])
        rest += self.pull
        rest[:, :columns] -= self.z[live, :columns]
        square = 0.5 * np.square(self.z[live, :columns]).sum(axis=1) + self.offset - self.z[live] @ self.pull
        active = (raw > 0) & (raw < self.upper)
        left = 0.5 * np.square(rest[:, :columns]).sum(axis=1)
        if self.base is None:
            value = primal = square + 0.25 * (np.square(pull, dtype=float) @ bounds)
            lacks = np.zeros_like(left)
            for bias in rest[:, columns:].T:  # what a better bias gains, which the proof looks for
                left = left + np.square(bias) / np.maximum(2 * SQUARED * (active @ bounds), bounds.min())
        else:
            primal = square + np.maximum(slack, 0).astype(float) @ bounds
            lacks = (np.maximum(slack, 0) - pull * slack).astype(float) @ bounds
            moved = np.square(pull - self.base[live], dtype=float) / (2 * self.stiff[live])
            value = square + ((pull * slack).astype(float) - moved) @ bounds
            left = left + 2 * np.abs(rest[:, columns:]).sum(axis=1)
        self.clock.note("newton", int(self.steps.max()), float(((left + lacks) / primal).max()))
        done = left + lacks <= ENOUGH * tol * primal
        stuck = ~done & ~(value < self.value[live])
        self.value[live] = value
        ready = np.zeros_like(done)
        if self.base is not None:
            ready = ~done & ((left <= READY * lacks) | stuck)
        again = (done | stuck | ready) & ~self.fresh[live]
        if again.any():  # what steps have left of rounding errors is taken off
            self._look_again(live[again])
            done, stuck, ready = done & ~again, stuck & ~again, ready & (~again | ~stuck)
        if ready.any() and self.base is not None:
            done[ready] |= self._update(live[ready], pull[ready], lacks[ready], (left + lacks)[ready])
            stuck[ready] = False
        ended = done | stuck
        going = ~(ended | ready | again)
        if going.any():
            self._move(live[going], active[going], raw[going], rest[going], (left / primal)[going])
        self.live = live[~ended]

    def _look_again(self, some: np.ndarray) -> None:
        self.margins[some] = self.y[some] * self.equations.scores(self.z[some])
        self.fresh[some], self.value[some] = True, np.inf

    def _update(self, some: np.ndarray, pull: np.ndarray, lacks: np.ndarray, gap: np.ndarray) -> np.ndarray:
        """New multipliers of some outputs; whether they get no further."""
        assert self.base is not None
        self.waited[some] = np.where(gap < 0.7 * self.best[some], 0, self.waited[some] + 1)
        self.best[some] = np.minimum(self.best[some], gap)
        over = self.waited[some] > PATIENCE
        slow = (lacks > FAST * self.last[some]) & (self.stiff[some, 0] < STIFFEST) & ~over
        self.stiff[some[slow]] *= self.kind.type(GROWTH)
        self.last[some], self.value[some] = lacks, np.inf
        self.base[some[~over]] = pull[~over]
        return over

    def _move(self, some: np.ndarray, active: np.ndarray, raw: np.ndarray, rest: np.ndarray, left: np.ndarray) -> None:
        """A step of some outputs."""
        stiff = self.stiff[some]
        enough = 0.25 * np.clip(left, 1e-12, 1e-2)
        directions = self.equations.solve(some.tolist(), active, stiff, rest, enough)
        along = self.y[some] * self.equations.scores(directions)
        far = self._best_lengths(self.z[some], directions, rest, raw, stiff * along, self.costs * along)
        self.z[some] += far[:, None] * directions
        self.margins[some] += far[:, None].astype(self.kind) * along
        self.fresh[some] = False
        self.steps[some] += 1

    def _best_lengths(
        self, z: np.ndarray, step: np.ndarray, rest: np.ndarray, raw: np.ndarray, change: np.ndarray, pulls: np.ndarray
    ) -> np.ndarray:
        """Where objectives are about smallest along steps: Newton's method on their slopes, between bounds that close in.  Slopes of rows fall by ``change``."""
        start = (z[:, : self.columns] * step[:, : self.columns]).sum(axis=1) - step @ self.pull
        bend = np.square(step[:, : self.columns]).sum(axis=1)
        fall = np.abs((rest * step).sum(axis=1))
        far, low, high = np.ones(len(z)), np.zeros(len(z)), np.full(len(z), np.inf)
        some: Any = slice(None)
        for _ in range(MOST_SEARCHES):
            there = raw[some] - far[some, None].astype(self.kind) * change[some]
            slope = start[some] + far[some] * bend[some]
            slope -= np.einsum("ij,ij->i", np.clip(there, 0.0, self.upper), pulls[some], dtype=float)
            going = np.abs(slope) > STEEP * fall[some]
            if not going.any():
                break
            some, there, slope = np.arange(len(z))[some][going], there[going], slope[going]
            active = (there > 0) & (there < self.upper)
            curved = np.einsum("ij,ij->i", change[some] * active, pulls[some], dtype=float) + bend[some]
            high[some], low[some] = (
                np.where(slope > 0, far[some], high[some]),
                np.where(slope > 0, low[some], far[some]),
            )
            towards = far[some] - np.divide(slope, curved, out=np.full_like(slope, np.inf), where=curved > 0)
            below, above = low[some], np.minimum(high[some], 1e300)
            size = np.maximum(NEARER * above, np.sqrt(below * above))  # is looked for first, where they are far apart
            other = np.where(below < NEARER * above, size, 0.5 * (below + above))
            other = np.where(high[some] < np.inf, other, 10 * below)
            far[some] = np.where((low[some] < towards) & (towards < high[some]), towards, other)
        return far


class Equations:
    """``(L + s sum_active C_i x_i x_i') step = r`` for each output, and the products of rows that they take."""

    def __init__(self, rows: np.ndarray, bounds: np.ndarray, outputs: int, intercept: bool, clock: Clock) -> None:
        self.rows, self.kind, self.clock = rows, rows.dtype, clock
        self.count, self.columns = rows.shape
        self.size = self.columns + intercept
        self.costs = bounds.astype(self.kind)
        self.even = float(bounds[0]) if np.all(bounds == bounds[0]) else 0.0
        self.keeps = 2 * outputs * self.size**2 * rows.itemsize <= KEPT
        self.whole: np.ndarray | None = None  # the matrix of all rows
        self.sample: np.ndarray | None = None  # about that, from some of them
        self.last: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # of an output, its active rows and their matrix
        self.shared: dict[float, np.ndarray] = {}  # factors of the matrix of all rows, by its stiffness
        self.own: dict[int, np.ndarray] = {}  # factors of an output's own matrix
        self.syrk, self.potrf, self.potrs = (by[self.kind.char] for by in (SYRK, POTRF, POTRS))

    def scores(self, z: np.ndarray) -> np.ndarray:
        """``w.x + b``, (outputs, rows)."""
        scores: np.ndarray = z[:, : self.columns].astype(self.kind, copy=False) @ self.rows.T
        for bias in z[:, self.columns :].T:
            scores += bias[:, None].astype(self.kind)
        return scores

    def back(self, pulls: np.ndarray) -> np.ndarray:
        """``sum_i pull_i x_i``, and for the bias the sum of pulls: (outputs, columns + 1)."""
        total = np.empty((len(pulls), self.size))
        total[:, : self.columns] = pulls @ self.rows
        total[:, self.columns :] = pulls.sum(axis=1, dtype=float)[:, None]
        return total

    def solve(
        self, outputs: list[int], active: np.ndarray, stiff: np.ndarray, rest: np.ndarray, enough: np.ndarray
    ) -> np.ndarray:
        """The steps of these outputs, to a relative accuracy of about ``enough``, squared, where they are not exact."""
        steps, counts = np.empty(rest.shape, self.kind), active.sum(axis=1)
        left = []
        for place, k in enumerate(outputs):
            if counts[place] < FEWER * self.columns:
                self.clock.tick()
                self.last.pop(k, None)
                steps[place] = self._in_rows(np.flatnonzero(active[place]), float(stiff[place, 0]), rest[place])
            else:
                left.append(place)
        if not left:
            return steps
        full = [place for place in left if counts[place] == self.count]
        changes = [self._changes(outputs[place], active[place], int(counts[place])) for place in left]
        direct = sum(change * self.columns**2 + self.columns**3 / 3 for change in changes)
        if self.whole is None and full:  # one matrix serves all of these
            direct -= (len(full) - 1) * (self.count * self.columns**2 + self.columns**3 / 3)
        by_gradients = SLOW * 4.0 * self.count * self.columns * (len(left) + READING)
        by_gradients += SAMPLED * self.columns**3 if not self.shared else 0
        if by_gradients < direct:
            some, numbers = np.array(left), [outputs[place] for place in left]
            steps[some] = self._gradients(numbers, active[some], stiff[some], rest[some], enough[some])
            return steps
        for place in left:
            self.clock.tick()
            if counts[place] == self.count:
                factor = self._factor_of_all(float(stiff[place, 0]), exact=True)
            else:
                factor = self._factor(self._matrix(outputs[place], active[place]), float(stiff[place, 0]))
            steps[place] = self._divide(factor, rest[place, None])[0]
        return steps

    def _changes(self, k: int, active: np.ndarray, count: int) -> int:
        """Rows by which a matrix that is known differs from that of the active rows of output k, at most these."""
        if k in self.last:
            return min(count, int(np.count_nonzero(active != self.last[k][0])))
        return min(count, self.count - count) if self.whole is not None else count

    def _matrix(self, k: int, active: np.ndarray) -> np.ndarray:
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
            matrix = self._add(np.zeros((self.size, self.size), self.kind, order="F"), numbers, 1)
        else:
            matrix = self._add(self._add(matrix.copy(order="F"), came, 1), went, -1)
        if self.keeps:
            self.last[k] = active, matrix
        return matrix

    def _add(self, matrix: np.ndarray, numbers: np.ndarray | slice, sign: int) -> np.ndarray:
        """A matrix with these rows, or without them; it is overwritten."""
        corner = np.asfortranarray(matrix[: self.columns, : self.columns])
        count = self.count if isinstance(numbers, slice) else numbers.size
        for part in parts(count, max(256, AT_ONCE // self.columns)):
            self.clock.tick()
            some: Any = part if isinstance(numbers, slice) else numbers[part]
            block, costs = self.rows[some], self.costs[some]
            rooted = block if self.even else np.sqrt(costs)[:, None] * block
            corner = self.syrk(sign * (self.even or 1.0), rooted.T, beta=1.0, c=corner, lower=1, overwrite_c=1)
            matrix[self.columns :, : self.columns] += sign * (costs @ block)
            matrix[self.columns :, self.columns :] += sign * costs.sum(dtype=float)
        matrix[: self.columns, : self.columns] = corner
        return matrix

    def _factor_of_all(self, stiff: float, exact: bool = False) -> np.ndarray:
        """The factor of the matrix of all rows; if it need not be exact, of a sample of them, where they are many."""
        step = self.count // (SAMPLED * self.columns)
        if self.whole is None and (exact or step < 2):
            self.shared.clear()
            self.whole = self._add(np.zeros((self.size, self.size), self.kind, order="F"), slice(None), 1)
        if stiff not in self.shared:
            matrix = self.whole
            if matrix is None:
                if self.sample is None:
                    some = np.arange(step // 2, self.count, step)
                    self.sample = self._add(np.zeros((self.size, self.size), self.kind, order="F"), some, 1)
                    self.sample *= self.kind.type(self.count / some.size)
                matrix = self.sample
            self.shared[stiff] = self._factor(matrix, stiff)
        return self.shared[stiff]

    def _factor(self, matrix: np.ndarray, stiff: float) -> np.ndarray:
        """The Cholesky factor of ``L + stiff matrix``."""
        added = np.ones(self.size)
        if self.size > self.columns:
            added[-1] = 0.0 if matrix[-1, -1] > 0 else 1.0
        return self._cholesky(np.multiply(matrix, self.kind.type(stiff), order="F"), added)

    def _cholesky(self, matrix: np.ndarray, added: np.ndarray) -> np.ndarray:
        """The factor of a matrix with so much added to its diagonal."""
        diagonal = np.diag_indices_from(matrix)
        matrix[diagonal] += added
        for push in PUSHES[self.kind.char]:
            pushed = matrix.copy(order="F")
            pushed[diagonal] *= 1 + push
            factor, failed = self.potrf(pushed, lower=1, overwrite_a=1, clean=0)
            if not failed:
                return factor
        return np.asfortranarray(np.diag(np.sqrt(np.maximum(np.abs(matrix[diagonal]), np.finfo(self.kind).tiny))))

    def _divide(self, factor: np.ndarray, right: np.ndarray) -> np.ndarray:
        return self.potrs(factor, np.asarray(right.T, self.kind, order="F"), lower=1)[0].T

    def _in_rows(self, numbers: np.ndarray, stiff: float, rest: np.ndarray) -> np.ndarray:
        if not numbers.size:
            return np.append(rest[: self.columns], np.zeros(self.size - self.columns))
        X, own = self.rows[numbers], rest[: self.columns].astype(self.kind)
        matrix = self.syrk(1.0, X.T, trans=1, lower=1)
        factor = self._cholesky(matrix, 1 / (stiff * self.costs[numbers]))
        right = np.stack([X @ own, np.ones(len(X), self.kind)])
        t, ones = self._divide(factor, right)
        if self.size == self.columns:
            return own - t @ X
        bias = (rest[-1] - t.sum(dtype=float)) / ones.sum(dtype=float)
        return np.append(own - (t + self.kind.type(bias) * ones) @ X, bias)

    def _gradients(
        self, outputs: list[int], active: np.ndarray, stiff: np.ndarray, rest: np.ndarray, enough: np.ndarray
    ) -> np.ndarray:
        """The steps by conjugate gradients, all outputs in lockstep."""
        curved = active * (stiff * self.costs)
        shares = np.exp2(np.round(np.log2(active.mean(axis=1) * stiff[:, 0].astype(float))))
        factors: dict[int, tuple[np.ndarray, list[int]]] = {}
        for place, k in enumerate(outputs):
            factor = self.own[k] if k in self.own else self._factor_of_all(float(shares[place]))
            factors.setdefault(id(factor), (factor, []))[1].append(place)
        groups = list(factors.values())

        def towards(right: np.ndarray) -> np.ndarray:
            out = np.empty_like(right)
            for factor, places in groups:
                out[places] = self._divide(factor, right[places])
            return out

        steps, right = np.zeros(rest.shape, self.kind), rest.astype(self.kind)
        near = towards(right)
        direction, size = near, (right * near).sum(axis=1, dtype=float)
        target, going = enough * size, np.ones(len(outputs), bool)
        for _ in range(SLOW):
            self.clock.tick()
            changed = self.back(curved * self.scores(direction)).astype(self.kind)
            changed[:, : self.columns] += direction[:, : self.columns]
            bend = (direction * changed).sum(axis=1, dtype=float)
            going &= bend > 0
            far = np.divide(size, bend, out=np.zeros_like(size), where=going)[:, None].astype(self.kind)
            steps += far * direction
            right = right - far * changed
            near = towards(right)
            before, size = size, (right * near).sum(axis=1, dtype=float)
            going &= size > target
            if not going.any():
                return steps
            ratio = np.divide(size, before, out=np.zeros_like(size), where=going)[:, None].astype(self.kind)
            direction = near + ratio * direction
        for place in np.flatnonzero(going).tolist():
            k = outputs[place]
            factor = self._factor(self._matrix(k, active[place]), float(stiff[place, 0]))
            if self.keeps:
                self.own[k] = factor
            steps[place] = self._divide(factor, rest[place, None])[0]
        return steps
