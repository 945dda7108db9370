"""The hard margin, ``C = inf``: the largest margin that ``separability`` finds and encloses.

Its weights, scaled so that the closest row has the margin 1, minimise ``1/2 |w|^2``.  The rows that hold the margin, with the
weights that prove it, are the dual point, except its scale.

The proof's weights are fractions, and what is returned are floats: other weights, which separate the rows a little less
well, or not at all.  So these are looked at again (``audit``): their margins must be at least 1 for sure, and the gap is that
of their own objective.  How much is lost depends on how the bias is rounded, which changes with the scale: some are tried.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ..proof.answer.separable import separability
from ..system.clock import Clock
from .audit import Fit, GapProof, SureRows, prove
from .objectives import CrammerSinger, Hinge
from .shifted_rows import shifted

SCALES = 32  # of the weights are tried where the bias is rounded coarsely:
COARSE = 1e-9  # to steps as long as this, in margins


class Inseparable(ValueError):
    """No weights separate the classes, so that there is no hard margin."""


class Unholdable(ValueError):
    """Weights separate the classes, but floats cannot hold them."""


def hard_margin(loss: Hinge | CrammerSinger, fit: Fit, clock: Clock, name: str) -> GapProof:
    """The answer for ``C = inf``; ``name`` says which classes it is about."""
    labels = loss.target if isinstance(loss, CrammerSinger) else loss.signs[0]
    limit = clock.part(1.0)
    proof = separability(fit.X, labels, fit_intercept=fit.intercept, max_margin=True, time_limit=limit)
    refuse_inseparable(proof, name)
    centre = fit.near()
    coef, near = _near_weights(proof, centre)
    if loss.joint:
        coef, near = coef - coef.mean(axis=0), near - near.mean()
    shares = _shares(loss, proof, fit, centre, len(coef))
    held = _held(loss, fit, coef, near, shares, centre, clock)
    plain = fit.X @ held.coef.T + held.bias
    if not np.isfinite(held.gap.primal).all() or loss.margins(plain, np.zeros_like(plain))[0].min() <= 0:
        raise Unholdable(
            f"C=inf asks for a hard margin{name}. Some weights separate the classes (separability proves it), but the margin is so "
            "small compared with the numbers in X that weights rounded to float64 do not: subtract its mean from each column, scale "
            "the columns, or choose a finite C."
        )
    return held


def _near_weights(proof: Any, centre: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The proof's weights as floats, and its biases for rows that are shifted to where they are near zero."""
    assert proof.exact_weights is not None
    coef, intercept = np.atleast_2d(proof.coef), np.atleast_1d(proof.intercept)
    if centre is None:
        return coef, intercept
    far = [(j, Fraction(float(centre[j]))) for j in np.flatnonzero(centre).tolist()]
    near = [float(sum((row[j] * place for j, place in far), row[-1])) for row in proof.exact_weights]
    return coef, np.array(near)


def _shares(loss: Any, proof: Any, fit: Fit, centre: np.ndarray | None, outputs: int) -> np.ndarray:
    """The dual point: the proof's weights of the rows that hold the margin, as long as is best.  Along them the dual is largest where its two
    parts balance."""
    shares = np.zeros((fit.X.shape[0], outputs))
    if proof.support is None:
        return shares
    rows, alphas = proof.support.rows, np.array([float(weight) for weight in proof.support.weights])
    if loss.joint:
        np.add.at(shares, (rows, proof.support.rivals), -alphas)
        np.add.at(shares, (rows, loss.target[rows]), alphas)
    else:
        shares[rows, 0] = alphas * loss.signs[0, rows]
    made = (fit.X if centre is None else fit.X - centre).T @ shares
    square = float(np.square(made).sum())
    return shares * (float(alphas.sum()) / square) if square > 0 else shares


def _held(
    loss: Any, fit: Fit, coef: np.ndarray, near: np.ndarray, shares: np.ndarray, centre: np.ndarray | None, clock: Clock
) -> GapProof:
    """Floats of about these weights whose margins are surely at least 1: the shortest found."""
    rows = SureRows(fit.X, centre)
    while rows.more_careful():
        pass
    margins, errors = loss.margins(*rows.scores(coef, near))
    least = float((margins - errors).min())
    best = None
    for k in range(SCALES):
        scale = (1 + k / SCALES) / least if least > 0 else 1.0
        b = np.asarray(shifted(scale * coef, scale * near, centre, -1))
        proof = prove(loss, fit, scale * coef, b, 0.0, shares)
        best = proof if best is None or proof.gap.primal.sum() < best.gap.primal.sum() else best
        if least <= 0 or np.spacing(np.abs(b)).max() < COARSE or clock.over:
            break
    assert best is not None
    return best


def refuse_inseparable(proof: Any, name: str) -> None:
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
