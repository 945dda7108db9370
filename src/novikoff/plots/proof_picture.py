"""The plane in which a proof is drawn: one or two features as they are, or a projection of more.

A projection shows what is true of the rows: convex hulls that meet still meet, and weighted means stay weighted means.  It may
also show hulls that meet where those of the rows do not; so if the classes are separable, one axis is the distance from the
boundary, and no row is drawn on a side on which it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from ..checks.arrays import evenly
from ..proof.answer.describe import class_names, hulls_meet, witness_shares
from ..report.verdict_sections import words_for
from ..report.words import count
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

if TYPE_CHECKING:
    from ..proof.answer.proofs import Proof

SAMPLE = 300  # rows that say in which direction rows spread most
FLAT = 1e-9  # of their lengths; rows that spread by less in a direction do not spread in it
MANY = 2000  # points, of which most are left out before corners are looked for
DIRECTIONS = 16
SMALL = 1e-9  # of the largest distance; a margin smaller than this is no unit to measure in


class Plane(NamedTuple):
    """The rows in a plane, and what is known of the boundary there."""

    points: np.ndarray  # (rows, 2)
    names: tuple[str, str]  # of the axes
    weights: np.ndarray | None = None  # (outputs, 3): w.x + b in the plane; None where the boundary is no line there
    margin: float | None = None  # in the plane
    said: str = ""  # which projection it is; empty where rows are drawn as they are
    levels: bool = False  # whether the second axis has the number of the class


class Axis(NamedTuple):
    """A direction, and what it is called."""

    direction: np.ndarray
    name: str


def plane_of(proof: Proof, X: Any, target: np.ndarray, features: Sequence[str | int] | None) -> Plane:
    """The plane of two features, if they are named; else the one in which the proof is seen best."""
    width = X.shape[1]
    if features is not None:
        return _of_features(proof, X, *_chosen(proof, features))
    if width == 1:
        weights = None if proof.coef is None else np.insert(_all_weights(proof), 1, 0.0, axis=1)
        points = np.column_stack([_columns(X, [0]), target])
        return Plane(points, (proof.feature_names[0], "class"), weights, proof.margin, levels=True)
    if width == 2:
        return _of_features(proof, X, 0, 1)
    if proof.coef is not None and len(proof.classes) == 2:
        return _across_boundary(proof, X)
    return _of_weights(proof, X) if proof.separable else _of_witness(proof, X)


# Features as they are


def _chosen(proof: Proof, features: Sequence[str | int]) -> list[int]:
    """The numbers of the two columns that are named."""
    names, given = proof.feature_names, [features] if isinstance(features, str) else list(features)
    places = [_place(names, each) for each in given]
    if len(places) != 2 or places[0] == places[1]:
        raise ValueError(f"features has to name two different columns, such as (0, 1); got {features!r}.")
    return places


def _place(names: tuple[str, ...], feature: Any) -> int:
    if isinstance(feature, Integral) and not isinstance(feature, bool) and 0 <= int(feature) < len(names):
        return int(feature)
    if isinstance(feature, str) and feature in names:
        return names.index(feature)
    some = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
    raise ValueError(f"There is no feature {feature!r}: choose names ({some}) or numbers from 0 to {len(names) - 1}.")


def _of_features(proof: Proof, X: Any, across: int, up: int) -> Plane:
    names, chosen = proof.feature_names, [across, up]
    weights = None
    if proof.coef is not None and not np.delete(proof.coef, chosen, axis=1).any():
        weights = _all_weights(proof)[:, [across, up, -1]]
    said = f"projection: 2 of {X.shape[1]} features" if X.shape[1] > 2 else ""
    if proof.coef is not None and weights is None:
        said += ", in which the boundary is no line"
    return Plane(_columns(X, chosen), (names[across], names[up]), weights, proof.margin, said)


def _all_weights(proof: Proof) -> np.ndarray:
    assert proof.coef is not None
    assert proof.intercept is not None
    return np.column_stack([proof.coef, proof.intercept])


def _columns(X: Any, which: list[int]) -> np.ndarray:
    part = X[:, which]
    return np.asarray(part.toarray() if sparse.issparse(part) else part, dtype=float)


# Projections


def _across_boundary(proof: Proof, X: Any) -> Plane:
    """Distance from the boundary, and the direction along it in which rows spread most."""
    assert proof.coef is not None
    assert proof.intercept is not None
    w, b = proof.coef[0], float(proof.intercept[0])
    size = float(np.abs(w).max())
    if not 0 < size < np.inf:  # weights that floats cannot hold
        return _of_witness(proof, X)
    length = float(np.linalg.norm(w / size))
    normal = w / size / length
    distance = X @ normal + b / size / length
    rows = evenly(np.arange(X.shape[0]), SAMPLE)
    if proof.witness is not None:  # all of it is on the boundary
        rows = np.unique(proof.witness.rows)
    centre = _mean(X[rows]) if proof.fit_intercept else np.zeros(X.shape[1])
    along = _widest(X, rows, centre, [normal])
    if not along.any():
        along = _widest(X, evenly(np.arange(X.shape[0]), SAMPLE), centre, [normal])
    points = np.column_stack([distance, X @ along - centre @ along])
    said = f"projection of {X.shape[1]} features: across the boundary, and along it where {_whose(proof)} spread most"
    margin, unit = proof.margin, ""
    if margin is not None and margin > SMALL * float(np.abs(distance).max()):
        points, unit, margin = points / margin, f", in margins of {margin:.3g}", 1.0
    names = f"signed distance{unit}", f"along the boundary{', same unit' if unit else ''}"
    return Plane(points, names, np.array([[1.0, 0.0, 0.0]]), margin, said)


def _whose(proof: Proof) -> str:
    return "rows" if proof.witness is None else "the witness rows"


def _of_weights(proof: Proof, X: Any) -> Plane:
    """Of several separable classes: the plane of the differences of their weights, which of three classes holds all that
    decides; of more, the directions in which their weights differ most."""
    assert proof.coef is not None
    assert proof.intercept is not None
    W = proof.coef / (np.abs(proof.coef).max() or 1.0)
    W = W - W.mean(axis=0)
    sizes, directions = np.linalg.svd(W, full_matrices=False)[1:]
    chosen = directions[:2]
    whole = len(sizes) < 3 or float(sizes[2]) <= FLAT * float(sizes[0])
    names = [f"{place} principal direction of the weights" for place in ("1st", "2nd")]
    weights = np.column_stack([proof.coef @ chosen.T, proof.intercept]) if whole else None
    said = f"projection of {X.shape[1]} features" + ("" if whole else ": regions of the classes are no regions in it")
    return Plane(np.asarray(X @ chosen.T), (names[0], names[1]), weights, None, said)


def _of_witness(proof: Proof, X: Any) -> Plane:
    """The plane through the point that the hulls share, or else through the mean of the witness rows or the origin, in which the
    witness rows spread most.  Undecided, and without a witness: that of all rows."""
    everyone = evenly(np.arange(X.shape[0]), SAMPLE)
    rows = everyone if proof.witness is None else np.unique(proof.witness.rows)
    centre = np.zeros(X.shape[1])
    if hulls_meet(proof):
        centre = _common_point(proof, X)
    elif proof.fit_intercept:
        centre = _mean(X[rows])
    axes: list[Axis] = []
    for place in ("1st", "2nd"):
        direction = _widest(X, rows, centre, [axis.direction for axis in axes])
        name = f"{place} principal direction of {_whose(proof)}"
        if not direction.any():
            direction = _widest(X, everyone, centre, [axis.direction for axis in axes])
            name = f"{place} direction: principal one of all rows"
        axes.append(Axis(direction, name))
    directions = np.column_stack([axis.direction for axis in axes])
    points = np.asarray(X @ directions) - centre @ directions
    said = f"projection of {X.shape[1]} features: the plane in which {_whose(proof)} spread most"
    return Plane(points, (axes[0].name, axes[1].name), None, None, said)


def _common_point(proof: Proof, X: Any) -> np.ndarray:
    """The weighted mean of the witness rows of either class."""
    witness = proof.witness
    assert witness is not None
    own = proof._target[witness.rows] == 0
    shares = witness_shares(proof, witness)[own]
    return np.asarray(X[witness.rows[own]].T @ shares, dtype=float)


def _mean(rows: Any) -> np.ndarray:
    return np.asarray(rows.mean(axis=0), dtype=float).ravel()


def _widest(X: Any, rows: np.ndarray, centre: np.ndarray, besides: list[np.ndarray]) -> np.ndarray:
    """The unit vector, at right angles to ``besides``, along which these rows spread most from ``centre``; zero if they do not.

    It is the first principal direction, from the products of the rows with one another, which are few.
    """
    part, columns = X[rows], np.arange(X.shape[1])
    if sparse.issparse(part):
        columns = np.union1d(part.indices, np.flatnonzero(centre))
        part = part[:, columns].toarray()
    part = np.asarray(part, dtype=float) - centre[columns]
    largest = float(np.abs(part).max(initial=0.0))
    if largest == 0:
        return np.zeros(X.shape[1])
    part /= largest
    before = np.array(besides).reshape(len(besides), X.shape[1])
    inner = part @ before[:, columns].T
    main = np.linalg.eigh(part @ part.T - inner @ inner.T)[1][:, -1]
    direction = np.zeros(X.shape[1])
    direction[columns] = main @ part
    for _ in range(2):  # the second time for what rounding left
        direction -= before.T @ (before @ direction)
    length = float(np.linalg.norm(direction))
    if length <= FLAT * float(np.linalg.norm(part)):
        return np.zeros(X.shape[1])
    direction /= length
    return direction * np.sign(direction[np.abs(direction).argmax()])


MOST_DRAWN = 1000  # rows; of more, some of every class, and all of a witness
MOST_MARKED = 12  # rows of a witness whose shares are written beside them


def plot_proof(
    proof: Proof,
    X: Any,
    y: Any,
    ax: Any = None,
    features: Sequence[str | int] | None = None,
    palette: Sequence[Any] | None = None,
) -> Any:
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
    palette : sequence of labels, default=None
        Labels in the order of colours and markers, so that a class looks the same in several pictures; None: the proof's classes.

    Returns
    -------
    matplotlib Axes
    """
    rows = X.tocsr() if sparse.issparse(X) else check_array(X, dtype=float)
    if rows.shape[1] != len(proof.feature_names):
        raise ValueError(f"X has {rows.shape[1]} features, but the proof is about {len(proof.feature_names)}.")
    target = np.searchsorted(proof.classes, np.asarray(proof._asked_labels(y)))
    looks = np.arange(len(proof.classes)) if palette is None else _looks(proof, palette)
    plane = plane_of(proof, rows, target, features)
    ax = axes_or_new(ax)
    _frame(ax, proof, plane)
    if plane.weights is not None:
        _draw_boundary(ax, proof, plane, looks)
    if proof.witness is not None:
        _draw_witness(ax, proof, plane, target, looks)
    if proof.support is not None:
        draw_rings(ax, plane.points[np.unique(proof.support.rows)], "rows that hold the margin")
    shown = _shown(proof, target)
    draw_points(ax, plane.points[shown], target[shown], range(len(proof.classes)), class_names(proof), looks)
    ax.set_title("\n".join(filter(None, (_verdict(proof), plane.said, _left_out(shown, target)))), fontsize="medium")
    legend_below(ax)
    return ax


