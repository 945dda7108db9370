"""``open_data``: files of any format, found by name or content, as one stream of blocks."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...inputs.scraps import Scrap
from ..store.blocks import DataError, Schema
from .byte_sources import STDIN, SUFFIXES, Source, must_be_spooled, spool
from .columns import plan_expected, plan_fresh
from .dataset import Dataset
from .formats import FORMATS, FRAME, OTHERWISE, Format
from .reading_options import WIDEST, Plan, Reading

__all__ = ["Dataset", "Reading", "open_data"]

LABEL = "label"  # what the target of sparse rows is called
MOST_NAMED = 20  # columns that an error lists
WORKBOOKS = {
    "xlsx": "an Excel workbook",
    "xlsm": "an Excel workbook",
    "xlsb": "an Excel workbook",
    "xls": "an Excel workbook",
    "ods": "a LibreOffice workbook",
    "numbers": "a workbook of Apple's Numbers",
}
PACKED = {b"PK\x03\x04": "a zip file or a workbook (xlsx, ods)", b"\xd0\xcf\x11\xe0": "a workbook (xls)"}
HEAD = 1 << 16  # bytes of a text that are looked at


def open_data(
    paths: Sequence[Any],
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
    paths : paths, "-" for standard input, or data frames.
    target : the column to be predicted ("label" of sparse rows); None: none is read.
    needed : whether there must be a target; that of sparse rows need not be named.
    task : "classes" or "numbers", what the target is.
    reading : how files are read.
    expect : the columns of a model, for files that it is to predict.
    """
    if task not in ("classes", "numbers"):
        raise ValueError(f"task is 'classes' or 'numbers'; got {task!r}.")
    named = [os.fspath(path) if isinstance(path, str | os.PathLike) else path for path in paths]
    if not named or sum(isinstance(name, str) and name == "-" for name in named) > 1:
        raise ValueError("Give at least one file, and standard input at most once.")
    spooled: list[Scrap] = []
    try:
        sources = [_source(name, spooled, place if len(named) > 1 else None) for place, name in enumerate(named, 1)]
        data = _open(sources, target, needed, task, reading, expect)
    except BaseException:
        _remove(spooled)
        raise
    data.on_close = weakref.finalize(data, _remove, spooled)
    return data


def _source(name: Any, spooled: list[Scrap], number: int | None) -> Any:
    if not isinstance(name, str):
        from .frame_rows import FrameSource  # when there is a frame

        return name if isinstance(name, FrameSource) else FrameSource(name, number)
    if not must_be_spooled(name):
        return Source(name)
    spooled.append(spool(name))
    return Source(str(spooled[-1].path), STDIN if name == "-" else name)


def _remove(spooled: list[Scrap]) -> None:
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
    names = frozenset(expected | ({target} if target is not None else set()))
    readers: list[Any] = [each.open(source, reading, names) for source, each in zip(sources, formats, strict=True)]
    if needed and target is None:
        there = ", ".join(readers[0].names[:MOST_NAMED]) + (", ..." if len(readers[0].names) > MOST_NAMED else "")
        raise DataError(
            f"{sources[0].name}: which column is to be predicted? Name it with target=...; there are {there}."
        )
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
            raise DataError(f"{source.name}: is a table, while {first} has {rows}; read them apart.")
    if expect is not None and expect.columns:
        raise DataError(f"{first}: has {rows}, while the model knows columns by name.")
    if target not in (None, LABEL):
        raise DataError(f"{first}: {rows} start with their target, which is called {LABEL!r}, not {target!r}.")
    if named := [*reading.categorical, *reading.numeric, *reading.ignore, *reading.use]:
        raise DataError(f"{first}: {rows} have no columns by name, such as {named[0]!r}.")
    width = expect.n_features if expect is not None else reading.n_features
    wide = replace(reading, n_features=width and min(width, WIDEST))
    readers = [each.open(source, wide, frozenset()) for source, each in zip(sources, formats, strict=True)]
    task = expect.task if expect is not None else task
    schema = Schema((), target, task, labels=list(expect.labels) if expect else [], n_features=width or 0)
    return Dataset(schema, readers, Plan((), (), target, task), reading.room)


def format_of(source: Any, reading: Reading) -> Format:
    """The format of a file, or of a frame."""
    if reading.format is not None and reading.format not in FORMATS:
        raise ValueError(f"format is one of {', '.join(FORMATS)}; got {reading.format!r}.")
    if hasattr(source, "frame"):
        return FRAME
    _refuse_workbooks(source)
    found = FORMATS[reading.format] if reading.format else _by_name(source.path) or _by_content(source, reading)
    if source.compression and not found.text:
        raise DataError(f"{source.name}: compressed {found.name} files cannot be read in parts; decompress it first.")
    return found


def _refuse_workbooks(source: Source) -> None:
    """Say what a file is that people take for a table, and is none yet."""
    with source.open() as stream:
        start = stream.read(4)
    ending = os.path.splitext(source.name.lower())[1].removeprefix(".")
    what = next((what for magic, what in PACKED.items() if start.startswith(magic)), None)
    if what and ending in WORKBOOKS:
        what = WORKBOOKS[ending]
    if what:
        raise DataError(
            f"{source.name}: is {what}, not text; open it, save the sheet as CSV (UTF-8), and give that file instead."
        )


def _by_name(path: str) -> Format | None:
    stem, ending = os.path.splitext(path.lower())
    if ending in SUFFIXES:
        ending = os.path.splitext(stem)[1]
    return next((row for row in FORMATS.values() if ending.removeprefix(".") in row.endings), None)


def _by_content(source: Source, reading: Reading) -> Format:
    with source.open() as stream:
        start = stream.read(8)
    for row in FORMATS.values():
        if row.start and start.startswith(row.start):
            return row
    with source.text(reading.encoding) as text:
        head = text.read(HEAD)
    lines = [line for line in head.splitlines()[: -1 if len(head) >= HEAD else None] if line.strip()]
    fitting = (row for row in FORMATS.values() if lines and row.fits is not None and row.fits(lines))
    return next(fitting, FORMATS[OTHERWISE])
