"""A proof as a picture: the boundary and its margin, or the hulls and the rows of the witness."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from ..inputs.arrays import evenly
from ..inputs.counts import count
from ..proof.answer.describe import class_names, hulls_meet, witness_shares
from ..proof.answer.verdict_sentences import words_for
from ..theory.convex_hull import convex_hull
from .drawing import (
    COLOURS,
    INK,
    axes_or_new,
    draw_line,
    draw_parallels,
    draw_points,
    draw_rings,
    frame_rows,
    legend_below,
    literal,
    shade_regions,
)
from .proof_plane import Plane, plane_of

if TYPE_CHECKING:
    from ..proof.answer.proofs import Proof

MOST_DRAWN = 1000  # rows; of more, some of every class, and all of a witness
MOST_MARKED = 12  # rows of a witness whose shares are written beside them


def plot_proof(proof: Proof, X: Any, y: Any, ax: Any = None, features: Sequence[str | int] | None = None) -> Any:
    """Draw rows, and why a hyperplane separates their classes or why none does.

    Separable: the boundary and its margin; if it is the largest margin, rings mark its support vectors; for several classes, their
    regions.  Not separable: the convex hull of every class, with a stronger line for the rows of the witness, which have
    rings and their shares in the proof; for two classes, a point of both hulls; without an intercept, the origin.  (Hulls of several
    classes, or without an intercept, need not meet.)  Quasi-complete: also a boundary with no row on its wrong side.

    Rows of two features are drawn as they are, those of one feature with a line for each class.  Of more features a projection is
    drawn, which the title names: the distance from the boundary, in margins, against the direction along it in which
    rows spread most; or, through the point that the hulls share, the plane in which the witness rows spread most.  (Of three or more
    classes that are separable: the plane in which their weights differ most.)  Of more than 1000 rows some are drawn, among them all of
    the witness.

    Parameters
    ----------
    proof : Proof
        From ``separability``.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The rows of that proof.
    y : array-like of shape (n_samples,)
        Their labels.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.
    features : two names or column numbers, default=None
        The features to draw, across and up, instead of a projection.

    Returns
    -------
    matplotlib Axes
    """
    rows = X.tocsr() if sparse.issparse(X) else check_array(X, dtype=float)
    if rows.shape[1] != len(proof.feature_names):
        raise ValueError(f"X has {rows.shape[1]} features, but the proof is about {len(proof.feature_names)}.")
    target = np.searchsorted(proof.classes, np.asarray(proof._asked_labels(y)))
    plane = plane_of(proof, rows, target, features)
    ax = axes_or_new(ax)
    _frame(ax, proof, plane)
    if plane.weights is not None:
        _draw_boundary(ax, proof, plane)
    if proof.witness is not None:
        _draw_witness(ax, proof, plane, target)
    if proof.support is not None:
        draw_rings(ax, plane.points[np.unique(proof.support.rows)], "rows that hold the margin")
    shown = _shown(proof, target)
    draw_points(ax, plane.points[shown], target[shown], range(len(proof.classes)), class_names(proof))
    ax.set_title("\n".join(filter(None, (_verdict(proof), plane.said, _left_out(shown, target)))), fontsize="medium")
    legend_below(ax)
    return ax


def _frame(ax: Any, proof: Proof, plane: Plane) -> None:
    points = plane.points
    if _marks_origin(proof):
        points = np.vstack([points, _origin(plane)])
    frame_rows(ax, points, plane.names)
    if plane.levels:
        ax.set_aspect("auto")
        ax.set_ylim(-0.6, len(proof.classes) - 0.4)
        ax.set_yticks(range(len(proof.classes)), [literal(name) for name in class_names(proof)])
    if _marks_origin(proof):
        ax.plot(*_origin(plane), "+", color=INK, markersize=12, zorder=6, label="origin")


def _marks_origin(proof: Proof) -> bool:
    return proof.witness is not None and not proof.fit_intercept


def _origin(plane: Plane) -> np.ndarray:
    """Where the origin is: planes of rows without an intercept go through it."""
    return np.array([0.0, plane.points[:, 1].mean() if plane.levels else 0.0])


def _verdict(proof: Proof) -> str:
    about = "" if proof.against_rest is None else f"class {literal(proof.against_rest)} against the rest, "
    return f"{about}{proof.kind or words_for(None, proof.separable).line}{_reason(proof)}"


def _reason(proof: Proof) -> str:
    if hulls_meet(proof):
        return ": the hulls meet"
    return ": no boundary through the origin" if proof.separable is False and not proof.fit_intercept else ""


def _shown(proof: Proof, target: np.ndarray) -> np.ndarray:
    """The numbers of the rows that are drawn: of many, some of every class in its share, and all that prove something."""
    if len(target) <= MOST_DRAWN:
        return np.arange(len(target))
    some = [witness.rows for witness in (proof.witness, proof.support) if witness is not None]
    for k in range(len(proof.classes)):
        own = np.flatnonzero(target == k)
        some.append(evenly(own, -(-MOST_DRAWN * len(own) // len(target))))
    return np.unique(np.concatenate(some))


def _left_out(shown: np.ndarray, target: np.ndarray) -> str:
    return "" if len(shown) == len(target) else f"{count(len(shown))} of {count(len(target))} rows are drawn"


def _draw_boundary(ax: Any, proof: Proof, plane: Plane) -> None:
    assert plane.weights is not None
    if len(proof.classes) > 2:
        if proof.separable:
            answers = SimpleNamespace(classes_=np.arange(len(proof.classes)), predict=lambda at: _answers(plane, at))
            shade_regions(ax, answers, None)
        return
    [weights] = plane.weights
    what = "line" if not plane.said else "hyperplane"
    label = f"decision {what}" if proof.separable else f"a {what} no row contradicts"
    draw_line(ax, weights, color=INK, linewidth=1.8, label=label, zorder=3)
    if plane.margin is not None and proof.margin is not None:
        draw_parallels(ax, weights, plane.margin, f"margin {proof.margin:.3g}")


def _answers(plane: Plane, points: np.ndarray) -> np.ndarray:
    """The number of the class of the highest score."""
    assert plane.weights is not None
    answers: np.ndarray = np.argmax(points @ plane.weights[:, :2].T + plane.weights[:, 2], axis=1)
    return answers


def _draw_witness(ax: Any, proof: Proof, plane: Plane, target: np.ndarray) -> None:
    """The hulls, the rows of the witness with their shares, and the point that the hulls share."""
    witness, points = proof.witness, plane.points
    assert witness is not None
    rows, places = np.unique(witness.rows, return_inverse=True)
    for k in range(len(proof.classes)):
        colour = COLOURS[k % len(COLOURS)]
        _fill(ax, points[target == k], facecolor=colour, edgecolor=colour, linewidth=1.0, alpha=0.12)
        _fill(ax, points[rows[target[rows] == k]], facecolor=colour, edgecolor=colour, linewidth=2.5, alpha=0.45)
    shares = np.bincount(places, witness_shares(proof, witness))  # of several classes, over all rivals
    draw_rings(ax, points[rows], "rows of the witness, and their shares", width=0.8 + 2.2 * shares / shares.max())
    if len(rows) <= MOST_MARKED:
        for row, share in zip(rows, shares, strict=True):
            look = {"textcoords": "offset points", "xytext": (9, 6), "fontsize": "x-small", "zorder": 7}
            ax.annotate(f"{100 * share:.3g}%", points[row], **look)
    if hulls_meet(proof):
        own = target[witness.rows] == 0
        point = witness_shares(proof, witness)[own] @ points[witness.rows[own]]
        if plane.levels:
            point[1] = 0.5
        ax.plot(*point, "*", color=INK, markersize=11, markeredgecolor="white", zorder=6, label="in both hulls")


def _fill(ax: Any, points: np.ndarray, **look: Any) -> None:
    corners = convex_hull(points)
    if len(corners):
        ax.fill(*corners.T, zorder=2, **look)
