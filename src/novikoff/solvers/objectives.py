"""Objectives: the losses of solvers, each with what a solver and what a proof needs of it (ALGORITHMS 12).

What is solved is ``P(w, b) = l2/2 |w|^2 + sum_i s_i phi_i(a_i)``, ``a = w.x + b``, for one output or several.  Here are the losses phi: their
value, slope and curvature by the scores, and what ``audit`` needs: of the smooth ones a dual point for scores (``dual``), of those with
margins the conjugate c with its domain, all with the rounding that a proof allows for.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import NamedTuple, Self

import numpy as np
from scipy.special import xlogy

from ..checks.arrays import parts
from ..system.rounding_error import UNIT, gamma, sum_room, unit_of
from .balance import balance as even_out
from .balance import balanced, circulating, circulation, flows_of, on_a_grid

LIBRARY = 8  # units: the largest error of a function of the library, relative
BIAS_STEPS = 50  # of the search for the best bias
FAR = 800.0  # beyond the largest score: a bias that gives every row to one class, as far as floats can tell
ROUNDED = UNIT**0.5  # of squares: a rounded bias leaves UNIT^2 of them, which is to be little beside UNIT times this
BENDS_NEAR = 0.01  # of 1 and the bias: how far from the bias that a solver found the best one is looked for first
SMALL_FLOWS = 1e-12  # of all flows is taken off row by row, without regard to where it hurts least
AT_ONCE = 1 << 16  # numbers of scores at a time, which stay in the processor's cache
LEAST = 1e-290  # probabilities below this have lost digits: each may add so much to an excess
NEARLY_EVEN = 1e-12  # of all shares: what is taken off the largest at once, instead of off all of them
EVEN_BIAS = 1e-11  # likewise of smooth losses, where what is left counts by its square
EVEN = 1e-13  # of the sum of all shares: what a best bias may leave of their sum, before it is taken off exactly


class SmoothDual(NamedTuple):
    """What the scores of a smooth loss prove (``audit``), each with its rounding error."""

    near: np.ndarray  # (outputs,): the bias, for rows as the scores have them
    shares: np.ndarray  # (rows, outputs)
    excess: np.ndarray  # (problems,): sum of s (phi(a) + phi*(-alpha) + alpha a), not below the truth
    value: np.ndarray  # (problems,): the loss, not above the truth
    lengths: np.ndarray  # (outputs,): sqrt(sum_i A_i^2 / s_i) of the shares, not below the truth
    rounding: np.ndarray | float  # (problems,): scores may be wrong by so much besides, as a sum of squares


class CrossEntropy:
    """``log(1 + exp(-s y a))`` of two classes: ``A = w s y q`` with 0 <= q <= 1, q the probability of the wrong class, and c is q's entropy.

    A solver's scores and slopes are (1, rows), in its own floats; those of a proof are (rows, 1).
    """

    joint = False  # whether all outputs are one problem
    separable = False  # whether pieces of rows can be looked at one by one, with no regard to the sum of shares

    def __init__(self, target: np.ndarray, weight: np.ndarray, slope: float) -> None:
        self._signs = np.where(target == 1, 1.0, -1.0)  # (of 0 and 1, or of False and True)
        self.weight = weight if weight.size else np.ones(len(target))
        self._slope, self._room = slope, sum_room(len(target) + 4 * LIBRARY)
        self._pulls: np.ndarray | None = None  # -w s y, in a solver's floats
        self.curvature = 0.25 * slope**2  # the largest of a row of weight 1

    def descend(self, scores: np.ndarray) -> float:
        """The loss of all rows; scores become slopes, the loss by them."""
        if self._pulls is None or self._pulls.dtype != scores.dtype:
            self._pulls = (-self._slope * self.weight * self._signs).astype(scores.dtype)
            self._steep, self._own = (self._slope * self._signs).astype(scores.dtype), self.weight.astype(scores.dtype)
        margins = self._steep * scores[0]
        small = np.exp(-np.abs(margins))
        losses = np.log1p(small)
        losses -= np.minimum(margins, 0)
        np.divide(np.where(margins >= 0, small, 1), 1 + small, out=scores[0])
        scores[0] *= self._pulls
        return float(np.dot(losses.astype(float, copy=False), self.weight))

    def curvatures(self, slopes: np.ndarray | None) -> np.ndarray:
        """The second derivatives of the loss by the scores where it has these slopes, (1, rows); None: for zero scores."""
        if slopes is None:
            return (0.25 * self._slope**2 * self.weight)[None]
        sizes = np.abs(slopes)
        return np.asarray(sizes * np.maximum(0, self._slope - sizes / self.weight))

    def margin(self, scores: np.ndarray) -> float:
        """The smallest margin of a row, times the slope: positive if all are on their right side."""
        return self._slope * float((self._signs * scores[0]).min())

    def some(self, part: slice) -> Self:
        """The same of some rows, which are all."""
        return self

    def class_weights(self) -> np.ndarray:
        """The weight of each class."""
        return np.array([self.weight[self._signs < 0].sum(), self.weight[self._signs > 0].sum()])

    def at_zero(self, intercept: bool) -> float:
        """The loss of zero weights, with their best bias, if there is one."""
        return entropy_of(self.class_weights()) if intercept else float(self.weight.sum()) * np.log(2.0)

    def _chances(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The probability of the wrong class, and the loss, of every row."""
        margins = self._slope * (self._signs * scores)
        small = np.exp(-np.abs(margins))
        return np.where(margins >= 0, small, 1.0) / (1 + small), np.log1p(small) - np.minimum(margins, 0.0)

    def _best_bias(self, scores: np.ndarray, bias: float) -> float:
        """That of these scores without a bias, nearly."""
        far = float(np.abs(scores).max()) + FAR / self._slope
        low, high, b = -far, far, min(max(bias, -far), far)
        for _ in range(BIAS_STEPS):
            wrong, losses = self._chances(scores + b)
            pulls = self.weight * wrong
            pull, bend = float(self._signs @ pulls), float(pulls @ np.exp(-losses)) * self._slope
            if abs(pull) <= EVEN_BIAS * float(pulls.sum()):
                break
            low, high = (b, high) if pull > 0 else (low, b)
            there = b + pull / bend if bend > 0 else inf
            there = there if low < there < high else 0.5 * (low + high)
            if there == b:
                break
            b = there
        return b

    def dual(self, scores: np.ndarray, near: np.ndarray, even: bool, kept: np.ndarray | None = None) -> SmoothDual:
        """The point of these scores; ``even``: with the best bias, and shares that add up to zero exactly; ``kept``: so much of the shares
        of each class."""
        plain = scores[:, 0].astype(float)
        near = np.array([self._best_bias(plain, float(near[0]))]) if even else near
        wrong, losses = self._chances(plain + near)
        most = self.weight * self._slope * (1 - 2 * UNIT)  # not above the truth: beyond it there is no dual point
        sizes = np.minimum(most * wrong, most)
        if even:
            sizes = balanced(evened(sizes, self._signs), self._signs)
        if kept is not None:
            sizes *= np.where(self._signs > 0, kept[1], kept[0])
        missed = np.abs(wrong - sizes / (self.weight * self._slope)) + 4 * LIBRARY * UNIT * wrong
        return SmoothDual(
            near,
            (sizes * self._signs)[:, None],
            np.array([float(self.weight @ divergence(missed, wrong, losses)) * self._room]),
            np.array([float(self.weight @ losses) * (2 - self._room)]),
            np.array([float(sizes @ (sizes / self.weight)) ** 0.5 * self._room]),
            0.0,
        )

    def farthest_bias(self, primal: np.ndarray, l2: float, radius: float, classes: np.ndarray) -> np.ndarray:
        """See ``farthest_bias``."""
        return farthest_bias(primal, l2, radius, self._slope * float(classes.min()))

    def leads(self, dual: SmoothDual, scores: np.ndarray) -> np.ndarray:
        """How far the score of a row is on its right side of zero, about."""
        return self._signs * (scores[:, 0] + dual.near)


