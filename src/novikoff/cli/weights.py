"""``novikoff weights``, and the strongest weights of every report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .verdict import feature_names


def parts(model: Any) -> tuple[Any, Any]:
    """Encoder (None for sparse rows) and learner of a model."""
    *before, learner = [step for _, step in model.steps] if hasattr(model, "steps") else [model]
    if len(before) > 1 or not all(hasattr(step, "columns_") for step in before) or not hasattr(learner, "predict"):
        names = ", ".join(type(step).__name__ for step in (*before, learner))
        raise ValueError(
            f"The command line takes a learner, or a TableEncoder and a learner; this model is {names}. Use it from Python."
        )
    return (before[0] if before else None), learner


def strongest(model: Any, top: int) -> list[dict[str, Any]] | None:
    """The weights of largest size, by name, for every class; of two classes for the second; of a kernel's learner none."""
    encoder, learner = parts(model)
    if not hasattr(learner, "coef_"):
        return None
    names = feature_names(learner.n_features_in_, encoder)
    coef = np.atleast_2d(learner.coef_)
    labels = getattr(learner, "classes_", [None])
    shown = [labels[-1]] if len(coef) == 1 else labels
    intercepts = np.broadcast_to(learner.intercept_, len(coef))
    return [
        {
            "class": None if label is None else str(label),
            "intercept": float(intercept),
            "features": [
                {"name": names[j], "weight": float(row[j])} for j in np.argsort(-np.abs(row), kind="stable")[:top]
            ],
        }
        for label, row, intercept in zip(shown, coef, intercepts, strict=True)
    ]


def weights(path: Path, top: int) -> dict[str, Any]:
    """Everything that ``--json`` prints."""
    from ..models.files import load

    model = load(path)
    found = strongest(model, top)
    if found is None:
        raise ValueError(
            f"{path}: {type(parts(model)[1]).__name__} weighs rows, not features: there are no weights to show."
        )
    learner = parts(model)[1]
    return {
        "command": "weights",
        "model": str(path),
        "learner": type(learner).__name__,
        "features": learner.n_features_in_,
        "weights": found,
    }
