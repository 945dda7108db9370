"""The first lines of delimited text: which delimiter, header or not, the names of columns."""

from __future__ import annotations

import re
from dataclasses import replace

from ..store.blocks import DataError, is_number
from .byte_sources import Source
from .chunks import LONGEST, column_of, count_lines, too_long
from .fields import Fields, find_fields

DELIMITERS = ",;\t|"
HEAD = 1 << 16  # bytes that are looked at first
LINES = 20  # records that are compared
MOST_FIELDS = 4_000_000  # of the first two or three lines
BINARY = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"FEA1": "Feather", b"PK\x03\x04": "zip or Excel"}  # how they begin
NO_NAME = "(column {})"  # what a column is called that has no name
EXCEL = re.compile(
    rb'"?sep=(.)"?[,;\t|]*(\r\n|\r|\n)', re.IGNORECASE
)  # a first line of Excel's that names the delimiter


def read_head(source: Source, encoding: str, delimiter: str | None) -> tuple[Fields, str]:
    """The fields of the first records, two at least if there are so many, and the delimiter."""
    size = HEAD
    while True:
        with source.text(encoding) as text:
            data = text.read(size)
            whole = not text.read(1)
        if b"\0" in data:
            kind = next((kind for start, kind in BINARY.items() if data.startswith(start)), None)
            if kind:
                raise DataError(
                    f"{source.name}: is not text but a {kind} file; let its name end in one of {kind}'s endings."
                )
            raise DataError(
                f"{source.name}: has NUL bytes, as texts have not; is it a binary file, or UTF-16 (encoding='utf-16')?"
            )
        if size > HEAD and max(data.count(each.encode()) for each in DELIMITERS) > MOST_FIELDS:
            raise DataError(f"{source.name}:1: more than {MOST_FIELDS:,} fields in the first lines; is it a table?")
        told = EXCEL.match(data)
        before = told.end() if told else 0
        chosen = delimiter or (told[1].decode(errors="replace") if told else guess_delimiter(data))
        fields = _without(find_fields(data[before:], chosen), data, before)
        if not len(fields) and whole:
            raise DataError(f"{source.name}: is empty; give a file with rows.")
        if whole or len(fields) > 2:
            return (fields if whole else replace(fields, records=fields.records[:-1])), chosen
        if size > LONGEST:
            last = int(fields.starts[fields.records[-2]]) if len(fields) else 0
            raise DataError(f"{source.name}:{count_lines(data[:last]) + 1}: {too_long(data[last:])}")
        size *= 2


def _without(fields: Fields, data: bytes, before: int) -> Fields:
    """Fields of what follows the first bytes of a text, as fields of the text."""
    return replace(fields, data=data, starts=fields.starts + before, ends=fields.ends + before, before=before)


def guess_delimiter(data: bytes) -> str:
    """The delimiter that cuts most lines into as many fields as the first one has; of several, the one with more.

    A header may lack the name of the column of row names.  Then, and where no other cuts lines, a blank may be one.
    """
    best, found = (0.0, 1), ","
    for delimiter in DELIMITERS:
        fields = find_fields(data, delimiter)
        widths = fields.widths[:LINES]
        if len(widths) and widths[0] > 1:
            score = (1.0 if is_short(fields) else float((widths == widths[0]).mean()), int(widths[0]))
            if score > best:
                best, found = score, delimiter
    return " " if best[1] == 1 and is_short(find_fields(data, " ")) else found


def is_short(fields: Fields) -> bool:
    """Whether the first line has a field less than all others, whose first fields differ: so R writes names of rows."""
    widths = fields.widths[: LINES + 1]
    if len(widths) < 3 or widths[0] < 2 or not (widths[1:] == widths[0] + 1).all():
        return False
    names = [fields.text(first) for first in fields.records[1 : len(widths)].tolist()]
    return len(set(names)) == len(names)


def has_header(fields: Fields, missing: frozenset[str], expected: frozenset[str]) -> bool:
    """Whether the first line names the columns.

    It does if it has a name that is expected, and not if it has a number.  Else it is a header above a column of
    numbers; above texts only if none of its texts stands below it again.
    """
    first, *below = (fields.record(number) for number in range(min(len(fields), LINES + 1)))
    below = [row[1:] for row in below] if is_short(fields) else below
    if expected.intersection(first):
        return True
    if any(is_number(text) for text in first):
        return False
    columns = [{row[place] for row in below if place < len(row)} - missing for place in range(len(first))]
    if any(column and all(is_number(text) for text in column) for column in columns):
        return True
    return not any(text in column for text, column in zip(first, columns, strict=True))


def names_of(fields: Fields, file: str) -> tuple[list[str], dict[str, int]]:
    """The names of columns in the first record, all different; of those not given, the bytes where they should be."""
    names: dict[str, None] = {}
    unnamed: dict[str, int] = {}
    if short := is_short(fields):
        unnamed[NO_NAME.format(1)] = fields.before
        names[NO_NAME.format(1)] = None
    starts = fields.starts[: fields.records[1]].tolist()
    wrong_byte = _wrong_byte(fields.data[: int(fields.ends[len(starts) - 1])])
    for place, (name, start) in enumerate(zip(fields.record(0), starts, strict=True)):
        if not name:
            name = NO_NAME.format(place + 1 + short)
            unnamed[name] = start
        wrong = f"two columns are named {name!r}; rename one of them" if name in names else None
        if start <= wrong_byte < fields.ends[place]:
            wrong = "the column's name is not valid UTF-8; pass the file's own encoding, say encoding='latin-1'"
        if wrong:
            line = count_lines(fields.data[:start]) + 1
            raise DataError(f"{file}:{line}:{column_of(fields.data, start)}: {wrong}.")
        names[name] = None
    return list(names), unnamed


def _wrong_byte(data: bytes) -> int:
    """Where the first byte is that no UTF-8 has; -1: there is none."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return -1
