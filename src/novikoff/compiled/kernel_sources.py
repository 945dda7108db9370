"""What a compiled kernel is made from: the modules that hold compiled functions, as far as the kernel reaches them.

Numba turns the functions that a kernel calls, and every constant that they name, into its machine code.  So the sources of
a kernel are the texts of the modules of those functions, and the values of those constants, wherever they come from.  A
module that holds no such function (an estimator, a message) is no source of any kernel.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

CONSTANTS = (bool, int, float, complex, str, bytes, np.generic)

_texts: dict[str, bytes] = {}  # of every module that holds compiled functions
_functions: dict[str, list[Callable[..., Any]]] = defaultdict(list)  # those that each of them holds
_bodies: dict[type, set[str]] = defaultdict(set)  # the modules of the functions that are chosen for a type


class NotOnDisk(Exception):
    """There is no machine code for these argument types yet."""

    def __init__(self, types: Any) -> None:
        super().__init__(types)
        self.types = types


def remember(function: Callable[..., Any], *kinds: type) -> None:
    """Note a function that is to be compiled, and the types for which it is chosen.

    Its module is read at once, so that a file edited afterwards cannot lend its text to the older code in memory.
    """
    home = function.__module__
    if home not in _texts:
        try:
            _texts[home] = Path(function.__code__.co_filename).read_bytes()
        except OSError:  # as of a function that was typed in
            _texts[home] = b""
    _functions[home].append(function)
    for kind in kinds:
        _bodies[kind].add(home)


def sources(function: Callable[..., Any], kinds: Iterable[type]) -> str:
    """A hash of all that a kernel is made from, given the types of its arguments that choose bodies."""
    parts: set[str] = set()
    found: set[str] = set()
    left = {function.__module__}
    for kind in kinds:
        _add(kind, parts, left)
    while left := left - found:
        module = left.pop()
        found.add(module)
        if not _texts[module]:
            raise OSError(f"the text of the module {module} is not known")
        parts.add(f"{module} {hashlib.sha256(_texts[module]).hexdigest()}")
        for each in _functions[module]:
            for name in _names(each.__code__):
                if name in each.__globals__:
                    _add(each.__globals__[name], parts, left, name)
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()


def _add(value: Any, parts: set[str], modules: set[str], name: str = "") -> None:
    """Add what a compiled function names: a constant, a type, or a function of a module that is a source, too."""
    if isinstance(value, np.ndarray):
        parts.add(f"{name} {value.dtype} {value.shape} {value.tobytes().hex()}")
    elif isinstance(value, CONSTANTS) or (isinstance(value, tuple) and all(isinstance(x, CONSTANTS) for x in value)):
        parts.add(f"{name} {value!r}")
    elif isinstance(value, type):
        parts.add(f"{value.__module__} {value.__qualname__} {getattr(value, '_fields', ())}")
        modules |= _bodies.get(value, set())
    elif getattr(value, "__module__", None) in _texts:
        modules.add(value.__module__)


def _names(code: CodeType) -> Iterator[str]:
    """All that a function names, and functions within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
