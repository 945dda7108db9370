"""JSON lines: one object a line, and arrays of objects, which are read as such lines.

Arrow parses chunks; what it refuses, or cannot say, Python reads line by line.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from pyarrow import json as arrow_json

from ...checks.rounding import EXACT
from ...compiled.jit import kernel
from ...report.words import keyword
from ..store.blocks import PLAIN, DataError
from .arrow_columns import ColumnKind, as_text, decide, look_at, pa, pc
from .byte_sources import (
    BLANK,
    CHUNK,
    CR,
    LF,
    ROWS,
    Chunk,
    FileSource,
    FileText,
    chunks,
    end_of_lines,
    in_spans,
    place_in,
    row_start,
)
from .reading_options import Fault, Reading, ReadingPlan, refuse_cells, refuse_columns, refuse_names
from .tables import TablePart, make_part

MOST_DIGITS = 400  # of whole numbers: floats have 309 at most
LONGEST_OBJECT = 4 << 20  # bytes: Python takes a hundred times as much for some
KEY = re.compile(rb'"((?:[^"\\]|\\.)*)"\s*:')  # or a text in a value that looks like one
MOST_NEW = 1000  # keys that Arrow may make columns of, of which none is wanted
TYPES = {float: pa.float64(), bool: pa.bool_(), str: pa.string()}


# An array of objects is cut into lines where it is read: commas between objects become ends of lines, ends of lines within objects
# become blanks, and the brackets of the array, too, so that every byte keeps its place.

DEPTH, IN_TEXT, ESCAPED = 0, 1, 2  # what is remembered from one part of a text to the next
QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, LEFT, RIGHT = b'"\\,[]{}'
OPENING = re.compile(rb"\s*\[")


@kernel
def cut_array(data: bytes, out: np.ndarray, state: np.ndarray) -> None:
    """Write the text of an array of objects as lines of objects; ``state`` begins as zeros."""
    depth, inside, escaped = state[DEPTH], state[IN_TEXT], state[ESCAPED]
    for i in range(len(data)):
        c = data[i]
        out[i] = c
        if escaped == 1:
            escaped = 0
        elif inside == 1:
            if c == BACKSLASH:
                escaped = 1
            elif c == QUOTE:
                inside = 0
        elif c == QUOTE:
            inside = 1
        elif c in (OPEN, LEFT):
            depth += 1
            if depth == 1:
                out[i] = BLANK
        elif c in (CLOSE, RIGHT):
            depth -= 1
            if depth == 0:
                out[i] = LF
        elif depth == 1 and c == COMMA:
            out[i] = LF
        elif c in (LF, CR):
            out[i] = BLANK
    state[DEPTH], state[IN_TEXT], state[ESCAPED] = depth, inside, escaped


class ArrayText:
    """The text of an array of objects as lines."""

    def __init__(self, text: FileText, name: str) -> None:
        self._text, self._name, self._state = text, name, np.zeros(3, np.int64)

    @property
    def done(self) -> int:
        return self._text.done

    def read(self, size: int) -> bytes:
        """The next bytes; empty only at the end."""
        data = self._text.read(size)
        if not data and self._state[DEPTH]:
            raise DataError(f"{self._name}: the JSON array is not closed; is the file cut off?")
        out = np.empty(len(data), np.uint8)
        cut_array(data, out, self._state)
        return out.tobytes()


class ArrayFile(FileSource):
    """A file of a JSON array as a source of lines."""

    compression: str = ROWS

    def __init__(self, whole: FileSource) -> None:
        self.__dict__ |= whole.__dict__
        self._whole, self.compression = whole, ROWS

    @contextmanager
    def text(self, encoding: str) -> Iterator[Any]:
        """See ``FileSource``."""
        with self._whole.text(encoding) as text:
            yield ArrayText(text, self.name)


def as_lines(source: FileSource, encoding: str) -> FileSource:
    """The source, as lines if it is an array."""
    with source.text(encoding) as text:
        return ArrayFile(source) if OPENING.match(text.read(CHUNK)) else source


class JsonLines:
    """A file of JSON lines, or of a JSON array."""

    header, open_ended = True, True

    def __init__(self, source: FileSource, reading: Reading) -> None:
        self.source, self.name, self.notes = as_lines(source, reading.encoding), source.name, list[str]()
        self.unnamed: dict[str, int] = {}
        self._encoding, self._ignored, self._room = reading.encoding, frozenset(reading.ignore), reading.room
        number, chunk = 0, None
        try:
            number, chunk = next(self._with_rows(), (0, None))
            if chunk is None:
                raise DataError(f"{self.name}: is empty; give a file with rows.")
            self._types = self._look(chunk)
        except Fault as fault:
            raise DataError(f"{self.place(number, chunk, fault, 0)}: {fault.text}") from None
        self.names = list(self._types)

    def _with_rows(self) -> Iterator[tuple[int, Chunk]]:
        """The chunks that are not blank, and their numbers."""
        return ((number, chunk) for number, chunk in enumerate(self.pieces()) if not chunk.data.isspace())

    def _look(self, chunk: Chunk) -> dict[str, type]:
        """The type of most values of each key, by the first chunk."""
        counts: dict[str, Counter[type]] = {}
        lines = lines_of(chunk.data)
        for row, line in enumerate(lines):
            for name, value in object_in(line, row).items():
                count = counts.setdefault(name, Counter())
                if value is not None:
                    count[float if type(value) in (int, _Huge) else type(value)] += 1
                if isinstance(value, list | dict) and name not in self._ignored:
                    raise _nested(row, name)
            refuse_columns(self.name, len(counts), self._room)
        refuse_cells(self.name, len(lines), len(counts.keys() - self._ignored), self._room)
        refuse_names(self.name, list(counts))
        return {name: _type_of_most(count) for name, count in counts.items()}

    def pieces(self, plan: ReadingPlan | None = None) -> Iterator[Chunk]:
        """The file's lines, a chunk at a time."""
        yield from chunks(self.source, self._encoding, end_of_lines)

    def cuts(self, size: int) -> list[JsonLines]:
        """See ``FileReader``."""
        return in_spans(self, self._encoding, size)

    def kinds(self, names: list[str], reading: Reading) -> dict[str, ColumnKind]:
        """What columns hold, by the first chunk."""
        texts = [name for name in names if self._types[name] is str]
        plan = ReadingPlan((), tuple(texts), None, "classes")
        columns = self._carefully(lines_of(next(self._with_rows())[1].data), texts, plan) if texts else {}
        found = decide({name: look_at(column, reading) for name, column in columns.items()}, reading, typed=True)
        typed = {name: ColumnKind("number" if self._types[name] is float else "category") for name in names}
        return typed | found

    def parse(self, chunk: Chunk, plan: ReadingPlan) -> TablePart:
        """The rows of a chunk."""
        names = plan.columns
        lines = lines_of(chunk.data)
        if not lines:
            return make_part({name: pa.array([], pa.string()) for name in names}, plan)
        refuse_cells(self.name, len(lines), len(names), self._room)
        written = partial(_written, chunk.data, lines)
        plain = set(plan.plain)  # of others, if nothing is known of them, texts
        types = {name: self._types.get(name, float if name in plain else str) for name in names}
        schema = pa.schema([(name, TYPES[kind]) for name, kind in types.items()])
        try:
            table = arrow_json.read_json(
                pa.BufferReader(chunk.data),
                arrow_json.ReadOptions(use_threads=False, block_size=len(chunk.data) + 1),
                arrow_json.ParseOptions(
                    explicit_schema=schema, unexpected_field_behavior=_of_others(chunk.data, names, plan)
                ),
            )
            new = plan.known is not None and not plan.known.issuperset(table.column_names)
            if table.num_rows == len(lines) and not new and not _large(table, plan.texts):
                return make_part({name: table.column(name) for name in names}, plan, written)
        except (pa.ArrowException, Fault, UnicodeDecodeError):
            pass
        return make_part(self._carefully(lines, names, plan), plan, written)

    def _carefully(self, lines: list[bytes], names: list[str], plan: ReadingPlan) -> dict[str, Any]:
        """Columns of texts, from Python's own reading of each line."""
        columns: dict[str, list[str | None]] = {name: [] for name in names}
        floats = {name: plan.cells.numerals.get(name, PLAIN).decimal for name in plan.floats}
        for row, line in enumerate(lines):
            found = object_in(line, row)
            if plan.known is not None and not plan.known.issuperset(found):
                new = next(name for name in found if name not in plan.known)
                raise Fault(
                    f"key {new!r} is new here; add it to the first lines (null will do), or pass {keyword('ignore', new)}.",
                    row,
                )
            for name in names:
                value = found.get(name)
                if isinstance(value, list | dict):
                    raise _nested(row, name)
                if isinstance(value, float) and name in floats:
                    columns[name].append(repr(value).replace(".", floats[name]))
                else:
                    columns[name].append(as_text(value))
        return {name: pa.array(texts, pa.string()) for name, texts in columns.items()}

    def place(self, number: int, chunk: Chunk | None, fault: Fault, first: int) -> str:
        """Where a fault is: ``file:line``."""
        if self.source.compression == ROWS:
            return f"{self.name}: object {first + (fault.row or 0) + 1}"
        offset = row_start(chunk.data, fault.row) if chunk is not None and fault.row is not None else 0
        return place_in(self, number, chunk, offset, with_column=False)


