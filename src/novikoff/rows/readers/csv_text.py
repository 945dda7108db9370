"""CSV and TSV: chunks of records, each parsed by Arrow, and a careful second look at what Arrow refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from pyarrow import csv

from ...compiled.jit import exact, helper
from ...report.words import keyword, some
from ..store.blocks import DataError, is_number
from .arrow_columns import (
    ColumnKind,
    ColumnLook,
    as_codes,
    as_numbers,
    decide,
    look_at,
    needs_closer_look,
    pa,
    taken_as_missing,
    texts_between,
    written_otherwise,
)
from .byte_sources import (
    BLANK,
    CHUNK,
    CR,
    LF,
    LONGEST,
    ROWS,
    TAB,
    Chunk,
    FileSource,
    LineSpan,
    chunks,
    column_of,
    count_lines,
    in_spans,
    line_end,
    place_in,
    too_long,
)
from .decimals import AT_ONCE, read_number, read_short
from .reading_options import Fault, Reading, ReadingPlan, refuse_columns, refuse_names
from .tables import (
    RoundedField,
    TablePart,
    as_written,
    finish_part,
    make_part,
    numbers_of,
    rounded_among,
    rounded_columns,
)
from .word_counts import words_of

# Where records and fields of delimited text lie (RFC 4180, as Arrow reads it).
#
# A quote opens a quoted field only as the field's first character; within, two quotes are one; after the closing quote
# the field goes on unquoted.  Lines end with a line feed, a carriage return, or both, and empty lines are no records.

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


@exact(lambda data, *rest: 0.2 * len(data), enough=150_000.0)
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


@exact(lambda data, *rest: 0.3 * len(data), enough=150_000.0)
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


# Delimited text without quotes, straight into arrays, in half the time that the way through Arrow's tables takes.

IGNORED = -1


class ColumnPlaces(NamedTuple):
    """What becomes of each column of a file: its place among numbers, or (from -2 downwards) among texts."""

    roles: np.ndarray
    numbers: int
    texts: int


class ParsedChunk(NamedTuple):
    """What a chunk holds.  Some numbers are left to others, each by its text's start and end and its place in ``numbers``."""

    data: bytes
    numbers: np.ndarray
    bounds: np.ndarray  # (text columns, rows, 2): where texts start and end
    hard: np.ndarray  # numbers that one rounding does not give
    strange: np.ndarray  # what is no number, or missing


def columns_of_numbers(chunk: Chunk, delimiter: str, names: list[str]) -> set[str]:
    """Columns of which every field is a number; none if there is a fault in the chunk."""
    found = _read(chunk, delimiter, ColumnPlaces(np.arange(len(names)), len(names), 0))
    if found is None:
        return set()
    return set(names) - {names[place] for place in np.unique(found.strange[:, 2] % len(names))}


def parse_plain(chunk: Chunk, delimiter: str, names: list[str], plan: ReadingPlan) -> TablePart | None:
    """The rows of a chunk; None if there is a fault in it, which others explain."""
    plain, spelled = set(plan.plain), plan.spelled
    floats = {name: place for place, name in enumerate(plan.floats) if name in plain}
    texts = {name: -2 - place for place, name in enumerate([*plan.texts, *spelled, *plan.words])}
    roles = np.array([floats.get(name, texts.get(name, IGNORED)) for name in names], np.int64)
    found = _read(chunk, delimiter, ColumnPlaces(roles, len(plan.floats), len(texts)))
    if found is None:
        return None
    data, numbers, bounds, hard, strange = found
    flat = numbers.reshape(-1)
    flat[hard[:, 2]] = as_numbers(texts_between(data, hard[:, :2]).cast("float64"), plan.missing, "")
    flat[strange[:, 2]] = as_numbers(texts_between(data, strange[:, :2]), plan.missing, "")
    coded = {
        name: as_codes(texts_between(data, places), plan.missing)
        for name, places in zip(plan.texts, bounds, strict=False)
    }
    rounded = [_rounded(found, plan)]
    if spelled:
        cells = {name: texts_between(data, places) for name, places in zip(spelled, bounds[len(coded) :], strict=False)}
        values = numbers_of(cells, spelled, plan)
        for place, name in enumerate(plan.floats):
            if name in values:
                numbers[:, place] = values[name]
        suspects = {name: values[name] for name in plan.numbers if name in cells and name in values}
        rounded.append(rounded_columns(suspects, as_written(cells, plan)))
    last = bounds[len(bounds) - len(plan.words) :]
    words = {
        name: words_of(texts_between(data, places), plan.missing) for name, places in zip(plan.words, last, strict=True)
    }
    if plan.target is None:
        return finish_part(numbers, coded, None, plan, chain(*rounded), words)
    if plan.task == "classes":
        return finish_part(numbers, coded, coded.pop(plan.target), plan, chain(*rounded), words)
    numbers, target = np.ascontiguousarray(numbers[:, :-1]), numbers[:, -1].copy()
    return finish_part(numbers, coded, target, plan, chain(*rounded), words)


