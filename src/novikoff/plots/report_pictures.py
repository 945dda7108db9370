"""What the figures of a report share: their width, short names, axes of percentages.

Each ``draw_...`` makes a figure and the words that stand for it where it cannot be seen, or None if there is nothing to
draw.
"""

from __future__ import annotations

from heapq import nlargest
from io import BytesIO
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from ..report.html import Picture, as_uri, settings
from ..report.words import clean, count, cut, metric_name, number, score, score_of_test
from .drawing import COLOURS, INK, draw_points, hide_frame, legend_below, literal, shade_answers

WIDE = 7.2  # inches
NAME = 26  # characters of a name in a picture
Drawn = tuple[Any, str] | None


def new_figure(height: float) -> Any:
    """A figure as wide as a page, that is so many inches high."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDE, height), layout="constrained")


def short_name(text: Any) -> str:
    """A name that is short enough for a picture."""
    return literal(cut(text, NAME))


def is_finite(value: float | None) -> bool:
    """Whether this is a number that can be drawn."""
    return value is not None and isfinite(value)


def label_as_shares(axis: Any, metric: str | None) -> None:
    """Accuracies as percentages."""
    if metric == "accuracy":
        axis.set_major_formatter(lambda value, _: f"{100 * value:.6g}%")


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


MOST_NUMBERS = 12  # classes whose confusion is written into the squares
MOST_NAMES = 40  # classes that are named beside them
MOST_DRAWN = 200  # classes


def draw_confusion(result: dict[str, Any]) -> Drawn:
    """Squares: the darker, the larger the share of the true class; numbers in them if they are few."""
    confusion = result.get("confusion") or {}
    labels, counts = confusion.get("labels") or [], np.asarray(confusion.get("counts") or [])
    if not counts.size or len(labels) > MOST_DRAWN:
        return None
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    side = 2.2 + 0.42 * min(len(labels), 8)
    figure = new_figure(side)
    ax = figure.subplots()
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
    if len(labels) <= MOST_NUMBERS:
        for (true, said), own in np.ndenumerate(counts):
            ink = "white" if shares[true, said] > 0.55 else INK
            ax.text(said, true, count(int(own)), ha="center", va="center", fontsize=9, color=ink)
    named = [short_name(label) for label in labels] if len(labels) <= MOST_NAMES else []
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


def draw_curves(result: dict[str, Any]) -> Drawn:
    """ROC, precision and recall, and calibration, side by side."""
    measures = result.get("measures") or {}
    if not measures.get("roc"):
        return None
    panels = [
        ("false positive rate", "true positive rate", measures["roc"], True),
        ("recall", "precision", measures["precision_recall"], False),
    ]
    if measures.get("calibration"):
        panels.append(("probability", "share positive", [each[:2] for each in measures["calibration"]], True))
    figure = new_figure(2.6)
    for ax, (x, y, points, diagonal) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        if diagonal:
            ax.plot([0, 1], [0, 1], color=INK, linewidth=0.6, linestyle=":")
        ax.plot(*np.array(points).T, color=COLOURS[0], marker="." if len(points) <= 10 else "")
        ax.set_xlabel(x, fontsize=8)
        ax.set_ylabel(y, fontsize=8)
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.02, 1.02)
        ax.tick_params(labelsize=7)
        hide_frame(ax)
    return figure, f"ROC curve of area {number(measures.get('auc'))}, precision against recall, and calibration."


PICTURES = {
    "curves": draw_curves,
    "history": draw_history,
    "scores": draw_scores,
    "confusion": draw_confusion,
    "weights": draw_weights,
    "margins": draw_margins,
    "regions": draw_regions,
    "residuals": draw_residuals,
    "answers": draw_answers,
    "compare": draw_comparison,
}


def picture(name: str, result: dict[str, Any]) -> Picture | None:
    """One of ``PICTURES``, or None if the result has nothing to draw."""
    with settings():
        drawn = PICTURES[name](result)
        if drawn is None:
            return None
        figure, alt = drawn
        return Picture(as_uri(figure), alt)


def comparison_picture(result: dict[str, Any], kind: str) -> memoryview:
    """The result of ``compare``, drawn: what a file of this kind (png, svg, pdf) holds."""
    with settings():
        drawn = draw_comparison(result)
        if drawn is None:
            raise ValueError("No learner has a score that could be drawn.")
        file = BytesIO()
        drawn[0].savefig(file, format=kind, dpi=150, facecolor="white")
    return file.getbuffer()


def picture_format(path: str | Path) -> str:
    """The kind of picture that a file's name asks for: png if it has no ending."""
    with settings():
        from matplotlib.figure import Figure

        known = Figure().canvas.get_supported_filetypes()
    asked = Path(path).suffix[1:].lower() or "png"
    if asked not in known:
        raise ValueError(f"{path}: a picture cannot be a .{asked} file; choose one of {', '.join(sorted(known))}.")
    return asked
