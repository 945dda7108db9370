"""A label for every row of files, from a model in a file."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..models.files.saving import ModelFileError, load_with_notes
from ..rows.encoding.encoder import TableEncoder
from ..rows.encoding.feature_columns import Number
from ..rows.readers.reading import Dataset, Reading, open_data
from ..rows.store.blocks import MISSING, Block, Column, DataError, Schema, TableBlock
from ..rows.store.gather import as_matrix
from .evaluation import answered_classes
from .fit_result import FitResult
from .loading import located
from .strongest_weights import parts
from .training import lenient
from .watching import NOBODY, Watcher


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
    if isinstance(given, FitResult):
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


def known_blocks(data: Dataset, model: Model, unseen: str, watcher: Watcher) -> Iterator[Block]:
    """The blocks of the data; with ``unseen="error"``, what training did not have is refused."""
    with watcher.progress("Reading", data.size, "bytes") as advance:
        for block in data.blocks(advance):
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


class Wanted(NamedTuple):
    """What is written of every row beside its label."""

    keep: list[str]  # columns of the file
    scores: bool
    probabilities: bool


def predict(
    given: Any, files: list[Any], reading: Reading, wanted: Wanted, unseen: str, watcher: Watcher = NOBODY
) -> Iterator[bytes]:
    """The predictions as CSV, part by part; with ``unseen="error"``, what training did not have is refused."""
    model = model_of(given)
    yield as_csv([heading_of(model, wanted)])
    with opened(files, model, reading) as data:
        for columns in predicted(data, model, wanted, known_blocks(data, model, unseen, watcher)):
            yield as_csv(zip(*columns, strict=True))


@contextmanager
def opened(files: list[Any], model: Model, reading: Reading) -> Iterator[Dataset]:
    """The rows that a model is asked about."""
    data = open_data(files, None, task=model.schema.task, reading=reading, expect=model.schema)
    try:
        yield data
    finally:
        data.close()


def heading_of(model: Model, wanted: Wanted) -> list[str]:
    """The names of what is written; what the model cannot give is refused."""
    labels = model.schema.labels
    if wanted.probabilities and not hasattr(model.learner, "predict_proba"):
        raise ValueError(
            f"{f'{model.file}: ' if model.file else ''}{type(model.learner).__name__} has no probabilities. Pass scores=True, or train with learner='logistic-neuron'."
        )
    heading = [*wanted.keep, "prediction"]
    if wanted.scores and labels:
        heading += [f"score of {label}" for label in (labels[1:] if len(labels) == 2 else labels)]
    if wanted.probabilities:
        heading += [f"probability of {label}" for label in labels]
    if twice := [name for place, name in enumerate(heading) if name in heading[:place]]:
        raise ValueError(f"{twice[0]!r}: two columns would have that name; rename the one in the file.")
    return heading


def predicted(data: Dataset, model: Model, wanted: Wanted, blocks: Iterable[Block]) -> Iterator[list[Any]]:
    """The columns that ``heading_of`` names, of one block after the other."""
    kept = data.texts(wanted.keep)
    for block in blocks:
        with located(data):
            X = as_matrix(block, data.schema, model.encoder)
        columns: list[Any] = list(zip(*islice(kept, len(block.rows)), strict=True)) if wanted.keep else []
        columns.append(_answers(model, X))
        if wanted.scores and model.schema.labels:
            columns += model.learner.decision_function(X).reshape(len(block.rows), -1).T.tolist()
        if wanted.probabilities:
            columns += model.learner.predict_proba(X).T.tolist()
        yield columns


def _answers(model: Model, X: Any) -> list[Any]:
    """What the model predicts; rows share one text for each label."""
    if not model.schema.labels:
        numbers: list[Any] = model.learner.predict(X).tolist()
        return numbers
    labels = model.learner.classes_.tolist()
    return [labels[place] for place in answered_classes(model.learner, X).tolist()]


def as_csv(lines: Iterable[Iterable[Any]]) -> bytes:
    """Lines of CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()
