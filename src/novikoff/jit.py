"""How plain Python functions become machine code, and where that code is kept.

Every kernel of this package is an ordinary Python function.  Three decorators turn it into machine code:

``helper``   a function that kernels call;
``kernel``   a function that Python calls: compiled once for each combination of argument types and kept on disk;
``by_type``  a function whose body is chosen by the type of its first argument (a rule, a row format), at compile time.

With ``NUMBA_DISABLE_JIT=1`` all three leave plain Python behind, so that the same source can be stepped through.

Numba's own disk cache does not notice when another file that a kernel inlines changes, lets two processes that fill it at
the same time swap each other's code, and fails where no folder is writable.  ``KernelCache`` therefore keeps one
checksummed file for each compiled kernel, named by everything it was made from.  Such a file is code that will run, so it
is read only from a folder that nobody else can write to.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import pickle
import platform
import re
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba import types
from numba.core import caching, config
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.cpython.unsafe import numbers
from numba.extending import overload
from numba.misc.appdirs import AppDirs

from .private import NotPrivate, PrivateFolder

log = logging.getLogger(__name__)

JIT_OFF = bool(config.DISABLE_JIT)  # type: ignore[attr-defined]

# Sums may be reordered (that is what lets a dot product use vector units) and multiply-add may be fused.  Nothing is
# assumed about NaN or infinity: they must stay visible.  Divisions do not ask whether they are by zero, which would keep them
# from vector units, too: kernels see to that where it can happen.
FASTMATH = frozenset({"reassoc", "contract", "nsz"})
OPTIONS: Any = {"nogil": True, "fastmath": set(FASTMATH), "error_model": "numpy"}
SETTINGS = (
    "BOUNDSCHECK",
    "OPT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "USING_SVML",
    "DEBUGINFO_DEFAULT",
    "DEBUG_NRT",
)  # of
# Numba's own (``NUMBA_...``): those that change the code it makes


def helper(function: Callable) -> Callable:
    """Compile a function that only kernels call."""
    return numba.njit(**OPTIONS, inline="always")(function)


def kernel(function: Callable) -> Callable:
    """Compile a function that Python calls, and keep the machine code on disk."""
    compiled = numba.njit(**OPTIONS)(function)
    if not JIT_OFF:
        compiled._cache = KernelCache(function)
    return compiled


def by_type(generic: Callable) -> Any:
    """Make ``generic`` choose its body by the type of its first argument.

    ``@generic.of(SomeNamedTuple)`` registers a body, ``@generic.otherwise`` one for all types that have none of their
    own.  All bodies have the parameters of ``generic``.
    """
    bodies: dict[type | None, Callable] = {}

    def body_for(kind: type) -> Callable:
        if kind not in bodies:
            if None in bodies:
                return bodies[None]
            name = generic.__name__
            raise TypeError(f"{kind.__name__} has no {name}: register one with @{name}.of({kind.__name__}).")
        return bodies[kind]

    @functools.wraps(generic)
    def chosen(first: Any, *rest: Any) -> Any:
        return body_for(type(first))(first, *rest)

    def of(*kinds: type) -> Callable:
        def register(body: Callable) -> Callable:
            for kind in kinds:
                _make_name_unique(kind)
                bodies[kind] = body
            return body

        return register

    def otherwise(body: Callable) -> Callable:
        bodies[None] = body
        return body

    chosen.of, chosen.otherwise = of, otherwise  # type: ignore[attr-defined]
    if not JIT_OFF:

        @overload(chosen, strict=False, jit_options=OPTIONS, inline="always")
        def choose(first, *rest):
            return body_for(first.instance_class)

    return chosen


def trailing_zeros(bits: Any) -> int:
    """How many bits of a 64-bit number are zero below its lowest one; 64: all.  Kernels can call it."""
    bits = int(bits)
    return (bits & -bits).bit_length() - 1 if bits else 64


@overload(trailing_zeros, strict=False, jit_options=OPTIONS, inline="always")
def _trailing_zeros(bits):
    return lambda bits: numbers.trailing_zeros(bits)


def _make_name_unique(kind: type) -> None:
    """Rename a type that has another type's name (a notebook cell run twice, say): Numba tells their kernels apart by
    name alone."""
    namesakes = _named.setdefault(kind.__name__, [])
    if kind not in namesakes:
        namesakes.append(kind)
    if namesakes[0] is not kind:
        kind.__name__ += f"_{len(namesakes)}"
        _named[kind.__name__] = [kind]


_named: dict[str, list[type]] = {}


class KernelCache(caching._Cache):
    """One file for each compiled kernel, named by a hash of its sources, argument types, settings, versions and processor.

    Its sources are the module that holds it, those of the rules among its arguments, and all that these import: a change
    elsewhere in the package compiles nothing anew.

    A kernel that has a rule from outside the package inside it is compiled anew in every process: nothing tells all that
    such a rule depends on.

    Reading checks a checksum of the file's name and content, writing goes through a rename, and any failure only means
    compiling again: a read-only home, a full disk, a torn or renamed file or ten processes at once cannot break a fit.
    """

    def __init__(self, function: Callable) -> None:
        self._function = function
        self._impl = caching.CompileResultCacheImpl.__new__(caching.CompileResultCacheImpl)

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
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
        except Exception as error:
            _tell("read, but compiled again", error)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            if _all_ours(sig) and self._impl.check_cachable(data):
                payload, name = dumps(self._impl.reduce(data)), self._name(sig, data.codegen)
                PrivateFolder(cache_folder()).write(name, _digest(name, payload) + payload)
        except Exception as error:
            _tell("kept", error)

    def _name(self, sig: Any, codegen: Any) -> str:
        sources = _SOURCES.behind({self._function.__module__, *_homes(sig)})
        settings = [(name, getattr(config, name, None)) for name in SETTINGS]
        made_from = (self._function.__qualname__, str(sig), codegen.magic_tuple(), settings, _VERSIONS, sources)
        return f"{self._function.__name__}-{hashlib.sha256(repr(made_from).encode()).hexdigest()[:32]}.bin"

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...


DIGEST = hashlib.sha256().digest_size


def _digest(name: str, payload: bytes) -> bytes:
    """Of a kernel and the name it is kept under."""
    return hashlib.sha256(name.encode() + b"\0" + payload).digest()


def _tell(what: str, error: Exception) -> None:
    """A kernel that is not read or not kept costs time only; a folder that is not private is worth knowing of."""
    _log_once(
        logging.WARNING if isinstance(error, NotPrivate) else logging.INFO, f"Compiled kernels are not {what}: {error}"
    )


@functools.cache
def _log_once(level: int, text: str) -> None:
    log.log(level, text)


def cache_folder() -> Path:
    """The folder of compiled kernels: below ``NUMBA_CACHE_DIR`` if that is set, else the user's cache folder.

    Without a home the latter is no absolute path, and nothing is kept.
    """
    base = config.CACHE_DIR  # type: ignore[attr-defined]
    return Path(base) / "novikoff" if base else Path(AppDirs(appname="novikoff", appauthor=False).user_cache_dir)


def _homes(argument_types: Any) -> set[str]:
    """The modules of the rules (and other named tuples) among the arguments, and inside them."""
    homes = set()
    for argument in argument_types:
        if isinstance(argument, types.BaseNamedTuple):
            homes |= {argument.instance_class.__module__, *_homes(argument.types)}  # type: ignore[attr-defined]
    return homes


def _all_ours(sig: Any) -> bool:
    """Whether every rule among the arguments, and inside them, is the package's own."""
    return all(home.split(".")[0] == _PACKAGE for home in _homes(sig))


