"""How much memory the batches of an Arrow file take, before any of them is read.

An Arrow file ends in a footer that lists its batches; each starts with a header that lists its buffers, and a compressed buffer
starts with the size it will have (Apache Arrow columnar format, "IPC file format"; both are flatbuffers).  Only these are read
here.  A file that contradicts itself is left to Arrow, which says what is wrong.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import BinaryIO

from ...inputs.addresses import open_bytes

MAGIC = b"ARROW1"
DICTIONARIES, BATCHES = 2, 3  # fields of the footer
HEADER_KIND, HEADER = 1, 2  # of a message
DICTIONARY_BATCH = 2  # a kind of header
DATA = 1  # of a dictionary batch: the batch in it
BUFFERS, COMPRESSION = 2, 3  # of a batch


def largest_batch(path: str | os.PathLike[str]) -> int:
    """Bytes of the largest batch and of all dictionaries, which are read with any batch; 0 where the file does not say so."""
    try:
        with open_bytes(os.fspath(path)) as file:
            footer = _footer(file)
            dictionaries = sum(_batch_size(file, *block) for block in _blocks(footer, DICTIONARIES))
            return dictionaries + max((_batch_size(file, *block) for block in _blocks(footer, BATCHES)), default=0)
    except (struct.error, IndexError, OSError, OverflowError, ValueError):
        return 0


def _footer(file: BinaryIO) -> _Table:
    end = file.seek(-10, os.SEEK_END)
    (size,), magic = struct.unpack("<i", file.read(4)), file.read(6)
    if magic != MAGIC or not 0 < size <= end:
        raise ValueError("this is not the end of an Arrow file")
    file.seek(end - size)
    return _Table.root(file.read(size))


def _blocks(footer: _Table, field: int) -> Iterator[tuple[int, int, int]]:
    """Where batches or dictionaries lie: offset, bytes of the header, bytes of the body."""
    for place in footer.vector(field, 24):
        offset, header, body = struct.unpack_from("<qi4xq", footer.data, place)
        yield offset, header, body


def _batch_size(file: BinaryIO, offset: int, header: int, body: int) -> int:
    """Bytes of the body as it is read, and of its compressed buffers once they are not."""
    file.seek(offset)
    message = _Table.root(file.read(header)[8:])  # after a mark and the length
    batch = message.table(HEADER)
    if batch is not None and message.byte(HEADER_KIND) == DICTIONARY_BATCH:
        batch = batch.table(DATA)
    total = body
    if batch is not None and batch.table(COMPRESSION) is not None:
        for place in batch.vector(BUFFERS, 16):
            start, length = struct.unpack_from("<qq", batch.data, place)
            if length >= 8:
                file.seek(offset + header + start)
                total += max(0, struct.unpack("<q", file.read(8))[0])
    return total


class _Table:
    """A table of a flatbuffer: its fields are found by way of a list of their places."""

    def __init__(self, data: bytes, place: int) -> None:
        self.data, self._place = data, place
        self._fields = place - struct.unpack_from("<i", data, place)[0]
        (self._size,) = struct.unpack_from("<H", data, self._fields)

    @classmethod
    def root(cls, data: bytes) -> _Table:
        return cls(data, struct.unpack_from("<I", data)[0])

    def _find(self, field: int) -> int | None:
        entry = 4 + 2 * field
        (offset,) = struct.unpack_from("<H", self.data, self._fields + entry) if entry < self._size else (0,)
        return self._place + offset if offset else None

    def _follow(self, field: int) -> int | None:
        place = self._find(field)
        return None if place is None else place + struct.unpack_from("<I", self.data, place)[0]

    def byte(self, field: int) -> int:
        place = self._find(field)
        return 0 if place is None else self.data[place]

    def table(self, field: int) -> _Table | None:
        place = self._follow(field)
        return None if place is None else _Table(self.data, place)

    def vector(self, field: int, size: int) -> range:
        """Where the entries of a vector lie."""
        place = self._follow(field)
        if place is None:
            return range(0)
        (count,) = struct.unpack_from("<I", self.data, place)
        return range(place + 4, place + 4 + min(count, len(self.data) // size) * size, size)
