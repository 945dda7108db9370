"""The hard margin, ``C = inf``: the largest margin that ``separability`` finds and encloses.

Its weights, scaled so that the closest row has the margin 1, minimise ``1/2 |w|^2``.  The rows that hold the margin, with the
weights that prove it, are the dual point but for its scale.

The proof's weights are fractions, and what is returned are floats: other weights, which separate the rows a little less
well, or not at all.  So these are looked at anew (``margin_audit``): their margins must be at least 1 for sure, and the gap is that
of their own objective.  How much is lost depends on how the bias is rounded, which changes with the scale: some are tried.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ..inputs.clock import Clock
from ..proof.answer.proofs import Proof
from ..proof.answer.separable import separability
from .crammer_singer import Joint, JointAnswer, leads, signed
from .margin_audit import AuditRows, audited, audited_jointly
from .problem import Answer, Problem, weights_of
from .shifted_rows import shifted

SCALES = 32  # of the weights are tried where the bias is rounded coarsely:
COARSE = 1e-9  # to steps as long as this, in margins


class Inseparable(ValueError):
    """No weights separate the classes, so that there is no hard margin."""


class Unholdable(ValueError):
    """Weights separate the classes, but floats cannot hold them."""


def hard_margin(rows: AuditRows, clock: Clock, name: str) -> Answer:
    """The answer for ``C = inf``; ``name`` says which classes it is about."""
    problem = rows.problem
    assert isinstance(problem, Problem)
    proof = _separated(problem, problem.signs, clock, name)
    coef, near = _near_weights(proof, rows)
    w, b = _held(rows, coef[0], float(near[0]), clock, name)
    if np.any(problem.signs * (problem.X @ w + b) <= 0):
        raise _unholdable(name)
    alpha = np.zeros(problem.signs.size)
    if proof.support is not None:
        alpha[proof.support.rows] = [float(weight) for weight in proof.support.weights]
    alpha *= _best_scale(alpha, weights_of(problem._replace(X=rows.X), alpha))
    return audited(rows, Answer(w, b, alpha, np.inf, -np.inf))


def joint_hard_margin(rows: AuditRows, clock: Clock) -> JointAnswer:
    """The same for all classes at once."""
    problem = rows.problem
    assert isinstance(problem, Joint)
    proof = _separated(problem, problem.target, clock, "")
    coef, near = _near_weights(proof, rows)
    w, b = _held(rows, coef - coef.mean(axis=0), near - near.mean(), clock, "")
    if np.any(leads(problem.target, problem.X @ w.T + b) <= 0):
        raise _unholdable("")
    alpha = np.zeros((problem.target.size, problem.classes))
    if proof.support is not None:
        alpha[proof.support.rows, proof.support.rivals] = [float(weight) for weight in proof.support.weights]
    alpha *= _best_scale(alpha, rows.X.T @ signed(problem.target, alpha))
    return audited_jointly(rows, JointAnswer(w, b, alpha, np.inf, -np.inf))


def _near_weights(proof: Proof, rows: AuditRows) -> tuple[np.ndarray, np.ndarray]:
    """The proof's weights as floats, and its biases for rows that are shifted to where they are near zero."""
    assert proof.exact_weights is not None
    coef, intercept = np.asarray(proof.coef), np.asarray(proof.intercept)
    if rows.centre is None:
        return coef, intercept
    far = [(j, Fraction(float(rows.centre[j]))) for j in np.flatnonzero(rows.centre).tolist()]
    near = [float(sum((row[j] * place for j, place in far), row[-1])) for row in proof.exact_weights]
    return coef, np.array(near)


def _held(rows: AuditRows, w: np.ndarray, near: Any, clock: Clock, name: str) -> tuple[np.ndarray, Any]:
    """Floats of about these weights whose margins are surely at least 1: the shortest found."""
    found, error = rows.near_margins(w, near)
    least = float((found - error).min())
    best = w, near, np.inf
    for k in range(SCALES if least > 0 else 0):
        scale = (1 + k / SCALES) / least
        b = shifted(scale * w, scale * near, rows.centre, -1)
        best = min(best, rows.primal(scale * w, b), key=lambda found: found[2])
        if np.spacing(np.abs(b)).max() < COARSE or clock.over:
            break
    if best[2] == np.inf:
        raise _unholdable(name)
    return best[:2]


def _separated(problem: Any, labels: np.ndarray, clock: Clock, name: str) -> Any:
    """The proof, if the classes are separable."""
    limit = clock.part(1.0)
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
            f"C=inf asks for a hard margin{name}, but it could not be decided in time whether the classes are separable: raise "
            f"time_limit, or choose a finite C.\n{proof}"
        )
    if not proof.separable:
        without, or_with = ("", "") if proof.fit_intercept else (" without an intercept", ", or fit_intercept=True")
        raise Inseparable(
            f"C=inf asks for a hard margin{name}, but no weights{without} separate the classes: choose a finite C{or_with}.\n{proof}"
        )


def _unholdable(name: str) -> Unholdable:
    return Unholdable(
        f"C=inf asks for a hard margin{name}. Some weights separate the classes (separability proves it), but the margin is so "
        "small compared with the numbers in X that weights rounded to float64 do not: subtract its mean from each column, scale "
        "the columns, or choose a finite C."
    )
