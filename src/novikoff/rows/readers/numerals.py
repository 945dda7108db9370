"""Numbers as people write them: decimal commas, thousands parted, percent and currency signs.

A column is spelled in one way.  Which one, its cells say: the way is taken that reads the most of them, and thousands
count as parted only where some cell parts them.  "1,234" alone may be either of two numbers; then other columns decide,
else the user is asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ...inputs.keywords import keyword
from ..store.blocks import BLANKS, DECIMALS, ORDERS, PLAIN, THOUSANDS, Numeral
from .arrow import pa, pc
from .reading_options import Fault, shown

UNIT = r"[\p{Sc}%]"
LIKE_NUMBERS = (
    rf"^(?:\p{{L}}{{1,4}}[. ] ?|\p{{Sc}} ?|[<>~] ?)?[+-]?\d(?:[\d.,']|{BLANKS})*[\p{{L}}\p{{Sc}}%°²³/]{{0,4}}$"
)
MOST_BY_CHANCE = 10  # different texts that may look like numbers and be none: 1st, 2nd, 3rd
TWO_WAYS = (Numeral(".", ""), Numeral(",", ".")), (Numeral(",", ""), Numeral(".", ","))  # 1.234 and 1,234
TIME = r"(?:[T ](?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:\.\d+)?))?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?"
PLACES = {"y": r"(?P<y>\d{4})", "m": r"(?P<m>\d{1,2})", "d": r"(?P<d>\d{1,2})"}
PATTERNS = {order: f"^{'[-/.]'.join(PLACES[place] for place in order)}{TIME}$" for order in ORDERS}


class Counted(NamedTuple):
    """The different texts of a column, without those that mean "missing", and how often each is there."""

    texts: Any
    counts: np.ndarray

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    def matching(self, pattern: str) -> int:
        """How many cells a pattern fits."""
        return int(self.counts[pc.match_substring_regex(self.texts, pattern).to_numpy(zero_copy_only=False)].sum())


def fits(texts: Any, numeral: Numeral) -> Any:
    """Of each text whether it is a number written so."""
    return pc.match_substring_regex(texts, numeral.pattern)


def as_plain(texts: Any, numeral: Numeral) -> Any:
    """Numbers written in this way, as 1234.5."""
    return pc.replace_substring(pc.replace_substring_regex(texts, numeral.apart, ""), numeral.decimal, ".")


def ways_to_read(cells: Counted, decimal: str | None, thousands: str | None) -> tuple[int, set[Numeral]]:
    """How many cells the best ways read, and which ways these are; ``decimal`` and ``thousands`` if they are given."""
    found = _best(cells, "", decimal, thousands)
    if 2 * found[0] <= cells.total and (unit := _unit(cells)):
        found = max(found, _best(cells, unit, decimal, thousands), key=lambda each: each[0])
    return found


def _best(cells: Counted, unit: str, decimal: str | None, thousands: str | None) -> tuple[int, set[Numeral]]:
    ways = [
        Numeral(point, parting, unit)
        for point in DECIMALS
        for parting in THOUSANDS
        if point not in (parting, thousands)
        and point == (decimal or point)
        and parting in ("", parting if thousands is None else thousands)
    ]
    read = {way: cells.matching(way.pattern) for way in ways}
    most = max(read.values())
    best = {way for way in ways if read[way] == most}
    return most, {way for way in best if not way.thousands or way._replace(thousands="") not in best}


def _unit(cells: Counted) -> str:
    """The sign that most cells have."""
    signs = pc.extract_regex(cells.texts, f"(?P<unit>{UNIT})").field("unit").to_pylist()
    counts: dict[str, int] = {}
    for sign, count in zip(signs, cells.counts.tolist(), strict=True):
        if sign:
            counts[sign] = counts.get(sign, 0) + count
    return max(counts, key=counts.__getitem__, default="")


def decimals_of(columns: Iterable[set[Numeral]]) -> set[str]:
    """The decimal signs that columns show beyond doubt."""
    return {next(iter(ways)).decimal for ways in columns if len({way.decimal for way in ways}) == 1}


def choose(ways: set[Numeral], decimals: set[str]) -> Numeral | None:
    """The way to read a column, in a file whose other columns show these decimal signs; None if only the user can say."""
    shown = next(iter(decimals)) if len(decimals) == 1 else None
    for first, second in TWO_WAYS:
        pair = {way for way in ways if way[:2] in (first[:2], second[:2])}
        if len(pair) < 2:
            continue
        if first.decimal == PLAIN.decimal and shown != ",":  # 1.234 in a file without decimal commas
            return next(way for way in pair if way.decimal == PLAIN.decimal)
        if first.decimal == PLAIN.decimal or shown is None:
            return None
        return next(way for way in pair if way.decimal == shown)
    return min(ways, key=lambda way: (way.decimal != (shown or PLAIN.decimal), way))


def look_like_numbers(cells: Counted) -> bool:
    """Whether most cells have a number in them and little else."""
    return len(cells.texts) > MOST_BY_CHANCE and 2 * cells.matching(LIKE_NUMBERS) > cells.total


# Dates


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
