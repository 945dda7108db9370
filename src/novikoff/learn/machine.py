"""Rule, schedule, keep and running weights, and the rows that are learned from just now."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..inputs.arrays import overflow_error
from ..inputs.clock import Clock
from .forms import All, Real
from .keeps import Last, meant
from .rows import CSR, by_columns
from .schedule import Schedule
from .state import BAD_ROW, EXCUSED, GO, NEVER, PAUSE, PAUSED, Problem, State, length, new_state, row_values
from .stops import Movement, Recurrence
from .sweep import Records, new_scratch, no_records, survey, sweep

if TYPE_CHECKING:
    from .sources import Source

MULTIPLICATIONS_A_CALL = 20_000_000  # about 10 ms: the clock and Ctrl-C are heard between two calls of a kernel
FEW_WEIGHTS = 1000  # several passes are made at once with no more
MOST_COPIED = 1_000_000  # weights of passes that are made at once

ROW, SCATTERED = 30, 4  # what a row takes besides its numbers, and a number of a sparse row, in multiplications


class Overflow(Exception):
    """A score is no longer finite."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row: Any = row  # as a message should call it
        self.X: Any = None  # the rows that it is one of


# Sees the first weights, with no rows, and then every step: what learns, the rows of the step, the pass counted from 0.
# True ends the run.
Watch = Callable[["Machine", np.ndarray, int], bool]
NO_TALLY = np.empty((0, 0))


