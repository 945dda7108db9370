"""When to stop, and why: each stop is a small object with its reason, and is asked after every pass.

``separated``       every row was classified correctly by the same weights.
``stable``          the weights moved less than ``tol`` over a pass; of numbers also: no row asked for a step.
``cycle``           the weights recurred at the end of a pass in an order that repeats, so they will recur without end.  (With
                    ``multiclass="all"``, but for what is common to all classes.)
``no_improvement``  the held-out score has not improved for ``n_iter_no_change`` passes.
``no_progress``     the mistakes made, or the loss, have hardly become fewer over as many passes (``min_progress``).
``inseparable``     the same, and it is proved that no weights separate the classes.
``budget``          ``max_iter`` passes are over.
``time``            ``time_limit`` seconds are over.
``callback``        a callback asked for it.
``interrupted``     Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .forms import Real
from .state import Problem, State, sum_of_squares

if TYPE_CHECKING:
    from .learning import Learning

# Learning that ended so is over: it does not go on later.
FOR_EVER = ("separated", "stable", "cycle", "no_improvement", "no_progress", "inseparable")
ENOUGH_WORK = 600_000  # multiplications without progress, about a third of a millisecond: no fit gives up earlier
WORK_OF_A_PASS = 4_000  # the same for what surrounds a pass
LEFT = 100  # a loss so many times smaller than the first pass's has nothing left to gain
NEARLY, LONGER = 200, 4  # rows for each mistake of the best pass from which on it waits so many times as long


class Stop:
    """One way to end.  What it needs to remember of passes it notes after each, whichever stop applies then."""

    reason: str

    def begin(self, learning: Learning) -> None:
        """Look at the weights before the first pass."""

    def note(self, learning: Learning, told: dict[str, list[float]]) -> None:
        """Look at the weights after a pass, or several, and at what the history says of them."""

    def applies(self, learning: Learning) -> bool:
        """Whether learning ends here."""
        raise NotImplementedError

    def soonest(self, learning: Learning, work: float) -> float:
        """After how many more passes it may apply at the soonest, if each takes so much work and moves the weights."""
        return 1


def which(stops: Iterable[Stop], learning: Learning) -> str:
    """The reason of the first stop that applies; empty if none does."""
    for stop in stops:
        if stop.applies(learning):
            return stop.reason
    return ""


class AllRight(Stop):
    """No row of the pass was a mistake, and none moved the weights; of numbers, no row asked for a step.

    ``drawn``: rows are drawn with replacement, and a pass may have missed one.
    """

    def __init__(self, form: object, drawn: bool) -> None:
        self.reason = "stable" if isinstance(form, Real) else "separated"
        self._drawn = drawn

    def applies(self, learning: Learning) -> bool:
        if learning.cut or learning.history["mistakes"][-1] or learning.moves or learning.machine.schedule.lam:
            return False
        return not self._drawn or learning.source.survey(learning.machine).least > 0

    def soonest(self, learning: Learning, work: float) -> float:
        return 1 if self._drawn else np.inf


class CutShort(Stop):
    """The clock, or who watches every step, ended the pass before its last row."""

    def applies(self, learning: Learning) -> bool:
        self.reason = learning.cut
        return bool(learning.cut)

    def soonest(self, learning: Learning, work: float) -> float:
        return np.inf  # the next pass may, which is then the last


class Landmark(NamedTuple):
    """Weights that later ones are compared with."""

    weights: np.ndarray
    bias: np.ndarray
    passes: int  # since then
    patience: int  # passes after which other weights take their place


class Recurred(Stop):
    """The weights recurred at the end of a pass.

    ``confirm``: whether the steps of a round, added up for each row, are those of a cycle.  They are kept in ``steps``.
    ``landmark``: of learning that was interrupted before.
    """

    reason = "cycle"

    def __init__(self, confirm: Callable[[np.ndarray], bool] | None, landmark: Landmark | None = None) -> None:
        self._confirm, self._landmark = confirm, landmark
        self._recurrence: Recurrence | None = None
        self.steps: np.ndarray | None = None  # (rows, outputs)

    def begin(self, learning: Learning) -> None:
        self._recurrence = learning.machine.recurrence(self._confirm is not None)
        if self._recurrence is not None and self._landmark is not None:
            self._recurrence.landmark = self._landmark

    @property
    def landmark(self) -> Landmark | None:
        """What to go on from if learning is interrupted now."""
        return None if self._recurrence is None else self._recurrence.landmark

    def applies(self, learning: Learning) -> bool:
        if self._recurrence is None or not self._recurrence.found():
            return False
        if self._confirm is None:
            return True
        steps = learning.machine.tally(learning.source, learning.passes, self._recurrence.landmark.passes)
        if not self._confirm(steps):
            return False
        self.steps = steps
        return True


class StandStill(Stop):
    """The weights moved less than ``tol`` over a pass."""

    reason = "stable"

    def __init__(self, tol: float) -> None:
        self._tol = tol
        self.moved = np.inf  # over the last pass

    def begin(self, learning: Learning) -> None:
        self._movement = learning.machine.movement()

    def note(self, learning: Learning, told: dict[str, list[float]]) -> None:
        self.moved = self._movement.since_last()

    def applies(self, learning: Learning) -> bool:
        return self.moved < self._tol


class NoImprovement(Stop):
    """The held-out score was not beaten for ``patience`` passes."""

    reason = "no_improvement"

    def __init__(self, patience: int) -> None:
        self._patience = patience

    def applies(self, learning: Learning) -> bool:
        scores = np.array(learning.history["held_out_score"])
        beaten = scores > np.append(-np.inf, np.fmax.accumulate(scores)[:-1])
        return bool(scores.size - np.flatnonzero(beaten).max(initial=-1) > self._patience)


class NoProgress(Stop):
    """For ``patience`` passes there was no progress.  A pass makes progress if it makes fewer mistakes than the last that did, by
    the share ``least`` of those; of rules that learn from right answers, if its loss is smaller.  Rows are judged by the
    weights that they met, so no pass over them is needed.

    Passes that take next to no time prove little: those without progress must make up ``ENOUGH_WORK``.  Nor do a few mistakes
    more or less where there are hardly any: classes that can be separated would be given up just before they are (``NEARLY``).
    Where the loss tells, and rows are learned from one by one, classes that are separated have a loss that falls without end:
    it ends below ``1 / LEFT`` of the first pass's.  A loss above that of the first pass is no lack of progress: steps that lead
    ever farther away are to end in an error that says so.  ``looks``: how many passes count as one, if a pass is a single row.

    ``prove``: asked once, before it applies, for a proof that says whether the classes are separable, or None.  If they
    are, mistakes end by themselves (Novikoff 1962), and this stop never applies.
    """

    def __init__(self, least: float, patience: int, looks: int = 1, prove: Callable[[], Any] | None = None) -> None:
        self.reason = "no_progress"
        self.proof: Any = None
        self._least, self._patience, self._looks, self._prove = least, patience, looks, prove
        self._best, self._passes, self._work = np.inf, 0, 0.0  # of the last progress; since then
        self._first = self._last = np.nan
        self._sum, self._summed = 0.0, 0

    def begin(self, learning: Learning) -> None:
        self._seen_work = learning.machine.work
        self._of = "progressive_loss" if learning.machine.by_loss else "mistakes"
        self._before = list(learning.history.get(self._of, []))  # of learning that goes on
        falls_for_ever = self._of == "progressive_loss" and not isinstance(learning.machine.form, Real)
        self._left = LEFT if falls_for_ever and self._least > 0 else np.inf

    def note(self, learning: Learning, told: dict[str, list[float]]) -> None:
        values = told[self._of]
        work = (learning.machine.work - self._seen_work) / len(values) + WORK_OF_A_PASS
        for value in [*self._before, *values]:
            self._take(value, work)
        self._before, self._seen_work = [], learning.machine.work

    def _take(self, value: float, work: float) -> None:
        self._sum, self._summed, self._work = self._sum + value, self._summed + 1, self._work + work
        if self._summed == self._looks:
            self._first, self._last = (self._sum if np.isnan(self._first) else self._first), self._sum
            if self._sum < self._best * (1 - self._least) and self._best > self._first / self._left:
                self._best, self._passes, self._work = self._sum, 0, 0.0
            else:
                self._passes += 1
            self._sum, self._summed = 0.0, 0

    def applies(self, learning: Learning) -> bool:
        nearly = self._of == "mistakes" and self._best * NEARLY < learning.rows
        if self._passes < self._patience * (LONGER if nearly else 1) or self._work < ENOUGH_WORK:
            return False
        if self._of == "progressive_loss" and self._last > self._first:
            return False
        if self._prove is not None:
            self.proof, self._prove = self._prove(), None
            if self.proof is not None:
                self.reason = "inseparable"
        return not (self.proof is not None and self.proof.separable)

    def soonest(self, learning: Learning, work: float) -> float:
        if self._before or self._looks > 1:
            return 1
        if self.proof is not None and self.proof.separable:
            return np.inf
        return max(self._patience - self._passes, (ENOUGH_WORK - self._work) // (work + WORK_OF_A_PASS))


class AskedToStop(Stop):
    """Who is told of every pass asked for it."""

    reason = "callback"

    def applies(self, learning: Learning) -> bool:
        return learning.asked


class TimeOver(Stop):
    """The time limit is over."""

    reason = "time"

    def applies(self, learning: Learning) -> bool:
        return learning.clock.over


class Recurrence:
    """Exact recurrence of weights, by Brent's cycle finding (1980): one stored copy, compared after every pass.

    The copy is renewed after 1, 2, 4, 8, ... further passes, so that a cycle of any length is found within a constant factor.

    With ``classes``, the axis of the weights along which they lie, what is common to all classes is taken off first: it
    changes no margin.
    """

    def __init__(self, weights: np.ndarray, bias: np.ndarray, classes: int | None = None) -> None:
        self._running, self._classes = (weights, bias), classes
        self._renew(1)

    def _state(self) -> tuple[np.ndarray, ...]:
        if self._classes is None:
            return self._running
        weights, bias = self._running
        return weights - weights.take([0], axis=self._classes), bias - bias[0]

    def _renew(self, patience: int) -> None:
        weights, bias = (part.copy() for part in self._state())
        self.landmark = Landmark(weights, bias, 0, patience)

    def found(self) -> bool:
        """Whether the weights after this pass equal those of the landmark; its ``passes`` are then the length of the cycle."""
        landmark = self.landmark = self.landmark._replace(passes=self.landmark.passes + 1)
        weights, bias = self._state()
        if np.array_equal(bias, landmark.bias) and np.array_equal(weights, landmark.weights):
            return True
        if landmark.passes == landmark.patience:
            self._renew(2 * landmark.patience)
        return False


class Movement:
    """How far the weights moved over a pass, the bias counted as the weight of its constant feature."""

    def __init__(self, problem: Problem, state: State) -> None:
        self._state, self._constant = state, problem.constant2**0.5 or 1.0
        self._copy = self._all()

    def _all(self) -> np.ndarray:
        return np.append(self._state.weights, self._state.bias / self._constant)

    def since_last(self) -> float:
        """Euclidean length of the change since the last call."""
        before, self._copy = self._copy, self._all()
        with np.errstate(over="ignore", invalid="ignore"):  # weights that diverge
            return float(sum_of_squares(self._copy - before) ** 0.5)
