"""Tables in partitions: files, or Dask frames, are read a partition each, and then have the codes and row numbers that one
machine would give them.

Which rows of which files make a partition is planned from groups of rows and sizes of files alone, so that the same files make
the same partitions, and with them the same bits, on any cluster.
"""

from __future__ import annotations

import copy
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from logging import CRITICAL
from operator import add, or_
from typing import Any, NamedTuple

import numpy as np

from ..report.words import installing
from .partitions import Here, Partitions
from .readers.byte_sources import must_be_spooled
from .readers.reading import Dataset
from .readers.reading_options import Reading, ReadingPlan
from .readers.tables import RoundedField
from .store.blocks import MISSING, Block, Schema, SparseBlock
from .store.row_store import BlockList, join_blocks

# Which cluster is meant: workers on this machine, a scheduler by its address, or a client that is there already.

SECONDS = 5  # that a scheduler has to answer in
NEEDED = f"Dask is needed for this: {installing('dask')}"
WAYS = "'local:4' (four worker processes on this machine) or the address of a scheduler, such as 'tcp://10.0.0.1:8786'"

Engine = Callable[[Sequence[Any]], Partitions]


@contextmanager
def engines_on(where: Any) -> Iterator[Engine]:
    """What makes an engine of partitions, in memory or delayed, on the cluster that is meant.

    None stands for the client in use or, if there is none, for this process; a number of workers is started, and stopped at the
    end; ``Here`` works on partitions in this process, without Dask.
    """
    if where is Here:
        yield Here
    elif not isinstance(where, str):
        yield on_client(where)
    elif where.startswith("local:"):
        with workers_here(where) as client:
            yield on_client(client)
    else:
        client = client_at(where)
        try:
            yield on_client(client)
        finally:
            client.close()


def on_client(client: Any) -> Engine:
    """Engines of this client; None: of the one in use, if there is one."""
    try:
        from dask import delayed

        from .dask_engine import DaskPartitions, running_client  # Dask, which other partitions do without
    except ImportError:
        raise ImportError(NEEDED) from None
    if client is not None and not hasattr(client, "persist"):
        raise TypeError(f"dask is {WAYS}, or a distributed.Client; got {client!r}.")
    used = client or running_client()

    def make(partitions: Sequence[Any]) -> Partitions:
        lazy = [part if hasattr(part, "__dask_graph__") else delayed(part, traverse=False) for part in partitions]
        return DaskPartitions(lazy, used)

    return make


@contextmanager
def workers_here(where: str) -> Iterator[Any]:
    """Worker processes on this machine, of one thread each."""
    count = where.removeprefix("local:")
    if not count.isdecimal() or not int(count):
        raise ValueError(f"dask={where!r} names no number of workers: it is {WAYS}.")
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ImportError(NEEDED) from None
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0", "silence_logs": CRITICAL}
    with LocalCluster(n_workers=int(count), **options) as cluster, Client(cluster) as client:
        yield client


def client_at(address: str) -> Any:
    """The client of the scheduler at an address."""
    try:
        from distributed import Client
    except ImportError:
        raise ImportError(NEEDED) from None
    try:
        client = Client(address, timeout=SECONDS)
    except ValueError as error:
        raise ValueError(f"dask={address!r} is no address of a scheduler ({error}): it is {WAYS}.") from None
    except (OSError, TimeoutError):
        raise OSError(
            f"No Dask scheduler answers at {address} within {SECONDS} seconds. Is it running, and is the address right? "
            "dask='local:4' starts workers on this machine instead."
        ) from None
    if not client.scheduler_info()["workers"]:
        client.close()
        raise OSError(f"The Dask scheduler at {address} has no workers. Start some: dask worker {address}")
    return client


FRAME = "dask DataFrame"
FIRST_ROWS = 1 << 16  # of a frame: as many as decide, of a file, what its columns are
PARTITION = 32 << 20  # bytes of files that make a partition, about
MOST = 2000  # partitions, about: each costs every round some milliseconds


# What is to be read


