"""From files to a store of rows: the first thing every command does that learns or checks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..inputs.counts import count
from ..inputs.keywords import keyword
from ..rows.readers.reading import Dataset, open_data
from ..rows.store.blocks import Block, DataError, RowError, Schema, TableBlock
from ..rows.store.cells import is_number
from ..rows.store.gather import Members, count_targets, gather_all, in_order
from ..rows.store.row_store import Store
from ..rows.store.splits import Split, folds, held_out
from .choices import CHOICES
from .documents import Result
from .memory import rows_budget
from .requests import Source
from .watching import NOBODY, Watcher

LEAST = 64_000_000  # bytes for names, levels and weights, however little there is for rows
COPIES = 3  # of all rows, that work on all of them at once may make
MANY_LABELS, MANY_LEVELS = 20, 50  # from which on they are said aloud
ROWS_A_LEVEL = 10  # unless there are so many rows for each

Question = Callable[[Iterable[Block]], Any]
Merge = Callable[[Any, Any], Any]


@dataclass(frozen=True, kw_only=True)
class LeftOut(Result):
    """A column that is not learned from."""

    column: str
    why: str


class Rows:
    """All rows of some files, ready to be gone through as often as need be; ``watcher`` is told of work on them."""

    travels = False  # whether answers to a fold do
    data: Any  # a ``Dataset``, or what knows as much of its rows

    def __init__(self, data: Dataset, store: Store, budget: int, watcher: Watcher) -> None:
        self.data, self.store, self.schema, self.watcher = data, store, data.schema, watcher
        self.budget = budget  # bytes
        self.room = max(budget, LEAST)  # bytes for names, levels and weights

    @cached_property
    def checksum(self) -> str:
        """Of all blocks, and of the texts that their codes stand for."""
        schema = self.schema
        texts = [schema.columns, schema.target, schema.task, schema.levels, schema.labels, schema.n_features]
        total = hashlib.sha256(json.dumps(texts).encode())
        for block in self.store.one_by_one():
            for part in block:
                total.update(json.dumps([part.dtype.str, part.shape]).encode())
                total.update(np.ascontiguousarray(part).data.cast("B") if part.size else b"")
        return total.hexdigest()[:16]

    @property
    def n_rows(self) -> int:
        """How many there are."""
        return self.store.n_rows

    def fold(self, question: Question, merge: Merge, members: Members | None = None, outputs: int = 1) -> Any:
        """The answer to a question about blocks of rows that take part, which may lie in several places: answers are merged.
        Blocks are cut as ``in_order`` says."""
        return question(in_order(self.store, members, outputs))

    def gather(self, encoder: Any, members: Members | None) -> tuple[Any, np.ndarray]:
        """All rows that take part, encoded, and their targets."""
        return gather_all(self.store, self.schema, encoder, members)

    def hold_out(self, share: float, seed: int) -> Split:
        """Hold out this share of the rows."""
        return held_out(self.store, self.schema, share, seed)

    def cut(self, parts: int, seed: int) -> list[Split]:
        """Cut the rows into parts, each of them held out once."""
        return folds(self.store, self.schema, parts, seed)

    def make_room(self, needed: int) -> None:
        """Keep fewer rows in memory, if there is to be room for so many bytes more."""
        if needed + self.store.bytes_in_memory > self.budget:
            self.store.shrink(max(0, self.budget - needed))

    @property
    def sparse(self) -> bool:
        """Whether rows are those of a LIBSVM file."""
        return not self.schema.columns

    def labels(self) -> np.ndarray:
        """All labels, sorted."""
        return np.array(sorted(self.schema.labels), dtype=object)

    def class_counts(self) -> list[int]:
        """Rows of each of ``labels()``."""
        return self._by_label(count_targets(self.store, self.schema, None))

    def _by_label(self, counts: np.ndarray) -> list[int]:
        """Counts by code in the order of ``labels()``."""
        labels = self.schema.labels
        return [int(counts[code]) for code in sorted(range(len(labels)), key=labels.__getitem__)]

    @property
    def left_out(self) -> list[LeftOut]:
        """Columns that are not learned from, and why."""
        return [LeftOut(column=each.column, why=each.why) for each in self.data.left_out]

    @cached_property
    def notes(self) -> list[str]:
        """What was assumed, and what is odd: targets that look like numbers, columns of very many levels."""
        return [*self.data.notes, *of_target(self.schema, self.n_rows), *_of_levels(self.schema, self.n_rows)]

    @property
    def bytes_at_once(self) -> int:
        """About what learning from all rows at once, or proving something of them, takes."""
        scores = 8 * self.store.n_rows * len(self.schema.labels)
        return COPIES * (self.store.bytes_in_memory + self.store.bytes_in_file + scores)


def of_target(schema: Schema, rows: int) -> list[str]:
    """A note on numbers that are learned as labels."""
    labels = schema.labels
    if schema.task != "classes" or len(labels) <= MANY_LABELS or not all(map(is_number, labels)):
        return []
    if rows >= ROWS_A_LEVEL * len(labels) and all(float(label).is_integer() for label in labels):
        return []
    learners = " or ".join(keyword("learner", choice.name) for choice in CHOICES if choice.task == "numbers")
    return [
        f"the target {schema.target!r} holds {count(len(labels))} different numbers in {count(rows)} rows, each learned as a "
        f"label; to predict a number, pass {learners} (in a comparison: task='numbers')"
    ]


def _of_levels(schema: Schema, rows: int) -> list[str]:
    """Notes on columns of categories that become very many features."""
    return [
        f"{name!r} has {count(len(levels))} levels in {count(rows)} rows, each a feature that few rows decide; group them in "
        f"the file, or pass {keyword('ignore', name)}"
        for name, levels in schema.levels.items()
        if len(levels) > MANY_LEVELS and rows < ROWS_A_LEVEL * len(levels)
    ]


@contextmanager
def loaded(source: Source, task: str, watcher: Watcher = NOBODY) -> Iterator[Rows]:
    """Read all files once."""
    budget = rows_budget(source.memory)
    reading = replace(source.reading, room=max(budget, LEAST))
    data = open_data(source.files, source.target, needed=True, task=task, reading=reading)
    try:
        with Store(budget) as store:
            with watcher.progress("Reading", data.size, "bytes") as advance:
                for block in data.blocks(advance):
                    if source.complete:
                        refuse_missing(data, block)
                    store.add(block)
            refuse_senseless(data, store.n_rows)
            rows = Rows(data, store, budget, watcher)
            for note in of_target(data.schema, store.n_rows):  # now: learning so many labels may take long
                watcher.tell(f"novikoff: {note}.")
            with located(data):
                yield rows
    finally:
        data.close()


@contextmanager
def located(data: Any) -> Iterator[None]:
    """Within it, errors of a value say where it stands in the file."""
    try:
        yield
    except RowError as error:
        there = DataError(f"{data.locate(error.row, error.column)}: {error.what}.")
        for note in getattr(error, "__notes__", []):
            there.add_note(note)
        raise there from None


def refuse_missing(data: Dataset, block: Block) -> None:
    """Stop at the first missing value."""
    if not isinstance(block, TableBlock):
        return
    for absent, names in ((np.isnan(block.numbers), data.schema.numbers), (block.codes < 0, data.schema.categories)):
        if absent.any():
            row, column = np.argwhere(absent)[0]
            place = data.locate(int(block.rows[row]), names[column])
            raise DataError(
                f"{place}: the value of {names[column]!r} is missing; fill it in, or pass missing='impute' or missing='drop'."
            )


def refuse_senseless(data: Any, n_rows: int) -> None:
    """Stop where there is nothing to learn from."""
    name = data.files[0]
    dropped = f" ({data.dropped} rows with missing values were dropped)" if data.dropped else ""
    if n_rows == 0 and data.unlabelled:
        raise DataError(
            f"{name}: no row has a value of the target {data.schema.target!r}{dropped}; is it the right target?"
        )
    if n_rows == 0:
        raise DataError(f"{name}: there are no rows to learn from{dropped}.")
    schema: Schema = data.schema
    if not schema.columns and schema.n_features == 0:
        raise DataError(f"{name}: there is no column to learn from besides the target.")
    if schema.task == "classes" and len(schema.labels) < 2:
        raise DataError(
            f"{name}: every row{dropped} has the same label, {schema.labels[0]!r}: with one class there is nothing to tell "
            f"apart. Is {schema.target!r} the right target?"
        )
