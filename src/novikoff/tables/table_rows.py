"""Rows of tables, in this process or in partitions: what a command asks of them, asked of all kinds in one way."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from operator import or_
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from ..report.words import count, keyword, some
from ..rows.partitions import Function, Here, Merge, Partitions
from ..rows.readers.reading import Dataset, Reading, open_data
from ..rows.store.blocks import Block, DataError, RowError, Schema, TableBlock, is_number
from ..rows.store.row_store import RowBlocks, Store, count_targets, gather_all, in_order
from ..rows.store.splits import PartOf, Split, folds, held_out
from .learner_choices import CHOICES
from .progress import NO_PROGRESS, Watcher
from .results import Result

if TYPE_CHECKING:
    from ..rows.table_parts import TableParts, ToRead

LEAST = 64_000_000  # bytes for names, levels and weights, however little there is for rows
COPIES = 3  # of all rows, that work on all of them at once may make
FEW_LEVELS = 3  # of which one may well be called "all"
SUMS = ("total", "totals", "sum", "grand total")  # what rows of sums are called
MANY_LABELS, MANY_LEVELS = 20, 50  # from which on they are said aloud
ROWS_A_LEVEL = 10  # unless there are so many rows for each
PROGRAM = 620_000_000  # bytes that the program itself needs, its libraries and the blocks it works on
SMALLEST = 64_000_000  # for rows
FOR_TEXTS = 150_000_000  # more that it needs while it counts words (measured)
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}

Question = Callable[[Iterable[Block]], Any]
Refuse = Callable[[Dataset, Block], None]


class TableSource(NamedTuple):
    """Files with a target, and how they are read."""

    files: list[Any]  # paths, or data frames
    target: str | None
    reading: Reading
    complete: bool = False  # a missing value is an error
    memory: str | None = None  # what the process may take, such as "1GB"; None: half of what is free
    cluster: Any = None  # where rows are to stay: "local:4", an address, a client; None: here, or in the partitions of a Dask frame


@dataclass(frozen=True, kw_only=True)
class LeftOut(Result):
    """A column that is not learned from."""

    column: str
    why: str


class RowsQuestion(NamedTuple):
    """A question about blocks of rows, and which rows take part."""

    question: Question
    members: PartOf | None
    outputs: int


def ask(number: int, rows: RowBlocks, asked: RowsQuestion) -> Any:
    """What a partition answers."""
    members = asked.members and asked.members.among(rows)
    return asked.question(in_order(rows, members, asked.outputs))


class Encoding(NamedTuple):
    """How rows become features."""

    encoder: Any
    schema: Schema
    members: PartOf | None
    features: int
    sparse: bool


def encode(number: int, rows: RowBlocks, told: Encoding) -> tuple[Any, np.ndarray]:
    """X and y of the rows of a partition that take part."""
    members = told.members and told.members.among(rows)
    if any(True for _ in in_order(rows, members)):
        return gather_all(rows, told.schema, told.encoder, members)
    nothing = np.empty((0, told.features))
    y = np.empty(0) if told.schema.task == "numbers" else np.empty(0, dtype=object)
    return (sparse.csr_matrix(nothing) if told.sparse else nothing), y


def give(number: int, encoded: tuple[Any, np.ndarray], state: None) -> tuple[Any, np.ndarray]:
    """X and y of a partition as they are."""
    return encoded


def stack_both(one: tuple[Any, np.ndarray], other: tuple[Any, np.ndarray]) -> tuple[Any, np.ndarray]:
    """X and y of both."""
    X = one[0], other[0]
    stacked = sparse.csr_matrix(sparse.vstack(X)) if sparse.issparse(X[0]) else np.vstack(X)
    return stacked, np.concatenate([one[1], other[1]])


def numbers_kept(number: int, rows: RowBlocks, kept: np.ndarray) -> dict[int, int]:
    """The numbers of rows of a partition, by their places among all rows that are not left out."""
    found: dict[int, int] = {}
    before = int(np.sum(rows.seen))
    for block in rows.blocks:
        own = kept[(kept >= before) & (kept < before + len(block.rows))]
        found |= dict(zip(own.tolist(), block.rows[own - before].tolist(), strict=True))
        before += len(block.rows)
    return found


class TableRows:
    """All rows of some tables, ready to be gone through as often as need be; ``watcher`` is told of work on them.

    They are in partitions: in one, a ``store`` in this process, or in those of an engine.
    """

    def __init__(
        self,
        data: Any,
        partitions: Partitions,
        counts: np.ndarray,
        budget: int,
        watcher: Watcher,
        store: Store | None = None,
    ) -> None:
        self.data: Any = data  # a ``Dataset``, or what knows as much of its rows
        self.schema: Schema = data.schema
        self.counts = counts  # rows of each label; of numbers all rows
        self.n_rows = int(counts.sum())
        self.budget = budget  # bytes
        self.room = max(budget, LEAST)  # bytes for names, levels and weights
        self.watcher, self._partitions, self._store = watcher, partitions, store

    @property
    def apart(self) -> bool:
        """Whether they are in partitions of an engine: what is asked of them travels."""
        return self._store is None

    @property
    def store(self) -> Store:
        """All of them, where they are in this process."""
        assert self._store is not None
        return self._store

    def fold(self, question: Question, merge: Merge, members: PartOf | None = None, outputs: int = 1) -> Any:
        """The answer to a question about blocks of rows that take part; those of several partitions are merged.  Blocks are cut as
        ``in_order`` says."""
        return self._partitions.fold(ask, merge, RowsQuestion(question, members, outputs))

    def encoded(self, encoder: Any, members: PartOf | None) -> Partitions:
        """Partitions of X and y of the rows that take part."""
        schema = self.schema
        in_sparse_rows = self.sparse or bool(schema.categories or schema.texts)
        told = Encoding(encoder, schema, members, self.width(encoder), in_sparse_rows)
        return self._partitions.map(encode, told)

    def width(self, encoder: Any) -> int:
        """How many features there are, once encoded."""
        return self.schema.n_features if encoder is None else len(encoder.get_feature_names_out())

    def gather(self, encoder: Any, members: PartOf | None) -> tuple[Any, np.ndarray]:
        """All rows that take part, encoded, and their targets."""
        found: tuple[Any, np.ndarray] = self.encoded(encoder, members).fold(give, stack_both, None)
        return found

    def numbers_of(self, kept: np.ndarray) -> np.ndarray:
        """The numbers of rows by their places among those that are not left out."""
        found: dict[int, int] = self._partitions.fold(numbers_kept, or_, kept)
        return np.array([found[place] for place in kept.tolist()], dtype=np.int64)

    def hold_out(self, share: float, seed: int) -> Split:
        """Hold out this share of the rows."""
        return held_out(self.schema, self.counts, share, seed)

    def cut(self, parts: int, seed: int) -> list[Split]:
        """Cut the rows into parts, each of them held out once."""
        return folds(self.schema, self.counts, parts, seed)

    def make_room(self, needed: int) -> None:
        """Keep fewer rows in the memory of this process, if there is to be room for so many bytes more."""
        if self._store is not None and needed + self._store.bytes_in_memory > self.budget:
            self._store.shrink(max(0, self.budget - needed))

    @property
    def bytes_at_once(self) -> int:
        """About what learning from all rows at once, or proving something of them, takes in this process."""
        scores = 8 * self.n_rows * len(self.schema.labels)
        return COPIES * (self.store.bytes_in_memory + self.store.bytes_in_file + scores)

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
    def sparse(self) -> bool:
        """Whether rows are those of a LIBSVM file."""
        return not self.schema.columns

    def labels(self) -> np.ndarray:
        """All labels, sorted."""
        return np.array(sorted(self.schema.labels), dtype=object)

    def class_counts(self) -> list[int]:
        """Rows of each of ``labels()``."""
        labels = self.schema.labels
        return [int(self.counts[code]) for code in sorted(range(len(labels)), key=labels.__getitem__)]

    @property
    def left_out(self) -> list[LeftOut]:
        """Columns that are not learned from, and why."""
        return [LeftOut(column=each.column, why=each.why) for each in self.data.left_out]

    @cached_property
    def notes(self) -> list[str]:
        """What was assumed, and what is odd: targets that look like numbers, columns of very many levels."""
        schema = self.schema
        return [
            *self.data.notes,
            *of_target(schema, self.n_rows),
            *_of_levels(schema, self.n_rows),
            *_of_spelling(schema),
        ]


def of_target(schema: Schema, rows: int) -> list[str]:
    """A note on numbers that are learned as labels."""
    labels = schema.labels
    if schema.task != "classes" or len(labels) <= MANY_LABELS or not all(map(is_number, labels)):
        return []
    if rows >= ROWS_A_LEVEL * len(labels) and all(float(label).is_integer() for label in labels):
        return []
    *others, last = (keyword("learner", choice.name) for choice in CHOICES if choice.task == "numbers")
    learners = f"{', '.join(others)} or {last}"
    return [
        f"the target {schema.target!r} holds {count(len(labels))} different numbers in {count(rows)} rows, each learned as a "
        f"label; to predict a number, pass {learners} (in a comparison: task='numbers')"
    ]


def _of_spelling(schema: Schema) -> list[str]:
    """Notes on labels that differ in case or blanks only, and on rows of sums."""
    alike: dict[str, list[str]] = {}
    for label in schema.labels:
        alike.setdefault("".join(label.casefold().split()), []).append(label)
    notes = [
        f"the labels {' and '.join(map(repr, same[:3]))} differ only in case or blanks, and are learned as different classes; if they "
        "mean the same, make them the same in the file"
        for same in alike.values()
        if len(same) > 1
    ]
    texts = {schema.target or "": schema.labels, **{name: schema.levels[name] for name in schema.categories}}
    for name, levels in texts.items():
        notes += [
            f"{level!r} is among the values of {name!r}: if its row is the sum of other rows, delete that row"
            for level in levels
            if level.casefold() in SUMS and len(levels) > FEW_LEVELS
        ]
    return notes


def _of_levels(schema: Schema, rows: int) -> list[str]:
    """Notes on columns of categories that become very many features, and on texts of more words than have their own."""
    texts = set(schema.texts)
    full = [name for name in texts if any(word.startswith("#") for word in reversed(schema.levels[name]))]
    return [
        f"{name!r} has more different words and pairs than there is room for: those that come late share features; "
        "allow for more with memory=..."
        for name in sorted(full)
    ] + [
        f"{name!r} has {count(len(levels))} levels in {count(rows)} rows, so each level is learned from few rows; group the levels in "
        f"the file, or pass {keyword('ignore', name)}"
        for name, levels in schema.levels.items()
        if name not in texts and len(levels) > MANY_LEVELS and rows < ROWS_A_LEVEL * len(levels)
    ]


# From files to rows


class UnreadTables(NamedTuple):
    """Tables that are yet to be read."""

    data: Dataset  # of the files, or of the first rows of a Dask frame
    partitions: Partitions  # of what is to be read: ``data`` itself, or parts of the files or frame
    apart: TableParts | None  # those parts; None: all is read in this process

    @property
    def told(self) -> ToRead | None:
        """How parts are read, for ``open_part``."""
        return self.apart and self.apart.told

    def fold(self, function: Function, merge: Merge, state: Any, watcher: Watcher) -> Any:
        """What a function says of all partitions; it opens each with ``open_part``."""
        with watcher.progress("Reading", self.data.size, "bytes") as advance:
            self.data.progress = advance
            found = self.partitions.fold(function, merge, state)
            if self.apart is not None:
                advance(self.data.size or 0)
        return found


@contextmanager
def unread(
    source: TableSource, open_here: Callable[[list[Any]], Dataset], refuse: Refuse | None = None
) -> Iterator[UnreadTables]:
    """Tables in one partition, which is read in this process, or in those of a cluster or a Dask frame.  ``open_here`` opens files or the
    first rows of a frame."""
    if source.cluster is not None or any(hasattr(each, "__dask_graph__") for each in source.files):
        from ..rows.table_parts import engines_on, open_parts  # when there are partitions

        with engines_on(source.cluster) as make:
            parts = open_parts(source.files, source.reading, make, open_here, refuse)
            yield UnreadTables(parts.data, parts.engine, parts)
    else:
        data = open_here(source.files)
        try:
            yield UnreadTables(data, Here([data]), None)
        finally:
            data.close()


def open_part(number: int, part: Any, told: ToRead | None) -> Dataset:
    """The rows of a partition of unread tables."""
    if told is None:
        data: Dataset = part
        return data
    from ..rows.table_parts import opened  # likewise

    return opened(number, part, told)


@contextmanager
def rows_of(source: TableSource, task: str, watcher: Watcher = NO_PROGRESS) -> Iterator[TableRows]:
    """Read all rows once: into this process, or in partitions."""
    budget = rows_budget(source.memory)
    reading = replace(source.reading, room=max(budget, LEAST))

    def open_here(files: list[Any]) -> Dataset:
        return open_data(files, source.target, needed=True, task=task, reading=reading)

    refuse = refuse_missing if source.complete else None
    with unread(source, open_here, refuse) as tables, Store(budget) as store:
        data = tables.data
        if data.schema.texts:
            store.limit = max(SMALLEST, budget - FOR_TEXTS)
        with watcher.progress("Reading", data.size, "bytes") as advance:
            if tables.apart is None:
                for block in data.blocks(advance):
                    if refuse is not None:
                        refuse(data, block)
                    store.add(block)
                rows = TableRows(data, Here([store]), count_targets(store, data.schema, None), budget, watcher, store)
            else:
                from ..rows.table_parts import read_parts  # likewise

                rows = TableRows(*read_parts(tables.apart), budget, watcher)
                advance(data.size or 0)
        refuse_unusable(rows.data, rows.n_rows)
        for note in of_target(rows.schema, rows.n_rows):  # now: learning so many labels may take long
            watcher.tell(f"novikoff: {note}.")
        with located(rows.data):
            yield rows


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


def refuse_unusable(data: Any, n_rows: int) -> None:
    """Stop where there is nothing to learn from."""
    name = data.files[0]
    dropped = f" ({some(data.dropped, 'row')} with missing values left out)" if data.dropped else ""
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


# How much memory rows may take


def rows_budget(asked: str | None) -> int:
    """Bytes for rows, if the whole process may take ``asked`` (such as "1GB"); None: half of what is free."""
    total = _free() // 2 if asked is None else _bytes(asked)
    if asked is not None and total < PROGRAM + SMALLEST:
        raise ValueError(
            f"{keyword('memory', asked)} is too little: at least {(PROGRAM + SMALLEST) // 10**6}MB are needed."
        )
    return max(SMALLEST, total - PROGRAM)


def _bytes(text: str) -> int:
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", text.upper())
    if not match:
        raise ValueError(f"{keyword('memory', text)} is not an amount of memory: write, say, 800MB or 2GB.")
    return int(float(match[1]) * UNITS[match[2]])


def _free() -> int:
    """Memory that is free now; where the system does not say, what a small machine has."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 4_000_000_000
