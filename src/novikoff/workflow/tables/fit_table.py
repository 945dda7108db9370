"""``fit_table``: from a file or a data frame to a model, and everything that is to be said of it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Unpack

from ...inputs.atomic import check_writable, keep_apart
from ..choices import LearningSettings, choice_of
from ..fit_result import FitResult
from ..fitting import fit
from ..requests import AskedTest, FitRequest
from ..watching import NOBODY, Watcher
from .table_docs import documented
from .table_sources import TableKeywords, check_choice, check_least, paths_among, source_of


@documented(TableKeywords)
def fit_table(
    source: Any,
    target: str | None = None,
    learner: Any = "perceptron",
    *,
    parameters: Mapping[str, Any] | None = None,
    passes: int | None = None,
    standardise: bool = True,
    seed: int = 0,
    folds: int | None = None,
    hold_out: float | None = None,
    test: bool = True,
    output: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    top: int = 5,
    regions: bool | Sequence[str] = False,
    interrupted: str = "raise",
    memory: str | None = None,
    dask: Any = None,
    watcher: Watcher | None = None,
    **reading: Unpack[TableKeywords],
) -> FitResult:
    """Learn to predict a column of a table from the others, and say how well that works.

    Numbers are standardised, categories become one feature a level, missing values are filled in.  Ids of rows, empty columns
    and rows without a label are left out.  Whether the classes are linearly separable is proved where that takes little time.
    Files may be larger than memory.  ``novikoff fit`` does the same in a shell.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    FitResult
        ``model``: the fitted pipeline, which takes rows as the source has them; ``scores``: the score on each kind of rows;
        ``separability`` and ``proof``; ``report`` with everything else: how learning ended, confusion, scores of each class,
        strongest weights; ``warnings`` and ``notes``.  ``save(path)`` keeps the model, ``print(result)`` shows the result as
        text, ``to_html()`` as a page with pictures, ``to_dict()`` as plain dicts and lists.

    Examples
    --------
    >>> import pandas as pd
    >>> from novikoff import fit_table
    >>> pets = pd.DataFrame({
    ...     "weight": [4, 30, 5, 25, 3, 40, None, 35], "coat": ["long", "short"] * 4, "pet": ["cat", "dog"] * 4
    ... })
    >>> result = fit_table(pets, "pet", folds=2)
    >>> result.scores["training"], result.separability.kind
    (1.0, 'complete')
    >>> result.model.predict(pd.DataFrame({"weight": [6.0], "coat": ["long"]})).tolist()
    ['cat']
    """
    check_least("folds", folds, 2)
    check_least("passes", passes, 1)
    check_least("top", top, 1)
    check_least("seed", seed, 0)
    check_choice("interrupted", interrupted, ("raise", "return"))
    given = source_of(source, target, reading, memory, dask)
    saved, resumed = (None if path is None else Path(path) for path in (output, checkpoint))
    _check_writable(saved, resumed, paths_among(given.files))
    request = FitRequest(
        source=given,
        choice=choice_of(learner),
        learner=None if isinstance(learner, str) else learner,
        learning=LearningSettings(dict(parameters or {}), passes, seed, standardise),
        testing=AskedTest(folds, hold_out, not test),
        output=saved,
        checkpoint=resumed,
        made_with={
            **asdict(given.reading),
            "complete": given.complete,
            "folds": folds,
            "hold_out": hold_out,
            "test": test,
        },
        top=top,
        regions=regions if isinstance(regions, bool) else tuple(regions),
        ask=_to_check(source, target, reading),
        interrupted=interrupted,
    )
    return fit(request, watcher or NOBODY)


def _check_writable(output: Path | None, checkpoint: Path | None, files: list[str]) -> None:
    """Raise an error if something cannot be written, or would replace what is read."""
    keep_apart(output, [*files, checkpoint])
    keep_apart(checkpoint, files)
    for path in (output, checkpoint):
        if path is not None:
            check_writable(path)


def _to_check(source: Any, target: str | None, reading: Mapping[str, Any]) -> str:
    """The call that proves whether these rows are separable."""
    rows = repr(os.fspath(source)) if isinstance(source, str | os.PathLike) else "table"
    named = [] if target is None else [repr(target)]
    return (
        f"novikoff.check_table({', '.join([rows, *named, *(f'{name}={value!r}' for name, value in reading.items())])})"
    )
