"""Learning from a store, pass by pass, by learners that have ``partial_fit``.

A pass reads every row once: runs of 64 neighbouring rows are shuffled, gathered into batches, and the rows of each batch
are shuffled once more.  The order depends on the seed and the number of the pass only, so that the same rows give the
same weights to the last bit, whether they are in memory or in a file, and whether or not learning was interrupted
between two passes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_regressor

from ..estimators.streamed_classes import ClassNumbers
from ..estimators.streaming import Numbers, learn_once, prepare
from ..estimators.targets import check_factors, find_classes
from ..loop import Machine, look_back
from ..problem import MISTAKES, MOVES, Problem
from ..stops import Clock
from .ahead import ahead
from .blocks import DataError, Schema
from .evaluation import Evaluation, evaluate
from .gather import NUMBERS_AT_ONCE, Batch, Gatherer, Members, Room, as_matrix, cut_into_runs, shuffled
from .store import Store

AT_REST = ("separated", "stable")  # reasons to stop for ever: another pass would not move the weights


class Ending(NamedTuple):
    """How learning ended."""

    reason: str  # "separated", of numbers "stable"; "budget", "time", "interrupted"
    passes: int  # in all, those before ``first_pass`` included
    mistakes: list[int]  # of each pass
    rows: int  # that a pass reads
    seconds: float
    training: Evaluation | None  # of the rows that were learned from; None if it was interrupted

    @property
    def progressive_errors(self) -> int:
        """Mistakes of the first pass, in which every row was new to the weights that were asked."""
        return self.mistakes[0] if self.mistakes else 0

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.reason == "interrupted"


def learn(
    learner: Any,
    store: Store,
    schema: Schema,
    encoder: Any,
    *,
    members: Members | None = None,
    passes: int,
    seed: int,
    first_pass: int = 0,
    after_pass: Callable[[int, Any], None] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Ending:
    """Learn from the rows of a store that take part until ``passes`` are over or a stop applies.

    ``first_pass`` is the number of the first pass to make, of a learner that went on to there before.  ``after_pass`` is
    called after every whole pass with its number and the learner, ready to predict; ``progress`` with the rows just
    read after every batch.
    """
    refused = can_stream(learner)
    if refused:
        raise ValueError(refused)
    stream = Stream(learner, store, schema, encoder, members)
    records = learner._records if first_pass else {}
    clock = Clock(learner.time_limit, records["seconds"][-1] if records else 0.0)
    reason = learner.stop_reason_ if first_pass and learner.stop_reason_ in AT_REST else None
    number = first_pass
    try:
        while not reason and number < passes:
            reason, record = stream.one_pass(np.random.default_rng([seed, number]), clock, progress)
            if not record:
                break
            for name, value in {**record, "seconds": clock.seconds}.items():
                records.setdefault(name, []).append(value)
            number += 1
            learner._records, learner.n_iter_, learner.stop_reason_ = records, number, reason
            if after_pass and reason in (None, *AT_REST):
                after_pass(number - 1, learner)
            if not reason and clock.over:
                reason = "time"
    except KeyboardInterrupt:
        if not number:  # nothing was learned that could be handed back
            raise
        reason = "interrupted"
    learner.stop_reason_ = reason = reason or "budget"
    found = None
    if reason != "interrupted":
        with suppress(KeyboardInterrupt):  # all was learned; only the last look is missing then
            found = evaluate(learner, store, schema, encoder, members)
            if schema.task == "classes":
                learner.n_errors_ = found.errors
    mistakes = [int(count) for count in records.get("mistakes", [])]
    return Ending(reason, number, mistakes, stream.rows, clock.seconds, found)


class Stream:
    """A learner and the rows it learns from."""

    def __init__(self, learner: Any, store: Store, schema: Schema, encoder: Any, members: Members | None) -> None:
        self._learner, self._schema, self._encoder = learner, schema, encoder
        counts = count_targets(store, schema, members)
        self.rows = int(counts.sum())
        if not self.rows:
            raise DataError("No row is left to learn from.")
        self._runs = cut_into_runs(store.blocks)
        self._gather = Gatherer(store, self._runs, members)
        self._rooms: list[Room] = []
        a_row = self._runs.numbers.sum() / max(1, store.n_rows)
        self._at_once = max(NUMBERS_AT_ONCE, int(learner.batch_size * a_row))
        self._targets: Numbers = Numbers()
        if schema.task == "classes":
            classes = find_classes(np.array(schema.labels, dtype=str))
            self._class_number = np.searchsorted(classes, schema.labels).astype(np.int32)
            factors = _class_factors(learner, classes, np.bincount(self._class_number, counts, classes.size))
            self._targets = ClassNumbers(learner, classes, factors)

    def one_pass(
        self, rng: np.random.Generator, clock: Clock, progress: Callable[[int], None] | None
    ) -> tuple[str | None, dict[str, float]]:
        """One pass: the reason to stop now, if there is one, and what the history says of it (nothing, if interrupted)."""
        machine: Machine | None = None
        reason: str | None = None
        mistakes = moves = 0
        try:
            for _, future in ahead(shuffled(self._runs, rng, self._at_once), self._gathered):
                if machine is not None and clock.over:
                    reason = "time"
                    break
                X, y, rows, room = future.result()
                if not len(rows):
                    continue
                X, ready = prepare(self._learner, X, y, None, self._targets)
                if machine is None:
                    mistakes, moves = ready.state.counts[[MISTAKES, MOVES]]
                machine = ready
                self._learn(X, machine, rows)
                self._rooms.append(room)
                if progress:
                    progress(len(rows))
        except KeyboardInterrupt:
            if not hasattr(self._learner, "_continue"):
                raise
            reason = "interrupted"
        self._hand_back()
        if machine is None:
            return reason, {}
        counts = machine.state.counts
        record = look_back(machine, counts[MISTAKES] - mistakes, full=False)
        if reason is None and not record["mistakes"] and counts[MOVES] == moves and not machine.pace.lam:
            reason = "stable" if is_regressor(self._learner) else "separated"
        return reason, record

    def _gathered(self, batch: Batch) -> tuple[Any, np.ndarray, np.ndarray, Room]:
        """The rows of a batch as the learner takes them, their targets and numbers, and the room all this lies in.  Threads do
        this ahead of learning."""
        try:
            room = self._rooms.pop()
        except IndexError:
            room = {}
        block = self._gather(batch, room)
        y = block.target if self._schema.task == "numbers" else self._class_number[block.target]
        return as_matrix(block, self._schema, self._encoder, overwrite=True), y, block.rows, room

    def _learn(self, X: Any, machine: Machine, rows: np.ndarray) -> None:
        """Learn from a batch.  Weights are handed back at the end of a pass only: of very many features that takes time."""
        learner = self._learner
        if not hasattr(learner, "_continue"):
            learner._hand_back(machine.problem, machine.keep, machine.state)
        learner._continue = learner._continue._replace(state=machine.state)  # which is learned into
        learn_once(learner, X, machine, self._targets, rows)

    def _hand_back(self) -> None:
        keep, state, rows, constant2, _ = self._learner._continue
        none = np.empty(0)
        self._learner._hand_back(Problem(rows, none, none, none, constant2), keep, state)
        self._learner._note_counts(state)


def count_targets(store: Store, schema: Schema, members: Members | None) -> np.ndarray:
    """How many rows that take part have each label; of numbers, how many there are."""
    counts = np.zeros(max(1, len(schema.labels)), dtype=np.int64)
    for block in store.blocks:
        target = block.target if members is None else block.target[members(block.rows)]
        codes = target if schema.task == "classes" else np.zeros(len(target), dtype=np.int32)
        counts += np.bincount(codes, minlength=counts.size)
        store.release()
    return counts


def _class_factors(learner: Any, classes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """What ``class_weight`` says of each class, as ``fit`` reads it; empty where it says nothing."""
    if learner.class_weight is None:
        return np.empty(0)
    from sklearn.utils import compute_class_weight

    some = counts > 0
    learner._class_counts = dict(zip(classes[some].tolist(), counts[some].tolist(), strict=True))
    if learner.class_weight == "balanced":
        factors = np.where(some, counts.sum() / (some.sum() * np.maximum(counts, 1)), 0.0)
    else:
        factors = compute_class_weight(learner.class_weight, classes=classes, y=classes)
    if np.count_nonzero(factors[some]) < 2:
        raise ValueError("class_weight leaves rows of one class at most: give two classes a positive weight.")
    return check_factors(factors)


# What a learner would do otherwise in ``fit``: the parameter, the values that a stream serves as well, and why no others.
SERVED: dict[str, tuple[tuple[Any, ...], str]] = {
    "keep": (("last", "average", "vote"), "draws rows at random, or counts the errors of many weights on all of them"),
    "order": (("auto", "shuffle", "blocks"), "is not how rows are read pass by pass"),
    "solver": (("steps",), "solves for all rows at once"),
    "tol": ((None,), "compares the weights of whole passes"),
    "early_stopping": ((False,), "holds rows out itself"),
    "warm_start": ((False,), "belongs to repeated calls of fit"),
    "history": (("basic",), "looks at all rows after every pass"),
    "on_separation": (("warn", "ignore"), "looks at all rows first"),
}


def can_stream(learner: Any) -> str | None:
    """None if the learner can learn pass by pass and do what its ``fit`` does; else the reason why not."""
    name = type(learner).__name__
    if hasattr(learner, "kernel") or not hasattr(type(learner), "partial_fit"):
        return f"{name} needs all rows together."
    for parameter, (served, why) in SERVED.items():
        value = getattr(learner, parameter, served[0])
        if value not in served:
            return f"{parameter}={value!r} {why}, so {name} needs all rows together."
    if learner.batch_size == "all":
        return f"batch_size='all' uses all rows at once, so {name} needs all rows together."
    if learner.fit_intercept and learner.intercept_scaling == "radius":
        return f"intercept_scaling='radius' is the largest norm of all rows, so {name} needs all rows together."
    return None
