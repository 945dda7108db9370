"""What a reader of files is, which columns of a table become what, which are left out, and where an error stands."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from difflib import get_close_matches
from itertools import combinations, takewhile
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...report.words import keyword
from ..store.blocks import MISSING, PARTS, PLAIN, Cells, Column, DataError, Numeral, Schema, part_name
from .arrow_columns import ColumnKind, written_with
from .byte_sources import Chunk, FileSource, count_lines
from .libsvm import SparsePart
from .reading_options import BadCells, Fault, Reading, ReadingPlan, shown
from .tables import TablePart

SHOWN = 30  # names that a message lists
FEWEST = 10  # rows from which on different values are no chance
WIDEST_IDS = 1.0  # times n^2 numbers, of which n that are all different are no surprise
BY_CHANCE = 1e-9  # the probability that measured numbers are all different, below which they are ids


class Fresh(NamedTuple):
    """What is learned from."""

    schema: Schema
    plan: ReadingPlan
    left: list[Left]
    notes: list[str]


def plan_fresh(readers: Sequence[TableReader], target: str | None, task: str, reading: Reading) -> Fresh:
    """Decide from the first file what the columns are; the others must have the same."""
    first = readers[0]
    reading = _by_name(first, reading)
    _refuse_contradictions(first, target, reading)
    index = list(takewhile(first.unnamed.__contains__, first.names))
    ignored = {*reading.ignore, *index} - {*reading.use, *reading.numeric, *reading.categorical, *reading.text}
    for other in readers[1:]:
        _compare(first, other, ignored)
    read = [name for name in first.names if name not in ignored]
    texts = {*reading.categorical, target} if task == "classes" else {*reading.categorical}
    kinds = dict.fromkeys(read, ColumnKind("category"))
    with in_first_piece(first):
        kinds |= first.kinds([name for name in read if name not in texts], reading)
    kinds |= {name: ColumnKind("number", kinds[name].numeral) for name in reading.numeric}
    kinds |= {name: ColumnKind("text") for name in reading.text}
    features = [name for name in read if name != target]
    if features and all(kinds[name].leave for name in features):  # dates are better than nothing
        return plan_fresh(readers, target, task, replace(reading, dates="parts"))
    schema = _schema(first, features, kinds, reading)
    schema.target, schema.task = target, task
    _refuse_none(first, schema)
    left = _left_out(first, schema, kinds, reading)
    gone = {each.column for each in left}
    schema.columns = tuple(column for column in schema.columns if column.name not in gone)
    _refuse_none(first, schema)
    schema.levels = {name: [] for name in (*schema.categories, *schema.texts)}
    left = [*(Left(name, "it has no name, as an index of rows") for name in index if name in ignored), *left]
    kept = [name for name in read if name not in gone]
    notes = [*(_note(kinds, each) for each in left), *(_note(kinds, name) for name in kept)]
    plan = _plan(schema, reading.drop_missing, frozenset(first.names) | frozenset(reading.ignore))
    return Fresh(schema, plan, left, [f"{first.name}: {note}" for note in notes if note])


def _note(kinds: dict[str, ColumnKind], column: str | Left) -> str:
    """What is to be said of a column that is left out, or that looks like something else than it is read as."""
    name = column.column if isinstance(column, Left) else column
    kind = kinds.get(name, ColumnKind("number"))
    looks = f"{name!r} looks like {kind.looks} and " if kind.looks else f"{name!r} "
    remedies = [kind.remedy] if kind.looks else []
    if isinstance(column, Left):
        remedies += [] if column.empty else [f"{keyword('use', name)} to keep it"]
        return f"{looks}is left out: {column.why}" + (f"; pass {', or '.join(remedies)}" if remedies else "")
    if kind.kind == "text":
        return f"{name!r} is read as text, by its words and pairs of words; pass {keyword('categorical', name)} to take each text whole"
    return f"{looks}is read as categories; pass {kind.remedy}, or {keyword('ignore', name)}" if kind.looks else ""


def named(reader: TableReader, column: str) -> str:
    """The name of a column that is given by its name or, if none is called so, by its number from 1."""
    by_number = column.isdecimal() and column not in reader.names and 0 < int(column) <= len(reader.names)
    return reader.names[int(column) - 1] if by_number else column


def _by_name(reader: TableReader, reading: Reading) -> Reading:
    """Columns that are given by their numbers, by their names."""
    lists = ("categorical", "numeric", "text", "ignore", "use")
    found: dict[str, Any] = {each: tuple(named(reader, name) for name in getattr(reading, each)) for each in lists}
    return replace(reading, **found)


def _refuse_contradictions(first: TableReader, target: str | None, reading: Reading) -> None:
    named = [
        *([target] if target is not None else []),
        *reading.categorical,
        *reading.numeric,
        *reading.text,
        *reading.use,
    ]
    for name in named + ([] if first.open_ended else list(reading.ignore)):
        require(name, first)
    kinds = {"categorical": reading.categorical, "numeric": reading.numeric, "text": reading.text}
    for (one, names), (other, others) in combinations(kinds.items(), 2):
        for name in set(names) & set(others):
            raise ValueError(f"Column {name!r} cannot be both {one} and {other}.")
    if target in reading.ignore:
        raise ValueError(f"The target {target!r} cannot be ignored.")


def _schema(first: TableReader, names: list[str], kinds: dict[str, ColumnKind], reading: Reading) -> Schema:
    """The columns of a table, parts of dates among them."""
    columns: list[Column] = []
    there = set(first.names)
    for name in names:
        if kinds[name].kind != "date":
            columns.append(Column(name, kinds[name].kind))
            continue
        parts = [part_name(name, part) for part in (PARTS if kinds[name].times else PARTS[:-1])]
        if taken := there.intersection(parts):
            raise DataError(f"{first.name}: the name {min(taken)!r} is needed for a part of dates; rename that column.")
        columns += [Column(part, "number") for part in parts]
    cells = Cells(
        tuple(sorted(reading.missing)),
        {name: kind.numeral for name, kind in kinds.items() if kind.kind == "number" and kind.numeral != PLAIN},
        {name: kinds[name].order for name in names if kinds[name].kind == "date"},
    )
    return Schema(
        tuple(columns), levels={column.name: [] for column in columns if column.kind != "number"}, cells=cells
    )


def _refuse_none(first: TableReader, schema: Schema) -> None:
    if not schema.columns:
        raise DataError(f"{first.name}: has no column to learn from beside {schema.target!r}.")


def _left_out(first: TableReader, schema: Schema, kinds: dict[str, ColumnKind], reading: Reading) -> list[Left]:
    """Columns that, by the first rows, tell nothing, unless they are asked for or there are no others."""
    dates = {name: Left(name, kind.leave) for name, kind in kinds.items() if kind.leave}
    plan = _plan(replace(schema, target=None), False, None)
    asked = {*reading.use, *reading.numeric, *reading.categorical, *reading.text}
    try:
        rows = _first_rows(first, plan)
    except BadCells:
        return []  # which ends the first pass over all rows, and is told there
    found = {each.column: each for each in columns_to_leave(rows, plan)}
    found |= {name: each for name, each in dates.items() if not (name in found and found[name].empty)}
    left = [found[name] for name in first.names if name in found and name not in asked]
    kept = {column.name for column in schema.columns} - {each.column for each in left}
    for name in first.unnamed:
        if name in kept - asked:
            number = first.names.index(name) + 1
            place = first.place(0, next(first.pieces()), Fault("", offset=first.unnamed[name]), 0)
            raise DataError(
                f"{place}: column {number} has no name; give it one in the file's first line, or "
                f"leave it out with {keyword('ignore', number)}."
            )
    return left if kept else [each for each in left if each.empty]  # an id is better than nothing


def _first_rows(reader: TableReader, plan: ReadingPlan) -> TablePart:
    with in_first_piece(reader, plan):
        for piece in reader.pieces(plan):
            part = reader.parse(piece, plan)
            if part.total:
                return part
    raise DataError(f"{reader.name}: has no rows.")


def plan_expected(
    readers: Sequence[TableReader], target: str | None, expect: Schema, reading: Reading
) -> tuple[Schema, ReadingPlan, list[str]]:
    """Find the columns that a model knows in each file, by name; in a file without names by position."""
    notes = []
    parts = expect.cells.parts
    wanted = list(dict.fromkeys(parts[name][0] if name in parts else name for name, _ in expect.columns))
    known = {*wanted, target, expect.target}
    if target is not None and target in {*wanted, *parts}:
        raise DataError(
            f"{readers[0].name}: {target!r} is a column that the model predicts from; name the true labels' column."
        )
    for reader in readers:
        if not reader.header and len(reader.names) == len(wanted) and target is None:
            reader.names = list(wanted)
        there = set(reader.names)
        absent = [name for name in wanted if name not in there]
        if absent:
            raise DataError(f"{reader.name}: has no column {_listed(absent)}, which the model needs; {_has(reader)}")
        if target is not None:
            require(target, reader)
        if target in wanted:
            raise DataError(
                f"{reader.name}: {target!r} is a column that the model predicts from, so it cannot be the target; name "
                "the column of the labels with target=..."
            )
        extra = [name for name in reader.names if name not in known]
        if extra:
            plural = "s" if len(extra) > 1 else ""
            notes.append(f"{reader.name}: {len(extra)} extra column{plural} ignored: {_listed(extra)}")
    levels = {name: list(texts) for name, texts in expect.levels.items()}
    cells = _told(expect.cells, expect.numbers, reading)
    schema = replace(expect, target=target, levels=levels, labels=list(expect.labels), cells=cells)
    schema.growing = False
    for name in (*schema.categories, *schema.texts):
        schema.levels.setdefault(name, [])
    return schema, _plan(schema, reading.drop_missing, None), notes


def _told(cells: Cells, numbers: list[str], reading: Reading) -> Cells:
    """How cells are read in files for a model: as in training, unless the user says otherwise."""
    numerals = dict(cells.numerals)
    if reading.decimal is not None or reading.thousands is not None:
        for name in set(numbers) - set(cells.parts):
            way = numerals.get(name, PLAIN)
            decimal = reading.decimal or (
                "." if reading.thousands == "," else "," if reading.thousands == "." else way.decimal
            )
            thousands = way.thousands if reading.thousands is None else reading.thousands
            numerals[name] = way._replace(decimal=decimal, thousands="" if thousands == decimal else thousands)
    return replace(cells, missing=tuple(sorted(reading.missing | {*cells.missing})), numerals=numerals)


def _plan(schema: Schema, drop: bool, known: frozenset[str] | None) -> ReadingPlan:
    numbers, categories = tuple(schema.numbers), tuple(schema.categories)
    return ReadingPlan(numbers, categories, schema.target, schema.task, schema.cells, drop, tuple(schema.texts), known)


def require(name: str, reader: TableReader) -> None:
    """Refuse a name that no column has."""
    if name not in reader.names:
        same = [each for each in reader.names if each.strip().casefold() == name.strip().casefold()]
        close = same or get_close_matches(name, reader.names, 1, 0.5)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise DataError(f"{reader.name}: has no column {name!r}; {hint}{_has(reader)}")


def _compare(first: TableReader, other: TableReader, ignored: set[str]) -> None:
    wanted, found = set(first.names) - ignored, set(other.names) - ignored
    absent = [name for name in first.names if name in wanted - found and not other.open_ended]
    extra = [name for name in other.names if name in found - wanted]
    if absent or extra:
        parts = [f"has no column {_listed(absent)}"] * bool(absent) + [f"has a new column {_listed(extra)}"] * bool(
            extra
        )
        raise DataError(f"{other.name}: {' and '.join(parts)}, unlike {first.name}; give all files the same columns.")


def _has(reader: TableReader) -> str:
    return f"its columns are {_listed(reader.names)}."


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


Part = TablePart | SparsePart


# What a reader is, and where an error stands


class FileReader(Protocol):
    """A file.  A piece is what the format makes it, with ``done``: the bytes of the file that were read so far."""

    source: FileSource
    name: str  # of the file
    notes: list[str]  # what was assumed

    def pieces(self, plan: ReadingPlan | None = None) -> Iterator[Any]:
        """The file from its start; the same pieces every time."""

    def parse(self, piece: Any, plan: ReadingPlan) -> Part:
        """The rows of a piece, by any thread; or a ``Fault``."""

    def cuts(self, size: int) -> list[Any]:
        """The file in several readers, one after the other, each of about so many bytes; or this one, where it has to stay whole."""

    def place(self, number: int, piece: Any, fault: Fault, first: int) -> str:
        """Where in piece ``number``, which starts at row ``first`` of the file, a fault is."""


class TableReader(FileReader, Protocol):
    """A file of a table: its columns have names."""

    names: list[str]
    unnamed: dict[str, int]  # columns that the file does not name, and the bytes where it should
    header: bool  # whether the names are the file's own
    open_ended: bool  # whether rows may lack columns

    def parse(self, piece: Any, plan: ReadingPlan) -> TablePart:
        """The rows of a piece, by any thread; or a ``Fault``."""

    def kinds(self, names: list[str], reading: Reading) -> dict[str, ColumnKind]:
        """What these columns hold, by the first piece."""


def error_at(reader: FileReader, number: int, piece: Any, fault: Fault, row: int, fresh: bool) -> DataError:
    """The error of a fault in piece ``number``, which starts at this row of the file; ``fresh``: columns are still decided on."""
    text = (fault.text + fault.fresh * fresh).removesuffix(".")
    return DataError(f"{reader.place(number, piece, fault, row)}: {text}{'' if text.endswith('?') else '.'}")


MOST_PLACES = 5  # of bad cells of a column, that an error names
MOST_TYPED = 3  # texts that an error offers to count as missing


class BadColumn:
    """The cells of a column that are not what it holds."""

    def __init__(self, why: str, numeral: Numeral | None) -> None:
        self.why, self.numeral = why, numeral
        self.count = 0
        self.places: list[tuple[str, str]] = []  # the first few, with their texts
        self.texts: dict[str, None] = {}  # different ones, the first few

    @property
    def are_words(self) -> bool:
        """Whether the cells are few different words, or numbers without bound, that can be counted as missing."""
        typed = len(self.texts) <= MOST_TYPED and all(text == shown(text) for text in self.texts)
        return typed and ("finite" in self.why or not any(map(str.isdigit, "".join(self.texts))))

    def __str__(self) -> str:
        place, text = self.places[0]
        said = f"{place}: {shown(text)!r} {self.why}"
        if self.count == 1:
            return said
        others = ", ".join(f"{shown(text)!r} at {place}" for place, text in self.places[1:])
        more = self.count - len(self.places)
        return f"{said}; {self.count:,} such cells: this, {others}" + (f" and {more:,} more" if more else "")


def bad_cells_error(readers: Sequence[FileReader], plan: ReadingPlan) -> DataError:
    """All cells of files that are not what their columns hold, in one error: so many in each column, where the first few stand, and
    the options that would accept them."""
    found: dict[str, BadColumn] = {}
    rows = 0
    for reader in readers:
        first = lines = 0
        pieces = enumerate(reader.pieces(plan))
        with suppress(Fault):  # what else is wrong comes after this
            for number, piece in pieces:
                piece = piece._replace(line=lines) if isinstance(piece, Chunk) else piece
                try:
                    total = reader.parse(piece, plan).total
                except BadCells as bad:
                    total = bad.total
                    for name, cells in sorted(bad.cells.items(), key=lambda each: each[1][0]):
                        own = found.setdefault(name, BadColumn(bad.why[name], bad.numerals.get(name)))
                        own.count += len(cells)
                        for row, text in cells[: MOST_PLACES - len(own.places)]:
                            own.places.append((reader.place(number, piece, Fault("", row, name), first), text))
                        if len(own.texts) <= MOST_TYPED:
                            own.texts |= dict.fromkeys(text for _, text in cells)
                first += total
                lines += count_lines(piece.data) if isinstance(piece, Chunk) else 0
        rows += first
    target = found.get(plan.target or "") if plan.task == "numbers" else None
    if target is not None and 2 * target.count > rows:
        return DataError(
            f"{target.places[0][0]}: the target {plan.target!r} holds labels such as {shown(target.places[0][1])!r}, not numbers, "
            "and this learner predicts numbers; for labels pass learner='perceptron', learner='logistic-neuron' or "
            "learner='linear-svm'."
        )
    one = len(found) == 1 and next(iter(found.values())).count == 1
    remedies = _accepting(found, plan)
    ends = f"correct {'it' if one else 'them'}" + (f", or pass {', or '.join(remedies)}" if remedies else "")
    return DataError(f"{'; '.join(map(str, found.values()))}; {ends}.")


def _accepting(found: dict[str, BadColumn], plan: ReadingPlan) -> list[str]:
    """The options with which all bad cells would be read: as numbers, as missing, or as categories."""
    other = {written_with(text, own.numeral or PLAIN) for own in found.values() for text in own.texts}
    remedies = list(other) if len(other) == 1 and "" not in other else []
    words = {name: own for name, own in found.items() if own.are_words}
    texts = list(dict.fromkeys(text for own in words.values() for text in own.texts))
    missing = [keyword("na", texts[0] if len(texts) == 1 else texts)] if texts else []
    if missing and len(words) == len(found):
        remedies += missing
        missing, words = [], {}
    rest = [name for name in found if name not in words]
    if plan.known is not None and plan.target not in rest and not any("finite" in found[name].why for name in rest):
        names = [plan.cells.parts.get(name, (name, ""))[0] for name in rest]
        what = "ignore" if any(name in plan.cells.dates for name in names) else "categorical"
        remedies.append(" ".join([*missing, keyword(what, names[0] if len(names) == 1 else names)]))
    return remedies


@contextmanager
def in_first_piece(reader: FileReader, plan: ReadingPlan | None = None) -> Iterator[None]:
    """Within it, a fault in the first piece of a file becomes an error that says where."""
    try:
        yield
    except BadCells:
        raise
    except Fault as fault:
        piece = None
        with suppress(Fault):
            piece = next(reader.pieces(plan), None)
        raise error_at(reader, 0, piece, fault, 0, True) from None


# Columns that are not learned from


class Left(NamedTuple):
    """A column that is not learned from."""

    column: str
    why: str
    empty: bool = False


def columns_to_leave(part: TablePart, plan: ReadingPlan) -> list[Left]:
    """The columns that, by these first rows, tell nothing."""
    found = []
    dates = plan.cells.parts
    for name, values in zip(plan.numbers, part.numbers.T, strict=True):
        if np.isnan(values).all():
            found.append(Left(name, "it has no value", empty=True))
        elif name not in dates and _numbers_rows(values):
            found.append(Left(name, f"it numbers the rows from {values.min():.0f}, as an id does"))
        elif name not in dates and _are_ids(values):
            found.append(Left(name, "its whole numbers are all different, as those of an id are"))
    for name, coded in part.categories.items():
        there = int(np.count_nonzero(coded.codes != MISSING))
        if not there:
            found.append(Left(name, "it has no value", empty=True))
        elif FEWEST <= there == len(coded.texts) and 2 * there > part.total:
            found.append(Left(name, "its values are all different, as those of an id are"))
    return found


def _numbers_rows(values: np.ndarray) -> bool:
    """Whether they are 0, 1, 2, ... or 1, 2, 3, ..., in any order."""
    return (
        len(values) >= FEWEST
        and values.min() in (0, 1)
        and np.array_equal(np.sort(values), values.min() + np.arange(len(values)))
    )


def _are_ids(values: np.ndarray) -> bool:
    """Whether they are whole numbers, all different, that lie so close together that measured ones would hardly be: n numbers drawn
    from R ones have no two equal with the probability R! / (R - n)! R^n."""
    n, span = len(values), values.max() - values.min() + 1
    if n < FEWEST or not np.isfinite(span) or not (values == np.floor(values)).all() or len(np.unique(values)) < n:
        return False
    likely = (
        math.lgamma(span + 1) - math.lgamma(span - n + 1) - n * math.log(span) if span < WIDEST_IDS * n * n else 0.0
    )
    return likely < math.log(BY_CHANCE)
