"""Going on from a checkpoint: the same file as for learning from files, after every round."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path
from typing import Any

from sklearn.base import clone

from .. import __version__
from ..learn.stops import FOR_EVER
from ..models.files.checkpoint import Checkpoint
from .blocks_given import Census
from .digests import of_all


class Resumption:
    """What a fit goes on from, and leaves behind.  Without a path it does nothing."""

    def __init__(self, learner: Any, path: str | Path | None) -> None:
        self._learner, self._path = learner, path
        self._checkpoint: Checkpoint | None = None
        self._written = False
        if path is not None and not isinstance(learner.random_state, Integral):
            raise ValueError(
                f"checkpoint=... needs a whole number as random_state, not {learner.random_state!r}: learning that goes on must "
                "shuffle as it would have done."
            )

    def look_for(self, census: Census, dealt: bool) -> None:
        """Have the learner know what the file says, if there is one."""
        if self._path is None:
            return
        learner = self._learner
        made_from: dict[str, Any] = {"version": __version__, "learner": type(learner).__name__}
        made_from |= {name: str(value) for name, value in learner.get_params().items()}
        made_from |= {"rows": census.rows, "partitions": len(census.digests), "dealt": dealt}
        made_from |= {"checksum of the partitions": of_all(census.digests)}
        self._checkpoint = Checkpoint(self._path, made_from)
        found = self._checkpoint.resume(clone(learner))
        if found is not None:
            self._written = True
            learner.__dict__.update(vars(found.model))

    def on_pass(self, learner: Any) -> bool:
        """Write the file, if the pass is whole; not after the last before a proof, which the file could not hold."""
        ended = learner.stop_reason_
        if self._checkpoint is not None and (ended is None or (ended in FOR_EVER and ended != "inseparable")):
            self._checkpoint.write(learner, learner.n_iter_)
            self._written = True
        return False

    @contextmanager
    def said_in_errors(self) -> Iterator[None]:
        """Within it, errors say where what was learned is."""
        try:
            yield
        except BaseException as error:
            if self._written:
                error.add_note(f"What was learned is in {self._path}: the same call goes on from there.")
            raise
