"""Rows of a table as features: which column of a block becomes which features, and the kernels that write them."""

from __future__ import annotations

import math
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import exact
from ...learn.rows import frozen
from ..store.blocks import MISSING, DataError, RowError, Schema, TableBlock, check_block

NOTHING, UNSEEN = -1, -2  # a category that becomes no feature; one that is an error
FINE, NOT_FINITE, NOT_SEEN = range(3)  # what kernels found


class Number(NamedTuple):
    """A column of numbers: the feature ``((fill if missing else x) - center) / scale``."""

    name: str
    fill: float
    center: float
    scale: float

    @property
    def features(self) -> list[str]:
        """The names of its features."""
        return [self.name]


class Category(NamedTuple):
    """A column of texts: a feature for each level, 1 or 0, and one more for missing values if training had some."""

    name: str
    levels: tuple[str, ...]  # sorted
    missing: bool

    @property
    def features(self) -> list[str]:
        """The names of its features."""
        names = [f"{self.name}={level}" for level in self.levels]
        return [*names, f"{self.name}=(missing)"] if self.missing else names


class Text(NamedTuple):
    """A column of texts: a feature for each word and pair of words, ``count * idf`` (tf-idf, as scikit-learn has it), where the words of a
    row have length 1 and its pairs ``LENGTH_OF_PAIRS``."""

    name: str
    words: tuple[str, ...]  # sorted; pairs have a blank in them, and what begins with # stands for words that share it
    idf: tuple[float, ...]  # of each: ln((1 + rows) / (1 + rows that have it)) + 1

    @property
    def features(self) -> list[str]:
        """The names of its features."""
        return [f"{self.name}: {word}" for word in self.words]

    @property
    def are_pairs(self) -> np.ndarray:
        """Which of them are pairs, or share a feature, as pairs mostly do."""
        return np.array([" " in word or word.startswith("#") for word in self.words])


FeatureColumn = Number | Category | Text
# Of four sets of texts (``benchmarks.tables --texts``), words and pairs in one length of 1 lost 0 to 3.0 points of accuracy against words
# alone; with 0.5, pairs gained 0.2 on average and lost 0.1 at most.
LENGTH_OF_PAIRS = 0.5


def kind_of(column: FeatureColumn) -> str:
    """What a column holds, in a word."""
    return "number" if isinstance(column, Number) else "category" if isinstance(column, Category) else "text"


class Tables(NamedTuple):
    """What codes become, of all columns in a row: the feature of missing values, then of each code."""

    flat: np.ndarray
    start: np.ndarray  # where the table of a column begins


