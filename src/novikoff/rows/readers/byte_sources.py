"""Where bytes come from: files and standard input, compressed or not, in any encoding."""

from __future__ import annotations

import bz2
import codecs
import copy
import lzma
import os
import shutil
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ...report.words import quote
from ...system.files import TemporaryFile, apart, is_address, open_bytes, size_and_stamp
from ..store.blocks import DataError
from .reading_options import Fault

MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
}
SUFFIXES = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2", ".xz": "xz", ".zip": "zip"}
WORKBOOK = ("xl/", "mimetype")  # members of a zip file that is a workbook, of Excel or of LibreOffice
MOST_MEMBERS = 1000  # of a zip file
MOST_RATIO = 250  # bytes that one packed byte may become, where there are more than these:
UNPACKED = 64 << 20
ROWS = "rows"  # in place of a compression: the text is made of the rows of a table inside a file
STDIN = "standard input"
SOME_BYTES = 1 << 16  # that are looked at for the end of a line


def printable(path: str) -> str:
    """A file's name as a text: bytes in it that are no UTF-8 are written as ``\\xff``."""
    return os.fsencode(path).decode(errors="backslashreplace")


class FileSource:
    """One file that may be read several times, and must stay as it is meanwhile."""

    def __init__(self, path: str, name: str | None = None) -> None:
        self.path, self.part = apart(path)
        self.name = printable(name or self.path)
        self._stamp = self._look()
        self.size = self._stamp[0]
        start = self._head(8)
        self.compression = next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)
        claimed = next((kind for suffix, kind in SUFFIXES.items() if self.path.lower().endswith(suffix)), None)
        if claimed and self.compression is None and self.size:
            raise DataError(f"{self.name}: the name says {claimed}, but the data are not; rename the file.")
        self.member = member_of(self) if self.compression == "zip" else None
        if self.compression == "zip" and self.member is None:
            self.compression = None  # a workbook

    def _look(self) -> tuple[int, Any]:
        with self.readable():
            found = size_and_stamp(self.path)
        if os.path.isdir(self.path):
            raise DataError(f"{self.name}: is a folder; name the files in it.")
        return found

    def _head(self, size: int) -> bytes:
        with self.readable(), open_bytes(self.path) as file:
            start: bytes = file.read(size)
            return start

    @contextmanager
    def readable(self) -> Iterator[None]:
        """Within it, what goes wrong with the file is said of it."""
        try:
            yield
        except FileNotFoundError:
            raise DataError(f"{self.name}: cannot be read: No such file or directory.") from None
        except OSError as error:
            raise DataError(f"{self.name}: cannot be read: {error.strerror or error}.") from None
        except (ValueError, ImportError):
            raise
        except Exception as error:  # file systems behind addresses have errors of their own
            if not is_address(self.path):
                raise
            raise DataError(f"{self.name}: cannot be read: {error}") from None

    @property
    def span(self) -> tuple[int, int]:
        """The bytes that are read: from here to there."""
        return 0, sys.maxsize

    def starts_as_utf16(self) -> bool:
        """Whether a byte order mark says that it is UTF-16."""
        return self._head(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

    def lines_before(self) -> int:
        """How many lines of the file come before those that are read."""
        return 0

    def check(self) -> None:
        """Refuse a file that has changed since it was first looked at."""
        if self._look() != self._stamp:
            raise DataError(f"{self.name}: has changed while it was being read; start again when it is complete.")

    @contextmanager
    def open(self) -> Iterator[FileBytes]:
        """Its bytes from the start, decompressed."""
        self.check()
        stream = FileBytes(self)
        try:
            yield stream
        finally:
            stream.close()

    @contextmanager
    def text(self, encoding: str) -> Iterator[FileText]:
        """Its text from the start, as UTF-8 without a byte order mark."""
        with self.open() as stream:
            yield FileText(stream, encoding, self.name)


class LineSpan(FileSource):
    """Whole lines of a file: those that begin at one of its bytes from ``first`` to ``last``, the end left out."""

    def __init__(self, whole: FileSource, first: int, last: int) -> None:
        self.path, self.name, self._stamp, self.compression = whole.path, whole.name, whole._stamp, None
        self.member = self.part = None
        self.size, self._first, self._last = last - first, first, last

    @property
    def span(self) -> tuple[int, int]:
        """See ``FileSource``."""
        with self.readable(), open_bytes(self.path) as file:
            first, last = (self._line_from(file, place) for place in (self._first, self._last))
            return first, last

    def _line_from(self, file: Any, place: int) -> int:
        """Where the first line begins that does so at this byte or after it."""
        if place == 0:
            return 0
        place -= 1  # the byte before may end a line
        file.seek(place)
        while part := file.read(SOME_BYTES):
            end = part.find(b"\n")
            if end >= 0:
                return place + int(end) + 1
            place += len(part)
        return place

    def lines_before(self) -> int:
        """See ``FileSource``."""
        lines, left = 0, self.span[0]
        with self.readable(), open_bytes(self.path) as file:
            while left and (part := file.read(min(left, SOME_BYTES))):
                lines += part.count(b"\n")
                left -= len(part)
        return lines


class FileBytes:
    """The decompressed bytes of a file; ``done`` says how far the file on disk was read."""

    def __init__(self, source: FileSource) -> None:
        self._source = source
        first, self._end = source.span
        with source.readable():
            self._file = open_bytes(source.path)
            if first:
                self._file.seek(first)
        self._read: Callable[[int], bytes] = self._read_on
        self._most = sys.maxsize if source.compression is None else max(UNPACKED, MOST_RATIO * source.size)
        if source.compression in ("bz2", "xz", "zip"):
            self._unpacked: Any = unpacking(self._file, source)
            self._read = self._unpacked.read
        elif source.compression:
            import pyarrow as pa  # here, since few files are compressed

            self._unpacked = pa.CompressedInputStream(pa.PythonFile(self._file, "r"), source.compression)
            self._read = self._unpacked.read

    @property
    def done(self) -> int:
        done: int = self._file.tell()
        return done

    def _read_on(self, size: int) -> bytes:
        part: bytes = self._file.read(min(size, self._end - self._file.tell()))
        return part

    def read(self, size: int) -> bytes:
        """The next ``size`` bytes, fewer only at the end."""
        parts, wanted = [], size
        while wanted > 0:
            try:
                part = self._read(wanted)
            except (OSError, EOFError, lzma.LZMAError, zipfile.BadZipFile, zlib.error, RuntimeError) as error:
                what = f"the {self._source.compression} data are damaged or cut off" if self._source.compression else ""
                raise DataError(f"{self._source.name}: {what or 'cannot be read'}: {error}.") from None
            if not part:
                break
            parts.append(part)
            wanted -= len(part)
            self._most -= len(part)
            if self._most < 0:
                raise DataError(
                    f"{self._source.name}: unpacks to more than {MOST_RATIO} times its size, as files do that were made to fill disks; "
                    "if you trust it, unpack it, and give the file in it."
                )
        return b"".join(parts) if len(parts) != 1 else parts[0]

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def member_of(source: FileSource) -> str | None:
    """The name of the file in a zip file that is to be read; None: it is a workbook."""
    with source.readable(), open_bytes(source.path) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                members = [member for member in archive.infolist()[:MOST_MEMBERS] if not member.is_dir()]
        except (zipfile.BadZipFile, NotImplementedError) as error:
            raise DataError(f"{source.name}: the zip data are damaged or cut off: {error}.") from None
    if any(member.filename.startswith(WORKBOOK) for member in members):
        return None
    if source.part is not None:
        members = [member for member in members if member.filename == source.part]
    if not members:
        raise DataError(f"{source.name}: has no file {source.part or ''!r} in it.")
    if len(members) > 1:
        raise DataError(
            f"{source.name}: has {len(members)} files in it; name one, as in {quote(f'{source.path}::{members[0].filename}')}."
        )
    if members[0].flag_bits & 1:
        raise DataError(f"{source.name}: needs a password; unpack it first.")
    return members[0].filename


def unpacking(file: Any, source: FileSource) -> Any:
    """The unpacked bytes of a file, read on as they are asked for: nothing is written to disk."""
    if source.compression == "bz2":
        return bz2.BZ2File(file)
    if source.compression == "xz":
        return lzma.LZMAFile(file)
    assert source.member is not None  # a zip file is opened once its one file is known
    return zipfile.ZipFile(file).open(source.member)


class FileText:
    """A file's text as UTF-8.  UTF-8 itself passes unchecked: parsers check it, and know where they are."""

    def __init__(self, stream: FileBytes, encoding: str, name: str) -> None:
        self._stream, self._name, self._line = stream, name, 1
        self._head = stream.read(3)
        try:
            "".encode(encoding)
            encoding = codecs.lookup(encoding).name
        except LookupError:
            raise DataError(f"{name}: there is no text encoding {encoding!r}; try utf-8, latin-1 or utf-16.") from None
        if encoding in ("utf-8", "utf-8-sig") and self._head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            encoding = "utf-16"
        self._encoding = encoding
        self._decoder = None if encoding in ("utf-8", "utf-8-sig") else codecs.getincrementaldecoder(encoding)()
        if self._decoder is None and self._head == codecs.BOM_UTF8:
            self._head = b""

    @property
    def done(self) -> int:
        return self._stream.done

    def read(self, size: int) -> bytes:
        """The next ``size`` bytes of the file as UTF-8; empty only at the end."""
        while True:
            raw, self._head = self._head + self._stream.read(size - len(self._head)), b""
            if self._decoder is None:
                return raw
            text = self._decode(raw)
            if text or not raw:
                return text

    def _decode(self, raw: bytes) -> bytes:
        assert self._decoder is not None
        try:
            text = self._decoder.decode(raw, final=not raw)
            encoded = text.removeprefix("\ufeff").encode()
        except UnicodeError as error:
            start = getattr(error, "start", 0)
            line = self._line + raw[:start].count(b"\n")
            byte = f"byte 0x{raw[start]:02x} is not" if start < len(raw) else "the last bytes are not"
            raise DataError(
                f"{self._name}:{line}: {byte} valid in {self._encoding}; pass the file's own encoding=..."
            ) from None
        self._line += text.count("\n")
        return encoded


def must_be_spooled(path: str) -> bool:
    """Whether a path can be read only once: "-", a pipe."""
    return path == "-" or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path))