def _looks(proof: Proof, palette: Sequence[Any]) -> np.ndarray:
    """The places of the classes in a palette."""
    known = [str(label) for label in palette]
    if lacking := [name for name in class_names(proof) if name not in known]:
        raise ValueError(f"palette lacks {', '.join(lacking)}: name every class of the proof.")
    return np.array([known.index(name) for name in class_names(proof)])


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
    said = words_for(proof.kind, proof.separable).title.lower() + _reason(proof)
    return said if proof.against_rest is None else f"class {literal(proof.against_rest)} against the rest: {said}"


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


def _draw_boundary(ax: Any, proof: Proof, plane: Plane, looks: np.ndarray) -> None:
    assert plane.weights is not None
    if len(proof.classes) > 2:
        if proof.separable:
            known = np.arange(looks.max() + 1)
            answers = SimpleNamespace(classes_=known, predict=lambda at: looks[_answers(plane, at)])
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


def _draw_witness(ax: Any, proof: Proof, plane: Plane, target: np.ndarray, looks: np.ndarray) -> None:
    """The hulls, the rows of the witness with their shares, and the point that the hulls share."""
    witness, points = proof.witness, plane.points
    assert witness is not None
    rows, places = np.unique(witness.rows, return_inverse=True)
    for k in range(len(proof.classes)):
        colour = COLOURS[looks[k] % len(COLOURS)]
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


