"""Learners by the names the command line gives them, and their parameters from text."""

from __future__ import annotations

import difflib
import inspect
import json
import re
from typing import Any, NamedTuple

from ..learners import LEARNERS
from ..shell import quote

MACHINES = ("LinearSVM", "KernelSVM")  # solved rather than learned row by row


class Choice(NamedTuple):
    """A learner that can be asked for."""

    name: str  # on the command line
    class_name: str
    task: str  # "classes" or "numbers"
    linear: bool  # has weights in the columns


def _dashed(class_name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", class_name).lower()


CHOICES = (
    *(Choice(_dashed(row.name), row.name, row.task, row.linear) for row in LEARNERS),
    *(Choice(_dashed(name), name, "classes", name == "LinearSVM") for name in MACHINES),
)
STARTS = {"Perceptron": {"keep": "average"}}  # where the library's defaults are for other ends


def choose(name: str) -> Choice:
    """The learner of this name, dashed or as the class is called."""
    wanted = name.replace("_", "-").lower()
    for choice in CHOICES:
        if wanted in (choice.name, choice.class_name.lower()):
            return choice
    known = [choice.name for choice in CHOICES]
    close = difflib.get_close_matches(wanted, known, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise ValueError(f"--learner {quote(name)} is not known.{hint} There are: {', '.join(known)}.")


def make(choice: Choice, settings: dict[str, Any], passes: int, seed: int) -> Any:
    """The learner, not fitted; ``settings`` go before everything else."""
    import novikoff

    maker = getattr(novikoff, choice.class_name)
    known = inspect.signature(maker).parameters
    for name in settings:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise ValueError(
                f"--set {quote(name)}=...: {choice.class_name} has no such parameter.{hint} It has: {', '.join(known)}."
            )
    ours = {**STARTS.get(choice.class_name, {}), "random_state": seed}
    if choice.class_name not in MACHINES:
        ours["max_iter"] = passes
    learner = maker(**{name: value for name, value in {**ours, **settings}.items() if name in known})
    learner._validate_params()
    return learner


def read_settings(texts: list[str] | None) -> dict[str, Any]:
    """Parameters given as ``name=value``; values as JSON has them (0.1, true, null, {"a": 2}), anything else as text."""
    settings: dict[str, Any] = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"--set {quote(text)}: write it as name=value, e.g. --set eta=0.1")
        settings[name.strip()] = _value(value.strip())
    weights = settings.get("class_weight")
    if isinstance(weights, dict):  # scikit-learn looks labels that are whole numbers up as such
        settings["class_weight"] = {_label(label): weight for label, weight in weights.items()}
    return settings


def _label(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return text


def _value(text: str) -> Any:
    words = {"True": True, "False": False, "None": None, "inf": float("inf")}
    if text in words:
        return words[text]
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def unusual(learner: Any) -> dict[str, Any]:
    """The parameters that differ from their defaults."""
    defaults = {name: p.default for name, p in inspect.signature(type(learner)).parameters.items()}
    return {name: value for name, value in learner.get_params().items() if repr(value) != repr(defaults[name])}
