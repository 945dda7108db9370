"""Where bytes come from: files and standard input, compressed or not, in any encoding."""

from __future__ import annotations

import codecs
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from ...inputs.addresses import is_address, open_bytes, size_and_stamp
from ...inputs.scraps import Scrap
from ..store.blocks import DataError

MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
SUFFIXES = {".gz": "gzip", ".zst": "zstd"}
STDIN = "standard input"
SOME_BYTES = 1 << 16  # that are looked at for the end of a line


def printable(path: str) -> str:
    """A file's name as a text: bytes in it that are no UTF-8 are written as ``\\xff``."""
    return os.fsencode(path).decode(errors="backslashreplace")


class Source:
    """One file that may be read several times, and must stay as it is meanwhile."""

    def __init__(self, path: str, name: str | None = None) -> None:
        self.path, self.name = path, printable(name or path)
        self._stamp = self._look()
        self.size = self._stamp[0]
        start = self._head(8)
        self.compression = next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)
        claimed = next((kind for suffix, kind in SUFFIXES.items() if self.path.lower().endswith(suffix)), None)
        if claimed and self.compression != claimed and self.size:
            raise DataError(f"{self.name}: the name promises {claimed} data, and these are not; rename the file.")

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


class Span(Source):
    """Whole lines of a file: those that begin at one of its bytes from ``first`` to ``last``, the end left out."""

    def __init__(self, whole: Source, first: int, last: int) -> None:
        self.path, self.name, self._stamp, self.compression = whole.path, whole.name, whole._stamp, None
        self.size, self._first, self._last = last - first, first, last

    @property
    def span(self) -> tuple[int, int]:
        """See ``Source``."""
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
        """See ``Source``."""
        lines, left = 0, self.span[0]
        with self.readable(), open_bytes(self.path) as file:
            while left and (part := file.read(min(left, SOME_BYTES))):
                lines += part.count(b"\n")
                left -= len(part)
        return lines


class FileBytes:
    """The decompressed bytes of a file; ``done`` says how far the file on disk was read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        first, self._end = source.span
        with source.readable():
            self._file = open_bytes(source.path)
            if first:
                self._file.seek(first)
        self._read: Callable[[int], bytes] = self._read_on
        if source.compression:
            import pyarrow as pa  # here, since few files are compressed

            self._unpacked: Any = pa.CompressedInputStream(pa.PythonFile(self._file, "r"), source.compression)
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
            except OSError as error:
                what = f"the {self._source.compression} data are damaged or cut off" if self._source.compression else ""
                raise DataError(f"{self._source.name}: {what or 'cannot be read'}: {error}.") from None
            if not part:
                break
            parts.append(part)
            wanted -= len(part)
        return b"".join(parts) if len(parts) != 1 else parts[0]

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


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


def spool(path: str) -> Scrap:
    """Standard input or a pipe as a temporary file, so that it can be read several times; to be removed after that."""
    scrap = Scrap(Path(tempfile.gettempdir()), "novikoff-", mode=0o600)
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
