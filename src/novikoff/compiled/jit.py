"""How plain Python functions become machine code.

Every kernel of this package is an ordinary Python function.  Four decorators turn it into machine code:

``helper``   a function that kernels call;
``kernel``   a function that Python calls: compiled once for each combination of argument types and kept on disk;
``in_place`` a kernel that makes no arrays, only writes into those it is given;
``by_type``  a function whose body is chosen by the type of its first argument (a rule, a row format), at compile time.

Numba is imported when the first kernel is called, by way of ``machine_code``: that takes as long as importing all of
scikit-learn that an estimator needs.  With ``NUMBA_DISABLE_JIT=1`` all of them leave plain Python behind, so that the same
source can be stepped through.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, ClassVar

from .kernel_sources import remember

Function = Callable[..., Any]

JIT_OFF = os.environ.get("NUMBA_DISABLE_JIT", "") not in ("", "0")


def kernel(function: Function) -> Function:
    """Compile a function that Python calls, and keep the machine code on disk."""
    remember(function)
    return function if JIT_OFF else Kernel(function)


def in_place(function: Function) -> Function:
    """Compile a kernel that makes no arrays: then nothing counts who still uses them, which takes longer than a short row."""
    remember(function)
    return function if JIT_OFF else InPlace(function)


def helper(function: Function) -> Function:
    """Compile a function that only kernels call, as a part of them."""
    remember(function)
    return function if JIT_OFF else Helper(function)


class Compiled:
    """A function that Numba compiles when a kernel is first called."""

    targetoptions: ClassVar[dict[str, str]] = {}  # Numba's name for its options
    kept: ClassVar[bool]  # whether its machine code is kept on disk
    makes_arrays = True

    def __init__(self, function: Function) -> None:
        functools.update_wrapper(self, function)  # type: ignore[arg-type]
        self.py_func = function  # Numba's name for the plain function
        self._compiled: Any = None

    @property
    def compiled(self) -> Any:
        """The function as Numba has it."""
        with LOCK:
            if self._compiled is None:
                from .machine_code import compiled  # imports Numba

                _tell_numba()
                self._compiled = compiled(self)
            return self._compiled


class Kernel(Compiled):
    """Compiled for each combination of argument types, when it is first called with them."""

    kept = True

    def __call__(self, *arguments: Any) -> Any:
        return (self._compiled or self.compiled)(*arguments)

    @property
    def signatures(self) -> list[Any]:
        """The argument types that it has machine code for."""
        return list(self.compiled.signatures)


class InPlace(Kernel):
    """A kernel that makes no arrays."""

    makes_arrays = False


class Helper(Compiled):
    """Put in place of its calls in kernels; Python calls it as it stands."""

    targetoptions: ClassVar[dict[str, str]] = {"inline": "always"}
    kept = False

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)


class ByType:
    """A function whose body is chosen by the type of its first argument."""

    __name__: str

    def __init__(self, generic: Function) -> None:
        functools.update_wrapper(self, generic)
        self._bodies: dict[type | None, Function] = {}

    def __call__(self, first: Any, *rest: Any) -> Any:
        return self.body_for(type(first))(first, *rest)

    def of(self, *kinds: type) -> Callable[[Function], Function]:
        """Register a body for these types."""

        def register(body: Function) -> Function:
            remember(body, *kinds)
            for kind in kinds:
                _make_name_unique(kind)
                self._bodies[kind] = body
            return body

        return register

    def otherwise(self, body: Function) -> Function:
        """Register a body for all types that have none of their own."""
        remember(body)
        self._bodies[None] = body
        return body

    def body_for(self, kind: type) -> Function:
        """The body of a type."""
        body = self._bodies.get(kind) or self._bodies.get(None)
        if body is None:
            name = self.__name__
            raise TypeError(f"{kind.__name__} has no {name}: register one with @{name}.of({kind.__name__}).")
        return body


def by_type(generic: Function) -> Any:
    """Make ``generic`` choose its body by the type of its first argument.

    ``@generic.of(SomeNamedTuple)`` registers a body, ``@generic.otherwise`` one for all types that have none of their
    own.  All bodies have the parameters of ``generic``.
    """
    chosen = ByType(generic)
    remember(generic)
    with LOCK:
        _untold.append(chosen)
        if f"{__package__}.machine_code" in sys.modules:
            _tell_numba()
    return chosen


def _tell_numba() -> None:
    """Tell Numba of the functions that are compiled, once, and of those chosen by type that are new."""
    from .machine_code import compile_choice, have_called  # imports Numba

    if not _told:
        _told.append(Compiled)
        have_called(Compiled)
    while _untold:
        compile_choice(_untold.pop())


LOCK = threading.RLock()  # two threads may call their first kernels at the same time
_told: list[type] = []  # kinds of functions that Numba knows of
_untold: list[ByType] = []  # functions chosen by type that Numba does not know of


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