class Machine:
    """Rule, schedule, data, keep and state: everything that learns, and can tell how far it has come.

    The schedule may look at all rows: it is made when a step first needs it.
    """

    def __init__(
        self, form: Any, schedule: Callable[[], Schedule], problem: Problem, keep: Last, state: State, batch: int
    ) -> None:
        self.form, self._make_schedule, self.problem, self.keep, self.state = form, schedule, problem, keep, state
        self._batch = batch  # rows, all of them if there are no more
        self._scratch = new_scratch(state.bias, max(1, min(batch, problem.members.size)))
        self._no_records = no_records(state.weights.dtype, state.bias.dtype)
        self.touched = False  # whether rows were turned to since somebody said that none were
        self.work = 0.0  # so far, in multiplications of dense rows
        self.lost = (
            0.0  # loss of the rows so far, each at the weights that scored it; of rules that learn from right answers
        )

    @cached_property
    def schedule(self) -> Schedule:
        """The rates of its steps."""
        return self._make_schedule()

    def turn_to(self, problem: Problem) -> None:
        """Take these as the rows to learn from, or to look at."""
        self.problem, self.touched = problem, True

    def one_pass(
        self,
        order: np.ndarray,
        ahead: np.ndarray,
        *,
        clock: Clock | None = None,
        watch: Watch | None = None,
        number: int = 0,
        tally: np.ndarray = NO_TALLY,
    ) -> str:
        """One sweep over ``order``, in calls of about 10 ms; the reason if it was cut short: "time" or "callback"."""
        problem, state, counts = self.problem, self.state, self.state.counts
        batch = min(self._batch, order.size)
        if batch > self._scratch.pending_row.size:
            self._scratch = new_scratch(state.bias, batch)
        a_row = self._numbers_of_a_row()
        self.work += self.work_of(order)
        work = 1 if watch else max(1, MULTIPLICATIONS_A_CALL // a_row)
        learned = self.form, self.schedule, problem, state, self._scratch
        place = 0
        while place < order.size:
            reached = sweep(*learned, order, ahead, place, work, tally, self._no_records)
            self.lost += float(self._scratch.lost[0])
            self._scratch.lost[0] = 0.0
            self._refuse_overflow()
            asked = bool(watch and reached > place and watch(self, order[place:reached], number))
            place = reached
            if asked or (clock and place < order.size and clock.over):
                counts[PAUSE] = GO
                return "callback" if asked else "time"
            if counts[PAUSE] == PAUSED:
                self.keep.retire(state, problem)
                counts[PAUSE] = EXCUSED
        return ""

    def _numbers_of_a_row(self) -> int:
        """Multiplications that score a row."""
        return self.state.bias.size * (row_values(self.problem.rows, self.problem.members) + 1)

    def work_of(self, order: np.ndarray) -> int:
        """What a pass takes, in multiplications of dense rows."""
        scattered = SCATTERED if isinstance(self.problem.rows, CSR) else 1
        return order.size * (ROW + self._numbers_of_a_row() * scattered)

    def _refuse_overflow(self) -> None:
        """Raise an error if the kernel met a row whose score is not finite."""
        counts = self.state.counts
        if counts[BAD_ROW] >= 0:
            row, counts[BAD_ROW] = int(counts[BAD_ROW]), -1
            raise Overflow(row)

    def at_once(self, order: np.ndarray) -> int:
        """How many passes over these rows one call of a kernel may make; 1 where the keep looks at weights meanwhile, or there
        are so many that copies of them cost time."""
        weights = self.state.weights.size
        if self.keep.remembers or self.keep.pauses != NEVER or weights > FEW_WEIGHTS:
            return 1
        return max(1, min(MULTIPLICATIONS_A_CALL // self.work_of(order), MOST_COPIED // weights))

    def passes(self, order: np.ndarray, records: Records) -> None:
        """Passes that stand one after the other in ``order``, each written down in ``records``."""
        learned = self.form, self.schedule, self.problem, self.state, self._scratch
        sweep(*learned, order, order[:0], 0, order.size, NO_TALLY, records)
        self._refuse_overflow()

    def survey(self) -> tuple[float, float, float, int]:
        """What the running weights do on all rows: weight of errors, weighted loss, smallest margin, and its row."""
        return survey(self.form, self.problem, self.state.weights, self.state.bias)

    def norm(self) -> float:
        """The length of the running weights."""
        return length(self.problem, self.state)

    def movement(self) -> Movement:
        """Something that tells how far the weights move from now on."""
        return Movement(self.problem, self.state)

    def recurrence(self, confirmed: bool) -> Recurrence | None:
        """Something that sees weights come back in an order that repeats; none if the rate, or what the rule remembers, changes
        meanwhile, or if it takes a confirmation to tell, and there will be none."""
        drifts = isinstance(self.form, All)  # the weights of all classes, together
        if self.schedule.slowing or self.state.memory.size or (drifts and not confirmed):
            return None
        classes = int(by_columns(self.problem.rows)) if drifts else None
        return Recurrence(self.state.weights, self.state.bias, classes)

    def tally(self, source: Source, number: int, passes: int) -> np.ndarray:
        """Each row's steps, added up over some more passes, which leave this machine as it is: (rows, outputs)."""
        state = new_state(NEVER, self.state.weights.copy(), self.state.bias.copy(), averages=False)
        again = Machine(self.form, lambda: self.schedule, self.problem, Last(), state, self._batch)
        total = np.zeros((self.problem.target.size, state.bias.size))
        for more in range(passes):
            for part in source.parts(number + more, again):
                again.one_pass(part.order, part.ahead, tally=total)
        return total

    def handed_back(self, ended: str) -> tuple[dict[str, Any], State, Any]:
        """The weights that the keep chooses if learning ended for this reason (empty: it goes on), by the names that a
        learner has for them; and what is needed to go on with
        other rows: the state, and empty rows that say how it is stored."""
        coef, intercept = meant(self.keep, ended).handed_back(self.state, self.problem.rows)
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise overflow_error(None)
        if isinstance(self.form, Real):
            coef = coef[0]
        fitted = {"coef_": coef, "intercept_": intercept}
        if hasattr(self.keep, "votes"):
            fitted["votes_"] = self.keep.votes(self.state, self.problem.rows)
        return fitted, self.state, type(self.problem.rows)(*(part[:0].copy() for part in self.problem.rows))
