"""CSV and TSV: chunks of records, each parsed by Arrow, and a careful second look at what Arrow refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from pyarrow import csv

from ..store.blocks import DataError
from .arrow import pa
from .byte_sources import Source, Span
from .chunks import CHUNK, Chunk, chunks, in_spans, place_in
from .column_kinds import Kind, Look, decide, look_at, needs_closer_look, written_otherwise
from .fields import find_fields, record_end
from .heads import has_header, names_of, read_head
from .plain_text import columns_of_numbers, parse_plain
from .reading_options import Fault, Plan, Reading
from .reading_room import refuse_columns, refuse_names
from .tables import TablePart, make_part

NOT_BLANK = re.compile(rb"\S")
CATEGORY: Any = pa.dictionary(pa.int32(), pa.string())


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
