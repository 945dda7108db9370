"""Fitted models: from a file, of a fit or as they are; and what they know of rows to come."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..estimators.base import class_answers
from ..models.files.saving import ModelFileError, load_with_notes
from ..report.words import count, listed, some
from ..rows.encoding.encoder import TableEncoder
from ..rows.encoding.feature_columns import Number, Text, kind_of
from ..rows.readers.reading import Dataset
from ..rows.store.blocks import MISSING, Block, Column, DataError, Schema, TableBlock
from ..rows.store.row_store import as_matrix
from .progress import NO_PROGRESS, Watcher
from .results import Result
from .table_parameters import source_of
from .table_rows import TableRows, rows_of
from .training import Trained, lenient

if TYPE_CHECKING:
    from .fit_table import FitResult


def parts(model: Any) -> tuple[Any, Any]:
    """Encoder (None: rows are taken as they are) and learner of a model."""
    *before, learner = [step for _, step in model.steps] if hasattr(model, "steps") else [model]
    if len(before) > 1 or not all(hasattr(step, "columns_") for step in before) or not hasattr(learner, "predict"):
        names = ", ".join(type(step).__name__ for step in (*before, learner))
        raise ValueError(
            f"Tables are for a learner, or for a TableEncoder and a learner; this model is {names}. Call its own predict."
        )
    return (before[0] if before else None), learner


class Model(NamedTuple):
    """A model, and what it knows of rows to come."""

    encoder: Any  # None: sparse rows, taken as they are
    learner: Any
    schema: Schema
    whole: Any  # as it was given
    file: str | None = None


def model_of(given: Any) -> Model:
    """The model in a file, of a fit, or as it is."""
    if isinstance(given, str | os.PathLike):
        return open_model(given)
    if hasattr(given, "model_file"):  # a result
        if given.model is None:
            raise ValueError("This fit was interrupted: it has no model. Go on with it first.")
        return _known(given.model, given.target, given.model_file)
    if not hasattr(given, "predict"):
        raise TypeError(f"model is a file, the result of fit_table or a fitted model; got {type(given).__name__}.")
    check_is_fitted(given)
    return _known(given, None, None)


def open_model(path: str | os.PathLike[str]) -> Model:
    """Load a model."""
    model, notes = load_with_notes(path)
    target = notes.get("target")
    encoder = parts(model)[0]
    named = [column.name for column in encoder.columns_] if isinstance(encoder, TableEncoder) else []
    if not isinstance(target, str | None) or target in named:
        raise ModelFileError(f"{path}: its notes name {target!r} as target, which is not possible; fit it again")
    return _known(model, target, os.fspath(path))


def _known(model: Any, target: str | None, file: str | None) -> Model:
    encoder, learner = parts(model)
    labels = [str(label) for label in getattr(learner, "classes_", [])]
    schema = Schema(target=target, task="classes" if labels else "numbers", labels=labels)
    if not isinstance(encoder, TableEncoder):
        schema.n_features = (learner if encoder is None else encoder).n_features_in_
    else:
        encoder = lenient(encoder)  # what is new is refused elsewhere, with the place in the file
        schema.cells = encoder.cells_
        schema.columns = tuple(Column(column.name, kind_of(column)) for column in encoder.columns_)
        schema.levels = {
            column.name: list(column.words if isinstance(column, Text) else column.levels)
            for column in encoder.columns_
            if not isinstance(column, Number)
        }
    return Model(encoder, learner, schema, model, file)


def known_blocks(data: Dataset, model: Model, unseen: str, counts: dict[str, int]) -> Iterator[Block]:
    """The blocks of the data.  Values that training did not have are counted by column or, with ``unseen="error"``, refused."""
    for block in data.blocks():
        if isinstance(block, TableBlock):
            for name, new, absent in _unseen(block, model):
                if unseen == "error":
                    raise _refused(data, block, name, int(np.argmax(new)), absent)
                counts[name] = counts.get(name, 0) + int(np.count_nonzero(new))
        yield block
    for name, times in data.strange.items():
        columns = [part for part, (date, _) in data.plan.cells.parts.items() if date == name] or [name]
        if all(map(model.encoder.n_missing_.get, columns)):  # of other columns they are counted as missing values
            counts[name] = counts.get(name, 0) + times


def _unseen(block: TableBlock, model: Model) -> Iterator[tuple[str, np.ndarray, bool]]:
    """Columns that have what training did not have, in which rows, and whether these lack a value."""
    known, lacked = model.schema, model.encoder.n_missing_
    for name, codes in zip(known.categories, block.codes.T, strict=True):
        new = codes >= len(known.levels[name])
        if new.any():
            yield name, new, False
    for names, absent in ((known.numbers, np.isnan(block.numbers)), (known.categories, block.codes == MISSING)):
        for name, own in zip(names, absent.T, strict=True):
            if not lacked[name] and own.any():
                yield name, own, True


def _refused(data: Dataset, block: TableBlock, name: str, row: int, absent: bool) -> DataError:
    place = data.locate(int(block.rows[row]), name)
    if absent:
        return DataError(
            f"{place}: the value of {name!r} is missing, and training had no missing value in this column; fill it in, or pass "
            "unseen='zeros' to ignore it."
        )
    level = data.schema.levels[name][block.codes[row, data.schema.categories.index(name)]]
    return DataError(
        f"{place}: training had no {level!r} among the values of {name!r}; correct it, or pass unseen='zeros' to ignore it."
    )


def unseen_note(counts: dict[str, int]) -> list[str]:
    """A note on values that training did not have."""
    if not counts:
        return []
    each = listed([f"{name!r} ({count(times)})" for name, times in counts.items()])
    return [
        f"{some(sum(counts.values()), 'value')} that training did not have, in {each}, had no effect; pass unseen='error' to stop at "
        "the first"
    ]


# Weights


@dataclass(frozen=True, kw_only=True)
class FeatureWeight(Result):
    """A weight."""

    name: str  # of the feature
    weight: float


@dataclass(frozen=True, kw_only=True)
class ClassWeights(Result):
    """The strongest weights of a class; of numbers the class is None."""

    class_: str | None
    intercept: float
    features: list[FeatureWeight]


def strongest(encoder: Any, learner: Any, top: int) -> list[ClassWeights] | None:
    """The weights of largest size, by name, for every class; of two classes for the second; of a kernel's learner none."""
    if not hasattr(learner, "coef_"):
        return None
    name = _namer(encoder)
    coef = np.atleast_2d(learner.coef_)
    labels = getattr(learner, "classes_", [None])
    shown = [labels[-1]] if len(coef) == 1 else labels
    intercepts = np.broadcast_to(learner.intercept_, len(coef))
    return [
        ClassWeights(
            class_=None if label is None else str(label),
            intercept=float(intercept),
            features=[FeatureWeight(name=name(j), weight=float(row[j])) for j in largest(row, top)],
        )
        for label, row, intercept in zip(shown, coef, intercepts, strict=True)
    ]


