"""``predict_table``: an answer for every row, and answers as lines of CSV."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Unpack

import numpy as np

from ..estimators.base import class_answers
from ..rows.readers.reading import Dataset, open_data
from ..rows.store.blocks import Block
from ..rows.store.row_store import as_matrix
from ..system.files import atomic_write, check_writable, is_address, open_to_write
from .fitted_models import Model, known_blocks, model_of, unseen_note
from .progress import NO_PROGRESS, Watcher
from .results import FILE_OF_MODEL, HIDDEN, ShownResult
from .table_parameters import UNSEEN, FileKeywords, Names, as_names, check_choice, documented, source_of
from .table_rows import TableSource, located, open_part, unread

if TYPE_CHECKING:
    from ..rows.table_parts import ToRead

MAKERS = {"pandas": ("pandas", "DataFrame"), "polars": ("polars", "DataFrame"), "arrow": ("pyarrow", "table")}
NAME = "part-{:05d}.csv"  # of the file of a partition


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class PredictResult(ShownResult):
    """One answer for every row.

    ``labels``, ``scores`` (of two classes those of the second) and ``probabilities`` are arrays with a row for every row of
    the source; ``columns`` has the same by name, as ``to_frame()`` and the document have it.  Where every partition wrote its
    answers to a file, ``parts`` names these, and there is nothing in the others.
    """

    command: ClassVar[str] = "predict"
    model_file: str | None = field(metadata=FILE_OF_MODEL)
    files: list[str]
    rows: int
    classes: list[str] | None  # None of numbers
    notes: list[str]
    unseen: dict[str, int]  # values that training did not have, by column
    columns: dict[str, list[Any]]  # those that were kept, "prediction", "score of ...", "probability of ..."
    labels: np.ndarray = field(metadata=HIDDEN)
    scores: np.ndarray | None = field(metadata=HIDDEN)
    probabilities: np.ndarray | None = field(metadata=HIDDEN)
    kept: dict[str, list[str]] = field(metadata=HIDDEN)  # columns that were handed on, as texts
    model: Any = field(metadata=HIDDEN)
    parts: list[str] | None = None  # files of the answers, one a partition, if they were written to a folder

    def to_frame(self, library: str = "pandas") -> Any:
        """The answers as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars", "arrow"}, default="pandas"
            Whose: a pandas or polars DataFrame, or an Arrow table.

        Returns
        -------
        data frame
            With a row for every row of the source.
        """
        if library not in MAKERS:
            raise ValueError(f"library must be one of {', '.join(map(repr, MAKERS))}; got {library!r}.")
        package, maker = MAKERS[library]
        try:
            make = getattr(import_module(package), maker)
        except ImportError as error:
            raise ImportError(f"to_frame({library!r}) needs {package}: pip install {package}") from error
        return make(self.columns)

    def __len__(self) -> int:
        return self.rows


class Wanted(NamedTuple):
    """What is written of every row beside its label."""

    keep: list[str]  # columns of the file
    scores: bool
    probabilities: bool


@documented(FileKeywords)
def predict_table(
    model: Any,
    source: Any,
    *,
    keep: Names = None,
    scores: bool = False,
    probabilities: bool = False,
    unseen: str = "zeros",
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
    folder = None if output is None else os.fspath(output)
    heading_of(known, wanted)  # what the model cannot give is refused before anything is read
    with unread(*_asked(source, reading, known, unseen, dask)) as tables:
        wanted = _all_kept(wanted, tables.data)
        heading = heading_of(known, wanted)
        if folder is not None and tables.apart is None:
            raise ValueError(
                "output=... is a folder for the answers of partitions: it goes with dask=..., or a Dask frame."
            )
        if folder is not None:
            make_folder(folder)
        told = ToPredict(tables.told, known._replace(whole=None), wanted, unseen, folder)
        found: Answers = tables.fold(predict_part, both_answers, told, watcher or NO_PROGRESS)
        files, notes = tables.data.files, [*tables.data.notes, *unseen_note(found.unseen)]
    columns = [] if folder is not None else found.columns or [[] for _ in heading]
    answers, others = columns[len(wanted.keep)] if columns else [], columns[len(wanted.keep) + 1 :]
    likely = len(known.schema.labels) if probabilities else 0
    scored, probable = others[: len(others) - likely], others[len(others) - likely :]
    return PredictResult(
        model_file=known.file,
        files=files,
        rows=found.rows,
        classes=known.schema.labels or None,
        notes=notes,
        unseen=found.unseen,
        columns=dict(zip(heading, columns, strict=False)),
        labels=np.array(answers, dtype=object if answers and isinstance(answers[0], str) else None),
        scores=np.array(scored).T if scored else None,
        probabilities=np.array(probable).T if probable else None,
        kept=dict(zip(wanted.keep, columns, strict=False)),
        model=known.whole,
        parts=None if folder is None else found.parts,
    )


def predict_lines(
    model: Any,
    source: Any,
    *,
    keep: Names = None,
    scores: bool = False,
    probabilities: bool = False,
    unseen: str = "zeros",
    watcher: Watcher | None = None,
    **reading: Unpack[FileKeywords],
) -> Iterator[bytes]:
    """The same as lines of CSV, some at a time: those of files of any size."""
    counts: dict[str, int] = {}
    known, wanted = model_of(model), Wanted(list(as_names(keep)), scores, probabilities)
    heading_of(known, wanted)  # as above
    with unread(*_asked(source, reading, known, unseen)) as tables:
        data = tables.data
        wanted = _all_kept(wanted, data)
        yield as_csv([heading_of(known, wanted)])
        with (watcher or NO_PROGRESS).progress("Reading", data.size, "bytes") as advance:
            data.progress = advance
            for columns in predicted(data, known, wanted, known_blocks(data, known, unseen, counts)):
                yield as_csv(zip(*columns, strict=True))
    for note in unseen_note(counts):
        (watcher or NO_PROGRESS).tell(f"novikoff: {note}.")


def _all_kept(wanted: Wanted, data: Dataset) -> Wanted:
    """``keep="all"`` stands for every column of the source, unless one has that name."""
    names = list(getattr(data.readers[0], "names", []))
    return wanted._replace(keep=names) if wanted.keep == ["all"] and "all" not in names else wanted


def _asked(source: Any, reading: Any, model: Model, unseen: str, dask: Any = None) -> tuple[TableSource, Any]:
    """The rows that a model is asked about, and what opens their files."""
    given, schema = source_of(source, None, reading, dask=dask, known=FileKeywords), model.schema

    def open_here(files: list[Any]) -> Dataset:
        forgiving = unseen == "zeros"
        return open_data(files, None, task=schema.task, reading=given.reading, expect=schema, forgiving=forgiving)

    return given, open_here


def heading_of(model: Model, wanted: Wanted) -> list[str]:
    """The names of what is written; what the model cannot give is refused."""
    labels = model.schema.labels
    if wanted.probabilities and not hasattr(model.learner, "predict_proba"):
        raise ValueError(
            f"{f'{model.file}: ' if model.file else ''}{type(model.learner).__name__} has no probabilities. Pass scores=True, or train with learner='logistic-neuron'."
        )
    heading = [*wanted.keep, "prediction"]
    if wanted.scores and labels:
        heading += [f"score of {label}" for label in (labels[1:] if len(labels) == 2 else labels)]
    if wanted.probabilities:
        heading += [f"probability of {label}" for label in labels]
    if twice := [name for place, name in enumerate(heading) if name in heading[:place]]:
        raise ValueError(f"{twice[0]!r}: two columns would have that name; rename the one in the file.")
    return heading


def predicted(data: Dataset, model: Model, wanted: Wanted, blocks: Iterable[Block]) -> Iterator[list[Any]]:
    """The columns that ``heading_of`` names, of one block after the other."""
    kept = data.texts(wanted.keep)
    for block in blocks:
        with located(data):
            X = as_matrix(block, data.schema, model.encoder)
        columns: list[Any] = list(zip(*islice(kept, len(block.rows)), strict=True)) if wanted.keep else []
        columns.append(_answers(model, X))
        if wanted.scores and model.schema.labels:
            columns += model.learner.decision_function(X).reshape(len(block.rows), -1).T.tolist()
        if wanted.probabilities:
            columns += model.learner.predict_proba(X).T.tolist()
        yield columns


def _answers(model: Model, X: Any) -> list[Any]:
    """What the model predicts; rows share one text for each label."""
    if not model.schema.labels:
        numbers: list[Any] = model.learner.predict(X).tolist()
        return numbers
    labels = model.learner.classes_.tolist()
    return [labels[place] for place in class_answers(model.learner, X).tolist()]


def as_csv(lines: Iterable[Iterable[Any]]) -> bytes:
    """Lines of CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()


