"""Numbers as people write them: decimal commas, thousands parted, percent and currency signs.

A column is spelled in one way.  Which one, its cells say: the way is taken that reads the most of them, and thousands
count as parted only where some cell parts them.  "1,234" alone may be either of two numbers; then other columns decide,
else the user is asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..store.blocks import BLANKS, DECIMALS, PLAIN, THOUSANDS, Numeral
from .arrow import pc

UNIT = r"[\p{Sc}%]"
LIKE_NUMBERS = (
    rf"^(?:\p{{L}}{{1,4}}[. ] ?|\p{{Sc}} ?|[<>~] ?)?[+-]?\d(?:[\d.,']|{BLANKS})*[\p{{L}}\p{{Sc}}%°²³/]{{0,4}}$"
)
MOST_BY_CHANCE = 10  # different texts that may look like numbers and be none: 1st, 2nd, 3rd
TWO_WAYS = (Numeral(".", ""), Numeral(",", ".")), (Numeral(",", ""), Numeral(".", ","))  # 1.234 and 1,234


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