def _namer(encoder: Any) -> Callable[[int], str]:
    """The name of a feature by its place; those of sparse rows count from 1, as their files do."""
    if encoder is None:
        return lambda place: f"x{place + 1}"
    names = encoder.get_feature_names_out()
    return lambda place: str(names[place])


def largest(row: np.ndarray, top: int) -> list[int]:
    """Where the ``top`` weights of largest size stand, largest first; of equal ones the first."""
    size = np.abs(row)
    least = np.partition(size, -top)[-top] if 0 < top < size.size else 0.0
    places = np.flatnonzero(size >= least)
    return [int(place) for place in places[np.argsort(-size[places], kind="stable")][:top]]


GRID = 240  # points on each side
POINTS = 500  # rows that are drawn at most
SPARE = 0.05  # of the range, beyond the rows on each side


@dataclass(frozen=True, kw_only=True)
class Regions(Result):
    """Answers on a grid over two columns, and some rows."""

    names: list[str]  # of the columns
    points: list[list[float]]  # the rows
    labels: list[str]  # theirs
    grid_x: list[float]
    grid_y: list[float]
    grid_labels: list[list[int]]  # the answers, as places among the classes
    note: str


def regions(rows: TableRows, trained: Trained, columns: Sequence[str] | None = None) -> Regions | None:
    """Answers on a grid over two columns of numbers, the strongest unless they are named, and some rows; None where there are
    no two or no classes."""
    encoder, learner = lenient(trained.encoder), trained.learner
    if encoder is None or rows.schema.task != "classes" or len(rows.schema.numbers) < 2 or rows.schema.texts:
        return None
    pair = _strongest_pair(encoder, learner) if columns is None else _named_pair(rows.schema.numbers, columns)
    sample = _sample(rows)
    points = sample.numbers[:, pair]
    given = ~np.isnan(points).any(axis=1)
    if not given.any():
        return None
    points, labels = points[given], [rows.schema.labels[code] for code in sample.target[given].tolist()]
    low, high = points.min(axis=0), points.max(axis=0)
    spare = np.where(high > low, SPARE * (high - low), 1.0)
    grid_x, grid_y = (np.linspace(low[k] - spare[k], high[k] + spare[k], GRID) for k in range(2))
    answers = class_answers(
        learner, as_matrix(_grid(rows, encoder, sample, pair, grid_x, grid_y), rows.schema, encoder)
    )
    names = [rows.schema.numbers[place] for place in pair]
    others = len(rows.schema.columns) - 2
    chosen = "the two strongest; " if columns is None else ""
    note = (
        f"{chosen}all others are held at the medians and commonest values of these rows."
        if others
        else "the model has no others."
    )
    return Regions(
        names=names,
        points=points.tolist(),
        labels=labels,
        grid_x=grid_x.tolist(),
        grid_y=grid_y.tolist(),
        grid_labels=answers.reshape(GRID, GRID).tolist(),
        note=note,
    )


