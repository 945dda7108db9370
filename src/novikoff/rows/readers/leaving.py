"""Columns that say nothing of a row's class: ids, which number rows or name them, and columns without any value."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..store.blocks import MISSING
from .reading_options import Plan
from .tables import TablePart

FEWEST = 10  # rows from which on different values are no chance


class Left(NamedTuple):
    """A column that is not learned from."""

    column: str
    why: str
    empty: bool = False


def columns_to_leave(part: TablePart, plan: Plan) -> list[Left]:
    """The columns that, by these first rows, say nothing."""
    found = []
    dates = plan.cells.parts
    for name, values in zip(plan.numbers, part.numbers.T, strict=True):
        if np.isnan(values).all():
            found.append(Left(name, "it has no value", empty=True))
        elif name not in dates and _numbers_rows(values):
            found.append(Left(name, f"it numbers the rows from {values[0]:.0f}, as an id does"))
    for name, coded in part.categories.items():
        there = int(np.count_nonzero(coded.codes != MISSING))
        if not there:
            found.append(Left(name, "it has no value", empty=True))
        elif FEWEST <= there == len(coded.texts) and 2 * there > part.total:
            found.append(Left(name, "its values are all different, as those of an id are"))
    return found


def _numbers_rows(values: np.ndarray) -> bool:
    first = values[0]
    return len(values) >= FEWEST and first in (0, 1) and np.array_equal(values, first + np.arange(len(values)))