class FeatureWriter:
    """How blocks of one schema become features.  Several threads may encode while the schema learns of levels."""

    def __init__(
        self, columns: tuple[FeatureColumn, ...], schema: Schema, unseen: str, complete: frozenset[str]
    ) -> None:
        self.schema, self.unseen = schema, unseen
        self._words = WordWriter([column for column in columns if isinstance(column, Text)], schema)
        columns = tuple(column for column in columns if not isinstance(column, Text))  # which come last
        self._columns = columns
        self._categories = [column for column in columns if isinstance(column, Category)]
        sizes = [len(column.features) for column in columns]
        self._width = sum(sizes)
        self._first = np.cumsum([0, *sizes[:-1]])  # feature of every column
        self._is_number = np.array([isinstance(column, Number) for column in columns], dtype=bool)
        self._place = np.array(_places(schema, columns), dtype=np.int64)  # in the block's numbers or codes
        self._moved = not np.array_equal(self._place, np.arange(len(schema.numbers)))
        shifts = [column[1:] if isinstance(column, Number) else (0.0, 0.0, 1.0) for column in columns]
        self._fill, self._center, self._scale = np.array(shifts, dtype=float).reshape(-1, 3).T.copy()
        self._strange = UNSEEN if unseen == "error" else NOTHING
        if unseen == "error":  # what training did not have is no number
            self._fill[[column.name in complete for column in columns]] = np.nan
        self._known = [
            {level: place for place, level in enumerate(column.levels)} for column in self._categories
        ]  # what levels of this schema's become
        self._lists = [[len(column.levels) if column.missing else self._strange] for column in self._categories]
        self._tables = Tables(np.empty(0, np.int64), np.zeros(len(columns), np.int64))
        self._growing = Lock()

    def encode(self, block: TableBlock, overwrite: bool) -> Any:
        """Features of the rows of a block."""
        check_block(block, self.schema)
        if self._words.columns:
            from scipy import sparse

            words = self._words.encode(block)
            if not self._columns:
                return words
            return sparse.hstack([sparse.csr_matrix(self._others(block, overwrite)), words], format="csr")
        return self._others(block, overwrite)

    def _others(self, block: TableBlock, overwrite: bool) -> Any:
        """Features of numbers and categories."""
        if not self._categories:
            return self._dense(block, overwrite)
        from scipy import sparse

        tables = self._learn_levels()
        count = len(block.numbers)
        room = count * len(self._columns)
        index = np.int32 if room < 2**31 else np.int64
        values, indices, starts = np.empty(room), np.empty(room, index), np.zeros(count + 1, index)
        numbers = frozen(np.ascontiguousarray(block.numbers, dtype=np.float64))
        codes = frozen(np.ascontiguousarray(block.codes, dtype=np.int32))
        shifts = self._place, self._fill, self._center, self._scale
        found = write_sparse(
            numbers, codes, self._is_number, self._first, *shifts, tables.start, tables.flat, values, indices, starts
        )
        self._refuse(found, block)
        used = starts[-1]
        matrix = sparse.csr_matrix((values[:used], indices[:used], starts), shape=(count, self._width))
        matrix.has_sorted_indices = matrix.has_canonical_format = True
        return matrix

    def _dense(self, block: TableBlock, overwrite: bool) -> np.ndarray:
        """Features of numbers only."""
        dense = block.numbers[:, self._place] if self._moved else block.numbers
        if not (overwrite and dense.flags.writeable and dense.flags.c_contiguous):
            dense = np.array(dense, dtype=np.float64, order="C")
        self._refuse(write_dense(dense, self._fill, self._center, self._scale), block)
        return dense

    def _learn_levels(self) -> Tables:
        """The tables, with the levels that the schema has learned of since; those that other threads read stay as they are."""
        with self._growing:
            grown = False
            for column, known, table in zip(self._categories, self._known, self._lists, strict=True):
                for level in self.schema.levels[column.name][len(table) - 1 :]:
                    table.append(known.get(level, self._strange))
                    grown = True
            if grown or not self._tables.flat.size:
                start = np.zeros(len(self._columns), np.int64)
                start[~self._is_number] = np.cumsum([0, *(len(table) for table in self._lists[:-1])])
                self._tables = Tables(np.array([feature for table in self._lists for feature in table]), start)
            return self._tables

    def _refuse(self, found: tuple[int, int, int], block: TableBlock) -> None:
        problem, row, column = found
        if problem == FINE:
            return
        name = self._columns[column].name
        what = (
            "the value is out of the range that training's values allow; correct it, or change the unit of this column"
        )
        code = MISSING if problem == NOT_FINITE else block.codes[row, self._place[column]]
        if problem == NOT_SEEN and code != MISSING:
            level = self.schema.levels[name][code]
            what = f'{level!r} was not there in training; correct it, or ignore such values with unseen="zeros"'
        elif problem == NOT_SEEN or np.isnan(block.numbers[row, self._place[column]]):
            what = 'missing, and in training no value was; fill it in, or ignore missing values with unseen="zeros"'
        raise RowError(int(block.rows[row]), name, what)


