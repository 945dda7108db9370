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

from ...inputs.threads import ahead
from ...learn.machine import Machine
from ...learn.orders import row_numbers
from ...learn.rows import as_rows
from ...learn.sources import Part, Source
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
    """Rows of a store that take part.

    What a learner says of them is set before the first pass: ``outputs`` and ``constant2``, the ``factors`` of class weights (by
    class; empty: all are 1), the ``order`` ("cyclic", or else shuffled), the rows of a ``batch``, and the rows that are
    ``held_out``.
    """

    def __init__(self, store: Store, schema: Schema, encoder: Any, members: Members | None, seed: int) -> None:
        self._store, self._schema, self._encoder, self._members, self._seed = store, schema, encoder, members, seed
        self.labels = np.array(schema.labels, dtype=str)
        self.counts = count_targets(store, schema, members)  # rows of each label
        self.rows = int(self.counts.sum())
        if not self.rows:
            raise DataError("No row is left to learn from.")
        self.outputs, self.constant2, self.order, self.batch = 1, 0.0, "shuffle", 1
        self.factors = np.empty(0)
        self.held_out = np.empty(0, dtype=bool)  # by row number
        self.progress: Callable[[int], None] = lambda rows: None
        _, places = np.unique(self.labels, return_inverse=True)
        self.class_number = places.astype(np.int32)
        self._rooms: list[Room] = []

    @cached_property
    def _runs(self) -> Runs:
        return cut_into_runs(self._store.one_by_one())

    @cached_property
    def _gather(self) -> Gatherer:
        some = self.taking_part if self._members or self.held_out.size else None
        return Gatherer(self._store, self._runs, some)

    def no_rows(self) -> Any:
        """None of the rows, as a learner takes them."""
        first = next(block for block in self._store.blocks if len(block.rows))
        return as_matrix(slice_rows(first, 0, 1), self._schema, self._encoder)[:0]

    def targets(self) -> tuple[np.ndarray, np.ndarray]:
        """Row numbers and targets of all rows that take part, in the order in which they lie."""
        found = [(block.rows, self._target(block)) for block in in_order(self._store, self.taking_part)]
        rows, targets = (np.concatenate(part) for part in zip(*found, strict=True))
        return rows, targets

    def looks(self) -> Iterator[Part]:
        return self._read(in_order(self._store, self.taking_part, self.outputs))

    def apart(self) -> Iterator[tuple[Any, np.ndarray, np.ndarray]]:
        """X, targets and weights of the rows held out, part by part."""
        for part in self._read(in_order(self._store, lambda rows: self.held_out[rows], self.outputs)):
            weight = part.problem.weight
            yield part.X, part.problem.target, weight if weight.size else np.ones(part.X.shape[0])

    def parts(self, number: int, machine: Machine) -> Iterator[Part]:
        if self.order == "cyclic":
            for part in self._read(cut_at_batches(in_order(self._store, self.taking_part), self.batch)):
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
        at_once = numbers_at_once(int(self.batch * runs.numbers.sum() / max(1, self._store.n_rows)))
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
        members, weight = row_numbers(len(target)), self.factors[target] if self.factors.size else self.factors
        members = members[weight > 0] if weight.size else members
        problem = Problem(as_rows(X, self.outputs), target, weight, members, self.constant2)
        return Part(X, problem, members, members[:0], block.rows)

    def _target(self, block: Block) -> np.ndarray:
        return block.target if self._schema.task == "numbers" else self.class_number[block.target]

    def taking_part(self, rows: np.ndarray) -> np.ndarray:
        """Which of these row numbers are learned from."""
        taking = np.ones(len(rows), dtype=bool) if self._members is None else self._members(rows)
        return taking & ~self.held_out[rows] if self.held_out.size else taking
