"""Which format a file has: by its name, else by its first bytes."""

from __future__ import annotations

import os
from typing import Any

from ..store.blocks import DataError
from .byte_sources import SUFFIXES, Source
from .formats import FORMATS, FRAME, OTHERWISE, Format
from .reading_options import Reading

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
