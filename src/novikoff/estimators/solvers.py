"""Which solver "auto" stands for, and which penalty: one rule for every learner that has a choice.

A learner is *solved* (the minimum of its objective is computed at once) unless its steps are wanted: because somebody watches
them, or made a choice that applies only to steps; or because the solution would cost more than some passes.
"""

from __future__ import annotations

import inspect
import math
from functools import cache
from numbers import Real
from operator import add
from typing import Any

from ..inputs.sklearn_parts import listened_to
from ..learn.learning import Learning, ask_nothing
from ..learn.sources import AsGiven, InMemory, Part, Source
from ..learn.state import BATCHES

# Parameters that only apply to steps, passes and stops.
OF_STEPS = (
    "eta",
    "order",
    "batch_size",
    "keep",
    "init",
    "max_iter",
    "tol",
    "time_limit",
    "min_progress",
    "early_stopping",
    "validation_fraction",
    "n_iter_no_change",
    "history",
    "warm_start",
)
USUAL = 1.0  # the penalty of a solution by default: that of RidgeClassifier (alpha=1) and of LogisticRegression (C=1)


@cache
def defaults(kind: Any) -> dict[str, Any]:
    """The defaults of a learner's parameters."""
    return {name: parameter.default for name, parameter in inspect.signature(kind).parameters.items()}


def chosen_steps(learner: Any) -> bool:
    """Whether steps were asked for, or a choice was made that applies only to steps."""
    if learner.solver != "auto":
        return bool(learner.solver == "steps")
    kind: Any = type(learner)
    usual = defaults(kind)
    return any(differs(getattr(learner, name, None), usual.get(name)) for name in OF_STEPS)


def differs(value: Any, default: Any) -> bool:
    """Whether a choice is not the default; numbers of any type are equal if they are."""
    if isinstance(value, Real) and isinstance(default, Real):
        return bool(value != default)
    return value is not default and not (type(value) is type(default) and value == default)


def watched(learner: Any, learning: Learning) -> bool:
    """Whether somebody sees every step or pass, or rows come part by part."""
    return (
        not isinstance(learning.source, InMemory)
        or learning.watched
        or learning.after_pass is not ask_nothing
        or learning.held_out is not None
        or listened_to(learner)
    )


def penalty(learner: Any, steps: bool) -> float:
    """``l2``; "auto" is 0 if a solver is named or steps are taken, as in textbooks; else the usual value."""
    if isinstance(learner.l2, str):
        return 0.0 if steps or learner.solver != "auto" else USUAL
    return float(learner.l2)


def decay(learner: Any, source: Source, l2: float) -> float:
    """The decay of a batch, times the rate, so that steps descend on the same objective: ``l2`` over the batches of a pass;
    of a stream, over those so far."""
    if not l2:
        return 0.0
    batches = 0.0
    if isinstance(source, AsGiven) and learner._learned.begun:
        batches = float(learner._learned.state.counts[BATCHES])
    rows = source.fold(row_count, add) or 0
    batches += (rows > 0) if learner.batch_size == "all" else rows / learner.batch_size
    if learner.batch_size == "all" and not isinstance(source, AsGiven):
        batches = 1.0
    return l2 / max(1.0, math.ceil(batches))


def row_count(part: Part) -> int:
    """How many rows of a part take part."""
    return part.problem.members.size