class SoftmaxEntropy:
    """``log sum_k exp(s a_k) - s a_c``, c a row's class: ``A = w s (e_c - q)``, q a distribution, whose entropy is c.

    A solver's scores and slopes are (outputs, rows), in its own floats; those of a proof are (rows, outputs).  Rows are looked at some at a
    time, so that numbers in between stay in the processor's cache.
    """

    joint, separable = True, False

    def __init__(self, target: np.ndarray, weight: np.ndarray, slope: float, outputs: int) -> None:
        self._target, self._places, self._outputs = target, np.arange(len(target)), outputs
        self.weight = weight if weight.size else np.ones(len(target))
        self._weighted = bool(weight.size)
        self._slope, self._room = slope, sum_room(len(target) + 4 * LIBRARY)
        self.curvature = 0.5 * slope**2  # of diag(p) - p p', times the slopes

    def _parts(self) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Some rows at a time: which, their places among themselves, and their classes."""
        for part in parts(len(self._target), max(64, AT_ONCE // self._outputs)):
            target = self._target[part]
            yield part, self._places[: len(target)], target

    def descend(self, scores: np.ndarray) -> float:
        """The loss of all rows; scores become slopes, the loss by them."""
        total, steep = 0.0, scores.dtype.type(self._slope)
        for part, places, target in self._parts():
            a = scores[:, part]
            own = target, places
            if steep != 1:
                a *= steep
            a -= a.max(axis=0)
            lead = a[own]
            np.exp(a, out=a)
            right = a[own]
            a[own] = 0
            rest = a.sum(axis=0)  # of sure rows, 1 less the probability of the own class would be little but rounding
            losses = np.log1p(rest + np.expm1(lead)) - lead
            if self._weighted:
                weight = self.weight[part].astype(a.dtype)
                losses, sizes = losses * weight, weight * steep
            else:
                sizes = steep
            sizes = sizes / (rest + right)
            a *= sizes
            a[own] = -rest * sizes
            total += float(losses.sum(dtype=float))
        return total

    def curvatures(self, slopes: np.ndarray | None) -> np.ndarray:
        """The second derivatives of the loss by a row's own scores, (outputs, rows); None: for zero scores, the same for all outputs."""
        if slopes is None:
            even = 1 / self._outputs
            return (self._slope**2 * even * (1 - even) * self.weight)[None]
        sizes = np.abs(slopes)
        return np.asarray(sizes * np.maximum(0, self._slope - (sizes / self.weight if self._weighted else sizes)))

    def rooted_chances(self, slopes: np.ndarray, some: slice) -> np.ndarray:
        """The probabilities of some rows, (outputs, rows), times the slope and the root of their weights."""
        root = np.sqrt(self.weight[some]).astype(slopes.dtype)
        chances = slopes[:, some] / root
        chances[self._target[some], self._places[: chances.shape[1]]] += slopes.dtype.type(self._slope) * root
        return np.asarray(chances)

    def bend(self, slopes: np.ndarray) -> np.ndarray:
        """The second derivatives by the biases, (outputs, outputs)."""
        bend = np.zeros((self._outputs, self._outputs))
        for part, _, _ in self._parts():
            chances = self.rooted_chances(slopes, part)
            bend -= chances @ chances.T
        np.fill_diagonal(bend, 0.0)
        np.fill_diagonal(bend, -bend.sum(axis=1))
        return bend

    def margin(self, scores: np.ndarray) -> float:
        """By how much a row's own score leads all others, at the least, times the slope."""
        least = inf
        for part, places, target in self._parts():
            others = scores[:, part].copy()
            own = others[target, places]
            others[target, places] = -inf
            least = min(least, float((own - others.max(axis=0)).min()))
        return self._slope * least

    def some(self, part: slice) -> Self:
        """The same of some rows, which are all."""
        return self

    def class_weights(self) -> np.ndarray:
        """The weight of each class."""
        return np.bincount(self._target, self.weight, self._outputs)

    def at_zero(self, intercept: bool) -> float:
        """The loss of zero weights, with their best bias, if there is one."""
        return entropy_of(self.class_weights()) if intercept else float(self.weight.sum()) * np.log(self._outputs)

    def _chances(self, scores: np.ndarray, near: np.ndarray, out: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The probabilities of rivals, with nothing for a row's own class, into ``out``; their sum, and the loss, of every row."""
        wrong, losses = np.empty(len(scores)), np.empty(len(scores))
        for part, places, target in self._parts():
            ahead = np.add(scores[part], near, out=out[part])
            ahead -= ahead[places, target][:, None]
            ahead *= self._slope
            ahead[places, target] = -inf
            top = np.maximum(ahead.max(axis=1), 0.0)
            ahead -= top[:, None]
            rest, own = np.exp(ahead, out=ahead).sum(axis=1), np.exp(-top)
            losses[part] = top + np.log1p(rest + np.expm1(-top))
            wrong[part] = rest / (rest + own)
            ahead /= (rest + own)[:, None]
        return wrong, losses

    def _best_bias(self, scores: np.ndarray, bias: np.ndarray, chances: np.ndarray) -> np.ndarray:
        """That of these scores without a bias, nearly: Newton's method, whose steps are halved where they do not go down."""
        far = float(np.ptp(scores)) + FAR / self._slope
        b, value = np.clip(bias, -far, far), inf
        step = np.zeros_like(b)
        for _ in range(BIAS_STEPS):
            wrong, losses = self._chances(scores, b, chances)
            now = float(self.weight @ losses)
            if now > value * (1 + 1e-12):
                step = 0.5 * step
                b = b - step
                continue
            value = now
            pulls = np.bincount(self._target, self.weight * wrong, self._outputs) - self.weight @ chances
            if np.abs(pulls).max() <= EVEN_BIAS * float(self.weight @ wrong):
                break
            chances[self._places, self._target] = np.exp(-losses)
            bend = np.diag(self.weight @ chances)
            for part, _, _ in self._parts():
                bend -= (self.weight[part, None] * chances[part]).T @ chances[part]
            finite = bool(np.isfinite(bend).all() and np.isfinite(pulls).all())
            step = np.linalg.lstsq(self._slope * bend, pulls, rcond=1e-14)[0] if finite else np.zeros_like(b)
            if not (np.isfinite(step).all() and step.any()):
                break
            step = step * min(1.0, far / float(np.abs(step).max()))
            b = b + step
        return b

    def dual(self, scores: np.ndarray, near: np.ndarray, even: bool, kept: np.ndarray | None = None) -> SmoothDual:
        """The point of these scores, whose shares add up to zero of every row exactly; ``even``: and over all rows, with the best bias;
        ``kept``: so much of the shares of the rows of each class against each other class."""
        scores = scores.astype(float, copy=False)
        against = np.empty_like(scores)
        near = self._best_bias(scores, near, against) if even else near
        wrong, losses = self._chances(scores, near, against)
        chances, most = against.copy(), self.weight * self._slope
        against *= (most * (1 - 2 * (self._outputs + 8) * UNIT))[:, None]  # beyond a sum of 1 there is no dual point
        if kept is not None:
            against *= kept[self._target]
        against = circulating(against, self._target) if even else on_a_grid(against)
        own = against.sum(axis=1)
        excess, rounding, lengths = 0.0, (self._outputs + 4 * LIBRARY) * UNIT, np.zeros(self._outputs)
        for part, _, _ in self._parts():
            q, p = against[part] / most[part, None], chances[part]
            missed = np.abs(p - q)
            beside = missed.sum(axis=1) + 4 * rounding * wrong[part]
            missed += rounding * p
            rivals = np.divide(np.square(missed), p, out=np.zeros_like(p), where=p > 0).sum(axis=1)
            mine = divergence(beside, np.full(len(p), inf), losses[part])
            excess += float(self.weight[part] @ (rivals + mine + LEAST * self._outputs))
            lengths += np.square(against[part]).T @ (1 / self.weight[part])
        lengths += np.bincount(self._target, np.square(own) / self.weight, self._outputs)
        shares = np.negative(against, out=against)
        shares[self._places, self._target] = own
        return SmoothDual(
            near,
            shares,
            np.array([excess * self._room * (1 + 8 * rounding)]),
            np.array([float(self.weight @ losses) * (2 - self._room) * (1 - 8 * rounding)]),
            np.sqrt(lengths) * self._room,
            0.0,
        )

    def farthest_bias(self, primal: np.ndarray, l2: float, radius: float, classes: np.ndarray) -> np.ndarray:
        """See ``farthest_bias``."""
        return farthest_bias(primal, l2, radius, self._slope * float(classes.min()))

    def leads(self, dual: SmoothDual, scores: np.ndarray) -> np.ndarray:
        """How far the score of a row's class is above the largest other one, about."""
        leads = np.empty(len(scores))
        for part, places, target in self._parts():
            own = scores[part] + dual.near
            leads[part] = own[places, target]
            own[places, target] = -inf
            leads[part] -= own.max(axis=1)
        return leads


class Squares:
    """``1/2 (t - a)^2`` of every output: ``A = s (t - a)``, and ``c = alpha t - alpha^2 / 2``."""

    joint, separable, curvature = False, True, 1.0

    def __init__(self, wanted: np.ndarray, weight: np.ndarray, labels: np.ndarray | None = None) -> None:
        """``labels``: of classes; wanted is then 1 in this column, and -1 in the others (of two classes, in the only one)."""
        self._wanted, self._labels, self._weighted = wanted, labels, bool(weight.size)  # (rows, outputs)
        self.weight = weight if weight.size else np.ones(len(wanted))

    def some(self, part: slice) -> Squares:
        """The same of some rows."""
        labels = None if self._labels is None else self._labels[part]
        return Squares(self._wanted[part], self.weight[part] if self._weighted else np.empty(0), labels)

    def class_weights(self) -> np.ndarray:
        """The weight of all rows."""
        return np.array([self.weight.sum()])

    def at_zero(self, intercept: bool) -> np.ndarray:
        """The loss of zero weights, with their best bias, if there is one, and room for the rounding of that."""
        plain = 0.5 * (self.weight @ np.square(self._wanted))
        if not intercept:
            return np.asarray(plain)
        middle = self.weight @ self._wanted / self.weight.sum()
        return np.asarray(0.5 * (self.weight @ np.square(self._wanted - middle)) + ROUNDED * plain)

    def dual(self, scores: np.ndarray, near: np.ndarray, even: bool, kept: np.ndarray | None = None) -> SmoothDual:
        """The point of these scores: shares are what they leave over of the numbers that are wanted, as it was computed, in the floats of
        the scores.  There is no excess, but scores may be wrong by more.  (``even``: see ``audit.evened_squares``.)"""
        unit = unit_of(scores.dtype)
        wide = np.result_type(scores.dtype, np.float64)
        if self._labels is None or scores.shape[1] == 1:
            rest = np.subtract(self._wanted, near, dtype=wide).astype(scores.dtype, copy=False)
            rest -= scores
        else:  # the same of numbers that are 1 or -1, with no room for them in float64
            own = np.arange(len(scores)), self._labels
            rest = np.subtract(-1.0, near, dtype=wide).astype(scores.dtype) - scores
            rest[own] = np.subtract(1.0, near, dtype=wide).astype(scores.dtype)[self._labels] - scores[own]
        shares = (self.weight[:, None] * rest).astype(scores.dtype) if self._weighted else rest
        left = np.sqrt(np.einsum("ij,ij->j", rest, shares).astype(float))
        room = 1 + 2 * gamma(len(rest) + 8, unit)
        return SmoothDual(
            near, shares, np.zeros(len(near)), 0.5 * np.square(left / room**2), left * room, 8 * unit * left * room
        )

    def leads(self, dual: SmoothDual, scores: np.ndarray) -> np.ndarray | float:
        """How far the score of a row's class is above the largest other one, about; of numbers, endlessly.  Overwrites the shares."""
        if self._labels is None:
            return inf
        rest = dual.shares / self.weight[:, None] if self._weighted else dual.shares
        if rest.shape[1] == 1:
            return np.asarray(1 - (self._wanted * rest)[:, 0])
        places = np.arange(len(rest))
        leads = 2 - rest[places, self._labels]  # scores are 1 - rest of the own class, and -1 - rest of others
        rest[places, self._labels] = inf
        return np.asarray(leads + rest.min(axis=1))


def divergence(missed: np.ndarray, wrong: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """No less than Kullback and Leibler's divergence from p of a q that differs by ``missed``, of two outcomes with probabilities ``wrong`` and
    ``exp(-loss)``: each adds at most ``missed^2 / p``, and one that q has more of at most ``q log(q / p)``."""
    right = np.exp(-losses)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        square = np.square(missed)
        less = np.divide(square, wrong, out=np.zeros_like(square), where=wrong > 0)
        more = np.fmin(square / right, (right + missed) * np.fmin(np.log1p(missed / right), losses + 1))
    return np.where(missed > 0, less + more, 0.0) * (1 + 1e-9) + LEAST


class Hinge:
    """``C max(0, 1 - y a)`` of every output: ``A = y alpha``, 0 <= alpha <= C, and ``C c = alpha``.  ``C = inf`` allows no slack."""

    joint, separable = False, False
    curvature = inf

    def __init__(self, signs: np.ndarray, bounds: np.ndarray) -> None:
        self.signs, self.bounds, self.weight = signs, bounds, bounds  # (outputs, rows), (rows,)
        self._room = gamma(len(bounds) + 16)
        self._most: np.ndarray | float = bounds  # of an alpha

    def of(self, some: np.ndarray) -> Hinge:
        """The same for some of the outputs."""
        return type(self)(self.signs[some], self.bounds)

    def at_zero(self, intercept: bool) -> float:
        """Nothing: the objective of a machine is never zero (``audit``)."""
        return 0.0

    def best_bias(self, scores: np.ndarray, bias: np.ndarray) -> np.ndarray:
        """That of these scores without a bias.

        The cost bends where the slack of a row begins, at ``y_i - score_i``: its slope is the sum of ``-C_i`` over positive rows with bends beyond b and of ``C_i``
        over negative ones with bends before it.  It changes its sign near the bias that is given, as a rule: few bends are sorted.
        """
        if np.isinf(self.bounds[0]):
            return bias
        best = np.empty_like(bias)
        for k, sign in enumerate(self.signs):
            bends, around = sign - scores[:, k], float(bias[k])
            slope = -float(self.bounds @ (sign > 0))  # left of all bends
            some: np.ndarray = np.arange(bends.size)
            for width in (BENDS_NEAR * (1 + abs(around)), inf):
                low, high = around - width, around + width
                some = np.flatnonzero((bends >= low) & (bends <= high))
                before = slope + float(self.bounds @ (bends < low))
                after = before + float(self.bounds[some].sum())
                if some.size and before <= 0 <= after:
                    break
            if not some.size:  # the cost is the same all around
                best[k] = around
                continue
            order = some[np.argsort(bends[some], kind="stable")]
            slopes = before + np.cumsum(self.bounds[order])
            first = min(int(np.searchsorted(slopes, -EVEN * abs(slope))), order.size - 1)
            flat = abs(slopes[first]) <= EVEN * abs(slope) and first + 1 < order.size
            best[k] = 0.5 * (bends[order[first]] + bends[order[first + flat]])
        return best

    def shares(self, scores: np.ndarray, balance: bool) -> np.ndarray:
        """Those of these scores, (rows, outputs)."""
        return self.feasible(((self.signs * scores.T < 1.0) * self.bounds * self.signs).T, balance)

    def feasible(self, shares: np.ndarray, balance: bool) -> np.ndarray:
        """Shares within their bounds; with a bias, the heavier class scaled down to exactly the weight of the other: of its rows those inside their
        bounds, if that is enough."""
        alphas = np.clip(self.signs * shares.T, 0.0, self._most)
        if balance:
            excess = np.einsum("ij,ij->i", self.signs, alphas)
            if np.any(np.abs(excess) > NEARLY_EVEN * alphas.sum(axis=1)):
                alphas = self._scaled(alphas, excess[:, None])
            even_out(alphas, self.signs)
        return (alphas * self.signs).T

    def dual(self, scores: np.ndarray, near: np.ndarray, shares: np.ndarray, kept: np.ndarray) -> SmoothDual:
        """The point of these shares, of each class so much of them, beside these scores."""
        signs, C = self.signs.T, self.bounds[:, None]
        slack = 1.0 - signs * (scores + near)
        alphas = np.clip(signs * shares, 0.0, None if self.curvature < inf else C) * np.where(
            signs > 0, kept[1], kept[0]
        )
        losses, missed = self._terms(np.maximum(slack, 0.0), alphas, C)
        room = 1 + 2 * self._room
        return SmoothDual(
            near,
            alphas * signs,
            (missed + alphas * np.maximum(-slack, 0.0)).sum(axis=0) * room,
            losses.sum(axis=0) * (2 - room),
            np.sqrt((np.square(alphas) / C).sum(axis=0)) * room,
            4 * UNIT * np.sqrt((C * np.square(1 + np.abs(slack) + np.abs(near))).sum(axis=0)),
        )

    def _terms(self, slack: np.ndarray, alphas: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The losses of rows, and what alphas lack to them."""
        return C * slack, (C - alphas) * slack

    def farthest_bias(self, primal: np.ndarray, l2: float, radius: float, classes: np.ndarray) -> np.ndarray:
        """The best bias is no larger, if ``primal`` can be reached: at it the slack of some row begins (``kkt``)."""
        return np.asarray(1 + radius * np.sqrt(2 * primal / l2))

    def class_weights(self) -> np.ndarray:
        """The weight of all rows."""
        return np.array([self.bounds.sum()])

    def _scaled(self, alphas: np.ndarray, excess: np.ndarray) -> np.ndarray:
        heavier = self.signs * excess > 0
        excess = np.abs(excess)
        some = heavier & (alphas < self._most)
        total = (alphas * some).sum(axis=1, keepdims=True)
        some = np.where(total > 2 * excess, some, heavier)
        total = (alphas * some).sum(axis=1, keepdims=True)
        less = np.divide(np.maximum(total - excess, 0.0), total, out=np.ones_like(total), where=total > 0)
        return alphas * np.where(some, less, 1.0)

    def margins(self, scores: np.ndarray, errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``y a``, (outputs, rows), and bounds of their errors."""
        return self.signs * scores.T, errors.T

    def above(self, scores: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """The loss of all rows, not below the truth."""
        return self.cost(*self.margins(scores, errors))

    def cost(self, margins: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """The loss of all rows that have these margins, not below the truth."""
        slack = np.maximum(0.0, 1.0 - margins + errors)
        if np.isinf(self.bounds[0]):
            return np.where(slack.any(axis=1), inf, 0.0)
        return np.asarray(self._power(slack) @ self.bounds * (1 + 2 * self._room))

    def _power(self, slack: np.ndarray) -> np.ndarray:
        return slack

    def below(self, shares: np.ndarray) -> np.ndarray:
        """``sum_i C_i c_i``, not above the truth."""
        gains = np.abs(shares.T).sum(axis=1)
        return np.asarray(gains * (1 - 2 * self._room))


class SquaredHinge(Hinge):
    """``C max(0, 1 - y a)^2`` of every output: ``A = y alpha``, alpha >= 0, and ``C c = alpha - alpha^2 / (4 C)``."""

    curvature = 2.0

    def __init__(self, signs: np.ndarray, bounds: np.ndarray) -> None:
        super().__init__(signs, bounds)
        self._most = inf

    def best_bias(self, scores: np.ndarray, bias: np.ndarray) -> np.ndarray:
        """That of these scores without a bias, nearly: Newton's method on a sum of squares, until the same rows have slack."""
        b = bias.copy()
        apart = 1.0 - self.signs * scores.T
        for _ in range(BIAS_STEPS):
            slack = apart - self.signs * b[:, None]
            active = (slack > 0) * self.bounds
            pulls, bends = (self.signs * slack * active).sum(axis=1), active.sum(axis=1)
            move = np.divide(pulls, bends, out=np.zeros_like(pulls), where=bends > 0)
            if (np.abs(move) <= EVEN * (1 + np.abs(b))).all():
                break
            b = b + move
        return b

    def _terms(self, slack: np.ndarray, alphas: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same; a difference is wrong by its roundings."""
        wanted = 2 * C * slack
        return C * np.square(slack), np.square(np.abs(wanted - alphas) + 4 * UNIT * (wanted + alphas)) / (4 * C)

    def shares(self, scores: np.ndarray, balance: bool) -> np.ndarray:
        """Those of these scores, (rows, outputs)."""
        slack = np.maximum(0.0, 1.0 - self.signs * scores.T)
        return self.feasible((2 * self.bounds * slack * self.signs).T, balance)

    def _power(self, slack: np.ndarray) -> np.ndarray:
        return np.square(slack)

    def below(self, shares: np.ndarray) -> np.ndarray:
        """``sum_i C_i c_i``, not above the truth."""
        alphas = np.abs(shares.T)
        gains, costs = alphas.sum(axis=1), 0.25 * (np.square(alphas) @ (1 / self.bounds))
        return np.asarray(gains - costs - 2 * self._room * (gains + costs))


class CrammerSinger:
    """``C max(0, 1 - min_k (a_c - a_k))``, c being a row's class: all outputs are one problem (Crammer & Singer 2001).

    ``A_ik = -alpha_ik <= 0`` for rivals k and ``A_ic = sum_k alpha_ik <= C_i``, which is what the conjugate gives.
    """

    joint = True

    def __init__(self, target: np.ndarray, bounds: np.ndarray, outputs: int) -> None:
        self.target, self.bounds, self.outputs = target, bounds, outputs
        self._places, self._room = np.arange(len(target)), gamma(len(target) + 16)

    def at_zero(self, intercept: bool) -> float:
        """Nothing, likewise."""
        return 0.0

    def best_bias(self, scores: np.ndarray, bias: np.ndarray) -> np.ndarray:
        """The one that is given."""
        return bias

    def margins(self, scores: np.ndarray, errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The smallest lead of a row's own class, (1, rows), and bounds of their errors."""
        lead = scores[self._places, self.target][:, None] - scores
        lead[self._places, self.target] = inf
        return lead.min(axis=1)[None], 2 * errors.max(axis=1)[None]

    def shares(self, scores: np.ndarray, balance: bool) -> np.ndarray:
        """Nothing: the slopes of this loss do not say them."""
        return np.zeros_like(scores)

    def feasible(self, shares: np.ndarray, balance: bool) -> np.ndarray:
        """Shares within their bounds; with a bias, every class gives exactly as much as it gets."""
        against = np.maximum(-shares, 0.0)
        against[self._places, self.target] = 0.0
        totals, most = against.sum(axis=1), self.bounds * (1 - 2.0**-51) ** self.outputs
        over = totals > most
        against[over] *= (most[over] / totals[over])[:, None]
        if balance:
            flows = flows_of(against, self.target)
            kept = circulation(flows, SMALL_FLOWS * float(flows.sum()))
            factors = np.divide(kept, flows, out=np.ones_like(flows), where=flows > 0)
            against = circulating(against * factors[self.target], self.target)
        else:
            against = on_a_grid(against)  # what a row gives its own class is a sum
        feasible = -against
        feasible[self._places, self.target] = against.sum(axis=1)
        return feasible

    def above(self, scores: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """The loss of all rows, not below the truth."""
        return self.cost(*self.margins(scores, errors))

    def cost(self, margins: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """The loss of all rows that have these margins, not below the truth."""
        slack = np.maximum(0.0, 1.0 - margins + errors)
        if np.isinf(self.bounds[0]):
            return np.where(slack.any(axis=1), inf, 0.0)
        return np.asarray(slack @ self.bounds * (1 + 2 * self._room))

    def below(self, shares: np.ndarray) -> np.ndarray:
        """``sum_i C_i c_i``, not above the truth."""
        return np.array([float(shares[self._places, self.target].sum()) * (1 - 2 * self._room)])


def entropy_of(weights: np.ndarray) -> float:
    """The loss of a bias alone: the entropy of classes of these weights."""
    return float(-xlogy(weights, weights / weights.sum()).sum())


def farthest_bias(primal: np.ndarray, l2: float, radius: float, steep: float) -> np.ndarray:
    """No bias of entropies is larger that has an objective of at most ``primal``: ``|w|^2 <= 2 P / l2``, so that no score without a bias is beyond ``R |w|``, R being
    the longest row, and every row of a class costs at least ``s`` times what a rival's score is above its own.  ``steep``: that times the weight of
    the lightest class."""
    return np.asarray(primal / steep + 2 * radius * np.sqrt(2 * primal / l2))


def evened(sizes: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """The heavier class scaled down to about the weight of the other."""
    heavy, light = float(sizes[signs > 0].sum()), float(sizes[signs < 0].sum())
    low = min(heavy, light)
    factors = low / heavy if heavy > 0 else 0.0, low / light if light > 0 else 0.0
    return sizes * np.where(signs > 0, *factors)
