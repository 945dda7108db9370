"""The gap of the convergence proof against mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..inputs.counts import at_most
from .drawing import COLOURS, INK, axes_or_new, finish_curves

if TYPE_CHECKING:
    from ..theory.convergence_gap import Gap

FEW_MISTAKES = 60  # are marked one by one


def plot_gap(gap: Gap, ax: Any = None) -> Any:
    """Draw the gap of the convergence proof over the number of mistakes, and its upper bound.

    The bound decreases by the same amount with every mistake; mistakes must have ended when it reaches zero.

    Parameters
    ----------
    gap : Gap
        From ``gap``.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    A. B. J. Novikoff, On convergence proofs on perceptrons, 1962.

    Examples
    --------
    >>> from novikoff.theory import plot_gap
    >>> ax = plot_gap(fall)  # doctest: +SKIP
    """
    ax = axes_or_new(ax)
    last = gap.gap[0] / gap.guaranteed
    most = int(last * (1 + 2.0**-50))  # both were rounded: not below the truth
    ax.plot([0, last], [gap.gap[0], 0], color=INK, linestyle="--", linewidth=1.2, label="the proof: never above this")
    marker = "o" if len(gap.gap) <= FEW_MISTAKES else None
    ax.plot(gap.mistakes, gap.gap, color=COLOURS[0], marker=marker, markersize=4, label=r"$|w_k - \rho\, w^*|^2$")
    ax.axhline(0, color=INK, linewidth=0.8)
    ax.set_title(f"The gap after {gap.mistakes[-1]} of at most {at_most(most)} mistakes")
    ax.set_xlabel("mistakes")
    ax.set_ylabel("squared distance")
    finish_curves(ax)
    return ax
