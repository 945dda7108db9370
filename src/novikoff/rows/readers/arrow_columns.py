"""Arrow columns as NumPy arrays: numbers with NaN for what is missing, categories as codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ...checks.rounding import EXACT
from ...report.words import installing, keyword
from ..store.blocks import (
    BLANKS,
    DECIMALS,
    MISSING,
    NUMBER_GAPS,
    ORDERS,
    PLAIN,
    THOUSANDS,
    Cells,
    Numeral,
    part_name,
)
from .reading_options import BadCells, Fault, Reading, shown

# pyarrow, by which files and data frames are read; where it is not installed, a message says how to get it.
#
# Modules that need it import it from here.  They are imported only when something is read, since pyarrow takes long to start.

try:
    import pyarrow as pa
    import pyarrow.compute as pc
except ImportError:
    raise ImportError(f"Reading files and data frames needs pyarrow: {installing('cli')}") from None

__all__ = ["pa", "pc"]


# Numbers as people write them: decimal commas, thousands parted, percent and currency signs.
#
# A column is spelled in one way.  Which one, its cells say: the way is taken that reads the most of them, and thousands
# count as parted only where some cell parts them.  "1,234" alone may be either of two numbers; then other columns decide,
# else the user is asked.

UNIT = r"[\p{Sc}%]"
LIKE_NUMBERS = (
    rf"^(?:\p{{L}}{{1,4}}[. ] ?|\p{{Sc}} ?|[<>~] ?)?[+-]?\d(?:[\d.,']|{BLANKS})*[\p{{L}}\p{{Sc}}%°²³/]{{0,4}}$"
)
ROWS_A_LEVEL = 5  # at least, of a column of numbers and words that is read as categories
MOST_LEVELS = 10  # different numbers and words, as numbers of cylinders are: 4, 6, 8, rotary
MOST_BY_CHANCE = 10  # different texts that may look like numbers and be none: 1st, 2nd, 3rd
TWO_WAYS = (Numeral(".", ""), Numeral(",", ".")), (Numeral(",", ""), Numeral(".", ","))  # 1.234 and 1,234
TIME = r"(?:[T ](?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:\.\d+)?))?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?"
DATE_LIKE = {"ymd": "2020-12-31", "dmy": "31.12.2020", "mdy": "12/31/2020"}
PLACES = {"y": r"(?P<y>\d{4})", "m": r"#?(?P<m>\d{1,2})", "d": r"(?P<d>\d{1,2})"}
MONTHS = {
    name: place
    for place, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
    )
}
MONTH = f"(?i)\\b(?:{'|'.join(MONTHS)})[a-z]*"
PATTERNS = {order: f"^{'(?:[-/.]|,? )'.join(PLACES[place] for place in order)}{TIME}$" for order in ORDERS}


class TextCounts(NamedTuple):
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


def ways_to_read(cells: TextCounts, decimal: str | None, thousands: str | None) -> tuple[int, set[Numeral]]:
    """How many cells the best ways read, and which ways these are; ``decimal`` and ``thousands`` if they are given."""
    found = _best(cells, "", decimal, thousands)
    if 2 * found[0] <= cells.total and (unit := _unit(cells)):
        found = max(found, _best(cells, unit, decimal, thousands), key=lambda each: each[0])
    return found


def _best(cells: TextCounts, unit: str, decimal: str | None, thousands: str | None) -> tuple[int, set[Numeral]]:
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


def _unit(cells: TextCounts) -> str:
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


def look_like_numbers(cells: TextCounts) -> bool:
    """Whether most cells have a number in them and little else."""
    return len(cells.texts) > MOST_BY_CHANCE and 2 * cells.matching(LIKE_NUMBERS) > cells.total


# Dates


def orders_of(cells: TextCounts) -> set[str]:
    """The orders of year, month and day in which most cells are dates, and the most of them."""
    read = {order: int(cells.counts[_valid(_fields(cells.texts, order))].sum()) for order in ORDERS}
    most = max(read.values())
    return {order for order in ORDERS if read[order] == most} if 2 * most > cells.total else set()


def date_parts(column: Any, order: str, name: str) -> dict[str, np.ndarray]:
    """The parts of a column of dates, or of their texts, by name; NaN for what is missing."""
    if pa.types.is_temporal(column.type):
        column = pc.strftime(column, format="%Y-%m-%dT%H:%M:%S" if pa.types.is_timestamp(column.type) else "%Y-%m-%d")
        order = "ymd"
    fields = _fields(column, order)
    there = pc.is_valid(column).to_numpy(zero_copy_only=False)
    wrong = there & ~_valid(fields)
    if wrong.any():
        raise BadCells(
            {name: _cells(column, wrong)},
            {name: f"is not a date, though column {name!r} holds dates such as {DATE_LIKE[order]}"},
        )
    days = _days(fields)
    weekday = (days.astype(np.int64) + 3) % 7 + 1.0  # 1970 began on a Thursday; Monday is 1
    hour = np.maximum(fields["hour"], 0) + np.maximum(fields["minute"], 0) / 60 + np.maximum(fields["second"], 0) / 3600
    parts = {"year": fields["y"], "month": fields["m"], "day": fields["d"], "weekday": weekday, "hour": hour}
    return {part: np.where(there, values, np.nan) for part, values in parts.items()}


def _fields(texts: Any, order: str) -> dict[str, np.ndarray]:
    """Numbers in dates; -1 where there is none.  A month that is written out becomes ``#`` and its number, which is no day's."""
    if pc.any(pc.match_substring_regex(texts, MONTH)).as_py():
        for name, number in MONTHS.items():
            texts = pc.replace_substring_regex(texts, rf"(?i)\b{name}[a-z]*\.?", f"#{number}")
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