def _rounded(found: ParsedChunk, plan: ReadingPlan) -> Iterator[RoundedField]:
    """Numbers that float64 cannot hold: ``_parse`` leaves all of 2^53 and more to others."""
    for odd in (found.hard, found.strange):
        values = found.numbers.reshape(-1)[odd[:, 2]]
        for number, text in rounded_among(values, partial(texts_between, found.data, odd[:, :2])):
            row, column = divmod(int(odd[number, 2]), len(plan.floats))
            if column < len(plan.numbers):
                yield RoundedField(row, text, plan.numbers[column])


def _read(chunk: Chunk, delimiter: str, columns: ColumnPlaces) -> ParsedChunk | None:
    data = chunk.data if chunk.data.endswith(b"\n") else chunk.data + b"\n"
    whole = len(data) // len(columns.roles)  # no more rows than that, since every field has its end; lines may be blank
    lines = min(count_lines(data), whole + 1)  # one may be too short, and is looked at before that is seen
    numbers = np.empty((lines, columns.numbers))
    bounds = np.empty((columns.texts, lines, 2), np.int32)
    odd = np.empty((lines * columns.numbers, 3), np.int32)
    rows, hard, strange = _parse(data, chunk.start, ord(delimiter), columns.roles, numbers, bounds, odd)
    if rows < 0:
        return None
    return ParsedChunk(data, numbers[:rows], bounds[:, :rows], odd[:hard], odd[len(odd) - strange :][::-1])


@helper
def _skip_blanks(data: bytes, i: int, delimiter: int) -> int:
    while data[i] != delimiter and (data[i] == BLANK or data[i] == TAB):
        i += 1
    return i


@helper
def _ends_field(c: int, delimiter: int) -> bool:
    return c in (delimiter, LF, CR)


@helper
def _field_end(data: bytes, i: int, delimiter: int) -> int:
    while not _ends_field(data[i], delimiter):
        i += 1
    return i


@exact(lambda data, *rest: 3.0 * len(data), enough=500_000.0)
def _parse(
    data: bytes, i: int, delimiter: int, roles: np.ndarray, numbers: np.ndarray, bounds: np.ndarray, odd: np.ndarray
) -> tuple[int, int, int]:
    """Fill the arrays; the number of rows (-1: a row has too many fields, or too few), and of numbers left to others:
    those that one rounding does not give, and from the end of ``odd`` those that are none or are missing."""
    n = len(data)
    rows = hard = strange = 0
    while i < n:
        if data[i] == LF or data[i] == CR:
            i += 1
            continue
        for column in range(len(roles)):
            role, begin = roles[column], i
            if role < 0:
                i = _field_end(data, i, delimiter)
                if role < IGNORED:
                    bounds[-2 - role, rows, 0], bounds[-2 - role, rows, 1] = begin, i
            else:
                short = i + AT_ONCE <= n
                if short:
                    value, end, short = read_short(data, i)
                if short and _ends_field(data[end], delimiter):
                    numbers[rows, role] = value
                    i = end
                else:
                    begin = _skip_blanks(data, i, delimiter)
                    value, end, exact = read_number(data, begin)
                    i = _skip_blanks(data, end, delimiter)
                    place = rows * numbers.shape[1] + role
                    if end == begin or not _ends_field(data[i], delimiter):
                        i = _field_end(data, i, delimiter)
                        strange += 1
                        last = len(odd) - strange
                        odd[last, 0], odd[last, 1], odd[last, 2] = begin, i, place
                    else:
                        numbers[rows, role] = value
                        if not exact:
                            odd[hard, 0], odd[hard, 1], odd[hard, 2] = begin, end, place
                            hard += 1
            if (data[i] == delimiter) != (column + 1 < len(roles)):
                return -1, 0, 0
            i += 1
        rows += 1
    return rows, hard, strange


NOT_BLANK = re.compile(rb"\S")
CODE = re.compile(rb"(?<![\d.])0\d+(?![\d.])")  # a number that begins with a zero is a code
CATEGORY: Any = pa.dictionary(pa.int32(), pa.string())
DELIMITERS = ",;\t|"
HEAD = 1 << 16  # bytes that are looked at first
LINES = 20  # records that are compared
MOST_FIELDS = 4_000_000  # of the first two or three lines
NO_NAME = "(column {})"  # what a column is called that has no name
EXCEL = re.compile(
    rb'"?sep=(.)"?[,;\t|]*(\r\n|\r|\n)', re.IGNORECASE
)  # a first line of Excel's that names the delimiter


