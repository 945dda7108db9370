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

from ...inputs.scraps import Scrap
from ..store.blocks import DataError

MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
SUFFIXES = {".gz": "gzip", ".zst": "zstd"}
STDIN = "standard input"


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

    def _look(self) -> tuple[int, int]:
        try:
            found = os.stat(self.path)
        except OSError as error:
            raise DataError(f"{self.name}: cannot be read: {error.strerror}.") from None
        if os.path.isdir(self.path):
            raise DataError(f"{self.name}: is a folder; name the files in it.")
        return found.st_size, found.st_mtime_ns

    def _head(self, size: int) -> bytes:
        try:
            with open(self.path, "rb") as file:
                return file.read(size)
        except OSError as error:
            raise DataError(f"{self.name}: cannot be read: {error.strerror}.") from None

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


class FileBytes:
    """The decompressed bytes of a file; ``done`` says how far the file on disk was read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        try:
            self._file = open(source.path, "rb")  # noqa: SIM115
        except OSError as error:
            raise DataError(f"{source.name}: cannot be read: {error.strerror}.") from None
        self._read: Callable[[int], bytes] = self._file.read
        if source.compression:
            import pyarrow as pa  # here, since few files are compressed

            self._unpacked: Any = pa.CompressedInputStream(pa.PythonFile(self._file, "r"), source.compression)
            self._read = self._unpacked.read

    @property
    def done(self) -> int:
        return self._file.tell()

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
