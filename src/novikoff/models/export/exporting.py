"""Models as programs in other languages, which take raw rows and need nothing of this library."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from ...system.files import atomic_write, check_writable
from ..languages import LANGUAGES
from .recipe import ExportError, recipe_of


def export(model: Any, path: str | os.PathLike[str], format: str) -> None:
    """Write a linear model, alone or behind a ``TableEncoder``, as a document or program that takes raw rows.

    Missing numbers are filled, numbers standardised and categories looked up as in training, all in float64.  A level that training
    did not have, or a missing value in a column without missing values in training, has no effect.  Predictions are those of
    ``predict``, also for ties; scores agree up to rounding.

    Parameters
    ----------
    model : estimator
        A fitted learner that has ``coef_``, or a ``Pipeline`` of a ``TableEncoder`` and such a learner.
    path : str or path
        The file to write.
    format : {"json", "c", "javascript", "onnx"}
        The language.  With "c", the names of functions begin with the name of the file.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> from novikoff import Perceptron, export
    >>> path = Path(tempfile.mkdtemp()) / "and.json"
    >>> export(Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]), path, "json")
    >>> json.loads(path.read_text())["classes"]
    [0, 1]
    """
    if format not in LANGUAGES:
        raise ExportError(f"There is no export to {format!r}: choose one of {', '.join(LANGUAGES)}.")
    path = check_writable(path)
    module, function = LANGUAGES[format]
    write = getattr(import_module(f".{module}", __package__), function)
    atomic_write(path, write(recipe_of(model), path.stem))
