"""Mistakes in each pass, as a curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...inputs.counts import count
from ...inputs.readable import number
from ..drawing import COLOURS, hide_frame
from .blank_figure import Drawn, new_figure

FEW_PASSES = 40  # are marked one by one


def draw_history(result: dict[str, Any]) -> Drawn:
    """Mistakes in each pass."""
    from matplotlib.ticker import MaxNLocator

    made = np.asarray((result.get("history") or {}).get("mistakes") or [], dtype=float)
    if not np.isfinite(made).any():
        return None
    figure = new_figure(2.8)
    ax = figure.subplots()
    marker = "o" if len(made) <= FEW_PASSES else None
    ax.plot(np.arange(1, len(made) + 1), made, color=COLOURS[0], marker=marker, markersize=4)
    ax.set_ylim(0, 1.08 * max(np.nanmax(made), 1.0))
    ax.set_xlabel("pass")
    ax.set_ylabel("mistakes in this pass")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(axis="y", alpha=0.25)
    hide_frame(ax)
    alt = f"Mistakes in each of {count(len(made))} passes: {number(made[0])} in the first, {number(made[-1])} in the last."
    return figure, alt
