"""The strongest weights of a model, by name."""

from __future__ import annotations

from heapq import nlargest
from typing import Any

from ...inputs.counts import count
from ...inputs.readable import signed
from ...inputs.sections import SIDE_BY_SIDE, Limits, Section, Table, remarks
from ...inputs.shell import clean


def all_weights_sections(result: dict[str, Any], limits: Limits) -> list[Section]:
    """All that the result holds: how much that is was the user's choice."""
    weights = result.get("weights") or []
    most = max((len(each["features"]) for each in weights), default=0)
    return [*weights_section(weights, most), *remarks(result)]


def weights_section(weights: list[dict[str, Any]] | None, features: int, classes: int | None = None) -> list[Section]:
    """The strongest weights by name, some classes side by side."""
    if not weights:
        return []
    shown = weights if classes is None else weights[:classes]
    total = max(len(each["features"]) for each in shown)
    lines = ["+ speaks for a class, - against it; the strongest first."]
    more = []
    if shown[0].get("class") is None:
        lines = ["The answer rises with features of + and falls with those of -; the strongest first."]
    if total > features:
        more.append(f"{count(features)} of {count(total)} features are shown.")
    if len(shown) < len(weights):
        more.append(f"{count(len(shown))} of {count(len(weights))} classes are shown.")
    groups = [shown[at : at + SIDE_BY_SIDE] for at in range(0, len(shown), SIDE_BY_SIDE)]
    tables = [_side_by_side(group, features) for group in groups]
    if any("" in row for table in tables for row in table.rows):
        more.append("Blank: not among the strongest of that class.")
    return [Section("Weights", lines, tables, more, picture="weights")]


def _side_by_side(group: list[dict[str, Any]], few: int) -> Table:
    """The features that are strongest in any class of the group, and their weights in each."""
    by_class = [{each["name"]: each["weight"] for each in one["features"]} for one in group]
    size: dict[str, float] = {}
    for own in by_class:
        for name, weight in own.items():
            size[name] = max(size.get(name, 0.0), abs(weight))
    names = nlargest(few, size, key=size.__getitem__)
    rows = [[clean(name), *(signed(own[name]) if name in own else "" for own in by_class)] for name in names]
    heads = [clean(one["class"]) if one.get("class") is not None else "weight" for one in group]
    return Table(["feature", *heads], rows, "l" + "r" * len(heads))
