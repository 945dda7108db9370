"""What a user sees of an error: what is wrong and what to do, never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Any

import typer
from typer.core import TyperGroup

from ..inputs.shell import clean, installing
from .interrupts import INTERRUPTED, NOTHING
from .option_words import in_options

WRONG = 2  # the exit status
UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # typer's own, or that of click, which older ones have


class CleanGroup(TyperGroup):
    """Commands; what is wrong with an option is said with nothing in it that could steer a terminal."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """See ``TyperGroup``."""
        with _cleaned():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """See ``TyperGroup``."""
        with _cleaned():
            return super().invoke(ctx)


@contextmanager
def _cleaned() -> Iterator[None]:
    try:
        yield
    except UsageError as error:
        error.message = clean(error.message)  # type: ignore[attr-defined]
        raise


def guarded(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command, whose errors become a message and an exit status."""

    @wraps(command)
    def guard(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except (typer.Exit, typer.Abort):
            raise
        except KeyboardInterrupt as error:
            _say(f"interrupted. {' '.join(getattr(error, '__notes__', [NOTHING]))}")
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            if os.environ.get("NOVIKOFF_TRACEBACK"):
                raise
            _say(in_options(" ".join([explain(error), *getattr(error, "__notes__", [])])))
            raise typer.Exit(WRONG) from None

    return guard


def explain(error: Exception) -> str:
    """The error in words."""
    if isinstance(error, ImportError):
        return _lacking(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    if isinstance(error, MemoryError):
        return "there is not enough memory. Bound it with --memory, so that rows wait on disk."
    if isinstance(error, ValueError | OverflowError | OSError | RuntimeError):
        return str(error)
    return (
        f"this should not have happened: {type(error).__name__}: {error}. Set NOVIKOFF_TRACEBACK=1 to see where, and please "
        "report it."
    )


def _lacking(error: ImportError) -> str:
    """Which package is to be installed; most of our own errors say so themselves."""
    if "pip install" in str(error):
        return str(error)
    return f"{error}. The command line needs more packages than the library: {installing('cli')}"


def _say(text: str) -> None:
    tell(f"novikoff: {text}")


def tell(text: str) -> None:
    """A line on standard error, if anyone still reads it."""
    with suppress(BrokenPipeError):
        print(clean(text), file=sys.stderr, flush=True)
