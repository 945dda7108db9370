"""What a reader of files is, which columns of a table become what, which are left out, and where an error stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from difflib import get_close_matches
from itertools import takewhile
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...inputs.keywords import keyword
from ..store.blocks import MISSING, PARTS, PLAIN, Cells, Column, DataError, Schema, part_name
from .byte_sources import Source
from .column_kinds import Kind
from .libsvm_files import SparsePart
from .reading_options import Fault, Plan, Reading
from .tables import TablePart

SHOWN = 30  # names that a message lists
FEWEST = 10  # rows from which on different values are no chance


class Fresh(NamedTuple):
    """What is learned from."""

    schema: Schema
    plan: Plan
    left: list[Left]
    notes: list[str]


def plan_fresh(readers: Sequence[TableReader], target: str | None, task: str, reading: Reading) -> Fresh:
    """Decide from the first file what the columns are; the others must have the same."""
    first = readers[0]
    reading = _by_name(first, reading)
    _refuse_contradictions(first, target, reading)
    index = list(takewhile(first.unnamed.__contains__, first.names))
    ignored = {*reading.ignore, *index} - {*reading.use, *reading.numeric, *reading.categorical}
    for other in readers[1:]:
        _compare(first, other, ignored)
    read = [name for name in first.names if name not in ignored]
    texts = {*reading.categorical, target} if task == "classes" else {*reading.categorical}
    kinds = dict.fromkeys(read, Kind("category"))
    with in_first_piece(first):
        kinds |= first.kinds([name for name in read if name not in texts], reading)
    kinds |= {name: Kind("number", kinds[name].numeral) for name in reading.numeric}
    schema = _schema(first, [name for name in read if name != target], kinds, reading)
    schema.target, schema.task = target, task
    _refuse_none(first, schema)
    left = _left_out(first, schema, reading)
    gone = {each.column for each in left}
    schema.columns = tuple(column for column in schema.columns if column.name not in gone)
    _refuse_none(first, schema)
    schema.levels = {name: [] for name in schema.categories}
    left = [*(Left(name, "it has no name, as an index of rows") for name in index if name in ignored), *left]
    kept = [name for name in read if name not in gone]
    notes = [*(_note(kinds, each) for each in left), *(_note(kinds, name) for name in kept)]
    plan = _plan(schema, reading.drop_missing, frozenset(first.names) | frozenset(reading.ignore))
    return Fresh(schema, plan, left, [f"{first.name}: {note}" for note in notes if note])


def _note(kinds: dict[str, Kind], column: str | Left) -> str:
    """What is to be said of a column that is left out, or that looks like something else than it is read as."""
    name = column.column if isinstance(column, Left) else column
    kind = kinds.get(name, Kind("number"))
    looks = f"{name!r} looks like {kind.looks} and " if kind.looks else f"{name!r} "
    remedies = [kind.remedy] if kind.looks else []
    if isinstance(column, Left):
        remedies += [] if column.empty else [f"{keyword('use', name)} to keep it"]
        return f"{looks}is left out: {column.why}" + (f"; pass {', or '.join(remedies)}" if remedies else "")
    return f"{looks}is read as categories; pass {kind.remedy}, or {keyword('ignore', name)}" if kind.looks else ""


def _by_name(reader: TableReader, reading: Reading) -> Reading:
    """Columns that are given by their numbers, from 1, by their names."""
    known = set(reader.names)

    def names(given: tuple[str, ...]) -> tuple[str, ...]:
        counted = (name.isdecimal() and name not in known and 0 < int(name) <= len(known) for name in given)
        return tuple(
            reader.names[int(name) - 1] if by_number else name for name, by_number in zip(given, counted, strict=True)
        )

    return replace(
        reading,
        categorical=names(reading.categorical),
        numeric=names(reading.numeric),
        ignore=names(reading.ignore),
        use=names(reading.use),
    )


def _refuse_contradictions(first: TableReader, target: str | None, reading: Reading) -> None:
    named = [*([target] if target is not None else []), *reading.categorical, *reading.numeric, *reading.use]
    for name in named + ([] if first.open_ended else list(reading.ignore)):
        require(name, first)
    for name in set(reading.categorical) & set(reading.numeric):
        raise ValueError(f"Column {name!r} cannot be both categorical and numeric.")
    if target in reading.ignore:
        raise ValueError(f"The target {target!r} cannot be ignored.")


def _schema(first: TableReader, names: list[str], kinds: dict[str, Kind], reading: Reading) -> Schema:
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
        tuple(columns), levels={column.name: [] for column in columns if column.kind == "category"}, cells=cells
    )


def _refuse_none(first: TableReader, schema: Schema) -> None:
    if not schema.columns:
        raise DataError(f"{first.name}: has no column to learn from beside {schema.target!r}.")


def _left_out(first: TableReader, schema: Schema, reading: Reading) -> list[Left]:
    """Columns that, by the first rows, say nothing, unless they are asked for or there are no others."""
    plan = _plan(replace(schema, target=None), False, None)
    asked = {*reading.use, *reading.numeric, *reading.categorical}
    left = [each for each in columns_to_leave(_first_rows(first, plan), plan) if each.column not in asked]
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


def _first_rows(reader: TableReader, plan: Plan) -> TablePart:
    with in_first_piece(reader, plan):
        for piece in reader.pieces(plan):
            part = reader.parse(piece, plan)
            if part.total:
                return part
    raise DataError(f"{reader.name}: has no rows.")


def plan_expected(
    readers: Sequence[TableReader], target: str | None, expect: Schema, reading: Reading
) -> tuple[Schema, Plan, list[str]]:
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
    for name in schema.categories:
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


def _plan(schema: Schema, drop: bool, known: frozenset[str] | None) -> Plan:
    numbers, categories = tuple(schema.numbers), tuple(schema.categories)
    return Plan(numbers, categories, schema.target, schema.task, schema.cells, drop, known)


def require(name: str, reader: TableReader) -> None:
    """Refuse a name that no column has."""
    if name not in reader.names:
        close = get_close_matches(name, reader.names, 1, 0.5)
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

    source: Source
    name: str  # of the file
    notes: list[str]  # what was assumed

    def pieces(self, plan: Plan | None = None) -> Iterator[Any]:
        """The file from its start; the same pieces every time."""

    def parse(self, piece: Any, plan: Plan) -> Part:
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

    def parse(self, piece: Any, plan: Plan) -> TablePart:
        """The rows of a piece, by any thread; or a ``Fault``."""

    def kinds(self, names: list[str], reading: Reading) -> dict[str, Kind]:
        """What these columns hold, by the first piece."""


def error_at(reader: FileReader, number: int, piece: Any, fault: Fault, row: int, fresh: bool) -> DataError:
    """The error of a fault in piece ``number``, which starts at this row of the file; ``fresh``: columns are still decided on."""
    text = (fault.text + fault.fresh * fresh).removesuffix(".")
    return DataError(f"{reader.place(number, piece, fault, row)}: {text}{'' if text.endswith('?') else '.'}")


@contextmanager
def in_first_piece(reader: FileReader, plan: Plan | None = None) -> Iterator[None]:
    """Within it, a fault in the first piece of a file becomes an error that says where."""
    try:
        yield
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


def columns_to_leave(part: TablePart, plan: Plan) -> list[Left]:
    """The columns that, by these first rows, say nothing."""
    found = []
    dates = plan.cells.parts
    for name, values in zip(plan.numbers, part.numbers.T, strict=True):
        if np.isnan(values).all():
            found.append(Left(name, "it has no value", empty=True))
        elif name not in dates and _numbers_rows(values):
            found.append(Left(name, f"it numbers the rows from {values[0]:.0f}, as an id does"))
    for name, coded in part.categories.items():
        there = int(np.count_nonzero(coded.codes != MISSING))
        if not there:
            found.append(Left(name, "it has no value", empty=True))
        elif FEWEST <= there == len(coded.texts) and 2 * there > part.total:
            found.append(Left(name, "its values are all different, as those of an id are"))
    return found


def _numbers_rows(values: np.ndarray) -> bool:
    first = values[0]
    return len(values) >= FEWEST and first in (0, 1) and np.array_equal(values, first + np.arange(len(values)))
