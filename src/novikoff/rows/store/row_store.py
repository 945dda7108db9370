"""Blocks of rows, kept in memory up to a limit and beyond it in a temporary file.

What is in the file is read through a memory map: the system fetches what is looked at, and ``release`` gives it back.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, NamedTuple

import numpy as np

from .blocks import Block, SparseBlock, TableBlock

ALIGNED = 64  # bytes: every array begins at a multiple of this
SHELF = 1 << 28  # bytes asked of the system at once: large pieces come in huge pages, small ones page by page


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
