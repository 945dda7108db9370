"""The formats of files.  A new one costs a reader (``columns.py`` says what that is) and a row here.

Names are read by the command line as it starts: so readers, and pyarrow with them, are imported when a file is opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .byte_sources import FileSource
    from .columns import FileReader
    from .reading_options import Reading

    Open = Callable[[FileSource, Reading, frozenset[str]], FileReader]

NUMBER = rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
SPARSE_LINE = re.compile(rb"\s*" + NUMBER + rb"([ \t]+(qid|\d+):" + NUMBER + rb")*[ \t]*(#.*)?\s*")
LINES = 20  # of a text that are looked at


class Format(NamedTuple):
    """What is known of a format before a file is opened.

    ``open`` is given the file, how it is to be read, and names that columns are expected to have.
    """

    name: str
    endings: tuple[str, ...]  # of files' names
    open: Open
    start: bytes = b""  # with which every such file starts
    fits: Callable[[list[bytes]], bool] | None = (
        None  # of a text: whether these may be its first lines, blank ones left out
    )
    text: bool = True  # whether it is text, which may be compressed, and in any encoding
    sparse: bool = (
        False  # whether rows are pairs of index and value behind their label; else there are columns with names
    )


def _csv(source: FileSource, reading: Reading, expected: frozenset[str]) -> FileReader:
    from .csv_text import Delimited  # when a file is read

    return Delimited(source, reading, expected)


def _tsv(source: FileSource, reading: Reading, expected: frozenset[str]) -> FileReader:
    return _csv(source, replace(reading, delimiter=reading.delimiter or "\t"), expected)


def _libsvm(source: FileSource, reading: Reading, expected: frozenset[str]) -> FileReader:
    from .libsvm import SparseLines  # when a file is read

    return SparseLines(source, reading)


def _jsonl(source: FileSource, reading: Reading, expected: frozenset[str]) -> FileReader:
    from .jsonlines import JsonLines  # when a file is read

    return JsonLines(source, reading)


def _excel(source: FileSource, reading: Reading, expected: frozenset[str]) -> FileReader:
    from .csv_text import Delimited  # when a file is read
    from .inner_tables import sheet_of  # likewise

    sheet, notes = sheet_of(source, reading.room)
    reader = Delimited(sheet, replace(reading, delimiter=",", encoding="utf-8"), expected)
    reader.notes[:0] = notes
    return reader


def _sqlite(source: FileSource, reading: Reading, expected: frozenset[str]) -> FileReader:
    from .csv_text import Delimited  # when a file is read
    from .inner_tables import database_table  # likewise

    told = replace(reading, delimiter=",", encoding="utf-8", header=True, skip_rows=0)
    return Delimited(database_table(source), told, expected)


def _parquet(source: FileSource, reading: Reading, expected: frozenset[str]) -> FileReader:
    from .columnar import ParquetFile  # when a file is read

    return ParquetFile(source, reading)


def _arrow(source: FileSource, reading: Reading, expected: frozenset[str]) -> FileReader:
    from .columnar import ArrowFile  # when a file is read

    return ArrowFile(source, reading)


def _are_sparse(lines: list[bytes]) -> bool:
    return any(b":" in line for line in lines) and all(SPARSE_LINE.fullmatch(line) for line in lines[:LINES])


def _are_objects(lines: list[bytes]) -> bool:
    return bool(re.match(rb"\s*(\[\s*)?\{", b"\n".join(lines[:2])))


def _frame(source: Any, reading: Reading, expected: frozenset[str]) -> FileReader:
    from .columnar import FrameRows  # when there is a frame

    return FrameRows(source, reading)


FRAME = Format("data frame", (), _frame, text=False)  # which no file has
OTHERWISE = "csv"  # what a text is that is nothing else
FORMATS: dict[str, Format] = {
    row.name: row
    for row in (
        Format("csv", ("csv",), _csv),
        Format("tsv", ("tsv", "tab"), _tsv),
        Format("libsvm", ("svm", "libsvm", "svmlight"), _libsvm, fits=_are_sparse, sparse=True),
        Format("jsonl", ("jsonl", "ndjson", "json"), _jsonl, fits=_are_objects),
        Format("excel", ("xlsx", "xlsm"), _excel, start=b"PK\x03\x04", text=False),
        Format("sqlite", ("db", "sqlite", "sqlite3"), _sqlite, start=b"SQLite format 3\0", text=False),
        Format("parquet", ("parquet", "pq"), _parquet, start=b"PAR1", text=False),
        Format("arrow", ("arrow", "feather", "ipc"), _arrow, start=b"ARROW1", text=False),
    )
}
