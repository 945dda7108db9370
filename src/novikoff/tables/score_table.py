"""``score_table``: a model against rows whose labels are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Unpack

import numpy as np

from ..rows.readers.reading import Dataset, open_data
from ..rows.readers.tables import RoundedField
from ..rows.store.blocks import Block, DataError
from ..rows.store.row_store import BlockList
from .evaluation import (
    Confusion,
    Evaluation,
    Measures,
    ScoresByClass,
    advise,
    both_evaluations,
    by_class,
    confusion_of,
    doubt,
    doubt_of_numbers,
    evaluate,
    measure,
    wilson,
)
from .fitted_models import Model, known_blocks, model_of, unseen_note
from .progress import NO_PROGRESS, Watcher
from .results import FILE_OF_MODEL, HIDDEN, INLINE, ShownResult
from .table_parameters import UNSEEN, FileKeywords, check_choice, documented, source_of
from .table_rows import located, open_part, unread

if TYPE_CHECKING:
    from ..rows.table_parts import ToRead


@dataclass(frozen=True, kw_only=True, repr=False)
class ScoreResult(ShownResult):
    """How a model does on rows whose labels are known."""

    command: ClassVar[str] = "score"
    model_file: str | None = field(metadata=FILE_OF_MODEL)
    files: list[str]
    rows: int
    notes: list[str]
    unseen: dict[str, int]  # values that training did not have, by column
    unlabelled: int  # rows left out
    metric: str
    score: float | None
    low: float | None = None  # of an accuracy: its 95% interval
    high: float | None = None
    mean_squared_error: float | None = None  # of numbers
    mean_absolute_error: float | None = None
    confusion: Confusion | None = None  # of classes
    by_class: ScoresByClass | None = field(default=None, metadata=INLINE)
    measures: Measures | None = None
    warnings: list[str]
    model: Any = field(default=None, compare=False, metadata=HIDDEN)

    @property
    def scores(self) -> dict[str, float | None]:
        """The score by its name; of classes the balanced accuracy, too."""
        found = {self.metric: self.score}
        if self.by_class is not None:
            found["balanced_accuracy"] = self.by_class.balanced_accuracy
        names = ("auc", "average_precision", "matthews", "log_loss", "brier")
        told = {name: getattr(self.measures, name, None) for name in names}
        return found | {name: value for name, value in told.items() if value is not None}


@documented(FileKeywords)
def score_table(
    model: Any,
    source: Any,
    target: str | None = None,
    *,
    positive: str | None = None,
    threshold: float | None = None,
    unseen: str = "zeros",
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
        accuracy, AUC and others (``measures`` has all of them); ``confusion`` and ``by_class``; ``warnings`` and ``notes``.  ``print(result)`` shows it.

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
    given = source_of(source, target, reading, dask=dask, known=FileKeywords)
    asked = model_of(model)
    known = asked.schema

    def open_here(files: list[Any]) -> Dataset:
        name = given.target or known.target
        forgiving = unseen == "zeros"
        return open_data(
            files, name, needed=True, task=known.task, reading=given.reading, expect=known, forgiving=forgiving
        )

    with unread(given, open_here) as tables:
        data, told = tables.data, ToScore(tables.told, asked._replace(whole=None), unseen)
        scored: PartScores | None = tables.fold(score_part, both_scored, told, watcher or NO_PROGRESS)
    if scored is None or not scored.found.n:
        raise DataError(f"{data.files[0]}: there are no rows to score.")
    data.unlabelled, data.rounded, found = scored.unlabelled, scored.rounded, scored.found
    about: dict[str, Any] = {
        "model_file": asked.file,
        "model": asked.whole,
        "files": data.files,
        "rows": found.n,
        "notes": [*dict.fromkeys([*scored.notes, *data.notes]), *unseen_note(scored.unseen)],
        "unseen": scored.unseen,
        "unlabelled": data.unlabelled,
    }
    if known.task == "numbers":
        return ScoreResult(
            **about,
            metric="r2",
            score=found.misses.r2,
            mean_squared_error=found.misses.mean_squared_error,
            mean_absolute_error=found.misses.mean_absolute_error,
            warnings=advise(doubt_of_numbers(found.misses.r2, "scored")),
        )
    low, high = wilson(found.n - found.errors, found.n)
    return ScoreResult(
        **about,
        metric="accuracy",
        score=found.accuracy,
        low=low,
        high=high,
        confusion=confusion_of("scored", found.labels, found.confusion),
        by_class=by_class(found.labels, found.confusion),
        measures=measure("scored", [found.kept] if found.kept else [], found.confusion, positive, threshold),
        warnings=advise(doubt(found.labels, found.confusion, "scored")),
    )


class ToScore(NamedTuple):
    """What partitions are told."""

    read: ToRead | None
    model: Model
    unseen: str


class PartScores(NamedTuple):
    """What was found in some partitions."""

    found: Evaluation
    unlabelled: int
    rounded: RoundedField | None  # the first
    notes: list[str]
    unseen: dict[str, int]  # values that training did not have, by column


def score_part(number: int, part: Any, told: ToScore) -> PartScores | None:
    """Ask the model about every row of a partition."""
    data, model = open_part(number, part, told.read), told.model
    counts: dict[str, int] = {}
    blocks = BlockList(_known_labels(data, model, told.unseen, counts))
    with located(data):
        found = evaluate(model.learner, blocks, data.schema, model.encoder, margins=False, keep=True)
    return PartScores(
        found, data.unlabelled, data.rounded, [note for reader in data.readers for note in reader.notes], counts
    )


def both_scored(one: PartScores, other: PartScores) -> PartScores:
    """What was found in both."""
    found = both_evaluations(one.found, other.found)
    counts = dict(Counter(one.unseen) + Counter(other.unseen))
    return PartScores(
        found, one.unlabelled + other.unlabelled, one.rounded or other.rounded, [*one.notes, *other.notes], counts
    )


def _known_labels(data: Dataset, model: Model, unseen: str, counts: dict[str, int]) -> Iterator[Block]:
    """The blocks of the data; a label that training did not have is an error."""
    labels = model.schema.labels
    for block in known_blocks(data, model, unseen, counts):
        strange = np.flatnonzero(block.target >= len(labels)) if labels else np.empty(0, dtype=int)
        if strange.size:
            place = data.locate(int(block.rows[strange[0]]), data.schema.target)
            known = ", ".join(labels[:5]) + (", ..." if len(labels) > 5 else "")
            label = data.schema.labels[block.target[strange[0]]]
            close = get_close_matches(label, labels, 1, 0.8)
            meant = f"did you mean {close[0]!r}? Correct it" if close else "correct it"
            raise DataError(
                f"{place}: the label {label!r} is not among the classes of training ({known}); {meant}, or leave the row out."
            )
        yield block
