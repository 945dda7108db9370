"""Answers of ``descend_together``, audited in a few products of matrices, with floats no longer than those of X."""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np

from ..inputs.clock import Clock
from ..inputs.rounding_error import UNIT
from .balance import balance
from .margin_audit import AuditRows
from .problem import Answer
from .shifted_rows import shifted
from .solve import Outcome, given


def answers_of(
    rows: AuditRows,
    signs: np.ndarray,
    W: np.ndarray,
    b: np.ndarray,
    alphas: np.ndarray,
    solver: str,
    steps: np.ndarray,
    tol: float,
    clock: Clock,
) -> tuple[list[Outcome], np.ndarray]:
    """What was found, with values that rounding cannot have improved, and the slacks of all rows."""
    answers, slack = _audited(rows, signs, W, b, alphas)
    outcomes = [
        given(answer, solver, tol, clock)._replace(iterations=int(taken))
        for answer, taken in zip(answers, steps, strict=True)
    ]
    return outcomes, slack


def _audited(
    rows: AuditRows, signs: np.ndarray, W: np.ndarray, b: np.ndarray, alphas: np.ndarray
) -> tuple[list[Answer], np.ndarray]:
    """Answers with values that rounding cannot have improved, and the slacks of their rows."""
    problem: Any = rows.problem
    scores, errors = rows.scores(W, shifted(W, b, rows.centre, 1))
    short = 1.0 - signs * scores.T
    most = np.maximum(0.0, short + errors.T)
    most = np.square(most) if problem.squared else most
    primal = (0.5 * np.square(W).sum(axis=1) + most @ problem.bounds) * rows.surely * rows.surely
    if problem.intercept:
        balance(alphas, signs)
    sums = alphas.sum(axis=1).tolist() if problem.intercept else [fsum(alpha) for alpha in alphas.tolist()]
    dual = sums - 0.5 * rows.squares((alphas * signs).T)
    if problem.squared:
        dual -= 0.25 * ((alphas * alphas) @ (1 / problem.bounds)) * rows.surely * rows.surely
    dual -= 8 * UNIT * (sums + np.abs(dual))
    answers = [Answer(*parts) for parts in zip(W, b.tolist(), alphas, primal.tolist(), dual.tolist(), strict=True)]
    return answers, np.maximum(0.0, short)
