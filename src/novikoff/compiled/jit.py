"""How plain Python functions become machine code.

Every kernel of this package is an ordinary Python function.  Six decorators turn it into machine code:

``helper``   a function that kernels call, put in place of its calls;
``part``     one that they call seldom, or in several places: compiled by itself, which takes less time;
``kernel``   a function that Python calls: compiled once for each combination of argument types and kept on disk;
``in_place`` a kernel that makes no arrays, only writes into those it is given;
``exact``    a kernel that has the same bits compiled or not, and runs before it is compiled;
``by_type``  a function whose body is chosen by the type of its first argument (a rule, a row format), at compile time.

``bound`` makes a call of a kernel with arguments that stay, which takes least time: for single rows.

Numba is imported when the first kernel is called, by way of ``machine_code``: that takes as long as importing all of
scikit-learn that an estimator needs.  With ``NUMBA_DISABLE_JIT=1`` all of them leave plain Python behind, so that the same
source can be stepped through.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np

from .arithmetic import run
from .kernel_sources import NotOnDisk, remember

Function = Callable[..., Any]

JIT_OFF = os.environ.get("NUMBA_DISABLE_JIT", "") not in ("", "0")


def kernel(function: Function) -> Function:
    """Compile a function that Python calls, and keep the machine code on disk."""
    remember(function)
    return function if JIT_OFF else Kernel(function)


def in_place(function: Function) -> Function:
    """Compile a kernel that makes no arrays: then nothing counts who still uses them, which takes longer than a short row."""
    remember(function)
    return function if JIT_OFF else Kernel(function, makes_arrays=False)


def exact(work: Function, makes_arrays: bool = True, enough: float = 1_200_000.0) -> Callable[[Function], Function]:
    """Compile a kernel whose sums have one order, that of ``arithmetic``: the same bits on every processor, compiled or not.

    So it need not wait for the compiler: where its machine code is not on disk, it runs as it stands until that has been
    ``enough`` work, about a third of what compiling takes.  ``work`` says of a call's arguments about how many microseconds plain
    Python takes for them: counted from their sizes, never timed.
    """

    def made(function: Function) -> Function:
        remember(function)
        return function if JIT_OFF else Exact(function, work, enough, makes_arrays)

    return made


def helper(function: Function) -> Function:
    """Compile a function that only kernels call, as a part of them."""
    remember(function)
    return function if JIT_OFF else Helper(function)


def part(function: Function) -> Function:
    """Compile a function that only kernels whose arithmetic is exact call, by itself: it makes no arrays."""
    remember(function)
    return function if JIT_OFF else PartOfKernels(function, makes_arrays=False)


class Compiled:
    """A function that Numba compiles when a kernel is first called."""

    targetoptions: ClassVar[dict[str, Any]] = {}  # Numba's name for its options
    kept: ClassVar[bool]  # whether its machine code is kept on disk
    exact = False  # whether its arithmetic is that of ``arithmetic``, the same on every processor

    def __init__(self, function: Function, makes_arrays: bool = True) -> None:
        functools.update_wrapper(self, function)  # type: ignore[arg-type]
        self.makes_arrays = makes_arrays
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

    def bound(self, *arguments: Any) -> Function:
        """See ``bound``."""
        from .machine_code import ArgumentBlock  # imports Numba

        assert not self.makes_arrays
        given = tuple(argument.block.address if isinstance(argument, Bound) else argument for argument in arguments)
        return Bound(ArgumentBlock(self.compiled, given, arguments, enter_block.compiled))

    @property
    def signatures(self) -> list[Any]:
        """The argument types that it has machine code for."""
        return list(self.compiled.signatures)


def bound(function: Function, *arguments: Any) -> Function:
    """A function that calls a kernel, which makes no arrays, with these arguments: to be called many times while arrays among them change
    their contents.

    Looking at the types of many arrays, and taking them apart, takes longer than a row.  So all that machine code wants to know of
    the arguments is written into a block of memory once, and a call hands on where it is.  An argument may be such a function itself:
    the kernel calls it by ``run``.  Its result is a whole number, or 0.
    """
    if not isinstance(function, Kernel):
        return functools.partial(function, *arguments)
    if any(isinstance(argument, Awaiting) for argument in arguments):
        return Awaiting(function, arguments)
    return function.bound(*arguments)


class Bound(functools.partial[Any]):
    """A call of machine code with the arguments that are written into a block."""

    block: Any

    def __new__(cls, block: Any) -> Bound:
        made = super().__new__(cls, block.enter, block.address)
        made.block = block
        return made


class Exact(Kernel):
    """A kernel that runs before it is compiled.  Only Python calls it: within kernels there are helpers."""

    exact = True

    def __init__(self, function: Function, work: Function, enough: float, makes_arrays: bool) -> None:
        super().__init__(function, makes_arrays)
        self._work, self._enough = work, enough
        self._done: dict[Any, float] = {}  # work of plain Python so far, for each combination of argument types
        self.plainly = True  # whether the last call ran as plain Python

    def __call__(self, *arguments: Any) -> Any:
        made = self._compiled or self.compiled
        self.plainly = False
        try:
            return made(*arguments)
        except NotOnDisk as missing:
            types = missing.types
        done = self._done[types] = self._done.get(types, 0.0) + A_CALL + self._work(*arguments)
        self.plainly = done <= self._enough and not compiles_at_once
        if self.plainly:
            with np.errstate(all="ignore"), interrupted_later():  # machine code does not remark on what is out of range
                return as_compiled(self.py_func(*arguments))
        made._cache.wanted.add(types)
        return made(*arguments)

    def bound(self, *arguments: Any) -> Function:
        """As of any kernel; where there is no machine code yet, calls look for it until there is."""
        try:
            return super().bound(*arguments)
        except NotOnDisk as missing:
            if not compiles_at_once:
                return Awaiting(self, arguments)
            self.compiled._cache.wanted.add(missing.types)
        return super().bound(*arguments)


def as_compiled(found: Any) -> Any:
    """The result of plain Python as machine code gives it: numbers of Python, not of NumPy."""
    if type(found) is tuple:
        return tuple(map(as_compiled, found))
    return found.item() if isinstance(found, np.generic) else found


class Awaiting:
    """A call of a kernel that runs as plain Python so far, or of one that calls such a kernel: it is handed on to machine code as soon as
    there is some, and ``tell`` is called with what has taken its place."""

    def __init__(self, kernel: Kernel, arguments: tuple[Any, ...]) -> None:
        self.kernel, self._arguments = kernel, arguments
        self._made: Function | None = None
        self.tell: Callable[[Function], Any] | None = None

    @property
    def made(self) -> Function | None:
        """What has taken its place."""
        return self._made

    def __call__(self) -> Any:
        if self._made is not None:
            return self._made()
        calls = [argument for argument in self._arguments if isinstance(argument, Awaiting)]
        if not calls:
            found = self.kernel(*self._arguments)
            if not getattr(self.kernel, "plainly", False):
                self._found(self.kernel.bound(*self._arguments))
        else:
            found = self.kernel.py_func(*self._arguments)
            if all(call.made for call in calls):
                made = (argument.made if isinstance(argument, Awaiting) else argument for argument in self._arguments)
                self._found(bound(self.kernel, *made))
        return found

    def _found(self, made: Function) -> None:
        self._made = made
        if self.tell is not None:
            self.tell(made)


A_CALL = 250.0  # microseconds, to find out that a kernel is not compiled and to call it all the same (measured)
compiles_at_once: list[bool] = []  # not empty: kernels do not run before they are compiled


@contextmanager
def compiling() -> Iterator[None]:
    """Within it, kernels are compiled when they are first called, and none runs before it is."""
    compiles_at_once.append(True)
    try:
        yield
    finally:
        compiles_at_once.pop()


@contextmanager
def interrupted_later() -> Iterator[None]:
    """Ctrl-C is heard when a kernel ends, as it is of machine code: its arrays are then as they ought to be."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    pressed: list[Any] = []
    signal.signal(signal.SIGINT, lambda *what: pressed.append(what))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if pressed:
            before(*pressed[0])


