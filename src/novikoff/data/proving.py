"""Separability of the rows of a store, proved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..estimators.targets import find_classes
from ..proof.streamed import StreamedProof, streamed_separability
from .blocks import Schema
from .gather import Members, as_matrix, in_order
from .store import Store


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
) -> StreamedProof:
    """Tell whether the classes of these rows, as a learner sees them, are linearly separable.

    The weights of a ``learner`` of the same rows, if one is given, are tried first.
    """
    classes, blocks = labelled_rows(store, schema, encoder, members)
    guess = (learner.coef_, learner.intercept_) if learner is not None and hasattr(learner, "coef_") else None
    return streamed_separability(
        blocks, classes=classes, fit_intercept=fit_intercept, guess=guess, time_limit=time_limit, progress=progress
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
        for block in in_order(store, members):
            yield as_matrix(block, schema, encoder), places[block.target], block.rows

    return classes, blocks
