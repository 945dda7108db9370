"""The weights a fit starts from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def first_weights(
    init: Any, outputs: int, features: int, constant: float, rng: np.random.Generator, name: str = "init"
) -> tuple[np.ndarray, np.ndarray]:
    """``(coef, intercept)`` from the name of a start or an array; ``constant`` is the bias's feature, 0 without one."""
    if isinstance(init, str):
        make: dict[str, Callable] = {"zeros": np.zeros, "ones": np.ones, "random": rng.standard_normal}
        weights = make[init]((outputs, features + 1))
        return weights[:, :features], weights[:, features] * constant
    weights = np.atleast_2d(np.asarray(init, dtype=float))
    if weights.shape not in {(outputs, features), (outputs, features + 1)}:
        raise ValueError(
            f"{name} has the shape {weights.shape}; {outputs} output(s) and {features} features need "
            f"{(outputs, features)}, or {(outputs, features + 1)} with the intercept as last column."
        )
    if not np.all(np.isfinite(weights)):
        raise ValueError(f"{name} holds NaN or infinity.")
    if weights.shape[1] == features:
        return weights.copy(), np.zeros(outputs)
    if not constant and np.any(weights[:, features] != 0):
        raise ValueError(f"{name} has an intercept, but fit_intercept=False.")
    return weights[:, :features].copy(), weights[:, features].copy()
