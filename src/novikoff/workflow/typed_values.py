"""Values of parameters as people type them: numbers, words, None."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

WORDS = {"True": True, "False": False, "None": None, "inf": float("inf")}


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