def spool(path: str) -> TemporaryFile:
    """Standard input or a pipe as a temporary file, so that it can be read several times; to be removed after that."""
    scrap = TemporaryFile(Path(tempfile.gettempdir()), "novikoff-", mode=0o600)
    try:
        with (
            os.fdopen(scrap.handle, "wb") as file,
            nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as pipe,
        ):
            shutil.copyfileobj(pipe, file, 1 << 20)
    except BaseException:
        scrap.remove()
        raise
    return scrap


# Text cut into chunks of whole records.

CHUNK = (
    2 << 20
)  # bytes of text, which take up to 40 times as much as rows of one digit; the same on every machine, so that blocks depend on the data only
LONGEST = 16 << 20  # bytes of one record
TOO_LONG = f"a record longer than {LONGEST >> 20} MB starts here; is a quote left open?"
BLANKS = f"more than {LONGEST >> 21} MB of blank lines or spaces follow here; delete them."
TAB, LF, CR, BLANK = 9, 10, 13, 32


class Chunk(NamedTuple):
    """Whole records of a file, as UTF-8."""

    data: bytes
    start: int  # where the first record starts: after the header
    done: int  # bytes of the file on disk that were read so far
    last: bool
    line: int | None = None  # lines of the file before it, if they were counted


def line_end(data: bytes) -> int:
    """Where the last whole line ends.  A carriage return at the very end may yet be followed by its line feed."""
    return max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1)) + 1


