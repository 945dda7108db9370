"""Machines with a kernel: the dual, by steps on pairs of rows (sequential minimal optimization).

With ``beta_i = alpha_i y_i`` and ``v_i = y_i - sum_j beta_j k(x_i, x_j)``, the dual of ``problem`` is

    max  sum_i beta_i y_i - 1/2 sum_ij beta_i beta_j k(x_i, x_j) ,    0 <= beta_i y_i <= C_i ,   sum_i beta_i = 0 .

Moving ``beta_i`` up and ``beta_j`` down by t keeps the sum and gains most at ``t = (v_i - v_j) / (k_ii + k_jj - 2 k_ij)``, as far as the
bounds allow (Platt 1998).  The row of the largest ``v_i`` goes up, and the one that gains most with it goes down (Fan, Chen & Lin 2005).
For any bias b,

    D = 1/2 sum_i beta_i (y_i + v_i) ,    P - D = sum_i C_i max(0, y_i (v_i - b)) - sum_i beta_i v_i ,

so that the gap is known after every step for little.

Few rows: all kernel values are made once, for all problems, and the steps go over all rows (``solve_whole``).  More rows: the pairs are
those of a working set of some hundred rows, taken from both ends of the order of v, half of them new (Joachims 1999; Wen et al. 2018).
The kernel values of its rows with all rows come from one matrix product, and those used last are kept; after the steps, one product of a
matrix and a vector brings v up to date.  Rows are not shrunk: most lines of values are made once only, so that nothing would be saved.
KernelLines are in float32 where that is likely to do: twice as many fit, and they are made in half the time.  The proof sums v again from beta, in float64.
Where it does not prove enough, the steps go on from there: what float32 is wrong by is then in proportion to how far beta still moves, so that
the next proof makes few scores again, or none.

Nothing is believed of the steps but beta: ``kernel_proof`` bounds both objectives.
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np

from ..checks.arrays import parts
from ..compiled.jit import helper, kernel
from ..dual.kernels import RBF, Linear, Points
from ..system.clock import Clock, OutOfTime
from ..system.rounding_error import unit_of
from .balance import balance
from .choose import SINGLE
from .kernel_proof import KernelSums, Proved, bounded, checked, no_support, square_above, twice_gamma

WHOLE = 5000  # rows whose kernel values are all made at once, if they fit into the cache
BLOCK = 256  # of them at a time
TILE = 1 << 18  # kernel values made at once: they stay in the processor's cache
WORK = 50_000_000  # rows times steps between two looks at the clock
LOOK = 16  # steps between two looks at the gap
FLATTEST = 1e-12  # curvature of a pair of equal rows
ROUNDING = 1e-14  # violations so small are rounding errors
AT = 1e-9  # of the distance of its bounds away from one, beta is at it
CLOSER = 0.9  # of the tolerance is asked of the steps, so that what the proof adds finds room;
STRICTER = 0.3  # and of that, where it did not
TURNS = 4

SET, LEAST_SET = 512, 128  # rows of a working set; of one where the cache has no room for more
WIDE = 128  # columns: of so many, products take most of the time, and are faster for sets twice as large
STEPS = 20  # for each row of it, at most;
FEW = 200_000  # of few rows, more: so many over their number
WITHIN = 0.1  # the set is solved to this part of the largest violation
MIRRORED = 32  # lines whose values are copied at a time
COLUMNS = 2048  # at a time, so that v stays in the processor's cache
SINGLE_VALUES = 1e-12, 1e12  # between which the largest of kernel values must be for lines in float32,
SINGLE_EXPONENT = 100.0  # and the largest exponent of "rbf" is so small
TINY_SINGLE = 1e-37  # exponentials in float32 that are below it may be zero
LIFTS = (1e-12, 1e-9, 1e-6)  # of every beta
PATIENCE = 100  # working sets that must bring
PROGRESS = 0.9  # the gap down to this part of what it was (so must a turn), or the dual up by the tolerance: with a large C the gap is near 1 for long


class KernelOutcome(NamedTuple):
    """What is proved of a machine, and how it came about."""

    answer: Proved
    iterations: int
    history: list[tuple[float, float]]  # seconds and gap
    reason: str  # "solved", "time" or "stalled"


class Machines(NamedTuple):
    """Rows sorted by class, and the problems that they are in.

    A problem has the rows of two stretches (of one class and of another; or all rows and none).  A line of ``stretches`` is the beginning,
    the end and the line of shares of each, and the beginning and the end of the positive rows.
    """

    order: np.ndarray  # row numbers, class after class
    stretches: np.ndarray
    lines: int  # of shares: a row has one beta for every problem that it is in

    def of(self, problem: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows of a problem, by their places in the order; their lines of shares; their signs."""
        first, end, line, second, last, other, positive, negative = self.stretches[problem].tolist()
        places = np.concatenate([np.arange(first, end), np.arange(second, last)])
        lines = np.repeat([line, other], [end - first, last - second])
        return places, lines, np.where((places >= positive) & (places < negative), 1.0, -1.0)


