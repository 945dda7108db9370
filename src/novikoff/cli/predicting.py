"""``novikoff predict``: a label for every row."""

from __future__ import annotations

import csv
import io
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..data.blocks import Block, Column, DataError, Schema, TableBlock
from ..data.encoder import TableEncoder
from ..data.encoding import Number
from ..data.gather import as_matrix
from ..data.reading import Dataset, open_data
from ..models.atomic import atomic_write, check_writable, keep_apart
from ..models.files import load, read_header
from .loading import located, reading_of
from .options import ReadingOptions
from .progress import progress
from .weights import parts


class Model(NamedTuple):
    """A model from a file, and what it knows of files to come."""

    encoder: Any  # None: sparse rows, taken as they are
    learner: Any
    schema: Schema


def open_model(path: Path) -> Model:
    """Load a model."""
    encoder, learner = parts(load(path))
    notes = read_header(path).get("notes") or {}
    labels = [str(label) for label in getattr(learner, "classes_", [])]
    schema = Schema(target=notes.get("target"), task="classes" if labels else "numbers", labels=labels)
    if not isinstance(encoder, TableEncoder):
        schema.n_features = (learner if encoder is None else encoder).n_features_in_
    else:
        encoder.set_params(unseen="zeros")  # refused elsewhere, with the place in the file
        schema.columns = tuple(
            Column(column.name, "number" if isinstance(column, Number) else "category") for column in encoder.columns_
        )
        schema.levels = {
            column.name: list(column.levels) for column in encoder.columns_ if not isinstance(column, Number)
        }
    return Model(encoder, learner, schema)


def known_blocks(data: Dataset, model: Model, unseen: str) -> Iterator[Block]:
    """The blocks of the data; with ``unseen="error"``, categories that training did not have are refused."""
    levels = np.array([len(model.schema.levels[name]) for name in model.schema.categories], dtype=np.int64)
    with progress("Reading", data.size, "bytes") as advance:
        for block in data.blocks(advance):
            if unseen == "error" and isinstance(block, TableBlock):
                _refuse_unseen(data, block, levels)
            yield block


def _refuse_unseen(data: Dataset, block: TableBlock, levels: np.ndarray) -> None:
    new = block.codes >= levels
    if new.any():
        row, column = np.argwhere(new)[0]
        name = data.schema.categories[column]
        raise DataError(
            f"{data.locate(int(block.rows[row]), name)}: {data.schema.levels[name][block.codes[row, column]]!r} was not among the "
            f"values of {name!r} in training; correct it, or pass --unseen zeros to count it as none of them."
        )


def predict(
    path: Path, files: list[str], reading: ReadingOptions, output: Path | None, scores: bool, unseen: str
) -> None:
    """Write predictions, all of them or none."""
    if output is not None:
        keep_apart(output, [path, *files])
        check_writable(output)
    model = open_model(path)
    data = open_data(files, None, task=model.schema.task, reading=reading_of(reading), expect=model.schema)
    try:
        lines = _lines(data, model, scores, unseen)
        if output is not None:
            atomic_write(output, lines)
            return
        with tempfile.TemporaryFile() as whole:  # nothing is printed unless all rows are right
            whole.writelines(lines)
            whole.seek(0)
            shutil.copyfileobj(whole, sys.stdout.buffer)
            sys.stdout.buffer.flush()
    finally:
        data.close()


def _lines(data: Dataset, model: Model, scores: bool, unseen: str) -> Iterator[bytes]:
    labels = model.schema.labels
    heading = ["prediction"]
    if scores and labels:
        heading += [f"score of {label}" for label in (labels[1:] if len(labels) == 2 else labels)]
    yield _csv([heading])
    for block in known_blocks(data, model, unseen):
        with located(data):
            X = as_matrix(block, data.schema, model.encoder)
        columns = [model.learner.predict(X).tolist()]
        if len(heading) > 1:
            columns += model.learner.decision_function(X).reshape(len(block.rows), -1).T.tolist()
        yield _csv(zip(*columns, strict=True))


def _csv(lines: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()
