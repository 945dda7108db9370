"""Rows of files, or of a Dask frame, that stay in partitions: what a command asks of rows, asked where they lie."""

from __future__ import annotations

import copy
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from operator import add, or_
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..distributed import table_rows
from ..distributed.cluster_fit import fit
from ..distributed.rounds import mix_one, step_one
from ..distributed.table_plan import plan_partitions
from ..estimators.fit_sentences import solved_by
from ..rows import clusters
from ..rows.partitions import Partitions, Watched, stacked
from ..rows.readers.byte_sources import must_be_spooled
from ..rows.readers.dataset import Dataset
from ..rows.readers.reading import open_data
from ..rows.readers.rounded import RoundedField
from ..rows.store.blocks import Block
from ..rows.store.splits import Split, Way, way_to_cut, way_to_hold_out
from .loading import LEAST, Merge, Question, Rows, located, of_target, refuse_missing, refuse_senseless
from .memory import rows_budget
from .passes import Ending, texts_in_classes
from .requests import Source
from .watching import NOBODY, Watcher

FRAME = "dask DataFrame"
FIRST_ROWS = 1 << 16
PASSES = (mix_one, step_one)  # what a pass asks partitions


class TablesApart:
    """What is known of tables in partitions: what a ``Dataset`` knows of files."""

    def __init__(
        self,
        data: Dataset,
        parts: list[Any],
        told: table_rows.ToRead,
        census: table_rows.TableCensus,
        first: list[int],
    ) -> None:
        self.schema, self.files, self.left_out = data.schema, data.files, data.left_out
        self.dropped, self.unlabelled = census.dropped, census.unlabelled
        self._data, self._parts, self._told, self._census = data, parts, told, census
        self.first = first  # of each partition: the number of its first row

    @property
    def rounded(self) -> RoundedField | None:
        """The first number that float64 cannot hold."""
        if self._census.rounded is None:
            return None
        number, found = self._census.rounded
        return found._replace(row=found.row + self.first[number])

    @property
    def notes(self) -> list[str]:
        """What was assumed."""
        data = self._data
        data.unlabelled, data.rounded = self.unlabelled, self.rounded
        return list(dict.fromkeys([*self._census.notes, *data.notes]))

    def locate(self, row: int, column: str | None = None) -> str:
        """Where a row, or its field in a column, stands."""
        number = bisect_right(self.first, row) - 1
        within = row - self.first[number]
        if not self._told.frames:
            return table_rows.opened(number, self._parts[number], self._told).locate(within, column)
        at = f", column {column!r}" if column is not None else ""
        return f"{table_rows.frame_place(self._told.frames, number)} (rows count from 0): row {within}{at}"


class ApartRows(Rows):
    """All rows of some tables, in the partitions of an engine."""

    travels = True

    def __init__(
        self, data: TablesApart, engine: Partitions, counts: np.ndarray, budget: int, watcher: Watcher
    ) -> None:
        self.data, self.schema, self.watcher, self.budget = data, data.schema, watcher, budget
        self.room = max(budget, LEAST)
        self._engine, self._counts = engine, counts

    @property
    def n_rows(self) -> int:
        """See ``Rows``."""
        return int(self._counts.sum())

    def class_counts(self) -> list[int]:
        """See ``Rows``."""
        return self._by_label(self._counts)

    def fold(self, question: Question, merge: Merge, members: Any = None, outputs: int = 1) -> Any:
        """See ``Rows``."""
        return self._engine.fold(table_rows.ask, merge, table_rows.Asked(question, members, outputs))

    def gather(self, encoder: Any, members: Any) -> tuple[Any, np.ndarray]:
        """See ``Rows``."""
        found: tuple[Any, np.ndarray] = self.encoded(encoder, members).fold(give, stack_both, None)
        return found

    def hold_out(self, share: float, seed: int) -> Split:
        """See ``Rows``."""
        return self._split(way_to_hold_out(self.n_rows, share, seed), 1)

    def cut(self, parts: int, seed: int) -> list[Split]:
        """See ``Rows``."""
        way = way_to_cut(self.n_rows, parts, seed)
        return [self._split(way, which) for which in range(parts)]

    def _split(self, way: Way, which: int) -> Split:
        train, test = (table_rows.PartOf(way, which, inside, self.schema, self._counts) for inside in (False, True))
        return Split(train, test)  # type: ignore[arg-type]  # functions of row numbers once a partition is known

    def numbers_of(self, kept: np.ndarray) -> np.ndarray:
        """The numbers of rows by their places among those that are not left out."""
        found: dict[int, int] = self._engine.fold(table_rows.numbers_of, or_, kept)
        return np.array([found[place] for place in kept.tolist()], dtype=np.int64)

    def make_room(self, needed: int) -> None:
        """See ``Rows``: there are none in the memory of this process."""

    def encoded(self, encoder: Any, members: Any) -> Partitions:
        """Partitions of X and y of the rows that take part."""
        features = self.schema.n_features if encoder is None else len(encoder.get_feature_names_out())
        sparse = self.sparse or bool(self.schema.categories)
        told = table_rows.Encoding(encoder, self.schema, members, features, sparse)
        return self._engine.map(table_rows.encode, told)

    def learn(self, learner: Any, encoder: Any, members: Any, title: str, checkpoint: Path | None) -> Ending:
        """Learn from the rows that take part, where they lie."""
        rows: int = self.fold(count_all, add, members)
        passes = getattr(learner, "max_iter", None)
        with self.watcher.progress(title, passes and passes * rows, "rows") as advance:

            def tell(question: Any) -> None:
                if question in PASSES or not passes:
                    advance(rows)

            fit(learner, Watched(self.encoded(encoder, members), tell), checkpoint=checkpoint)
        texts_in_classes(learner)
        history = {} if solved_by(learner) else getattr(learner, "history_", {})
        mistakes = [int(count) for count in history.get("mistakes", [])]
        return Ending(learner.stop_reason_, learner.n_iter_, mistakes, rows, 0.0, None)


