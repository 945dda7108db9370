"""Results as documents: plain dicts, lists, texts and numbers, which can be written as JSON and which pages are made of."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

INLINE = {"inline": True}  # metadata of a part whose fields stand among the result's own in its document
HIDDEN = {"hidden": True}  # metadata of what is no part of the document: models, proofs
FILE_OF_MODEL = {"name": "model"}  # metadata of ``model_file``, which documents call "model"


@dataclass(frozen=True)
class Result:
    """Something that was found out.

    The document of it has its fields by name.  Those that are None by default are left out where they are None: they do
    not concern this result.  An underscore at the end of a name (``class_``) is left out, too.
    What is ``HIDDEN`` is no part of it.
    """

    def to_dict(self) -> dict[str, Any]:
        """The document."""
        found: dict[str, Any] = {}
        for own in fields(self):
            value = getattr(self, own.name)
            if own.metadata.get("hidden") or (value is None and own.default is None):
                continue
            if own.metadata.get("inline"):
                found |= value.to_dict()
            else:
                found[own.metadata.get("name") or own.name.removesuffix("_")] = _plain(value)
        return found


def _plain(value: Any) -> Any:
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


def plain(value: Any) -> Any:
    """The same in Python's own types; what is not finite becomes None."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(part) for part in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    return None if value is None else str(value)
