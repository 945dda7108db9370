"""Arrow columns as NumPy arrays: numbers with NaN for what is missing, categories as codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...inputs.keywords import keyword
from ...inputs.rounding import EXACT
from ..store.blocks import MISSING, PLAIN, Cells, Numeral, is_number, part_name
from .arrow import pa, pc
from .numerals import Counted, as_plain, date_parts, fits, ways_to_read
from .reading_options import Fault, shown


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
    except Fault as fault:
        fault.row = None if fault.row is None else int(found.first[fault.row])
        raise


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
    texts = None
    if is_text(array.type):
        texts = array
        values = _parse_texts(trim(array, missing), name, numeral)
    else:
        values = nearest_floats(array).to_numpy(zero_copy_only=False)
    endless = np.isinf(values)
    if endless.any():
        row = int(np.argmax(endless))
        text = texts[row].as_py().strip() if texts is not None else str(values[row])
        raise Fault(
            f"{shown(text)!r} in column {name!r} is not a finite number; correct it{_as_missing(text, ', or pass ')}.",
            row,
            name,
        )
    return values


def _parse_texts(trimmed: Any, name: str, numeral: Numeral) -> np.ndarray:
    if numeral != PLAIN:
        right = fits(trimmed, numeral).fill_null(True)
        if not pc.all(right).as_py():
            raise _no_number(trimmed, pc.index(right, False).as_py(), name, numeral)
        trimmed = as_plain(trimmed, numeral)
    try:
        return np.asarray(trimmed.cast(pa.float64()).to_numpy(zero_copy_only=False))
    except pa.ArrowInvalid:
        for row, text in enumerate(trimmed.to_pylist()):
            if text is not None and not is_number(text):
                raise _no_number(trimmed, row, name, numeral) from None
        raise


def _no_number(texts: Any, row: int, name: str, numeral: Numeral) -> Fault:
    text = texts[row].as_py()
    how = "" if numeral == PLAIN else f" written like {numeral.example}"
    options = " or ".join(filter(None, (written_with(text, numeral), _as_missing(text))))
    return Fault(
        f"{shown(text)!r} is not a number, though column {name!r} holds numbers{how}; "
        f"correct it{options and f', or pass {options}'}",
        row,
        name,
        fresh=f", or {keyword('categorical', name)}",
    )


def _as_missing(text: str, before: str = "") -> str:
    """The keyword that counts a text as missing, if it is short enough to be typed."""
    return before + keyword("na", text) if text == shown(text) else ""


def written_with(text: str, numeral: Numeral) -> str:
    """The keyword with which a text would be a number; empty if there is none."""
    read, ways = ways_to_read(Counted(pa.array([text]), np.ones(1, int)), None, None)
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
