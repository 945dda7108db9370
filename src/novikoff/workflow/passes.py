"""Learning from a store, pass by pass, and what the learner then does on the rows."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from ..estimators.base import fit_parts, learned_by
from ..learn.stops import FOR_EVER
from ..rows.store.blocks import Schema
from ..rows.store.gather import Members
from ..rows.store.row_store import Store
from ..rows.store.store_source import StoreSource
from .evaluation import Evaluation, evaluate


class Ending(NamedTuple):
    """How learning ended."""

    reason: str  # of ``learn.stops``
    passes: int  # in all, those before ``first_pass`` included
    mistakes: list[int]  # of each pass
    rows: int  # that a pass reads
    seconds: float
    training: Evaluation | None  # of the rows that were learned from; None if it was interrupted

    @property
    def progressive_errors(self) -> int:
        """Mistakes of the first pass, in which every row was new to the weights that were asked."""
        return self.mistakes[0] if self.mistakes else 0

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.reason == "interrupted"


def texts_in_classes(learner: Any) -> None:
    """Have ``classes_`` as an array of texts, as a learner has them that went through a store."""
    if hasattr(learner, "classes_"):
        learner.classes_ = learner.classes_.astype(str)


def learn(
    learner: Any,
    store: Store,
    schema: Schema,
    encoder: Any,
    *,
    members: Members | None = None,
    passes: int,
    seed: int,
    first_pass: int = 0,
    after_pass: Callable[[int, Any], None] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Ending:
    """Learn from the rows of a store that take part until ``passes`` are over or a stop applies.

    ``first_pass`` is the number of the first pass to make, of a learner that went on to there before.  ``after_pass`` is
    called after every whole pass with its number and the learner, ready to predict; ``progress`` with the rows just
    read after every batch.
    """
    source = StoreSource(store, schema, encoder, members, seed)
    source.progress = progress or source.progress

    def on_pass(learner: Any) -> bool:
        if after_pass and learner.stop_reason_ in (None, *FOR_EVER):  # the pass is whole
            after_pass(learner.n_iter_ - 1, learner)
        return False

    try:
        fit_parts(learner, source, passes, go_on=first_pass > 0, on_pass=on_pass if after_pass else None)
    except KeyboardInterrupt:
        if getattr(learner, "stop_reason_", None) != "interrupted":  # nothing was learned that could be kept
            raise
    found = None
    if learner.stop_reason_ != "interrupted":
        with suppress(KeyboardInterrupt):  # all was learned; only the last look is missing then
            found = evaluate(learner, store, schema, encoder, source.taking_part)
            if schema.task == "classes":
                learner.n_errors_ = found.errors
    history = learned_by(learner).history
    rows = source.rows - int(np.count_nonzero(source.held_out))
    mistakes = [int(count) for count in history["mistakes"]]
    return Ending(learner.stop_reason_, learner.n_iter_, mistakes, rows, history["seconds"][-1], found)
