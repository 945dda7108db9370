"""Parameters of learners as they are typed: ``--set name=value``."""

from __future__ import annotations

import json
from typing import Any

from ..inputs.shell import quote


def read_parameters(texts: list[str] | None) -> dict[str, Any]:
    """Parameters given as ``name=value``; values as JSON has them (0.1, true, null, {"a": 2}), anything else as text."""
    parameters: dict[str, Any] = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"--set {quote(text)}: write it as name=value, e.g. --set eta=0.1")
        parameters[name.strip()] = _value(value.strip())
    weights = parameters.get("class_weight")
    if isinstance(weights, dict):  # scikit-learn looks labels that are whole numbers up as such
        parameters["class_weight"] = {_label(label): weight for label, weight in weights.items()}
    return parameters


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
