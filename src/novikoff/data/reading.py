"""``open_data``: files of any format as one stream of blocks that can be read again and again."""

from __future__ import annotations

import os
import weakref
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..scraps import Scrap
from .blocks import Block, DataError, Schema
from .cells import Cells
from .options import Fault, Plan, Reading
from .sources import STDIN, Source, must_be_spooled, spool

if TYPE_CHECKING:
    from .kinds import Kind
    from .leaving import Left
    from .rounded import RoundedField
    from .sparse import SparseLines
    from .tables import TablePart

__all__ = ["Dataset", "Reading", "open_data"]

MOST_NAMED = 20  # columns that an error lists


class Dataset:
    """Files as blocks of rows."""

    def __init__(
        self, schema: Schema, readers: Sequence[Any], plan: Plan, notes: list[str], left: Sequence[Left] = ()
    ) -> None:
        from .tables import Coder

        self.schema = schema
        self.files: list[str] = [reader.name for reader in readers]
        self.size: int | None = sum(reader.source.size for reader in readers)
        self.rounded: RoundedField | None = None  # the first number that float64 cannot hold, once a pass has met it
        self.dropped = 0  # rows that the latest pass left out, since a value was missing
        self.unlabelled = 0  # rows that it left out, since the target was missing
        self.left_out = list(left)  # columns that are not learned from, and why
        self._readers, self._plan, self._notes = readers, plan, notes
        self._starts: list[tuple[int, int, int]] = []  # of each piece: its first row, its file, its place there
        self._end = 0  # rows that are known
        self._coder = Coder(schema)
        self._remove: Callable[[], Any] | None = None

    @property
    def notes(self) -> list[str]:
        """What was assumed: headers, columns that are ignored, rows that are left out; what was rounded."""
        notes = [*(note for reader in self._readers for note in reader.notes), *self._notes]
        if self.unlabelled:
            rows = "1 row is" if self.unlabelled == 1 else f"{self.unlabelled:,} rows are"
            notes.append(f"{rows} left out, since {self._plan.target!r} is missing there")
        if self.rounded is not None:
            notes.append(f"{self.rounded.place}: {self.rounded} was rounded, as float64 cannot hold it exactly")
        return notes

    def blocks(self, progress: Callable[[int], None] | None = None) -> Iterator[Block]:
        """All rows from the first.  ``progress`` is told how many bytes of the files are done since its last call."""
        row = dropped = unlabelled = 0
        for file, reader in enumerate(self._readers):
            first, done = row, 0
            for number, (piece, part) in enumerate(self._parts(reader, self._plan)):
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
                    yield part.block(self._coder, row)
                row += part.total
                if progress:
                    progress(piece.done - done)
                done = piece.done
            if row == first:
                raise DataError(f"{reader.name}: has no rows.")
        self.dropped, self.unlabelled = dropped, unlabelled

    def texts(self, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """What stands in these columns, row by row, whether or not they are learned from; empty where there is nothing."""
        from .columns import require

        if names and not self.schema.columns:
            raise DataError(f"{self.files[0]}: sparse rows (LIBSVM) have no columns by name, such as {names[0]!r}.")
        for reader in self._readers:
            for name in names:
                require(name, reader)
        plan = Plan((), tuple(dict.fromkeys(names)), None, self._plan.task, Cells(missing=()))
        for reader in self._readers:
            for _, part in self._parts(reader, plan):
                columns = [[*part.categories[name].texts, ""] for name in names]
                codes = [part.categories[name].codes.tolist() for name in names]
                for row in zip(*codes, strict=True):
                    yield tuple(texts[code] for texts, code in zip(columns, row, strict=True))

    def _parts(self, reader: Any, plan: Plan) -> Iterator[tuple[Any, Any]]:
        from .ahead import ahead

        piece, number, row = None, 0, 0
        try:
            for piece, future in ahead(reader.pieces(plan), partial(reader.parse, plan=plan)):
                part = future.result()
                yield piece, part
                piece, number, row = None, number + 1, row + part.total
        except Fault as fault:
            raise _error(reader, number, piece, fault, row, plan.known is not None) from None

    def locate(self, row: int, column: str | None = None) -> str:
        """Where a row, or its field in a column, stands: ``file:line:column`` or what the format has instead."""
        column = self._plan.cells.parts.get(column or "", (column, ""))[0]  # a part of a date stands where the date is
        blocks = self.blocks()
        while row >= self._end and next(blocks, None) is not None:
            pass  # a pass learns where pieces start
        if not 0 <= row < self._end:
            raise IndexError(f"There is no row {row}.")
        place = bisect_right(self._starts, (row, len(self.files), 0)) - 1
        start, file, number = self._starts[place]
        reader = self._readers[file]
        piece = next(islice(reader.pieces(self._plan), number, None))
        first = next(begin for begin, other, _ in self._starts if other == file)
        return reader.place(number, piece, Fault("", row - start, column), start - first)

    def close(self) -> None:
        """Remove what was kept of standard input and pipes."""
        if self._remove is not None:
            self._remove()


def open_data(
    paths: Sequence[str | os.PathLike],
    target: str | None,
    *,
    needed: bool = False,
    task: str = "classes",
    reading: Reading = Reading(),  # noqa: B008
    expect: Schema | None = None,
) -> Dataset:
    """Open files of rows.

    Parameters
    ----------
    paths : paths, or "-" for standard input.
    target : the column to be predicted ("label" of sparse rows); None: none is read.
    needed : whether there must be a target; that of sparse rows need not be named.
    task : "classes" or "numbers", what the target is.
    reading : how files are read.
    expect : the columns of a model, for files that it is to predict.
    """
    if task not in ("classes", "numbers"):
        raise ValueError(f"task is 'classes' or 'numbers'; got {task!r}.")
    names = [os.fspath(path) for path in paths]
    if not names or names.count("-") > 1:
        raise ValueError("Give at least one file, and standard input at most once.")
    _require_pyarrow()
    spooled: list[Scrap] = []
    try:
        sources = [_source(name, spooled) for name in names]
        data = _open(sources, target, needed, task, reading, expect)
    except BaseException:
        _remove(spooled)
        raise
    data._coder.room = reading.room
    data._remove = weakref.finalize(data, _remove, spooled)
    return data


def _source(name: str, spooled: list[Scrap]) -> Source:
    if not must_be_spooled(name):
        return Source(name)
    spooled.append(spool(name))
    return Source(str(spooled[-1].path), STDIN if name == "-" else name)


def _remove(spooled: list[Scrap]) -> None:
    for scrap in spooled:
        scrap.remove()


def _open(
    sources: list[Source], target: str | None, needed: bool, task: str, reading: Reading, expect: Schema | None
) -> Dataset:
    from .columns import plan_expected, plan_fresh
    from .formats import format_of
    from .sparse import LABEL

    formats = [format_of(source, reading) for source in sources]
    if "libsvm" in formats:
        return _open_sparse(sources, formats, LABEL if needed and target is None else target, task, reading, expect)
    if expect is not None and not expect.columns:
        raise DataError(f"{sources[0].name}: is a table, while the model knows sparse rows (LIBSVM).")
    expected = {column.name for column in expect.columns} if expect else set()
    readers = [
        _table(source, kind, reading, frozenset(expected | ({target} if target is not None else set())))
        for source, kind in zip(sources, formats, strict=True)
    ]
    if needed and target is None:
        names = ", ".join(readers[0].names[:MOST_NAMED]) + (", ..." if len(readers[0].names) > MOST_NAMED else "")
        raise DataError(
            f"{sources[0].name}: which column is to be predicted? Name it with --target; there are {names}."
        )
    if expect is not None:
        schema, plan, notes = plan_expected(readers, target, expect, reading)
        return Dataset(schema, readers, plan, notes)
    schema, plan, left, notes = plan_fresh(readers, target, task, reading, _Looking())
    return Dataset(schema, readers, plan, notes, left)


def _open_sparse(
    sources: list[Source], formats: list[str], target: str | None, task: str, reading: Reading, expect: Schema | None
) -> Dataset:
    from .sparse import LABEL, SparseLines

    first = sources[formats.index("libsvm")].name
    for source, kind in zip(sources, formats, strict=True):
        if kind != "libsvm":
            raise DataError(f"{source.name}: is a table, while {first} has sparse rows (LIBSVM); read them apart.")
    if expect is not None and expect.columns:
        raise DataError(f"{first}: has sparse rows (LIBSVM), while the model knows columns by name.")
    if target not in (None, LABEL):
        raise DataError(
            f"{first}: sparse rows (LIBSVM) start with their target, which is called {LABEL!r}, not {target!r}."
        )
    if named := [*reading.categorical, *reading.numeric, *reading.ignore, *reading.use]:
        raise DataError(f"{first}: sparse rows (LIBSVM) have no columns by name, such as {named[0]!r}.")
    width = expect.n_features if expect is not None else reading.n_features
    readers: list[SparseLines] = [SparseLines(source, reading, width) for source in sources]
    task = expect.task if expect is not None else task
    schema = Schema((), target, task, labels=list(expect.labels) if expect else [], n_features=width or 0)
    return Dataset(schema, readers, Plan((), (), target, task), [])


def _table(source: Source, kind: str, reading: Reading, expected: frozenset[str]) -> Any:
    if kind in ("csv", "tsv"):
        from .delimited import Delimited

        return Delimited(source, reading, "\t" if kind == "tsv" else None, expected)
    if kind == "jsonl":
        from .jsonlines import JsonLines

        return JsonLines(source, reading)
    from .columnar import Columnar

    return Columnar(source, kind, reading.room)


class _Looking:
    """Looks at the first rows of a file."""

    def kinds(self, reader: Any, names: list[str], reading: Reading) -> dict[str, Kind]:
        with _located(reader):
            return reader.kinds(names, reading)

    def first_rows(self, reader: Any, plan: Plan) -> TablePart:
        with _located(reader, plan):
            for piece in reader.pieces(plan):
                part = reader.parse(piece, plan)
                if part.total:
                    return part
        raise DataError(f"{reader.name}: has no rows.")

    def place_of_name(self, reader: Any, name: str) -> str:
        return reader.place(0, next(reader.pieces()), Fault("", offset=reader.unnamed[name]), 0)


@contextmanager
def _located(reader: Any, plan: Plan | None = None) -> Iterator[None]:
    """Within it, a fault in the first piece of a file becomes an error that says where."""
    try:
        yield
    except Fault as fault:
        piece = None
        with suppress(Fault):
            piece = next(reader.pieces(plan), None)
        raise _error(reader, 0, piece, fault, 0, True) from None


def _error(reader: Any, number: int, piece: Any, fault: Fault, row: int, fresh: bool) -> DataError:
    text = (fault.text + fault.fresh * fresh).removesuffix(".")
    return DataError(f"{reader.place(number, piece, fault, row)}: {text}{'' if text.endswith('?') else '.'}")


def _require_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ImportError('Reading files needs pyarrow: pip install "novikoff[cli]"') from None
