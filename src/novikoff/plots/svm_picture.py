"""A picture of a support vector machine: its line, its margin lines, its support vectors and their slacks."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .drawing import (
    INK,
    as_plane,
    axes_or_new,
    dot_size,
    draw_points,
    draw_rings,
    frame_rows,
    grid_points,
    legend_below,
    shade_regions,
)


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
