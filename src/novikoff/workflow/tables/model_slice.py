"""Where a model answers what, in the plane of two columns of numbers: of a fit, or of a fitted model without another fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...rows.encoding.feature_columns import Number
from ...rows.store.blocks import MISSING, TableBlock
from ...rows.store.gather import as_matrix
from ..documents import Result
from ..fitted_models import parts
from ..loading import Rows, rows_of
from ..scores import answered_classes
from ..training import Trained, lenient
from ..watching import NOBODY, Watcher
from .table_sources import source_of

if TYPE_CHECKING:
    from .fit_table import FitResult

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


def regions(rows: Rows, trained: Trained, columns: Sequence[str] | None = None) -> Regions | None:
    """Answers on a grid over two columns of numbers, the strongest unless they are named, and some rows; None where there are
    no two or no classes."""
    encoder, learner = lenient(trained.encoder), trained.learner
    if encoder is None or rows.schema.task != "classes" or len(rows.schema.numbers) < 2:
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
    answers = answered_classes(
        learner, as_matrix(_grid(rows, encoder, sample, pair, grid_x, grid_y), rows.schema, encoder)
    )
    names = [rows.schema.numbers[place] for place in pair]
    others = len(rows.schema.columns) - 2
    chosen = "the two strongest" if columns is None else "two"
    note = (
        "all there is to see."
        if not others
        else f"{chosen} columns of numbers; the others at the medians and commonest values of these rows."
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


def _sample(rows: Rows) -> TableBlock:
    """Rows at even distances."""
    step = -(-rows.n_rows // POINTS)
    return TableBlock(*rows.fold(partial(_some_of, step), _one_after_the_other))


def _some_of(step: int, blocks: Iterable[TableBlock]) -> list[np.ndarray] | None:
    parts = [[part[block.rows % step == 0] for part in block] for block in blocks]
    return [np.concatenate(part) for part in zip(*parts, strict=True)] or None


def _one_after_the_other(one: list[np.ndarray], other: list[np.ndarray]) -> list[np.ndarray]:
    return [np.concatenate(pair) for pair in zip(one, other, strict=True)]


def _grid(
    rows: Rows, encoder: Any, sample: TableBlock, pair: list[int], grid_x: np.ndarray, grid_y: np.ndarray
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
    result: FitResult, source: Any, columns: Sequence[str], watcher: Watcher = NOBODY, **reading: Any
) -> Regions | None:
    """What the model of a fit answers in the plane of two columns of the rows it was fitted to, which are read again.

    It is what ``fit_table(..., regions=columns)`` holds; None where there are no classes or no columns by name.
    """
    encoder, learner = parts(result.model)
    with rows_of(source_of(source, result.target, reading), result.task, watcher) as rows:
        return regions(rows, Trained(encoder, learner, None, []), columns)
