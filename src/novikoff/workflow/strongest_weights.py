"""The weights of largest size of a model, by the names of their features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .documents import Result


@dataclass(frozen=True, kw_only=True)
class FeatureWeight(Result):
    """A weight."""

    name: str  # of the feature
    weight: float


@dataclass(frozen=True, kw_only=True)
class ClassWeights(Result):
    """The strongest weights of a class; of numbers the class is None."""

    class_: str | None
    intercept: float
    features: list[FeatureWeight]


def parts(model: Any) -> tuple[Any, Any]:
    """Encoder (None: rows are taken as they are) and learner of a model."""
    *before, learner = [step for _, step in model.steps] if hasattr(model, "steps") else [model]
    if len(before) > 1 or not all(hasattr(step, "columns_") for step in before) or not hasattr(learner, "predict"):
        names = ", ".join(type(step).__name__ for step in (*before, learner))
        raise ValueError(
            f"Tables are for a learner, or for a TableEncoder and a learner; this model is {names}. Call its own predict."
        )
    return (before[0] if before else None), learner


def strongest(model: Any, top: int) -> list[ClassWeights] | None:
    """The weights of largest size, by name, for every class; of two classes for the second; of a kernel's learner none."""
    encoder, learner = parts(model)
    if not hasattr(learner, "coef_"):
        return None
    name = _namer(encoder)
    coef = np.atleast_2d(learner.coef_)
    labels = getattr(learner, "classes_", [None])
    shown = [labels[-1]] if len(coef) == 1 else labels
    intercepts = np.broadcast_to(learner.intercept_, len(coef))
    return [
        ClassWeights(
            class_=None if label is None else str(label),
            intercept=float(intercept),
            features=[FeatureWeight(name=name(j), weight=float(row[j])) for j in largest(row, top)],
        )
        for label, row, intercept in zip(shown, coef, intercepts, strict=True)
    ]


def _namer(encoder: Any) -> Callable[[int], str]:
    """The name of a feature by its place; those of sparse rows count from 1, as their files do."""
    if encoder is None:
        return lambda place: f"x{place + 1}"
    names = encoder.get_feature_names_out()
    return lambda place: str(names[place])


def largest(row: np.ndarray, top: int) -> list[int]:
    """Where the ``top`` weights of largest size stand, largest first; of equal ones the first."""
    size = np.abs(row)
    least = np.partition(size, -top)[-top] if 0 < top < size.size else 0.0
    places = np.flatnonzero(size >= least)
    return [int(place) for place in places[np.argsort(-size[places], kind="stable")][:top]]
