"""Data frames (pandas, polars, Arrow and whatever hands out Arrow streams) as a table of numbers and categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..store.blocks import MISSING, Cells, Column, DataError, RowError, Schema, TableBlock
from .arrow_columns import as_one_array, dates_apart, kind_of_type, nearest_floats, number_text, occurring, pa
from .reading_options import Fault
from .word_counts import Words, in_rows, number_words, words_of


def read_frame(
    frame: Any,
    wanted: Sequence[Column] | None = None,
    cells: Cells = Cells(),  # noqa: B008
) -> tuple[Schema, TableBlock]:
    """The frame's columns as they are, or the ``wanted`` ones, which must be there and of the wanted kind.

    Numbers are numbers; texts, dictionaries and booleans are categories.  Nulls, NaN and what ``cells`` call so are missing.
    """
    table = as_table(frame)
    names = table.column_names
    refuse_twice(names)
    if wanted is None:
        wanted = [Column(name, _kind(name, table.schema.field(name).type)) for name in names]
    schema = Schema(columns=tuple(wanted), cells=cells)
    parts, known = _parts(table, cells), set(names)
    words: dict[str, Words] = {}
    numbered: list[np.ndarray] = []  # what words have, by columns
    place = {name: at for at, name in enumerate(schema.numbers)}
    numbers, codes = np.empty((table.num_rows, len(schema.numbers))), []
    for column in wanted:
        if column.name in parts:
            numbers[:, place[column.name]] = parts[column.name]
            continue
        if column.name not in known:
            raise DataError(f"column {column.name!r}, which the model was trained with, is not there")
        values = table.column(column.name)
        _refuse_other_kind(column, values.type)
        if column.kind == "text":
            words[column.name] = words_of(values, frozenset(cells.missing))
            levels: list[str] = []
            texts = words[column.name].texts
            numbered.append(number_words(texts, {}, levels, len(texts)))
            schema.levels[column.name] = levels
        elif column.kind == "number":
            numbers[:, place[column.name]] = _numbers(values, cells)
        else:
            schema.levels[column.name], coded = _codes(values, cells.missing)
            codes.append(coded)
    stacked = np.stack(codes, axis=1) if codes else np.empty((table.num_rows, 0), np.int32)
    block = TableBlock(numbers, stacked, np.empty(0), np.arange(table.num_rows))
    if words:
        block = TableBlock(*block[:4], *in_rows(list(words.values()), numbered, table.num_rows))
    return schema, block


def refuse_twice(names: list[str]) -> None:
    """Refuse columns of one name."""
    if len(set(names)) < len(names):
        raise DataError(f"column {next(n for n in names if names.count(n) > 1)!r} is there twice; rename one of them")


def as_table(frame: Any) -> Any:
    """Any frame as an Arrow table."""
    if isinstance(frame, pa.Table):
        return frame
    if hasattr(frame, "collect") and hasattr(frame, "lazy"):  # of polars, a frame that is yet to be worked out
        raise TypeError(f"A {type(frame).__name__} has no rows yet: give what its collect() returns.")
    column = hasattr(frame, "iloc") and not hasattr(frame, "columns")  # of pandas, a single one
    streams = hasattr(frame, "__arrow_c_stream__") and not column
    if not (hasattr(frame, "columns") or streams or isinstance(frame, pa.RecordBatch)):
        raise TypeError(
            f"A table is a data frame with named columns (pandas, polars, Arrow), not {type(frame).__name__}; arrays of "
            "numbers go to learners as they are."
        )
    try:
        if hasattr(frame, "iloc"):  # pandas, whose index is no column
            refuse_twice([str(name) for name in frame.columns])
            return pa.Table.from_pandas(frame, preserve_index=False)
        return pa.table(frame)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise DataError(f"{'; '.join(map(str, error.args))}; give every column values of one kind") from None
    except TypeError:
        raise TypeError(
            f"{type(frame).__module__}.{type(frame).__name__} provides no Arrow data; update the library it comes from "
            "(polars does so from 1.3)."
        ) from None


def _kind(name: str, kind: Any) -> str:
    found = "category" if pa.types.is_dictionary(kind) else kind_of_type(kind)
    if found is None or found == "date":
        raise DataError(
            f"column {name!r} is of type {kind}, which is neither number nor text; convert it or leave it out"
        )
    return found


def _refuse_other_kind(column: Column, kind: Any) -> None:
    found = _kind(column.name, kind)
    if found != column.kind.replace("text", "category") and not pa.types.is_null(kind):
        raise DataError(
            f"column {column.name!r} was of the kind {column.kind} in training and is of the kind {found} here; convert it"
        )


def _parts(table: Any, cells: Cells) -> dict[str, np.ndarray]:
    """Dates that a model takes apart, as its columns."""
    found: dict[str, np.ndarray] = {}
    for name in cells.dates:
        if name in table.column_names:
            try:
                found |= dates_apart(table.column(name), name, cells)
            except Fault as fault:
                raise RowError(fault.row or 0, name, fault.text) from None
    return found


def _numbers(values: Any, cells: Cells) -> np.ndarray:
    numbers = nearest_floats(values).to_numpy()
    strange = cells.missing_numbers
    return np.where(np.isin(numbers, strange), np.nan, numbers) if strange else numbers


def _codes(values: Any, missing: tuple[str, ...]) -> tuple[list[str], np.ndarray]:
    """Texts in the order of their first appearance, and their places, by row."""
    coded = as_one_array(values if isinstance(values.type, pa.DictionaryType) else values.dictionary_encode())
    found = occurring(coded)
    places: dict[str, int] = {}
    remap = [
        MISSING if text is None or text in missing else places.setdefault(text, len(places))
        for text in _texts(found.texts).to_pylist()
    ]
    return list(places), np.array([*remap, MISSING], np.int32)[found.codes]


def _texts(levels: Any) -> Any:
    """Levels of a categorical type as texts, numbers among them as readers of files write them."""
    if not pa.types.is_floating(levels.type):
        return levels.cast(pa.large_string())
    return pa.array([None if level is None else number_text(level) for level in levels.to_pylist()], pa.large_string())
