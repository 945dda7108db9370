"""The parameters of a learner as fields of the page: names, defaults, choices and meanings stand in its docstring."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any

from ...workflow.choices import choose

ELSEWHERE = ("max_iter", "random_state")  # passes and seed are settings of every learner
NOT_HERE = ("history", "warm_start", "time_limit")  # of no use for one fit that can be cancelled
ENTRY = re.compile(r"^(\w+) : (.+?)(?:, default=(.+))?$")


def fields_of(learner: str) -> list[dict[str, Any]]:
    """Of each parameter its name, default, choices (none: any number or word) and what it is, in a sentence."""
    choice = choose(learner)
    maker = getattr(import_module(f"novikoff.estimators.{choice.module}"), choice.class_name)
    found: list[dict[str, Any]] = []
    for name, kind, text in _entries(inspect.getdoc(maker) or ""):
        if name in (*ELSEWHERE, *NOT_HERE):
            continue
        default = inspect.signature(maker).parameters[name].default
        found.append({"name": name, "default": str(default), "choices": _choices(kind), "help": _sentence(text)})
    return found


def _entries(documentation: str) -> list[tuple[str, str, str]]:
    """Name, kind and text of each parameter of a docstring (numpydoc)."""
    part = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-+\n|\Z)", documentation, re.M | re.S)
    found: list[tuple[str, str, str]] = []
    for line in part[1].splitlines() if part else []:
        entry = ENTRY.match(line)
        if entry:
            found.append((entry[1], entry[2], ""))
        elif found:
            name, kind, text = found[-1]
            found[-1] = (name, kind, f"{text} {line.strip()}".strip())
    return found


def _choices(kind: str) -> list[str]:
    """What can be chosen, if nothing else can be given."""
    if kind == "bool":
        return ["True", "False"]
    return re.findall(r'"([^"]+)"', kind) if re.fullmatch(r"\{[^}]*\}", kind) else []


def _sentence(text: str) -> str:
    return re.split(r"(?<=\.)\s", text.replace("``", ""), maxsplit=1)[0]