def _named_pair(numbers: list[str], columns: Sequence[str]) -> list[int]:
    """Places among the columns of numbers."""
    if len(columns) != 2 or columns[0] == columns[1] or not set(columns) <= set(numbers):
        raise ValueError(
            f"Regions lie in the plane of two columns of numbers, out of {', '.join(numbers)}; got {columns!r}."
        )
    return [numbers.index(name) for name in columns]


def _strongest_pair(encoder: Any, learner: Any) -> list[int]:
    """Places among the columns of numbers."""
    numbers = [column for column in encoder.columns_ if isinstance(column, Number)]
    if not hasattr(learner, "coef_"):
        return [0, 1]
    names = list(encoder.get_feature_names_out())
    sizes = np.abs(np.atleast_2d(learner.coef_)).sum(axis=0)
    strength = np.array([sizes[names.index(column.name)] for column in numbers])
    return [int(place) for place in np.argsort(-strength, kind="stable")[:2]]


def _sample(rows: TableRows) -> TableBlock:
    """Rows at even distances."""
    step = -(-rows.n_rows // POINTS)
    return TableBlock(*rows.fold(partial(_some_of, step), _one_after_the_other))


def _some_of(step: int, blocks: Iterable[TableBlock]) -> list[np.ndarray] | None:
    parts = [[part[block.rows % step == 0] for part in block[:4]] for block in blocks]
    return [np.concatenate(part) for part in zip(*parts, strict=True)] or None


def _one_after_the_other(one: list[np.ndarray], other: list[np.ndarray]) -> list[np.ndarray]:
    return [np.concatenate(pair) for pair in zip(one, other, strict=True)]


def _grid(
    rows: TableRows, encoder: Any, sample: TableBlock, pair: list[int], grid_x: np.ndarray, grid_y: np.ndarray
) -> TableBlock:
    """Rows that differ in two columns only."""
    size = len(grid_x) * len(grid_y)
    numbers = np.tile(_medians(sample.numbers), (size, 1))
    numbers[:, pair[0]], numbers[:, pair[1]] = np.tile(grid_x, len(grid_y)), np.repeat(grid_y, len(grid_x))
    codes = np.empty((size, len(rows.schema.categories)), dtype=np.int32)
    for place in range(codes.shape[1]):
        known, counts = np.unique(sample.codes[:, place], return_counts=True)
        codes[:, place] = known[counts.argmax()] if known.size else MISSING
    return TableBlock(numbers, codes, np.zeros(size, dtype=np.int32), np.arange(size))


def _medians(numbers: np.ndarray) -> np.ndarray:
    """Of every column that has values; the others are left to the encoder."""
    there = ~np.isnan(numbers).all(axis=0)
    medians = np.full(numbers.shape[1], np.nan)
    medians[there] = np.nanmedian(numbers[:, there], axis=0)
    return medians


def slice_of(
    result: FitResult, source: Any, columns: Sequence[str], watcher: Watcher = NO_PROGRESS, **reading: Any
) -> Regions | None:
    """What the model of a fit answers in the plane of two columns of the rows it was fitted to, which are read again.

    It is what ``fit_table(..., regions=columns)`` holds; None where there are no classes or no columns by name.
    """
    encoder, learner = parts(result.model)
    with rows_of(source_of(source, result.target, reading), result.task, watcher) as rows:
        return regions(rows, Trained(encoder, learner, None, []), columns)
