"""What columns of texts hold: numbers, however they are written, dates or categories."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from ...inputs.keywords import keyword
from ..store.blocks import PLAIN, Numeral
from .arrow import pa, pc
from .arrow_columns import as_one_array, is_text, occurring, trim
from .numerals import Counted, as_plain, choose, decimals_of, have_times, look_like_numbers, orders_of, ways_to_read
from .reading_options import Fault, Reading, shown

MOST_LISTED = 8  # columns that a note lists


class Kind(NamedTuple):
    """What a column holds, and how that is written."""

    kind: str  # "number", "category" or "date"
    numeral: Numeral = PLAIN
    order: str = ""  # of a date
    times: bool = False  # whether dates have times of day
    looks: str = ""  # what a category looks like
    remedy: str = ""  # the option with which it is that


class Look(NamedTuple):
    """What a column of texts shows."""

    texts: Any  # each once, trimmed, with nulls for what is missing
    first: np.ndarray  # row of each
    cells: Counted
    read: int  # cells that are numbers in the best ways to read them
    ways: set[Numeral]

    @property
    def numeric(self) -> bool:
        """Whether more than half of what is there are numbers, or nothing is there."""
        return 2 * self.read > self.cells.total or not self.cells.total


def look_at(column: Any, reading: Reading, closely: bool = False) -> Look:
    """Look at a column; ``closely`` even if all its numbers are written plainly."""
    array = as_one_array(column)
    codes, found, first = occurring(array if pa.types.is_dictionary(array.type) else array.dictionary_encode())
    texts = trim(found, reading.missing)
    there = pc.is_valid(texts).to_numpy(zero_copy_only=False)
    cells = Counted(texts.drop_null(), np.bincount(codes[codes >= 0], minlength=len(texts))[there])
    if not closely:
        with suppress(pa.ArrowInvalid):
            cells.texts.cast(pa.float64())
            return Look(texts, first, cells, cells.total, {PLAIN})
    return Look(texts, first, cells, *ways_to_read(cells, reading.decimal, reading.thousands))


def needs_closer_look(looks: dict[str, Look], reading: Reading) -> bool:
    """Whether how one column is written, or the user, says something of how others may be."""
    told = reading.decimal == "," or reading.thousands == "."
    return told or any(look.numeric and PLAIN not in look.ways for look in looks.values())


def decide(looks: dict[str, Look], reading: Reading, typed: bool = False) -> dict[str, Kind]:
    """What columns hold.  In a file that has types, texts are no numbers unless the user says so."""
    numeric = {name: look for name, look in looks.items() if name in reading.numeric or (look.numeric and not typed)}
    decimals = decimals_of(look.ways for look in numeric.values() if look.cells.total)
    kinds = {}
    for name, look in looks.items():
        if name not in numeric:
            kinds[name] = _of_texts(name, look, reading)
            continue
        numeral = choose(look.ways, decimals)
        if numeral is None:
            raise _which_number(name, look)
        kinds[name] = Kind("number", numeral)
    return kinds


def _which_number(name: str, look: Look) -> Fault:
    sign = next("," if way.decimal == "," else "." for way in look.ways if not way.thousands)
    place = pc.index(pc.match_substring(look.texts, sign), True).as_py()
    text = look.texts[place].as_py()
    way = next(way for way in look.ways if way.thousands)
    whole = as_plain(pa.array([text]), way)[0].as_py()
    return Fault(
        f"{shown(text)!r} in column {name!r} may be {whole} or {text.replace(sign, '.')}; "
        f"pass {keyword('thousands', sign)} or {keyword('decimal', sign)}",
        int(look.first[place]),
        name,
        fresh=f" or {keyword('categorical', name)}",
    )


def _of_texts(name: str, look: Look, reading: Reading) -> Kind:
    if orders := orders_of(look.cells):
        if reading.dates == "categories":
            return Kind("category", looks="dates", remedy="dates='parts'")
        wanted = {"day-first": "dmy", "month-first": "mdy"}.get(reading.dates)
        order = wanted if wanted in orders else min(orders)
        if len(orders) > 1 and order != wanted:
            place = pc.index(pc.is_valid(look.texts), True).as_py()
            text = look.texts[place].as_py()
            raise Fault(
                f"{text!r} in column {name!r} may begin with the day or with the month; "
                "pass dates='day-first' or dates='month-first'",
                int(look.first[place]),
                name,
            )
        return Kind("date", order=order, times=have_times(look.cells.texts, order))
    if look.cells.total and (look.numeric or look_like_numbers(look.cells)):
        example = shown(look.cells.texts[0].as_py())
        remedy = keyword("numeric", name) if look.numeric else "decimal=... or thousands=..., or write them as 1234.5"
        return Kind("category", looks=f"numbers ({example!r})", remedy=remedy)
    return Kind("category")


def written_otherwise(kinds: dict[str, Kind], looks: dict[str, Look]) -> list[str]:
    """Notes on numbers that are not written plainly, a line for each way."""
    names: dict[Numeral, list[str]] = {}
    for name, kind in kinds.items():
        if kind.kind == "number" and name in looks and PLAIN not in looks[name].ways:
            names.setdefault(kind.numeral, []).append(name)
    return [f"numbers are written like {way.example} in {_some(columns)}" for way, columns in names.items()]


def _some(names: list[str]) -> str:
    return ", ".join(names[:MOST_LISTED]) + (
        f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    )


def kind_of_type(kind: Any) -> str | None:
    """What an Arrow type holds; None: nothing that can be learned from."""
    types = pa.types
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind):
        return "number"
    if types.is_date(kind) or types.is_timestamp(kind):
        return "date"
    if is_text(kind) or types.is_boolean(kind):
        return "category"
    if types.is_dictionary(kind):
        return "category" if kind_of_type(kind.value_type) else None
    return None
