"""Pictures of the theory: Cover's curves, and the gap of the convergence proof."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Any

from ..counts import at_most
from ..drawing import COLOURS, INK, axes_or_new
from .cover import capacity, cover_fraction
from .gaps import Gap

STYLES = ("-", "--", "-.", ":")
REACH = 4  # times d + 1: how many points the curves go to


def plot_cover(dims: Sequence[int] = (1, 5, 25, 125), ax: Any = None) -> Any:
    """Draw Cover's curves: the share of all labelings that are separable against the number of points over d + 1.

    All pass through 1/2 at twice d + 1 points, the capacity; the larger d, the more like a step.

    Parameters
    ----------
    dims : sequence of int, default=(1, 5, 25, 125)
        Numbers of dimensions d, a curve for each.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    T. M. Cover, Geometrical and statistical properties of systems of linear inequalities with applications in pattern
    recognition, 1965.

    Examples
    --------
    >>> from novikoff.theory import plot_cover
    >>> ax = plot_cover((2, 20))  # doctest: +SKIP
    """
    ax = axes_or_new(ax)
    for d, colour, style in zip(dims, cycle(COLOURS), cycle(STYLES), strict=False):
        points = range(1, REACH * (d + 1) + 1)
        shares = [float(cover_fraction(N, d)) for N in points]
        ax.plot([N / (d + 1) for N in points], shares, color=colour, linestyle=style, linewidth=1.8, label=f"d = {d}")
    at = capacity(0)
    ax.axvline(at, color=INK, linestyle=":", linewidth=1.0)
    ax.plot([at], [0.5], "o", color=INK, markersize=6, zorder=4, label="one half at 2 (d + 1)")
    ax.set_title("Labelings that a hyperplane can make (Cover 1965)")
    ax.set_xlabel("points in general position, as a multiple of d + 1")
    ax.set_ylabel("separable share of all labelings")
    _finish(ax, legend="lower left")
    return ax


def plot_gap(gap: Gap, ax: Any = None) -> Any:
    """Draw the gap of the convergence proof against mistakes, and the line that it must stay below.

    The line falls by the same amount with every mistake; where it meets zero, mistakes must have ended.

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
    marker = "o" if len(gap.gap) <= 60 else None
    ax.plot(gap.mistakes, gap.gap, color=COLOURS[0], marker=marker, markersize=4, label=r"$|w_k - \rho\, w^*|^2$")
    ax.axhline(0, color=INK, linewidth=0.8)
    ax.set_title(f"The gap after {gap.mistakes[-1]} of at most {at_most(most)} mistakes")
    ax.set_xlabel("mistakes")
    ax.set_ylabel("squared distance")
    _finish(ax)
    return ax


def _finish(ax: Any, legend: str = "best") -> None:
    ax.grid(alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc=legend, framealpha=0.9, fontsize="small")
