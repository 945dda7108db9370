"""Dual coordinate descent, for sparse rows and rows of many columns.

With signs ``y_i``, a bound ``C_i`` of every row and slacks ``xi_i = max(0, 1 - y_i (w.x_i + b))``, what is solved is

    primal    min  1/2 |w|^2 + sum_i C_i xi_i                                     (squared hinge: C_i xi_i^2)
    dual      max  sum_i (alpha_i - q_i/2 alpha_i^2) - 1/2 |w|^2,   w = sum_i alpha_i y_i x_i,   0 <= alpha_i <= U_i ,
              and sum_i alpha_i y_i = 0 if there is a bias

(hinge: ``U_i = C_i, q_i = 0``; squared hinge: no bound, ``q_i = 1 / (2 C_i)``).  One ``alpha_i`` after the other moves to where the dual
is largest along it (Hsieh, Chang, Lin, Keerthi & Sundararajan 2008), with w kept up to date:

    alpha_i <- min(max(alpha_i - G_i / Q_ii, 0), U_i),     G_i = y_i (w.x_i + b) - 1 + q_i alpha_i,   Q_ii = |x_i|^2 + q_i + c^2 .

*Working set.*  Rows at a bound that holds them are left out of the next sweeps, until a look at all rows brings back those that would move.

*Bias.*  Its condition is met by the method of multipliers (Hestenes 1969, Powell 1969): within a sweep ``b`` moves with ``alpha`` as the
weight of a constant feature c would, and after it the penalty that this feature stands for is moved to where ``b`` is now.  It begins
where it is best for zero weights: where one class has few rows, that is most of the way.

*Stop.*  A row with the score a_i adds ``C_i xi_i - alpha_i (1 - y_i a_i) + q_i/2 alpha_i^2`` to the gap, and rows that are left out add
nothing as long as they would not move.  So a sweep estimates the gap at no cost, and the look at it, which reads all rows, comes when the
estimate is small enough or a small part of the last gap, or after some sweeps.

*Slow sweeps.*  Which rows lie on the margin, ``0 < alpha_i < U_i``, is soon known, their numbers take long: the longer, the more alike
rows are, and the larger C is.  That is where another solver goes on.
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

from math import inf, log
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from ..compiled.jit import in_place
from ..learn.orders import shuffle
from ..learn.rows import add, as_rows, fetch, natural, products
from ..system.clock import Clock
from .audit import Candidate, Fit
from .balance import balance
from .choose import MOST_MATRIX
from .objectives import Hinge, SquaredHinge

CONSTANT = 0.03  # of the rows' mean square: the square of the constant feature that stands for the bias
ALMOST = 1e-12  # gradients below this are zero
PORTION = 20_000_000  # values that are read between two looks at the clock
IN_CACHE, AHEAD = 250_000, 8  # of more values, rows are fetched so many steps before they are read
FEWEST_READ, NEXT_LOOK, RARELY = 3, 0.5, 50  # reads of all rows to the next look: a part of those so far, and limits
# Reads of all sparse or dense rows that the gap may take as it falls, but no more than columns; of the hinge, of very many rows and columns.
MOST_READ, MOST_DENSE_READ, MOST_WIDE_READ = 600, 20, 10_000
SMALL, FASTER, SURE = (
    0.3,
    20,
    10,
)  # a gap from which on it falls steadily; before, it may come to fall so many times faster, from so many reads on
SLOW_LOOKS = 3  # in a row are enough to give up
CROWD = 4  # support vectors of dense rows a column, at most: beyond, sweeps get on slowly, and other solvers fast
FALL, HALF = (
    0.05,
    0.5,
)  # parts of the last gap that the estimate falls to before the next look: at first, and where that is enough
NEXT_SWEEP, NEXT_OUTPUT = np.uint64(0xD1B54A32D192ED03), np.uint64(0x8CB92BA72F3D8DD7)  # from seed to seed

ALPHA, SIGN, UPPER, EXTRA, SQUARE = range(5)  # what is known of a row, side by side in memory
PHASE, PLACE, LEFT, KEPT, SWEEPS, READ, DUE = range(7)  # counts: LEFT rows still move; READ rows so far, a look at DUE
BIAS, BASE, PRIMAL, BEST_BIAS, GAP = range(5)  # numbers
SWEEPING, SCORING = range(2)  # phases
ON, LOOKED, ENDED = range(3)  # what a call ends with


class Work(NamedTuple):
    """Where the descent for an output is, between two calls."""

    facts: np.ndarray  # (rows, 5)
    order: np.ndarray  # of rows; those first that still move
    scores: np.ndarray  # w.x of every row, at the last look
    misses: np.ndarray  # what each row adds to the gap
    alpha: np.ndarray  # in balance
    w: np.ndarray  # (1, columns): weights of the alphas
    other: np.ndarray  # weights of alphas in balance
    best: np.ndarray  # (columns,): weights of the smallest primal value so far
    counts: np.ndarray
    numbers: np.ndarray
    room: np.ndarray  # for a score and a step


def descend(
    loss: Hinge,
    fit: Fit,
    tol: float,
    clock: Clock,
    start: Candidate | None,
    rng: np.random.Generator,
) -> Candidate | None:
    """The problem of every output, until the gap is about ``tol``, the time is over, or another solver would be quicker; where that is so for most outputs, others
    stay at zero.  None: for all of them there are too many support vectors.
    """
    X, intercept, signs, bounds, squared = fit.X, fit.intercept, loss.signs, loss.bounds, isinstance(loss, SquaredHinge)
    rows, (count, columns), outputs = as_rows(X, 1), X.shape, len(signs)
    squares = row_norms(X, squared=True).astype(float)
    constant2 = CONSTANT * float(squares.mean()) if intercept else 0.0
    facts = np.empty((count, 5))
    facts[:, UPPER] = np.inf if squared else bounds
    facts[:, EXTRA] = 0.5 / bounds if squared else 0.0
    facts[:, SQUARE] = squares + facts[:, EXTRA] + constant2
    values = X.nnz if sparse.issparse(X) else X.size
    ahead, portion = AHEAD if values > IN_CACHE else count, max(1, PORTION * count // max(1, values))
    reads = MOST_READ if sparse.issparse(X) else MOST_DENSE_READ
    if not squared and min(X.shape) > MOST_MATRIX:  # without matrices, Newton's method takes long for the hinge
        reads = MOST_WIDE_READ
    most = max(SURE, min(reads, columns)) * count
    crowd = inf if sparse.issparse(X) else CROWD * columns
    seeds = np.arange(outputs, dtype=np.uint64) * NEXT_OUTPUT + np.uint64(rng.bit_generator.random_raw())
    scores, misses, even = np.zeros((3, count))
    w, other, best = natural(rows, np.zeros((1, columns))), natural(rows, np.zeros((1, columns))), np.zeros(columns)
    counts, numbers, order = np.zeros(7, np.int64), np.zeros(5), np.arange(count)
    work = Work(facts, order, scores, misses, even, w, other, best, counts, numbers, np.zeros(2))
    coef, bias, alphas = np.zeros((outputs, columns)), np.zeros(outputs), np.zeros((outputs, count))
    sweeps, failed, crowded = np.zeros(outputs, np.int64), 0, 0
    for k in range(outputs):
        if clock.over or 2 * failed > max(k, 1):
            break
        alpha = None if start is None or start.shares is None else start.shares[:, k] * signs[k]
        _begin(work, X, bounds, signs[k], intercept, alpha, 0.0 if start is None else float(start.bias[k]))
        before, read, slow = 1.0, 0, 0
        while True:
            stretch = portion if work.counts[SWEEPS] else min(portion, count)  # a crowd shows after the first sweep
            status = advance(rows, bounds, work, constant2, tol, ahead, seeds[k], stretch)
            gap, done = float(work.numbers[GAP]), int(work.counts[READ])
            clock.note("descent", int(work.counts[SWEEPS]), gap)
            if status == ENDED or clock.over:
                break
            many = int(np.count_nonzero(facts[:, ALPHA])) > crowd
            if status == ON and not many:
                continue
            faster = 1 if gap < SMALL else FASTER if done > SURE * count else inf
            slow = slow + 1 if log(before / gap) * most * faster < log(gap / tol) * (done - read) else 0
            if many or slow >= SLOW_LOOKS or done >= most:
                failed, crowded = failed + 1, crowded + many
                break
            before, read = gap, done
        coef[k], bias[k], sweeps[k] = work.best, work.numbers[BEST_BIAS], work.counts[SWEEPS]
        alphas[k] = facts[:, ALPHA]
        if intercept:
            into_balance(facts, alphas[k])
    if crowded and crowded == np.count_nonzero(sweeps):
        return None
    if intercept:
        balance(alphas, signs)
    return Candidate(coef, bias, sweeps, (alphas * signs).T)


def _begin(
    work: Work, X: Any, bounds: np.ndarray, signs: np.ndarray, intercept: bool, alpha: np.ndarray | None, b: float
) -> None:
    """From these alphas and this bias, or from zero and the bias that is best for zero weights."""
    facts, numbers, counts = work.facts, work.numbers, work.counts
    facts[:, SIGN], facts[:, ALPHA] = signs, 0.0
    for part in (work.w, work.best, work.scores, counts, numbers):
        part[...] = 0
    work.order[:] = np.arange(bounds.size)
    counts[LEFT], counts[DUE] = bounds.size, FEWEST_READ * bounds.size
    if intercept:
        lean = float(signs @ bounds)
        numbers[BEST_BIAS] = lean / float(bounds.sum()) if facts[0, EXTRA] > 0 else np.sign(lean)
    numbers[PRIMAL] = cost(bounds, facts, work.scores, numbers[BEST_BIAS])
    numbers[GAP] = 1.0
    numbers[BIAS] = numbers[BEST_BIAS]
    if alpha is not None and alpha.any():
        facts[:, ALPHA] = np.clip(alpha, 0.0, facts[:, UPPER])
        work.w[0] = X.T @ (facts[:, ALPHA] * signs)
        numbers[BIAS], counts[PHASE] = b, SCORING
    numbers[BASE] = numbers[BIAS]


@in_place
def advance(rows, bounds, work, constant2, enough, ahead, seed, portion):
    """Go on for so many rows; returns ENDED when the gap is ``enough`` of P, and LOOKED after a look that sweeps did not ask for."""
    facts, order, counts, numbers = work.facts, work.order, work.counts, work.numbers
    count, spent = bounds.size, 0
    while spent < portion:
        first, end = counts[PLACE], counts[LEFT] if counts[PHASE] == SWEEPING else count
        last = min(end, first + portion - spent)
        spent += last - first + 1
        counts[PLACE] = last if last < end else 0
        if counts[PHASE] == SWEEPING:
            if first == 0:
                shuffle(order[:end], seed + np.uint64(counts[SWEEPS]) * NEXT_SWEEP)
                counts[KEPT] = 0
            counts[KEPT] = sweep(rows, work, first, last, end, counts[KEPT], constant2, ahead)
            if last < end:
                continue
            counts[READ] += end
            counts[SWEEPS] += 1
            counts[LEFT] = counts[KEPT]
            numbers[BIAS], numbers[BASE] = 2.0 * numbers[BIAS] - numbers[BASE], numbers[BIAS]
            estimate = estimated(work)
            asked = max(FALL * numbers[GAP], min(enough, HALF * numbers[GAP])) * numbers[PRIMAL]
            if counts[LEFT] == 0 or counts[READ] >= counts[DUE] or estimate <= asked:
                counts[PHASE] = SCORING
        else:
            for i in range(first, last):
                products(rows, i, work.w, work.room)
                work.scores[i] = work.room[0]
            if last < end:
                continue
            counts[READ] += count
            numbers[GAP] = look(rows, bounds, work, constant2 > 0, enough)
            if numbers[GAP] <= enough:
                return ENDED
            counts[PHASE], counts[LEFT] = SWEEPING, still_moving(facts, work.scores, numbers, order)
            if counts[READ] >= counts[DUE]:
                counts[DUE] = counts[READ] + max(
                    FEWEST_READ * count, min(int(NEXT_LOOK * counts[READ]), RARELY * count)
                )
                return LOOKED
    return ON


@in_place
def sweep(rows, work, first, last, end, kept, constant2, ahead):
    """Move the alphas of the rows ``order[first:last]`` one after the other; rows that stay active come first in ``order``, and their number
    is returned.  Rows up to ``order[end]`` are fetched so many steps ahead."""
    facts, order, numbers, misses = work.facts, work.order, work.numbers, work.misses
    score, step = work.room[:1], work.room[1:]
    for k in range(first, last):
        i = order[k]
        if k + ahead < end:
            fetch(rows, order[k + ahead])
        products(rows, i, work.w, score)
        alpha, sign, upper, extra, square = facts[i, 0], facts[i, 1], facts[i, 2], facts[i, 3], facts[i, 4]
        short = 1.0 - sign * (score[0] + numbers[BIAS])
        gradient = extra * alpha - short
        if (alpha <= 0 and gradient > 0) or (alpha >= upper and gradient < 0):
            continue
        order[kept] = i
        kept += 1
        misses[i] = missed(short, alpha, upper, extra)
        if square <= 0:  # a row of zeros, and no bias: its slack is 1 whatever the weights
            facts[i, ALPHA] = upper
        elif abs(gradient) > ALMOST:
            facts[i, ALPHA] = min(max(alpha - gradient / square, 0.0), upper)
            step[0] = (facts[i, ALPHA] - alpha) * sign
            add(rows, i, work.w, step)
            numbers[BIAS] += constant2 * step[0]
    return kept


@in_place
def look(rows, bounds, work, intercept, enough):
    """The relative gap, from the scores of all rows: cheaply, and only where that is small enough, with the alphas in balance."""
    facts, numbers, columns = work.facts, work.numbers, work.best.size
    square, b = 0.0, numbers[BIAS]
    for j in range(columns):
        square += work.w[0, j] * work.w[0, j]
    value = 0.5 * square + cost(bounds, facts, work.scores, b)
    gap = missing(facts, work.scores, b)
    if value < numbers[PRIMAL]:
        numbers[PRIMAL], numbers[BEST_BIAS] = value, b
        for j in range(columns):
            work.best[j] = work.w[0, j]
    if gap > enough * value:
        return gap / value
    return (numbers[PRIMAL] - dual_of(rows, work, intercept)) / numbers[PRIMAL]


@in_place
def estimated(work):
    """What the rows that still move add to the gap, as each was before its move."""
    total = 0.0
    for k in range(work.counts[LEFT]):
        total += work.misses[work.order[k]]
    return total


@in_place
def missed(short, alpha, upper, extra):
    """What a row adds to the gap."""
    if short <= 0:
        return 0.5 * extra * alpha * alpha - alpha * short
    if extra > 0:
        return 0.5 * (short - extra * alpha) ** 2 / extra
    return (upper - alpha) * short


@in_place
def missing(facts, scores, b):
    """The gap of weights with these scores, as long as alphas are about in balance."""
    total = 0.0
    for i in range(scores.size):
        total += missed(1.0 - facts[i, 1] * (scores[i] + b), facts[i, 0], facts[i, 2], facts[i, 3])
    return total


@in_place
def cost(bounds, facts, scores, b):
    """What the slacks cost."""
    total = 0.0
    for i in range(bounds.size):
        slack = max(0.0, 1.0 - facts[i, 1] * (scores[i] + b))
        total += bounds[i] * slack * (slack if facts[i, 3] > 0 else 1.0)
    return total


@in_place
def dual_of(rows, work, intercept):
    """D of alpha in balance: only rows whose alpha changes for that are read."""
    facts, alpha, one = work.facts, work.alpha, work.room
    for i in range(alpha.size):
        alpha[i] = facts[i, 0]
    for j in range(work.best.size):
        work.other[0, j] = work.w[0, j]
    if intercept:
        into_balance(facts, alpha)
        for i in range(alpha.size):
            if alpha[i] != facts[i, 0]:
                one[0] = (alpha[i] - facts[i, 0]) * facts[i, 1]
                add(rows, i, work.other, one)
    total = 0.0
    for i in range(alpha.size):
        total += alpha[i] - 0.5 * facts[i, 3] * alpha[i] * alpha[i]
    for j in range(work.best.size):
        total -= 0.5 * work.other[0, j] * work.other[0, j]
    return total


@in_place
def into_balance(facts, alpha):
    """The heavier class scaled down to the weight of the other, except for rounding: of its rows those inside their bounds, if that is enough."""
    up, down, inside_up, inside_down = 0.0, 0.0, 0.0, 0.0
    for i in range(alpha.size):
        inside = alpha[i] if alpha[i] < facts[i, 2] else 0.0
        if facts[i, 1] > 0:
            up += alpha[i]
            inside_up += inside
        else:
            down += alpha[i]
            inside_down += inside
    sign = 1.0 if up > down else -1.0
    excess, whole, inside = abs(up - down), max(up, down), inside_up if up > down else inside_down
    if not excess > 0:
        return
    some = inside > 2 * excess
    total = inside if some else whole
    for i in range(alpha.size):
        if facts[i, 1] == sign and not (some and alpha[i] >= facts[i, 2]):
            alpha[i] *= (total - excess) / total


@in_place
def still_moving(facts, scores, numbers, order):
    """All rows are active again except those that a bound holds; returns how many."""
    left = 0
    for i in range(scores.size):
        alpha = facts[i, 0]
        gradient = facts[i, 1] * (scores[i] + numbers[BIAS]) - 1.0 + facts[i, 3] * alpha
        if not ((alpha <= 0 and gradient > 0) or (alpha >= facts[i, 2] and gradient < 0)):
            order[left] = i
            left += 1
    return left