class ToRead(NamedTuple):
    """How a partition is read."""

    schema: Schema  # as it is before any row is read
    plan: ReadingPlan
    reading: Reading
    frames: str = ""  # what data frames are called; of files nothing
    refuse: Callable[[Dataset, Block], None] | None = None  # raises an error if a block is not as it must be


class TableParts(NamedTuple):
    """Partitions of tables that are yet to be read."""

    data: Dataset  # of the files, or of the first rows of a frame
    parts: list[Any]  # some readers each, or a delayed frame
    engine: Partitions  # what has them
    told: ToRead


def open_parts(
    files: list[Any], reading: Reading, make: Engine, open_here: Callable[[list[Any]], Dataset], refuse: Any
) -> TableParts:
    """See what the columns are, and plan partitions; ``open_here`` opens files, or the first rows of a frame."""
    frames = [each for each in files if hasattr(each, "__dask_graph__")]
    if frames and len(frames) < len(files):
        raise ValueError("Dask frames and files, or other frames, cannot be read together: use separate calls.")
    for each in files:
        if not frames and (not isinstance(each, str) or must_be_spooled(each)):
            raise ValueError("A cluster reads files and Dask frames: no standard input, no pipe, no frame in memory.")
    for frame in frames:
        if not hasattr(frame, "columns") or frame.ndim != 2:
            raise TypeError(f"A table is a Dask data frame with named columns, not {type(frame).__name__}.")
    parts: list[Any] = [part for frame in frames for part in frame.to_delayed()]
    data = open_here([first_rows(parts, make)] if frames else files)
    if frames:
        data.files = [FRAME] * len(frames)
    else:
        parts = plan_partitions(data.readers, make)
    told = ToRead(copy.deepcopy(data.schema), data.plan, replace(reading, room=None), FRAME if frames else "", refuse)
    return TableParts(data, parts, make(parts), told)


def first_rows(parts: list[Any], make: Engine) -> Any:
    """The first rows of the first partition that has some, as a source of rows."""
    from .readers.columnar import FrameSource  # pyarrow, which takes long to start

    frame = None
    for part in parts:
        frame = make([part]).fold(head_of, add, None)
        if len(frame):
            break
    source = FrameSource(frame)
    source.name = FRAME
    return source


def head_of(number: int, frame: Any, state: None) -> Any:
    """The first rows of a partition."""
    return frame.head(FIRST_ROWS)


