"""Pictures: the regions of a classifier or the heights of a regressor in the plane, the moving line of a trace, the
passes curve.

Matplotlib is imported when something is drawn, not before.  Colours are Okabe and Ito's (2008), which colour-blind
readers can tell apart; classes differ in their markers too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_array, check_is_fitted

from .curves import PassesCurve
from .tracing import Trace

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "X", "s", "^", "D", "v")
INK = "#222222"
GRID = 300  # points along each axis that decide the colour of a region
ROOM = 0.15  # around the data, as a share of their spread
MOST_NUMBERS = 12  # a trace with more updates than this is drawn without their numbers
FEW_ROWS = 60  # are drawn larger
HEIGHTS = "cividis"  # the colours of numbers, which colour-blind readers can tell apart, too
LEVELS = 12  # bands of equal height
ALIKE = 3.0  # spreads that differ by no more than this factor are drawn to one scale


def plot_regions(estimator: Any, X: Any, y: Any, ax: Any = None) -> Any:
    """Draw what a fitted classifier or regressor answers in the plane, and the rows it is judged by.

    The line is where the answer changes.  For two linearly separated classes the band around it reaches to the closest
    row: half its width is the geometric margin.  Of a regressor the bands are its heights; rows have the colours of
    their own numbers, so that a row that stands out from its band is missed.

    Parameters
    ----------
    estimator : classifier or regressor
        Fitted on two features.
    X : array-like of shape (n_samples, 2)
        Rows.
    y : array-like of shape (n_samples,)
        Their labels, or numbers.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes
    """
    check_is_fitted(estimator)
    X, y = _plane(X), np.asarray(y)
    ax = _axes(ax)
    names = getattr(estimator, "feature_names_in_", None)
    _frame(ax, X, names)
    if is_regressor(estimator):
        _heights(ax, estimator, X, y.astype(float), names)
        return ax
    _shade(ax, estimator, names)
    if _has_line(estimator):
        weights = np.append(np.ravel(estimator.coef_), np.ravel(estimator.intercept_))
        _line(ax, weights, color=INK, linewidth=1.8, label="decision line", zorder=3)
        _band(ax, estimator, X, y, weights)
    _points(ax, X, y, estimator.classes_)
    errors = int(np.count_nonzero(estimator.predict(_named(X, names)) != y))
    ax.set_title(f"{type(estimator).__name__}: {errors} of {len(y)} rows wrong")
    _legend_below(ax)
    return ax


def plot_trace(trace: Trace, X: Any, y: Any, ax: Any = None) -> Any:
    """Draw the line of a two-class learner after every update, from pale (the first) to dark (the last).

    Of a regressor of one feature the line is what it answers, ``w x + b`` against x.  With ``batch_size=1`` rings mark
    the rows that caused updates, the thicker the more.

    Parameters
    ----------
    trace : Trace
        Of a fit on two features and two classes, or of a regressor on one feature.
    X : array-like of shape (n_samples, 2), of a regressor (n_samples, 1)
        The rows of that fit.
    y : array-like of shape (n_samples,)
        Their labels, or numbers.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes
    """
    numbers = is_regressor(trace.estimator)
    if trace.after.shape[1:] != (1, 2 if numbers else 3):
        outputs, width = trace.after.shape[1:]
        raise ValueError(
            "plot_trace draws two classes in the plane, or a regression on one feature; this trace has "
            f"{width - 1} feature(s) and {outputs} output(s)."
        )
    X, y, names = np.asarray(X), np.asarray(y), getattr(trace.estimator, "feature_names_in_", None)
    moves = trace.after[:, 0]
    if numbers:  # the line w x - d + b = 0 in the plane of x and d
        X, names = np.column_stack([X, y]), ("$x$" if names is None else names[0], "$d$")
        moves = np.insert(moves.astype(float), 1, -1.0, axis=1)
    X = _plane(X)
    ax = _axes(ax)
    _frame(ax, X, names)
    labels = {1: "earlier lines, the first palest", len(moves): f"after update {len(moves)}"}
    for number, weights in enumerate(moves, start=1):
        last = number == len(moves)
        look = {"linewidth": 2.4} if last else {"linewidth": 1.2, "alpha": 0.15 + 0.55 * number / len(moves)}
        _line(ax, weights, color=INK, label=labels.get(number), zorder=3, **look)
    if len(moves) <= MOST_NUMBERS:
        _numbers(ax, moves)
    if numbers:
        ax.scatter(*X.T, s=_size(X), color=COLOURS[0], edgecolors="white", linewidths=0.8, label="rows", zorder=5)
    else:
        _points(ax, X, y, trace.estimator.classes_)
    if trace.row.ndim == 1:
        _rings(ax, X, trace.row)
    ax.set_title(f"The moving line: {trace._summary()}", pad=12)
    _legend_below(ax)
    return ax


def plot_passes_curve(curve: PassesCurve, ax: Any = None) -> Any:
    """Draw mean training and held-out score against passes, with a band of one standard error either way.

    Parameters
    ----------
    curve : PassesCurve
        From ``passes_curve``.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes
    """
    ax = _axes(ax)
    from matplotlib.ticker import MaxNLocator

    mean, error = curve.held_out_scores.mean(axis=1), curve.standard_error
    ax.fill_between(curve.passes, mean - error, mean + error, color=COLOURS[1], alpha=0.18, linewidth=0)
    ax.plot(curve.passes, curve.train_scores.mean(axis=1), color=COLOURS[0], linestyle="--", label="training")
    ax.plot(curve.passes, mean, color=COLOURS[1], linewidth=2.2, label="held out (band: one standard error)")
    best = curve.best_passes
    ax.axvline(best, color=INK, linestyle=":", linewidth=1.2, label=f"best_passes = {best}")
    ax.plot([best], [mean[best - 1]], "o", color=COLOURS[1], markeredgecolor="white", markersize=8, zorder=4)
    early = [stop for stop in curve.stopped if stop.reason != "budget"]
    ax.set_title(
        "Score against passes" + (f" ({len(early)} of {len(curve.stopped)} folds ended early)" if early else "")
    )
    ax.set_xlabel("passes over the training rows")
    ax.set_ylabel("mean score of the folds")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="best", framealpha=0.9, fontsize="small")
    return ax


# Parts of a picture


def _axes(ax: Any) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('Drawing needs matplotlib: pip install "novikoff[plot]"') from error
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def _plane(X: Any) -> np.ndarray:
    X = check_array(X, dtype=float)
    if X.shape[1] != 2:
        raise ValueError(f"Only rows of two features can be drawn in the plane; these have {X.shape[1]}.")
    return X


def _frame(ax: Any, X: np.ndarray, names: Any) -> None:
    """Limits a little wider than the data, names, and one scale for both axes if their spreads are alike."""
    low, high = X.min(axis=0), X.max(axis=0)
    spread = np.where(high > low, high - low, 1.0)
    if spread.max() <= ALIKE * spread.min():
        spread[:] = spread.max()
        ax.set_aspect("equal")
    middle, half = (low + high) / 2, (0.5 + ROOM) * spread
    ax.set_xlim(middle[0] - half[0], middle[0] + half[0])
    ax.set_ylim(middle[1] - half[1], middle[1] + half[1])
    names = ("$x_1$", "$x_2$") if names is None else names
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])
    ax.spines[["top", "right"]].set_visible(False)


def _corners(ax: Any) -> tuple[np.ndarray, np.ndarray]:
    """The ends of both axes."""
    return np.array(ax.get_xlim()), np.array(ax.get_ylim())


def _grid(ax: Any, names: Any) -> tuple[np.ndarray, np.ndarray, Any]:
    """Points all over the plane: both coordinates as squares, and the points as rows."""
    a, b = np.meshgrid(*(np.linspace(low, high, GRID) for low, high in _corners(ax)))
    return a, b, _named(np.column_stack([a.ravel(), b.ravel()]), names)


def _shade(ax: Any, estimator: Any, names: Any) -> None:
    """Colour the plane by the answer."""
    from matplotlib.colors import ListedColormap

    horizontal, vertical = _corners(ax)
    a, b, points = _grid(ax, names)
    answers = np.searchsorted(estimator.classes_, estimator.predict(points)).reshape(a.shape)
    classes = len(estimator.classes_)
    ax.imshow(
        answers,
        cmap=ListedColormap([COLOURS[k % len(COLOURS)] for k in range(classes)]),
        vmin=-0.5,
        vmax=classes - 0.5,
        alpha=0.16,
        extent=(*horizontal, *vertical),
        origin="lower",
        aspect=ax.get_aspect(),
        interpolation="nearest",
        zorder=0,
    )
    if not _has_line(estimator):
        for k in range(classes - (classes == 2)):
            ax.contour(a, b, answers == k, levels=[0.5], colors=INK, linewidths=1.2, zorder=2)


def _has_line(estimator: Any) -> bool:
    """Whether the answer is the sign of one linear function, that of ``coef_`` and ``intercept_``."""
    votes = getattr(estimator, "keep", None) == "vote"
    return len(estimator.classes_) == 2 and hasattr(estimator, "coef_") and not votes


def _named(points: np.ndarray, names: Any) -> Any:
    """With column names, if the estimator was fitted with some."""
    if names is None:
        return points
    import pandas as pd

    return pd.DataFrame(points, columns=names)


def _heights(ax: Any, estimator: Any, X: np.ndarray, y: np.ndarray, names: Any) -> None:
    """Bands of equal height, and the rows in the colours of their own."""
    a, b, points = _grid(ax, names)
    answers = estimator.predict(points).reshape(a.shape)
    low, high = min(answers.min(), y.min()), max(answers.max(), y.max())
    look = {"cmap": HEIGHTS, "vmin": low, "vmax": high}
    if answers.max() > answers.min():
        ax.contourf(a, b, answers, levels=LEVELS, zorder=0, **look)
    shown = ax.scatter(*X.T, c=y, s=_size(X), edgecolors="white", linewidths=0.8, label="rows", zorder=5, **look)
    ax.figure.colorbar(shown, ax=ax, label="number")
    error = float(np.sqrt(np.mean((estimator.predict(_named(X, names)) - y) ** 2)))
    ax.set_title(f"{type(estimator).__name__}: root of the mean squared error {error:.3g}")


def _size(X: np.ndarray) -> int:
    """The size of a row in the picture."""
    return 70 if len(X) <= FEW_ROWS else 30


def _points(ax: Any, X: np.ndarray, y: np.ndarray, classes: Any) -> None:
    for k, label in enumerate(classes):
        own = X[y == label]
        ax.scatter(
            own[:, 0],
            own[:, 1],
            s=_size(X),
            color=COLOURS[k % len(COLOURS)],
            marker=MARKERS[k % len(MARKERS)],
            edgecolors="white",
            linewidths=0.8,
            label=f"class {label}",
            zorder=5,
        )


def _rings(ax: Any, X: np.ndarray, rows: np.ndarray) -> None:
    """Rings around the rows that caused updates."""
    caused = np.bincount(rows, minlength=len(X))
    some = np.flatnonzero(caused)
    if some.size:
        widths = 0.8 + 2.2 * caused[some] / caused.max()
        ax.scatter(
            X[some, 0],
            X[some, 1],
            s=210,
            facecolors="none",
            edgecolors=INK,
            linewidths=widths,
            zorder=4,
            label="rows that caused updates",
        )


def _line(ax: Any, weights: np.ndarray, shift: float = 0.0, **look: Any) -> None:
    """The line w.x + b = shift, if there is one."""
    found = _foot_and_direction(ax, weights, shift)
    if found:
        foot, direction = found
        ax.axline(foot, foot + direction, **look)


def _foot_and_direction(ax: Any, weights: np.ndarray, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray] | None:
    """The point of the line that is closest to the middle of the picture, and the line's direction, as long as the picture."""
    w, b = weights[:2].astype(float), float(weights[2]) - shift
    largest = float(np.abs(w).max())
    w, b = (w / largest, b / largest) if largest else (w, b)
    square = float(w @ w)
    if square == 0:
        return None
    corners = np.array(_corners(ax))
    middle, size = corners.mean(axis=1), np.ptp(corners, axis=1).max()
    return middle - (w @ middle + b) / square * w, size * np.array([-w[1], w[0]])