def count_lines(data: bytes) -> int:
    """How many lines end here: with a line feed, a carriage return, or both."""
    returns = data.count(b"\r")
    return data.count(b"\n") + (returns - data.count(b"\r\n") if returns else 0)


def column_of(data: bytes, offset: int) -> int:
    """The character column, from 1, of a byte."""
    start = line_end(data[:offset] + b" ")
    return len(data[start:offset].decode(errors="replace")) + 1


def row_start(data: bytes, row: int, comment: bytes | None = None) -> int:
    """The byte where a row starts, if each has a line: lines that are blank, or nothing but a comment, are no rows."""
    offset = 0
    for line in data.splitlines(keepends=True):
        if (line.split(comment)[0] if comment else line).strip():
            if row == 0:
                break
            row -= 1
        offset += len(line)
    return offset


def too_long(data: bytes) -> str:
    """What is wrong with so much text that has no whole record."""
    return BLANKS if 2 * len(data.rstrip()) < len(data) else TOO_LONG


def chunks(source: FileSource, encoding: str, end_of_records: Callable[[bytes, bytes], int]) -> Iterator[Chunk]:
    """Cut a text at ends of records; the last chunk has all that is left.

    ``end_of_records`` is given what is left of a text so far, and what comes after it: in that it finds the last end.
    """
    rest = b""
    with source.text(encoding) as text:
        new, done = text.read(CHUNK), text.done
        while new:
            so_far = len(rest) + len(new)  # of a record, if it has not ended: no more is read than one may have
            following, ahead = text.read(min(CHUNK, max(1, LONGEST + 1 - so_far))), text.done
            end = end_of_records(rest, new)
            if end or (not following and so_far <= LONGEST):
                end = end if following else len(new)
                yield Chunk(b"".join((rest, memoryview(new)[:end])), 0, done, not following)
                rest = new[end:]
            else:
                rest += new
            new, done = following, ahead
            if len(rest) > LONGEST:
                raise Fault(too_long(rest), offset=0)
    source.check()


def in_spans(reader: Any, encoding: str, size: int) -> list[Any]:
    """A reader of lines as several, each of about so many bytes; text that is compressed or in another encoding stays whole."""
    source = reader.source
    count = -(-source.size // size)
    if count < 2 or source.compression or codecs.lookup(encoding).name != "utf-8" or source.starts_as_utf16():
        return [reader]
    ends = [source.size * part // count for part in range(count + 1)]
    found = []
    for first, last in pairwise(ends):
        part = copy.copy(reader)
        part.source = LineSpan(source, first, last)
        found.append(part)
    return found


def end_of_lines(rest: bytes, new: bytes) -> int:
    """For texts in which every line is a record."""
    return line_end(new)


def place_in(reader: Any, number: int, chunk: Chunk | None, offset: int, with_column: bool = True) -> str:
    """``file:line:column`` of a byte of chunk ``number``: the lines of the chunks before it are counted again, if they were not."""
    before = None if chunk is None else chunk.line
    if before is None:
        before = sum(count_lines(each.data) for each in islice(reader.pieces(), number))
    data = chunk.data if chunk is not None else b""
    line = 1 + reader.source.lines_before() + before + count_lines(data[:offset])
    return f"{reader.name}:{line}:{column_of(data, offset)}" if with_column else f"{reader.name}:{line}"
