"""Files as one stream of blocks of rows that can be read again and again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, cast

from ...inputs.threads import ahead
from ..store.blocks import Block, Cells, DataError, Schema
from .chunks import Chunk, count_lines
from .columns import FileReader, Left, Part, TableReader, error_at, require
from .reading_options import Fault, Plan
from .rounded import RoundedField
from .tables import Coder, TablePart


class Dataset:
    """Files as blocks of rows."""

    def __init__(
        self,
        schema: Schema,
        readers: Sequence[FileReader],
        plan: Plan,
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
        self.dropped, self.unlabelled = dropped, unlabelled

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
        plan = Plan((), tuple(dict.fromkeys(names)), None, self.plan.task, Cells(missing=()))
        for reader in tables:
            for _, part in self._parts(reader, plan):
                assert isinstance(part, TablePart)
                columns = [[*part.categories[name].texts, ""] for name in names]
                codes = [part.categories[name].codes.tolist() for name in names]
                for row in zip(*codes, strict=True):
                    yield tuple(texts[code] for texts, code in zip(columns, row, strict=True))

    def _parts(self, reader: FileReader, plan: Plan) -> Iterator[tuple[Any, Part]]:
        piece, number, row = None, 0, 0
        try:
            for piece, future in ahead(reader.pieces(plan), partial(reader.parse, plan=plan)):
                part = future.result()
                yield piece, part
                piece, number, row = None, number + 1, row + part.total
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
