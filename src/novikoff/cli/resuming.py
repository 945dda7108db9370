"""Learning that can be interrupted: what is kept after every pass, and how to go on from there."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.checkpoint import Checkpoint
from ..data.passes import can_stream
from ..shell import command
from .errors import tell
from .loading import Rows
from .training import as_model

if TYPE_CHECKING:
    from .fitting import Request

DEFAULT = "novikoff.checkpoint"  # where an interrupted fit is left that was not told where


class Progress:
    """Where learning begins, and the state after its last whole pass: in a file if asked for, else in memory."""

    def __init__(self, request: Request, rows: Rows, learner: Any, encoder: Any) -> None:
        self._request, self._rows, self._encoder = request, rows, encoder
        self.learner, self.passes = learner, 0
        self._last: Any = None
        self._checkpoint: Checkpoint | None = None
        if request.checkpoint is None:
            return
        if refused := can_stream(learner):
            raise ValueError(f"--checkpoint is for learning pass by pass. {refused}")
        self._checkpoint = self._at(request.checkpoint)
        before = self._checkpoint.resume(learner)
        if before is not None:
            self.learner, self.passes = (before.model if encoder is None else before.model[-1]), before.next_pass
            tell(f"Going on after pass {self.passes}, from {request.checkpoint}.")

    def note(self, number: int, learner: Any) -> None:
        """Keep the state after a whole pass."""
        if self._checkpoint is not None:
            self._checkpoint.write(as_model(self._encoder, learner), number + 1)
        else:
            self._last = copy.deepcopy(learner)
        self.passes = number + 1  # last: an interruption may come before

    def leave(self) -> dict[str, Any]:
        """After an interruption: have the state in a file, and say how to go on."""
        if self.passes == 0:
            return {"text": "The first pass was not over: nothing was saved.", "commands": []}
        path = self._request.checkpoint
        arguments = self._request.arguments
        if path is None:
            path = Path(DEFAULT if self._request.output is None else f"{self._request.output}.checkpoint")
            self._at(path).write(as_model(self._encoder, self._last), self.passes)
            arguments = [*arguments, "--checkpoint", str(path)]
        text = f"What was learned in {self.passes} whole passes is in {path}. To go on from there:"
        return {"text": text, "commands": [command("novikoff", *arguments)]}

    def _at(self, path: Path) -> Checkpoint:
        return Checkpoint(path, self._request.fingerprint(self._rows, self.learner))
