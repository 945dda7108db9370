"""The duality gap of weights, proved over partitions in one round (``solvers.audit``), for every loss.

Shares ``A`` in partitions do not add up to zero exactly, as those of rows in memory are made to.  They are lessened, class by class, so that
they do except for rounding (``shares_kept``).  Where they add up to e, ``P >= D(A) - |e| B`` for every bias of size B or less, no
bias of a smaller objective than the one found is larger than ``farthest_bias`` of the loss, and ``D(A)`` is the sum of Fenchel and Young below P(w, b), except
for ``e b``.  Of squares, the mean of the shares is taken off exactly, as
in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..estimators.adaline import wanted_scores
from ..rows.partitions import Partitions
from ..solvers.audit import GapSides, KindRows, SmoothSums, Weighed, evened_squares, norms2, smooth_gap, smooth_sums
from ..solvers.balance import circulation
from ..solvers.objectives import CrossEntropy, SmoothDual, SoftmaxEntropy, Squares
from ..solvers.shifted_rows import shifted
from ..system.rounding_error import UNIT, gamma
from ..system.threads import one_thread
from .active_rows import taken
from .rounds import Ready

Losses = Callable[[np.ndarray, np.ndarray], Any]  # from targets and weights of rows


@dataclass(frozen=True)
class Most:
    """The larger of two numbers, where others are added."""

    value: float

    def __add__(self, other: Most) -> Most:
        return Most(max(self.value, other.value))


def merge(one: Any, other: Any) -> Any:
    """Tuples part by part, rows of partitions side by side, all else added up."""
    if isinstance(one, tuple):
        parts = [merge(a, b) for a, b in zip(one, other, strict=True)]
        return type(one)(*parts) if hasattr(one, "_fields") else tuple(parts)
    return one | other if isinstance(one, dict) else one + other


class AskGap(NamedTuple):
    """Weights, with a bias for rows less ``centre``, and their loss."""

    loss: Losses
    coef: np.ndarray
    near: np.ndarray
    centre: np.ndarray  # empty: nothing is taken off
    parts: np.ndarray  # of the shares of each class that are kept; of softmax, against each other class; empty: all are


class GapSums(NamedTuple):
    """What the rows of partitions say of a gap."""

    sums: SmoothSums
    zero: np.ndarray  # the loss of zero weights, about
    about: np.ndarray  # the same, each partition with its own best bias: not above that of one bias for all
    classes: np.ndarray  # the weight of each class, of numbers that of all rows
    rows: int
    radius: Most  # the longest row
    error: Most  # what part of ``|x| |w|``, or of ``sum_j |x_j w_j|``, a score may be wrong by
    sizes: np.ndarray  # sum_i s_i (sum_j |x_ij w_j|)^2
    held: int  # rows whose shares are not all zero


def entropy_of(slope: float, outputs: int, place: int, target: np.ndarray, weight: np.ndarray) -> Any:
    """The loss of a logistic neuron; ``place``: the class that stands against the rest, or -1."""
    if outputs > 1:
        return SoftmaxEntropy(target, weight, slope, outputs)
    return CrossEntropy(target == place if place >= 0 else target, weight, slope)


def shares_kept(flows: np.ndarray) -> np.ndarray:
    """What part of the shares of each class is kept so that they add up to zero, from their sums (``pulls_of``)."""
    kept = circulation(flows) if flows.ndim > 1 else np.full(2, flows.min())
    return np.divide(kept, flows, out=np.zeros_like(kept), where=flows > 0)


def squares_of(outputs: int, target: np.ndarray, weight: np.ndarray) -> Any:
    """The loss of an Adaline."""
    return Squares(wanted_scores(target, outputs), weight)


def gap_sums(number: int, ready: Ready, ask: AskGap) -> GapSums | None:
    """Those of one partition."""
    X, target, weight = taken(ready)
    if not target.size:
        return None
    loss = ask.loss(target, weight)
    kept = ask.parts if ask.parts.size else None
    with one_thread():
        return sums_of(loss, X, ask.coef, ask.centre, lambda scores: loss.dual(scores, ask.near, False, kept))


def sums_of(
    loss: Any, X: Any, coef: np.ndarray, centre: np.ndarray, dual_of: Callable[[np.ndarray], SmoothDual]
) -> GapSums:
    """Those of rows; ``dual_of``: the dual point, from scores without a bias."""
    rows = KindRows(X, centre if centre.any() else None, np.float64, coarse=False)
    columns, sizes = np.ascontiguousarray(coef.T), np.zeros(len(coef))
    scores, lengths = np.empty((X.shape[0], len(coef))), np.empty(X.shape[0])
    for part, block in rows.blocks():  # one look at each for all three
        scores[part], lengths[part] = block @ columns, norms2(block)
        sizes += np.square(abs(block) @ np.abs(columns)).T @ loss.weight[part]
    dual = dual_of(scores)
    sums = smooth_sums(loss, rows, dual, lengths, 0.0)
    assert sums is not None  # float64 is never too coarse
    zero, about = (np.atleast_1d(loss.at_zero(best)) for best in (False, True))
    radius, held = Most(float(lengths.max()) ** 0.5), int(np.count_nonzero(dual.shares.any(axis=1)))
    return GapSums(sums, zero, about, loss.class_weights(), len(scores), radius, Most(rows.error), sizes, held)


def proved_over(
    engine: Partitions,
    loss: Losses,
    weights: tuple[np.ndarray, np.ndarray],
    centre: np.ndarray,
    intercept: bool,
    l2: float,
    parts: np.ndarray,
) -> float:
    """The relative gap of weights and biases, as a fit keeps them, over all rows; ``parts``: see ``AskGap``."""
    coef, bias = weights
    near = np.asarray(shifted(coef, bias, centre if centre.any() else None, 1), dtype=float)
    found: GapSums = engine.fold(gap_sums, merge, AskGap(loss, coef, near, centre, parts))
    return sides_of(loss(np.zeros(0, int), np.zeros(0)), found, coef, near, intercept, l2).gap


def sides_of(loss: Any, found: GapSums, coef: np.ndarray, near: np.ndarray, intercept: bool, l2: float) -> GapSides:
    """What sums over all rows prove; ``loss``: that of any rows."""
    sums, off, uneven = found.sums, 4 * UNIT * np.abs(near), None
    sizes = np.minimum(np.linalg.norm(coef, axis=1) * sums.reach**0.5, np.sqrt(found.sizes)) * (1 + 1e-6)
    if intercept and loss.separable:
        best, sums = evened_squares(near, sums, found.rows)
        off = off + np.abs(best - near)
    elif intercept:
        pulls = np.abs(sums.pulls) + sums.uneven

        def uneven(primal: np.ndarray) -> np.ndarray:
            farthest = loss.farthest_bias(primal, l2, found.radius.value, found.classes) + np.abs(near).max()
            return np.asarray((pulls.sum(keepdims=True) if loss.joint else pulls) * farthest * (1 + 1e-9))

    weighed = Weighed(coef, coef, off, found.error.value * sizes, l2)
    about = 1 + 16 * gamma(found.rows + 64)  # (chances of the library, too)
    return smooth_gap(loss, sums, weighed, 0.0, lambda: found.about if intercept else found.zero, about, uneven)
