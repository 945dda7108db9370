"""Arrow columns as NumPy arrays: numbers with NaN for what is missing, categories as codes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from shlex import quote
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..rounding import EXACT
from .blocks import MISSING, Schema, TableBlock
from .options import Fault, Plan, shown
from .rounded import RoundedField, Written, rounded_columns

STRIPE = 512  # rows that are transposed at a time, so that they stay in the cache


class Coded(NamedTuple):
    """Texts as codes; both in order of first appearance."""

    codes: np.ndarray
    texts: list[str]


class TablePart(NamedTuple):
    """Rows of one piece of a file, with codes of its own."""

    numbers: np.ndarray
    categories: dict[str, Coded]
    target: Coded | np.ndarray | None
    rows: np.ndarray  # those that are kept, counted within the piece
    total: int
    rounded: RoundedField | None = None  # one of the kept rows

    def block(self, coder: Coder, first: int) -> TableBlock:
        """The rows with the codes of all files, in which the piece starts at row ``first``."""
        codes = np.empty((len(self.rows), len(self.categories)), np.int32)
        for place, (name, coded) in enumerate(self.categories.items()):
            codes[:, place] = coder.codes(name, coded)
        target = self.target
        if isinstance(target, Coded):
            target = coder.codes(None, target)
        return TableBlock(self.numbers, codes, np.empty(0) if target is None else target, self.rows + first)


class Coder:
    """Texts to codes, over all files; new texts are added to the schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._lists: dict[str | None, list[str]] = {None: schema.labels}
        self._lists.update(schema.levels)
        self._known = {name: {text: code for code, text in enumerate(texts)} for name, texts in self._lists.items()}

    def widen(self, width: int) -> None:
        """Make room for sparse rows of this width."""
        self._schema.n_features = max(self._schema.n_features, width)

    def codes(self, name: str | None, coded: Coded) -> np.ndarray:
        """The codes of a category column, or (None) of the labels."""
        known, texts = self._known[name], self._lists[name]
        for text in coded.texts:
            if text not in known:
                known[text] = len(texts)
                texts.append(text)
        return np.array([*(known[text] for text in coded.texts), MISSING], np.int32)[coded.codes]


def make_part(columns: Mapping[str, Any], plan: Plan, written: Written | None = None) -> TablePart:
    """Turn the Arrow columns of a piece into arrays; the first fault in row order is raised.  ``written`` knows what stands in
    columns that another reader made floats of."""
    floats = _each(plan.floats, lambda name: as_numbers(columns[name], plan.missing, name))
    coded = {name: as_codes(columns[name], plan.missing) for name in plan.texts}
    target: Coded | np.ndarray | None = None
    if plan.target is not None:
        target = coded.pop(plan.target) if plan.task == "classes" else floats.pop(plan.target).copy()
    suspects = {
        name: values for name, values in floats.items() if written or not pa.types.is_floating(columns[name].type)
    }
    rounded = rounded_columns(suspects, written or (lambda name: _decoded(columns[name])))
    return finish_part(
        side_by_side(list(floats.values()), len(next(iter(columns.values())))), coded, target, plan, rounded
    )


def finish_part(
    numbers: np.ndarray,
    categories: dict[str, Coded],
    target: Coded | np.ndarray | None,
    plan: Plan,
    rounded: Iterable[RoundedField] = (),
) -> TablePart:
    """Leave out rows with gaps if that is planned; else refuse a row without its target."""
    for value in _numbers_among(plan.missing):
        numbers[numbers == value] = np.nan
        if isinstance(target, np.ndarray):
            target[target == value] = np.nan
    rows = np.arange(len(numbers))
    gaps = np.zeros(len(rows), bool)
    if target is not None:
        gaps = target.codes == MISSING if isinstance(target, Coded) else np.isnan(target)
        if gaps.any() and not plan.drop:
            text = f"the target {plan.target!r} is missing; fill it in, or leave the row out"
            raise Fault(text, int(np.argmax(gaps)), plan.target, fresh=" (--missing drop)")
    if plan.drop:
        gaps |= np.isnan(numbers).any(axis=1)
        for column in categories.values():
            gaps |= column.codes == MISSING
    first = next((each for each in rounded if not gaps[each.row]), None)
    if not gaps.any():
        return TablePart(numbers, categories, target, rows, len(rows), first)
    kept = np.flatnonzero(~gaps)
    categories = {name: _keep(column, kept) for name, column in categories.items()}
    if target is not None:
        target = _keep(target, kept) if isinstance(target, Coded) else target[kept]
    return TablePart(numbers[kept], categories, target, kept, len(rows), first)


