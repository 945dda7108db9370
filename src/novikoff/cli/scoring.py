"""``novikoff score``: a model against files whose labels are known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..data.blocks import Block, DataError
from ..data.evaluation import evaluate
from ..data.reading import Dataset, open_data
from .by_class import advise, by_class, confusion_of, doubt, doubt_of_numbers
from .interrupts import begin_work
from .loading import located, reading_of
from .options import ReadingOptions
from .predicting import Model, known_blocks, open_model
from .testing import wilson


class Passing:
    """A store whose blocks pass by once."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self.blocks = blocks

    def release(self) -> None:
        """Nothing is kept."""


def score(path: Path, files: list[str], reading: ReadingOptions, target: str | None, unseen: str) -> dict[str, Any]:
    """Everything that ``--json`` prints."""
    model = open_model(path)
    known = model.schema
    begin_work()
    data = open_data(
        files, target or known.target, needed=True, task=known.task, reading=reading_of(reading), expect=known
    )
    try:
        blocks = _known_labels(data, model, known_blocks(data, model, unseen))
        with located(data):
            found = evaluate(model.learner, Passing(blocks), data.schema, model.encoder, margins=False)  # type: ignore[arg-type]
    finally:
        data.close()
    if not found.n:
        raise DataError(f"{data.files[0]}: there are no rows to score.")
    result = {"command": "score", "model": str(path), "files": data.files, "rows": found.n, "notes": data.notes}
    result["unlabelled"] = data.unlabelled
    if known.task == "numbers":
        r2, said = found.misses.r2, doubt_of_numbers(found.misses.r2, "scored")
        wrong = {
            "mean_squared_error": found.misses.mean_squared_error,
            "mean_absolute_error": found.misses.mean_absolute_error,
        }
        return {**result, "metric": "r2", "score": r2, **wrong, "warnings": advise(said)}
    low, high = wilson(found.n - found.errors, found.n)
    return {
        **result,
        "metric": "accuracy",
        "score": found.accuracy,
        "low": low,
        "high": high,
        "confusion": confusion_of("scored", found.labels, found.confusion),
        **by_class(found.labels, found.confusion),
        "warnings": advise(doubt(found.labels, found.confusion, "scored")),
    }


def _known_labels(data: Dataset, model: Model, blocks: Iterator[Block]) -> Iterator[Block]:
    """The blocks; a label that training did not have is an error."""
    labels = model.schema.labels
    for block in blocks:
        strange = np.flatnonzero(block.target >= len(labels)) if labels else np.empty(0, dtype=int)
        if strange.size:
            place = data.locate(int(block.rows[strange[0]]), data.schema.target)
            known = ", ".join(labels[:5]) + (", ..." if len(labels) > 5 else "")
            raise DataError(
                f"{place}: the label {data.schema.labels[block.target[strange[0]]]!r} was not there in training ({known}); correct "
                "it, or leave the row out."
            )
        yield block
