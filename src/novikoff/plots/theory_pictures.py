"""Cover's curves: the share of all labelings of points that are separable."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

from ..report.words import at_most
from ..theory.cover import capacity, cover_fraction
from .drawing import COLOURS, INK, axes_or_new, finish_curves

if TYPE_CHECKING:
    from ..theory.convergence_gap import Gap
    from ..theory.labelings import Capacity

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


def plot_capacity(measured: Capacity, ax: Any = None) -> Any:
    """Draw a measured capacity: the share of separable labelings over points for each weight, its intervals, and Cover's curve.

    Parameters
    ----------
    measured : Capacity
        From ``measured_capacity``.
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
    >>> from novikoff.theory import measured_capacity, plot_capacity
    >>> ax = plot_capacity(measured_capacity([[0, 0], [0, 1], [1, 0], [1, 1]], random_state=0))  # doctest: +SKIP
    """
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    ax = axes_or_new(ax)
    own = int(measured.fit_intercept)
    loads = [measured.n_points / (d + own) for d in measured.dims.tolist()]
    every = range(int(measured.dims[0]), int(measured.dims[-1]) + 1)
    general = [float(cover_fraction(measured.n_points, d + own - 1)) for d in every]
    below, above = (measured.fractions - measured.low).clip(0), (measured.high - measured.fractions).clip(0)
    ax.errorbar(
        loads, measured.fractions, [below, above], color=COLOURS[0], marker="o", label="measured, 95 % intervals"
    )
    across = [measured.n_points / (d + own) for d in every]
    ax.plot(across, general, color=INK, linestyle="--", linewidth=1.2, label="points in general position (Cover)")
    if measured.capacity == measured.capacity:  # not nan
        ax.axvline(measured.capacity, color=COLOURS[0], linestyle=":", linewidth=1.0)
    ax.set_xscale("log")
    ax.set_ylim(-0.05, 1.25)  # room for the legend
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_title(f"Capacity: {measured.capacity:.3g} points for each weight")
    ax.set_xlabel("points for each weight")
    ax.set_ylabel("separable share of random labelings")
    finish_curves(ax, legend="upper right")
    return ax


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
