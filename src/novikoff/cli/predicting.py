"""``novikoff predict``: a label for every row."""

from __future__ import annotations

import csv
import io
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..data.blocks import MISSING, Block, Column, DataError, Schema, TableBlock
from ..data.encoder import TableEncoder
from ..data.encoding import Number
from ..data.gather import as_matrix
from ..data.reading import Dataset, open_data
from ..models.atomic import atomic_write, check_writable, keep_apart
from ..models.files import ModelFileError, load_with_notes
from ..shell import quote
from .interrupts import begin_work
from .loading import located, reading_of
from .options import ReadingOptions
from .progress import progress
from .streams import printing
from .weights import parts


class Model(NamedTuple):
    """A model from a file, and what it knows of files to come."""

    encoder: Any  # None: sparse rows, taken as they are
    learner: Any
    schema: Schema


def open_model(path: Path) -> Model:
    """Load a model."""
    model, notes = load_with_notes(path)
    encoder, learner = parts(model)
    labels = [str(label) for label in getattr(learner, "classes_", [])]
    schema = Schema(target=notes.get("target"), task="classes" if labels else "numbers", labels=labels)
    named = [column.name for column in encoder.columns_] if isinstance(encoder, TableEncoder) else []
    if not isinstance(schema.target, str | None) or schema.target in named:
        raise ModelFileError(f"{path}: its notes name {schema.target!r} as target, which that cannot be; fit it again")
    if not isinstance(encoder, TableEncoder):
        schema.n_features = (learner if encoder is None else encoder).n_features_in_
    else:
        encoder.set_params(unseen="zeros")  # refused elsewhere, with the place in the file
        schema.cells = encoder.cells_
        schema.columns = tuple(
            Column(column.name, "number" if isinstance(column, Number) else "category") for column in encoder.columns_
        )
        schema.levels = {
            column.name: list(column.levels) for column in encoder.columns_ if not isinstance(column, Number)
        }
    return Model(encoder, learner, schema)


def known_blocks(data: Dataset, model: Model, unseen: str) -> Iterator[Block]:
    """The blocks of the data; with ``unseen="error"``, what training did not have is refused."""
    with progress("Reading", data.size, "bytes") as advance:
        for block in data.blocks(advance):
            if unseen == "error" and isinstance(block, TableBlock):
                _refuse_unseen(data, block, model)
            yield block


def _refuse_unseen(data: Dataset, block: TableBlock, model: Model) -> None:
    known, lacked = model.schema, model.encoder.n_missing_
    levels = np.array([len(known.levels[name]) for name in known.categories], dtype=np.int64)
    new = block.codes >= levels
    if new.any():
        row, column = np.argwhere(new)[0]
        name = data.schema.categories[column]
        raise DataError(
            f"{data.locate(int(block.rows[row]), name)}: {data.schema.levels[name][block.codes[row, column]]!r} was not among the "
            f"values of {name!r} in training; correct it, or pass --unseen zeros to count it as none of them."
        )
    for absent, names in ((np.isnan(block.numbers), known.numbers), (block.codes == MISSING, known.categories)):
        new = absent & np.array([not lacked[name] for name in names], dtype=bool)
        if new.any():
            row, column = np.argwhere(new)[0]
            raise DataError(
                f"{data.locate(int(block.rows[row]), names[column])}: the value of {names[column]!r} is "
                "missing, which none was in training; fill it in, or pass --unseen zeros to let it say nothing."
            )


class Wanted(NamedTuple):
    """What is written of every row beside its label."""

    keep: list[str]  # columns of the file
    scores: bool
    probabilities: bool


def predict(
    path: Path, files: list[str], reading: ReadingOptions, output: Path | None, wanted: Wanted, unseen: str
) -> None:
    """Write predictions, all of them or none."""
    if output is not None:
        keep_apart(output, [path, *files])
        check_writable(output)
    model = open_model(path)
    heading = _heading(model, wanted, path)
    begin_work()
    data = open_data(files, None, task=model.schema.task, reading=reading_of(reading), expect=model.schema)
    try:
        lines = _lines(data, model, wanted, heading, unseen)
        if output is not None:
            atomic_write(output, lines)
            return
        with tempfile.TemporaryFile() as whole:  # nothing is printed unless all rows are right
            whole.writelines(lines)
            whole.seek(0)
            with printing():
                shutil.copyfileobj(whole, sys.stdout.buffer)
    finally:
        data.close()


def _heading(model: Model, wanted: Wanted, path: Path) -> list[str]:
    """The names of what is written; what the model cannot give is refused."""
    labels = model.schema.labels
    if wanted.probabilities and not hasattr(model.learner, "predict_proba"):
        raise ValueError(
            f"{path}: {type(model.learner).__name__} has no probabilities. Pass --scores, or train with --learner logistic-neuron."
        )
    heading = [*wanted.keep, "prediction"]
    if wanted.scores and labels:
        heading += [f"score of {label}" for label in (labels[1:] if len(labels) == 2 else labels)]
    if wanted.probabilities:
        heading += [f"probability of {label}" for label in labels]
    if twice := [name for place, name in enumerate(heading) if name in heading[:place]]:
        raise ValueError(f"--keep {quote(twice[0])}: two columns would have that name; rename the one in the file.")
    return heading


def _lines(data: Dataset, model: Model, wanted: Wanted, heading: list[str], unseen: str) -> Iterator[bytes]:
    kept = data.texts(wanted.keep)
    yield _csv([heading])
    for block in known_blocks(data, model, unseen):
        with located(data):
            X = as_matrix(block, data.schema, model.encoder)
        columns: list[Any] = list(zip(*islice(kept, len(block.rows)), strict=True)) if wanted.keep else []
        columns.append(model.learner.predict(X).tolist())
        if wanted.scores and model.schema.labels:
            columns += model.learner.decision_function(X).reshape(len(block.rows), -1).T.tolist()
        if wanted.probabilities:
            columns += model.learner.predict_proba(X).T.tolist()
        yield _csv(zip(*columns, strict=True))


def _csv(lines: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()
