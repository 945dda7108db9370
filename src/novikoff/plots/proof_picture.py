"""A proof in the plane: the line and its margin, or the hulls and the rows of the witness."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..proof.answer.describe import hulls_meet
from ..theory.convex_hull import convex_hull
from .drawing import (
    COLOURS,
    INK,
    as_plane,
    axes_or_new,
    draw_line,
    draw_parallels,
    draw_points,
    draw_rings,
    frame_rows,
    legend_below,
    shade_regions,
)

if TYPE_CHECKING:
    from ..proof.answer.proofs import Proof


def plot_proof(proof: Proof, X: Any, y: Any, ax: Any = None) -> Any:
    """Draw rows of two features, and why a line separates their classes or why not.

    Separable: the line and its margin; if it is the largest margin, rings mark its support vectors; for several classes, their
    regions.  Not separable: the convex hull of every class, with a stronger line for the rows of the witness, which have
    rings; for two classes, a point of both hulls; without an intercept, the origin.  (Hulls of several classes, or without an
    intercept, need not meet.)  Quasi-complete: also a line with no row on its wrong side.

    Parameters
    ----------
    proof : Proof
        From ``separability``.
    X : array-like of shape (n_samples, 2)
        The rows of that proof.
    y : array-like of shape (n_samples,)
        Their labels.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes
    """
    X, y = as_plane(X), np.asarray(y)
    ax = axes_or_new(ax)
    frame_rows(ax, X, proof.feature_names)
    if proof.coef is not None and len(proof.classes) == 2:
        _draw_line(ax, proof)
    elif proof.separable:
        shade_regions(ax, SimpleNamespace(classes_=proof.classes, predict=lambda rows: _answers(proof, rows)), None)
    if proof.witness is not None:
        _draw_hulls(ax, proof, X, y)
    if proof.support is not None:
        draw_rings(ax, X[np.unique(proof.support.rows)], "rows that hold the margin")
    draw_points(ax, X, y, proof.classes)
    if proof.witness is not None and not proof.fit_intercept:
        ax.plot(0.0, 0.0, "+", color=INK, markersize=12, zorder=6, label="origin")
    ax.set_title(f"{proof.kind or 'undecided'}{_reason(proof)}")
    legend_below(ax)
    return ax


def _reason(proof: Proof) -> str:
    if hulls_meet(proof):
        return ": the hulls meet"
    return ": no boundary through the origin" if proof.separable is False and not proof.fit_intercept else ""


def _draw_line(ax: Any, proof: Proof) -> None:
    assert proof.coef is not None
    assert proof.intercept is not None
    weights = np.append(proof.coef[0], proof.intercept[0])
    label = "decision line" if proof.separable else "a line no row contradicts"
    draw_line(ax, weights, color=INK, linewidth=1.8, label=label, zorder=3)
    if proof.margin is not None:
        draw_parallels(ax, weights, proof.margin)


def _answers(proof: Proof, rows: np.ndarray) -> np.ndarray:
    """The class of the highest score."""
    assert proof.coef is not None
    answers: np.ndarray = proof.classes[np.argmax(rows @ proof.coef.T + proof.intercept, axis=1)]
    return answers


def _draw_hulls(ax: Any, proof: Proof, X: np.ndarray, y: np.ndarray) -> None:
    witness = proof.witness
    assert witness is not None
    rows = np.unique(witness.rows)
    for k, label in enumerate(proof.classes):
        colour = COLOURS[k % len(COLOURS)]
        _fill(ax, X[y == label], facecolor=colour, edgecolor=colour, linewidth=1.0, alpha=0.12)
        _fill(ax, X[rows[y[rows] == label]], facecolor=colour, edgecolor=colour, linewidth=2.5, alpha=0.45)
    draw_rings(ax, X[rows], "rows of the witness")
    if hulls_meet(proof):
        own = y[witness.rows] == proof.classes[0]
        shares = np.array([float(weight / sum(witness.weights)) for weight in witness.weights])[own]
        point = shares @ X[witness.rows[own]] / shares.sum()
        ax.plot(*point, "*", color=INK, markersize=11, markeredgecolor="white", zorder=6, label="in both hulls")


def _fill(ax: Any, points: np.ndarray, **look: Any) -> None:
    corners = convex_hull(points)
    if len(corners):
        ax.fill(*corners.T, zorder=2, **look)
