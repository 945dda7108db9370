"""What is drawn of a result: each function makes a figure and the words that stand for it where it cannot be seen, or
None if there is nothing to draw."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from ..drawing import COLOURS, INK, draw_points, legend_below, literal, shade_answers
from .by_class import MOST_SQUARES
from .phrases import clean, count, cut, metric_name, number, score, test_score
from .sections import strongest

WIDE = 7.2  # inches
NAME = 26  # characters of a name in a picture
MOST_NUMBERS = 12  # classes whose confusion is written into the squares
MOST_NAMES = 40  # classes that are named beside them
BARS = 10  # features of a class
PANELS = 6  # classes whose weights are drawn
MANY_POINTS = 1000  # rows that are drawn as dots of an image rather than one by one
FEW_PASSES = 40


def _figure(height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDE, height), layout="constrained")


def _name(text: Any) -> str:
    """A name that is short enough for a picture."""
    return literal(cut(text, NAME))


def _bare(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)


def draw_history(result: dict[str, Any]) -> tuple[Any, str] | None:
    """Mistakes in each pass."""
    from matplotlib.ticker import MaxNLocator

    made = np.asarray((result.get("history") or {}).get("mistakes") or [], dtype=float)
    if not np.isfinite(made).any():
        return None
    figure = _figure(2.8)
    ax = figure.subplots()
    marker = "o" if len(made) <= FEW_PASSES else None
    ax.plot(np.arange(1, len(made) + 1), made, color=COLOURS[0], marker=marker, markersize=4)
    ax.set_ylim(0, 1.08 * max(np.nanmax(made), 1.0))
    ax.set_xlabel("pass")
    ax.set_ylabel("mistakes in this pass")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(axis="y", alpha=0.25)
    _bare(ax)
    alt = f"Mistakes in each of {count(len(made))} passes: {number(made[0])} in the first, {number(made[-1])} in the last."
    return figure, alt


def draw_scores(result: dict[str, Any]) -> tuple[Any, str] | None:
    """The scores as dots, that of the test with its spread."""
    fit, test = result.get("fit") or {}, result.get("test") or {}
    if not test.get("kind") or not _known(test.get("score")):
        return None
    metric = test.get("metric")
    found = [
        (name, fit[name]) for name in ("training", "progressive") if (fit.get(name) or {}).get("score") is not None
    ]
    found = [(name, own["score"]) for name, own in found if _known(own["score"])] + [(test["kind"], test["score"])]
    figure = _figure(0.7 + 0.38 * len(found))
    ax = figure.subplots()
    for place, (_, value) in enumerate(found):
        last = place == len(found) - 1
        ax.plot([value], [-place], "o" if last else "s", color=COLOURS[1] if last else COLOURS[0], markersize=7)
        ax.annotate(score(metric, value), (value, -place), (0, 7), textcoords="offset points", ha="center", fontsize=8)
    low, high = _reach(test)
    ax.plot([low, high], [1 - len(found)] * 2, color=COLOURS[1], linewidth=2.2, solid_capstyle="butt")
    ax.set_yticks([-place for place in range(len(found))], [_name(name) for name, _ in found])
    ax.set_ylim(0.6 - len(found), 0.7)
    ax.margins(x=0.15)
    ax.set_xlabel(metric_name(metric))
    _as_shares(ax.xaxis, metric)
    ax.grid(axis="x", alpha=0.25)
    _bare(ax)
    return figure, test_score(test)


def _reach(test: dict[str, Any]) -> tuple[float, float]:
    """From where to where a score is spread."""
    if _known(test.get("low")) and _known(test.get("high")):
        return test["low"], test["high"]
    either = test["spread"] if _known(test.get("spread")) else 0.0
    return test["score"] - either, test["score"] + either


def _known(value: float | None) -> bool:
    return value is not None and isfinite(value)


def _as_shares(axis: Any, metric: str | None) -> None:
    if metric == "accuracy":
        axis.set_major_formatter(lambda value, _: f"{100 * value:.6g}%")


def draw_confusion(result: dict[str, Any]) -> tuple[Any, str] | None:
    """Squares: the darker, the larger the share of the true class; numbers in them if they are few."""
    confusion = result.get("confusion") or {}
    labels = confusion.get("labels") or []
    if not 0 < len(labels) <= MOST_SQUARES:
        return None
    counts = np.asarray(confusion["counts"])
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    side = 2.2 + 0.42 * min(len(labels), 8)
    figure = _figure(side)
    ax = figure.subplots()
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
    if len(labels) <= MOST_NUMBERS:
        for (true, said), own in np.ndenumerate(counts):
            ink = "white" if shares[true, said] > 0.55 else INK
            ax.text(said, true, count(int(own)), ha="center", va="center", fontsize=9, color=ink)
    named = [_name(label) for label in labels] if len(labels) <= MOST_NAMES else []
    small = 9 if len(labels) <= MOST_NUMBERS else 6
    ax.set_xticks(
        range(len(named)), named, rotation=45 if len(named) > 3 else 0, ha="right" if len(named) > 3 else "center"
    )
    ax.set_yticks(range(len(named)), named)
    ax.tick_params(length=0, labelsize=small)
    ax.set_xlabel("answer")
    ax.set_ylabel("true class")
    ax.spines[:].set_visible(False)
    wrong = int(counts.sum() - np.trace(counts))
    alt = f"Confusion of {count(len(labels))} classes: {count(wrong)} of {count(int(counts.sum()))} rows got a wrong class."
    return figure, alt


def draw_weights(result: dict[str, Any]) -> tuple[Any, str] | None:
    """Bars of the strongest weights of each class."""
    groups = [each for each in result.get("weights") or [] if each.get("features")][:PANELS]
    if not groups:
        return None
    shown = [strongest([own for own in each["features"] if isfinite(own["weight"])], BARS) for each in groups]
    if not all(shown):
        return None
    across = min(len(groups), 2)
    down = -(-len(groups) // across)
    figure = _figure(down * (0.9 + 0.24 * max(map(len, shown))))
    figure.get_layout_engine().set(h_pad=0.1)
    grid = figure.subplots(down, across, sharex=True, squeeze=False)
    for ax in grid.flat[len(groups) :]:
        ax.set_axis_off()
    for ax, group, features in zip(grid.flat, groups, shown, strict=False):
        own = np.array([each["weight"] for each in features])
        ax.barh(range(len(own)), own, color=np.where(own >= 0, COLOURS[0], COLOURS[1]).tolist(), height=0.7)
        ax.set_yticks(range(len(own)), [_name(each["name"]) for each in features], fontsize=8)
        ax.invert_yaxis()
        ax.axvline(0, color=INK, linewidth=0.8)
        if group.get("class") is not None:
            ax.set_title(_name(group["class"]), fontsize=10)
        ax.tick_params(axis="x", labelbottom=True, labelsize=8)
        ax.spines[["top", "right", "left"]].set_visible(False)
    strong = "; ".join(
        f"{clean(group.get('class') or 'the answer')}: {clean(features[0]['name'])} {number(features[0]['weight'])}"
        for group, features in zip(groups, shown, strict=True)
    )
    return figure, f"Bars of the strongest weights. The strongest of all for {strong}."


def draw_margins(result: dict[str, Any]) -> tuple[Any, str] | None:
    """A histogram; rows on the wrong side in another colour."""
    margins = result.get("margins") or {}
    counts, edges = np.asarray(margins.get("counts") or []), np.asarray(margins.get("edges") or [], dtype=float)
    if not counts.size or not np.isfinite(edges).all():
        return None
    figure = _figure(2.8)
    ax = figure.subplots()
    wrong = edges[1:] <= 0
    for own, colour, label in ((~wrong, COLOURS[0], "right side"), (wrong, COLOURS[1], "wrong side")):
        if own.any():
            ax.bar(edges[:-1][own], counts[own], np.diff(edges)[own], align="edge", color=colour, label=label)
    ax.axvline(0, color=INK, linewidth=1.2)
    ax.set_xlabel("margin")
    ax.set_ylabel(f"{clean(margins.get('of') or '')} rows".strip())
    ax.legend(frameon=False, fontsize="small")
    _bare(ax)
    span = f"from {number(edges[0].item())} to {number(edges[-1].item())}"
    return (
        figure,
        f"Histogram of the margins of {count(int(counts.sum()))} rows {span}; {count(int(counts[wrong].sum()))} below 0.",
    )


def draw_residuals(result: dict[str, Any]) -> tuple[Any, str] | None:
    """A histogram of true values less answers."""
    residuals = result.get("residuals") or {}
    counts, edges = np.asarray(residuals.get("counts") or []), np.asarray(residuals.get("edges") or [], dtype=float)
    if not counts.size or not np.isfinite(edges).all():
        return None
    figure = _figure(2.8)
    ax = figure.subplots()
    ax.bar(edges[:-1], counts, np.diff(edges), align="edge", color=COLOURS[0])
    ax.axvline(0, color=INK, linewidth=1.2)
    ax.set_xlabel("residual (true value less answer)")
    ax.set_ylabel(f"{clean(residuals.get('of') or '')} rows".strip())
    _bare(ax)
    span = f"from {number(edges[0].item())} to {number(edges[-1].item())}"
    return figure, f"Histogram of the residuals of {count(int(counts.sum()))} rows {span}."


def draw_answers(result: dict[str, Any]) -> tuple[Any, str] | None:
    """Answers beside the true values, with the line on which they are the same."""
    residuals = result.get("residuals") or {}
    points = np.asarray(residuals.get("points") or [], dtype=float).reshape(-1, 2)
    if not len(points) or not np.isfinite(points).all():
        return None
    figure = _figure(4.6)
    ax = figure.subplots()
    ax.plot(points[:, 0], points[:, 1], "o", color=COLOURS[0], markersize=4, alpha=0.6, markeredgewidth=0)
    ends = [points.min(), points.max()]
    ax.plot(ends, ends, color=INK, linewidth=1.2)
    ax.set_xlabel(f"true {_name(result.get('target') or 'value')}")
    ax.set_ylabel("answer")
    ax.grid(alpha=0.25)
    ax.set_axisbelow(True)
    _bare(ax)
    low, high = (number(end.item()) for end in (points[:, 0].min(), points[:, 0].max()))
    return figure, f"Answers beside the true values of {count(len(points))} rows, which go from {low} to {high}."


def draw_regions(result: dict[str, Any]) -> tuple[Any, str] | None:
    """What is answered in the plane of two features, and the rows."""
    regions = result.get("regions") or {}
    if not regions.get("points") or not regions.get("grid_labels"):
        return None
    points, labels = np.asarray(regions["points"], dtype=float), np.asarray(regions["labels"])
    classes = regions.get("classes") or [each["label"] for each in result["classes"]]
    if len(classes) > MOST_NUMBERS:  # more than colours and markers can tell apart
        return None
    figure = _figure(4.6)
    ax = figure.subplots()
    ax.set_aspect("auto")
    grid = np.asarray(regions["grid_x"], dtype=float), np.asarray(regions["grid_y"], dtype=float)
    shade_answers(ax, *grid, np.asarray(regions["grid_labels"]), len(classes))
    draw_points(ax, points, labels, classes, [cut(each, NAME) for each in classes])
    if len(points) > MANY_POINTS:
        for dots in ax.collections:
            dots.set_rasterized(True)
    names = [clean(name) for name in regions["names"]]
    ax.set_xlabel(_name(names[0]))
    ax.set_ylabel(_name(names[1]))
    _bare(ax)
    legend_below(ax)
    return figure, f"The plane of {names[0]} and {names[1]}, coloured by the answer, with {count(len(points))} rows."


def draw_comparison(result: dict[str, Any]) -> tuple[Any, str] | None:
    """Dots with bars of their spread; the time beside them."""
    learners = [each for each in result.get("learners") or [] if _known(each.get("score"))]
    if not learners:
        return None
    metric = (result.get("test") or {}).get("metric") or "accuracy"
    figure = _figure(1.1 + 0.34 * len(learners))
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(3, 1))
    places = np.arange(len(learners))
    scores = np.array([each["score"] for each in learners], dtype=float)
    either = [each["spread"] if _known(each.get("spread")) else 0.0 for each in learners]
    left.errorbar(
        scores, places, xerr=either, fmt="o", color=COLOURS[0], ecolor=COLOURS[0], elinewidth=1.6, markersize=6
    )
    label = metric_name(metric) + _draw_chance(left, result.get("chance"), metric)
    left.set_yticks(places, [_name(each["name"]) for each in learners])
    left.invert_yaxis()
    left.set_xlabel(label)
    _as_shares(left.xaxis, metric)
    took = [each["seconds"] if _known(each.get("seconds")) else 0.0 for each in learners]
    right.barh(places, took, color=COLOURS[5], height=0.6)
    right.set_xlabel("seconds")
    for ax in (left, right):
        ax.grid(axis="x", alpha=0.25)
        ax.set_axisbelow(True)
        _bare(ax)
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
