"""Files that are no table, by how they begin: what they are, and what to give instead."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...report.words import keyword
from ..store.blocks import DataError
from .byte_sources import MAGIC, FileSource

EXPORT = "export CSV or Parquet, and give that file"
UNPACK = "unpack it, and give the file in it"
LOOKED_AT = 1 << 16  # bytes


class ForeignFile(NamedTuple):
    """Files of a program."""

    start: bytes
    what: str
    remedy: str = EXPORT
    at: int = 0  # where they have these bytes
    text: bool = False  # whether such a file is text; of others a NUL, or a byte that is not ASCII, is among the first


KINDS = (
    ForeignFile(b"\xd0\xcf\x11\xe0", "an old Excel workbook (xls)"),
    ForeignFile(b"<stata_dta>", "a Stata file", text=True),
    *(ForeignFile(bytes([old, order, 1, 0]), "a Stata file") for old in (113, 114, 115) for order in (1, 2)),
    ForeignFile(b"$FL2", "an SPSS file", text=True),
    ForeignFile(b"\xc2\xea\x81\x60\xb3\x14\x11\xcf", "a SAS file", at=12),
    ForeignFile(b"HEADER RECORD*******", "a SAS file", text=True),
    ForeignFile(b"MATLAB 5.0 MAT-file", "a MATLAB file", text=True),
    ForeignFile(b"\x89HDF", "an HDF5 file"),
    ForeignFile(b"RDX", "an R data file"),
    ForeignFile(b"RDA", "an R data file"),
    ForeignFile(b"X\n\0\0\0", "an R data file"),
    ForeignFile(b"%PDF", "a PDF", text=True),
    ForeignFile(b"\x89PNG", "a picture"),
    ForeignFile(b"\xff\xd8\xff", "a picture"),
    ForeignFile(b"\x93NUMPY", "a NumPy file"),
    ForeignFile(b"\x80\x04\x95", "a pickle"),
    ForeignFile(b"Obj\x01", "an Avro file"),
    ForeignFile(b"ORC", "an ORC file"),
    ForeignFile(b"FEA1", "a Feather file of the first version"),
    ForeignFile(b"{\\rtf", "a text document (RTF)", text=True),
    ForeignFile(b"7z\xbc\xaf", "a 7z archive", UNPACK),
    ForeignFile(b"Rar!", "a RAR archive", UNPACK),
    ForeignFile(b"ustar", "a tar archive", UNPACK, at=257),
)
MARKED = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(!doctype html|html|\?xml)\b", re.IGNORECASE)
WEKA = re.compile(
    rb"(?:[^\S\n]*(?:%[^\n]*)?\n)*[^\S\n]*@relation\b", re.IGNORECASE
)  # each line can be read in one way only
DATA = re.compile(rb"^[^\S\n]*@data[^\S\n]*$", re.IGNORECASE | re.MULTILINE)


def refuse_foreign(source: FileSource, skip: int) -> bytes:
    """The first bytes of a file; an error that says what it is where it holds no table that is read.  ``skip`` of its lines come before
    its table."""
    with source.open() as stream:
        head = stream.read(LOOKED_AT)
    start = head[:512]
    binary = b"\0" in start or not start.isascii()
    found = next((kind for kind in KINDS if head.startswith(kind.start, kind.at) and (kind.text or binary)), None)
    if found is not None:
        raise DataError(f"{source.name}: is {found.what}, not a table; {found.remedy}.")
    if source.compression and any(start.startswith(magic) for magic in MAGIC):
        raise DataError(f"{source.name}: holds a packed file or a workbook, packed again; {UNPACK}.")
    if start.startswith(b"PK\x03\x04") and b"mimetypeapplication/vnd.oasis" in start:
        raise DataError(
            f"{source.name}: is a LibreOffice workbook; open it, save the sheet as CSV or as xlsx, and give that file instead."
        )
    if marked := MARKED.match(start):
        what = "an XML file" if b"xml" in marked[1] else "a web page (HTML)"
        raise DataError(f"{source.name}: is {what}, not a table; {EXPORT}.")
    if not skip and WEKA.match(head) and (data := DATA.search(head)):
        lines = head[: data.end()].count(b"\n") + 1
        raise DataError(
            f"{source.name}: is a Weka file (ARFF), whose first {lines} lines are no rows; name the target by its number, and pass "
            f"{keyword('skip_rows', lines)} {keyword('header', False)}."
        )
    return start
