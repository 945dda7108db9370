"""Dual coordinate descent for a batch of outputs, by the programs for one problem and for several."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inputs.clock import Clock
from .audit import Found
from .descend_together import descend_together, wide
from .margin_audit import AuditRows
from .problem import Answer, Problem
from .solve import solve


def descend(
    X: Any,
    signs: np.ndarray,
    bounds: np.ndarray,
    squared: bool,
    intercept: bool,
    tol: float,
    clock: Clock,
    rng: np.random.Generator,
    start: Found | None,
) -> Found:
    """Weights for each line of ``signs``, and their dual point."""
    problem = Problem(X.astype(float, copy=False), signs[0], bounds, squared, intercept)
    outcomes: list[Any] = []
    if start is None and wide(problem):
        outcomes, _ = descend_together(problem, signs, tol, clock, rng)
    rows = AuditRows(problem)
    for k in range(len(signs)):
        known = outcomes[k] if k < len(outcomes) else None
        if known is not None and known.reason == "solved":
            continue
        one = None if known is None else known.answer
        if start is not None:
            shares = np.zeros((len(bounds), len(signs))) if start.shares is None else start.shares
            one = Answer(start.coef[k], float(start.bias[k]), np.abs(shares[:, k]), 0.0, 0.0)
        found = solve(rows.of(problem._replace(signs=signs[k])), tol, "descent", clock, rng, one)
        outcomes[k : k + 1] = [found]
    return Found(
        np.array([one.answer.w for one in outcomes]),
        np.array([one.answer.b for one in outcomes]),
        np.array([one.iterations for one in outcomes]),
        np.array([one.answer.alpha for one in outcomes]).T * signs.T,
    )
