"""What is answered where, in the plane of two features, and the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...inputs.counts import count
from ...inputs.readable import cut
from ...inputs.shell import clean
from ..drawing import draw_points, hide_frame, legend_below, shade_answers
from .blank_figure import NAME, Drawn, new_figure, short_name

MANY_POINTS = 1000  # rows that are drawn as dots of an image rather than one by one
MOST_CLASSES = 12  # that colours and markers can tell apart


def draw_regions(result: dict[str, Any]) -> Drawn:
    """What is answered in the plane of two features, and the rows."""
    regions = result.get("regions") or {}
    if not regions.get("points") or not regions.get("grid_labels"):
        return None
    points, labels = np.asarray(regions["points"], dtype=float), np.asarray(regions["labels"])
    classes = regions.get("classes") or [each["label"] for each in result["classes"]]
    if len(classes) > MOST_CLASSES:
        return None
    figure = new_figure(4.6)
    ax = figure.subplots()
    ax.set_aspect("auto")
    grid = np.asarray(regions["grid_x"], dtype=float), np.asarray(regions["grid_y"], dtype=float)
    shade_answers(ax, *grid, np.asarray(regions["grid_labels"]), len(classes))
    draw_points(ax, points, labels, classes, [cut(each, NAME) for each in classes])
    if len(points) > MANY_POINTS:
        for dots in ax.collections:
            dots.set_rasterized(True)
    names = [clean(name) for name in regions["names"]]
    ax.set_xlabel(short_name(names[0]))
    ax.set_ylabel(short_name(names[1]))
    hide_frame(ax)
    legend_below(ax)
    return figure, f"The plane of {names[0]} and {names[1]}, coloured by the answer, with {count(len(points))} rows."
