"""Parameters of learners as they are typed: ``--set name=value``."""

from __future__ import annotations

from typing import Any

from ..inputs.shell import quote
from ..workflow.typed_values import typed_parameters


def read_parameters(texts: list[str] | None) -> dict[str, Any]:
    """Parameters given as ``name=value``."""
    values: dict[str, str] = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"--set {quote(text)}: write it as name=value, e.g. --set eta=0.1")
        values[name.strip()] = value.strip()
    return typed_parameters(values)