def count_all(blocks: Iterable[Block]) -> int:
    """How many rows there are."""
    return sum(len(block.rows) for block in blocks)


def give(number: int, block: tuple[Any, np.ndarray], state: None) -> tuple[Any, np.ndarray]:
    """X and y of a partition as they are."""
    return block


def stack_both(one: tuple[Any, np.ndarray], other: tuple[Any, np.ndarray]) -> tuple[Any, np.ndarray]:
    """X and y of both."""
    return stacked([one[0], other[0]]), np.concatenate([one[1], other[1]])


Open = Callable[[list[Any]], Dataset]


@contextmanager
def loaded_apart(source: Source, task: str, watcher: Watcher = NOBODY) -> Iterator[Rows]:
    """Read all rows once, where they are to stay."""

    def open_here(files: list[Any]) -> Dataset:
        return open_data(files, source.target, needed=True, task=task, reading=source.reading)

    with clusters.engines_on(source.cluster) as make:
        rows = read_apart(source, make, open_here, refuse_missing if source.complete else None, watcher)
        refuse_senseless(rows.data, rows.n_rows)
        for note in of_target(rows.schema, rows.n_rows):
            watcher.tell(f"novikoff: {note}.")
        with located(rows.data):
            yield rows


class Apart(NamedTuple):
    """Partitions of tables that are yet to be read."""

    data: Dataset  # of the files, or of the first rows of a frame
    parts: list[Any]
    told: table_rows.ToRead
    make: clusters.Engine

    @property
    def engine(self) -> Partitions:
        """What has them."""
        return self.make(self.parts)


def open_apart(source: Source, make: clusters.Engine, open_here: Open, refuse: Any) -> Apart:
    """See what the columns are, and plan partitions; ``open_here`` opens files, or the first rows of a frame."""
    frames = [each for each in source.files if is_apart(each)]
    if frames and len(frames) < len(source.files):
        raise ValueError("Dask frames and files, or other frames, cannot be read together: read them apart.")
    for each in source.files:
        if not frames and (not isinstance(each, str) or must_be_spooled(each)):
            raise ValueError("A cluster reads files and Dask frames: no standard input, no pipe, no frame in memory.")
    parts: list[Any] = [part for frame in frames for part in row_parts(frame)]
    data = open_here([first_rows(parts, make)] if frames else source.files)
    if frames:
        data.files = [FRAME] * len(frames)
    else:
        parts = plan_partitions(data.readers, make)
    name, reading = FRAME if frames else "", replace(source.reading, room=None)
    return Apart(data, parts, table_rows.ToRead(copy.deepcopy(data.schema), data.plan, reading, name, refuse), make)


def read_apart(
    source: Source, make: clusters.Engine, open_here: Open, refuse: Any, watcher: Watcher = NOBODY
) -> ApartRows:
    """Read all partitions once; ``refuse`` is told to ``table_rows.ToRead``."""
    apart = open_apart(source, make, open_here, refuse)
    data = apart.data
    with watcher.progress("Reading", data.size, "bytes") as advance:
        engine = apart.engine.map(table_rows.read_rows, apart.told)
        numbers = data.schema.task == "numbers"
        census: table_rows.TableCensus = engine.fold(table_rows.count_rows, table_rows.both_counts, numbers)
        advance(data.size or 0)
    recoding = table_rows.recoding_of(data.schema, census)
    known = TablesApart(data, apart.parts, apart.told, census, recoding.first)
    return ApartRows(
        known, engine.map(table_rows.recode, recoding), recoding.counts, rows_budget(source.memory), watcher
    )


def stays_apart(source: Source) -> bool:
    """Whether rows are to stay in partitions."""
    return source.cluster is not None or any(map(is_apart, source.files))


def is_apart(source: Any) -> bool:
    """Whether a source of rows is a Dask frame."""
    return hasattr(source, "__dask_graph__")


def row_parts(frame: Any) -> list[Any]:
    """The partitions of a Dask frame, delayed."""
    if not hasattr(frame, "columns") or frame.ndim != 2:
        raise TypeError(f"A table is a Dask data frame with named columns, not {type(frame).__name__}.")
    return list(frame.to_delayed())


def first_rows(parts: list[Any], make: clusters.Engine) -> Any:
    """The first rows of the first partition that has some, as a source of rows."""
    from ..rows.readers.frame_rows import FrameSource  # pyarrow, which takes long to start

    frame = None
    for part in parts:
        frame = make([part]).fold(head_of, add, None)
        if len(frame):
            break
    source = FrameSource(frame)
    source.name = FRAME
    return source


def head_of(number: int, frame: Any, state: None) -> Any:
    """The first rows of a partition: as many as decide, of a file, what its columns are."""
    return frame.head(FIRST_ROWS)
