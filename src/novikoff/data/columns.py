"""Which columns of files are read, and as what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Protocol

from .blocks import Column, DataError, Schema
from .options import Plan, Reading

SHOWN = 30  # names that a message lists


class TableReader(Protocol):
    """A file of a table, as its format's module reads it."""

    name: str
    names: list[str]  # of its columns
    notes: list[str]
    header: bool  # whether the names are the file's own
    open_ended: bool  # whether rows may lack columns

    def kinds(self, names: list[str], missing: frozenset[str]) -> dict[str, str]: ...


Kinds = Callable[[Any, list[str], frozenset[str]], dict[str, str]]


def plan_fresh(
    readers: Sequence[Any], target: str | None, task: str, reading: Reading, kinds: Kinds
) -> tuple[Schema, Plan]:
    """Decide from the first file what the columns are; the others must have the same."""
    first = readers[0]
    named = [*([target] if target is not None else []), *reading.categorical, *reading.numeric]
    for name in named + ([] if first.open_ended else list(reading.ignore)):
        require(name, first)
    for name in set(reading.categorical) & set(reading.numeric):
        raise ValueError(f"Column {name!r} cannot be both categorical and numeric.")
    if target in reading.ignore:
        raise ValueError(f"The target {target!r} cannot be ignored.")
    for other in readers[1:]:
        _compare(first, other, set(reading.ignore))
    read = [name for name in first.names if name not in reading.ignore]
    found = kinds(first, read, reading.missing)
    found |= dict.fromkeys(reading.categorical, "category") | dict.fromkeys(reading.numeric, "number")
    columns = tuple(Column(name, found[name]) for name in read if name != target)
    if not columns:
        raise DataError(f"{first.name}: has no column to learn from beside {target!r}.")
    schema = Schema(columns, target, task, {column.name: [] for column in columns if column.kind == "category"})
    return schema, _plan(schema, reading, frozenset(first.names) | frozenset(reading.ignore))


def plan_expected(
    readers: Sequence[Any], target: str | None, expect: Schema, reading: Reading
) -> tuple[Schema, Plan, list[str]]:
    """Find the columns that a model knows in each file, by name; in a file without names by position."""
    notes = []
    wanted = [column.name for column in expect.columns]
    for reader in readers:
        if not reader.header and len(reader.names) == len(wanted) and target is None:
            reader.names = list(wanted)
        absent = [name for name in wanted if name not in reader.names]
        if absent:
            raise DataError(f"{reader.name}: has no column {_listed(absent)}, which the model needs; {_has(reader)}")
        if target is not None:
            require(target, reader)
        if target in wanted:
            raise DataError(
                f"{reader.name}: {target!r} is a column that the model predicts from, so it cannot be the target; name "
                "the column of the labels with --target."
            )
        extra = [name for name in reader.names if name not in (*wanted, target, expect.target)]
        if extra:
            plural = "s" if len(extra) > 1 else ""
            notes.append(f"{reader.name}: {len(extra)} extra column{plural} ignored: {_listed(extra)}")
    levels = {name: list(texts) for name, texts in expect.levels.items()}
    schema = replace(expect, target=target, levels=levels, labels=list(expect.labels))
    for name in schema.categories:
        schema.levels.setdefault(name, [])
    return schema, _plan(schema, reading, None), notes


def _plan(schema: Schema, reading: Reading, known: frozenset[str] | None) -> Plan:
    numbers, categories = tuple(schema.numbers), tuple(schema.categories)
    return Plan(numbers, categories, schema.target, schema.task, reading.missing, reading.drop_missing, known)


def require(name: str, reader: Any) -> None:
    """Refuse a name that no column has."""
    if name not in reader.names:
        close = get_close_matches(name, reader.names, 1, 0.5)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise DataError(f"{reader.name}: has no column {name!r}; {hint}{_has(reader)}")


def _compare(first: Any, other: Any, ignored: set[str]) -> None:
    wanted, found = set(first.names) - ignored, set(other.names) - ignored
    absent = [name for name in first.names if name in wanted - found and not other.open_ended]
    extra = [name for name in other.names if name in found - wanted]
    if absent or extra:
        parts = [f"has no column {_listed(absent)}"] * bool(absent) + [f"has a new column {_listed(extra)}"] * bool(
            extra
        )
        raise DataError(f"{other.name}: {' and '.join(parts)}, unlike {first.name}; give all files the same columns.")


def _has(reader: Any) -> str:
    return f"its columns are {_listed(reader.names)}."


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
