"""How each place where results are shown says what to do next: Python here, the command line in its own words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...inputs.readable import some


class Advice(NamedTuple):
    """A sentence, and what to type."""

    text: str
    commands: list[str]


class Wording(NamedTuple):
    """What is said of a model that is saved in a file, of one that is not, and of learning that was interrupted."""

    prompt: str  # before each line that can be typed
    saved: Callable[[str], list[str]]  # of the file: what uses it
    unsaved: Advice
    interrupted: Callable[[dict[str, Any]], Advice]  # of what is left


def _saved(file: str) -> list[str]:
    return [f"novikoff.predict_table({file!r}, new_rows)", f"novikoff.score_table({file!r}, labelled_rows)"]


def _interrupted(left: dict[str, Any]) -> Advice:
    if not left.get("checkpoint"):
        return Advice("The first pass was not over: nothing was saved.", [])
    passes = some(left.get("passes") or 0, "whole pass", "whole passes")
    file = str(left["checkpoint"])
    return Advice(f"What was learned in {passes} is in {file}. The same call with checkpoint={file!r} goes on.", [])


PYTHON = Wording(
    prompt=">>> ",
    saved=_saved,
    unsaved=Advice(
        "The model is result.model, and is not saved in a file.",
        ["result.save('model.novikoff')", "novikoff.predict_table(result, new_rows)"],
    ),
    interrupted=_interrupted,
)