def machines_of(target: np.ndarray, classes: int, pairs: bool) -> Machines:
    """One problem for every two classes, the positive one being the second, or one for each class against the rest."""
    order = np.argsort(target, kind="stable")
    ends = np.searchsorted(target[order], np.arange(classes + 1))
    if pairs:
        each = [(a, b) for a in range(classes) for b in range(a + 1, classes)]
        lines = [(ends[a], ends[a + 1], b - 1, ends[b], ends[b + 1], a, ends[b], ends[b + 1]) for a, b in each]
    else:
        lines = [(0, ends[-1], k, 0, 0, k, ends[k], ends[k + 1]) for k in range(classes)]
    return Machines(order, np.array(lines, dtype=np.int64), classes - 1 if pairs else classes)


def solve_kernel(
    kernel: Linear, points: Points, machines: Machines, bounds: np.ndarray, tol: float, limit: float, clock: Clock
) -> tuple[list[KernelOutcome], np.ndarray]:
    """Solve each problem until its gap is at most ``tol``, the time is over, or the steps get no further; ``limit``: bytes for
    kernel values.  Also ``alpha_i y_i``, (lines, rows) in the order of the points."""
    kernel, points, flaws = checked(kernel, points)
    sums = KernelSums(kernel, points.take(machines.order), flaws, limit, clock.tick)
    bounds = bounds[machines.order]
    sorted_shares = np.zeros((machines.lines, bounds.size))
    count = len(machines.stretches)
    outcomes: list[KernelOutcome | None] = [None] * count
    if _fits(bounds.size, limit):
        with suppress(OutOfTime):
            gram = _gram(sums.kernel, sums.near, sums.symmetric, clock)
            outcomes = _whole(sums, gram, machines.stretches, bounds, sorted_shares, tol, clock)
            del gram
    lines, within = None, dict[int, np.ndarray]()
    for p, known in enumerate(outcomes):
        if known is not None and (known.reason != "stalled" or clock.over):
            continue
        places, line, signs = machines.of(p)
        beta = sorted_shares[line, places]
        first, end, _, second, last = machines.stretches[p, :5].tolist()
        everything = places.size == bounds.size
        if known is None and not everything and _fits(places.size, limit):
            stretch = np.array([(0, end - first, 0, end - first, places.size, 0, end - first, places.size)])
            with suppress(OutOfTime):
                gram = _pair_gram(sums, slice(first, end), slice(second, last), within, limit, clock)
                (known,) = _whole(sums, gram, stretch, bounds[places], beta[None], tol, clock)
        if not clock.over and (known is None or known.reason == "stalled"):
            mine = sums if everything else sums.take(places)
            first = np.float32 if tol >= SINGLE and _single(mine) else np.float64
            attempts = [(first, beta), (np.float64, np.zeros(places.size))]  # steps may get stuck
            for kind, start in attempts if first is np.float32 or beta.any() else attempts[:1]:
                with suppress(OutOfTime):
                    if lines is None or not everything or lines.values.dtype != kind:
                        lines = KernelLines(mine, limit, kind, clock)
                    task = _Sets(mine, lines, signs, bounds[places], tol, clock)
                    found = task.solve(start)
                    if known is None or found.answer.gap < known.answer.gap:
                        known, beta = found, task.best_beta
                if known is not None and known.answer.gap <= tol:
                    break
        if known is None:
            nothing = no_support(signs, bounds[places])
            known, beta = KernelOutcome(nothing, 0, [(clock.seconds, nothing.gap)], ""), np.zeros(places.size)
        known = known._replace(reason=reason_of(known.answer.gap, tol, clock))
        sorted_shares[line, places] = beta
        outcomes[p] = known
    shares = np.empty_like(sorted_shares)
    shares[:, machines.order] = sorted_shares
    return [known for known in outcomes if known is not None], shares