def lines_of(data: bytes) -> list[bytes]:
    """Lines that are not blank."""
    return [line for line in data.splitlines() if line.strip()]


def _of_others(data: bytes, names: Sequence[str], plan: ReadingPlan) -> str:
    """What Arrow does with other keys.  It makes a column of each that it is to infer: thousands of them would take all memory."""
    if plan.known is None:
        return "ignore"
    if plan.known.issubset(names):
        return "error"  # a new key, which is looked for line by line then
    return "infer" if len(set(KEY.findall(data))) <= len(plan.known) + MOST_NEW else "error"


def _large(table: Any, names: list[str]) -> bool:
    """Whether labels or categories are numbers so large that as floats some may be the same."""
    floats = (table.column(name) for name in names if pa.types.is_floating(table.column(name).type))
    return any((pc.max(pc.abs(column)).as_py() or 0) >= EXACT for column in floats)


def _written(data: bytes, lines: list[bytes], name: str) -> Any:
    """A key's numbers as they are written: whole numbers if all are, else texts."""
    try:
        options = arrow_json.ReadOptions(use_threads=False, block_size=len(data) + 1)
        only = arrow_json.ParseOptions(
            explicit_schema=pa.schema([(name, pa.int64())]), unexpected_field_behavior="ignore"
        )
        found = arrow_json.read_json(pa.BufferReader(data), options, only).column(0).combine_chunks()
        if len(found) == len(lines):
            return found
    except pa.ArrowException:
        pass
    rows = (json.loads(line, parse_int=str, parse_float=str) for line in lines)
    return pa.array([None if row.get(name) is None else str(row[name]) for row in rows], pa.string())


