"""Rows of a store as a proof reads them, and weights that it may try."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..inputs.targets import find_classes
from ..proof.partitions.row_queries import Frame, Labelled, RowQueries, Sample, both_samples, drawn
from ..proof.problem.coordinates import Weights
from ..proof.problem.read_rows import read_rows
from ..rows.encoding.encoder import TableEncoder
from ..rows.encoding.feature_columns import Category, Number
from ..rows.partitions import OnDemand
from ..rows.store.blocks import Block, Schema
from ..rows.store.gather import InOrder, as_matrix, count_targets, pick_rows
from ..rows.store.row_store import Store


class Encoding(NamedTuple):
    """How blocks become rows."""

    schema: Schema
    encoder: Any
    classes: np.ndarray
    places: np.ndarray  # of all labels in the classes
    look: Callable[[int], None]  # told how many rows are looked at


def queries_of(
    store: Store,
    schema: Schema,
    encoder: Any,
    look: Callable[[int], None] = lambda rows: None,
    fit_intercept: bool = True,
) -> RowQueries:
    """The rows of a store, a block at a time in memory, for a proof to ask; ``look`` is told of every block how many rows it has."""
    labels = np.array(schema.labels, dtype=str)
    classes = find_classes(labels[count_targets(store, schema, None) > 0])
    told = Encoding(schema, encoder, classes, np.searchsorted(classes, labels), look)
    blocks = OnDemand(InOrder(store, outputs=classes.size))
    sample: Sample = blocks.fold(some_rows, both_samples, told)
    return RowQueries(blocks.map(labelled, told), Frame(classes, fit_intercept), sample)


def some_rows(number: int, block: Block, told: Encoding) -> Sample:
    """Some rows of a block, of all classes."""

    def take(few: np.ndarray) -> Labelled:
        return encoded(pick_rows(block, few), told)

    return drawn(number, told.places[block.target], told.classes.size, take)


def labelled(number: int, block: Block, told: Encoding) -> Labelled:
    """The rows of a block."""
    told.look(len(block.rows))
    return encoded(block, told)


def encoded(block: Block, told: Encoding) -> Labelled:
    """Rows and class numbers."""
    return Labelled(read_rows(as_matrix(block, told.schema, told.encoder)), told.places[block.target])


def weights_as_given(learner: Any, encoder: Any, names: list[str], classes: np.ndarray) -> Weights | None:
    """A learner's weights for these features of rows that are encoded, but not standardised, exactly: of the score
    w (x - center) / scale + b, the weight is w / scale, and the intercept b - w center / scale.  None where it has none."""
    if not hasattr(learner, "coef_") or not np.array_equal(learner.classes_, classes):
        return None
    if isinstance(encoder, TableEncoder):
        columns: Sequence[Number | Category] = encoder.columns_
    else:
        features = names if encoder is None else encoder.get_feature_names_out()
        columns = [Number(name, 0.0, 0.0, 1.0) for name in features]
    shifts = [column[2:] if isinstance(column, Number) else (0.0, 1.0) for column in columns for _ in column.features]
    known = [name for column in columns for name in column.features]
    rows = []
    for slopes, intercept in zip(
        np.atleast_2d(learner.coef_).tolist(), np.ravel(learner.intercept_).tolist(), strict=True
    ):
        exact = [Fraction(w) / Fraction(scale) for w, (_, scale) in zip(slopes, shifts, strict=True)]
        moved = sum((w * Fraction(center) for w, (center, _) in zip(exact, shifts, strict=True) if center), Fraction(0))
        own = dict(zip(known, exact, strict=True))
        rows.append([*(own.get(name, Fraction(0)) for name in names), Fraction(intercept) - moved])
    if len(rows) > 1:
        rows = [[number - first for number, first in zip(row, rows[0], strict=True)] for row in rows[1:]]
    try:
        floats = np.array([[float(number) for number in row] for row in rows])
    except OverflowError:
        return None
    return Weights(floats, tuple(map(tuple, rows)))