def plan_partitions(readers: Sequence[Any], make: Engine, size: int | None = None) -> list[list[Any]]:
    """Lists of readers, one for each partition.

    Files are cut into parts of about ``size`` bytes where their format allows it; a small file is a partition by itself, unless
    there would be too many of them.  Where quotes hide the ends of lines, text stays whole: an engine looks for them.
    """
    total = sum(reader.source.size for reader in readers)
    size = size or max(PARTITION, total // MOST)
    cuts = [reader.cuts(size) for reader in readers]
    in_doubt = [part for parts in cuts if len(parts) > 1 for part in parts if hasattr(part, "cut_in_quotes")]
    quoted = make(in_doubt).fold(name_if_quoted, or_, None) or set() if in_doubt else set()
    parts = [
        part
        for reader, own in zip(readers, cuts, strict=True)
        for part in (own if reader.name not in quoted else [reader])
    ]
    at_once = -(-len(parts) // MOST)
    return [parts[first : first + at_once] for first in range(0, len(parts), at_once)]


def name_if_quoted(number: int, reader: Any, state: None) -> set[str] | None:
    """The name of a file that is to stay whole."""
    return {reader.name} if reader.cut_in_quotes() else None


# Reading


def opened(number: int, part: Any, told: ToRead) -> Dataset:
    """The rows of a partition: some readers, or a data frame."""
    if told.frames:
        from .readers.columnar import FrameRows, FrameSource  # pyarrow, which takes long to start

        source = FrameSource(part)
        source.name = frame_place(told.frames, number)
        part = [FrameRows(source, told.reading)]
    data = Dataset(copy.deepcopy(told.schema), part, told.plan, None)
    data.may_be_empty = True
    return data


def frame_place(name: str, number: int) -> str:
    """What messages call a partition of a data frame."""
    return f"{name}, partition {number}"


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


# Codes and row numbers of all partitions together


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
    if schema.texts:
        from .readers.word_counts import MOST_WORDS, number_words  # pyarrow, which takes long to start

        for name in schema.texts:
            words: list[str] = []
            number_words(census.levels[name], {}, words, MOST_WORDS)
            schema.levels[name][:] = words
    names = census.labels if schema.task == "classes" else [None]
    counts = np.array([[of_part.get(name, 0) for name in names] for of_part in census.counts.values()], dtype=np.int64)
    totals = np.array(list(census.totals.values()), dtype=np.int64)
    return Recoding(
        schema, (np.cumsum(totals) - totals).tolist(), np.cumsum(counts, axis=0) - counts, counts.sum(axis=0)
    )


def recode(number: int, read: RowsRead, told: Recoding) -> BlockList:
    """A partition with the codes and row numbers of all."""
    block, schema, first, seen = read.block, told.schema, told.first[number], told.seen[number]
    if block is None:
        return BlockList([], first, seen)
    target = block.target
    if schema.task == "classes" and target.size:
        target = places(read.labels, schema.labels)[target]
    rows = block.rows + first
    if isinstance(block, SparseBlock):
        return BlockList([block._replace(target=target, rows=rows)], first, seen)
    codes = np.empty_like(block.codes)
    for place, name in enumerate(schema.categories):
        codes[:, place] = places(read.levels[name], schema.levels[name])[block.codes[:, place]]
    words = block.words
    if schema.texts:
        from .readers.word_counts import number_words  # likewise

        column, level, wide = words % len(schema.texts), words // len(schema.texts), len(schema.texts)
        words = np.empty_like(words)
        for place, name in enumerate(schema.texts):
            known = {text: at for at, text in enumerate(schema.levels[name])}
            own = column == place
            words[own] = number_words(read.levels[name], known, None, 0)[level[own]] * wide + place
    return BlockList([block._replace(codes=codes, target=target, rows=rows, words=words)], first, seen)


def places(texts: list[str], among: list[str]) -> np.ndarray:
    """Where texts stand among others; the last entry is for what is missing."""
    known = {text: place for place, text in enumerate(among)}
    return np.array([*(known[text] for text in texts), MISSING], dtype=np.int32)


class PartsRead:
    """What is known of tables in partitions: what a ``Dataset`` knows of files."""

    def __init__(self, tables: TableParts, census: TableCensus, first: list[int]) -> None:
        data = self._data = tables.data
        self._parts, self._told, self._notes, self._first = tables.parts, tables.told, census.notes, first
        self.schema, self.files, self.left_out = data.schema, data.files, data.left_out
        self.dropped, self.unlabelled = census.dropped, census.unlabelled
        data.unlabelled, data.rounded = census.unlabelled, None
        if census.rounded is not None:
            number, found = census.rounded
            data.rounded = found._replace(row=found.row + first[number])
        self.rounded = data.rounded

    @property
    def notes(self) -> list[str]:
        """What was assumed."""
        return in_order_of_both(self._notes, self._data.notes)

    def locate(self, row: int, column: str | None = None) -> str:
        """Where a row, or its field in a column, stands."""
        number = bisect_right(self._first, row) - 1
        within = row - self._first[number]
        if not self._told.frames:
            return opened(number, self._parts[number], self._told).locate(within, column)
        at = f", column {column!r}" if column is not None else ""
        return f"{frame_place(self._told.frames, number)} (rows count from 0): row {within}{at}"


def read_parts(tables: TableParts) -> tuple[PartsRead, Partitions, np.ndarray]:
    """Read all partitions once: what is known of them, partitions of blocks, and the rows of each label."""
    schema = tables.data.schema
    read = tables.engine.map(read_rows, tables.told)
    census: TableCensus = read.fold(count_rows, both_counts, schema.task == "numbers")
    recoding = recoding_of(schema, census)
    return PartsRead(tables, census, recoding.first), read.map(recode, recoding), recoding.counts
