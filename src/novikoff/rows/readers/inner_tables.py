"""Tables inside of files: sheets of Excel workbooks, tables and queries of SQLite databases.

They are handed on as comma-separated text, made row by row, so that they are read as CSV files are: the same guesses, notes and errors.
Such a file may have been made to do harm: nothing of it is run, and nothing is written to disk.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import date, datetime, time
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ...report.words import installing, quote
from ...system.files import is_address, open_bytes
from ..store.blocks import DataError
from .byte_sources import LONGEST, MOST_RATIO, ROWS, FileSource

LINE_ENDS = re.compile(r"[\r\n\0]+")
MOST_LISTED = 20  # tables that an error lists


class InnerTable(FileSource):
    """A table inside a file, as a source of comma-separated text; a row of it is a line."""

    compression = ROWS  # they are read from the first one on, as compressed text is

    def __init__(self, source: FileSource, inner: str, rows: Callable[[], Iterable[list[Any]]]) -> None:
        self.path, self._stamp, self.size, self.member = source.path, source._stamp, source.size, None
        self.name = f"{source.name}::{inner}"
        self._rows = rows

    @contextmanager
    def text(self, encoding: str) -> Iterator[Any]:
        """See ``FileSource``."""
        self.check()
        yield RowText(self._rows(), self.size)


class RowText:
    """Rows as comma-separated text."""

    def __init__(self, rows: Iterable[list[Any]], size: int) -> None:
        self._rows, self._size, self._left, self.done = iter(rows), size, b"", 0

    def read(self, size: int) -> bytes:
        """The next ``size`` bytes; fewer only at the end."""
        parts, held = [self._left], len(self._left)
        while held < size:
            text = io.StringIO()
            write = csv.writer(text, lineterminator="\n").writerow
            some = list(islice(self._rows, 1000))
            if not some:
                self.done = self._size
                break
            for row in some:
                write(list(map(as_field, row)) if any(value is not None for value in row) else [])
            parts.append(text.getvalue().encode())
            held += len(parts[-1])
        whole = b"".join(parts)
        self._left = whole[size:]
        return whole[:size]


def as_field(value: Any) -> str:
    """A value as CSV files have it, on one line: a line is a row of the table."""
    if value is None:
        return ""
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, str):
        return LINE_ENDS.sub(" ", value)
    return str(value)


def _some(names: list[str], path: str) -> str:
    shown = ", ".join(quote(f"{path}::{name}") for name in names[:MOST_LISTED])
    return shown + (f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else "")


# Excel workbooks.  A workbook is a zip file of XML: what it unpacks to is counted before any of it is unpacked, and XML with a
# declaration of types is refused, since it could define texts that grow without bound.

MOST_PARTS = 10_000
MOST_UNPACKED = 4 << 30  # bytes of one part
SMALL_PART = 8 << 20  # bytes, up to which the ratio of a part does not count
BYTES_A_SHARED = 8  # of memory, for a byte of the texts that cells share (measured: 3 to 7)
MOST_ROWS = 1 << 20  # of a sheet, as Excel has it
FIRST_ELEMENT = re.compile(rb"<[A-Za-z]")
HEAD = 1 << 16
WIDTH_ROWS = 100  # rows by which the width of a sheet is known


def sheet_of(source: FileSource, room: int | None) -> tuple[InnerTable, list[str]]:
    """A sheet of a workbook, the first unless another is named, and what is to be said of that."""
    try:
        import openpyxl
    except ImportError:
        raise ImportError(f"{source.name}: Excel workbooks need openpyxl: {installing('excel')}") from None
    _refuse_bombs(source, room)

    @contextmanager
    def opened() -> Iterator[Any]:
        """The workbook; whatever a damaged one makes of its reader is said of the file."""
        with source.readable(), open_bytes(source.path) as file:
            try:
                with closing(openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)) as book:
                    yield book
            except (DataError, GeneratorExit):
                raise
            except Exception as error:
                raise DataError(f"{source.name}: the workbook is damaged: {error}.") from None

    with opened() as book:
        names = [sheet.title for sheet in book.worksheets]
    if not names:
        raise DataError(f"{source.name}: has no sheet of cells; export CSV, and give that file.")
    if source.part is not None and source.part not in names:
        raise DataError(f"{source.name}: has no sheet {source.part!r}; there are {_some(names, source.path)}.")
    name = source.part or names[0]
    notes = []
    if source.part is None and len(names) > 1:
        notes = [
            f"{source.name}: the sheet {name!r} is read, the first of {len(names)}; for another give "
            f"{quote(f'{source.path}::{names[1]}')}"
        ]

    def rows() -> Iterator[list[Any]]:
        with opened() as book:
            yield from _aligned((list(row) for row in book[name].iter_rows(values_only=True)), f"{source.name}::{name}")

    return InnerTable(source, name, rows), notes


def _refuse_bombs(source: FileSource, room: int | None) -> None:
    """Stop before a workbook is unpacked that was made to fill memory."""
    why = "was made to fill memory, or is damaged; save its sheet as CSV"
    try:
        with source.readable(), open_bytes(source.path) as file, zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
            if len(parts) > MOST_PARTS:
                raise DataError(f"{source.name}: a workbook of {len(parts):,} parts {why}.")
            for part in parts:
                large = part.file_size > MOST_UNPACKED
                if large or part.file_size > max(SMALL_PART, MOST_RATIO * max(1, part.compress_size)):
                    raise DataError(
                        f"{source.name}: the part {part.filename!r} unpacks from {part.compress_size:,} to {part.file_size:,} bytes, so it {why}."
                    )
                if part.flag_bits & 1:
                    raise DataError(f"{source.name}: needs a password; save it without one.")
                if part.filename.endswith((".xml", ".rels")):
                    with archive.open(part) as xml:
                        head = xml.read(HEAD)
                    first = FIRST_ELEMENT.search(head)
                    if first is None or b"<!" in head[: first.start()].replace(b"<!--", b"") or b"\0" in head:
                        raise DataError(
                            f"{source.name}: the part {part.filename!r} is not XML as Excel writes it; {why}."
                        )
            shared = sum(part.file_size for part in parts if part.filename.lower().endswith("sharedstrings.xml"))
    except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError) as error:
        raise DataError(f"{source.name}: the workbook is damaged or cut off: {error}.") from None
    needed = BYTES_A_SHARED * shared
    if room is not None and needed > room:
        raise DataError(
            f"{source.name}: its texts take about {needed / 1e9:.2g} GB, and there is room for {room / 1e9:.2g} GB; save the sheet as CSV, "
            "or allow for it with memory=..."
        )


def _aligned(rows: Iterator[list[Any]], name: str) -> Iterator[list[Any]]:
    """Rows of one width; above the table, titles that have one cell only keep to that."""
    some = [_without_end(row) for row in islice(rows, WIDTH_ROWS)]
    width = max(map(len, some), default=0)
    begun = False
    for number, row in enumerate(chain(some, rows)):
        if number >= MOST_ROWS:
            raise DataError(f"{name}: has more than the {MOST_ROWS:,} rows of a sheet; save it as CSV.")
        row = _without_end(row)
        begun = begun or len(row) > 1 or width == 1
        yield row + [None] * (width - len(row)) if begun and row else row


def _without_end(row: list[Any]) -> list[Any]:
    end = len(row)
    while end and row[end - 1] in (None, ""):
        end -= 1
    return row[:end]


# SQLite databases.  They are opened to be read only; an authoriser allows SELECT and nothing else, and a query that works long
# without a row is stopped.

QUERY = re.compile(r"\s*(select|with|values)\b", re.IGNORECASE)
STEPS_AT_ONCE = 1_000_000  # of SQLite's machine, after which it is looked at
MOST_STEPS = 3_000_000_000  # between a thousand rows: about a minute
CHANGING = ("random", "randomblob", "load_extension", "changes", "total_changes", "last_insert_rowid")  # functions


def database_table(source: FileSource) -> InnerTable:
    """A table of a database, or what a query finds in it."""
    if is_address(source.path):
        raise DataError(f"{source.name}: databases are read from this machine only; copy the file here.")
    tables = [row[0] for row in _rows_of_database(source, TABLES)][1:]
    what = source.part
    if what is None and not tables:
        raise DataError(f"{source.name}: the database has no table.")
    if what is None:
        if len(tables) > 1:
            raise DataError(
                f"{source.name}: the database has several tables; name one, as in {_some(tables, source.path)}."
            )
        what = tables[0]
    query = what
    if not QUERY.match(what):
        if what not in tables:
            raise DataError(f"{source.name}: has no table {what!r}; it has {_some(tables, source.path)}.")
        query = 'SELECT * FROM "{}"'.format(what.replace('"', '""'))
    return InnerTable(source, what, lambda: _rows_of_database(source, query))


TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite@_%' ESCAPE '@'"


def _rows_of_database(source: FileSource, query: str) -> Iterator[list[Any]]:
    """The names of the columns that a query finds, and its rows."""
    import sqlite3  # when there is a database

    worked = 0

    def work() -> int:
        nonlocal worked
        worked += STEPS_AT_ONCE
        return int(worked > MOST_STEPS)

    def allowed(action: int, first: str | None, second: str | None, *where: str | None) -> int:
        reads = action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE)
        calls = action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in CHANGING
        return sqlite3.SQLITE_OK if reads or calls else sqlite3.SQLITE_DENY

    try:
        address = f"{Path(source.path).absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, check_same_thread=False)) as base:
            for wanted in ("trusted_schema=OFF", "cell_size_check=ON", "query_only=ON", "cache_size=-16000"):
                base.execute(f"PRAGMA {wanted}")
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
            base.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            base.text_factory = lambda raw: raw.decode("utf-8", "replace")
            base.set_authorizer(allowed)
            base.set_progress_handler(work, STEPS_AT_ONCE)
            found = base.execute(query)
            yield [column[0] for column in found.description or ()]
            while rows := found.fetchmany(1000):
                worked = 0
                for row in rows:
                    if any(isinstance(value, bytes) for value in row):
                        name = next(
                            c[0] for c, value in zip(found.description, row, strict=True) if isinstance(value, bytes)
                        )
                        raise DataError(
                            f"{source.name}: column {name!r} holds bytes, of which nothing is learned; leave it out of a query, as in "
                            f"{quote(f'{source.path}::SELECT a, b FROM ...')}."
                        )
                    yield list(row)
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise DataError(f"{source.name}: {_why(str(error))}") from None


def _why(error: str) -> str:
    if "interrupted" in error:
        return "the query works for a minute without finding rows; simplify it, or store its result in a table."
    if "authoriz" in error or "prohibited" in error or "one statement" in error:
        return f"a query may read the database, and nothing else ({error}); write it as one SELECT."
    return f"SQLite says: {error}; correct the query or the file."
