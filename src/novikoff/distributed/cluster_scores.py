"""How good answers are, counted where the rows lie."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_regressor

from ..rows.partitions import Partitions
from .rounds import Ready


def to_send(learner: Any, names: bool = True) -> Any:
    """A learner that can answer, without what it needs to go on learning; ``names``: with the names of its columns."""
    sent = object.__new__(type(learner))
    public = {name: value for name, value in vars(learner).items() if not name.startswith("_")}
    if not names:
        public.pop("feature_names_in_", None)
    sent.__dict__.update(public)
    return sent


def count_errors(engine: Partitions, learner: Any) -> int:
    """Rows that were learned from and are answered wrongly."""
    return int(engine.fold(errors_of, np.add, to_send(learner)))


def errors_of(number: int, ready: Ready, learner: Any) -> int | None:
    """Those of one partition."""
    if not ready.members.size:
        return None
    X, target = taking_part(ready)
    return int(np.count_nonzero(learner._predicted(X) != target))


def taking_part(ready: Ready) -> tuple[Any, np.ndarray]:
    """The rows that are learned from, and their targets: not copied, where that is all of them."""
    some = ready.members
    return (ready.X, ready.target) if some.size == ready.target.size else (ready.X[some], ready.target[some])


class Judged(NamedTuple):
    """Answers for rows held out: sums of weights s, of s times 1 for a right answer or the squared error of a number, and of
    targets their mean and ``sum s (d - mean)^2``."""

    weight: float
    sum: float
    mean: float = 0.0
    spread: float = 0.0


def score_held_out(engine: Partitions, learner: Any) -> float:
    """The accuracy, or R squared, on the rows held out."""
    found: Judged = engine.fold(judge, judge_both, to_send(learner))
    return quality(learner, found)


def quality(learner: Any, found: Judged) -> float:
    """The accuracy, or R squared."""
    if not is_regressor(learner):
        return found.sum / found.weight
    return 1.0 - found.sum / found.spread if found.spread else float(found.sum == 0)


def judge(number: int, ready: Ready, learner: Any) -> Judged | None:
    """The answers for one partition's rows."""
    some = ready.held_out
    if not some.size:
        return None
    weight = ready.weight[some] if ready.weight.size else ready.weight
    return judged(learner, learner._predicted(ready.X[some]), ready.target[some], weight)


def judged(learner: Any, answers: np.ndarray, target: np.ndarray, weight: np.ndarray) -> Judged:
    """Some answers; no weights: all are 1."""
    weight = weight if weight.size else np.ones(len(target))
    total = float(weight.sum())
    if not is_regressor(learner):
        return Judged(total, float(weight @ (answers == target)))
    mean = float(weight @ target) / total
    return Judged(total, float(weight @ (target - answers) ** 2), mean, float(weight @ (target - mean) ** 2))


def judge_both(one: Judged, other: Judged) -> Judged:
    """The answers for both (Chan, Golub & LeVeque 1979)."""
    weight = one.weight + other.weight
    apart = other.mean - one.mean
    spread = one.spread + other.spread + apart**2 * one.weight * other.weight / weight
    return Judged(weight, one.sum + other.sum, one.mean + apart * other.weight / weight, spread)