def reason_of(gap: float, tol: float, clock: Clock) -> str:
    """Why a machine is what it is."""
    return "solved" if gap <= tol else "time" if clock.over else "stalled"


# All kernel values at once


def _fits(rows: int, limit: float) -> bool:
    """Whether all kernel values of so many rows are to be made at once."""
    return rows <= WHOLE and 8 * rows**2 <= limit


def _gram(kernel: Any, points: Points, symmetric: bool, clock: Clock) -> np.ndarray:
    """All kernel values; of kernels that are symmetric whatever happens, each pair of rows once."""
    rows = len(points.numbers)
    if rows <= BLOCK or not symmetric:
        return kernel.values(points, points)
    values = np.empty((rows, rows))
    for part in parts(rows, BLOCK):
        clock.tick()
        some = points.take(part)
        for other in parts(part.stop, BLOCK):
            made = kernel.values(some, points.take(other))
            values[part, other] = made
            if other.start < part.start:
                values[other, part] = made.T
    return values


def _pair_gram(
    sums: KernelSums, first: slice, second: slice, within: dict[int, np.ndarray], limit: float, clock: Clock
) -> np.ndarray:
    """All kernel values of the rows of two classes; those within a class are kept for its other pairs, where there is room."""
    points = [sums.near.take(own) for own in (first, second)]
    size, rows = first.stop - first.start, first.stop - first.start + second.stop - second.start
    if not sums.symmetric:
        both = sums.points.take(np.r_[first, second])
        return sums.kernel.values(both, both)
    values = np.empty((rows, rows))
    for own, some, at in zip((first, second), points, (slice(size), slice(size, rows)), strict=True):
        made = within[own.start] if own.start in within else _gram(sums.kernel, some, True, clock)
        if sum(kept.nbytes for kept in within.values()) + made.nbytes + values.nbytes <= limit:
            within[own.start] = made
        values[at, at] = made
    for part in parts(size, BLOCK):
        clock.tick()
        values[:size, size:][part] = sums.kernel.values(points[0].take(part), points[1])
    values[size:, :size] = values[:size, size:].T
    return values