# What partitions do


class ToPredict(NamedTuple):
    """What partitions are told."""

    read: ToRead | None
    model: Model
    wanted: Wanted
    unseen: str
    folder: str | None  # None: answers are sent


class Answers(NamedTuple):
    """Of some partitions, one after the other."""

    rows: int
    columns: list[list[Any]]  # those of ``heading_of``; empty where they were written
    parts: list[str]  # files that were written
    unseen: dict[str, int]  # values that training did not have, by column


def make_folder(folder: str) -> None:
    """See to it that there is such a folder, with nothing in it."""
    if is_address(folder):
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    if os.listdir(folder):
        raise FileExistsError(f"{folder} has files in it; name a new folder: one file is written for each partition")
    check_writable(Path(folder) / NAME.format(0))


def predict_part(number: int, part: Any, told: ToPredict) -> Answers:
    """The answers for a partition."""
    data = open_part(number, part, told.read)
    model, wanted = told.model, told.wanted
    counts: dict[str, int] = {}
    parts = list(predicted(data, model, wanted, known_blocks(data, model, told.unseen, counts)))
    rows = sum(len(columns[0]) for columns in parts)
    if told.folder is None:
        return Answers(rows, joined(parts), [], counts)
    lines = [as_csv([heading_of(model, wanted)]), *(as_csv(zip(*columns, strict=True)) for columns in parts)]
    name = NAME.format(number)
    if is_address(told.folder):
        with open_to_write(f"{told.folder.rstrip('/')}/{name}") as file:
            file.writelines(lines)
    else:
        if not os.path.isdir(told.folder):
            raise FileNotFoundError(f"{told.folder} is not there for all workers; name a folder that they share")
        atomic_write(Path(told.folder) / name, lines)
    return Answers(rows, [], [name], counts)


def joined(parts: list[list[Any]]) -> list[list[Any]]:
    """Columns of several parts, one below the other."""
    return [[value for part in of_parts for value in part] for of_parts in zip(*parts, strict=True)]


def both_answers(one: Answers, other: Answers) -> Answers:
    """The answers of both."""
    columns = joined([each.columns for each in (one, other) if each.columns])
    counts = dict(Counter(one.unseen) + Counter(other.unseen))
    return Answers(one.rows + other.rows, columns, one.parts + other.parts, counts)