class EntryKernel(Kernel):
    """Keeps the interpreter's lock, which takes as long to give away and take back as a short row."""

    targetoptions: ClassVar[dict[str, Any]] = {"nogil": False}


def run_block(block: Any) -> Any:
    """Python's way to the machine code of a block: compiled once for all of them."""
    return run(block)


remember(run_block)
enter_block = EntryKernel(run_block, makes_arrays=False)


class Helper(Compiled):
    """Put in place of its calls in kernels; Python calls it as it stands."""

    targetoptions: ClassVar[dict[str, Any]] = {"inline": "always"}
    kept = False

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)


class PartOfKernels(Helper):
    """Called by kernels, compiled by itself."""

    targetoptions: ClassVar[dict[str, Any]] = {}
    exact = True


class ByType:
    """A function whose body is chosen by the type of its first argument."""

    __name__: str

    def __init__(self, generic: Function) -> None:
        functools.update_wrapper(self, generic)
        self._bodies: dict[type | None, Function] = {}
        self._plain: dict[type, Function] = {}  # by NumPy
        self._called: dict[type, Function] = {}  # what Python calls, once it has called it

    def __call__(self, first: Any, *rest: Any) -> Any:
        body = self._called.get(type(first))
        if body is None:
            kind = type(first)
            body = self._called[kind] = self._plain.get(kind) or self.body_for(kind)
        return body(first, *rest)

    def plainly(self, *kinds: type) -> Callable[[Function], Function]:
        """Register what Python calls in the place of the body of these types: the same bits, sooner, by NumPy."""

        def register(body: Function) -> Function:
            self._plain.update(dict.fromkeys(kinds, body))
            return body

        return register

    def of(self, *kinds: type) -> Callable[[Function], Function]:
        """Register a body for these types."""

        def register(body: Function) -> Function:
            remember(body, *kinds)
            for kind in kinds:
                _make_name_unique(kind)
                self._bodies[kind] = body
                self._called.pop(kind, None)
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
