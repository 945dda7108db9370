"""What is shown of a command's result, before it is known where: sections of sentences, tables and commands.

``words.py`` prints them, ``report.py`` makes a page of them.  This module holds the types and what several commands
show.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from math import nan
from typing import Any, NamedTuple

from .phrases import LONG, clean, count, cut, share, signed, some

MOST_CLASSES = 12  # that a confusion matrix is shown of; of more, the largest confusions
CONFUSIONS = 10
SIDE_BY_SIDE = 5  # classes whose weights stand in one table


class Table(NamedTuple):
    """Rows of texts under heads; ``align`` says of every column whether it is at the left (l), at the right
    (r), or holds places in files (p), whose ends matter most."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: str
    title: str = ""


class Section(NamedTuple):
    """A part of what is shown."""

    title: str
    lines: Sequence[str] = ()
    tables: Sequence[Table] = ()
    footnotes: Sequence[str] = ()
    commands: Sequence[str] = ()
    picture: str | None = None  # its name in ``report_plots.PICTURES``
    page_only: bool = False  # too much for a terminal


class Limits(NamedTuple):
    """How much is shown; what is left out is counted."""

    rows: int  # of a table
    classes: int  # whose weights are shown
    values: int  # of a row, where rows are listed


TERMINAL = Limits(rows=12, classes=SIDE_BY_SIDE, values=3)
PAGE = Limits(rows=40, classes=2 * SIDE_BY_SIDE, values=8)


def confusion_section(confusion: dict[str, Any] | None) -> list[Section]:
    """The confusion matrix, or the largest confusions of many classes."""
    if not confusion or not confusion.get("labels"):
        return []
    labels = [clean(label) for label in confusion["labels"]]
    title = "Confusion" + (f", {clean(confusion['of'])} rows" if confusion.get("of") else "")
    if len(labels) <= MOST_CLASSES:
        rows = [[label, *map(count, row)] for label, row in zip(labels, confusion["counts"], strict=True)]
        table = Table(["true class", *labels], rows, "l" + "r" * len(labels))
        return [Section(title, ["Columns are the answers."], [table], picture="confusion")]
    wrong = largest_confusions(labels, confusion)
    line = f"The largest confusions among {count(len(labels))} classes:" if wrong else "No row was given a wrong class."
    table = Table(["true class", "answer", "rows"], [(true, said, count(n)) for n, true, said in wrong], "llr")
    return [Section(title, [line], [table] if wrong else [], picture="confusion")]


def against_chance(result: dict[str, Any]) -> list[str]:
    """What answering the largest class would score, and the balanced accuracy, in sentences."""
    lines = []
    if result.get("chance") is not None:
        largest = result.get("largest_class")
        name = "the largest class" if largest is None else f"the largest class, {cut(largest, LONG)},"
        lines.append(f"Always answering {name} would score {share(result['chance'])}.")
    if result.get("balanced_accuracy") is not None:
        lines.append(f"Balanced accuracy, the mean of the classes' recalls: {share(result['balanced_accuracy'])}.")
    return lines


def classes_section(classes: list[dict[str, Any]] | None, limits: Limits) -> list[Section]:
    """Precision, recall and F1 of each class."""
    if not classes:
        return []
    measures = ("precision", "recall", "f1")
    cells = [
        (clean(each["label"]), count(each["rows"]), *(_measure(each.get(name)) for name in measures))
        for each in classes
    ]
    more, table = shortened(Table(["class", "rows", *measures], cells, "lrrrr"), limits.rows, "class", "classes")
    lines = [
        "Precision: the share right among the rows given a class; recall: among the rows of that class;"
        " f1: their harmonic mean."
    ]
    meant = []
    if any("undefined" in row for row in cells):
        meant.append("Undefined: there are no such rows.")
    return [Section("Each class", lines, [table], [*meant, *more])]


def _measure(value: float | None) -> str:
    return share(nan if value is None else value)


def largest_confusions(labels: Sequence[str], confusion: dict[str, Any]) -> list[tuple[int, str, str]]:
    """The most frequent pairs of a true class and a wrong answer, the most frequent first."""
    pairs = confusion.get("pairs")
    if pairs is None:
        pairs = [(i, j, n) for i, row in enumerate(confusion["counts"]) for j, n in enumerate(row)]
    most = nlargest(CONFUSIONS, ((n, i, j) for i, j, n in pairs if n and i != j), key=lambda each: each[0])
    return [(n, labels[i], labels[j]) for n, i, j in most]


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
    return [Section("Weights", lines, tables, more, picture="weights")]


def strongest(features: list[dict[str, Any]], few: int) -> list[dict[str, Any]]:
    """The features with the weights that are largest, whatever their sign."""
    return nlargest(few, features, key=lambda each: abs(each["weight"]))


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


def shortened(
    table: Table, most: int, noun: str, many: str | None = None, total: int | None = None
) -> tuple[list[str], Table]:
    """The table's first rows, and a sentence on those left out; ``total``: how many there are, if the table lacks some."""
    shown = min(most, len(table.rows))
    left = (len(table.rows) if total is None else total) - shown
    if left <= 0:
        return [], table
    words = some(left, f"more {noun}", many and f"more {many}")
    return [f"{words} {'is' if left == 1 else 'are'} not shown."], table._replace(rows=table.rows[:most])


def remarks(result: dict[str, Any]) -> list[Section]:
    """Warnings and notes."""
    titled = (("Warnings", result.get("warnings")), ("Notes", result.get("notes")))
    return [Section(title, [clean(line) for line in lines]) for title, lines in titled if lines]
