"""A store: blocks of rows, kept in memory up to a limit and beyond it in a temporary file, and read as learners need them: in order,
a part at a time; shuffled, a batch at a time; or all at once.

What is in the file is read through a memory map: the system fetches what is looked at, and ``release`` gives it back.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import IO, Any, NamedTuple

import numpy as np

from ...compiled.jit import exact, kernel
from ...learn.learning import LoopState, Part, Plan, RowSource, Watch, hold_out
from ...learn.orders import row_numbers, shuffle_by
from ...learn.rows import as_rows, frozen
from ...learn.state import Problem
from ...system.clock import Clock
from ...system.threads import ahead
from .blocks import Block, DataError, Schema, SparseBlock, TableBlock

RUN = 64  # neighbouring rows that stay together until their batch is shuffled: disks and memory like to read on
NUMBERS_AT_ONCE = 2_000_000  # of a batch: 16 MB
WORD = 6  # numbers that take as much room as a word, while it becomes a feature
BESIDE = 8  # numbers that a row takes beside its own: its target, number, places, weight, score, answer (measured with one column)
ALIGNED = 64  # bytes: every array begins at a multiple of this
SHELF = 1 << 28  # bytes asked of the system at once: large pieces come in huge pages, small ones page by page

Room = dict[str, np.ndarray]
Parts = list[tuple[Any, np.ndarray, np.ndarray]]  # blocks, places of rows in them, places to put them
Members = Callable[[np.ndarray], np.ndarray]  # from row numbers to a mask: which of them take part


class Place(NamedTuple):
    """Where an array lies in the file."""

    offset: int
    dtype: np.dtype
    shape: tuple[int, ...]


class Spilled(NamedTuple):
    """A block in the file."""

    kind: type[TableBlock] | type[SparseBlock]
    places: tuple[Place, ...]


class Store:
    """Blocks in the order in which they were added; no more than ``limit`` bytes of them stay in memory.

    ``folder`` is where the temporary file goes, if one is needed (None: where the system keeps such files, ``TMPDIR``).
    The file has no name, so nothing is left behind, however the process ends.
    """

    first = seen = 0  # the number of the first row, and the rows of each label before these: a store has all

    def __init__(self, limit: int, folder: str | None = None) -> None:
        self.limit = limit
        self.folder = folder or tempfile.gettempdir()
        self.n_rows = 0
        self.bytes_in_memory = 0
        self.bytes_in_file = 0
        self._free = np.empty(0, np.uint8)  # memory for the next blocks
        self._parts: list[Block | Spilled] = []
        self._blocks: list[Block] | None = None  # made when asked for
        self._file: IO[bytes] | None = None
        self._map: mmap.mmap | None = None
        self._more: list[mmap.mmap] = []  # other files
        self._made: dict[object, np.ndarray] = {}  # what ``once`` has made

    def add(self, block: Block) -> None:
        """Keep a copy of one more block."""
        block = type(block)(*map(np.ascontiguousarray, block))
        size = sum(part.nbytes for part in block)
        fits = self.bytes_in_memory + size <= self.limit
        self._parts.append(type(block)(*map(self._shelve, block)) if fits else self._spill(block))
        if fits:
            self.bytes_in_memory += size
        self.n_rows += len(block.rows)
        self._blocks = None

    def shrink(self, limit: int) -> None:
        """Keep no more than ``limit`` bytes in memory from now on: the last blocks that are too much go to the file."""
        self.limit, self._free, self._blocks = limit, self._free[:0].copy(), None
        for place in reversed(range(len(self._parts))):
            block = self._parts[place]
            if self.bytes_in_memory <= limit:
                break
            if not isinstance(block, Spilled):
                self._parts[place] = self._spill(block)
                self.bytes_in_memory -= sum(part.nbytes for part in block)

    @property
    def blocks(self) -> Sequence[Block]:
        """All blocks.  Arrays of those in the file are views of it that cannot be written to."""
        if self._blocks is None:
            self._map = self._mapped()
            self._blocks = [self._read(part) if isinstance(part, Spilled) else part for part in self._parts]
        return self._blocks

    def one_by_one(self) -> Iterator[Block]:
        """All blocks; what one takes of the file is given back before the next."""
        for block in self.blocks:
            yield block
            self.release()

    def release(self) -> None:
        """Give the memory that pages of the file take back to the system; they are fetched again when looked at."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for mapped in (*([] if self._map is None else [self._map]), *self._more):
                mapped.madvise(mmap.MADV_DONTNEED)

    def once(self, key: object, pieces: Callable[[], Iterator[np.ndarray]]) -> np.ndarray:
        """The pieces, one or more of one type, as one array: in memory if all blocks are, else in a separate file.  They are made
        once for each key."""
        if key not in self._made:
            self._made[key] = self._joined(pieces())
        return self._made[key]

    def _joined(self, pieces: Iterator[np.ndarray]) -> np.ndarray:
        if self._file is None:
            return np.concatenate(list(pieces))
        with self._room_needed(), tempfile.TemporaryFile(dir=self.folder) as file:
            for piece in pieces:
                file.write(piece.data)
                dtype = piece.dtype
            file.flush()
            self._more.append(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        return np.frombuffer(self._more[-1], dtype)

    def close(self) -> None:
        """Forget everything.  The file goes once the last array that looks at it does."""
        self._parts, self._blocks, self._map, self._free = [], None, None, self._free[:0].copy()
        self._more, self._made = [], {}
        self.n_rows = self.bytes_in_memory = self.bytes_in_file = 0
        if self._file is not None:
            with suppress(OSError):  # what a full disk left in the buffer
                self._file.close()
            self._file = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _shelve(self, array: np.ndarray) -> np.ndarray:
        """A copy that stays in memory."""
        size = array.nbytes
        if self._free.size < size:
            self._free = np.empty(max(size, min(SHELF, self.limit)), np.uint8)
        copy = self._free[:size].view(array.dtype).reshape(array.shape)
        copy[...] = array
        self._free = self._free[size + -size % ALIGNED :]
        return copy

    def _spill(self, block: Block) -> Spilled:
        with self._room_needed():
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115 it lives as long as the store
            places = tuple(self._write(self._file, part) for part in block)
            self._file.flush()
        return Spilled(type(block), places)

    @contextmanager
    def _room_needed(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise OSError(
                error.errno,
                f"{reason}: the data do not fit into the memory that they may take, and {self.folder!r} has no room for "
                f"the rest ({self.bytes_in_file / 1e6:,.0f} MB so far). Allow more with memory=..., or set TMPDIR "
                "to a folder with more room.",
            ) from None

    def _write(self, file: IO[bytes], array: np.ndarray) -> Place:
        place = Place(self.bytes_in_file, array.dtype, array.shape)
        file.write(array.data.cast("B") if array.size else b"")
        file.write(bytes(-array.nbytes % ALIGNED))
        self.bytes_in_file += array.nbytes + -array.nbytes % ALIGNED
        return place

    def _mapped(self) -> mmap.mmap | None:
        if self._file is None or not self.bytes_in_file:
            return None
        return mmap.mmap(self._file.fileno(), self.bytes_in_file, access=mmap.ACCESS_READ)

    def _read(self, spilled: Spilled) -> Block:
        return spilled.kind(*map(self._view, spilled.places))

    def _view(self, place: Place) -> np.ndarray:
        if self._map is None:
            return np.empty(place.shape, place.dtype)
        count = int(np.prod(place.shape))
        return np.frombuffer(self._map, place.dtype, count, place.offset if count else 0).reshape(place.shape)


# What a learner is given of a block


def as_matrix(block: Block, schema: Schema, encoder: Any, overwrite: bool = False) -> Any:
    """The rows as a learner takes them; with ``overwrite``, written over the block where that saves time."""
    if encoder is not None:
        return encoder.encode(block, schema, overwrite=overwrite)
    assert isinstance(block, SparseBlock)
    from scipy import sparse

    index = np.int32 if block.values.size < 2**31 else np.int64
    parts = block.values, block.indices.astype(index, copy=False), block.starts.astype(index, copy=False)
    return sparse.csr_matrix(parts, shape=(len(block.rows), schema.n_features))


def labels_of(block: Block, schema: Schema) -> np.ndarray:
    """The targets as a learner takes them: numbers, or texts, of which rows share one: copies would have the length of the longest."""
    return block.target if schema.task == "numbers" else np.array(schema.labels, dtype=object)[block.target]


def count_targets(store: Store, schema: Schema, members: Members | None) -> np.ndarray:
    """How many rows that take part have each label; of numbers, how many there are."""
    counts = count_kinds(np.zeros(0, dtype=np.int32), schema)
    for block in store.one_by_one():
        counts += count_kinds(block.target if members is None else block.target[members(block.rows)], schema)
    return counts


def count_kinds(target: np.ndarray, schema: Schema) -> np.ndarray:
    """How many of these targets are each label; of numbers, how many there are."""
    kinds = target if schema.task == "classes" else np.zeros(len(target), dtype=np.int32)
    return np.bincount(kinds, minlength=max(1, len(schema.labels)))


# In order


class BlockList:
    """Blocks of rows, as a store has them."""

    def __init__(self, blocks: Iterable[Block], first: int = 0, seen: np.ndarray | int = 0) -> None:
        self.blocks = blocks
        self.first = first  # the number of the first row among all, those that were left out included
        self.seen = seen  # rows of each label before these

    def release(self) -> None:
        """Nothing is held back."""

    def once(self, key: object, pieces: Callable[[], Iterator[np.ndarray]]) -> np.ndarray:
        """The pieces as one array."""
        return np.concatenate([np.empty(0, np.uint8), *pieces()])


RowBlocks = Store | BlockList


def in_order(store: RowBlocks, members: Members | None = None, outputs: int = 1) -> Iterator[Block]:
    """Blocks of the rows that take part, as they lie, none of more than about ``NUMBERS_AT_ONCE``, nor of so many scores where
    every row gets ``outputs`` of them."""
    for block in store.blocks:
        for first, last in _cuts(block, outputs):
            part = slice_rows(block, first, last)
            mask = None if members is None else members(part.rows)
            part = part if mask is None or mask.all() else pick_rows(part, np.flatnonzero(mask))
            if len(part.rows):
                yield part
            store.release()


class InOrder(Sequence[Any]):
    """The same blocks, of all rows, each made when it is asked for; what others take of the file is given back then."""

    def __init__(self, store: Store, outputs: int = 1) -> None:
        self._store = store
        self._places = [(number, *ends) for number, block in enumerate(store.blocks) for ends in _cuts(block, outputs)]

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, number: Any) -> Block:
        self._store.release()
        block, first, last = self._places[number]
        return slice_rows(self._store.blocks[block], first, last)


def _cuts(block: Block, outputs: int) -> Iterator[tuple[int, int]]:
    """The ends of parts of about ``NUMBERS_AT_ONCE``."""
    count = len(block.rows)
    step = max(1, count * NUMBERS_AT_ONCE // max(1, stored_numbers(block), count * outputs))
    for first in range(0, count, step):
        yield first, min(first + step, count)


def stored_numbers(block: Block) -> int:
    """How many numbers work on the block takes."""
    own = (
        block.values.size
        if isinstance(block, SparseBlock)
        else block.numbers.size + block.codes.size + WORD * block.words.size
    )
    return own + BESIDE * len(block.rows)


def slice_rows(block: Block, first: int, last: int) -> Block:
    """Neighbouring rows, as views."""
    if isinstance(block, TableBlock):
        own = TableBlock(*(part[first:last] for part in block[:4]))
        if not block.starts.size:
            return own
        starts = block.starts[first : last + 1]
        span = slice(starts[0], starts[-1])
        return own._replace(counts=block.counts[span], words=block.words[span], starts=starts - starts[0])
    begin, end = block.starts[first], block.starts[last]
    starts = block.starts[first : last + 1] - begin
    return SparseBlock(
        block.values[begin:end], block.indices[begin:end], starts, block.target[first:last], block.rows[first:last]
    )


def pick_rows(block: Block, which: np.ndarray) -> Block:
    """These rows, as a copy."""
    target = block.target[which] if block.target.size else block.target
    if isinstance(block, TableBlock) and not block.starts.size:
        return TableBlock(block.numbers[which], block.codes[which], target, block.rows[which])
    lengths = np.diff(block.starts)[which]
    starts = np.append(0, np.cumsum(lengths))
    stored = np.arange(starts[-1]) + np.repeat(block.starts[which] - starts[:-1], lengths)
    if isinstance(block, TableBlock):
        parts = block.counts[stored], block.words[stored], starts
        return TableBlock(block.numbers[which], block.codes[which], target, block.rows[which], *parts)
    return SparseBlock(block.values[stored], block.indices[stored], starts, target, block.rows[which])


def cut_at_batches(blocks: Iterator[Block], batch: int) -> Iterator[Block]:
    """The same rows, in blocks that end where a batch of so many rows does; the last batch is cut short."""
    waiting: list[Block] = []
    for block in blocks:
        waiting.append(block)
        count = sum(len(each.rows) for each in waiting)
        whole = count - count % batch
        if whole:
            joined = join_blocks(waiting)
            yield slice_rows(joined, 0, whole)
            waiting = [slice_rows(joined, whole, count)] if whole < count else []
    if waiting:
        yield join_blocks(waiting)


def join_blocks(blocks: list[Block]) -> Block:
    """One block of the rows of all."""
    if len(blocks) == 1:
        return blocks[0]
    parts = [np.concatenate(part) for part in zip(*blocks, strict=True)]
    if blocks[0].starts.size:
        lengths = [np.diff(block.starts) for block in blocks]
        parts[type(blocks[0])._fields.index("starts")] = np.append(0, np.cumsum(np.concatenate(lengths)))
    return type(blocks[0])(*parts)


def gather_all(
    store: RowBlocks, schema: Schema, encoder: Any, members: Members | None = None
) -> tuple[Any, np.ndarray]:
    """All rows that take part, and their targets, for learners that need them together."""
    from scipy import sparse

    parts, targets = [], []
    for block in in_order(store, members):
        parts.append(as_matrix(block, schema, encoder))
        targets.append(labels_of(block, schema))
    if not parts:
        raise DataError("No row is left to learn from.")
    y = np.concatenate(targets)
    if sparse.issparse(parts[0]):
        return (sparse.csr_matrix(sparse.vstack(parts)) if len(parts) > 1 else parts[0]), y
    X = np.empty((len(y), parts[0].shape[1]))
    place = len(y)
    while parts:  # from the end, so that every part goes as soon as it is copied
        part = parts.pop()
        place -= len(part)
        X[place : place + len(part)] = part
    return X, y


# Shuffled


class Runs(NamedTuple):
    """All runs of neighbouring rows: the block, its first row there, how many rows, how many numbers work on them takes."""

    block: np.ndarray
    first: np.ndarray
    rows: np.ndarray
    numbers: np.ndarray


def cut_into_runs(blocks: Iterable[Block]) -> Runs:
    """The runs of these blocks, in their order."""
    parts: list[tuple[np.ndarray, ...]] = []
    for place, block in enumerate(blocks):
        first = np.arange(0, len(block.rows), RUN, dtype=np.int32)
        rows = np.minimum(RUN, len(block.rows) - first).astype(np.int32)
        numbers = BESIDE * rows.astype(np.int64)
        if block.starts.size:
            stored = block.starts[first + rows] - block.starts[first]
            numbers += WORD * stored if isinstance(block, TableBlock) else stored
        if isinstance(block, TableBlock):
            numbers += rows * (block.numbers.shape[1] + block.codes.shape[1])
        parts.append((np.full(first.size, place, dtype=np.int32), first, rows, numbers))
    return Runs(*(np.concatenate(part) for part in zip(*parts, strict=True)))


Batch = tuple[np.ndarray, np.random.Generator]  # runs in ascending order, and what shuffles their rows


def shuffled(runs: Runs, rng: np.random.Generator, at_once: int) -> Iterator[Batch]:
    """All runs at random, in batches of about ``at_once`` numbers."""
    order = rng.permutation(runs.first.size)
    batch = (np.cumsum(runs.numbers[order]) - 1) // at_once
    for chosen in np.split(order, np.flatnonzero(np.diff(batch)) + 1):
        yield np.sort(chosen), np.random.default_rng(rng.integers(2**63))


class Gatherer:
    """Copies rows of many blocks into one, shuffled, in a room that is used again and again: a dict of arrays, empty at first.

    Kernels see every block as read-only, so that those in memory and those in a file have one compiled kernel.
    """

    def __init__(self, store: Store, runs: Runs, members: Members | None) -> None:
        self._blocks, self._release, self._runs, self._members = store.blocks, store.release, runs, members

    def __call__(self, batch: Batch, room: Room) -> Block:
        """One block of the rows of these runs that take part."""
        chosen, rng = batch
        picked = list(self._pick(chosen))
        count = sum(rows.size for _, rows in picked)
        places = np.arange(count, dtype=np.int64)
        shuffle_by(rng, places)
        ends = np.cumsum([rows.size for _, rows in picked])
        split = np.split(places, ends[:-1])
        parts = [(block, rows, to) for (block, rows), to in zip(picked, split, strict=True)]
        return (self._sparse if isinstance(self._blocks[0], SparseBlock) else self._table)(parts, count, room)

    def _pick(self, chosen: np.ndarray) -> Iterator[tuple[Block, np.ndarray]]:
        """Blocks, and the places of the rows that take part in each."""
        runs = self._runs
        lengths = runs.rows[chosen].astype(np.int64)
        ends = np.cumsum(lengths)
        rows = np.arange(ends[-1]) + np.repeat(runs.first[chosen] - (ends - lengths), lengths)
        owner = runs.block[chosen]
        last = np.append(np.flatnonzero(np.diff(owner)), owner.size - 1)
        for place, part in zip(owner[last].tolist(), np.split(rows, ends[last[:-1]]), strict=True):
            block = self._blocks[place]
            if self._members is not None:
                part = part[self._members(block.rows[part])]
                self._release()  # of each block at once: the system maps far more of a file than is looked at
            yield block, part

    def _table(self, parts: Parts, count: int, room: Room) -> TableBlock:
        block = parts[0][0]
        numbers = _place(room, "numbers", (count, block.numbers.shape[1]), np.float64)
        codes = _place(room, "codes", (count, block.codes.shape[1]), np.int32)
        target, names = _ends(room, count, block.target.dtype)
        for block, rows, places in parts:
            if numbers.size:
                put_rows(frozen(block.numbers), rows, places, numbers)
            if codes.size:
                put_rows(frozen(block.codes), rows, places, codes)
            self._put_ends(block, rows, places, target, names)
        found = TableBlock(numbers, codes, target[:, 0], names)
        if not parts[0][0].starts.size:
            return found
        starts, counts, words = self._compressed(parts, count, room, "counts", "words")
        return found._replace(counts=counts, words=words, starts=starts)

    def _sparse(self, parts: Parts, count: int, room: Room) -> SparseBlock:
        starts, values, indices = self._compressed(parts, count, room, "values", "indices")
        target, names = _ends(room, count, parts[0][0].target.dtype)
        for block, rows, places in parts:
            self._put_ends(block, rows, places, target, names)
        return SparseBlock(values, indices, starts, target[:, 0], names)

    def _compressed(self, parts: Parts, count: int, room: Room, first: str, second: str) -> tuple[np.ndarray, ...]:
        """Compressed rows, of which blocks call the values and the indices so."""
        starts = np.zeros(count + 1, dtype=np.int64)
        for block, rows, places in parts:
            starts[places + 1] = block.starts[rows + 1] - block.starts[rows]
            self._release()
        np.cumsum(starts, out=starts)
        values = _place(room, first, (int(starts[-1]),), np.float64)
        indices = _place(room, second, (int(starts[-1]),), np.int32)
        for block, rows, places in parts:
            source = map(frozen, (getattr(block, first), getattr(block, second), block.starts))
            put_sparse_rows(*source, rows, places, values, indices, starts)
            self._release()
        return starts, values, indices

    def _put_ends(
        self, block: Block, rows: np.ndarray, places: np.ndarray, target: np.ndarray, names: np.ndarray
    ) -> None:
        put_rows(frozen(block.target[:, None]), rows, places, target)
        names[places] = block.rows[rows]
        self._release()


def _ends(room: Room, count: int, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Room for targets, as a column, and row numbers."""
    return _place(room, "target", (count, 1), dtype), _place(room, "rows", (count,), np.int64)


def _place(room: Room, name: str, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    size = int(np.prod(shape))
    if name not in room or room[name].size < size:
        room[name] = np.empty(size + size // 8, dtype)
    return room[name][:size].reshape(shape)


@exact(lambda source, rows, *rest: 0.3 * rows.size * source.shape[1], enough=100_000.0)
def put_rows(source: np.ndarray, rows: np.ndarray, places: np.ndarray, out: np.ndarray) -> None:
    """``out[places] = source[rows]``"""
    for k in range(rows.size):
        i, place = rows[k], places[k]
        for j in range(source.shape[1]):
            out[place, j] = source[i, j]


@kernel
def put_sparse_rows(
    values: np.ndarray,
    indices: np.ndarray,
    starts: np.ndarray,
    rows: np.ndarray,
    places: np.ndarray,
    to_values: np.ndarray,
    to_indices: np.ndarray,
    to_starts: np.ndarray,
) -> None:
    """The same for compressed sparse rows; ``to_starts`` says where each row goes."""
    for k in range(rows.size):
        begin = starts[rows[k]]
        place = to_starts[places[k]]
        for j in range(starts[rows[k] + 1] - begin):
            to_values[place + j] = values[begin + j]
            to_indices[place + j] = indices[begin + j]


# The rows of a store as a source of passes, gathered part by part.
#
# In order, parts are cut where batches end, so that they lead to the weights that ``fit`` finds with ``order="cyclic"``.
# Shuffled, a pass takes runs of 64 neighbouring rows at random, gathers them into parts, and shuffles the rows of each part
# once more.  The order depends on the seed and the number of the pass only, so that the same rows give the same weights to
# the last bit, whether they are in memory or in a file, and whether or not learning was interrupted between two passes.


class StoreSource(RowSource):
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

    def make_pass(self, machine: LoopState, number: int, clock: Clock | None, watch: Watch | None) -> str:
        if not self.plan.summed:
            return super().make_pass(machine, number, clock, watch)
        self.make_step(machine, number)
        return ""

    def parts(self, number: int, machine: LoopState) -> Iterator[Part]:
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
        of_a_batch = int(self._batch * runs.numbers.sum() / max(1, self._store.n_rows))
        at_once = max(NUMBERS_AT_ONCE, of_a_batch)  # so many that reading is quick
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
