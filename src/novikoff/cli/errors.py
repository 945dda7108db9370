"""Errors as the command line tells them: in one line, with the options that a message's keywords are called here."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Any

import typer
from typer.core import TyperGroup

from ..report.words import clean, installing, quote
from .process import INTERRUPTED, NOTHING, import_scikit_learn

WRONG = 2  # the exit status
UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # typer's own, or that of click, which older ones have
KEYWORDS = (
    "target", "format", "delimiter", "header", "encoding", "skip_rows", "na", "decimal", "thousands", "zero_based", "n_features",
    "categorical", "numeric", "text", "ignore", "use", "dates", "missing", "skip_bad", "memory", "learner", "learners", "parameters", "passes",
    "standardise", "seed", "folds", "hold_out", "test", "output", "checkpoint", "top", "max_margin", "directions",
    "positive", "threshold", "time_limit", "max_iter", "certificate", "certificate_rows", "task", "unseen", "keep", "scores", "probabilities", "dask",
)  # fmt: skip
PARAMETERS = ("keep", "order", "batch_size", "solver")  # of learners, that messages name with a value: typed with --set
RENAMED = {"learners": "learner", "parameters": "set", "max_iter": "passes"}
SWITCHES = {
    ("header", False): "--no-header",
    ("standardise", False): "--raw",
    ("test", False): "--no-test",
    ("directions", False): "--no-directions",
    ("task", "numbers"): "--numbers",
}
TEXT = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
TYPED = re.compile(
    rf"(?<![\w'\"])(?P<name>{'|'.join(dict.fromkeys(KEYWORDS + PARAMETERS))})="
    rf"(?P<value>\.\.\.|True|False|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?|{TEXT}|\[(?:{TEXT}|, )*\]|\{{(?:{TEXT}|[^{{}}'\"])*\}})"
)
TOLD = ("notes", "warnings", "note", "text", "why")  # keys of documents whose texts are messages


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
            import_scikit_learn()
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


# Keyword arguments as options


def in_options(text: str) -> str:
    """The text with every keyword argument as the option that it is here."""

    def option(found: re.Match[str]) -> str:
        name, typed = found["name"], found["value"]
        if typed == "..." and name not in KEYWORDS:
            return found[0]
        if typed == "...":
            ends = "." if found.end() == len(text) else ""
            return f"--{_dashed(name)}{ends}"
        return _option(name, ast.literal_eval(typed))

    return TYPED.sub(option, text)


def _option(name: str, value: Any) -> str:
    if isinstance(value, list):
        return " ".join(_option(name, each) for each in value)
    if isinstance(value, dict):
        return " ".join(f"--set {quote(f'{key}={each}')}" for key, each in value.items())
    if name in PARAMETERS:
        return _option("parameters", {name: value})
    if (name, value) in SWITCHES:
        return SWITCHES[name, value]
    return f"--{_dashed(name)}" if value is True else f"--{_dashed(name)} {quote(value)}"


def _dashed(name: str) -> str:
    return RENAMED.get(name, name).replace("_", "-")


def told_in_options(document: Any, told: bool = False) -> Any:
    """A document whose messages name options."""
    if isinstance(document, dict):
        return {key: told_in_options(value, key in TOLD) for key, value in document.items()}
    if isinstance(document, list):
        return [told_in_options(part, told) for part in document]
    return in_options(document) if told and isinstance(document, str) else document