@cache
def _numbers_among(missing: frozenset[str]) -> tuple[float, ...]:
    """Texts that mean "missing" may be numbers, however a file writes them: -999 is -999.0."""
    values = (float(text) for text in missing if is_number(text))
    return tuple(value for value in values if math.isfinite(value))


def _keep(coded: Coded, rows: np.ndarray) -> Coded:
    return in_order_of_appearance(coded.codes[rows], coded.texts)


def _each(names: list[str], work: Callable[[str], np.ndarray]) -> dict[str, np.ndarray]:
    done, faults = {}, []
    for name in names:
        try:
            done[name] = work(name)
        except Fault as fault:
            faults.append(fault)
    if faults:
        raise min(faults, key=lambda fault: fault.row or 0)
    return done


def side_by_side(columns: list[np.ndarray], rows: int) -> np.ndarray:
    """Columns as a C-ordered matrix."""
    matrix = np.empty((rows, len(columns)))
    for start in range(0, rows, STRIPE):
        stripe = matrix[start : start + STRIPE]
        for place, column in enumerate(columns):
            stripe[:, place] = column[start : start + STRIPE]
    return matrix


def as_numbers(column: Any, missing: frozenset[str], name: str) -> np.ndarray:
    """A column as finite floats, and NaN for what is missing."""
    array = _decoded(column)
    if pa.types.is_null(array.type):
        return np.full(len(array), np.nan)
    texts = None
    if is_text(array.type):
        texts = array
        values = _parse_texts(array, missing, name)
    else:
        values = nearest_floats(array).to_numpy(zero_copy_only=False)
    endless = np.isinf(values)
    if endless.any():
        row = int(np.argmax(endless))
        text = shown(texts[row].as_py().strip()) if texts is not None else str(values[row])
        raise Fault(
            f"{text!r} in column {name!r} is not a finite number; correct it, or pass --na {quote(text)}.", row, name
        )
    return values


def _parse_texts(array: Any, missing: frozenset[str], name: str) -> np.ndarray:
    trimmed = trim(array, missing)
    try:
        return trimmed.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        for row, text in enumerate(trimmed.to_pylist()):
            if text is not None and not is_number(text):
                raise Fault(
                    f"{shown(text)!r} is not a number, though column {name!r} holds numbers; "
                    f"correct it, or pass --na {quote(shown(text))}",
                    row,
                    name,
                    fresh=f", or --categorical {quote(name)}",
                ) from None
        raise


def nearest_floats(array: Any) -> Any:
    """Numbers as the floats nearest to them.  (Arrow's own cast of decimals makes 0.30000000000000004 of 0.3.)"""
    return (array.cast(pa.string()) if pa.types.is_decimal(array.type) else array).cast(pa.float64(), safe=False)


def as_codes(column: Any, missing: frozenset[str]) -> Coded:
    """A column's texts as codes.  Blanks around texts do not count."""
    array = _whole(column)
    if not pa.types.is_dictionary(array.type):
        array = (
            array.dictionary_encode()
            if not pa.types.is_null(array.type)
            else array.cast(pa.string()).dictionary_encode()
        )
    places: dict[str, int] = {}
    remap = []
    for value in array.dictionary.to_pylist():
        text = as_text(value)
        remap.append(MISSING if text is None or text in missing else places.setdefault(text, len(places)))
    codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return in_order_of_appearance(np.array([*remap, MISSING], np.int32)[codes], list(places))


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


def is_number(text: str) -> bool:
    """Whether a text is a number, as Arrow reads it."""
    try:
        pa.scalar(text).cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


def trim(array: Any, missing: frozenset[str]) -> Any:
    """Texts without blanks around them, and null for those that mean "missing"."""
    trimmed = pc.utf8_trim_whitespace(array)
    gaps = pc.is_in(trimmed, value_set=pa.array(sorted(missing), trimmed.type))
    return pc.if_else(gaps, pa.scalar(None, trimmed.type), trimmed)


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is one of its types of text."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _decoded(column: Any) -> Any:
    """One array, and values in place of codes."""
    array = _whole(column)
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _whole(column: Any) -> Any:
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return array.cast(pa.string()) if pa.types.is_string_view(array.type) else array
