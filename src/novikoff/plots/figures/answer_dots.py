"""The answers of a regressor beside the true values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...inputs.counts import count
from ...inputs.readable import number
from ..drawing import COLOURS, INK, hide_frame
from .blank_figure import Drawn, new_figure, short_name


def draw_answers(result: dict[str, Any]) -> Drawn:
    """Answers beside the true values, with the line on which they are the same."""
    residuals = result.get("residuals") or {}
    points = np.asarray(residuals.get("points") or [], dtype=float).reshape(-1, 2)
    if not len(points) or not np.isfinite(points).all():
        return None
    figure = new_figure(4.6)
    ax = figure.subplots()
    ax.plot(points[:, 0], points[:, 1], "o", color=COLOURS[0], markersize=4, alpha=0.6, markeredgewidth=0)
    ends = [points.min(), points.max()]
    ax.plot(ends, ends, color=INK, linewidth=1.2)
    ax.set_xlabel(f"true {short_name(result.get('target') or 'value')}")
    ax.set_ylabel("answer")
    ax.grid(alpha=0.25)
    ax.set_axisbelow(True)
    hide_frame(ax)
    low, high = (number(end.item()) for end in (points[:, 0].min(), points[:, 0].max()))
    return figure, f"Answers beside the true values of {count(len(points))} rows, which go from {low} to {high}."
