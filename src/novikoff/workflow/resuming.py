"""Learning that can be interrupted: what is kept after every pass, and how to go on from there."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..estimators.base import needs_all_rows
from ..models.files.checkpoint import Checkpoint
from .documents import Result
from .loading import Rows
from .training import as_model, is_solved


@dataclass(frozen=True, kw_only=True)
class Interrupted(Result):
    """What is left of learning that was interrupted."""

    passes: int  # whole ones
    checkpoint: Path | None  # where their state is; None: there is none


class Progress:
    """Where learning begins, and the state after its last whole pass: in a file if asked for, else in memory.

    ``path`` is the file, ``spare`` the one that is written if learning is interrupted and there is no other; ``made_from``
    says what must be the same for learning to go on.
    """

    def __init__(
        self,
        path: Path | None,
        spare: Path,
        made_from: Callable[[], dict[str, Any]],
        rows: Rows,
        learner: Any,
        encoder: Any,
    ) -> None:
        self._spare, self._made_from, self._encoder = spare, made_from, encoder
        self.learner, self.passes = learner, 0
        self._last: Any = None
        self._checkpoint: Checkpoint | None = None
        if path is None:
            return
        if refused := needs_all_rows(learner):
            raise ValueError(
                f"checkpoint=... is for learning pass by pass. {refused} Leave out checkpoint=..., or learn with "
                "learner='perceptron' and its default parameters."
            )
        if is_solved(learner):
            raise ValueError(
                f"checkpoint=... is for learning pass by pass, and {type(learner).__name__} is solved for all rows: use "
                "parameters={'solver': 'steps'}."
            )
        self._checkpoint = Checkpoint(path, made_from())
        before = self._checkpoint.resume(learner)
        if before is not None:
            self.learner, self.passes = before.learner, before.next_pass
            rows.watcher.tell(f"Going on after pass {self.passes}, from {path}.")

    def note(self, number: int, learner: Any) -> None:
        """Keep the state after a whole pass."""
        if self._checkpoint is not None:
            self._checkpoint.write(as_model(self._encoder, learner), number + 1)
        else:
            self._last = copy.deepcopy(learner)
        self.passes = number + 1  # last: an interruption may come before

    def leave(self) -> Interrupted:
        """After an interruption: have the state in a file."""
        if self.passes == 0:
            return Interrupted(passes=0, checkpoint=None)
        if self._checkpoint is None:
            self._checkpoint = Checkpoint(self._spare, self._made_from())
            self._checkpoint.write(as_model(self._encoder, self._last), self.passes)
        return Interrupted(passes=self.passes, checkpoint=self._checkpoint.path)
