"""Arrow columns as NumPy arrays: numbers with NaN for what is missing, categories as codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..rounding import EXACT
from ..shell import quote
from .blocks import MISSING, Schema, TableBlock
from .cells import PLAIN, Cells, Numeral, is_number, part_name
from .dates import date_parts
from .numerals import Counted, as_plain, fits, ways_to_read
from .options import Fault, Plan, shown
from .room import refuse_texts
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
    unlabelled: int  # rows that are left out since they have no target
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
        self._characters = dict.fromkeys(self._lists, 0)  # of the texts that were added
        self.room: int | None = None  # bytes that the texts of a column may take

    def widen(self, width: int) -> None:
        """Make room for sparse rows of this width."""
        self._schema.n_features = max(self._schema.n_features, width)

    def codes(self, name: str | None, coded: Coded) -> np.ndarray:
        """The codes of a category column, or (None) of the labels."""
        known, texts = self._known[name], self._lists[name]
        self._characters[name] += sum(len(text) for text in coded.texts if text not in known)
        where = f"the target {self._schema.target!r}" if name is None else f"column {name!r}"
        refuse_texts(where, len(known) + len(coded.texts), self._characters[name], self.room)
        for text in coded.texts:
            if text not in known:
                known[text] = len(texts)
                texts.append(text)
        return np.array([*(known[text] for text in coded.texts), MISSING], np.int32)[coded.codes]


def make_part(columns: Mapping[str, Any], plan: Plan, written: Written | None = None) -> TablePart:
    """Turn the Arrow columns of a piece into arrays; the first fault in row order is raised.  ``written`` knows what stands in
    columns that another reader made floats of."""
    found = numbers_of(columns, [*plan.plain, *plan.spelled], plan)
    floats = {name: found[name] for name in plan.floats}
    coded = {name: as_codes(columns[name], plan.missing) for name in plan.texts}
    target: Coded | np.ndarray | None = None
    if plan.target is not None:
        target = coded.pop(plan.target) if plan.task == "classes" else floats.pop(plan.target).copy()
    suspects = {
        name: values
        for name, values in floats.items()
        if name in columns and (written or not pa.types.is_floating(columns[name].type))
    }
    rounded = rounded_columns(suspects, as_written(columns, plan, written))
    return finish_part(
        side_by_side(list(floats.values()), len(next(iter(columns.values())))), coded, target, plan, rounded
    )


def as_written(columns: Mapping[str, Any], plan: Plan, written: Written | None = None) -> Written:
    """What stands in columns: as ``written`` knows it, else as they are; numbers as people write them as plain ones."""

    def look(name: str) -> Any:
        given = written(name) if written else _decoded(columns[name])
        numeral = plan.cells.numerals.get(name, PLAIN)
        return given if numeral == PLAIN or not is_text(given.type) else as_plain(trim(given, plan.missing), numeral)

    return look


def finish_part(
    numbers: np.ndarray,
    categories: dict[str, Coded],
    target: Coded | np.ndarray | None,
    plan: Plan,
    rounded: Iterable[RoundedField] = (),
) -> TablePart:
    """Leave out rows without their target and, if that is planned, those with other gaps."""
    for value in plan.cells.missing_numbers:
        numbers[numbers == value] = np.nan
        if isinstance(target, np.ndarray):
            target[target == value] = np.nan
    rows = np.arange(len(numbers))
    gaps = np.zeros(len(rows), bool)
    if target is not None:
        gaps = target.codes == MISSING if isinstance(target, Coded) else np.isnan(target)
    unlabelled = int(np.count_nonzero(gaps))
    if plan.drop:
        gaps |= np.isnan(numbers).any(axis=1)
        for column in categories.values():
            gaps |= column.codes == MISSING
    first = next((each for each in rounded if not gaps[each.row]), None)
    if not gaps.any():
        return TablePart(numbers, categories, target, rows, len(rows), 0, first)
    kept = np.flatnonzero(~gaps)
    categories = {name: _keep(column, kept) for name, column in categories.items()}
    if target is not None:
        target = _keep(target, kept) if isinstance(target, Coded) else target[kept]
    return TablePart(numbers[kept], categories, target, kept, len(rows), unlabelled, first)


def numbers_of(columns: Mapping[str, Any], names: list[str], plan: Plan) -> dict[str, np.ndarray]:
    """Columns of numbers, however they are written, and parts of dates, by name."""
    numerals = plan.cells.numerals

    def numbers(name: str) -> dict[str, np.ndarray]:
        if name in plan.cells.dates:
            return dates_apart(columns[name], name, plan.cells)
        return {name: as_numbers(columns[name], plan.missing, name, numerals.get(name, PLAIN))}

    return _each(names, numbers)


def dates_apart(column: Any, name: str, cells: Cells) -> dict[str, np.ndarray]:
    """The columns that a column of dates, or of texts that are dates, becomes."""
    array = _whole(column)
    array = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
    if not pa.types.is_temporal(array.type):
        array = trim(array.cast(pa.string()), frozenset(cells.missing))
    parts = date_parts(array, cells.dates[name], name)
    return {part_name(name, part): values for part, values in parts.items()}


def _keep(coded: Coded, rows: np.ndarray) -> Coded:
    return in_order_of_appearance(coded.codes[rows], coded.texts)


def _each(names: list[str], work: Callable[[str], dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    done: dict[str, np.ndarray] = {}
    faults = []
    for name in names:
        try:
            done |= work(name)
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


def as_numbers(column: Any, missing: frozenset[str], name: str, numeral: Numeral = PLAIN) -> np.ndarray:
    """A column as finite floats, and NaN for what is missing; texts are numbers written as ``numeral`` says."""
    array = _decoded(column)
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
        return trimmed.cast(pa.float64()).to_numpy(zero_copy_only=False)
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
        fresh=f", or --categorical {quote(name)}",
    )


def _as_missing(text: str, before: str = "") -> str:
    """The option that counts a text as missing, if it is short enough to be typed."""
    return f"{before}--na {quote(text)}" if text == shown(text) else ""


def written_with(text: str, numeral: Numeral) -> str:
    """The option with which a text would be a number; empty if there is none."""
    read, ways = ways_to_read(Counted(pa.array([text]), np.ones(1, int)), None, None)
    other = min(ways).decimal
    return f"--decimal {other} (if all are written so)" if read and other != numeral.decimal else ""


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
    indices = array.indices
    if pa.types.is_unsigned_integer(indices.type):  # polars has such, and they have no -1
        indices = indices.cast(pa.int64())
    codes = indices.fill_null(-1).to_numpy(zero_copy_only=False)
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
