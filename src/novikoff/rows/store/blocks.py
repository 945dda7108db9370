"""What readers hand on: what a file's columns are, and its rows, a block at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .cells import Cells

MISSING = -1  # the code of a category that is not given
LONGEST_TEXT = (
    1_000  # characters of a label, a level or a column's name: what is longer is a document, and tells no rows apart
)
LONGEST_LABELS = 10_000_000  # characters of all labels, each as long as the longest: so a model holds them, in memory


class DataError(ValueError):
    """Something is wrong with a file; the message says where (``file:line:column``), what, and what to do."""


class RowError(DataError):
    """Something is wrong with one value; who knows the file can say where that stands in it."""

    def __init__(self, row: int, column: str, what: str) -> None:
        super().__init__(row, column, what)
        self.row, self.column, self.what = row, column, what

    def __str__(self) -> str:
        return f"row {self.row} (counted from 0), column {self.column!r}: {self.what}"


class Column(NamedTuple):
    """One column that is learned from."""

    name: str
    kind: str  # "number" or "category"


@dataclass
class Schema:
    """What the columns of a table are.  ``levels`` and ``labels`` grow while files are read."""

    columns: tuple[Column, ...] = ()  # in the file's order, without the target; of sparse rows none
    target: str | None = None  # the name of the column to be predicted
    task: str = "classes"  # or "numbers": what the target is
    levels: dict[str, list[str]] = field(default_factory=dict)  # of each category column: texts, by code
    labels: list[str] = field(default_factory=list)  # of the target: texts, by code
    n_features: int = 0  # of sparse rows: the width, which grows while files are read unless it was given
    cells: Cells = field(default_factory=Cells)  # how cells are read

    @property
    def numbers(self) -> list[str]:
        """The names of the columns of numbers."""
        return [column.name for column in self.columns if column.kind == "number"]

    @property
    def categories(self) -> list[str]:
        """The names of the columns of categories."""
        return [column.name for column in self.columns if column.kind == "category"]


class TableBlock(NamedTuple):
    """Rows of a table."""

    numbers: np.ndarray  # (rows, number columns) float64; NaN: missing
    codes: np.ndarray  # (rows, category columns) int32: places in ``Schema.levels``, or ``MISSING``
    target: np.ndarray  # (rows,) int32 places in ``Schema.labels``, or float64 numbers; (0,): no target is read
    rows: np.ndarray  # (rows,) int64: the rows' numbers, counted from 0 over all files


class SparseBlock(NamedTuple):
    """Sparse rows."""

    values: np.ndarray  # float64
    indices: np.ndarray  # int32, counted from 0, increasing within a row
    starts: np.ndarray  # (rows + 1,) int64
    target: np.ndarray  # as in a table
    rows: np.ndarray


Block = TableBlock | SparseBlock


def check_block(block: TableBlock, schema: Schema) -> None:
    """Refuse a block that its schema does not describe: kernels go to the places that codes name."""
    rows, codes = len(block.rows), block.codes
    fits = block.numbers.shape == (rows, len(schema.numbers)) and codes.shape == (rows, len(schema.categories))
    if fits and codes.size:
        levels = np.array([len(schema.levels[name]) for name in schema.categories])
        fits = bool(codes.min() >= MISSING and (codes.max(axis=0) < levels).all())
    if not fits:
        raise ValueError("A block has columns or codes that its schema does not have; read the rows anew.")
