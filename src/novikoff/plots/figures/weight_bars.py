"""The strongest weights of each class as bars."""

from __future__ import annotations

from heapq import nlargest
from math import isfinite
from typing import Any

import numpy as np

from ...inputs.readable import number
from ...inputs.shell import clean
from ..drawing import COLOURS, INK
from .blank_figure import Drawn, new_figure, short_name

BARS = 10  # features of a class
PANELS = 6  # classes whose weights are drawn


def draw_weights(result: dict[str, Any]) -> Drawn:
    """Bars of the strongest weights of each class."""
    groups = [each for each in result.get("weights") or [] if each.get("features")][:PANELS]
    if not groups:
        return None
    shown = [_largest([own for own in each["features"] if isfinite(own["weight"])]) for each in groups]
    if not all(shown):
        return None
    across = min(len(groups), 2)
    down = -(-len(groups) // across)
    figure = new_figure(down * (0.9 + 0.24 * max(map(len, shown))))
    figure.get_layout_engine().set(h_pad=0.1)
    grid = figure.subplots(down, across, sharex=True, squeeze=False)
    for ax in grid.flat[len(groups) :]:
        ax.set_axis_off()
    for ax, group, features in zip(grid.flat, groups, shown, strict=False):
        own = np.array([each["weight"] for each in features])
        ax.barh(range(len(own)), own, color=np.where(own >= 0, COLOURS[0], COLOURS[1]).tolist(), height=0.7)
        ax.set_yticks(range(len(own)), [short_name(each["name"]) for each in features], fontsize=8)
        ax.invert_yaxis()
        ax.axvline(0, color=INK, linewidth=0.8)
        if group.get("class") is not None:
            ax.set_title(short_name(group["class"]), fontsize=10)
        ax.tick_params(axis="x", labelbottom=True, labelsize=8)
        ax.spines[["top", "right", "left"]].set_visible(False)
    strong = "; ".join(
        f"{clean(group.get('class') or 'the answer')}: {clean(features[0]['name'])} {number(features[0]['weight'])}"
        for group, features in zip(groups, shown, strict=True)
    )
    return figure, f"Bars of the strongest weights. The strongest of all for {strong}."


def _largest(features: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The features with the weights that are largest, whatever their sign."""
    return nlargest(BARS, features, key=lambda each: abs(each["weight"]))
