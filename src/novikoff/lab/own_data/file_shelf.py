"""The files that the page may ask about: those that it was given, in a private folder, and those of the command line.

The page names a file by the hash of its content.  What it calls the file is only ever shown: no text of the page becomes a path.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import AsyncIterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...report.words import clean
from ...rows.readers.formats import FORMATS

LARGEST_FILE = 50_000_000  # bytes of a file that the page is given
MOST_FILES = 4  # that are kept of those; the oldest goes first
MOST_LETTERS = 200  # of a file's name
COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ")  # how gzip, zstd, bzip2 and xz begin
LONGEST_START = max(map(len, COMPRESSED))
ENDINGS = {f".{ending}" for each in FORMATS.values() for ending in each.endings}


class TooLarge(ValueError):
    """A file that the page does not take."""


class KeptFile(NamedTuple):
    """A file that can be asked about."""

    path: Path
    name: str  # as it is shown
    size: int  # bytes

    def described(self, key: str) -> dict[str, Any]:
        """What the page is told of it."""
        return {"id": key, "name": self.name, "bytes": self.size}


class Shelf:
    """Files by the hashes of their contents."""

    def __init__(self, named: Sequence[str | os.PathLike[str]] = ()) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._given: dict[str, KeptFile] = {}
        self._hashes: dict[Path, str] = {}
        self._paths = [Path(each) for each in named]
        self.problems: list[str] = []  # with files of the command line, when they were last looked for
        for path in self._paths:
            if not path.is_file():
                raise FileNotFoundError(f"{path}: there is no such file.")

    def all_files(self) -> dict[str, KeptFile]:
        """Every file that can be read; those of the command line are read once, for their hashes."""
        named: dict[str, KeptFile] = {}
        self.problems = []
        for path in self._paths:
            shown = clean(path)[:MOST_LETTERS]
            try:
                size = path.stat().st_size
                if path not in self._hashes:
                    self._hashes[path] = _hash_of(path)
            except OSError as error:
                self.problems.append(f"{shown} cannot be read ({error.strerror}): put it back, or choose another file.")
            else:
                named[self._hashes[path]] = KeptFile(path, shown, size)
        return {**named, **self._given}

    def find(self, key: Any) -> KeptFile:
        """The file with this hash."""
        found = self.all_files().get(key) if isinstance(key, str) else None
        if found is None:
            raise ValueError("This file is not here any more: choose it once more.")
        return found

    async def take(self, name: str, chunks: AsyncIterable[bytes]) -> dict[str, Any]:
        """Keep a file that the page sends; what is described of it is known to ``find``."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="novikoff-lab-")  # which nobody else may open
        handle, place = tempfile.mkstemp(dir=self._folder.name, suffix=_ending(name))
        path, total, size, start = Path(place), hashlib.sha256(), 0, b""
        try:
            with os.fdopen(handle, "wb") as file:
                async for chunk in chunks:
                    start = (start + chunk)[:LONGEST_START]
                    if start.startswith(COMPRESSED):
                        raise ValueError(f"Unpack this file first, or name it to the lab: {COMMAND}")
                    size += len(chunk)
                    if size > LARGEST_FILE:
                        raise TooLarge(
                            f"The page takes files of up to {LARGEST_FILE // 10**6} MB. Name larger ones to the lab: {COMMAND}"
                        )
                    total.update(chunk)
                    file.write(chunk)
            if not size:
                raise ValueError("This file is empty.")
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return self._keep(total.hexdigest(), KeptFile(path, clean(name)[:MOST_LETTERS] or "data", size))

    def _keep(self, key: str, file: KeptFile) -> dict[str, Any]:
        known = self._given.get(key)
        if known is not None and known.path.suffix == file.path.suffix:  # work on it may be under way
            file.path.unlink()
            self._given[key] = file = self._given.pop(key)._replace(name=file.name)
            return file.described(key)
        for old in [key, *list(self._given)[: max(0, len(self._given) - MOST_FILES + 1)]]:
            if gone := self._given.pop(old, None):
                gone.path.unlink(missing_ok=True)
        self._given[key] = file
        return file.described(key)

    def close(self) -> None:
        """Remove what the page has sent."""
        self._given.clear()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


COMMAND = "novikoff lab --data FILE"


def _ending(name: str) -> str:
    """The end of a name, if it is that of a known format; else nothing, and the content decides."""
    ending = "." + name.lower().rpartition(".")[2]
    return ending if ending in ENDINGS else ""


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
