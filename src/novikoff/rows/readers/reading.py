"""``open_data``: files of any format, found by name or content, as one stream of blocks."""

from __future__ import annotations

import os
import weakref
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, cast

from ...system.files import TemporaryFile
from ...system.threads import ahead
from ..store.blocks import Block, Cells, DataError, Schema
from .byte_sources import STDIN, SUFFIXES, Chunk, FileSource, count_lines, must_be_spooled, spool
from .columns import (
    FileReader,
    Left,
    Part,
    TableReader,
    bad_cells_error,
    error_at,
    named,
    plan_expected,
    plan_fresh,
    require,
)
from .foreign import UNPACK, refuse_foreign
from .formats import FORMATS, FRAME, OTHERWISE, Format
from .reading_options import WIDEST, BadCells, Fault, Reading, ReadingPlan
from .tables import Coder, RoundedField, TablePart

# Files as one stream of blocks of rows that can be read again and again.


class Dataset:
    """Files as blocks of rows."""

    def __init__(
        self,
        schema: Schema,
        readers: Sequence[FileReader],
        plan: ReadingPlan,
        room: int | None,
        notes: Sequence[str] = (),
        left: Sequence[Left] = (),
    ) -> None:
        self.schema = schema
        self.files: list[str] = [reader.name for reader in readers]
        self.size: int | None = sum(reader.source.size for reader in readers)
        self.rounded: RoundedField | None = None  # the first number that float64 cannot hold, once a pass has met it
        self.dropped = 0  # rows that the latest pass left out, since a value was missing
        self.unlabelled = 0  # rows that it left out, since the target was missing
        self.strange: dict[str, int] = {}  # words in columns of numbers that it took as missing, by column
        self.left_out = list(left)  # columns that are not learned from, and why
        self.readers, self.plan, self._notes = readers, plan, notes
        self.progress: Callable[[int], None] = lambda done: None  # told how many bytes of the files a pass has read
        self.may_be_empty = False  # whether files without rows are in order
        self._starts: list[tuple[int, int, int]] = []  # of each piece: its first row, its file, its place there
        self._end = 0  # rows that are known
        self._coder = Coder(schema, room)
        self.on_close: Callable[[], object] | None = None

    @property
    def notes(self) -> list[str]:
        """What was assumed: headers, columns that are ignored, rows that are left out; what was rounded."""
        notes = [*(note for reader in self.readers for note in reader.notes), *self._notes]
        if self.unlabelled:
            rows = "1 row is" if self.unlabelled == 1 else f"{self.unlabelled:,} rows are"
            notes.append(f"{rows} left out, since {self.plan.target!r} is missing there")
        if self.rounded is not None:
            notes.append(f"{self.rounded.place}: {self.rounded} was rounded, as float64 cannot hold it exactly")
        return notes

    def blocks(self, progress: Callable[[int], None] | None = None) -> Iterator[Block]:
        """All rows from the first.  ``progress`` is told how many bytes of the files are done since its last call."""
        progress = progress or self.progress
        row = dropped = unlabelled = 0
        strange: Counter[str] = Counter()
        for file, reader in enumerate(self.readers):
            first, done = row, 0
            self._coder.file = reader.name
            for number, (piece, part) in enumerate(self._parts(reader, self.plan)):
                if part.total and row >= self._end:
                    self._starts.append((row, file, number))
                    self._end = row + part.total
                if self.rounded is None and part.rounded is not None:
                    fault = Fault("", part.rounded.row, part.rounded.column)
                    place = reader.place(number, piece, fault, row - first)
                    self.rounded = part.rounded._replace(row=row + part.rounded.row, place=place)
                dropped += part.total - part.unlabelled - len(part.rows)
                unlabelled += part.unlabelled
                strange.update(part.strange if isinstance(part, TablePart) else {})
                if len(part.rows):
                    try:
                        block = part.block(self._coder, row)
                    except Fault as fault:
                        raise error_at(reader, number, piece, fault, row - first, self.plan.known is not None) from None
                    yield block
                row += part.total
                progress(piece.done - done)
                done = piece.done
            if row == first and not self.may_be_empty:
                raise DataError(f"{reader.name}: has no rows.")
        self.dropped, self.unlabelled, self.strange = dropped, unlabelled, dict(strange)

    @property
    def n_rows(self) -> int:
        """How many rows passes have met, those that they left out included."""
        return self._end

    def texts(self, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """What stands in these columns, row by row, whether or not they are learned from; empty where there is nothing."""
        if names and not self.schema.columns:
            raise DataError(f"{self.files[0]}: sparse rows (LIBSVM) have no columns by name, such as {names[0]!r}.")
        tables = cast(Sequence[TableReader], self.readers)
        for reader in tables:
            for name in names:
                require(name, reader)
        plan = ReadingPlan((), tuple(dict.fromkeys(names)), None, self.plan.task, Cells(missing=()))
        for reader in tables:
            for _, part in self._parts(reader, plan):
                assert isinstance(part, TablePart)
                columns = [[*part.categories[name].texts, ""] for name in names]
                codes = [part.categories[name].codes.tolist() for name in names]
                for row in zip(*codes, strict=True):
                    yield tuple(texts[code] for texts, code in zip(columns, row, strict=True))

    def _parts(self, reader: FileReader, plan: ReadingPlan) -> Iterator[tuple[Any, Part]]:
        piece, number, row = None, 0, 0
        try:
            for piece, future in ahead(reader.pieces(plan), partial(reader.parse, plan=plan)):
                part = future.result()
                yield piece, part
                piece, number, row = None, number + 1, row + part.total
        except BadCells:
            raise bad_cells_error(self.readers, plan) from None
        except Fault as fault:
            raise error_at(reader, number, piece, fault, row, plan.known is not None) from None

    def locate(self, row: int, column: str | None = None) -> str:
        """Where a row, or its field in a column, stands: ``file:line:column`` or what the format has instead."""
        return self.locate_all([row], column)[0]

    def locate_all(self, rows: Sequence[int], column: str | None = None) -> list[str]:
        """The same of several rows; files are gone through once for all of them."""
        column = self.plan.cells.parts.get(column or "", (column, ""))[0]  # a part of a date stands where the date is
        blocks = self.blocks(lambda done: None)
        while max(rows, default=-1) >= self._end and next(blocks, None) is not None:
            pass  # a pass learns where pieces start
        wanted: dict[tuple[int, int], list[int]] = {}  # rows by their files and pieces
        starts = {(file, number): start for start, file, number in self._starts}
        for row in rows:
            if not 0 <= row < self._end:
                raise IndexError(f"There is no row {row}.")
            _, file, number = self._starts[bisect_right(self._starts, (row, len(self.files), 0)) - 1]
            wanted.setdefault((file, number), []).append(row)
        found = {}
        for file in {file for file, _ in wanted}:
            reader, lines, last = self.readers[file], 0, max(number for other, number in wanted if other == file)
            first = next(start for start, other, _ in self._starts if other == file)
            for number, piece in enumerate(islice(reader.pieces(self.plan), last + 1)):
                piece = piece._replace(line=lines) if isinstance(piece, Chunk) else piece
                for row in wanted.get((file, number), []):
                    start = starts[file, number]
                    found[row] = reader.place(number, piece, Fault("", row - start, column), start - first)
                lines += count_lines(piece.data) if isinstance(piece, Chunk) else 0
        return [found[row] for row in rows]

    def close(self) -> None:
        """Remove what was kept of standard input and pipes."""
        if self.on_close is not None:
            self.on_close()


__all__ = ["Dataset", "Reading", "open_data"]

LABEL = "label"  # what the target of sparse rows is called
MOST_NAMED = 20  # columns that an error lists
HEAD = 1 << 16  # bytes of a text that are looked at


def open_data(
    paths: Sequence[Any],
    target: str | None,
    *,
    needed: bool = False,
    task: str = "classes",
    reading: Reading = Reading(),  # noqa: B008
    expect: Schema | None = None,
    forgiving: bool = False,
) -> Dataset:
    """Open files of rows.

    Parameters
    ----------
    paths : paths, "-" for standard input, or data frames.
    target : the column to be predicted ("label" of sparse rows); None: none is read.
    needed : whether there must be a target; that of sparse rows need not be named.
    task : "classes" or "numbers", what the target is.
    reading : how files are read.
    expect : the columns of a model, for files that it is to predict.
    forgiving : whether words in its columns of numbers count as missing.
    """
    if task not in ("classes", "numbers"):
        raise ValueError(f"task is 'classes' or 'numbers'; got {task!r}.")
    given = [os.fspath(path) if isinstance(path, str | os.PathLike) else path for path in paths]
    if not given or sum(isinstance(name, str) and name == "-" for name in given) > 1:
        raise ValueError("Give at least one file, and standard input at most once.")
    spooled: list[TemporaryFile] = []
    try:
        sources = [_source(name, spooled, place if len(given) > 1 else None) for place, name in enumerate(given, 1)]
        data = _open(sources, target, needed, task, reading, expect)
        data.plan = replace(data.plan, forgiving=forgiving)
    except BaseException:
        _remove(spooled)
        raise
    data.on_close = weakref.finalize(data, _remove, spooled)
    return data


def _source(name: Any, spooled: list[TemporaryFile], number: int | None) -> Any:
    if not isinstance(name, str):
        from .columnar import FrameSource  # when there is a frame

        return name if isinstance(name, FrameSource) else FrameSource(name, number)
    if not must_be_spooled(name):
        return FileSource(name)
    spooled.append(spool(name))
    return FileSource(str(spooled[-1].path), STDIN if name == "-" else name)


def _remove(spooled: list[TemporaryFile]) -> None:
    for scrap in spooled:
        scrap.remove()


def _open(
    sources: list[Any], target: str | None, needed: bool, task: str, reading: Reading, expect: Schema | None
) -> Dataset:
    formats = [format_of(source, reading) for source in sources]
    if any(each.sparse for each in formats):
        return _open_sparse(sources, formats, LABEL if needed and target is None else target, task, reading, expect)
    if expect is not None and not expect.columns:
        raise DataError(f"{sources[0].name}: is a table, while the model knows sparse rows (LIBSVM).")
    expected = {column.name for column in expect.columns} if expect else set()
    names = frozenset(expected | ({target} if target is not None and not target.isdecimal() else set()))
    readers: list[Any] = [each.open(source, reading, names) for source, each in zip(sources, formats, strict=True)]
    if needed and target is None:
        there = ", ".join(readers[0].names[:MOST_NAMED]) + (", ..." if len(readers[0].names) > MOST_NAMED else "")
        raise DataError(
            f"{sources[0].name}: which column is to be predicted? Name it with target=...; there are {there}."
        )
    target = None if target is None else named(readers[0], target)
    if expect is not None:
        schema, plan, notes = plan_expected(readers, target, expect, reading)
        return Dataset(schema, readers, plan, reading.room, notes)
    schema, plan, left, notes = plan_fresh(readers, target, task, reading)
    return Dataset(schema, readers, plan, reading.room, notes, left)


def _open_sparse(
    sources: list[Any], formats: list[Format], target: str | None, task: str, reading: Reading, expect: Schema | None
) -> Dataset:
    first, rows = next(
        (source.name, f"sparse rows ({each.name.upper()})")
        for source, each in zip(sources, formats, strict=True)
        if each.sparse
    )
    for source, each in zip(sources, formats, strict=True):
        if not each.sparse:
            raise DataError(f"{source.name}: is a table, while {first} has {rows}; read them in separate calls.")
    if expect is not None and expect.columns:
        raise DataError(f"{first}: has {rows}, while the model knows columns by name.")
    if target not in (None, LABEL):
        raise DataError(
            f"{first}: {rows} start with their target, which is called {LABEL!r}, not {target!r}; leave out target=..."
        )
    if chosen := [*reading.categorical, *reading.numeric, *reading.text, *reading.ignore, *reading.use]:
        raise DataError(f"{first}: {rows} have no columns by name, such as {chosen[0]!r}.")
    width = expect.n_features if expect is not None else reading.n_features
    wide = replace(reading, n_features=width and min(width, WIDEST))
    readers = [each.open(source, wide, frozenset()) for source, each in zip(sources, formats, strict=True)]
    task = expect.task if expect is not None else task
    schema = Schema((), target, task, labels=list(expect.labels) if expect else [], n_features=width or 0)
    return Dataset(schema, readers, ReadingPlan((), (), target, task), reading.room)


def format_of(source: Any, reading: Reading) -> Format:
    """The format of a file, or of a frame."""
    if reading.format is not None and reading.format not in FORMATS:
        raise ValueError(f"format is one of {', '.join(FORMATS)}; got {reading.format!r}.")
    if hasattr(source, "frame"):
        return FRAME
    start = refuse_foreign(source, reading.skip_rows)
    told = next((row for row in FORMATS.values() if row.start and start.startswith(row.start)), None)
    if told is not None and source.compression:
        raise DataError(f"{source.name}: packed {told.name} files cannot be read; {UNPACK}.")
    if told is not None:
        return told
    found = FORMATS[reading.format] if reading.format else _by_name(source.member or source.path)
    if found is None or (found.start and not reading.format):
        found = _by_content(source, reading)
    if found.start:
        raise DataError(f"{source.name}: is not {found.name}, by its first bytes; leave out format=...")
    return found


def _by_name(path: str) -> Format | None:
    stem, ending = os.path.splitext(path.lower())
    if ending in SUFFIXES:
        ending = os.path.splitext(stem)[1]
    return next((row for row in FORMATS.values() if ending.removeprefix(".") in row.endings), None)


def _by_content(source: FileSource, reading: Reading) -> Format:
    with source.text(reading.encoding) as text:
        head = text.read(HEAD)
    lines = [line for line in head.splitlines()[: -1 if len(head) >= HEAD else None] if line.strip()]
    fitting = (row for row in FORMATS.values() if lines and row.fits is not None and row.fits(lines))
    return next(fitting, FORMATS[OTHERWISE])
