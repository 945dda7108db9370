"""Cover's curves: the share of all labelings of points that are separable."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Any

from ..theory.cover import capacity, cover_fraction
from .drawing import COLOURS, INK, axes_or_new, finish_curves

STYLES = ("-", "--", "-.", ":")
REACH = 4  # times d + 1: how many points the curves go to


def plot_cover(dims: Sequence[int] = (1, 5, 25, 125), ax: Any = None) -> Any:
    """Draw Cover's curves: the share of separable labelings over the number of points divided by d + 1.

    All pass through 1/2 at twice d + 1 points, the capacity; the larger d is, the steeper the curve.

    Parameters
    ----------
    dims : sequence of int, default=(1, 5, 25, 125)
        Numbers of dimensions d, one curve for each.
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
    finish_curves(ax, legend="lower left")
    return ax