def _whole(
    sums: KernelSums,
    gram: np.ndarray,
    stretches: np.ndarray,
    bounds: np.ndarray,
    shares: np.ndarray,
    tol: float,
    clock: Clock,
) -> list[KernelOutcome | None]:
    """Solve problems with all kernel values at hand; None for those of which nothing is proved."""
    facts = np.array(sums.facts)
    count = len(stretches)
    found, steps, tried = np.full((count, 3), inf), np.zeros((2, count), np.int64), np.zeros(count, bool)
    sizes = stretches[:, 1] - stretches[:, 0] + stretches[:, 4] - stretches[:, 3]

    def run(first: int, last: int, most: int) -> None:
        if clock.over:
            return
        solve_whole(gram, stretches, bounds, facts, tol, max(1, most), first, last, shares, found, steps[0])
        steps[1, first:last] += steps[0, first:last]
        tried[first:last] = True

    together = WORK // int(sizes.sum())
    if together >= int(sizes.max()):
        run(0, count, together)
    outcomes: list[KernelOutcome | None] = []
    for p, size in enumerate(sizes.tolist()):
        before, proved = inf, Proved(*found[p].tolist())
        while proved.gap > tol and not clock.over:
            if tried[p] and not proved.gap < min(1.0, PROGRESS * before):  # (no weights at all have a gap of 1)
                break
            before = proved.gap
            run(p, p + 1, WORK // size)
            proved = Proved(*found[p].tolist())
            clock.note("smo", int(steps[1, p]), proved.gap)
        reason = reason_of(proved.gap, tol, clock)
        outcome = KernelOutcome(proved, int(steps[1, p]), [(clock.seconds, proved.gap)], reason)
        outcomes.append(outcome if proved.gap < 1 else None)
    return outcomes


@kernel
def solve_whole(gram, stretches, bounds, facts, tol, most, first, last, shares, found, steps):
    """Solve the problems ``first`` to ``last - 1`` from ``shares``, each by a limited number of steps.

    ``facts`` are those of ``kernel_proof.KernelFacts``.  Left in ``found``: the bias, P and D of every problem, proved; in ``steps``: how many
    were taken.
    """
    largest, entry, shift, surely = facts[0], facts[1], facts[2], facts[3]
    for p in range(first, last):
        s0, e0, line0 = stretches[p, 0], stretches[p, 1], stretches[p, 2]
        s1, e1, line1 = stretches[p, 3], stretches[p, 4], stretches[p, 5]
        positive, negative = stretches[p, 6], stretches[p, 7]
        size, size0 = e0 - s0 + e1 - s1, e0 - s0
        beta, v, costs, sign = np.empty(size), np.empty(size), np.empty(size), np.empty((1, size))
        low, high, diagonal = np.zeros(size), np.zeros(size), np.empty(size)
        alpha, scores, short, error = np.empty((1, size)), np.empty(size), np.empty(size), np.empty(size)
        for k in range(size):
            i = s0 + k if k < size0 else s1 + k - size0
            beta[k] = shares[line0 if k < size0 else line1, i]
            costs[k], diagonal[k] = bounds[i], gram[i, i]
            sign[0, k] = 1.0 if positive <= i < negative else -1.0
            if sign[0, k] > 0:
                high[k] = bounds[i]
            else:
                low[k] = -bounds[i]
        enough = CLOSER * tol
        sum_lines(gram, s0, s1, size0, beta, scores)
        steps[p] = 0
        for _ in range(TURNS):
            for k in range(size):
                v[k] = sign[0, k] - scores[k]
            steps[p] += step_pairs(
                gram, s0, s1, size0, sign[0], costs, low, high, diagonal, beta, v, enough, ROUNDING, most - steps[p]
            )
            for k in range(size):
                alpha[0, k] = beta[k] * sign[0, k]
            balance(alpha, sign)
            for k in range(size):
                beta[k] = alpha[0, k] * sign[0, k]
            total = 0.0
            for k in range(size):
                total += alpha[0, k]  # exact
            held = sum_lines(gram, s0, s1, size0, beta, scores)
            each = (twice_gamma(held + 4) * largest + entry) * total * surely
            b = middle(sign[0], low, high, beta, scores)
            for k in range(size):
                short[k] = 1.0 - sign[0, k] * (scores[k] + b)
                error[k] = each + twice_gamma(8) * (1.0 + abs(scores[k]) + abs(b))
            found[p, 0] = b
            bounded(costs, short, error, total, square_above(beta, scores, each, shift, surely), surely, found[p])
            if steps[p] >= most or found[p, 1] - found[p, 2] <= tol * found[p, 1] or not found[p, 1] < np.inf:
                break
            enough *= STRICTER
        for k in range(size):
            if k < size0:
                shares[line0, s0 + k] = beta[k]
            else:
                shares[line1, s1 + k - size0] = beta[k]


@kernel
def step_pairs(gram, s0, s1, size0, sign, costs, low, high, diagonal, beta, v, enough, least, most):
    """Steps on pairs of the rows of two stretches until the gap is ``enough`` of P or no violation is above ``least``, up to a largest
    number of steps; returns their number."""
    size = beta.size
    size1 = size - size0
    for step in range(most):
        i, top, bottom = -1, -np.inf, np.inf
        for k in range(size):
            if beta[k] < high[k] and v[k] > top:
                i, top = k, v[k]
            if beta[k] > low[k] and v[k] < bottom:
                bottom = v[k]
        if i < 0 or not top - bottom > least:
            return step
        if enough > 0 and step % LOOK == 0 and small_gap(sign, costs, beta, v, 0.5 * (top + bottom), enough):
            return step
        line = gram[s0 + i if i < size0 else s1 + i - size0]
        j, gain, bend = -1, 0.0, 1.0
        for k in range(size0):  # the gain is (top - v)^2 / curvature: compared without dividing
            if beta[k] > low[k] and v[k] < top:
                fall, curvature = top - v[k], max(diagonal[i] + diagonal[k] - 2.0 * line[s0 + k], FLATTEST)
                if fall * fall * bend > gain * curvature:
                    j, gain, bend = k, fall * fall, curvature
        for k in range(size0, size):
            if beta[k] > low[k] and v[k] < top:
                fall, curvature = top - v[k], max(diagonal[i] + diagonal[k] - 2.0 * line[s1 - size0 + k], FLATTEST)
                if fall * fall * bend > gain * curvature:
                    j, gain, bend = k, fall * fall, curvature
        if j < 0:  # (a gain too small for floats)
            return step
        other = gram[s0 + j if j < size0 else s1 + j - size0]
        t = min((top - v[j]) / bend, high[i] - beta[i], beta[j] - low[j])
        beta[i] = high[i] if t == high[i] - beta[i] else beta[i] + t
        beta[j] = low[j] if t == beta[j] - low[j] else beta[j] - t
        for k in range(size0):
            v[k] -= t * (line[s0 + k] - other[s0 + k])
        for k in range(size1):
            v[size0 + k] -= t * (line[s1 + k] - other[s1 + k])
    return most


@helper
def small_gap(sign, costs, beta, v, b, enough):
    """Whether the gap, with this bias, is at most ``enough`` of P."""
    gap, dual = 0.0, 0.0
    for k in range(beta.size):
        gap += costs[k] * max(0.0, sign[k] * (v[k] - b)) - beta[k] * v[k]
        dual += 0.5 * beta[k] * (sign[k] + v[k])
    return gap <= enough * (dual + gap)


@kernel
def sum_lines(gram, s0, s1, size0, beta, scores):
    """``sum_j beta_j k_ij`` of every row; returns how many beta are not zero."""
    for k in range(beta.size):
        scores[k] = 0.0
    size1, held = beta.size - size0, 0
    for j in range(beta.size):
        if beta[j] != 0:
            line = gram[s0 + j if j < size0 else s1 + j - size0]
            held += 1
            for k in range(size0):
                scores[k] += beta[j] * line[s0 + k]
            for k in range(size1):
                scores[size0 + k] += beta[j] * line[s1 + k]
    return held


@helper
def middle(sign, low, high, beta, scores):
    """The mean of the biases that rows inside their bounds ask for; of none, the middle of those that all rows allow."""
    total, count, top, bottom = 0.0, 0, -np.inf, np.inf
    for k in range(beta.size):
        asked, near = sign[k] - scores[k], AT * (high[k] - low[k])  # (beta may have left its bound to balance others)
        above, below = beta[k] > low[k] + near, beta[k] < high[k] - near
        if above and below:
            total += asked
            count += 1
        if below:
            top = max(top, asked)
        if above:
            bottom = min(bottom, asked)
    return total / count if count > 0 else 0.5 * (top + bottom)


# Working sets


def _single(sums: KernelSums) -> bool:
    """Whether float32 holds kernel values well enough to begin with."""
    if isinstance(sums.kernel, RBF):
        largest = float(sums.near.squares.max())
        return SINGLE_VALUES[0] <= largest <= SINGLE_VALUES[1] and sums.kernel.gamma * largest <= SINGLE_EXPONENT
    return SINGLE_VALUES[0] <= float(sums.kernel.diagonal(sums.near).max()) <= SINGLE_VALUES[1]


class KernelLines:
    """Lines of kernel values, of a row with all rows: those used last are kept, within a limit of memory."""

    def __init__(self, sums: KernelSums, limit: float, kind: Any, clock: Clock) -> None:
        """``limit`` is in bytes; there is room for a small working set in any case."""
        self.kernel, self._clock = sums.kernel, clock
        rows, columns = sums.near.X.shape
        self.points = sums.near
        if sums.symmetric:
            self.points = sums.near._replace(X=sums.near.X.astype(kind, copy=False))
        room = int(min(rows, max(LEAST_SET, limit // (np.dtype(kind).itemsize * rows))))
        self.set = min(2 * SET if columns >= WIDE else SET, max(LEAST_SET, room // 2), rows)
        self.values = np.empty((room, rows), kind)  # takes no memory before it is written
        self._row = np.full(room, -1)  # whose line it is
        self._used = np.arange(-room, 0)  # when last; places never used come first, in order, as memory is given out
        self._place = np.full(rows, -1)
        self._mirrored = sums.symmetric and columns >= WIDE and room == rows
        self._time = 0

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Where in ``values`` the lines of these rows are; those not kept are computed."""
        self._time += 1
        kept = self._place[rows]
        self._used[kept[kept >= 0]] = self._time
        new = rows[kept < 0]
        if new.size:
            oldest = np.sort(np.argpartition(self._used, new.size - 1)[: new.size])
            gone = self._row[oldest]
            self._place[gone[gone >= 0]] = -1
            self._row[oldest] = -1
            some = self.points.take(new)
            kept = np.flatnonzero(self._place >= 0) if self._mirrored else np.empty(0, np.intp)
            others = np.flatnonzero(self._place < 0) if kept.size else np.arange(self._place.size)
            for tile in parts(others.size, max(64, TILE // new.size)):
                self._clock.tick()
                columns = others[tile]
                put_block(
                    self.values,
                    oldest,
                    columns,
                    self.kernel.values(some, self.points.take(columns if kept.size else tile)),
                )
            mirror_lines(self.values, oldest, new, self._place[kept], kept)
            self._row[oldest], self._place[new], self._used[oldest] = new, oldest, self._time
        return self._place[rows]


@kernel
def put_block(lines, places, columns, block):
    """Some columns of some lines, into them."""
    for i in range(places.size):
        line = lines[places[i]]
        for j in range(columns.size):
            line[columns[j]] = block[i, j]


@kernel
def mirror_lines(lines, places, rows, kept_places, kept):
    """In the lines of ``rows``, the values with the rows ``kept``: those are in the lines of these."""
    for first in range(0, kept.size, MIRRORED):
        last = min(first + MIRRORED, kept.size)
        for i in range(rows.size):
            line = lines[places[i]]
            for k in range(first, last):
                line[kept[k]] = lines[kept_places[k], rows[i]]


@kernel
def take_block(lines, places, columns, block):
    """Some columns of some lines."""
    for i in range(places.size):
        line = lines[places[i]]
        for j in range(columns.size):
            block[i, j] = line[columns[j]]


@kernel
def add_lines(scores, sizes, change, lines, places):
    """``scores += change[i] * lines[places[i]]`` for all i, four at a time, a part of the columns after the other; the same with
    ``|change[i]|`` for ``sizes``, unless they are empty."""
    fours = change.size - change.size % 4
    for first in range(0, scores.size, COLUMNS):
        last = min(first + COLUMNS, scores.size)
        for i in range(0, fours, 4):
            a, b, c, d = change[i], change[i + 1], change[i + 2], change[i + 3]
            one, two, three, four = lines[places[i]], lines[places[i + 1]], lines[places[i + 2]], lines[places[i + 3]]
            for j in range(first, last):
                scores[j] += (a * one[j] + b * two[j]) + (c * three[j] + d * four[j])
            if sizes.size:
                a, b, c, d = abs(a), abs(b), abs(c), abs(d)
                for j in range(first, last):
                    sizes[j] += (a * one[j] + b * two[j]) + (c * three[j] + d * four[j])
        for i in range(fours, change.size):
            a, one = change[i], lines[places[i]]
            for j in range(first, last):
                scores[j] += a * one[j]
            if sizes.size:
                for j in range(first, last):
                    sizes[j] += abs(a) * one[j]


class _Sets:
    """One problem, solved by working sets."""

    def __init__(
        self, sums: KernelSums, lines: KernelLines, signs: np.ndarray, bounds: np.ndarray, tol: float, clock: Clock
    ) -> None:
        self.sums, self.lines, self.signs, self.bounds, self.tol, self.clock = sums, lines, signs, bounds, tol, clock
        self.low, self.high = np.where(signs > 0, 0.0, -bounds), np.where(signs > 0, bounds, 0.0)
        self.diagonal = sums.kernel.diagonal(sums.near)
        self.best, self.best_beta = no_support(signs, bounds), np.zeros(signs.size)
        self.rounds, self.history = 0, list[tuple[float, float]]()

    def solve(self, start: np.ndarray) -> KernelOutcome:
        """From ``start``: turns, each until the gap seems small enough; then it is proved, or the next turn asks for more, from scores made
        again."""
        self._follow(start, np.zeros(start.size), np.zeros(start.size))
        if start.any():
            self._judge(start)
        asked = CLOSER * self.tol
        while True:
            with suppress(OutOfTime):
                self._turn(asked)
            before = self.best.gap
            try:
                self._judge(self.beta)
            except OutOfTime:  # there is no time to prove more than the steps know
                error = self._errors()
                if np.isfinite(error).all():
                    found = self.sums.rough(self.beta, self.signs, self.bounds, self.scores, error)
                    if found.answer.gap <= self.best.gap:
                        self.best, self.best_beta = found.answer, found.beta
            if self.best.gap <= self.tol or self.best.gap > PROGRESS * before or self.clock.over:
                break
            asked *= STRICTER
        if not self.clock.over and self.beta.any():
            with suppress(OutOfTime):
                self._lift()
        self.history.append((self.clock.seconds, self.best.gap))
        return KernelOutcome(self.best, self.rounds, self.history, reason_of(self.best.gap, self.tol, self.clock))

    def _follow(self, beta: np.ndarray, scores: np.ndarray, error: np.ndarray) -> None:
        """Go on from this beta, whose scores err by at most ``error``."""
        self.beta, self.scores, self.error = beta.copy(), scores.copy(), error
        self.moved = 0.0  # by how much beta has changed since, in all
        # of "rbf" in float32: sums of |change of beta| k_ij, which bound the errors of changes of scores
        single = isinstance(self.sums.kernel, RBF) and self.lines.values.dtype == np.float32
        self.sizes = np.zeros(beta.size if single else 0)

    def _judge(self, beta: np.ndarray) -> None:
        """Prove what is possible of this beta, go on from there, and keep it if it is the best."""
        known = (self.scores, self._errors()) if self.sizes.size and beta is self.beta else None
        found = self.sums.proved(beta, self.signs, self.bounds, self.tol, known)
        self._follow(found.beta, found.scores, found.error)
        if found.answer.gap < self.best.gap:
            self.best, self.best_beta = found.answer, found.beta

    def _errors(self) -> np.ndarray:
        """What scores may err by, with the errors of kernel values and of adding them up."""
        adding = (self.rounds + 1) * twice_gamma(2 * self.lines.set + 8)
        if self.sizes.size:
            return self.error + (self.off + adding) * self.sizes * self.sums.surely + TINY_SINGLE * self.moved
        facts = self.sums.facts_in(unit_of(self.lines.values.dtype))
        return self.error + (facts.entry + adding * facts.largest) * self.moved * facts.surely

    @cached_property
    def off(self) -> np.ndarray:
        return self.sums.single_errors()

    def _lift(self) -> None:
        """Of rows that can be separated and a large C, slacks of one rounding cost more than all else: a little more of every beta makes
        them vanish, and costs as little."""
        beta = self.beta.copy()
        for part in LIFTS:
            lifted = (1.0 + part) * beta
            if self.best.gap > self.tol and np.all(np.abs(lifted) < self.bounds):
                self._judge(lifted)

    def _turn(self, asked: float) -> None:
        """Working sets until the gap seems to be at most ``asked``, or nothing gets better."""
        self._fresh = np.empty(0, dtype=np.intp)
        least, duals = [inf], [-inf]
        signs, bounds = self.signs, self.bounds
        while not self.clock.over:
            beta, v = self.beta, signs - self.scores
            up, down = np.where(beta < self.high, v, -inf), np.where(beta > self.low, v, inf)
            top, bottom = float(up.max()), float(down.min())
            b = 0.5 * (top + bottom)
            gap = float(bounds @ np.maximum(0.0, signs * (v - b))) - float(beta @ v)
            dual = 0.5 * float(beta @ (signs + v))
            primal = dual + gap
            if self.sizes.size and gap <= asked * primal:
                lost = float((bounds * (signs * (v - b) > 0) + 0.5 * np.abs(beta)) @ self._errors())
                primal -= (
                    lost if lost < 0.5 * primal else 0.0
                )  # the least that P may be, beside which a gap is proved to be small
            gap = gap / primal if primal > 0 else inf
            self.history.append((self.clock.seconds, gap))
            self.clock.note("smo", self.rounds, gap)
            least.append(min(gap, least[-1]))
            duals.append(dual)
            stuck = (
                len(least) > PATIENCE
                and least[-1] > PROGRESS * least[-PATIENCE]
                and dual < duals[-PATIENCE] + self.tol * abs(dual)
            )
            if gap <= asked or stuck or not top > bottom:
                return
            working = self._working_set(up, down)
            places = self.lines.places(working)
            block, mine = np.empty((working.size, working.size)), beta[working]
            take_block(self.lines.values, places, working, block)
            step_pairs(
                block,
                0,
                0,
                working.size,
                signs[working],
                bounds[working],
                self.low[working],
                self.high[working],
                self.diagonal[working],
                mine,
                v[working],
                0.0,
                WITHIN * (top - bottom),
                max(STEPS * working.size, FEW // working.size),
            )
            change = mine - beta[working]
            moves = np.flatnonzero(change)
            add_lines(self.scores, self.sizes, change[moves], self.lines.values, places[moves])
            self.moved += float(np.abs(change).sum())
            beta[working] = mine
            self.rounds += 1

    def _working_set(self, up: np.ndarray, down: np.ndarray) -> np.ndarray:
        """The rows that violate the conditions most, from both sides, and half of the set before, in ascending order."""
        size = self.lines.set
        kept = self._fresh[: size // 2] if size < up.size else self._fresh[:0]
        up[kept], down[kept] = -inf, inf
        half = max(1, (size - kept.size) // 2)
        highest = np.argpartition(-up, half - 1)[:half]
        lowest = np.argpartition(down, half - 1)[:half]
        self._fresh = np.unique(np.concatenate([highest[up[highest] > -inf], lowest[down[lowest] < inf]]))
        return np.union1d(kept, self._fresh)
