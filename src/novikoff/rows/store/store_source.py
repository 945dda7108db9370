"""The rows of a store as a source of passes, gathered part by part.

In order, parts are cut where batches end, so that they lead to the weights that ``fit`` finds with ``order="cyclic"``.
Shuffled, a pass takes runs of 64 neighbouring rows at random, gathers them into parts, and shuffles the rows of each part
once more.  The order depends on the seed and the number of the pass only, so that the same rows give the same weights to
the last bit, whether they are in memory or in a file, and whether or not learning was interrupted between two passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from ...inputs.clock import Clock
from ...inputs.threads import ahead
from ...learn.learning import Machine, Part, Plan, Source, Watch, hold_out
from ...learn.orders import row_numbers
from ...learn.rows import as_rows
from ...learn.state import Problem
from .blocks import Block, DataError, Schema
from .gather import (
    Batch,
    Gatherer,
    Members,
    Room,
    Runs,
    as_matrix,
    count_targets,
    cut_at_batches,
    cut_into_runs,
    in_order,
    numbers_at_once,
    shuffled,
    slice_rows,
)
from .row_store import Store


class StoreSource(Source):
    """Rows of a store that take part.  In order, or else shuffled."""

    def __init__(self, store: Store, schema: Schema, encoder: Any, members: Members | None, seed: int) -> None:
        self._store, self._schema, self._encoder, self._members, self._seed = store, schema, encoder, members, seed
        self._counts = count_targets(store, schema, members)  # rows of each label
        self.rows = int(self._counts.sum())
        if not self.rows:
            raise DataError("No row is left to learn from.")
        self.held_out = np.empty(0, dtype=bool)  # by row number
        self.progress: Callable[[int], None] = lambda rows: None
        _, places = np.unique(self.labels(), return_inverse=True)
        self._class_number = places.astype(np.int32)
        self._rooms: list[Room] = []

    def labels(self) -> np.ndarray:
        return np.array(self._schema.labels, dtype=str)

    def class_sums(self, classes: np.ndarray) -> np.ndarray:
        return np.bincount(self._class_number, self._counts, len(classes))

    def settle(self, plan: Plan, rng: np.random.Generator | None) -> None:
        self.plan, none = plan, np.empty(0, dtype=np.int32)
        self.problem = Problem(as_rows(self._no_rows, plan.outputs), none, np.empty(0), none, 0.0)
        if plan.held_out and rng is not None:  # the rows that ``fit`` would hold out
            found = [(block.rows, self._target(block)) for block in in_order(self._store, self.taking_part)]
            rows, target = (np.concatenate(part) for part in zip(*found, strict=True))
            if plan.factors.size:
                weighty = plan.factors[target] > 0
                rows, target = rows[weighty], target[weighty]
            _, out = hold_out(np.arange(rows.size), target, plan.held_out, rng)
            self.held_out = np.zeros(int(rows.max()) + 1, dtype=bool)
            self.held_out[rows[out]] = True

    @cached_property
    def _runs(self) -> Runs:
        return cut_into_runs(self._store.one_by_one())

    @cached_property
    def _gather(self) -> Gatherer:
        some = self.taking_part if self._members or self.held_out.size else None
        return Gatherer(self._store, self._runs, some)

    @cached_property
    def _no_rows(self) -> Any:
        """None of the rows, as a learner takes them."""
        first = next(block for block in self._store.blocks if len(block.rows))
        return as_matrix(slice_rows(first, 0, 1), self._schema, self._encoder)[:0]

    @property
    def columns(self) -> int:
        """As many as a learner takes."""
        return int(self._no_rows.shape[1])

    def looks(self, held_out: bool = False) -> Iterator[Part]:
        some: Members = (lambda rows: self.held_out[rows]) if held_out else self.taking_part
        return self._read(in_order(self._store, some, self.plan.outputs))

    def make_pass(self, machine: Machine, number: int, clock: Clock | None, watch: Watch | None) -> str:
        if not self.plan.summed:
            return super().make_pass(machine, number, clock, watch)
        self.make_step(machine, number)
        return ""

    def parts(self, number: int, machine: Machine) -> Iterator[Part]:
        if self.plan.order == "cyclic":
            for part in self._read(cut_at_batches(in_order(self._store, self.taking_part), self._batch)):
                yield part
                self.progress(part.X.shape[0])
            return
        for part, room in self._shuffled(np.random.default_rng([self._seed, number])):
            if part.X.shape[0]:
                yield part
                self._rooms.append(room)
                self.progress(part.X.shape[0])

    def _read(self, blocks: Iterator[Block]) -> Iterator[Part]:
        for _, future in ahead(blocks, lambda block: self._part(block, overwrite=False)):
            part = future.result()
            if part.order.size:
                yield part

    def _shuffled(self, rng: np.random.Generator) -> Iterator[tuple[Part, Room]]:
        runs = self._runs
        at_once = numbers_at_once(int(self._batch * runs.numbers.sum() / max(1, self._store.n_rows)))
        for _, future in ahead(shuffled(runs, rng, at_once), self._gathered):
            yield future.result()

    def _gathered(self, batch: Batch) -> tuple[Part, Room]:
        """The rows of a batch, and the room all this lies in.  Threads do this ahead of learning."""
        try:
            room = self._rooms.pop()
        except IndexError:
            room = {}
        return self._part(self._gather(batch, room), overwrite=True), room

    def _part(self, block: Block, overwrite: bool) -> Part:
        """A block as a learner takes it; rows of classes that weigh nothing do not take part."""
        X, target = as_matrix(block, self._schema, self._encoder, overwrite=overwrite), self._target(block)
        factors = self.plan.factors
        members, weight = row_numbers(len(target)), factors[target] if factors.size else factors
        members = members[weight > 0] if weight.size else members
        problem = Problem(as_rows(X, self.plan.outputs), target, weight, members, self.problem.constant2)
        return Part(X, problem, members, members[:0], block.rows)

    @property
    def _batch(self) -> int:
        """Rows between two steps; parts of one step may end anywhere."""
        return 1 if self.plan.summed else self.plan.batch

    def _target(self, block: Block) -> np.ndarray:
        return block.target if self._schema.task == "numbers" else self._class_number[block.target]

    def taking_part(self, rows: np.ndarray) -> np.ndarray:
        """Which of these row numbers are learned from."""
        taking = np.ones(len(rows), dtype=bool) if self._members is None else self._members(rows)
        return taking & ~self.held_out[rows] if self.held_out.size else taking
