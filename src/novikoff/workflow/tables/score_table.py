"""``score_table``: a model against rows whose labels are known."""

from __future__ import annotations

from typing import Any, Unpack

from ..scoring import ScoreResult, score
from ..watching import NOBODY, Watcher
from .table_docs import documented
from .table_sources import UNSEEN, FileKeywords, check_choice, source_of


@documented(FileKeywords)
def score_table(
    model: Any,
    source: Any,
    target: str | None = None,
    *,
    unseen: str = "error",
    dask: Any = None,
    watcher: Watcher | None = None,
    **reading: Unpack[FileKeywords],
) -> ScoreResult:
    """Test a model on rows whose labels are known.  Files may be larger than memory.

    ``novikoff score`` does the same in a shell.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    ScoreResult
        ``score`` (accuracy, of numbers R²) with its 95% interval ``low`` to ``high``; ``scores``: this and the balanced
        accuracy; ``confusion`` and ``by_class``; ``warnings`` and ``notes``.  ``print(result)`` shows it.

    Examples
    --------
    >>> import pandas as pd
    >>> from novikoff import fit_table, score_table
    >>> table = pd.DataFrame({"x": range(2, 22), "class": ["low"] * 10 + ["high"] * 10})
    >>> result = fit_table(table, "class", test=False)
    >>> score_table(result, table[5:15]).score
    1.0
    """
    check_choice("unseen", unseen, UNSEEN)
    return score(model, source_of(source, target, reading, dask=dask, known=FileKeywords), unseen, watcher or NOBODY)
