"""What was learned so far, in a file after every pass, so that learning can go on after it was cut short.

The order of a pass depends on the seed and the number of the pass only, and a model file holds all that its learner needs
to go on.  So a learner that is killed at any instant and resumed comes to the same weights, to the last bit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...estimators.base import learned_by, most_passes
from ...rows.store.blocks import DataError
from .saving import load_with_notes, save

MOST_NAMED = 5  # differences that an error message names


class Resumed(NamedTuple):
    """A model as it was after its last whole pass."""

    model: Any
    next_pass: int

    @property
    def learner(self) -> Any:
        """The model without what encodes its rows."""
        return self.model[-1] if hasattr(self.model, "steps") else self.model


class Checkpoint:
    """A file to go on from.

    ``fingerprint`` holds everything that what is learned depends on, as plain texts and numbers (in dicts and lists):
    options, the seed, sizes and rows of the data, versions.
    """

    def __init__(self, path: str | Path, fingerprint: dict[str, Any]) -> None:
        self.path = Path(path)
        self._fingerprint = json.loads(json.dumps(fingerprint))

    def write(self, model: Any, next_pass: int) -> None:
        """Replace the file by one with this model, which has passes up to ``next_pass`` behind it."""
        save(model, self.path, notes={"checkpoint": {"next_pass": next_pass, "made_from": self._fingerprint}})

    def resume(self, learner: Any) -> Resumed | None:
        """What the file says, or None if there is none; refused if it was made from something else.

        ``learner`` is as the file's own was before its first pass.
        """
        if not self.path.exists():
            return None
        model, notes = load_with_notes(self.path)
        noted = notes.get("checkpoint")
        if noted is None:
            raise DataError(f"{self.path}: this is a finished model, not one to go on from; name another file.")
        match noted:
            case {"next_pass": next_pass, "made_from": {**made_from}, **more} if not more:
                self._refuse_other(made_from)
                found = Resumed(model, next_pass)
                self._refuse_unlikely(found.learner, next_pass, learner)
                return found
        raise DataError(f"{self.path}: its notes are not those of a checkpoint; delete the file to start again.")

    def _refuse_other(self, made_from: Any) -> None:
        changed = list(differences(made_from, self._fingerprint))
        if changed:
            more = "" if len(changed) <= MOST_NAMED else f"; and {len(changed) - MOST_NAMED} more"
            raise DataError(
                f"{self.path}: this was learned from something else, so that learning cannot go on from it: "
                f"{'; '.join(changed[:MOST_NAMED])}{more}. Restore what has changed, or delete the file to start again."
            )

    def _refuse_unlikely(self, found: Any, next_pass: Any, learner: Any) -> None:
        """What learning could not have left there."""
        if type(found) is not type(learner) or str(found.get_params()) != str(learner.get_params()):
            raise DataError(f"{self.path}: its model is not what its notes say; delete the file to start again.")
        history = learned_by(found).history
        made = found.n_iter_ if history else 0
        if history and "mistakes" not in history:
            raise DataError(f"{self.path}: its model lacks the record of its passes; delete the file to start again.")
        if type(next_pass) is not int or not 0 < next_pass == made <= most_passes(learner):
            raise DataError(
                f"{self.path}: it says that {next_pass!r} passes of {most_passes(learner)} are done, and its model has made {made}; "
                "delete the file to start again."
            )


def differences(before: Any, now: Any, name: str = "") -> Iterator[str]:
    """What differs, in words."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in [*before, *(key for key in now if key not in before)]:
            yield from differences(before.get(key), now.get(key), f"{name} {key}".strip())
    elif before != now:
        yield f"{name} was {before!r} and is {now!r} now"
