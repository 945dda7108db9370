"""The duality gap of weights, proved over partitions in one round (``solvers.audit``).

Shares ``A`` of rows in partitions do not add up to zero exactly, as those of rows in memory are made to.  Those of cross-entropy are lessened, class by
class, so that they do but for rounding (``shares_kept``).  Where they add up to e, ``P(w, b) >= D(A) - |e| B`` for every bias of size B or less, and no
bias of a smaller objective than the one found, P, is larger than

    B = P / (s S) + 2 R (2 P / l2)^(1/2)                               (cross-entropy with slope s, S the weight of the lightest class)
    B = ((2 P)^(1/2) + |t|) / S^(1/2) + R (2 P / l2)^(1/2)             (least squares of t, S the weight of all rows) .

For ``|w|^2 <= 2 P / l2``, so that no score without a bias is beyond ``R |w|``, R being the longest row.  In the first case every row of a class costs at
least s times what a rival's score is above its own; in the second, ``S^(1/2) |b|`` is at most the sum of the lengths of the errors, of the numbers
that are wanted, and of the scores without a bias (Cauchy & Schwarz).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..estimators.adaline import wanted_scores
from ..inputs.rounding_error import gamma, sum_room
from ..inputs.threads import one_thread
from ..rows.partitions import Partitions
from ..solvers.audit import Gap, SureRows
from ..solvers.balance import circulation
from ..solvers.objectives import CrossEntropy, SoftmaxEntropy, Squares
from ..solvers.shifted_rows import shifted
from .rounds import Ready
from .sound_sums import Most, Sum, merge
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
    """Both sides of a proof: losses from above, conjugates from below, and the sums of shares."""

    loss: Sum
    gain: Sum
    made: Sum  # (columns, outputs)
    excess: Sum  # (outputs,)
    zero: np.ndarray  # the loss of zero weights, about
    about: np.ndarray  # the same, each partition with its own best bias: not above that of one bias for all
    classes: np.ndarray  # the weight of each class, of numbers that of all rows
    radius: Most


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
        rows = SureRows(X, ask.centre if ask.centre.any() else None)
        scores, errors = rows.scores(ask.coef, ask.near)
        shares = loss.shares(scores, False)
        if ask.parts.size:
            shares = loss.lessened(shares, ask.parts)
        made, error = rows.sums(shares)
        room = gamma(target.size + 1) * np.abs(shares).sum(axis=0)
        return GapSums(
            Sum(loss.above(scores, errors), 0.0),
            Sum(loss.below(shares), 0.0),
            Sum(made, error),
            Sum(shares.sum(axis=0), room),
            np.atleast_1d(loss.at_zero(False)),
            np.atleast_1d(loss.at_zero(True)),
            loss.class_weights(),
            Most(rows.farthest()),
        )


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
    sums: GapSums = engine.fold(gap_sums, merge, Ask(loss, coef, near, centre, parts))
    room = sum_room(coef.size + 8)
    joint = len(np.atleast_1d(sums.loss.value)) < len(coef)

    def each(values: np.ndarray) -> np.ndarray:
        return values.sum(keepdims=True) if joint else values

    primal = (np.atleast_1d(sums.loss.most) + 0.5 * l2 * each(np.square(coef).sum(axis=1))) * room
    squares = each(np.square(np.abs(sums.made.value) + sums.made.error).sum(axis=0)) * room / (2 * l2)
    dual = np.atleast_1d(sums.gain.value - sums.gain.error) - squares
    if intercept:
        longest = sums.radius.value * np.sqrt(2 * primal / l2)
        if slope is None:
            most = (np.sqrt(2 * primal) + np.sqrt(2 * sums.zero)) / np.sqrt(sums.classes.sum()) + longest
        else:
            most = primal / (slope * sums.classes.min()) + 2 * longest
        dual -= each(np.abs(sums.excess.value) + sums.excess.error) * most * room
    return Gap(primal, dual, sums.about if intercept else sums.zero).relative
