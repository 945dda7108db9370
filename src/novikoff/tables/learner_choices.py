"""Learners by their names in texts, how they are made, and values of their parameters as people type them."""

from __future__ import annotations

import difflib
import inspect
import json
import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from ..estimators.learners import LEARNERS
from ..report.words import keyword

PASSES = 10  # at most, of a learner that is asked for by name and takes steps
MACHINES = {"LinearSVM": "linear_svm", "KernelSVM": "kernel_svm"}  # solved rather than learned row by row
WORDS = {"True": True, "False": False, "None": None, "inf": float("inf")}


class Choice(NamedTuple):
    """A learner that can be asked for."""

    name: str  # such as "linear-svm"
    class_name: str
    module: str  # of ``estimators``, imported when one is made
    task: str  # "classes" or "numbers"
    linear: bool  # has weights in the columns


class LearningSettings(NamedTuple):
    """How a learner is to learn."""

    parameters: dict[str, Any]  # of the learner; they go before everything else
    passes: int | None = None  # at most; None: 10 if it takes steps, of an estimator its own
    seed: int = 0
    standardise: bool = True  # whether columns of numbers are brought to mean 0 and deviation 1 first


def _dashed(class_name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", class_name).lower()


CHOICES = (
    *(Choice(_dashed(row.name), row.name, row.module, row.task, row.linear) for row in LEARNERS),
    *(Choice(_dashed(name), name, home, "classes", name == "LinearSVM") for name, home in MACHINES.items()),
)


def choose(name: str) -> Choice:
    """The learner of this name, dashed or as the class is called."""
    wanted = name.replace("_", "-").lower()
    for choice in CHOICES:
        if wanted == choice.name or wanted.replace("-", "") == choice.class_name.lower():
            return choice
    known = [choice.name for choice in CHOICES]
    close = difflib.get_close_matches(wanted, known, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise ValueError(f"{keyword('learner', name)} is not known.{hint} There are: {', '.join(known)}.")


def choice_of(learner: Any) -> Choice:
    """The learner that a name, or an estimator, stands for."""
    if isinstance(learner, str):
        return choose(learner)
    for choice in CHOICES:
        if type(learner).__name__ == choice.class_name and type(learner).__module__.endswith(f".{choice.module}"):
            return choice
    raise TypeError(
        f"learner is a name ({', '.join(choice.name for choice in CHOICES)}) or an estimator of novikoff; got {learner!r}."
    )


def make(choice: Choice, settings: LearningSettings, given: Any = None) -> Any:
    """The learner, not fitted: one of this choice, or a copy of the estimator that was ``given``."""
    maker = getattr(import_module(f"..estimators.{choice.module}", __package__), choice.class_name)
    known = inspect.signature(maker).parameters
    for name in settings.parameters:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise ValueError(f"{choice.class_name} has no parameter {name!r}.{hint} It has: {', '.join(known)}.")
    ours: dict[str, Any] = {"random_state": settings.seed}
    loops = choice.class_name not in MACHINES
    if loops and settings.passes is not None:
        ours["max_iter"] = settings.passes
    own = {} if given is None else given.get_params(deep=False)
    if own.get("random_state") is not None:
        del ours["random_state"]
    wanted = {**own, **ours, **settings.parameters}
    learner = maker(**{name: value for name, value in wanted.items() if name in known})
    from ..estimators.base import check_parameters  # scikit-learn, which help does without
    from ..estimators.solver_or_steps import asks_for_steps  # likewise

    check_parameters(learner)
    if loops and given is None and "max_iter" not in wanted and asks_for_steps(learner):
        learner.set_params(max_iter=PASSES)
    return learner


def unusual(learner: Any) -> dict[str, Any]:
    """The parameters that differ from their defaults."""
    defaults = {name: p.default for name, p in inspect.signature(type(learner)).parameters.items()}
    return {name: value for name, value in learner.get_params().items() if repr(value) != repr(defaults[name])}


def typed_parameters(texts: Mapping[str, str]) -> dict[str, Any]:
    """Parameters of a learner; values as JSON has them (0.1, true, null, {"a": 2}), anything else as text."""
    found = {name: typed_value(text) for name, text in texts.items()}
    weights = found.get("class_weight")
    if isinstance(weights, dict):  # scikit-learn looks labels that are whole numbers up as such
        found["class_weight"] = {_label(label): weight for label, weight in weights.items()}
    return found


def typed_value(text: str) -> Any:
    """One value."""
    if text in WORDS:
        return WORDS[text]
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _label(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return text
