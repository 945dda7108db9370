"""Answers for rows in partitions, worked out where they lie: one file a partition, or all of them here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from ..distributed import table_rows
from ..inputs.addresses import is_address, open_to_write
from ..inputs.atomic import atomic_write, check_writable
from ..rows.clusters import engines_on
from ..rows.readers.reading import Dataset, open_data
from .on_cluster import open_apart
from .predicting import Model, Wanted, as_csv, heading_of, known_blocks, predicted
from .requests import Source
from .watching import NOBODY, Watcher

NAME = "part-{:05d}.csv"  # of the file of a partition


class ToPredict(NamedTuple):
    """What partitions are told."""

    read: table_rows.ToRead
    model: Model
    wanted: Wanted
    unseen: str
    folder: str | None  # None: answers are sent


class Answers(NamedTuple):
    """Of some partitions, one after the other."""

    rows: int
    columns: list[list[Any]]  # those of ``heading_of``; empty where they were written
    parts: list[str]  # files that were written


def predict_apart(
    model: Model, source: Source, wanted: Wanted, unseen: str, folder: str | None, watcher: Watcher = NOBODY
) -> tuple[Dataset, Answers]:
    """What was read, and the answers; with a ``folder``, every partition writes its own there."""
    heading = heading_of(model, wanted)

    def open_here(files: list[Any]) -> Dataset:
        return open_data(files, None, task=model.schema.task, reading=source.reading, expect=model.schema)

    if folder is not None:
        make_folder(folder)
    with engines_on(source.cluster) as make:
        apart = open_apart(source, make, open_here, None)
        told = ToPredict(apart.told, model._replace(whole=None), wanted, unseen, folder)
        with watcher.progress("Predicting", apart.data.size, "bytes") as advance:
            found: Answers = apart.engine.fold(predict_part, both_answers, told)
            advance(apart.data.size or 0)
    empty: list[list[Any]] = [[] for _ in heading]
    return apart.data, found if found.columns or folder is not None else found._replace(columns=empty)


def make_folder(folder: str) -> None:
    """See to it that there is such a folder, with nothing in it."""
    if is_address(folder):
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    if os.listdir(folder):
        raise FileExistsError(f"{folder} has files in it; name a new folder: one file is written for each partition")
    check_writable(Path(folder) / NAME.format(0))


def predict_part(number: int, part: Any, told: ToPredict) -> Answers:
    """The answers for a partition."""
    data = table_rows.opened(number, part, told.read)
    model, wanted = told.model, told.wanted
    parts = list(predicted(data, model, wanted, known_blocks(data, model, told.unseen, NOBODY)))
    rows = sum(len(columns[0]) for columns in parts)
    if told.folder is None:
        return Answers(rows, joined(parts), [])
    lines = [as_csv([heading_of(model, wanted)]), *(as_csv(zip(*columns, strict=True)) for columns in parts)]
    name = NAME.format(number)
    if is_address(told.folder):
        with open_to_write(f"{told.folder.rstrip('/')}/{name}") as file:
            file.writelines(lines)
    else:
        if not os.path.isdir(told.folder):
            raise FileNotFoundError(f"{told.folder} is not there for all workers; name a folder that they share")
        atomic_write(Path(told.folder) / name, lines)
    return Answers(rows, [], [name])


def joined(parts: list[list[Any]]) -> list[list[Any]]:
    """Columns of several parts, one below the other."""
    return [[value for part in of_parts for value in part] for of_parts in zip(*parts, strict=True)]


def both_answers(one: Answers, other: Answers) -> Answers:
    """The answers of both."""
    columns = joined([each.columns for each in (one, other) if each.columns])
    return Answers(one.rows + other.rows, columns, one.parts + other.parts)
