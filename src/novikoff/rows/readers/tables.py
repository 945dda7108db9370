"""Rows of a piece of a table: its Arrow columns side by side, without the rows that are left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import partial, reduce
from operator import or_
from typing import Any, NamedTuple

import numpy as np

from ...checks.rounding import EXACT, REMEDY, rounded_text, rounded_whole
from ...checks.rounding import shown as shown_number
from ...report.words import keyword
from ..store.blocks import LONGEST_LABELS, LONGEST_TEXT, MISSING, PLAIN, Schema, TableBlock
from .arrow_columns import (
    Coded,
    as_codes,
    as_numbers,
    as_one_array,
    as_plain,
    dates_apart,
    decoded,
    in_order_of_appearance,
    is_text,
    occurring,
    pa,
    pc,
    trim,
)
from .reading_options import BadCells, Fault, ReadingPlan, refuse_texts, shown
from .word_counts import BUCKETS, BYTES_A_WORD, MOST_WORDS, Words, in_rows, number_words, words_of

# Numbers of a file that float64 cannot hold, found where they are read: afterwards no one can tell.
#
# ``novikoff.checks.rounding`` says which texts stand for a float and which do not.  Learners take all of them, rounded; of what was
# rounded nothing is proved.

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
        return f"{shown_number(self.text)} in {where}"

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


STRIPE = 512  # rows that are transposed at a time, so that they stay in the cache


class TablePart(NamedTuple):
    """Rows of one piece of a file, with its own codes."""

    numbers: np.ndarray
    categories: dict[str, Coded]
    target: Coded | np.ndarray | None
    rows: np.ndarray  # those that are kept, counted within the piece
    total: int
    unlabelled: int  # rows that are left out since they have no target
    rounded: RoundedField | None = None  # one of the kept rows
    words: dict[str, Words] = {}  # noqa: RUF012 of the columns of texts: never written to
    strange: dict[str, int] = {}  # noqa: RUF012 words in columns of numbers that count as missing: likewise

    def block(self, coder: Coder, first: int) -> TableBlock:
        """The rows with the codes of all files, in which the piece starts at row ``first``."""
        codes = np.empty((len(self.rows), len(self.categories)), np.int32)
        for place, (name, coded) in enumerate(self.categories.items()):
            codes[:, place] = coder.codes(name, coded, self.rows)
        target = self.target
        if isinstance(target, Coded):
            target = coder.codes(None, target, self.rows)
        block = TableBlock(self.numbers, codes, np.empty(0) if target is None else target, self.rows + first)
        if not self.words:
            return block
        numbered = [coder.words(name, own) for name, own in self.words.items()]
        return TableBlock(*block[:4], *in_rows(list(self.words.values()), numbered, len(self.rows)))


class Coder:
    """Texts to codes, over all files; new texts are added to the schema."""

    def __init__(self, schema: Schema, room: int | None = None) -> None:
        self._schema = schema
        self._room = room  # bytes that the texts of a column may take
        self.file = ""  # that is read
        share = MOST_WORDS if room is None else room // (BYTES_A_WORD * max(1, len(schema.texts)))
        self._most_words = min(MOST_WORDS, max(BUCKETS // 8, share - BUCKETS))
        self._lists: dict[str | None, list[str]] = {None: schema.labels}
        self._lists.update(schema.levels)
        self._known = {name: {text: code for code, text in enumerate(texts)} for name, texts in self._lists.items()}
        self._characters = dict.fromkeys(self._lists, 0)  # of the texts that were added
        self._longest = max(map(len, schema.labels), default=0)  # label

    def widen(self, width: int) -> None:
        """Make room for sparse rows of this width."""
        self._schema.n_features = max(self._schema.n_features, width)

    def codes(self, name: str | None, coded: Coded, rows: np.ndarray) -> np.ndarray:
        """The codes of a category column, or (None) of the labels; ``rows`` are theirs within the piece."""
        known, texts = self._known[name], self._lists[name]
        new = [(code, text) for code, text in enumerate(coded.texts) if text not in known]
        self._characters[name] += sum(len(name or "") + len(text) for _, text in new)
        where = f"the target {self._schema.target!r}" if name is None else f"column {name!r}"
        refuse_texts(f"{self.file}: {where}", len(known) + len(new), self._characters[name], self._room)
        for code, text in new:
            if wrong := self._too_long(name, text):
                remedy = f", or pass {keyword('ignore', name)}" if name is not None else ""
                row = int(rows[np.argmax(coded.codes == code)])
                raise Fault(wrong, row, self._schema.target if name is None else name, fresh=remedy)
            known[text] = len(texts)
            texts.append(text)
        codes: np.ndarray = np.array([*(known[text] for text in coded.texts), MISSING], np.int32)[coded.codes]
        return codes

    def words(self, name: str, words: Words) -> np.ndarray:
        """The numbers of a column's words."""
        known, names = self._known[name], self._lists[name]
        fresh = self._schema.growing
        return number_words(words.texts, known, names if fresh else None, self._most_words)

    def _too_long(self, name: str | None, text: str) -> str:
        """What is wrong with a new text, or nothing."""
        if len(text) > LONGEST_TEXT:
            what = "label" if name is None else "level of a category"
            return f"{shown(text)!r} has {len(text):,} characters, and a {what} may have {LONGEST_TEXT:,}; shorten it"
        if name is None:
            count = len(self._schema.labels) + 1
            self._longest = max(self._longest, len(text))
            if count * self._longest > LONGEST_LABELS:
                return (
                    f"with {shown(text)!r} there are {count:,} labels of up to {self._longest:,} characters, and a model "
                    f"holds {LONGEST_LABELS:,} characters in all; shorten the labels, or join rare ones"
                )
        return ""