class Coded(NamedTuple):
    """Texts as codes; both in order of first appearance."""

    codes: np.ndarray
    texts: list[str]


def texts_between(data: bytes, bounds: np.ndarray) -> Any:
    """The texts between bounds (rows of an increasing start and end), as an Arrow array.

    Arrow's bounds of texts are where the next one starts, so these are every second of those between all bounds.
    """
    count = len(bounds)
    offsets = pa.py_buffer(np.ascontiguousarray(bounds, np.int32))
    texts = pa.StringArray.from_buffers(max(0, 2 * count - 1), offsets, pa.py_buffer(data))
    return texts.take(pa.array(np.arange(0, 2 * count, 2)))


def as_numbers(column: Any, missing: frozenset[str], name: str, numeral: Numeral = PLAIN) -> np.ndarray:
    """A column as finite floats, and NaN for what is missing; texts are numbers written as ``numeral`` says."""
    return of_each_text(column, lambda array: {name: _numbers(array, missing, name, numeral)})[name]


def of_each_text(column: Any, work: Callable[[Any], dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """The numbers that ``work`` makes of a column; of a dictionary it is given every text once, however many rows have it."""
    array = as_one_array(column)
    if not pa.types.is_dictionary(array.type):
        return work(array)
    found = occurring(array)
    try:
        return {name: np.append(values, np.nan)[found.codes] for name, values in work(found.texts).items()}
    except BadCells as bad:
        cells = {
            name: sorted((row, text) for place, text in own for row in np.flatnonzero(found.codes == place).tolist())
            for name, own in bad.cells.items()
        }
        raise BadCells(cells, bad.why, bad.numerals) from None


class Occurring(NamedTuple):
    """The texts of a dictionary that rows have, in order of first appearance."""

    codes: np.ndarray  # by row: places in ``texts``, or -1
    texts: Any  # an Arrow array
    first: np.ndarray  # row of each text


def occurring(array: Any) -> Occurring:
    """What rows of a dictionary array have: a dictionary may have more."""
    codes = _codes_of(array)
    rows = np.flatnonzero(codes >= 0)
    used, first, places = np.unique(codes[rows], return_index=True, return_inverse=True)
    order = np.argsort(first)
    remap = np.empty(len(order), np.int32)
    remap[order] = np.arange(len(order))
    found = np.full(len(codes), -1, np.int32)
    found[rows] = remap[places]
    texts = array.dictionary
    texts = texts.cast(pa.large_string()) if pa.types.is_string_view(texts.type) else texts
    return Occurring(found, texts.take(pa.array(used[order])), rows[first[order]])


def _codes_of(array: Any) -> np.ndarray:
    """The codes of a dictionary array; -1 where there is nothing."""
    indices = array.indices
    if pa.types.is_unsigned_integer(indices.type):  # polars has such, and they have no -1
        indices = indices.cast(pa.int64())
    return np.asarray(indices.fill_null(-1).to_numpy(zero_copy_only=False))


def _numbers(array: Any, missing: frozenset[str], name: str, numeral: Numeral) -> np.ndarray:
    array = decoded(array)
    if pa.types.is_null(array.type):
        return np.full(len(array), np.nan)
    if not is_text(array.type):
        values = nearest_floats(array).to_numpy(zero_copy_only=False)
        if np.isinf(values).any():
            cells = [(row, str(values[row])) for row in np.flatnonzero(np.isinf(values)).tolist()]
            raise BadCells({name: cells}, {name: f"in column {name!r} is not a finite number"})
        return values
    trimmed = trim(array, missing | {*NUMBER_GAPS})
    wrong = ~fits(trimmed, numeral).fill_null(True).to_numpy(zero_copy_only=False) if numeral != PLAIN else None
    if wrong is None or not wrong.any():
        plain = trimmed if numeral == PLAIN else as_plain(trimmed, numeral)
        with suppress(pa.ArrowInvalid):
            values = np.asarray(plain.cast(pa.float64()).to_numpy(zero_copy_only=False))
            if not (endless := np.isinf(values)).any():
                return values
            raise BadCells({name: _cells(trimmed, endless)}, {name: f"in column {name!r} is not a finite number"})
    if wrong is None:
        wrong = ~pc.match_substring_regex(trimmed, PLAIN.pattern).fill_null(True).to_numpy(zero_copy_only=False)
    how = "" if numeral == PLAIN else f" written like {numeral.example}"
    why = f"is not a number, though column {name!r} holds numbers{how}"
    raise BadCells({name: _cells(trimmed, wrong)}, {name: why}, {name: numeral})


def _cells(texts: Any, wrong: np.ndarray) -> list[tuple[int, str]]:
    """The rows and texts of these cells."""
    return [(row, texts[row].as_py()) for row in np.flatnonzero(wrong).tolist()]


def written_with(text: str, numeral: Numeral) -> str:
    """The keyword with which a text would be a number; empty if there is none."""
    read, ways = ways_to_read(TextCounts(pa.array([text]), np.ones(1, int)), None, None)
    other = min(ways).decimal
    return f"{keyword('decimal', other)} (if all are written so)" if read and other != numeral.decimal else ""


def nearest_floats(array: Any) -> Any:
    """Numbers as the floats nearest to them.  (Arrow's own cast of decimals makes 0.30000000000000004 of 0.3.)"""
    return (array.cast(pa.string()) if pa.types.is_decimal(array.type) else array).cast(pa.float64(), safe=False)


def dates_apart(column: Any, name: str, cells: Cells) -> dict[str, np.ndarray]:
    """The columns that a column of dates, or of texts that are dates, becomes."""

    def parts_of(array: Any) -> dict[str, np.ndarray]:
        if not pa.types.is_temporal(array.type):
            array = trim(array.cast(pa.string()), frozenset(cells.missing))
        parts = date_parts(array, cells.dates[name], name)
        return {part_name(name, part): values for part, values in parts.items()}

    return of_each_text(column, parts_of)


def as_codes(column: Any, missing: frozenset[str]) -> Coded:
    """A column's texts as codes.  Blanks around texts do not count."""
    array = as_one_array(column)
    if not pa.types.is_dictionary(array.type):
        array = (
            array.dictionary_encode()
            if not pa.types.is_null(array.type)
            else array.cast(pa.string()).dictionary_encode()
        )
    if len(array.dictionary) > len(array):  # of a file: most may be of other rows
        found = occurring(array)
        array = pa.DictionaryArray.from_arrays(pa.array(found.codes, mask=found.codes < 0), found.texts)
    places: dict[str, int] = {}
    remap = []
    for value in array.dictionary.to_pylist():
        text = as_text(value)
        remap.append(MISSING if text is None or text in missing else places.setdefault(text, len(places)))
    return in_order_of_appearance(np.array([*remap, MISSING], np.int32)[_codes_of(array)], list(places))


def in_order_of_appearance(codes: np.ndarray, texts: list[str]) -> Coded:
    """Number texts by their first appearance, and leave out those that do not occur."""
    first = np.full(len(texts) + 1, len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # the last one written is the first in the column
    order = np.argsort(first[:-1])
    order = order[first[order] < len(codes)]
    remap = np.full(len(texts) + 1, MISSING, np.int32)
    remap[order] = np.arange(len(order))
    return Coded(remap[codes], [texts[place] for place in order.tolist()])


def as_text(value: Any) -> str | None:
    """A value as the text of a category."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float):
        return number_text(value)
    return str(value)


def number_text(value: float) -> str:
    """A number written shortest: 1 rather than 1.0."""
    return str(int(value)) if value.is_integer() and abs(value) < EXACT else repr(float(value))


def trim(array: Any, missing: frozenset[str]) -> Any:
    """Texts without blanks around them, and null for those that mean "missing"."""
    trimmed = pc.utf8_trim_whitespace(array)
    gaps = pc.is_in(trimmed, value_set=pa.array(sorted(missing), trimmed.type))
    return pc.if_else(gaps, pa.scalar(None, trimmed.type), trimmed)


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is one of its types of text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def decoded(column: Any) -> Any:
    """One array, and values in place of codes."""
    array = as_one_array(column)
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def as_one_array(column: Any) -> Any:
    """A column without its chunks; texts in a form that all functions know: those that rows may share, as a dictionary."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if not pa.types.is_string_view(array.type):
        return array
    coded = array.dictionary_encode()
    return pa.DictionaryArray.from_arrays(coded.indices, coded.dictionary.cast(pa.large_string()))


# What columns of texts hold: numbers, however they are written, dates or categories.

LEADING_ZERO = r"^0\d+$"
MOST_LISTED = 8  # columns that a note lists
FEWEST_TEXTS = 20  # cells of a column of texts
SEVERAL_WORDS = r"[\p{L}\p{N}_]{2,}[^\p{L}\p{N}_]+[\p{L}\p{N}_]{2,}[^\p{L}\p{N}_]+[\p{L}\p{N}_]{2,}"


NO_DATES = "the dates of new rows are seldom among those of training"  # and on real tables scores were higher without dates than with them or their parts


class ColumnKind(NamedTuple):
    """What a column holds, and how that is written."""

    kind: str  # "number", "category", "date" or "text"
    numeral: Numeral = PLAIN
    order: str = ""  # of a date
    times: bool = False  # whether dates have times of day
    looks: str = ""  # what a category looks like
    remedy: str = ""  # the option with which it is that
    leave: str = ""  # why it is left out


class ColumnLook(NamedTuple):
    """What a column of texts shows."""

    texts: Any  # each once, trimmed, with nulls for what is missing
    first: np.ndarray  # row of each
    cells: TextCounts
    read: int  # cells that are numbers in the best ways to read them
    ways: set[Numeral]
    gaps: Mapping[str, int] = MappingProxyType(
        {}
    )  # texts that were taken as missing, and how often; empty cells and NA apart

    @property
    def numeric(self) -> bool:
        """Whether more than half of what is there are numbers, or nothing is there."""
        return 2 * self.read > self.cells.total or not self.cells.total


def look_at(column: Any, reading: Reading, closely: bool = False) -> ColumnLook:
    """Look at a column; ``closely`` even if all its numbers are written plainly."""
    array = as_one_array(column)
    codes, found, first = occurring(array if pa.types.is_dictionary(array.type) else array.dictionary_encode())
    counts = np.bincount(codes[codes >= 0], minlength=len(found))
    for missing in (reading.missing | {*NUMBER_GAPS}, reading.missing):  # among numbers "-" is missing, else a text
        texts = trim(found, missing)
        there = pc.is_valid(texts).to_numpy(zero_copy_only=False)
        cells = TextCounts(texts.drop_null(), counts[there])
        gaps = _gaps(found, ~there, counts)
        if not closely:
            with suppress(pa.ArrowInvalid):
                cells.texts.cast(pa.float64())
                if cells.total:
                    return ColumnLook(texts, first, cells, cells.total, {PLAIN}, gaps)
        look = ColumnLook(texts, first, cells, *ways_to_read(cells, reading.decimal, reading.thousands), gaps)
        if cells.total and look.numeric:
            return look
    return look


def _gaps(texts: Any, missing: np.ndarray, counts: np.ndarray) -> dict[str, int]:
    found: dict[str, int] = {}
    for place in np.flatnonzero(missing).tolist():
        text = (texts[place].as_py() or "").strip()
        if text not in ("", "NA"):
            found[text] = found.get(text, 0) + int(counts[place])
    return found


def taken_as_missing(looks: dict[str, ColumnLook]) -> list[str]:
    """A note on texts of the first rows that were taken as missing, and how often; empty cells and NA apart."""
    found = [
        f"{text!r} in {name!r}" + ("" if times == 1 else f" ({times:,} times)")
        for name, look in looks.items()
        for text, times in look.gaps.items()
    ]
    return [f"taken as missing, in the first rows: {_some(found)}"] if found else []


def needs_closer_look(looks: dict[str, ColumnLook], reading: Reading) -> bool:
    """Whether how one column is written, or the user, says something of how others may be."""
    told = reading.decimal == "," or reading.thousands == "."
    return told or any(look.numeric and PLAIN not in look.ways for look in looks.values())


def decide(looks: dict[str, ColumnLook], reading: Reading, typed: bool = False) -> dict[str, ColumnKind]:
    """What columns hold.  In a file that has types, texts are no numbers unless the user says so."""
    numeric = {name: look for name, look in looks.items() if name in reading.numeric or (look.numeric and not typed)}
    decimals = decimals_of(look.ways for look in numeric.values() if look.cells.total)
    kinds = {}
    for name, look in looks.items():
        if name not in numeric:
            kinds[name] = _of_texts(name, look, reading)
            continue
        numeral = choose(look.ways, decimals)
        if name not in reading.numeric and look.cells.total and _are_codes(look.cells):
            example = next(text for text in look.cells.texts.to_pylist() if text.startswith("0") and len(text) > 1)
            kinds[name] = ColumnKind("category", looks=f"codes ({example!r})", remedy=keyword("numeric", name))
            continue
        if numeral is None:
            raise _which_number(name, look)
        kinds[name] = _of_levels(name, look, numeral) if name not in reading.numeric else ColumnKind("number", numeral)
    return kinds


def _of_levels(name: str, look: ColumnLook, numeral: Numeral) -> ColumnKind:
    """What a column of numbers holds, of which some cells may be words: few different numbers and words are categories."""
    words = look.cells.texts.filter(pc.invert(fits(look.cells.texts, numeral)))
    often = look.cells.total >= ROWS_A_LEVEL * len(look.cells.texts)
    few = often and len(look.cells.texts) <= MOST_LEVELS and not pc.any(pc.match_substring_regex(words, r"\d")).as_py()
    if look.read == look.cells.total or not few:
        return ColumnKind("number", numeral)
    word = words[0].as_py()
    return ColumnKind("category", looks=f"numbers with words ({shown(word)!r})", remedy=keyword("na", word))


def _are_codes(cells: TextCounts) -> bool:
    """Whether all are digits only, and one begins with a zero: postcodes, article numbers."""
    return cells.matching(r"^\d+$") == cells.total and cells.matching(LEADING_ZERO) > 0


def _which_number(name: str, look: ColumnLook) -> Fault:
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


def _of_texts(name: str, look: ColumnLook, reading: Reading) -> ColumnKind:
    if orders := orders_of(look.cells):
        if reading.dates == "leave-out":
            return ColumnKind("category", looks="dates", remedy="dates='parts'", leave=NO_DATES)
        if reading.dates == "categories":
            return ColumnKind("category", looks="dates", remedy="dates='parts'")
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
        times = bool((_fields(look.cells.texts, order)["hour"] >= 0).any())
        return ColumnKind("date", order=order, times=times)
    if look.cells.total and (look.numeric or look_like_numbers(look.cells)):
        example = shown(look.cells.texts[0].as_py())
        remedy = keyword("numeric", name) if look.numeric else "decimal=... or thousands=..., or write them as 1234.5"
        return ColumnKind("category", looks=f"numbers ({example!r})", remedy=remedy)
    if look.cells.total >= FEWEST_TEXTS and len(look.cells.texts) > look.cells.total / 2:
        several = pc.match_substring_regex(look.cells.texts, SEVERAL_WORDS).to_numpy(zero_copy_only=False)
        if 2 * np.count_nonzero(several) > len(several):
            return ColumnKind("text")
    return ColumnKind("category")


def written_otherwise(kinds: dict[str, ColumnKind], looks: dict[str, ColumnLook]) -> list[str]:
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
