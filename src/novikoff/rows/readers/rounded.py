"""Numbers of a file that float64 cannot hold, found where they are read: afterwards nobody can tell.

``novikoff.inputs.rounding`` says which texts stand for a float and which do not.  Learners take all of them, rounded; of what was
rounded nothing is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...inputs.keywords import keyword
from ...inputs.rounding import EXACT, REMEDY, rounded_text, rounded_whole, shown
from .arrow import pa
from .arrow_columns import occurring

# From a column's name to what stands there: an Arrow array of texts, whole numbers or decimals
Written = Callable[[str], Any]


class RoundedField(NamedTuple):
    """A number that was rounded, and its row: within a piece of a file, or over all files."""

    row: int
    text: str
    column: str | None = None  # of a table
    feature: int | None = None  # of a sparse row: the index as it is written; neither: it is the row's label
    place: str = ""  # in the file

    def __str__(self) -> str:
        where = "the label" if self.feature is None else f"the value of index {self.feature}"
        where = where if self.column is None else f"column {self.column!r}"
        return f"{shown(self.text)} in {where}"

    @property
    def remedy(self) -> str:
        """What to do about it."""
        if self.column is None:
            return REMEDY
        ignore, categorical = keyword("ignore", self.column), keyword("categorical", self.column)
        return f"If it is an id, pass {ignore} or {categorical}; else subtract a constant from it, as whole numbers"


def rounded_among(values: np.ndarray, written: Callable[[], Any]) -> Iterator[tuple[int, str]]:
    """Places and texts of those of these floats that are not what is written."""
    large = np.flatnonzero(np.abs(values) >= EXACT)
    if large.size == 0:
        return
    given = written().take(pa.array(large))
    if not pa.types.is_dictionary(given.type):
        for place, text in _rounded(given, values[large]):
            yield int(large[place]), text
        return
    found = occurring(given)
    texts = dict(_rounded(found.texts, values[large[found.first]]))
    for place, code in zip(large.tolist(), found.codes.tolist(), strict=True):
        if code in texts:
            yield place, texts[code]


def _rounded(given: Any, values: np.ndarray) -> Iterator[tuple[int, str]]:
    whole = _whole(given)
    if whole is not None:
        for place in np.flatnonzero(rounded_whole(whole)).tolist():
            yield place, str(whole[place])
        return
    for place, item in enumerate(given.to_pylist()):
        text = format(item, "f") if isinstance(item, Decimal) else str(item).strip()
        if rounded_text(text, float(values[place])):
            yield place, text


def _whole(given: Any) -> np.ndarray | None:
    """The whole numbers of 64 bits that all of these are; None if some are not."""
    if pa.types.is_decimal(given.type):
        return None
    try:
        whole = given if pa.types.is_integer(given.type) else given.cast(pa.int64())
        return np.asarray(whole.to_numpy(zero_copy_only=False))
    except pa.ArrowInvalid:
        return None


def rounded_columns(columns: Mapping[str, np.ndarray], written: Written) -> Iterator[RoundedField]:
    """Those of the columns of a piece."""
    for name, values in columns.items():
        for row, text in rounded_among(values, partial(written, name)):
            yield RoundedField(row, text, name)
