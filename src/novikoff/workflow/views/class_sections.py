"""How classes were told apart: confusions, and the scores of each class."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from math import nan
from typing import Any

from ...inputs.counts import count
from ...inputs.readable import LONG, cut, share
from ...inputs.sections import Limits, Section, Table, shortened
from ...inputs.shell import clean

MOST_CLASSES = 12  # that a confusion matrix is shown of; of more, the largest confusions
CONFUSIONS = 10


def confusion_section(confusion: dict[str, Any] | None) -> list[Section]:
    """The confusion matrix, or the largest confusions of many classes."""
    if not confusion or not confusion.get("labels"):
        return []
    labels = [clean(label) for label in confusion["labels"]]
    title = "Confusion" + (f", {clean(confusion['of'])} rows" if confusion.get("of") else "")
    if len(labels) <= MOST_CLASSES:
        rows = [[label, *map(count, row)] for label, row in zip(labels, confusion["counts"], strict=True)]
        table = Table(["true class", *labels], rows, "l" + "r" * len(labels))
        return [Section(title, ["Columns are the predicted classes."], [table], picture="confusion")]
    wrong = largest_confusions(labels, confusion)
    line = f"The largest confusions among {count(len(labels))} classes:" if wrong else "No row was given a wrong class."
    table = Table(["true class", "predicted", "rows"], [(true, said, count(n)) for n, true, said in wrong], "llr")
    return [Section(title, [line], [table] if wrong else [], picture="confusion")]


def largest_confusions(labels: Sequence[str], confusion: dict[str, Any]) -> list[tuple[int, str, str]]:
    """The most frequent pairs of a true class and a wrong answer, the most frequent first."""
    pairs = confusion.get("pairs")
    if pairs is None:
        pairs = [(i, j, n) for i, row in enumerate(confusion["counts"]) for j, n in enumerate(row)]
    most = nlargest(CONFUSIONS, ((n, i, j) for i, j, n in pairs if n and i != j), key=lambda each: each[0])
    return [(n, labels[i], labels[j]) for n, i, j in most]


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
