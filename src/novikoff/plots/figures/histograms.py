"""How margins, or residuals, are spread, as histograms."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...inputs.counts import count
from ...inputs.readable import number
from ...inputs.shell import clean
from ..drawing import COLOURS, INK, hide_frame
from .blank_figure import Drawn, new_figure


def draw_margins(result: dict[str, Any]) -> Drawn:
    """A histogram; rows on the wrong side in another colour."""
    margins = result.get("margins") or {}
    counts, edges = np.asarray(margins.get("counts") or []), np.asarray(margins.get("edges") or [], dtype=float)
    if not counts.size or not np.isfinite(edges).all():
        return None
    figure = new_figure(2.8)
    ax = figure.subplots()
    wrong = edges[1:] <= 0
    for own, colour, label in ((~wrong, COLOURS[0], "right side"), (wrong, COLOURS[1], "wrong side")):
        if own.any():
            ax.bar(edges[:-1][own], counts[own], np.diff(edges)[own], align="edge", color=colour, label=label)
    ax.axvline(0, color=INK, linewidth=1.2)
    ax.set_xlabel("margin")
    ax.set_ylabel(f"{clean(margins.get('of') or '')} rows".strip())
    ax.legend(frameon=False, fontsize="small")
    hide_frame(ax)
    span = f"from {number(edges[0].item())} to {number(edges[-1].item())}"
    return (
        figure,
        f"Histogram of the margins of {count(int(counts.sum()))} rows {span}; {count(int(counts[wrong].sum()))} below 0.",
    )


def draw_residuals(result: dict[str, Any]) -> Drawn:
    """A histogram of true values less answers."""
    residuals = result.get("residuals") or {}
    counts, edges = np.asarray(residuals.get("counts") or []), np.asarray(residuals.get("edges") or [], dtype=float)
    if not counts.size or not np.isfinite(edges).all():
        return None
    figure = new_figure(2.8)
    ax = figure.subplots()
    ax.bar(edges[:-1], counts, np.diff(edges), align="edge", color=COLOURS[0])
    ax.axvline(0, color=INK, linewidth=1.2)
    ax.set_xlabel("residual (true value less answer)")
    ax.set_ylabel(f"{clean(residuals.get('of') or '')} rows".strip())
    hide_frame(ax)
    span = f"from {number(edges[0].item())} to {number(edges[-1].item())}"
    return figure, f"Histogram of the residuals of {count(int(counts.sum()))} rows {span}."
