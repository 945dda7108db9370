"""Temporary files that have names, which a process that is killed leaves behind and the next one removes.

The process that writes such a file holds a lock on it, which the system lets go of with the process.  So a file of such a name
that can be locked is nobody's, and goes.  Where there are no such locks (Windows), a file in use cannot be removed.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LETTERS = 16  # hexadecimal digits that end the name of a scrap


class Scrap:
    """A new file in the folder, whose name is ``start`` and some letters; ``handle`` is open for writing.

    Older ones that nobody holds any more are removed.
    """

    def __init__(self, folder: Path, start: str, mode: int = 0o666) -> None:
        clear_scraps(folder, start)
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0)
        while True:
            self.path = folder / f"{start}{secrets.token_hex(LETTERS // 2)}"
            self.handle = os.open(self.path, flags, mode)
            self._lock: int | None = None if fcntl is None else os.dup(self.handle)  # open until ``release``
            if self._lock is None or not _locked(self._lock) or self.path.exists():
                return
            self.release()  # another process took it for a scrap before it was locked
            os.close(self.handle)

    def release(self) -> None:
        """Give up the lock, once the file has its name for good or is gone."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def remove(self) -> None:
        """Remove the file and give up the lock."""
        with suppress(OSError):
            self.path.unlink()
        self.release()


def clear_scraps(folder: Path, start: str) -> None:
    """Remove scraps of this name that no process holds."""
    name = re.compile(re.escape(start) + rf"[0-9a-f]{{{LETTERS}}}")
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if name.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                _remove_if_free(entry.path)


def _remove_if_free(path: str) -> None:
    with suppress(OSError):  # it is someone else's, or gone
        if fcntl is None:
            os.unlink(path)
            return
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        try:
            if _locked(handle):
                os.unlink(path)
        finally:
            os.close(handle)


def _locked(handle: int) -> bool:
    """Whether the file is locked now, by us; a file system may have no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
