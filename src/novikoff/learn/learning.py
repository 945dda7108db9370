"""Learning, pass after pass, until a stop applies: the one driver behind ``fit``, ``partial_fit``, files and partitions.

A *learning* holds the machine (rule, schedule, keep, running weights), the history, the stops and what is to be told of passes; a
*source* makes its passes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..inputs.clock import Clock
from .forms import progress_by_loss
from .keeps import Last
from .machine import Machine, Watch
from .rows import natural
from .sources import Source
from .state import MISTAKES, MOVES, SEEN, State, lengths
from .stops import Asked, Cycle, Landmark, NoProgress, StandStill, Stop, TimeOver, which
from .sweep import new_records, passes_made

History = dict[str, list[float]]  # one entry a pass


@dataclass
class Learned:
    """What learning leaves behind: all that it needs to go on later, and to say what it did."""

    keep: Last = None  # type: ignore[assignment]
    state: State = None  # type: ignore[assignment]  # the running weights
    rows: Any = None  # empty rows, whose type says how the state is stored; in the dual form, the support
    constant2: float = 0.0
    parameters: dict[str, Any] = field(default_factory=dict)  # of the learner, as they were when last checked
    history: History = field(default_factory=dict)
    class_counts: dict[Any, float] = field(default_factory=dict)  # weight of the rows of each class so far
    reach: float = 0.0  # of the rows so far: what ``eta="auto"`` divides by
    landmark: Landmark | None = None  # between two passes, where a cycle is looked for

    @property
    def begun(self) -> bool:
        """Whether there is anything to go on from."""
        return self.state is not None


class Outcome(NamedTuple):
    """How learning ended."""

    reason: str
    passes: int
    cycle: np.ndarray | None = None  # (rows, outputs): each row's steps over a cycle, added up
    moved: float = np.inf  # how far the weights moved over the last pass, if there is a tol
    proof: Any = None  # of whether the classes are separable, if somebody asked for it


class Solution(NamedTuple):
    """What a solver found."""

    coef: np.ndarray  # (outputs, columns)
    bias: np.ndarray  # (outputs,)
    reason: str = "solved"
    iterations: int = 1


class Learning:
    """A machine, the source of its passes, and all that goes with learning from them."""

    def __init__(
        self,
        machine: Machine,
        source: Source,
        *,
        clock: Clock,
        history: History | None = None,
        stops: Sequence[Stop] = (),
        full_history: bool = False,
        watch: Watch | None = None,
        passes: int = 0,
        most: int,
    ) -> None:
        self.machine, self.source, self.clock, self.stops = machine, source, clock, stops
        self.history: History = {} if history is None else history
        self.passes, self.most = passes, most  # made so far, and at the end
        self.moves = 0.0  # of the last pass: rows that moved the weights
        self.rows = 0.0  # of the last pass: their weight
        self.cut = ""  # why the last pass was cut short
        self.asked = False  # whether somebody who was told of the last pass asked to stop
        self.reason = ""
        self._by_loss = progress_by_loss(machine.form.rule)
        self._full_history, self._watch = full_history, watch
        # Who is told of passes: a score of rows held out, and what comes before and after each; the last asks to stop.
        self.held_out: Callable[[], float] | None = None
        self.before_pass: Callable[[], None] = do_nothing
        self.after_pass: Callable[[], bool] = ask_nothing

    @property
    def watched(self) -> bool:
        """Whether somebody sees every step."""
        return self._watch is not None

    def solve(self, find: Callable[[], Solution]) -> Outcome:
        """Take the weights that a solver finds.  Callbacks are told of one pass; what they ask for is ignored, as it has ended."""
        self.before_pass()
        found, machine = find(), self.machine
        machine.state.weights[:] = natural(machine.problem.rows, found.coef)
        machine.state.bias[:] = found.bias
        self.passes += found.iterations - 1
        self.note({"mistakes": 0, "norm": machine.norm()})
        self.reason = found.reason
        self.after_pass()
        return self.outcome()

    def run(self) -> Outcome:
        """Learn until a stop applies or all passes are made.  After Ctrl-C the outcome says so, if there are any
        weights yet."""
        machine = self.machine
        machine.keep.consider(machine.state, machine.problem)
        for stop in self.stops:
            stop.begin(self)
        if self._watch:
            self._watch(machine, machine.problem.members[:0], 0)
        try:
            while not self.reason and self.passes < self.most:
                together = self.at_once()
                if together > 1:
                    self.make_passes(together)
                else:
                    self.make_pass()
                self.reason = which(self.stops, self)
                self.asked = self.after_pass()
                self.reason = self.reason or which(AT_LAST, self)
        except KeyboardInterrupt:
            if not self.passes:
                raise
            self.reason = "interrupted"
        self.reason = self.reason or "budget"
        return self.outcome()

    def at_once(self) -> int:
        """How many passes may be made before anybody looks."""
        told = self.before_pass is not do_nothing or self.after_pass is not ask_nothing or self.held_out is not None
        if told or self.watched or self._full_history or self.clock.limit < np.inf:
            return 1
        most = min(self.most - self.passes, self.source.at_once(self.machine))
        if most == 1:
            return 1
        work = self.machine.work_of(self.machine.problem.members)
        return int(min([most, *(stop.soonest(self, work) for stop in self.stops)]))

    def make_passes(self, most: int) -> None:
        """Passes in one call of a kernel, up to the first that changes nothing, and what the history says of each."""
        machine = self.machine
        before = machine.state.counts[[MISTAKES, MOVES, SEEN]]
        records = new_records(machine.state, most)
        start = self.clock.seconds
        try:
            self.source.make_passes(machine, records)
        finally:  # what was learned before an error or Ctrl-C counts
            made = passes_made(records)
            counts = np.diff(records.numbers[:made, :3], axis=0, prepend=before[None])
            self.moves, self.rows = counts[-1, 1:].tolist() if made else (0.0, 0.0)
            machine.work += made * machine.work_of(machine.problem.members)
            told: History = {"mistakes": counts[:, 0].astype(int).tolist()}
            told["norm"] = lengths(machine.problem.constant2, records.weights[:made], records.bias[:made])
            if self._by_loss:
                told["progressive_loss"] = (
                    records.numbers[:made, 3] / np.where(counts[:, 2], counts[:, 2], 1.0)
                ).tolist()
            told["seconds"] = np.linspace(start, self.clock.seconds, made + 1)[1:].tolist()
            self.write(told)
        for stop in self.stops:
            stop.note(self, told)

    def make_pass(self) -> None:
        """One pass, and what the history says of it."""
        machine = self.machine
        counts = machine.state.counts
        mistakes, moves, seen = counts[MISTAKES], counts[MOVES], counts[SEEN]
        self.before_pass()
        machine.touched = False
        machine.lost = 0.0
        try:
            self.cut = self.source.make_pass(machine, self.passes, self.clock, self._watch)
        except BaseException:  # what was learned before an error or Ctrl-C counts
            if machine.touched:
                machine.keep.consider(machine.state, machine.problem)
                self.note({"mistakes": int(counts[MISTAKES] - mistakes), "norm": machine.norm()})
            raise
        machine.keep.consider(machine.state, machine.problem)
        self.moves, self.rows = counts[MOVES] - moves, counts[SEEN] - seen
        record = {"mistakes": int(counts[MISTAKES] - mistakes), "norm": machine.norm()}
        if self._by_loss:
            record["progressive_loss"] = machine.lost / (self.rows or 1.0)
        if self._full_history:
            found = self.source.survey(machine)
            record |= {"errors": found.errors, "loss": found.lost / found.weight, "smallest_margin": found.least}
        if self.held_out:
            record["held_out_score"] = self.held_out()
        told = self.note(record)
        for stop in self.stops:
            stop.note(self, told)

    def note(self, record: dict[str, float]) -> History:
        """Write down the pass that ended just now."""
        told = {name: [value] for name, value in record.items()} | {"seconds": [self.clock.seconds]}
        self.write(told)
        return told

    def write(self, told: History) -> None:
        """Add passes to the history; what other passes say and these do not, or the other way round, is NaN."""
        history, count = self.history, len(told["seconds"])
        self.passes += count
        before = len(history["seconds"]) if history else 0
        if history.keys() != told.keys():
            for name in told:
                history.setdefault(name, [np.nan] * before)
        for name, values in history.items():
            values += told[name] if name in told else [np.nan] * count

    def landmark(self) -> Landmark | None:
        """What the search for a cycle goes on from if learning is interrupted now."""
        return next((stop.landmark for stop in self.stops if isinstance(stop, Cycle)), None)

    def outcome(self) -> Outcome:
        """How it ended, or would if it ended now."""
        cycle, moved, proof = None, np.inf, None
        for stop in self.stops:
            if isinstance(stop, Cycle) and self.reason == stop.reason:
                cycle = stop.steps
            elif isinstance(stop, StandStill):
                moved = stop.moved
            elif isinstance(stop, NoProgress):
                proof = stop.proof
        return Outcome(self.reason, self.passes, cycle, moved, proof)


def do_nothing() -> None:
    """Before a pass that nobody is told of."""


def ask_nothing() -> bool:
    """After a pass that nobody is told of."""
    return False


AT_LAST = Asked(), TimeOver()  # asked once everybody was told of a pass
