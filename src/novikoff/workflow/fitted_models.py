"""Fitted models: from a file, of a fit or as they are; and what they know of rows to come."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..models.files.saving import ModelFileError, load_with_notes
from ..rows.encoding.encoder import TableEncoder
from ..rows.encoding.feature_columns import Number
from ..rows.readers.dataset import Dataset
from ..rows.store.blocks import MISSING, Block, Column, DataError, Schema, TableBlock
from .documents import Result
from .training import lenient


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
        raise ModelFileError(f"{path}: its notes name {target!r} as target, which that cannot be; fit it again")
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
        schema.columns = tuple(
            Column(column.name, "number" if isinstance(column, Number) else "category") for column in encoder.columns_
        )
        schema.levels = {
            column.name: list(column.levels) for column in encoder.columns_ if not isinstance(column, Number)
        }
    return Model(encoder, learner, schema, model, file)


def known_blocks(data: Dataset, model: Model, unseen: str) -> Iterator[Block]:
    """The blocks of the data; with ``unseen="error"``, what training did not have is refused."""
    for block in data.blocks():
        if unseen == "error":
            refuse_unseen(data, block, model)
        yield block


def refuse_unseen(data: Dataset, block: Block, model: Model) -> None:
    """Refuse what training did not have."""
    if not isinstance(block, TableBlock):
        return
    known, lacked = model.schema, model.encoder.n_missing_
    levels = np.array([len(known.levels[name]) for name in known.categories], dtype=np.int64)
    new = block.codes >= levels
    if new.any():
        row, column = np.argwhere(new)[0]
        name = data.schema.categories[column]
        raise DataError(
            f"{data.locate(int(block.rows[row]), name)}: {data.schema.levels[name][block.codes[row, column]]!r} was not among the "
            f"values of {name!r} in training; correct it, or pass unseen='zeros' to count it as none of them."
        )
    for absent, names in ((np.isnan(block.numbers), known.numbers), (block.codes == MISSING, known.categories)):
        new = absent & np.array([not lacked[name] for name in names], dtype=bool)
        if new.any():
            row, column = np.argwhere(new)[0]
            raise DataError(
                f"{data.locate(int(block.rows[row]), names[column])}: the value of {names[column]!r} is "
                "missing, which none was in training; fill it in, or pass unseen='zeros' to let it say nothing."
            )


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


def strongest(model: Any, top: int) -> list[ClassWeights] | None:
    """The weights of largest size, by name, for every class; of two classes for the second; of a kernel's learner none."""
    encoder, learner = parts(model)
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
