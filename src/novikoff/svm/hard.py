"""The hard margin, ``C = inf``: the largest margin that ``separability`` finds and encloses.

Its weights, scaled so that the closest row has the margin 1, minimise ``1/2 |w|^2``.  The rows that hold the margin, with the
weights that prove it, are the dual point but for its scale.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..proof import Proof, separability
from ..proof.clock import Clock
from .joint import Joint, JointAnswer, joint_feasible, leads, signed
from .problem import Answer, Problem, feasible, weights_of


class Inseparable(ValueError):
    """No weights separate the classes, so that there is no hard margin."""


def hard_margin(problem: Problem, clock: Clock, name: str) -> Answer:
    """The answer for ``C = inf``; ``name`` says which classes it is about."""
    proof = _separated(problem, problem.signs, clock, name)
    w, b = proof.coef[0], float(proof.intercept[0])
    least = float((problem.signs * (problem.X @ w + b)).min())
    alpha = np.zeros(problem.signs.size)
    if proof.support is not None:
        alpha[proof.support.rows] = [float(weight) for weight in proof.support.weights]
    alpha = feasible(problem._replace(bounds=np.full(alpha.size, np.inf)), alpha)
    alpha *= _best_scale(alpha, weights_of(problem, alpha))
    return Answer(w / least, b / least, alpha, *_values(proof))


def joint_hard_margin(problem: Joint, clock: Clock) -> JointAnswer:
    """The same for all classes at once."""
    proof = _separated(problem, problem.target, clock, "")
    w, b = proof.coef - proof.coef.mean(axis=0), proof.intercept - proof.intercept.mean()
    least = float(leads(problem.target, problem.X @ w.T + b).min())
    alpha = np.zeros((problem.target.size, problem.classes))
    if proof.support is not None:
        alpha[proof.support.rows, proof.support.rivals] = [float(weight) for weight in proof.support.weights]
    alpha = joint_feasible(problem._replace(bounds=np.full(problem.target.size, np.inf)), alpha)
    alpha *= _best_scale(alpha, problem.X.T @ signed(problem.target, alpha))
    return JointAnswer(w / least, b / least, alpha, *_values(proof))


def _values(proof: Proof) -> tuple[float, float]:
    """``1/2 |w|^2`` of the largest margin g is ``1 / (2 g^2)``, and g is enclosed."""
    assert proof.margin_bounds is not None
    low, high = (float(bound) for bound in proof.margin_bounds)
    return (0.5 / low / low if low > 0 else np.inf), 0.5 / high / high  # (their squares may be no numbers)


def _separated(problem: Any, labels: np.ndarray, clock: Clock, name: str) -> Any:
    """The proof, if the classes are separable."""
    limit = None if clock.left == np.inf else max(clock.left, 1e-3)
    proof = separability(problem.X, labels, fit_intercept=problem.intercept, max_margin=True, time_limit=limit)
    refuse_inseparable(proof, name)
    return proof


def _best_scale(alpha: np.ndarray, weights: np.ndarray) -> float:
    """Along alpha the dual is largest where its two parts balance."""
    square = float(np.square(weights).sum())
    return float(alpha.sum()) / square if square > 0 else 1.0


def refuse_inseparable(proof: Proof, name: str) -> None:
    """Say in the proof's words why there is no hard margin."""
    if proof.separable is None:
        raise Inseparable(
            f"C=inf asks for a hard margin{name}, but whether the classes are separable was not settled in time: raise "
            f"time_limit, or choose a finite C.\n{proof}"
        )
    if not proof.separable:
        raise Inseparable(
            f"C=inf asks for a hard margin{name}, and no weights separate the classes: choose a finite C.\n{proof}"
        )
