"""``predict_table``: an answer for every row."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Unpack

import numpy as np

from ..on_cluster import stays_apart
from ..predict_apart import Answers, predict_apart
from ..predict_result import PredictResult
from ..predicting import Model, Wanted, heading_of, known_blocks, model_of, opened, predict, predicted
from ..watching import NOBODY, Watcher
from .table_docs import documented
from .table_sources import UNSEEN, FileKeywords, Names, as_names, check_choice, files_of, reading_of, source_of


@documented(FileKeywords)
def predict_table(
    model: Any,
    source: Any,
    *,
    keep: Names = None,
    scores: bool = False,
    probabilities: bool = False,
    unseen: str = "error",
    dask: Any = None,
    output: str | os.PathLike[str] | None = None,
    watcher: Watcher | None = None,
    **reading: Unpack[FileKeywords],
) -> PredictResult:
    """Predict the label, or the number, of every row of a table.

    A missing number becomes the median of training, a missing category is one more level.  All answers are held in
    memory; ``novikoff predict`` writes those of files of any size in a shell.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    PredictResult
        ``labels``: an array with one answer a row; ``scores`` and ``probabilities``, arrays or None; ``to_frame()``: all of
        it, with the columns that were to be kept, as a data frame.

    Examples
    --------
    >>> import pandas as pd
    >>> from novikoff import fit_table, predict_table
    >>> table = pd.DataFrame({"x": range(2, 22), "class": ["low"] * 10 + ["high"] * 10})
    >>> result = fit_table(table, "class", "logistic-neuron", test=False)
    >>> answers = predict_table(result, pd.DataFrame({"x": [3, 20]}), keep="x", probabilities=True)
    >>> answers.labels.tolist(), answers.probabilities.shape
    (['low', 'high'], (2, 2))
    >>> answers.to_frame().columns.tolist()
    ['x', 'prediction', 'probability of high', 'probability of low']
    """
    check_choice("unseen", unseen, UNSEEN)
    known, wanted = model_of(model), Wanted(list(as_names(keep)), scores, probabilities)
    heading = heading_of(known, wanted)
    given = source_of(source, None, reading, dask=dask, known=FileKeywords)
    if stays_apart(given):
        folder = None if output is None else os.fspath(output)
        data, answered = predict_apart(known, given, wanted, unseen, folder, watcher or NOBODY)
        if folder is not None:
            return _written(known, data, answered)
        files, notes, columns = data.files, data.notes, answered.columns
    elif output is not None:
        raise ValueError(
            "output=... is a folder for the answers of partitions: it goes with dask=..., or a Dask frame."
        )
    else:
        with opened(given.files, known, given.reading) as data:
            parts = list(predicted(data, known, wanted, known_blocks(data, known, unseen, watcher or NOBODY)))
            files, notes = data.files, data.notes
        columns = [[value for part in parts for value in part[place]] for place in range(len(heading))]
    kept, answers, others = wanted.keep, columns[len(wanted.keep)], columns[len(wanted.keep) + 1 :]
    likely = len(known.schema.labels) if probabilities else 0
    scored, probable = others[: len(others) - likely], others[len(others) - likely :]
    return PredictResult(
        model_file=known.file,
        files=files,
        rows=len(answers),
        classes=known.schema.labels or None,
        notes=notes,
        columns=dict(zip(heading, columns, strict=True)),
        labels=np.array(answers, dtype=object if answers and isinstance(answers[0], str) else None),
        scores=np.array(scored).T if scored else None,
        probabilities=np.array(probable).T if probable else None,
        kept={name: columns[place] for place, name in enumerate(kept)},
        model=known.whole,
    )


def _written(known: Model, data: Any, answered: Answers) -> PredictResult:
    """What is said of answers that partitions have written."""
    return PredictResult(
        model_file=known.file,
        files=data.files,
        rows=answered.rows,
        classes=known.schema.labels or None,
        notes=data.notes,
        columns={},
        labels=np.empty(0),
        scores=None,
        probabilities=None,
        kept={},
        model=known.whole,
        parts=answered.parts,
    )


def predict_lines(
    model: Any,
    source: Any,
    *,
    keep: Names = None,
    scores: bool = False,
    probabilities: bool = False,
    unseen: str = "error",
    watcher: Watcher | None = None,
    **reading: Unpack[FileKeywords],
) -> Iterator[bytes]:
    """The same as lines of CSV, some at a time: those of files of any size."""
    wanted = Wanted(list(as_names(keep)), scores, probabilities)
    return predict(model, files_of(source), reading_of(reading, FileKeywords), wanted, unseen, watcher or NOBODY)
