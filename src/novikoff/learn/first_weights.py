"""What learning starts from: rows held out, the constant feature, the first weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.extmath import row_norms

from ..inputs.arrays import ColumnNames, refuse_bad_values

TINIEST = 1e-150  # the square of a smaller number, or of one over it, leaves the range of floats


def first_weights(
    init: Any, outputs: int, features: int, constant: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """``(coef, intercept)`` from the name of a start or an array; ``constant`` is the bias's feature, 0 without one."""
    if isinstance(init, str):
        make: dict[str, Callable[..., np.ndarray]] = {"zeros": np.zeros, "ones": np.ones, "random": rng.standard_normal}
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
            f"warm_start=True starts from weights of shape {coef.shape}, but these data need {shape}: set warm_start=False."
        )
    return coef.copy(), intercept.copy()


def hold_out(
    members: np.ndarray, target: np.ndarray, fraction: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rows to learn from and rows held out, both in the data's order; of classes, the same share of each."""
    from sklearn.model_selection import train_test_split  # takes long to import

    labels = target[members] if target.dtype.kind == "i" else None
    try:
        learn, held_out = train_test_split(
            members, test_size=fraction, stratify=labels, random_state=int(rng.integers(2**31))
        )
    except ValueError as error:
        what = "rows" if labels is None else "rows of every class"
        raise ValueError(f"early_stopping cannot hold out {what}: {error}") from None
    return np.sort(learn), np.sort(held_out)


def squared_constant(learner: Any, largest: Callable[[], float]) -> float:
    """The square of the constant feature; with "radius", the largest squared norm of a row that takes part."""
    if not learner.fit_intercept:
        return 0.0
    if learner.intercept_scaling != "radius":
        constant = float(learner.intercept_scaling)
        if not TINIEST < constant < 1 / TINIEST:
            raise ValueError(
                f"intercept_scaling={constant} is out of range: its square is too small or too large for float64."
            )
        return constant**2
    return largest() or 1.0


def squared_radius(names: ColumnNames, X: Any, members: np.ndarray) -> float:
    """The largest squared norm of these rows of X."""
    largest = float(row_norms(X, squared=True)[members].astype(float).max(initial=0.0))
    if not np.isfinite(largest):
        refuse_bad_values(names, X)
    if not np.isfinite(largest) or (members.size and largest < np.finfo(float).tiny and abs(X[members]).max() > 0):
        raise OverflowError(
            "intercept_scaling='radius' needs the squared norms of the rows, but they are out of range. Scale the columns."
        )
    return largest
