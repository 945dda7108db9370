"""Pictures: the regions of a classifier or the heights of a regressor in the plane, the moving line of a trace, the
passes curve.  They need matplotlib.

>>> import novikoff
>>> from matplotlib.figure import Figure
>>> X, y = [[0, 0], [2, 1]], [0, 1]
>>> ax = novikoff.plots.plot_regions(novikoff.Perceptron().fit(X, y), X, y, ax=Figure().subplots())
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from .curves import PassesCurve
from .drawing import (
    COLOURS,
    INK,
    as_plane,
    axes_or_new,
    axis_ends,
    dot_size,
    draw_line,
    draw_parallels,
    draw_points,
    foot_and_direction,
    frame_rows,
    grid_points,
    has_line,
    legend_below,
    shade_regions,
    with_names,
)
from .tracing import Trace

MOST_NUMBERS = 12  # a trace with more updates than this is drawn without their numbers
HEIGHTS = "cividis"  # the colours of numbers, which colour-blind readers can tell apart, too
LEVELS = 12  # bands of equal height


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
    X, y = as_plane(X), np.asarray(y)
    ax = axes_or_new(ax)
    names = getattr(estimator, "feature_names_in_", None)
    frame_rows(ax, X, names)
    if is_regressor(estimator):
        _heights(ax, estimator, X, y.astype(float), names)
        return ax
    shade_regions(ax, estimator, names)
    if has_line(estimator):
        weights = np.append(np.ravel(estimator.coef_), np.ravel(estimator.intercept_))
        draw_line(ax, weights, color=INK, linewidth=1.8, label="decision line", zorder=3)
        _band(ax, estimator, X, y, weights)
    draw_points(ax, X, y, estimator.classes_)
    errors = int(np.count_nonzero(estimator.predict(with_names(X, names)) != y))
    ax.set_title(f"{type(estimator).__name__}: {errors} of {len(y)} rows wrong")
    legend_below(ax)
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
    X = as_plane(X)
    ax = axes_or_new(ax)
    frame_rows(ax, X, names)
    labels = {1: "earlier lines, the first palest", len(moves): f"after update {len(moves)}"}
    for number, weights in enumerate(moves, start=1):
        last = number == len(moves)
        look = {"linewidth": 2.4} if last else {"linewidth": 1.2, "alpha": 0.15 + 0.55 * number / len(moves)}
        draw_line(ax, weights, color=INK, label=labels.get(number), zorder=3, **look)
    if len(moves) <= MOST_NUMBERS:
        _numbers(ax, moves)
    if numbers:
        ax.scatter(*X.T, s=dot_size(X), color=COLOURS[0], edgecolors="white", linewidths=0.8, label="rows", zorder=5)
    else:
        draw_points(ax, X, y, trace.estimator.classes_)
    if trace.row.ndim == 1:
        _rings(ax, X, trace.row)
    ax.set_title(f"The moving line: {trace._summary()}", pad=12)
    legend_below(ax)
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
    ax = axes_or_new(ax)
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


def _heights(ax: Any, estimator: Any, X: np.ndarray, y: np.ndarray, names: Any) -> None:
    """Bands of equal height, and the rows in the colours of their own."""
    a, b, points = grid_points(ax, names)
    answers = estimator.predict(points).reshape(a.shape)
    low, high = min(answers.min(), y.min()), max(answers.max(), y.max())
    look = {"cmap": HEIGHTS, "vmin": low, "vmax": high}
    if answers.max() > answers.min():
        ax.contourf(a, b, answers, levels=LEVELS, zorder=0, **look)
    shown = ax.scatter(*X.T, c=y, s=dot_size(X), edgecolors="white", linewidths=0.8, label="rows", zorder=5, **look)
    ax.figure.colorbar(shown, ax=ax, label="number")
    error = float(np.sqrt(np.mean((estimator.predict(with_names(X, names)) - y) ** 2)))
    ax.set_title(f"{type(estimator).__name__}: root of the mean squared error {error:.3g}")


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
    found = foot_and_direction(ax, weights)
    if not found:
        return []
    foot, direction = found
    first, last = -np.inf, np.inf
    for start, step, (low, high) in zip(foot, direction, axis_ends(ax), strict=True):
        if step:
            ends = sorted(((low - start) / step, (high - start) / step))
            first, last = max(first, ends[0]), min(last, ends[1])
        elif not low <= start <= high:
            return []
    return [foot + first * direction, foot + last * direction] if first < last else []


def _band(ax: Any, estimator: Any, X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> None:
    """The parallels through the closest row on either side, if all rows are on their right sides."""
    signs = np.where(y == estimator.classes_[1], 1.0, -1.0)
    lead = signs * (X @ weights[:2] + weights[2])
    norm = float(np.linalg.norm(weights[:2]))
    if lead.min() > 0 and norm > 0:
        draw_parallels(ax, weights, lead.min() / norm)
