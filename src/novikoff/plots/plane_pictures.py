"""What a classifier answers in the plane, or the heights of a regressor, and the rows it is judged by."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from .drawing import (
    INK,
    as_plane,
    axes_or_new,
    dot_size,
    draw_line,
    draw_parallels,
    draw_points,
    draw_rings,
    frame_rows,
    grid_points,
    has_line,
    legend_below,
    shade_regions,
    with_names,
)

HEIGHTS = "cividis"  # the colours of numbers, which colour-blind readers can tell apart, too
LEVELS = 12  # bands of equal height


def plot_regions(estimator: Any, X: Any, y: Any, ax: Any = None) -> Any:
    """Draw the predictions of a fitted classifier or regressor in the plane, and some rows.

    The line is where the prediction changes.  For two linearly separated classes, the band around it reaches to the closest
    row: half its width is the geometric margin.  For a regressor, the bands show the predictions, and rows have the colours
    of their targets: a row with another colour than its band has an error.

    Parameters
    ----------
    estimator : classifier or regressor
        Fitted on two features.
    X : array-like of shape (n_samples, 2)
        Rows.
    y : array-like of shape (n_samples,)
        Their labels or targets.
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


def _band(ax: Any, estimator: Any, X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> None:
    """The parallels through the closest row on either side, if all rows are on their right sides."""
    signs = np.where(y == estimator.classes_[1], 1.0, -1.0)
    lead = signs * (X @ weights[:2] + weights[2])
    norm = float(np.linalg.norm(weights[:2]))
    if lead.min() > 0 and norm > 0:
        draw_parallels(ax, weights, lead.min() / norm)


def plot_svm(machine: Any, X: Any, y: Any, ax: Any = None) -> Any:
    """Draw a support vector machine of two features and two classes.

    The solid line is where the prediction changes; on the dashed lines the score is -1 and 1.  Rings mark the support vectors.
    For a linear machine, a dotted line goes from every row with slack to its margin line: the slack is the length of this
    line divided by the margin.

    Parameters
    ----------
    machine : LinearSVM or KernelSVM
        Fitted on two features and two classes.
    X : array-like of shape (n_samples, 2)
        The rows of that fit.
    y : array-like of shape (n_samples,)
        Their labels.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes
    """
    check_is_fitted(machine, "dual_coef_")
    X, y = as_plane(X), np.asarray(y)
    if len(machine.classes_) != 2:
        raise ValueError(f"plot_svm draws two classes; this machine has {len(machine.classes_)}.")
    ax = axes_or_new(ax)
    names = getattr(machine, "feature_names_in_", None)
    frame_rows(ax, X, names)
    shade_regions(ax, machine, names)
    a, b, points = grid_points(ax, names)
    heights = machine.decision_function(points).reshape(a.shape)
    ax.contour(a, b, heights, levels=[0], colors=INK, linewidths=1.8, zorder=3)
    ax.contour(a, b, heights, levels=[-1, 1], colors=INK, linewidths=1.0, linestyles="dashed", zorder=3)
    ax.plot([], [], color=INK, linewidth=1.8, label="decision line")
    margin = f", {machine.margin_:.3g} away" if hasattr(machine, "margin_") else ""
    ax.plot([], [], color=INK, linewidth=1.0, linestyle="--", label=f"margin lines{margin}")
    if hasattr(machine, "slack_"):
        _slacks(ax, machine, X, y)
    draw_points(ax, X, y, machine.classes_)
    held = X[machine.support_]
    draw_rings(ax, held, "support vectors", size=3 * dot_size(X), width=1.0, zorder=6)
    ax.set_title(f"C = {machine.C:g}: {len(held)} support vectors, gap {machine.duality_gap_:.0e}")
    legend_below(ax)
    return ax


def _slacks(ax: Any, machine: Any, X: np.ndarray, y: np.ndarray) -> None:
    """From every row with slack to its margin line, at a right angle."""
    w = machine.coef_[0]
    some = np.flatnonzero(machine.slack_ > 0)
    sides = np.where(y[some] == machine.classes_[1], 1.0, -1.0)
    square = float(w @ w) or 1.0
    feet = X[some] + (sides * machine.slack_[some] / square)[:, None] * w
    label = f"slacks, {machine.slack_.sum():.3g} in all"
    for start, end in zip(X[some], feet, strict=True):
        ax.plot(*zip(start, end, strict=True), color=INK, linestyle=":", linewidth=1.2, zorder=4, label=label)
        label = None  # type: ignore[assignment]
