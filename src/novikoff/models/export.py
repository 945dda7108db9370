"""Models as programs in other languages, which take raw rows and need nothing of this library."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from .atomic import atomic_write, check_writable
from .recipe import ExportError, Recipe, recipe_of

FORMATS = ("json", "c", "javascript", "onnx")


def export(model: Any, path: str | os.PathLike, format: str) -> None:
    """Write a linear model, alone or behind a ``TableEncoder``, as a document or program that takes raw rows.

    Missing numbers are filled, numbers standardised and categories looked up as in training, all in float64; what training did
    not have, a level or a missing value in a column that lacked none, counts as nothing.  Answers are those of ``predict``, ties included; scores agree but for rounding.

    Parameters
    ----------
    model : estimator
        A fitted learner that has ``coef_``, or a ``Pipeline`` of a ``TableEncoder`` and such a learner.
    path : str or path
        Where to.
    format : {"json", "c", "javascript", "onnx"}
        The language.  "c" takes the names of its functions from the file's name.
    """
    if format not in FORMATS:
        raise ExportError(f"There is no export to {format!r}: choose one of {', '.join(FORMATS)}.")
    path = check_writable(path)
    write = _writer(format)
    atomic_write(path, write(recipe_of(model), path.stem))


def _writer(format: str) -> Callable[[Recipe, str], Iterable[bytes]]:
    if format == "onnx":
        from .export_onnx import write_onnx

        return write_onnx
    if format == "c":
        from .export_c import write_c

        return write_c
    from .export_json import write_javascript, write_json

    return write_javascript if format == "javascript" else write_json
