"""Tables in partitions: each is read where it lies, and then has the codes and row numbers that one machine would give it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..rows.readers.dataset import Dataset
from ..rows.readers.reading_options import Plan, Reading
from ..rows.readers.rounded import RoundedField
from ..rows.store.blocks import MISSING, Block, Schema, SparseBlock, TableBlock
from ..rows.store.gather import BlockList, Members, gather_all, in_order, join_blocks
from ..rows.store.splits import Way, parts_of


class ToRead(NamedTuple):
    """How a partition is read."""

    schema: Schema  # as it is before any row is read
    plan: Plan
    reading: Reading
    frames: str  # what data frames are called; of files nothing
    refuse: Callable[[Dataset, Block], None] | None  # raises an error if a block is not as it must be


class RowsRead(NamedTuple):
    """A partition with its own codes and row numbers."""

    block: Block | None  # None: no rows
    labels: list[str]
    levels: dict[str, list[str]]
    width: int  # of sparse rows
    total: int  # rows, those that were left out included
    dropped: int
    unlabelled: int
    rounded: RoundedField | None
    notes: list[str]


def opened(number: int, part: Any, told: ToRead) -> Dataset:
    """The rows of a partition: some readers, or a data frame."""
    if told.frames:
        from ..rows.readers.frame_rows import FrameRows, FrameSource  # pyarrow, which takes long to start

        source = FrameSource(part)
        source.name = frame_place(told.frames, number)
        part = [FrameRows(source, told.reading)]
    data = Dataset(copy.deepcopy(told.schema), part, told.plan, None)
    data.may_be_empty = True
    return data


def frame_place(name: str, number: int) -> str:
    """What messages call a partition of a data frame."""
    return f"{name}, partition {number}"


def read_rows(number: int, part: Any, told: ToRead) -> RowsRead:
    """Read a partition."""
    data, blocks = opened(number, part, told), []
    for block in data.blocks():
        if told.refuse:
            told.refuse(data, block)
        blocks.append(block)
    schema = data.schema
    return RowsRead(
        join_blocks(blocks) if blocks else None,
        schema.labels,
        schema.levels,
        schema.n_features,
        data.n_rows,
        data.dropped,
        data.unlabelled,
        data.rounded,
        [note for reader in data.readers for note in reader.notes],
    )


class TableCensus(NamedTuple):
    """What partitions hold."""

    labels: list[str]  # in the order of their first rows, as one machine finds them
    levels: dict[str, list[str]]
    width: int
    totals: dict[int, int]  # rows of each partition, those that were left out included
    counts: dict[int, dict[str | None, int]]  # rows of each partition and label that are not left out
    dropped: int
    unlabelled: int
    rounded: tuple[int, RoundedField] | None  # the first, and its partition
    notes: list[str]


def count_rows(number: int, read: RowsRead, numbers: bool) -> TableCensus:
    """What one partition holds; ``numbers``: its targets are numbers."""
    counts: dict[str | None, int] = {None: 0 if read.block is None else len(read.block.rows)}
    if read.block is not None and not numbers and read.block.target.size:
        found = np.bincount(read.block.target, minlength=len(read.labels)).tolist()
        counts |= dict(zip(read.labels, found, strict=True))
    return TableCensus(
        read.labels,
        read.levels,
        read.width,
        {number: read.total},
        {number: counts},
        read.dropped,
        read.unlabelled,
        None if read.rounded is None else (number, read.rounded),
        read.notes,
    )


def both_counts(one: TableCensus, other: TableCensus) -> TableCensus:
    """What the partitions of two censuses hold, those of the first before those of the second."""
    return TableCensus(
        in_order_of_both(one.labels, other.labels),
        {name: in_order_of_both(levels, other.levels[name]) for name, levels in one.levels.items()},
        max(one.width, other.width),
        one.totals | other.totals,
        one.counts | other.counts,
        one.dropped + other.dropped,
        one.unlabelled + other.unlabelled,
        one.rounded or other.rounded,
        in_order_of_both(one.notes, other.notes),
    )


def in_order_of_both(one: list[str], other: list[str]) -> list[str]:
    """The texts of both, each once."""
    return list(dict.fromkeys([*one, *other]))


class Recoding(NamedTuple):
    """What all partitions together know."""

    schema: Schema
    first: list[int]  # of each partition: the number of its first row among all
    seen: np.ndarray  # (partitions, labels): rows of each label in the partitions before; of numbers all rows
    counts: np.ndarray  # (labels,): in all


def recoding_of(schema: Schema, census: TableCensus) -> Recoding:
    """The schema of all rows, and where each partition begins."""
    schema.labels[:], schema.n_features = census.labels, max(schema.n_features, census.width)
    for name, levels in census.levels.items():
        schema.levels[name][:] = levels
    names = census.labels if schema.task == "classes" else [None]
    counts = np.array([[of_part.get(name, 0) for name in names] for of_part in census.counts.values()], dtype=np.int64)
    totals = np.array(list(census.totals.values()), dtype=np.int64)
    return Recoding(
        schema, (np.cumsum(totals) - totals).tolist(), np.cumsum(counts, axis=0) - counts, counts.sum(axis=0)
    )


class TablePartition(NamedTuple):
    """Rows as they are in a store of one machine."""

    blocks: list[Block]  # one, or none
    seen: np.ndarray  # rows of each label in the partitions before


def recode(number: int, read: RowsRead, told: Recoding) -> TablePartition:
    """A partition with the codes and row numbers of all."""
    block, schema, seen = read.block, told.schema, told.seen[number]
    if block is None:
        return TablePartition([], seen)
    target = block.target
    if schema.task == "classes" and target.size:
        target = places(read.labels, schema.labels)[target]
    rows = block.rows + told.first[number]
    if isinstance(block, SparseBlock):
        return TablePartition([block._replace(target=target, rows=rows)], seen)
    codes = np.empty_like(block.codes)
    for place, name in enumerate(schema.categories):
        codes[:, place] = places(read.levels[name], schema.levels[name])[block.codes[:, place]]
    return TablePartition([TableBlock(block.numbers, codes, target, rows)], seen)


def places(texts: list[str], among: list[str]) -> np.ndarray:
    """Where texts stand among others; the last entry is for what is missing."""
    known = {text: place for place, text in enumerate(among)}
    return np.array([*(known[text] for text in texts), MISSING], dtype=np.int32)


class PartOf(NamedTuple):
    """Rows that are in one of the parts that rows are dealt to, or in the others: what takes part in a fold."""

    way: Way
    which: int
    inside: bool
    schema: Schema
    counts: np.ndarray  # rows of each label, in all

    def among(self, partition: TablePartition) -> Members:
        """The same for the rows of a partition, by their numbers."""
        [block] = partition.blocks
        part = parts_of(block.target, self.schema, self.way, self.counts, partition.seen)
        mask = (part == self.which) == self.inside
        return lambda rows: mask[np.searchsorted(block.rows, rows)]


class Asked(NamedTuple):
    """A question about blocks of rows, and which rows take part."""

    question: Callable[[Iterable[Block]], Any]
    members: PartOf | None
    outputs: int


def ask(number: int, partition: TablePartition, asked: Asked) -> Any:
    """What a partition answers."""
    members = asked.members.among(partition) if asked.members and partition.blocks else None
    return asked.question(in_order(BlockList(partition.blocks), members, asked.outputs))


def numbers_of(number: int, partition: TablePartition, kept: np.ndarray) -> dict[int, int]:
    """The numbers of rows of a partition, by their places among all rows that are not left out."""
    found: dict[int, int] = {}
    for block in partition.blocks:
        before = int(partition.seen.sum())
        own = kept[(kept >= before) & (kept < before + len(block.rows))]
        found |= dict(zip(own.tolist(), block.rows[own - before].tolist(), strict=True))
    return found


class Encoding(NamedTuple):
    """How rows become features."""

    encoder: Any
    schema: Schema
    members: PartOf | None
    features: int
    sparse: bool


def encode(number: int, partition: TablePartition, told: Encoding) -> tuple[Any, np.ndarray]:
    """X and y of the rows of a partition that take part."""
    members = told.members.among(partition) if told.members and partition.blocks else None
    store = BlockList(partition.blocks)
    if any(True for _ in in_order(store, members)):
        return gather_all(store, told.schema, told.encoder, members)
    from scipy import sparse

    nothing = np.empty((0, told.features))
    y = np.empty(0) if told.schema.task == "numbers" else np.empty(0, dtype=object)
    return (sparse.csr_matrix(nothing) if told.sparse else nothing), y
