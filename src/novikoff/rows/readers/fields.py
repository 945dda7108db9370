"""Where records and fields of delimited text lie (RFC 4180, as Arrow reads it).

A quote opens a quoted field only as the field's first character; within, two quotes are one; after the closing quote
the field goes on unquoted.  Lines end with a line feed, a carriage return, or both, and empty lines are no records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...compiled.jit import helper, kernel
from .chunks import CR, LF, line_end

QUOTE = 34


@dataclass(frozen=True)
class Fields:
    """Fields of a text, by the bytes where they start and end."""

    data: bytes
    starts: np.ndarray
    ends: np.ndarray
    records: np.ndarray  # the first field of each record, and the number of fields
    opened: int  # where a quote opens that nothing closes, or -1
    before: int = 0  # bytes before the first record that are no part of the table

    def __len__(self) -> int:
        return len(self.records) - 1

    @property
    def widths(self) -> np.ndarray:
        """How many fields each record has."""
        return np.diff(self.records)

    def text(self, field: int) -> str:
        """A field without its quotes and the blanks around it."""
        return _text(self.data[self.starts[field] : self.ends[field]])

    def record(self, number: int) -> list[str]:
        """The texts of a record."""
        first, after = self.records[number : number + 2].tolist()
        places = zip(self.starts[first:after].tolist(), self.ends[first:after].tolist(), strict=True)
        return [_text(self.data[start:end]) for start, end in places]


def _text(field: bytes) -> str:
    return unquote(field.decode(errors="replace")).strip()


def unquote(text: str) -> str:
    """What a field says."""
    if not text.startswith('"'):
        return text
    inside, _, rest = text[1:].replace('""', "\0").partition('"')
    return inside.replace("\0", '"') + rest.replace("\0", '""')


def find_fields(data: bytes, delimiter: str) -> Fields:
    """Where the fields of a text lie."""
    byte = delimiter.encode()
    most = data.count(byte) + data.count(b"\n") + data.count(b"\r") + 2
    starts, ends, records = (np.empty(most, np.int64) for _ in range(3))
    count, lines, opened = _scan(data, ord(byte), starts, ends, records)
    return Fields(data, starts[:count], ends[:count], records[: lines + 1], opened)


def record_end(rest: bytes, new: bytes, delimiter: str) -> int:
    """Where in ``new``, which comes after ``rest``, the last whole record ends: newlines may hide in quotes."""
    if b'"' not in rest and b'"' not in new:
        return line_end(new)
    end: int = _last_end(rest + new, ord(delimiter))
    return max(0, end - len(rest))


@helper
def _after_quotes(data: bytes, i: int) -> int:
    """The place after the quote that closes the one at ``i``; beyond the end if there is none."""
    n = len(data)
    i += 1
    while i < n:
        if data[i] == QUOTE:
            if i + 1 < n and data[i + 1] == QUOTE:
                i += 1
            else:
                return i + 1
        i += 1
    return n + 1


@kernel
def _last_end(data: bytes, delimiter: int) -> int:
    n = len(data)
    end = 0
    fresh = True  # at the start of a field
    i = 0
    while i < n:
        c = data[i]
        if c == QUOTE and fresh:
            i = _after_quotes(data, i)
            fresh = False
            continue
        if c == LF or (c == CR and i + 1 < n):
            end = i + 1
        fresh = c in (delimiter, LF, CR)
        i += 1
    return end


@kernel
def _scan(
    data: bytes, delimiter: int, starts: np.ndarray, ends: np.ndarray, records: np.ndarray
) -> tuple[int, int, int]:
    n = len(data)
    count = 0
    lines = 0
    opened = -1
    i = 0
    while i < n:
        if data[i] == LF or data[i] == CR:
            i += 1
            continue
        records[lines] = count
        lines += 1
        while True:
            starts[count] = i
            if i < n and data[i] == QUOTE:
                after = _after_quotes(data, i)
                if after > n:
                    opened = i
                    after = n
                i = after
            while i < n and data[i] != delimiter and data[i] != LF and data[i] != CR:
                i += 1
            ends[count] = i
            count += 1
            if i == n or data[i] != delimiter:
                break
            i += 1
    records[lines] = count
    return count, lines, opened
