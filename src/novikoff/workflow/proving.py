"""Separability of the rows of a store, proved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..inputs.clock import Room
from ..inputs.targets import find_classes
from ..proof.problem.coordinates import Weights
from ..proof.stream.streamed_proof import StreamedProof, streamed_separability
from ..rows.encoding.encoder import TableEncoder
from ..rows.encoding.feature_columns import Category, Number
from ..rows.store.blocks import Schema
from ..rows.store.gather import Members, as_matrix, in_order
from ..rows.store.row_store import Store


def prove_store(
    store: Store,
    schema: Schema,
    encoder: Any,
    members: Members | None = None,
    *,
    fit_intercept: bool = True,
    learner: Any = None,
    time_limit: float | None = None,
    progress: Callable[[int], None] | None = None,
    room: Room | None = None,
) -> StreamedProof:
    """Tell whether the classes of these rows, as a learner sees them, are linearly separable.

    The weights of a ``learner`` of the same rows, if one is given, are tried first.
    """
    classes, blocks = labelled_rows(store, schema, encoder, members)
    guess = (learner.coef_, learner.intercept_) if learner is not None and hasattr(learner, "coef_") else None
    return streamed_separability(
        blocks,
        classes=classes,
        fit_intercept=fit_intercept,
        guess=guess,
        time_limit=time_limit,
        progress=progress,
        room=room,
    )


def labelled_rows(
    store: Store, schema: Schema, encoder: Any, members: Members | None = None
) -> tuple[np.ndarray, Callable[[], Iterator[tuple[Any, np.ndarray, np.ndarray]]]]:
    """The classes that rows have, and the stream that a proof of them is looked for, and verified, on."""
    present = np.zeros(len(schema.labels), dtype=bool)
    for block in store.blocks:
        present[block.target if members is None else block.target[members(block.rows)]] = True
        store.release()
    labels = np.array(schema.labels, dtype=str)
    classes = find_classes(labels[present])
    places = np.searchsorted(classes, labels)

    def blocks() -> Iterator[tuple[Any, np.ndarray, np.ndarray]]:
        for block in in_order(store, members, outputs=classes.size):
            yield as_matrix(block, schema, encoder), places[block.target], block.rows

    return classes, blocks


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
