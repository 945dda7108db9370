"""The scores of a fit as dots, that of its test with its spread."""

from __future__ import annotations

from typing import Any

from ...inputs.readable import metric_name, score, score_of_test
from ..drawing import COLOURS, hide_frame
from .blank_figure import Drawn, is_finite, label_as_shares, new_figure, short_name


def draw_scores(result: dict[str, Any]) -> Drawn:
    """The scores as dots, that of the test with its spread."""
    fit, test = result.get("fit") or {}, result.get("test") or {}
    if not test.get("kind") or not is_finite(test.get("score")):
        return None
    metric = test.get("metric")
    found = [
        (name, fit[name]) for name in ("training", "progressive") if (fit.get(name) or {}).get("score") is not None
    ]
    found = [(name, own["score"]) for name, own in found if is_finite(own["score"])] + [(test["kind"], test["score"])]
    figure = new_figure(0.7 + 0.38 * len(found))
    ax = figure.subplots()
    for place, (_, value) in enumerate(found):
        last = place == len(found) - 1
        ax.plot([value], [-place], "o" if last else "s", color=COLOURS[1] if last else COLOURS[0], markersize=7)
        ax.annotate(score(metric, value), (value, -place), (0, 7), textcoords="offset points", ha="center", fontsize=8)
    low, high = _reach(test)
    ax.plot([low, high], [1 - len(found)] * 2, color=COLOURS[1], linewidth=2.2, solid_capstyle="butt")
    ax.set_yticks([-place for place in range(len(found))], [short_name(name) for name, _ in found])
    ax.set_ylim(0.6 - len(found), 0.7)
    ax.margins(x=0.15)
    ax.set_xlabel(metric_name(metric))
    label_as_shares(ax.xaxis, metric)
    ax.grid(axis="x", alpha=0.25)
    hide_frame(ax)
    return figure, score_of_test(test)


def _reach(test: dict[str, Any]) -> tuple[float, float]:
    """From where to where a score is spread."""
    if is_finite(test.get("low")) and is_finite(test.get("high")):
        return test["low"], test["high"]
    either = test["spread"] if is_finite(test.get("spread")) else 0.0
    return test["score"] - either, test["score"] + either