class _Sources:
    """The texts of the package's modules.

    They are read when this module is imported, so that a file edited afterwards cannot lend its text to the older code in
    memory.
    """

    IMPORT = re.compile(r"^ *from (\.+)([\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)

    def __init__(self) -> None:
        root = Path(__file__).parent
        self._texts = {(_PACKAGE, *path.relative_to(root).parts): path.read_bytes() for path in root.rglob("*.py")}

    def behind(self, modules: set[str]) -> str:
        """A hash of these modules and of all that they import from the package, directly or not: what a kernel inlines."""
        found: set[tuple[str, ...]] = set()
        left = {path for module in modules for path in self._paths(module)}
        while left := left - found:
            found |= left
            left = {path for source in left for module in self._imports(source) for path in self._paths(module)}
        made = hashlib.sha256()
        for path in sorted(found):
            made.update(hashlib.sha256(self._texts[path]).digest())
        return made.hexdigest()

    def _paths(self, module: str) -> Iterator[tuple[str, ...]]:
        *folders, name = module.split(".")
        for path in ((*folders, f"{name}.py"), (*folders, name, "__init__.py")):
            if path in self._texts:
                yield path

    def _imports(self, path: tuple[str, ...]) -> Iterator[str]:
        for dots, module, names in self.IMPORT.findall(self._texts[path].decode()):
            home = ".".join((*path[: len(path) - len(dots)], *filter(None, [module])))
            yield home
            yield from (f"{home}.{name}" for name in re.findall(r"\w+", names))


_VERSIONS = (numba.__version__, llvmlite.__version__, platform.python_version(), sysconfig.get_config_var("SOABI"))
_PACKAGE = __name__.split(".")[0]
_SOURCES = _Sources()