def _numbers(ax: Any, moves: np.ndarray) -> None:
    """Write each update's number at the end of its line that is farther from the numbers already there."""
    look = {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": INK, "linewidth": 0.6}
    taken = [np.full(2, np.inf)]
    for number, weights in enumerate(moves, start=1):
        ends = _ends(ax, weights)
        if ends:
            place = max(ends, key=lambda end: min(float(np.abs(end - other).max()) for other in taken))
            taken.append(place)
            ax.text(*place, str(number), fontsize="x-small", ha="center", va="center", bbox=look, zorder=7)


def _ends(ax: Any, weights: np.ndarray) -> list[np.ndarray]:
    """Where a line enters and leaves the picture; empty if it does neither."""
    found = _foot_and_direction(ax, weights)
    if not found:
        return []
    foot, direction = found
    first, last = -np.inf, np.inf
    for start, step, (low, high) in zip(foot, direction, _corners(ax), strict=True):
        if step:
            ends = sorted(((low - start) / step, (high - start) / step))
            first, last = max(first, ends[0]), min(last, ends[1])
        elif not low <= start <= high:
            return []
    return [foot + first * direction, foot + last * direction] if first < last else []


def _legend_below(ax: Any) -> None:
    """A legend that hides no line."""
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, frameon=False, fontsize="small")


def _band(ax: Any, estimator: Any, X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> None:
    """The parallels through the closest row on either side, if all rows are on their right sides."""
    signs = np.where(y == estimator.classes_[1], 1.0, -1.0)
    lead = signs * (X @ weights[:2] + weights[2])
    norm = float(np.linalg.norm(weights[:2]))
    if lead.min() > 0 and norm > 0:
        _parallels(ax, weights, lead.min() / norm)


def _parallels(ax: Any, weights: np.ndarray, margin: float) -> None:
    """The line's parallels at a distance of ``margin``."""
    norm = float(np.hypot(*weights[:2]))
    for side, label in ((1, f"margin {margin:.3g}"), (-1, None)):
        _line(ax, weights, side * margin * norm, color=INK, linewidth=1.0, linestyle="--", label=label, zorder=3)
