"""Where rows come from, and how they are read, as the table functions are told of it."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict, get_type_hints

from ...inputs.patterns import files_named
from ...rows.readers.reading_options import Reading
from ..loading import Source

Names = str | int | Iterable[str | int] | None
MISSING = ("impute", "drop", "error")
UNSEEN = ("error", "zeros")


class FileKeywords(TypedDict, total=False):
    """How files are read."""

    format: str | None
    delimiter: str | None
    header: bool | None
    encoding: str
    na: Names
    decimal: str | None
    thousands: str | None
    zero_based: bool
    n_features: int | None


class TableKeywords(FileKeywords, total=False):
    """How files are read, and which columns are learned from, as what."""

    categorical: Names
    numeric: Names
    ignore: Names
    use: Names
    dates: str
    missing: str


DEFAULTS: dict[str, Any] = {
    "format": None,
    "delimiter": None,
    "header": None,
    "encoding": "utf-8",
    "na": None,
    "decimal": None,
    "thousands": None,
    "zero_based": False,
    "n_features": None,
    "categorical": None,
    "numeric": None,
    "ignore": None,
    "use": None,
    "dates": "categories",
    "missing": "impute",
}
LISTS = ("na", "categorical", "numeric", "ignore", "use")


def files_of(source: Any) -> list[Any]:
    """A path, a pattern of paths, a frame, or several of them, as a list of paths that are there and of frames."""
    given = source if isinstance(source, list | tuple) else [source]
    if not given:
        raise ValueError("There is nothing to read: name a file, or give a data frame.")
    found: list[Any] = []
    for each in given:
        found += files_named(each) if isinstance(each, str | os.PathLike) else [each]
    return found


def paths_among(files: Iterable[Any]) -> list[str]:
    """The files of a source, without its frames."""
    return [each for each in files if isinstance(each, str)]


def reading_of(keywords: Mapping[str, Any], known: type = TableKeywords) -> Reading:
    """The readers' own form of keyword arguments, which must be among those ``known``."""
    names = list(get_type_hints(known))
    if unknown := sorted(set(keywords) - set(names)):
        close = difflib.get_close_matches(unknown[0], names, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise TypeError(f"There is no keyword argument {unknown[0]!r}.{hint}")
    given = {**DEFAULTS, **keywords}
    told: dict[str, Any] = {name: as_names(value) if name in LISTS else value for name, value in given.items()}
    missing = told.pop("missing")
    check_choice("missing", missing, MISSING)
    return Reading(**told, drop_missing=missing == "drop")


def source_of(
    source: Any,
    target: Any,
    keywords: Mapping[str, Any],
    memory: str | None = None,
    dask: Any = None,
    known: type = TableKeywords,
) -> Source:
    """What is to be read, how, and where rows are to stay; keywords are among those ``known``."""
    reading = reading_of(keywords, known)
    complete = keywords.get("missing") == "error"
    return Source(files_of(source), None if target is None else str(target), reading, complete, memory, dask)


def as_names(given: Names) -> tuple[str, ...]:
    """One name or several, as texts."""
    if given is None:
        return ()
    return (str(given),) if isinstance(given, str | int | float) else tuple(map(str, given))


def check_choice(name: str, value: Any, choices: Iterable[str]) -> None:
    """Refuse a word that is none of the choices."""
    if value not in choices:
        raise ValueError(f"{name} is one of {', '.join(map(repr, choices))}; got {value!r}.")


def check_least(name: str, value: Any, least: int) -> None:
    """Refuse a number that is too small; None stands for a default."""
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
        raise ValueError(f"{name} is a whole number, at least {least}; got {value!r}.")
