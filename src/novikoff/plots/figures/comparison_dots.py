"""Learners compared: dots with bars of their spread, and the time beside them."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from ...inputs.counts import count
from ...inputs.readable import metric_name, score
from ...inputs.shell import clean
from ..drawing import COLOURS, INK, hide_frame
from .blank_figure import Drawn, is_finite, label_as_shares, new_figure, short_name


def draw_comparison(result: dict[str, Any]) -> Drawn:
    """Dots with bars of their spread; the time beside them."""
    learners = [each for each in result.get("learners") or [] if is_finite(each.get("score"))]
    if not learners:
        return None
    metric = (result.get("test") or {}).get("metric") or "accuracy"
    figure = new_figure(1.1 + 0.34 * len(learners))
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(3, 1))
    places = np.arange(len(learners))
    scores = np.array([each["score"] for each in learners], dtype=float)
    either = [each["spread"] if is_finite(each.get("spread")) else 0.0 for each in learners]
    left.errorbar(
        scores, places, xerr=either, fmt="o", color=COLOURS[0], ecolor=COLOURS[0], elinewidth=1.6, markersize=6
    )
    label = metric_name(metric) + _draw_chance(left, result.get("chance"), metric)
    left.set_yticks(places, [short_name(each["name"]) for each in learners])
    left.invert_yaxis()
    left.set_xlabel(label)
    label_as_shares(left.xaxis, metric)
    took = [each["seconds"] if is_finite(each.get("seconds")) else 0.0 for each in learners]
    right.barh(places, took, color=COLOURS[5], height=0.6)
    right.set_xlabel("seconds")
    for ax in (left, right):
        ax.grid(axis="x", alpha=0.25)
        ax.set_axisbelow(True)
        hide_frame(ax)
    best = learners[0]
    return (
        figure,
        f"{count(len(learners))} learners compared; the best is {clean(best['name'])} with {score(metric, best['score'])}.",
    )


def _draw_chance(ax: Any, chance: float | None, metric: str | None) -> str:
    """A line where always answering the largest class would be; if that is far off the dots, words for it instead."""
    if chance is None or not isfinite(chance):
        return ""
    low, high = ax.get_xlim()
    if low - (high - low) <= chance <= high:
        ax.axvline(chance, color=INK, linestyle=":", linewidth=1.2, label="always the largest class")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, fontsize="small")
        return ""
    return f" (always the largest class: {score(metric, chance)})"