class Delimited:
    """A file of delimited text."""

    open_ended = False  # every row has every column

    def __init__(self, source: FileSource, reading: Reading, expected: frozenset[str]) -> None:
        self.source, self.name, self._encoding = source, source.name, reading.encoding
        self.notes: list[str] = []
        head, self._delimiter = read_head(source, reading.encoding, reading.delimiter, reading.skip_rows)
        if not reading.skip_rows and (lines := title_lines(head, reading.delimiter)):
            raise DataError(
                f"{self.name}: the first {some(lines, 'line')} {'is' if lines == 1 else 'are'} no part of the table below; pass "
                f"{keyword('skip_rows', lines)}."
            )
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

    def pieces(self, plan: ReadingPlan | None = None) -> Iterator[Chunk]:
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
        if not isinstance(self.source, LineSpan):
            return False
        with self.source.open() as stream:
            while part := stream.read(CHUNK):
                if b'"' in part:
                    return True
        return False

    def kinds(self, names: list[str], reading: Reading) -> dict[str, ColumnKind]:
        """What columns hold, by the first chunk."""
        chunk = next(self.pieces())
        self._check(chunk)
        clear = (
            set()
            if _has_quotes(chunk) or CODE.search(chunk.data, chunk.start)
            else columns_of_numbers(chunk, self._delimiter, self.names)
        )
        looks = self._look(chunk, [name for name in names if name not in clear], reading)
        if needs_closer_look(looks, reading):
            looks = self._look(chunk, names, reading, closely=True)
        kinds = dict.fromkeys(names, ColumnKind("number")) | decide(looks, reading)
        self.notes += [f"{self.name}: {note}" for note in [*written_otherwise(kinds, looks), *taken_as_missing(looks)]]
        return kinds

    def _look(self, chunk: Chunk, names: list[str], reading: Reading, closely: bool = False) -> dict[str, ColumnLook]:
        try:
            columns = self._columns(chunk, dict.fromkeys(names, pa.string()), reading.missing) if names else {}
        except pa.ArrowException as error:
            raise self._explain(chunk, error) from None
        return {name: look_at(column, reading, closely) for name, column in columns.items()}

    def parse(self, chunk: Chunk, plan: ReadingPlan) -> TablePart:
        """The rows of a chunk: straight into arrays if it has no quotes, else by Arrow.

        What either refuses is read as texts, which blanks around a missing number do not harm, and tell what is wrong.
        """
        self._check(chunk)
        texts = dict.fromkeys(plan.texts, CATEGORY) | dict.fromkeys([*plan.spelled, *plan.words], pa.string())
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

    def _written(self, chunk: Chunk, name: str, plan: ReadingPlan) -> Any:
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
        hint = (
            "quote fields that have delimiters in them" if after - first > wanted else "or delete it, if it is no row"
        )
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
        if self.source.compression == ROWS:
            row = place_in(self, number, chunk, offset or 0, False).replace(f"{self.name}:", f"{self.name}: row ")
            return f"{row}, column {fault.column!r}" if fault.column is not None else row
        return place_in(self, number, chunk, offset or 0, fault.offset is not None or fault.column is not None)


def _has_quotes(chunk: Chunk) -> bool:
    """Whether there are any in the rows."""
    return chunk.data.find(b'"', chunk.start) >= 0


# The first lines: which delimiter, header or not, the names of columns


def read_head(source: FileSource, encoding: str, delimiter: str | None, skip: int) -> tuple[Fields, str]:
    """The fields of the first records, two at least if there are so many, and the delimiter; ``skip`` lines come before them."""
    size = HEAD
    while True:
        with source.text(encoding) as text:
            data = text.read(size)
            whole = not text.read(1)
        if b"\0" in data:
            raise DataError(
                f"{source.name}: has NUL bytes, as texts have not; is it a binary file, or UTF-16 (encoding='utf-16')?"
            )
        if size > HEAD and max(data.count(each.encode()) for each in DELIMITERS) > MOST_FIELDS:
            raise DataError(f"{source.name}:1: more than {MOST_FIELDS:,} fields in the first lines; is it a table?")
        told = EXCEL.match(data)
        before = told.end() if told else 0
        if skip:
            before = len(b"".join(data.splitlines(keepends=True)[:skip]))
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


def title_lines(head: Fields, delimiter: str | None) -> int:
    """How many lines come before a table of which all records have as many fields, and more than any line before; 0 where there is
    no such table."""
    if is_short(head):
        return 0
    looks = [find_fields(head.data[head.before :], sign) for sign in ([delimiter] if delimiter else DELIMITERS)]
    compared = [(fields, fields.widths[: max(2, min(LINES, len(fields) - 1))]) for fields in looks]
    if any(widths.size and widths[0] > 1 and (widths == widths[0]).all() for _, widths in compared):
        return 0  # a delimiter that suits the first line, too
    for fields, widths in compared:
        start = int(np.argmax(widths))
        if start and len(widths) - start > 1 and (widths[start:] == widths[start]).all() and is_name(fields, start):
            return count_lines(head.data[: head.before + int(fields.starts[fields.records[start]])])
    return 0


def is_name(fields: Fields, number: int) -> bool:
    """Whether a record could be names of columns: texts, none of which is a number."""
    return all(text and not is_number(text) for text in fields.record(number))


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
        if wrong and is_number(name):
            wrong += f", or, if the first line is a row, pass {keyword('header', False)} and the target by its number"
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