class WordWriter:
    """How the words of blocks of one schema become features."""

    def __init__(self, columns: list[Text], schema: Schema) -> None:
        self.columns, self._schema = columns, schema
        if names := [column.name for column in columns if column.name not in schema.texts]:
            raise DataError(f"column {names[0]!r}, a text which the model was trained with, is not there")
        self._order = [schema.texts.index(column.name) for column in columns]
        self._known = [{word: place for place, word in enumerate(column.words)} for column in columns]
        self._tables = [np.empty(0, np.int64) for _ in columns]
        self._idf = [np.array(column.idf) for column in columns]
        self._are_pairs = [column.are_pairs for column in columns]
        self._growing = Lock()

    def encode(self, block: TableBlock) -> Any:
        """Features of the rows of a block."""
        from scipy import sparse

        count, wide = len(block.numbers), len(self._schema.texts)
        row = np.repeat(np.arange(count), np.diff(block.starts))
        parts = []
        for place, table in enumerate(self._learn_words()):
            own = np.flatnonzero(block.words % wide == self._order[place])
            feature = table[block.words[own] // wide]
            seen = feature >= 0
            own, feature = own[seen], feature[seen]
            at, idf = row[own], self._idf[place]
            starts = np.append(0, np.cumsum(np.bincount(at, minlength=count)))
            part = sparse.csr_matrix((block.counts[own] * idf[feature], feature, starts), shape=(count, idf.size))
            part.sort_indices()  # whatever numbers words have, a length is added up in one order
            pair = self._are_pairs[place][part.indices]
            length = np.sqrt(np.bincount(2 * at + pair, part.data * part.data, 2 * count))
            part.data *= np.where(pair, LENGTH_OF_PAIRS, 1.0) / length[2 * at + pair]
            parts.append(part)
        return sparse.hstack(parts, format="csr") if len(parts) > 1 else parts[0]

    def _learn_words(self) -> list[np.ndarray]:
        """The features of words by their numbers, with those that the schema has learned of since."""
        with self._growing:
            for place, (column, known) in enumerate(zip(self.columns, self._known, strict=True)):
                new = self._schema.levels[column.name][len(self._tables[place]) :]
                if new:
                    found = np.array([known.get(word, NOTHING) for word in new], dtype=np.int64)
                    self._tables[place] = np.concatenate([self._tables[place], found])
            return list(self._tables)


def _places(schema: Schema, columns: tuple[FeatureColumn, ...]) -> list[int]:
    """The places of columns in a block of this schema."""
    numbers = {name: place for place, name in enumerate(schema.numbers)}
    categories = {name: place for place, name in enumerate(schema.categories)}
    places = []
    for column in columns:
        kind, names, others = "number", numbers, categories
        if isinstance(column, Category):
            kind, names, others = "category", categories, numbers
        if column.name in others:
            other = "category" if kind == "number" else "number"
            raise DataError(
                f"column {column.name!r} was of the kind {kind} in training and is of the kind {other} here; convert it"
            )
        if column.name not in names:
            raise DataError(f"column {column.name!r}, which the model was trained with, is not there")
        places.append(names[column.name])
    return places


@exact(lambda numbers, *rest: 1.0 * numbers.size, enough=200_000.0)
def write_dense(numbers: np.ndarray, fill: np.ndarray, center: np.ndarray, scale: np.ndarray) -> tuple[int, int, int]:
    """Put in what is missing and standardise, in place.  Returns what is wrong, in which row and column."""
    for i in range(numbers.shape[0]):
        strange = 0  # numbers that are not finite
        for c in range(fill.size):
            x, instead = numbers[i, c], fill[c]
            x = instead if math.isnan(x) else x
            x = (x - center[c]) / scale[c]
            numbers[i, c] = x
            strange += x * 0.0 != 0
        if strange:
            for c in range(fill.size):
                if not math.isfinite(numbers[i, c]):
                    return NOT_FINITE, i, c
    return FINE, 0, 0


@exact(lambda numbers, codes, *rest: 1.0 * (numbers.size + codes.size), enough=200_000.0)
def write_sparse(
    numbers: np.ndarray,
    codes: np.ndarray,
    is_number: np.ndarray,
    first: np.ndarray,
    place: np.ndarray,
    fill: np.ndarray,
    center: np.ndarray,
    scale: np.ndarray,
    table: np.ndarray,
    tables: np.ndarray,
    values: np.ndarray,
    indices: np.ndarray,
    starts: np.ndarray,
) -> tuple[int, int, int]:
    """The same with categories, as compressed sparse rows.

    From place ``table[c]`` on, ``tables`` holds the feature of missing values of a category column, then of each code.
    """
    used = 0
    for i in range(numbers.shape[0]):
        for c in range(place.size):
            if is_number[c]:
                feature = 0
                x = numbers[i, place[c]]
                if math.isnan(x):
                    x = fill[c]
                x = (x - center[c]) / scale[c]
                if not math.isfinite(x):
                    return NOT_FINITE, i, c
            else:
                feature = tables[table[c] + codes[i, place[c]] + 1]
                x = 1.0
                if feature == UNSEEN:
                    return NOT_SEEN, i, c
            if feature >= 0:
                values[used] = x
                indices[used] = first[c] + feature
                used += 1
        starts[i + 1] = used
    return FINE, 0, 0
