"""The passes curve: training and held-out score against passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .drawing import COLOURS, INK, axes_or_new, finish_curves

if TYPE_CHECKING:
    from ..studies.curves import PassesCurve


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
