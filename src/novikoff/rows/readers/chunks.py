"""Text cut into chunks of whole records."""

from __future__ import annotations

import codecs
import copy
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Any, NamedTuple

from ...compiled.jit import kernel
from .byte_sources import Source, Span
from .reading_options import Fault

CHUNK = (
    2 << 20
)  # bytes of text, which take up to 40 times as much as rows of one digit; the same on every machine, so that blocks depend on the data only
LONGEST = 16 << 20  # bytes of one record
TOO_LONG = f"a record longer than {LONGEST >> 20} MB starts here; is a quote left open?"
BLANKS = f"more than {LONGEST >> 21} MB of blank lines or spaces follow here; delete them."
TAB, LF, CR, BLANK = 9, 10, 13, 32


class Chunk(NamedTuple):
    """Whole records of a file, as UTF-8."""

    data: bytes
    start: int  # where the first record starts: after the header
    done: int  # bytes of the file on disk that were read so far
    last: bool
    line: int | None = None  # lines of the file before it, if they were counted


def line_end(data: bytes) -> int:
    """Where the last whole line ends.  A carriage return at the very end may yet be followed by its line feed."""
    return max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1)) + 1


@kernel
def count_lines(data: bytes) -> int:
    """How many lines end here: with a line feed, a carriage return, or both."""
    count = 0
    for i in range(len(data) - 1):
        count += (data[i] == LF) | ((data[i] == CR) & (data[i + 1] != LF))
    return count + (len(data) > 0 and (data[-1] == LF or data[-1] == CR))


def column_of(data: bytes, offset: int) -> int:
    """The character column, from 1, of a byte."""
    start = line_end(data[:offset] + b" ")
    return len(data[start:offset].decode(errors="replace")) + 1


def row_start(data: bytes, row: int, comment: bytes | None = None) -> int:
    """The byte where a row starts, if each has a line: lines that are blank, or nothing but a comment, are no rows."""
    offset = 0
    for line in data.splitlines(keepends=True):
        if (line.split(comment)[0] if comment else line).strip():
            if row == 0:
                break
            row -= 1
        offset += len(line)
    return offset


def too_long(data: bytes) -> str:
    """What is wrong with so much text that has no whole record."""
    return BLANKS if 2 * len(data.rstrip()) < len(data) else TOO_LONG


def chunks(source: Source, encoding: str, end_of_records: Callable[[bytes, bytes], int]) -> Iterator[Chunk]:
    """Cut a text at ends of records; the last chunk has all that is left.

    ``end_of_records`` is given what is left of a text so far, and what comes after it: in that it finds the last end.
    """
    rest = b""
    with source.text(encoding) as text:
        new, done = text.read(CHUNK), text.done
        while new:
            so_far = len(rest) + len(new)  # of a record, if it has not ended: no more is read than one may have
            following, ahead = text.read(min(CHUNK, max(1, LONGEST + 1 - so_far))), text.done
            end = end_of_records(rest, new)
            if end or (not following and so_far <= LONGEST):
                end = end if following else len(new)
                yield Chunk(b"".join((rest, memoryview(new)[:end])), 0, done, not following)
                rest = new[end:]
            else:
                rest += new
            new, done = following, ahead
            if len(rest) > LONGEST:
                raise Fault(too_long(rest), offset=0)
    source.check()


def in_spans(reader: Any, encoding: str, size: int) -> list[Any]:
    """A reader of lines as several, each of about so many bytes; text that is compressed or in another encoding stays whole."""
    source = reader.source
    count = -(-source.size // size)
    if count < 2 or source.compression or codecs.lookup(encoding).name != "utf-8" or source.starts_as_utf16():
        return [reader]
    ends = [source.size * part // count for part in range(count + 1)]
    found = []
    for first, last in pairwise(ends):
        part = copy.copy(reader)
        part.source = Span(source, first, last)
        found.append(part)
    return found


def end_of_lines(rest: bytes, new: bytes) -> int:
    """For texts in which every line is a record."""
    return line_end(new)


def place_in(reader: Any, number: int, chunk: Chunk | None, offset: int, with_column: bool = True) -> str:
    """``file:line:column`` of a byte of chunk ``number``: the lines of the chunks before it are counted again, if they were not."""
    before = None if chunk is None else chunk.line
    if before is None:
        before = sum(count_lines(each.data) for each in islice(reader.pieces(), number))
    data = chunk.data if chunk is not None else b""
    line = 1 + reader.source.lines_before() + before + count_lines(data[:offset])
    return f"{reader.name}:{line}:{column_of(data, offset)}" if with_column else f"{reader.name}:{line}"
