"""``compare_tables``: several learners on the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from ..choices import LearningSettings
from ..comparing import CompareResult, compare
from ..requests import CompareRequest
from ..watching import NOBODY, Watcher
from .table_docs import documented
from .table_sources import TableKeywords, check_choice, check_least, source_of


@documented(TableKeywords)
def compare_tables(
    source: Any,
    target: str | None = None,
    learners: str | Sequence[Any] | None = None,
    *,
    task: str = "classes",
    folds: int = 5,
    parameters: Mapping[str, Any] | None = None,
    passes: int | None = None,
    standardise: bool = True,
    seed: int = 0,
    memory: str | None = None,
    dask: Any = None,
    watcher: Watcher | None = None,
    **reading: Unpack[TableKeywords],
) -> CompareResult:
    """Cross-validate learners on the same parts of the same rows, with times.

    ``novikoff compare`` does the same in a shell.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    CompareResult
        ``scores``: the score of each learner by name, the best first; ``learners``: the same with spread, balanced accuracy,
        seconds of one fit, and what is to be said of it; ``chance``: what always answering the largest class would score.
        ``print(result)`` shows a table, ``to_html()`` a page with a picture.

    Examples
    --------
    >>> import pandas as pd
    >>> from novikoff import Perceptron, compare_tables
    >>> table = pd.DataFrame({"x": range(2, 22), "class": ["low"] * 10 + ["high"] * 10})
    >>> result = compare_tables(table, "class", ["adaline", Perceptron(eta=0.5)], folds=2)
    >>> sorted(result.scores)
    ['Perceptron(eta=0.5)', 'adaline']
    """
    check_choice("task", task, ("classes", "numbers"))
    check_least("folds", folds, 2)
    check_least("passes", passes, 1)
    check_least("seed", seed, 0)
    alone = isinstance(learners, str) or (learners is not None and not isinstance(learners, list | tuple))
    request = CompareRequest(
        source=source_of(source, target, reading, memory, dask),
        task=task,
        asked=[learners] if alone else list(learners or []),
        folds=folds,
        learning=LearningSettings(dict(parameters or {}), passes, seed, standardise),
    )
    return compare(request, watcher or NOBODY)
