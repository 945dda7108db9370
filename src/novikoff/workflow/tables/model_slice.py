"""A fitted model in the plane of any two columns, without another fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..fit_result import FitResult
from ..fitted_models import parts
from ..loading import rows_of
from ..regions import Regions, regions
from ..training import Trained
from ..watching import NOBODY, Watcher
from .table_sources import source_of


def slice_of(
    result: FitResult, source: Any, columns: Sequence[str], watcher: Watcher = NOBODY, **reading: Any
) -> Regions | None:
    """What the model of a fit answers in the plane of two columns of the rows it was fitted to, which are read again.

    It is what ``fit_table(..., regions=columns)`` holds; None where there are no classes or no columns by name.
    """
    encoder, learner = parts(result.model)
    with rows_of(source_of(source, result.target, reading), result.task, watcher) as rows:
        return regions(rows, Trained(encoder, learner, None, []), columns)