class _Huge(float):
    """Infinity, in place of a whole number beyond all floats, which messages show as it is written."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _whole(text: str) -> int | float:
    """A whole number, which a float might not hold; of -0 the float, which has a sign."""
    if len(text) >= MOST_DIGITS:
        return _Huge(text)
    return int(text) if text != "-0" else float(text)


def object_in(line: bytes, row: int | None) -> dict[str, Any]:
    """The object that a line is."""
    if len(line) > LONGEST_OBJECT:
        raise Fault(f"an object of more than {LONGEST_OBJECT >> 20} MB; is the line a whole document?", row)
    try:
        text = line.decode()
        found = json.loads(text, parse_int=_whole, object_pairs_hook=_unique)
        if "\\u" in text:  # half a character (a lone surrogate) is no text
            json.dumps(found, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        text = (
            f"byte 0x{line[error.start]:02x} is not valid UTF-8; pass the file's own encoding, say encoding='latin-1'."
        )
        raise Fault(text, row) from None
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise Fault(f"this is not a JSON object: {why}; correct the line.", row) from None
    if not isinstance(found, dict):
        raise Fault('a line is one object, as in {"length": 39.1, "sex": null}; correct it.', row)
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _nested(row: int, name: str) -> Fault:
    return Fault(
        f"{name!r} holds a list or an object, of which nothing is learned; correct it",
        row,
        name,
        fresh=f", or pass {keyword('ignore', name)}",
    )


def _type_of_most(count: Counter[type]) -> type:
    """Numbers if they are more than half, or if nothing is there; truth values if all are; else texts."""
    if 2 * count[float] > count.total() or not count:
        return float
    return bool if count[bool] == count.total() else str
