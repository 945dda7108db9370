"""What is shown of a result, wherever it is shown: sections of sentences, tables and commands.

``terminal.py`` prints them, ``html.py`` makes HTML of them for pages and notebooks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .words import clean, some

SIDE_BY_SIDE = 5  # classes whose weights stand in one table


class Table(NamedTuple):
    """Rows of texts under heads; ``align`` says of every column whether it is at the left (l), at the right
    (r), or holds places in files (p), whose ends matter most."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: str


class Section(NamedTuple):
    """A part of what is shown."""

    title: str
    lines: Sequence[str] = ()
    tables: Sequence[Table] = ()
    footnotes: Sequence[str] = ()
    commands: Sequence[str] = ()
    picture: str | None = None  # its name in ``plots/report_pictures.PICTURES``
    page_only: bool = False  # too much for a terminal


class Limits(NamedTuple):
    """How much is shown; what is left out is counted."""

    rows: int  # of a table
    classes: int  # whose weights are shown
    values: int  # of a row, where rows are listed


TERMINAL = Limits(rows=12, classes=SIDE_BY_SIDE, values=3)
NOTEBOOK = TERMINAL._replace(values=6)
PAGE = Limits(rows=40, classes=2 * SIDE_BY_SIDE, values=8)


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
