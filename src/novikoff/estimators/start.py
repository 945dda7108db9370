"""The weights a fit starts from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def first_weights(
    init: Any, outputs: int, features: int, constant: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """``(coef, intercept)`` from the name of a start or an array; ``constant`` is the bias's feature, 0 without one."""
    if isinstance(init, str):
        make: dict[str, Callable] = {"zeros": np.zeros, "ones": np.ones, "random": rng.standard_normal}
        weights = make[init]((outputs, features + 1))
        return weights[:, :features], weights[:, features] * constant
    weights = np.atleast_2d(np.asarray(init, dtype=float))
    if weights.shape not in {(outputs, features), (outputs, features + 1)}:
        raise ValueError(
            f"init has the shape {weights.shape}; {outputs} output(s) and {features} features need "
            f"{(outputs, features)}, or {(outputs, features + 1)} with the intercept as last column."
        )
    if not np.all(np.isfinite(weights)):
        raise ValueError("init holds NaN or infinity.")
    if weights.shape[1] == features:
        return weights.copy(), np.zeros(outputs)
    if not constant and np.any(weights[:, features] != 0):
        raise ValueError("init has an intercept, but fit_intercept=False.")
    return weights[:, :features].copy(), weights[:, features].copy()


def warm_weights(coef: np.ndarray, intercept: np.ndarray, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The weights of the last fit, for ``warm_start``."""
    if coef.shape != shape:
        raise ValueError(
            f"warm_start=True goes on from weights of shape {coef.shape}, but these data need {shape}: set warm_start=False."
        )
    return coef.copy(), intercept.copy()