def convex_hull(points: np.ndarray) -> np.ndarray:
    """The corners of the convex hull in order (A. M. Andrew 1979)."""
    if len(points) > MANY:
        points = points[~_surely_inside(points)]
    ordered = sorted(set(map(tuple, points.tolist())))
    if len(ordered) < 3:
        return np.array(ordered)
    halves = []
    for side in (ordered, ordered[::-1]):
        chain: list[tuple[float, float]] = []
        for x, y in side:
            while len(chain) > 1 and _turn(*chain[-2], *chain[-1], x, y) <= 0:
                chain.pop()
            chain.append((x, y))
        halves += chain[:-1]
    return np.array(halves)


def _turn(ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> float:
    """Positive if a, b, c turn left."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


def _surely_inside(points: np.ndarray) -> np.ndarray:
    """Which points are inside the polygon of those that are farthest out in some directions, and so no corners
    (S. G. Akl, G. T. Toussaint 1978)."""
    angles = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    farthest = points[np.unique((points @ [np.cos(angles), np.sin(angles)]).argmax(axis=0))]
    corners = convex_hull(farthest)
    inside = np.full(len(points), len(corners) > 2)
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        inside &= (bx - ax) * (points[:, 1] - ay) - (by - ay) * (points[:, 0] - ax) > 0
    return inside
