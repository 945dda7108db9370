"""Files: named by a pattern or an address, written whole or not at all, and temporary ones that a killed process leaves to the next.

A process that writes a temporary file holds a lock on it, which the system releases when the process ends.  So a file of such a name
that can be locked has no owner, and is removed.  Where there are no such locks (Windows), a file in use cannot be removed.
"""

from __future__ import annotations

import errno
import glob
import os
import re
import secrets
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..report.words import installing

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

SOME = 1 << 14  # bytes that there must be room for, since a disk that is full still takes empty files
FULL = {getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG") if hasattr(errno, name)}
LETTERS = 16  # hexadecimal digits that end the name of a temporary file


INSIDE = "::"  # between the name of a file and that of a part of it: a sheet, a table, a query


def apart(path: str) -> tuple[str, str | None]:
    """A file's name, and the name of a part of it, as in ``book.xlsx::Sheet2``; None where there is none."""
    file, sign, part = path.partition(INSIDE)
    return (file, part) if sign and part and not os.path.exists(path) and os.path.isfile(file) else (path, None)


def is_address(path: str | os.PathLike[str]) -> bool:
    """Whether a path is an address of a file system other than the machine's own."""
    return isinstance(path, str) and "://" in path


def file_system(address: str) -> tuple[Any, str]:
    """The file system of an address, and its own name of the file."""
    scheme = address.partition("://")[0]
    try:
        import fsspec
    except ImportError:
        raise ImportError(f"{address}: addresses need fsspec: {installing('dask')}") from None
    try:
        system, path = fsspec.core.url_to_fs(address)
    except ImportError as error:
        raise ImportError(
            f"{address}: the package that reads {scheme}:// is missing; pip install it: {error}"
        ) from None
    except ValueError as error:
        raise ValueError(f"{address}: {scheme}:// is no file system that fsspec knows ({error}).") from None
    return system, path


def open_bytes(path: str) -> Any:
    """A file's bytes, to be read from any place on."""
    if not is_address(path):
        return open(path, "rb")
    system, own = file_system(path)
    return system.open(own, "rb")


def open_to_write(address: str) -> Any:
    """A new file at an address."""
    system, own = file_system(address)
    system.makedirs(own.rpartition("/")[0], exist_ok=True)
    return system.open(own, "wb")


def size_and_stamp(path: str) -> tuple[int, Any]:
    """How many bytes a file has, and what changes when it does."""
    if not is_address(path):
        found = os.stat(path)
        return found.st_size, found.st_mtime_ns
    system, own = file_system(path)
    known = system.info(own)
    names = ("ETag", "etag", "mtime", "LastModified", "last_modified", "created", "updated")
    return int(known["size"]), str([known.get(name) for name in names])


def addresses_like(pattern: str) -> list[str]:
    """The addresses that fit a pattern, sorted."""
    system, own = file_system(pattern)
    return sorted(str(system.unstrip_protocol(each)) for each in system.glob(own))


def files_named(path: str | os.PathLike[str]) -> list[str]:
    """The files that a path names: itself or, of a pattern (with * ? or [...]) that is no file's name, all that fit it."""
    name = os.fspath(path)
    if is_address(name):
        found = addresses_like(name) if any(sign in name for sign in "*?[") else [name]
    elif os.path.exists(name) or apart(name)[1] or not any(sign in name for sign in "*?["):
        return [name]
    else:
        found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise ValueError(f"{name}: no file has such a name.")
    return found


def all_files_named(paths: Iterable[str | os.PathLike[str]]) -> list[str]:
    """The files that several paths name."""
    return [name for path in paths for name in files_named(path)]


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Raise ``OSError``, saying why, if no file can be written there.  To be asked before anything long is begun."""
    path = Path(path)
    folder = path.parent
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it")
    if path.exists() and not path.is_file():  # or a device, a pipe, would be replaced by a file
        raise OSError(f"{path} is a device or a pipe; name a file")
    if not folder.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {folder}; make it first")
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(SOME))
            file.flush()
    except OSError as error:
        remedy = "choose a folder with room" if error.errno in FULL else "choose a folder you may write to"
        raise type(error)(f"{path} cannot be written: {error.strerror or error}; {remedy}") from None
    return path


def keep_apart(path: str | os.PathLike[str] | None, others: Iterable[str | os.PathLike[str] | None]) -> None:
    """Raise ``ValueError`` if what is written to ``path`` would replace, or be, one of the other files."""
    for other in others:
        if path is None or other is None:
            continue
        if os.path.realpath(path) == os.path.realpath(apart(os.fspath(other))[0]):
            raise ValueError(f"{path} would be written over {other}, which is in use: name another file.")


def check_outputs(
    outputs: Iterable[str | os.PathLike[str] | None], read: Iterable[str | os.PathLike[str] | None]
) -> None:
    """Raise an error if one of the outputs cannot be written, or would replace a file that is read, or another output."""
    named, read = [path for path in outputs if path is not None], list(read)
    for place, path in enumerate(named):
        keep_apart(path, [*read, *named[place + 1 :]])
    for path in named:
        check_writable(path)


def atomic_write(
    path: str | os.PathLike[str], chunks: Iterable[bytes | memoryview], check: Callable[[Path], object] | None = None
) -> None:
    """Write a file so that at every moment, after a crash too, there is the old one or the new one and nothing between.

    ``check`` is given what was written, under another name, and raises an error if that must not take the file's place.
    """
    path = Path(os.path.realpath(check_writable(path)))  # a link stays a link
    temporary = TemporaryFile(path.parent, f".{path.name[:100]}.")
    try:
        with os.fdopen(temporary.handle, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        if check is not None:
            check(temporary.path)
        if path.exists():
            os.chmod(temporary.path, path.stat().st_mode & 0o777)
        os.replace(temporary.path, path)
    except BaseException as error:
        temporary.remove()
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary.path)):
            error.filename = str(path)
        raise
    temporary.release()
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last; where folders cannot be opened (Windows), names are left to the system."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class TemporaryFile:
    """A new file in the folder, whose name is ``start`` and some letters; ``handle`` is open for writing.

    Older ones that no process holds any more are removed.
    """

    def __init__(self, folder: Path, start: str, mode: int = 0o666) -> None:
        remove_abandoned(folder, start)
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0)
        while True:
            self.path = folder / f"{start}{secrets.token_hex(LETTERS // 2)}"
            self.handle = os.open(self.path, flags, mode)
            self._lock: int | None = None if fcntl is None else os.dup(self.handle)  # open until ``release``
            if self._lock is None or not _locked(self._lock) or self.path.exists():
                return
            self.release()  # another process removed it before it was locked
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


def remove_abandoned(folder: Path, start: str) -> None:
    """Remove temporary files of this name that no process holds."""
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
