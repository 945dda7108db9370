"""A model against files whose labels are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ..rows.clusters import engines_on
from ..rows.readers.reading import Dataset, open_data
from ..rows.store.blocks import Block, DataError
from ..rows.store.gather import BlockList
from .by_class import Confusion, ScoresByClass, advise, by_class, confusion_of, doubt, doubt_of_numbers
from .documents import FILE_OF_MODEL, HIDDEN, INLINE
from .evaluation import Evaluation, answers_a_row, both_evaluations, evaluate, evaluate_blocks
from .loading import located
from .on_cluster import Open, read_apart, stays_apart
from .predicting import Model, known_blocks, model_of, refuse_unseen
from .requests import Source
from .shown_result import ShownResult
from .testing import wilson
from .watching import NOBODY, Watcher


@dataclass(frozen=True, kw_only=True, repr=False)
class ScoreResult(ShownResult):
    """How a model does on rows whose labels are known."""

    command: ClassVar[str] = "score"
    model_file: str | None = field(metadata=FILE_OF_MODEL)
    files: list[str]
    rows: int
    notes: list[str]
    unlabelled: int  # rows left out
    metric: str
    score: float | None
    low: float | None = None  # of an accuracy: its 95% interval
    high: float | None = None
    mean_squared_error: float | None = None  # of numbers
    mean_absolute_error: float | None = None
    confusion: Confusion | None = None  # of classes
    by_class: ScoresByClass | None = field(default=None, metadata=INLINE)
    warnings: list[str]
    model: Any = field(default=None, compare=False, metadata=HIDDEN)

    @property
    def scores(self) -> dict[str, float | None]:
        """The score by its name; of classes the balanced accuracy, too."""
        found = {self.metric: self.score}
        if self.by_class is not None:
            found["balanced_accuracy"] = self.by_class.balanced_accuracy
        return found


def score(given: Any, source: Source, unseen: str, watcher: Watcher = NOBODY) -> ScoreResult:
    """Ask a model, or the one in a file, about every row; with ``unseen="error"``, what training did not have is refused."""
    model = model_of(given)
    known = model.schema

    def open_here(files: list[Any]) -> Dataset:
        target = source.target or known.target
        return open_data(files, target, needed=True, task=known.task, reading=source.reading, expect=known)

    data, found = (_asked_apart if stays_apart(source) else _asked)(source, model, open_here, unseen, watcher)
    if not found.n:
        raise DataError(f"{data.files[0]}: there are no rows to score.")
    about: dict[str, Any] = {
        "model_file": model.file,
        "model": model.whole,
        "files": data.files,
        "rows": found.n,
        "notes": data.notes,
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
        warnings=advise(doubt(found.labels, found.confusion, "scored")),
    )


def _asked(source: Source, model: Model, open_here: Open, unseen: str, watcher: Watcher) -> tuple[Any, Evaluation]:
    """What was read, and what the model answered, a block at a time."""
    data = open_here(source.files)
    try:
        blocks = checked(known_blocks(data, model, unseen, watcher), partial(_refuse_labels, model.schema.labels, data))
        with located(data):
            return data, evaluate(model.learner, BlockList(blocks), data.schema, model.encoder, margins=False)
    finally:
        data.close()


def _asked_apart(
    source: Source, model: Model, open_here: Open, unseen: str, watcher: Watcher
) -> tuple[Any, Evaluation]:
    """The same where the rows lie."""
    refuse = partial(_refuse_strange, model._replace(learner=None, whole=None), unseen)
    with engines_on(source.cluster) as make:
        rows = read_apart(source, make, open_here, refuse, watcher)
        with located(rows.data):
            question = partial(evaluate_blocks, model.learner, rows.schema, model.encoder, False)
            found: Evaluation = rows.fold(question, both_evaluations, outputs=answers_a_row(model.learner))
        return rows.data, found


def _refuse_strange(model: Model, unseen: str, data: Dataset, block: Block) -> None:
    """Refuse what training did not have."""
    if unseen == "error":
        refuse_unseen(data, block, model)
    _refuse_labels(model.schema.labels, data, block)


def checked(blocks: Iterable[Block], check: Callable[[Block], None]) -> Iterator[Block]:
    """The blocks, each looked at."""
    for block in blocks:
        check(block)
        yield block


def _refuse_labels(labels: list[str], data: Dataset, block: Block) -> None:
    """A label that training did not have is an error."""
    strange = np.flatnonzero(block.target >= len(labels)) if labels else np.empty(0, dtype=int)
    if strange.size:
        place = data.locate(int(block.rows[strange[0]]), data.schema.target)
        known = ", ".join(labels[:5]) + (", ..." if len(labels) > 5 else "")
        raise DataError(
            f"{place}: the label {data.schema.labels[block.target[strange[0]]]!r} was not there in training ({known}); correct "
            "it, or leave the row out."
        )