def make_part(columns: Mapping[str, Any], plan: ReadingPlan, written: Written | None = None) -> TablePart:
    """Turn the Arrow columns of a piece into arrays; the first fault in row order is raised.  ``written`` knows what stands in
    columns that another reader made floats of."""
    strange: dict[str, int] = {}
    found = numbers_of(columns, [*plan.plain, *plan.spelled], plan, strange if plan.forgiving else None)
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
    numbers = side_by_side(list(floats.values()), len(next(iter(columns.values()))))
    words = {name: words_of(columns[name], plan.missing) for name in plan.words}
    return finish_part(numbers, coded, target, plan, rounded, words)._replace(strange=strange)


def as_written(columns: Mapping[str, Any], plan: ReadingPlan, written: Written | None = None) -> Written:
    """What stands in columns: as ``written`` knows it, else as they are; numbers as people write them as plain ones."""

    def look(name: str) -> Any:
        given = written(name) if written else as_one_array(columns[name])
        numeral = plan.cells.numerals.get(name, PLAIN)
        if numeral == PLAIN:
            return given
        given = decoded(given)
        return as_plain(trim(given, plan.missing), numeral) if is_text(given.type) else given

    return look


def finish_part(
    numbers: np.ndarray,
    categories: dict[str, Coded],
    target: Coded | np.ndarray | None,
    plan: ReadingPlan,
    rounded: Iterable[RoundedField] = (),
    words: dict[str, Words] | None = None,
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
        return TablePart(numbers, categories, target, rows, len(rows), 0, first, words or {})
    kept = np.flatnonzero(~gaps)
    categories = {name: _keep(column, kept) for name, column in categories.items()}
    if target is not None:
        target = _keep(target, kept) if isinstance(target, Coded) else target[kept]
    words = {name: own.keep(kept) for name, own in (words or {}).items()}
    return TablePart(numbers[kept], categories, target, kept, len(rows), unlabelled, first, words)


def numbers_of(
    columns: Mapping[str, Any], names: list[str], plan: ReadingPlan, strange: dict[str, int] | None = None
) -> dict[str, np.ndarray]:
    """Columns of numbers, however they are written, and parts of dates, by name.  Where ``strange`` is given, words among them count as
    missing, and it gets how many there are by column."""

    def read(name: str, column: Any) -> dict[str, np.ndarray]:
        if name in plan.cells.dates:
            return dates_apart(column, name, plan.cells)
        return {name: as_numbers(column, plan.missing, name, plan.cells.numerals.get(name, PLAIN))}

    found: dict[str, np.ndarray] = {}
    faults = []
    for name in names:
        try:
            found |= read(name, columns[name])
        except BadCells as bad:
            rows = np.zeros(len(columns[name]), bool)
            rows[[row for row, _ in bad.cells[name]]] = True
            if strange is None or name == plan.target or not _are_words(bad.cells[name], len(rows)):
                faults.append(bad)
                continue
            column = decoded(columns[name])
            strange[name] = len(bad.cells[name])
            found |= read(name, pc.if_else(pa.array(rows), pa.scalar(None, column.type), column))
    if faults:
        raise BadCells(
            reduce(or_, (bad.cells for bad in faults)),
            reduce(or_, (bad.why for bad in faults)),
            reduce(or_, (bad.numerals for bad in faults)),
            len(columns[names[0]]),
        )
    return found


ENDLESS = re.compile(r"[+-]?(inf|infinity)", re.IGNORECASE)
MANY = 10  # cells of a column, most of which are no words


def _are_words(cells: list[tuple[int, str]], rows: int) -> bool:
    """Whether cells among numbers are words, and few of them: none that has a digit may be a number in another notation, or in another
    unit, and most of many cells are not words unless columns have changed places."""
    few = rows < MANY or 2 * len(cells) <= rows
    return few and not any(ENDLESS.fullmatch(text) or any(map(str.isdigit, text)) for _, text in cells)


def _keep(coded: Coded, rows: np.ndarray) -> Coded:
    return in_order_of_appearance(coded.codes[rows], coded.texts)


def side_by_side(columns: list[np.ndarray], rows: int) -> np.ndarray:
    """Columns as a C-ordered matrix."""
    matrix = np.empty((rows, len(columns)))
    for start in range(0, rows, STRIPE):
        stripe = matrix[start : start + STRIPE]
        for place, column in enumerate(columns):
            stripe[:, place] = column[start : start + STRIPE]
    return matrix
