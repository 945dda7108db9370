"""Where compiled kernels are kept.

Numba's own disk cache does not notice when another file that a kernel inlines changes, lets two processes that fill it at
the same time swap each other's code, and fails where no folder is writable.  ``KernelCache`` therefore keeps one
checksummed file for each compiled kernel, named by everything it was made from.  Such a file is code that will run, so it
is read only from a folder that nobody else can write to.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import platform
import secrets
import stat
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numba
from numba import types

from .kernel_sources import NotOnDisk, sources
from .numba_parts import AppDirs, CompileResultCacheImpl, _Cache, config, dumps, llvmlite_version, rtsys

HAS_MODES = hasattr(os, "geteuid") and os.open in os.supports_dir_fd
BINARY = getattr(os, "O_BINARY", 0)
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class PrivateFolder:
    """A folder that nobody else can write to: what is read from it may be trusted as far as its owner is.  Its path must be absolute:
    a relative one is whatever the working folder makes of it.

    The folder is opened once for each file, looked at, and the file is reached by way of what was opened, so that nobody can
    put another folder in its place meanwhile.  (On Windows, where folders have no such modes, the user's own folder is
    taken to be private, as it is there.)
    """

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


log = logging.getLogger(__name__)

PACKAGE = __name__.split(".")[0]
BODIES = [  # of instructions, which no kernel's source has
    hashlib.sha256(Path(__file__).with_name(name).read_bytes()).hexdigest()
    for name in ("arithmetic.py", "machine_code.py")
]
DIGEST = hashlib.sha256().digest_size
VERSIONS = (numba.__version__, llvmlite_version, platform.python_version(), sysconfig.get_config_var("SOABI"))
SETTINGS = (  # of Numba's own (``NUMBA_...``): those that change the code it makes
    "BOUNDSCHECK",
    "OPT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "USING_SVML",
    "DEBUGINFO_DEFAULT",
    "DEBUG_NRT",
)


class KernelCache(_Cache):
    """One file for each compiled kernel, named by a hash of its sources, argument types, settings, versions and processor.

    A kernel that has a rule from outside the package inside it is compiled again in every process: nothing tells all that
    such a rule depends on.

    Reading checks a checksum of the file's name and content, writing goes through a rename, and any failure only means
    compiling again: a read-only home, a full disk, a torn or renamed file or ten processes at once cannot break a fit.  Where
    nothing can be kept, the log says so once, as a warning, which Python prints unless a program sets up its logging.
    """

    def __init__(self, function: Callable[..., Any], waits: bool = False) -> None:
        self._function = function
        self._waits, self._missing = waits, set()  # type: tuple[bool, set[Any]]
        self.wanted: set[Any] = (
            set()
        )  # argument types to compile for; of others a kernel that ``waits`` raises ``NotOnDisk``
        self._impl = CompileResultCacheImpl.__new__(CompileResultCacheImpl)

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = None if sig in self._missing else self._read(sig, target_context)
        if found is None and self._waits and sig not in self.wanted:
            self._missing.add(sig)
            raise NotOnDisk(sig)
        return found

    def _read(self, sig: Any, target_context: Any) -> Any:
        if not _all_ours(sig):
            return None
        rtsys.initialize(target_context)  # all that running takes; compiling calls ``refresh``, which takes long
        try:
            name = self._name(sig, target_context.codegen())
            stored = PrivateFolder(cache_folder()).read(name)
            if stored[:DIGEST] == _digest(name, stored[DIGEST:]):
                return self._impl.rebuild(target_context, pickle.loads(stored[DIGEST:]))
        except FileNotFoundError:
            pass
        except Exception as error:  # compiled again; if that cannot be kept, ``save_overload`` says so
            log.info("A compiled kernel is not read: %s", error)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            if _all_ours(sig) and self._impl.check_cachable(data):
                payload, name = dumps(self._impl.reduce(data)), self._name(sig, data.codegen)
                PrivateFolder(cache_folder()).write(name, _digest(name, payload) + payload)
        except OSError as error:
            warn_once(error)
        except Exception as error:
            log.info("A compiled kernel is not kept: %s", error)

    def _name(self, sig: Any, codegen: Any) -> str:
        settings = [(name, getattr(config, name, None)) for name in SETTINGS]
        made_from = (
            self._function.__qualname__,
            str(sig),
            codegen.magic_tuple(),
            settings,
            VERSIONS,
            BODIES,
            sources(self._function, _named_tuples(sig)),
        )
        return f"{self._function.__name__}-{hashlib.sha256(repr(made_from).encode()).hexdigest()[:32]}.bin"

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...


def cache_folder() -> Path:
    """The folder of compiled kernels: below ``NUMBA_CACHE_DIR`` if that is set, else the user's cache folder.

    Without a home the latter is no absolute path, and nothing is kept.
    """
    base = config.CACHE_DIR  # type: ignore[attr-defined]
    return Path(base) / "novikoff" if base else Path(AppDirs(appname="novikoff", appauthor=False).user_cache_dir)


def _named_tuples(argument_types: Iterable[Any]) -> Iterator[type]:
    """The rules (and other named tuples) among the arguments, and inside them."""
    for argument in argument_types:
        if isinstance(argument, types.BaseNamedTuple):
            yield argument.instance_class  # type: ignore[attr-defined]
            yield from _named_tuples(argument.types)  # type: ignore[attr-defined]


def _all_ours(sig: Any) -> bool:
    """Whether every rule among the arguments, and inside them, is the package's own."""
    return all(kind.__module__.split(".")[0] == PACKAGE for kind in _named_tuples(sig))


def _digest(name: str, payload: bytes) -> bytes:
    """Of a kernel and the name it is kept under."""
    return hashlib.sha256(name.encode() + b"\0" + payload).digest()


def warn_once(error: OSError) -> None:
    """Say that kernels cannot be kept, of the first that is not: the others have the same reason."""
    if not _warned:
        _warned.append(error)
        log.warning(
            "Compiled code cannot be kept in %s (%s), so every run compiles again, which takes some seconds. Set the environment "
            "variable NUMBA_CACHE_DIR to a folder of your own.",
            cache_folder(),
            error.strerror or error,
        )


_warned: list[OSError] = []
