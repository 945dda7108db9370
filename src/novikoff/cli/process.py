"""The process of the command line: how it starts, hears Ctrl-C, writes and ends."""

from __future__ import annotations

import atexit
import gc
import io
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from types import ModuleType
from typing import Any

INTERRUPTED = 130  # the exit status
NOTHING = "Nothing was written."
OBJECTS = 100_000  # new ones before the collector looks for garbage; Python's own number is in the hundreds


def end_at_once() -> None:
    """From now on Ctrl-C ends the program on the spot, unless it was told to ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def import_scikit_learn() -> None:
    """Import it without ``scipy.stats``, which it imports for one function that no command calls: that takes as long as all else."""
    with put_off("scipy.stats"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # joblib's, where no file can be written: what is to be written says so itself
        import sklearn.base  # noqa: F401 after what is put off; help does without


@contextmanager
def put_off(name: str) -> Iterator[None]:
    """Within it, ``import name`` has the module imported when something of it is asked for."""
    if name not in sys.modules:
        sys.modules[name] = PutOff(name)
    try:
        yield
    finally:
        if isinstance(sys.modules.get(name), PutOff):
            del sys.modules[name]


class PutOff(ModuleType):
    """Stands for a module that is imported when something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def import_compiler() -> None:
    """Import Numba, which reading and learning soon call, while Ctrl-C still ends the program on the spot."""
    from ..compiled import machine_code  # noqa: F401 it takes long, and help does without


def begin_work() -> None:
    """From now on Ctrl-C raises ``KeyboardInterrupt``, since there is something to be saved or removed."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(number: int, frame: Any) -> None:
    with suppress(OSError):
        os.write(2, f"novikoff: interrupted. {NOTHING}\n".encode())
    os._exit(INTERRUPTED)


def open_streams() -> None:
    """Open nothing where a stream is closed (``>&-``), so that no other file is opened in its place and written into."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            nothing = os.open(os.devnull, os.O_RDWR)  # mostly the number itself: the lowest that is free
            if nothing != number:
                os.dup2(nothing, number)
                os.close(nothing)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter is no reason to stop


@contextmanager
def printing() -> Iterator[None]:
    """Within it results are printed; their reader may leave when they have seen enough."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def start_sooner() -> None:
    """For a process that runs the command line and nothing else: imports make many objects and no garbage, so the
    collector need not look so often, nor when the process ends, and its memory with it."""
    os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")  # the system may take longer to find huge pages than they save
    gc.set_threshold(OBJECTS, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)
