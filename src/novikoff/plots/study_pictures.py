"""The moving line of a trace: where it stood after every update."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_regressor

from .drawing import (
    COLOURS,
    INK,
    as_plane,
    axes_or_new,
    axis_ends,
    dot_size,
    draw_line,
    draw_points,
    draw_rings,
    finish_curves,
    foot_and_direction,
    frame_rows,
    legend_below,
)

if TYPE_CHECKING:
    from ..studies.curves import PassesCurve
    from ..studies.traces import Trace

MOST_NUMBERS = 12  # a trace with more updates than this is drawn without their numbers


def plot_trace(trace: Trace, X: Any = None, y: Any = None, ax: Any = None) -> Any:
    """Draw the line of a two-class learner after every update, from pale (the first) to dark (the last).

    For a regressor of one feature, the line is the prediction ``w x + b``.  With ``batch_size=1``, rings mark the rows that
    caused updates: the more updates, the thicker the ring.

    Parameters
    ----------
    trace : Trace
        The trace of a fit on two features and two classes, or of a regressor on one feature.
    X : array-like of shape (n_samples, 2), for a regressor (n_samples, 1), default=None
        The rows of that fit; None: those that the trace holds.
    y : array-like of shape (n_samples,), default=None
        Their labels or targets; None likewise.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes
    """
    numbers = is_regressor(trace.estimator)
    if trace.dual or trace.after.shape[1:] != (1, 2 if numbers else 3):
        outputs, width = trace.after.shape[1:]
        raise ValueError(
            "plot_trace draws two classes in the plane, or a regression on one feature; this trace has "
            f"{width - 1} feature(s) and {outputs} output(s)."
        )
    X, y = np.asarray(trace.X if X is None else X), np.asarray(trace.y if y is None else y)
    names = getattr(trace.estimator, "feature_names_in_", None)
    moves = trace.after[trace.moved, 0]
    if numbers:  # the line w x - d + b = 0 in the plane of x and d
        X, names = np.column_stack([X, y]), ("x" if names is None else names[0], "d")
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
        _rings(ax, X, trace.row[trace.moved])
    ax.set_title(f"The moving line: {trace._summary()}", pad=12)
    legend_below(ax)
    return ax


def _rings(ax: Any, X: np.ndarray, rows: np.ndarray) -> None:
    """Rings around the rows that caused updates."""
    caused = np.bincount(rows, minlength=len(X))
    some = np.flatnonzero(caused)
    if some.size:
        draw_rings(ax, X[some], "rows that caused updates", width=0.8 + 2.2 * caused[some] / caused.max())


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


def plot_passes_curve(curve: PassesCurve, ax: Any = None) -> Any:
    """Draw the mean training score and held-out score after each pass, with a band of plus and minus one standard error.

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
    finish_curves(ax)
    return ax
