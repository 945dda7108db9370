"""Which format a file has: by its name, else by its first bytes."""

from __future__ import annotations

import os
import re

from .blocks import DataError
from .options import Reading
from .sources import SUFFIXES, Source

ENDINGS = {
    "csv": ("csv",),
    "tsv": ("tsv", "tab"),
    "libsvm": ("svm", "libsvm", "svmlight"),
    "jsonl": ("jsonl", "ndjson", "json"),
    "parquet": ("parquet", "pq"),
    "arrow": ("arrow", "feather", "ipc"),
}
WORKBOOKS = {
    "xlsx": "an Excel workbook",
    "xlsm": "an Excel workbook",
    "xlsb": "an Excel workbook",
    "xls": "an Excel workbook",
    "ods": "a LibreOffice workbook",
    "numbers": "a workbook of Apple's Numbers",
}
PACKED = {b"PK\x03\x04": "a zip file or a workbook (xlsx, ods)", b"\xd0\xcf\x11\xe0": "a workbook (xls)"}
BY_ENDING = {f".{ending}": name for name, endings in ENDINGS.items() for ending in endings}
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}
NUMBER = rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
SPARSE_LINE = re.compile(rb"\s*" + NUMBER + rb"([ \t]+(qid|\d+):" + NUMBER + rb")*[ \t]*(#.*)?\s*")
HEAD = 1 << 16


def format_of(source: Source, reading: Reading) -> str:
    """The format of a file, as one of ``FORMATS``."""
    _refuse_workbooks(source)
    found = reading.format or _by_name(source.path) or _by_content(source, reading)
    if found in ("parquet", "arrow") and source.compression:
        raise DataError(f"{source.name}: compressed {found} files cannot be read in parts; decompress it first.")
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


def _by_name(path: str) -> str | None:
    stem, ending = os.path.splitext(path.lower())
    if ending in SUFFIXES:
        ending = os.path.splitext(stem)[1]
    return BY_ENDING.get(ending)


def _by_content(source: Source, reading: Reading) -> str:
    with source.open() as stream:
        raw = stream.read(8)
    for magic, name in MAGIC.items():
        if raw.startswith(magic):
            return name
    with source.text(reading.encoding) as text:
        head = text.read(HEAD)
    lines = [line for line in head.splitlines()[: -1 if len(head) >= HEAD else None] if line.strip()]
    if lines and lines[0].lstrip().startswith(b"{"):
        return "jsonl"
    if any(b":" in line for line in lines) and all(SPARSE_LINE.fullmatch(line) for line in lines[:20]):
        return "libsvm"
    return "csv"
