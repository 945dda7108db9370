"""The first lines of delimited text: which delimiter, header or not, the names of columns."""

from __future__ import annotations

from dataclasses import replace

from .blocks import DataError
from .chunks import LONGEST, column_of, count_lines
from .fields import Fields, find_fields
from .sources import Source
from .tables import is_number

DELIMITERS = ",;\t|"
HEAD = 1 << 16  # bytes that are looked at first
LINES = 20  # records that are compared


def read_head(source: Source, encoding: str, delimiter: str | None) -> tuple[Fields, str]:
    """The fields of the first records, two at least if there are so many, and the delimiter."""
    size = HEAD
    while True:
        with source.text(encoding) as text:
            data = text.read(size)
            whole = not text.read(1)
        if b"\0" in data:
            raise DataError(
                f"{source.name}: has NUL bytes, as texts have not; is it a binary file, or UTF-16 (--encoding)?"
            )
        chosen = delimiter or guess_delimiter(data)
        fields = find_fields(data, chosen)
        if not len(fields) and whole:
            raise DataError(f"{source.name}: is empty; give a file with rows.")
        if whole or len(fields) > 2 or size > LONGEST:
            return (fields if whole else replace(fields, records=fields.records[:-1])), chosen
        size *= 2


def guess_delimiter(data: bytes) -> str:
    """The delimiter that cuts most lines into as many fields as the first one has; of several, the one with more."""
    best, found = (0.0, 1), ","
    for delimiter in DELIMITERS:
        widths = find_fields(data, delimiter).widths[:LINES]
        if len(widths) and widths[0] > 1:
            score = (float((widths == widths[0]).mean()), int(widths[0]))
            if score > best:
                best, found = score, delimiter
    return found


def has_header(fields: Fields, missing: frozenset[str], expected: frozenset[str]) -> bool:
    """Whether the first line names the columns.

    It does if it has a name that is expected, and not if it has a number.  Else it is a header above a column of
    numbers; above texts only if none of its own stands below it again.
    """
    first, *below = (fields.record(number) for number in range(min(len(fields), LINES + 1)))
    if expected.intersection(first):
        return True
    if any(is_number(text) for text in first):
        return False
    columns = [{row[place] for row in below if place < len(row)} - missing for place in range(len(first))]
    if any(column and all(is_number(text) for text in column) for column in columns):
        return True
    return not any(text in column for text, column in zip(first, columns, strict=True))


def names_of(fields: Fields, file: str) -> list[str]:
    """The names of columns in the first record, all given and all different."""
    names: dict[str, None] = {}
    for place in range(int(fields.records[1])):
        start, end = int(fields.starts[place]), int(fields.ends[place])
        name = fields.text(place)
        wrong = None
        try:
            fields.data[start:end].decode()
        except UnicodeDecodeError:
            wrong = "the column's name is not valid UTF-8; pass --encoding, say --encoding latin-1"
        if not name:
            wrong = f"column {place + 1} has no name; give it one in the file's first line"
        elif name in names:
            wrong = f"two columns are named {name!r}; rename one of them"
        if wrong:
            line = count_lines(fields.data[:start]) + 1
            raise DataError(f"{file}:{line}:{column_of(fields.data, start)}: {wrong}.")
        names[name] = None
    return list(names)
