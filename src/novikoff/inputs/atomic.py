"""Files that are either written as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from .scraps import Scrap

SOME = 1 << 14  # bytes that there must be room for, since a disk that is full still takes empty files
FULL = {getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG") if hasattr(errno, name)}


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
        if path is not None and other is not None and os.path.realpath(path) == os.path.realpath(other):
            raise ValueError(f"{path} would be written over {other}, which is in use: name another file.")


def atomic_write(
    path: str | os.PathLike[str], chunks: Iterable[bytes | memoryview], check: Callable[[Path], object] | None = None
) -> None:
    """Write a file so that at every moment, after a crash too, there is the old one or the new one and nothing between.

    ``check`` is given what was written, under another name, and raises an error if that must not take the file's place.
    """
    path = Path(os.path.realpath(check_writable(path)))  # a link stays a link
    scrap = Scrap(path.parent, f".{path.name[:100]}.")
    try:
        with os.fdopen(scrap.handle, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        if check is not None:
            check(scrap.path)
        if path.exists():
            os.chmod(scrap.path, path.stat().st_mode & 0o777)
        os.replace(scrap.path, path)
    except BaseException as error:
        scrap.remove()
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(scrap.path)):
            error.filename = str(path)
        raise
    scrap.release()
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last; where folders cannot be opened (Windows), names are left to the system."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
