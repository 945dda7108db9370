"""The duality gap of weights, proved over partitions in one round (``solvers.audit``).

Shares ``A`` of entropies in partitions do not add up to zero exactly, as those of rows in memory are made to.  They are lessened, class by class, so that
they do except for rounding (``shares_kept``).  Where they add up to e, ``P(w, b) >= D(A) - |e| B`` for every bias of size B or less, and no
bias of a smaller objective than the one found, P, is larger than

    B = P / (s S) + 2 R (2 P / l2)^(1/2)                               (slope s, S the weight of the lightest class) .

For ``|w|^2 <= 2 P / l2``, so that no score without a bias is beyond ``R |w|``, R being the longest row, and every row of a class costs at
least s times what a rival's score is above its own.  Of squares, the mean of the shares is taken off exactly, as in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..estimators.adaline import wanted_scores
from ..inputs.rounding_error import UNIT
from ..inputs.threads import one_thread
from ..rows.partitions import Partitions
from ..solvers.audit import KindRows, SmoothSums, Weighed, evened_squares, smooth_gap, smooth_sums
from ..solvers.balance import circulation
from ..solvers.objectives import CrossEntropy, SoftmaxEntropy, Squares
from ..solvers.shifted_rows import shifted
from .rounds import Ready
from .sound_sums import Most, merge
from .taken_rows import taken

Losses = Callable[[np.ndarray, np.ndarray], Any]  # from targets and weights of rows


class Weights(NamedTuple):
    """As a fit keeps them."""

    coef: np.ndarray  # (outputs, columns)
    bias: np.ndarray  # (outputs,)


class Ask(NamedTuple):
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
    error: Most  # what part of ``|x| |w|`` a score may be wrong by


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


def gap_sums(number: int, ready: Ready, ask: Ask) -> GapSums | None:
    """Those of one partition."""
    X, target, weight = taken(ready)
    if not target.size:
        return None
    loss = ask.loss(target, weight)
    with one_thread():
        rows = KindRows(X, ask.centre if ask.centre.any() else None, np.float64, coarse=False)
        scores, lengths = rows.scores(np.ascontiguousarray(ask.coef.T))
        dual = loss.dual(scores, ask.near, False, ask.parts if ask.parts.size else None)
        sums = smooth_sums(loss, rows, dual, lengths, 0.0)
        assert sums is not None  # float64 is never too coarse
        zero, about = (np.atleast_1d(loss.at_zero(best)) for best in (False, True))
        radius = Most(float(lengths.max()) ** 0.5)
        return GapSums(sums, zero, about, loss.class_weights(), target.size, radius, Most(rows.error))


def proved_over(
    engine: Partitions,
    loss: Losses,
    weights: Weights,
    centre: np.ndarray,
    intercept: bool,
    l2: float,
    slope: float | None,
    parts: np.ndarray,
) -> float:
    """The relative gap of weights over all rows; ``slope``: of cross-entropy, None for least squares; ``parts``: see ``Ask``."""
    coef, bias = weights
    near = np.asarray(shifted(coef, bias, centre if centre.any() else None, 1), dtype=float)
    found: GapSums = engine.fold(gap_sums, merge, Ask(loss, coef, near, centre, parts))
    kind, sums, off = loss(np.zeros(0, int), np.zeros(0)), found.sums, 4 * UNIT * np.abs(near)
    errors = found.error.value * np.linalg.norm(coef, axis=1) * sums.reach**0.5
    uneven = None
    if intercept and slope is None:
        best, sums = evened_squares(near, sums, found.rows)
        off = off + np.abs(best - near)
    elif intercept:
        pulls = np.abs(sums.pulls) + sums.uneven

        def uneven(primal: np.ndarray) -> np.ndarray:
            farthest = primal / (slope * found.classes.min()) + 2 * found.radius.value * np.sqrt(2 * primal / l2)
            return np.asarray((pulls.sum(keepdims=True) if kind.joint else pulls) * farthest * (1 + 1e-9))

    gap, _ = smooth_gap(
        kind,
        sums,
        Weighed(coef, coef, off, errors, l2),
        0.0,
        lambda: found.about if intercept else found.zero,
        uneven,
    )
    return gap
