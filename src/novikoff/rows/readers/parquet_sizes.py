"""How much memory the pages of a Parquet file take, before any of them is read.

A column of a group of rows is a sequence of pages, each after a header that has its size, compressed and not, and how many values
it holds (Apache Parquet format, "Data pages"; headers are in Thrift's compact protocol).  Only headers are read here.  A file that
contradicts itself is left to Arrow, which says what is wrong.
"""

from __future__ import annotations

import os
from typing import Any, BinaryIO, NamedTuple

from ...inputs.addresses import is_address, open_bytes

HEADER = 1 << 16  # bytes in which a header ends: it has two values of the page, cut short, at most
USUAL = 1 << 20  # bytes of a page, where nobody looks at its header
UNPACKED, PACKED, VALUES = 2, 3, 1  # fields: of a header two sizes, of its inner header the number of values
DICTIONARY = 7  # field of a header: the inner header of a dictionary
ENCODING = {
    5: 2,
    8: 4,
}  # fields of a header: the inner headers of both kinds of data pages, and where they have the encoding
CODED = (2, 8)  # encodings by which values are places in the dictionary
SHORTENED = 7  # the encoding by which a value is what it has in common with the one before, and the rest


class Pages(NamedTuple):
    """The pages of a column, in the order of rows."""

    dictionary: int  # bytes of the largest dictionary
    rows: list[int]  # of each page
    sizes: list[int]  # bytes of each page
    coded: list[bool]  # whether each has places in the dictionary instead of values
    longest: int  # bytes that a value may have in pages whose values share what they begin with; 0: there are none

    def most_bytes(self, rows: int) -> int:
        """Bytes of the pages that so many neighbouring rows lie in, at most; without their dictionary."""
        most = total = inside = last = 0
        for first, size in enumerate(self.sizes):
            while last < len(self.rows) and inside - self.rows[first] < rows:  # they may start with the last of a page
                total, inside, last = total + self.sizes[last], inside + self.rows[last], last + 1
            most = max(most, total)
            total, inside = total - size, inside - self.rows[first]
        return most


def pages_of(path: str | os.PathLike[str], groups: list[Any], column: int) -> Pages:
    """The pages of a column in these groups of rows, of which Arrow's metadata are given.  Of files behind addresses, where every
    look takes long, what the metadata say of all pages together is believed."""
    dictionary, rows, sizes, coded, longest = 0, list[int](), list[int](), list[bool](), 0
    parts = [group.column(column) for group in groups]
    if is_address(os.fspath(path)):
        for part in parts:
            count = 1 + part.total_uncompressed_size // USUAL
            dictionary = max(dictionary, USUAL if part.has_dictionary_page else 0)
            rows += [-(-part.num_values // count)] * count
            sizes += [part.total_uncompressed_size // count] * count
            coded += [bool(part.has_dictionary_page)] * count
            if "DELTA_BYTE_ARRAY" in part.encodings:
                longest = max(longest, part.total_uncompressed_size)
        return Pages(dictionary, rows, sizes, coded, longest)
    try:
        with open_bytes(os.fspath(path)) as file:
            for part in parts:
                place = min(part.dictionary_page_offset or part.data_page_offset, part.data_page_offset)
                end = place + part.total_compressed_size
                while place < end:
                    header, length = _header(file, place)
                    place += length + header[PACKED]
                    if DICTIONARY in header:
                        dictionary = max(dictionary, header[UNPACKED])
                        continue
                    kind = next(field for field in ENCODING if field in header)
                    rows.append(header[kind][VALUES])
                    sizes.append(header[UNPACKED])
                    coded.append(header[kind][ENCODING[kind]] in CODED)
                    if header[kind][ENCODING[kind]] == SHORTENED:
                        longest = max(longest, header[UNPACKED])
    except (IndexError, KeyError, OSError, StopIteration, ValueError):
        pass
    return Pages(dictionary, rows, sizes, coded, longest)


def _header(file: BinaryIO, place: int) -> tuple[dict[int, Any], int]:
    """The header of the page there, and its bytes."""
    file.seek(place)
    fields, length = _struct(file.read(HEADER), 0)
    if min(fields[UNPACKED], fields[PACKED]) < 0:
        raise ValueError("a size is negative")
    return fields, length


def _struct(data: bytes, i: int) -> tuple[dict[int, Any], int]:
    """The whole numbers and structs among the fields of a struct, and where it ends."""
    fields: dict[int, Any] = {}
    number = 0
    while data[i]:
        step, kind = data[i] >> 4, data[i] & 15
        i += 1
        if step:
            number += step
        else:
            number, i = _whole(data, i)
        fields[number], i = _value(data, i, kind)
    return fields, i + 1


def _value(data: bytes, i: int, kind: int) -> tuple[Any, int]:
    """A value of this kind, if it is a whole number or a struct, and where it ends."""
    if kind in (1, 2):  # true and false are kinds
        return None, i
    if kind == 3:
        return None, i + 1
    if kind in (4, 5, 6):
        return _whole(data, i)
    if kind == 7:
        return None, i + 8
    if kind == 8:
        size, i = _varint(data, i)
        return None, i + size
    if kind == 12:
        return _struct(data, i)
    raise ValueError("pages have no lists and maps in their headers")


def _whole(data: bytes, i: int) -> tuple[int, int]:
    number, i = _varint(data, i)
    return (number >> 1) ^ -(number & 1), i


def _varint(data: bytes, i: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        number |= (data[i] & 127) << shift
        i, shift = i + 1, shift + 7
        if data[i - 1] < 128:
            return number, i
