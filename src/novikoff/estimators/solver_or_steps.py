"""Whether a learner is solved or stepped, and with which penalty: one rule for every learner that can do both.

A learner is *solved* (a solver goes for the minimum of its objective) unless steps are asked for: by ``solver="steps"``, or by a
parameter that only steps have.  What limits the work (``max_iter``, ``tol``, ``time_limit``), where it starts (``warm_start``), the
seed and callbacks change neither the algorithm nor the penalty.
"""

from __future__ import annotations

import inspect
import math
from functools import cache
from numbers import Real
from operator import add
from typing import Any

from ..learn.learning import Part, RowSource
from ..learn.state import BATCHES
from ..report.words import keyword

# Parameters that only steps have.
OF_STEPS = (
    "eta",
    "order",
    "batch_size",
    "keep",
    "init",
    "min_progress",
    "intercept_scaling",
    "early_stopping",
    "validation_fraction",
    "n_iter_no_change",
    "history",
)
USUAL = 1.0  # the penalty of a solution by default: that of RidgeClassifier (alpha=1) and of LogisticRegression (C=1)
PASSES = 100  # of steps by default, as of the other learners that step after every row
GAP = 1e-4  # the largest relative duality gap of a solution by default
ITERATIONS = 1000  # of a solver by default: no limit in practice, as scikit-learn's own sets take 7 to 60


@cache
def defaults(kind: Any) -> dict[str, Any]:
    """The defaults of a learner's parameters."""
    return {name: parameter.default for name, parameter in inspect.signature(kind).parameters.items()}


def of_steps(learner: Any) -> list[str]:
    """The parameters that only steps have and that are not as they are by default, as they are typed."""
    kind: Any = type(learner)
    usual = defaults(kind)
    changed = [name for name in OF_STEPS if differs(getattr(learner, name, None), usual.get(name))]
    return [keyword(name, shown(getattr(learner, name))) for name in changed]


def shown(value: Any) -> Any:
    """A value as a message shows it: an array is too long."""
    return value if value is None or isinstance(value, str | Real) else ...


def differs(value: Any, default: Any) -> bool:
    """Whether a choice is not the default; numbers of any type are equal if they are."""
    if value is default:
        return False
    if isinstance(value, Real) and isinstance(default, Real):
        return bool(value != default)
    return not (type(value) is type(default) and value == default)


def asks_for_steps(learner: Any) -> bool:
    """Whether its parameters ask for steps, or its loss has nothing else; a learner without a solver always does."""
    solver = getattr(learner, "solver", "steps")
    if solver != "auto":
        return bool(solver == "steps")
    return getattr(learner, "loss", "") == "squared" or bool(of_steps(learner))


def refuse_steps(learner: Any) -> None:
    """Refuse a solver that is named together with a parameter that only steps have."""
    found = of_steps(learner)
    if not found:
        return
    apply, them = ("applies", "it") if len(found) == 1 else ("apply", "them")
    raise ValueError(
        f"{', '.join(found)} {apply} only to steps, but solver={learner.solver!r} takes none: use solver='steps', or leave "
        f"{them} at the default."
    )


def penalty(learner: Any, steps: bool) -> float:
    """``l2``; "auto" is 0 if steps are asked for, as in textbooks; else the usual value."""
    if isinstance(learner.l2, str):
        return 0.0 if steps else USUAL
    return float(learner.l2)


def iterations(learner: Any) -> int:
    """How many iterations a solver may make."""
    return int(learner.max_iter or ITERATIONS)


def gap_asked(learner: Any) -> float:
    """The largest relative duality gap of a fit that is solved."""
    return GAP if learner.tol is None else float(learner.tol)


def decay(learner: Any, source: RowSource, l2: float) -> float:
    """The decay of a batch, times the rate, so that steps descend on the same objective: ``l2`` over the batches of a pass;
    of a stream, over those so far."""
    if not l2:
        return 0.0
    batches = 0.0
    if source.once and learner._learned.begun:
        batches = float(learner._learned.state.counts[BATCHES])
    rows = source.fold(row_count, add) or 0
    batches += (rows > 0) if learner.batch_size == "all" else rows / learner.batch_size
    if learner.batch_size == "all" and not source.once:
        batches = 1.0
    return l2 / max(1.0, math.ceil(batches))


def row_count(part: Part) -> int:
    """How many rows of a part take part."""
    return part.problem.members.size
