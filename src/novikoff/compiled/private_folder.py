"""Files in a folder that nobody else can write to: what is read from it may be trusted as far as its owner is.

The folder is opened once for each file, looked at, and the file is reached by way of what was opened, so that nobody can
put another folder in its place meanwhile.  (On Windows, where folders have no such modes, the user's own folder is
taken to be private, as it is there.)
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HAS_MODES = hasattr(os, "geteuid") and os.open in os.supports_dir_fd
BINARY = getattr(os, "O_BINARY", 0)
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class PrivateFolder:
    """A folder by its path, which must be absolute: a relative one is whatever the working folder makes of it."""

    def __init__(self, path: Path) -> None:
        if not path.is_absolute():
            raise OSError("not an absolute path")
        self._path = path

    def read(self, name: str) -> bytes:
        """The content of a file that only the user can have written."""
        with self._opened() as folder, open(self._at(folder, name, os.O_RDONLY), "rb") as file:
            _refuse_foreign(os.fstat(file.fileno()))
            return file.read()

    def write(self, name: str, content: bytes) -> None:
        """Write a file as a whole or not at all; the folder is made if there is none."""
        self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
        scrap = f"{name}.{secrets.token_hex(8)}"
        with self._opened() as folder:
            try:
                with open(self._at(folder, scrap, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
                    file.write(content)
                if folder is None:
                    os.replace(self._path / scrap, self._path / name)
                else:
                    os.replace(scrap, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(scrap, dir_fd=folder) if folder is not None else os.unlink(self._path / scrap)
                raise

    @contextmanager
    def _opened(self) -> Iterator[int | None]:
        if not HAS_MODES:
            yield None
            return
        folder = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _refuse_foreign(os.fstat(folder))
            yield folder
        finally:
            os.close(folder)

    def _at(self, folder: int | None, name: str, flags: int) -> int:
        """A file of the folder, opened."""
        if folder is None:
            return os.open(self._path / name, flags | BINARY, 0o600)
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)


def _refuse_foreign(found: os.stat_result) -> None:
    """Refuse what somebody else could have written."""
    if HAS_MODES and found.st_uid != os.geteuid():
        raise OSError("it belongs to another user")
    if HAS_MODES and found.st_mode & OTHERS_WRITE:
        raise OSError("other users may write to it: take that right away with chmod go-w")
