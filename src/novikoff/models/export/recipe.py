"""A linear model as a recipe for raw rows, from which programs in other languages are written."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import NotFittedError

from ...checks.sklearn_parts import is_pipeline
from ...report.words import keyword
from ...rows.encoding.encoder import TableEncoder
from ...rows.encoding.feature_columns import Category, FeatureColumn, Number, Text
from ...rows.store.blocks import Cells


class ExportError(ValueError):
    """A model that cannot be exported; the message says why."""


class Recipe(NamedTuple):
    """From raw columns to scores: every column adds to all scores, in this order, and the intercepts come last.

    A number that is not finite, once it is filled and standardised, has no answer: ``predict`` refuses its row, and so do programs,
    each in the way of its language.  Without an encoder nothing fills missing numbers: their ``fill`` is NaN.
    """

    columns: tuple[FeatureColumn, ...]
    weights: np.ndarray  # (outputs, features), float64
    intercept: np.ndarray  # (outputs,)
    classes: list[Any] | None  # None: the score itself is the answer
    encoded: bool  # whether columns are those of a table; else they are the features themselves
    cells: Cells = Cells()  # what means "missing", and how columns write numbers

    @property
    def numbers(self) -> list[Number]:
        """Columns of numbers, in order."""
        return [column for column in self.columns if isinstance(column, Number)]

    @property
    def categories(self) -> list[Category]:
        """Columns of categories, in order."""
        return [column for column in self.columns if isinstance(column, Category)]

    @property
    def labels(self) -> list[str]:
        """Classes as texts."""
        return [str(label) for label in self.classes or []]


def recipe_of(model: Any) -> Recipe:
    """The recipe of a linear learner, alone or behind a ``TableEncoder``."""
    encoder, learner = None, model
    if is_pipeline(model):
        *before, (_, learner) = model.steps
        if len(before) > 1 or (before and not isinstance(before[0][1], TableEncoder)):
            raise ExportError("Only a TableEncoder can come before the learner: other steps cannot be exported.")
        encoder = before[0][1] if before else None
    _refuse(learner)
    if encoder is None:
        cells = Cells()
        names = getattr(learner, "feature_names_in_", [f"x{j}" for j in range(learner.n_features_in_)])
        columns: tuple[FeatureColumn, ...] = tuple(Number(str(name), np.nan, 0.0, 1.0) for name in names)
    else:
        columns, cells = encoder.columns_, encoder.cells_
        if encoder.cells_.dates:
            raise ExportError(
                f"The model splits dates into parts ({', '.join(map(repr, encoder.cells_.dates))}), which exports cannot do: put "
                "year, month, day and weekday into separate columns of numbers, and fit again."
            )
    for column in columns:
        if isinstance(column, Text):
            raise ExportError(
                f"The model reads {column.name!r} by its words, which programs in other languages would split differently: leave the "
                f"column out ({keyword('ignore', column.name)}) and fit again, or use the model in Python."
            )
        if isinstance(column, Category) and not {*cells.missing}.isdisjoint(column.levels):
            level = next(level for level in column.levels if level in cells.missing)
            raise ExportError(
                f"Column {column.name!r} has the level {level!r}, which means a missing value in exports."
            )
    weights, intercept = np.atleast_2d(learner.coef_).astype(float), learner.intercept_.astype(float)
    classes = learner.classes_.tolist() if hasattr(learner, "classes_") else None
    return Recipe(columns, weights, intercept, classes, encoder is not None, cells)


def _refuse(learner: Any) -> None:
    """Refuse what is not one linear function a class, with the reason."""
    name = type(learner).__name__
    if hasattr(learner, "dual_coef_") and not hasattr(learner, "coef_"):
        raise ExportError(
            f"A {name} has no linear weights, it needs its training rows: export a linear learner, e.g. a Perceptron."
        )
    if not type(learner).__module__.startswith("novikoff.") or not hasattr(type(learner), "predict"):
        raise ExportError(f"A {name} is not a linear learner of this library.")
    if not hasattr(learner, "coef_"):
        raise NotFittedError(f"This {name} is not fitted yet: there is nothing to export.")
    if hasattr(learner, "votes_"):
        raise ExportError(
            'keep="vote" predicts by a vote of many weight vectors: export a learner with keep="average", which is similar.'
        )
