"""Dates in cells, and the numbers that they become: year, month, day, weekday and, where there are times, hour."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...inputs.keywords import keyword
from ..store.blocks import ORDERS
from .arrow import pa, pc
from .numerals import Counted
from .reading_options import Fault, shown

TIME = r"(?:[T ](?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:\.\d+)?))?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?"
PLACES = {"y": r"(?P<y>\d{4})", "m": r"(?P<m>\d{1,2})", "d": r"(?P<d>\d{1,2})"}
PATTERNS = {order: f"^{'[-/.]'.join(PLACES[place] for place in order)}{TIME}$" for order in ORDERS}


def orders_of(cells: Counted) -> set[str]:
    """The orders of year, month and day in which most cells are dates, and the most of them."""
    read = {order: int(cells.counts[_valid(_fields(cells.texts, order))].sum()) for order in ORDERS}
    most = max(read.values())
    return {order for order in ORDERS if read[order] == most} if 2 * most > cells.total else set()


def have_times(texts: Any, order: str) -> bool:
    """Whether any date has a time of day."""
    return bool((_fields(texts, order)["hour"] >= 0).any())


def date_parts(column: Any, order: str, name: str) -> dict[str, np.ndarray]:
    """The parts of a column of dates, or of their texts, by name; NaN for what is missing."""
    if pa.types.is_temporal(column.type):
        column = pc.strftime(column, format="%Y-%m-%dT%H:%M:%S" if pa.types.is_timestamp(column.type) else "%Y-%m-%d")
        order = "ymd"
    fields = _fields(column, order)
    there = pc.is_valid(column).to_numpy(zero_copy_only=False)
    wrong = there & ~_valid(fields)
    if wrong.any():
        row = int(np.argmax(wrong))
        text = shown(column[row].as_py())
        raise Fault(
            f"{text!r} is not a date, though column {name!r} holds dates ({order}); correct it, or pass {keyword('na', text)}",
            row,
            name,
        )
    days = _days(fields)
    weekday = (days.astype(np.int64) + 3) % 7 + 1.0  # 1970 began on a Thursday; Monday is 1
    hour = np.maximum(fields["hour"], 0) + np.maximum(fields["minute"], 0) / 60 + np.maximum(fields["second"], 0) / 3600
    parts = {"year": fields["y"], "month": fields["m"], "day": fields["d"], "weekday": weekday, "hour": hour}
    return {part: np.where(there, values, np.nan) for part, values in parts.items()}


def _fields(texts: Any, order: str) -> dict[str, np.ndarray]:
    """Numbers in dates; -1 where there is none."""
    found = pc.extract_regex(texts, PATTERNS[order])
    fields = {}
    for name in ("y", "m", "d", "hour", "minute", "second"):
        digits = found.field(name) if isinstance(found, pa.StructArray) else pc.struct_field(found, name)
        digits = pc.if_else(pc.is_valid(found), digits, "")
        digits = pc.if_else(pc.equal(digits, ""), "-1", digits)
        fields[name] = digits.cast(pa.float64()).fill_null(-1.0).to_numpy(zero_copy_only=False)
    return fields


def _days(fields: dict[str, np.ndarray]) -> Any:
    """Days since 1970 began; of what is no date, any."""
    years = np.clip(fields["y"], 1, 9999).astype(np.int64) - 1970
    months = np.clip(fields["m"], 1, 12).astype(np.int64) - 1
    first = (years.astype("datetime64[Y]") + months.astype("timedelta64[M]")).astype("datetime64[D]")
    return first + (np.maximum(fields["d"], 1).astype(np.int64) - 1).astype("timedelta64[D]")


def _valid(fields: dict[str, np.ndarray]) -> np.ndarray:
    """Whether there is such a day and such a time."""
    year, month, day = fields["y"], fields["m"], fields["d"]
    inside = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)
    same_month = (
        _days(fields).astype("datetime64[M]").astype(np.int64) == (np.clip(year, 1, 9999) - 1970) * 12 + month - 1
    )
    return np.asarray(inside & same_month & (fields["hour"] < 24) & (fields["minute"] < 60) & (fields["second"] < 61))
