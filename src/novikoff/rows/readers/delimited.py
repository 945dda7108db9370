"""CSV and TSV: chunks of records, each parsed by Arrow, and a careful second look at what Arrow refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from pyarrow import csv

from ..store.blocks import DataError, is_number
from .arrow import pa
from .byte_sources import Source, Span
from .chunks import CHUNK, LONGEST, Chunk, chunks, column_of, count_lines, in_spans, place_in, too_long
from .column_kinds import Kind, Look, decide, look_at, needs_closer_look, written_otherwise
from .fields import Fields, find_fields, record_end
from .plain_text import columns_of_numbers, parse_plain
from .reading_options import Fault, Plan, Reading, refuse_columns, refuse_names
from .tables import TablePart, make_part

NOT_BLANK = re.compile(rb"\S")
CATEGORY: Any = pa.dictionary(pa.int32(), pa.string())
DELIMITERS = ",;\t|"
HEAD = 1 << 16  # bytes that are looked at first
LINES = 20  # records that are compared
MOST_FIELDS = 4_000_000  # of the first two or three lines
BINARY = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"FEA1": "Feather", b"PK\x03\x04": "zip or Excel"}  # how they begin
NO_NAME = "(column {})"  # what a column is called that has no name
EXCEL = re.compile(
    rb'"?sep=(.)"?[,;\t|]*(\r\n|\r|\n)', re.IGNORECASE
)  # a first line of Excel's that names the delimiter


class Delimited:
    """A file of delimited text."""

    open_ended = False  # every row has every column

    def __init__(self, source: Source, reading: Reading, expected: frozenset[str]) -> None:
        self.source, self.name, self._encoding = source, source.name, reading.encoding
        self.notes: list[str] = []
        head, self._delimiter = read_head(source, reading.encoding, reading.delimiter)
        guessed = has_header(head, reading.missing, expected)
        self.header = guessed if reading.header is None else reading.header
        self.unnamed: dict[str, int] = {}  # the bytes where names of columns should be that have none
        refuse_columns(self.name, int(head.widths[0]), reading.room)
        if self.header:
            self.names, self.unnamed = names_of(head, self.name)
            refuse_names(self.name, self.names)
            self._start = int(head.ends[head.records[1] - 1])
            if len(head) == 1:
                raise DataError(f"{self.name}: has a header and no rows; pass header=False if its only line is a row.")
        else:
            self.names = [f"column{place}" for place in range(1, int(head.widths[0]) + 1)]
            self._start = head.before
            self.notes.append(f"{self.name}: no header: columns are named column1 to column{len(self.names)}")

    def pieces(self, plan: Plan | None = None) -> Iterator[Chunk]:
        """The file's records, a chunk at a time."""
        header = self._start

        def cut(rest: bytes, new: bytes) -> int:
            nonlocal header
            end = record_end(rest, new, self._delimiter)
            if header and not NOT_BLANK.search(rest + new, header, len(rest) + end):
                return 0  # the first chunk has a row at least: it decides what columns hold
            header = 0
            return end

        for number, chunk in enumerate(chunks(self.source, self._encoding, cut)):
            yield chunk._replace(start=self._start) if number == 0 else chunk

    def cuts(self, size: int) -> list[Delimited]:
        """See ``FileReader``.  A quoted field may have line ends in it: ask each whether it is ``cut_in_quotes``."""
        first, *others = in_spans(self, self._encoding, size)
        for part in others:
            part._start = 0  # the header is in the first
        return [first, *others]

    def cut_in_quotes(self) -> bool:
        """Whether this is a part of a file, and has a quote: where records begin is not known then."""
        if not isinstance(self.source, Span):
            return False
        with self.source.open() as stream:
            while part := stream.read(CHUNK):
                if b'"' in part:
                    return True
        return False

    def kinds(self, names: list[str], reading: Reading) -> dict[str, Kind]:
        """What columns hold, by the first chunk."""
        chunk = next(self.pieces())
        self._check(chunk)
        clear = set() if _has_quotes(chunk) else columns_of_numbers(chunk, self._delimiter, self.names)
        looks = self._look(chunk, [name for name in names if name not in clear], reading)
        if needs_closer_look(looks, reading):
            looks = self._look(chunk, names, reading, closely=True)
        kinds = dict.fromkeys(names, Kind("number")) | decide(looks, reading)
        self.notes += [f"{self.name}: {note}" for note in written_otherwise(kinds, looks)]
        return kinds

    def _look(self, chunk: Chunk, names: list[str], reading: Reading, closely: bool = False) -> dict[str, Look]:
        try:
            columns = self._columns(chunk, dict.fromkeys(names, pa.string()), reading.missing) if names else {}
        except pa.ArrowException as error:
            raise self._explain(chunk, error) from None
        return {name: look_at(column, reading, closely) for name, column in columns.items()}

    def parse(self, chunk: Chunk, plan: Plan) -> TablePart:
        """The rows of a chunk: straight into arrays if it has no quotes, else by Arrow.

        What either refuses is read as texts, which blanks around a missing number do not harm, and tell what is wrong.
        """
        self._check(chunk)
        texts = dict.fromkeys(plan.texts, CATEGORY) | dict.fromkeys(plan.spelled, pa.string())
        with suppress(pa.ArrowException, Fault, UnicodeDecodeError):
            if _has_quotes(chunk):
                columns = self._columns(chunk, texts | dict.fromkeys(plan.plain, pa.float64()), plan.missing)
                return make_part(columns, plan, lambda name: self._written(chunk, name, plan))
            part = parse_plain(chunk, self._delimiter, self.names, plan)
            if part is not None:
                return part
        try:
            return make_part(self._columns(chunk, texts | dict.fromkeys(plan.plain, pa.string()), plan.missing), plan)
        except pa.ArrowException as error:
            raise self._explain(chunk, error) from None

    def _written(self, chunk: Chunk, name: str, plan: Plan) -> Any:
        """The texts of a column, of which Arrow makes floats."""
        return self._columns(chunk, {name: pa.string()}, plan.missing)[name].combine_chunks()

    def _columns(self, chunk: Chunk, types: dict[str, Any], missing: frozenset[str]) -> dict[str, Any]:
        number = {name: str(place) for place, name in enumerate(self.names)}
        table = csv.read_csv(
            pa.BufferReader(pa.py_buffer(chunk.data).slice(chunk.start)),
            read_options=csv.ReadOptions(
                use_threads=False,
                block_size=len(chunk.data) + 1,
                column_names=list(number.values()),
            ),
            parse_options=csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=b'"' in chunk.data),
            convert_options=csv.ConvertOptions(
                column_types={number[name]: kind for name, kind in types.items()},
                include_columns=[number[name] for name in types],
                null_values=sorted(missing),
            ),
        )
        return {name: table.column(place) for place, name in enumerate(types)}

    def _check(self, chunk: Chunk) -> None:
        """Faults that Arrow passes over."""
        nul = chunk.data.find(b"\0")
        if nul >= 0:
            raise Fault("a NUL byte, as texts have none; is the file damaged?", offset=nul)
        if chunk.last and b'"' in chunk.data:
            opened = find_fields(chunk.data[chunk.start :], self._delimiter).opened
            if opened >= 0:
                raise Fault("a quote opens here and is never closed; close or remove it.", offset=chunk.start + opened)

    def _explain(self, chunk: Chunk, error: Exception) -> Fault:
        """What is wrong with a chunk that Arrow refuses."""
        try:
            chunk.data.decode()
        except UnicodeDecodeError as wrong:
            byte = f"byte 0x{chunk.data[wrong.start]:02x} is not valid UTF-8"
            return Fault(f"{byte}; pass the file's own encoding, say encoding='latin-1'.", offset=wrong.start)
        fields = find_fields(chunk.data[chunk.start :], self._delimiter)
        ragged = np.flatnonzero(fields.widths != len(self.names))
        if not len(ragged):
            return Fault(str(error), offset=chunk.start)
        first, after = fields.records[ragged[0] : ragged[0] + 2].tolist()
        wanted = len(self.names)
        offset = fields.starts[first + wanted] if after - first > wanted else fields.ends[after - 1]
        hint = "quote fields that have delimiters in them"
        if b' "' in fields.data[fields.starts[first] : fields.ends[after - 1]]:
            hint = "a quote counts only as a field's first character, so remove blanks before it"
        found = "1 field" if after - first == 1 else f"{after - first} fields"
        text = f"{found}, where {wanted} columns need {wanted}; correct the line ({hint})."
        return Fault(text, offset=chunk.start + int(offset))

    def place(self, number: int, chunk: Chunk | None, fault: Fault, first: int) -> str:
        """Where a fault is: ``file:line:column``."""
        offset = fault.offset
        if offset is None and chunk is not None:
            fields = find_fields(chunk.data[chunk.start :], self._delimiter)
            column = self.names.index(fault.column) if fault.column is not None else 0
            offset = chunk.start + int(fields.starts[fields.records[fault.row] + column])
            while chunk.data[offset : offset + 1] in (b" ", b"\t") and self._delimiter != "\t":
                offset += 1
        return place_in(self, number, chunk, offset or 0, fault.offset is not None or fault.column is not None)


def _has_quotes(chunk: Chunk) -> bool:
    """Whether there are any in the rows."""
    return chunk.data.find(b'"', chunk.start) >= 0


# The first lines: which delimiter, header or not, the names of columns


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
