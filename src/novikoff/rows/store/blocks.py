"""What readers hand on: how cells are written, what a file's columns are, and its rows, a block at a time."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

MISSING = -1  # the code of a category that is not given
# characters of a label, a level or a column's name: what is longer is a document, and tells no rows apart
LONGEST_TEXT = 1_000
LONGEST_LABELS = 10_000_000  # characters of all labels, each as long as the longest: so a model holds them, in memory
MISSING_TEXTS = (
    *(
        "",
        "NA",
        "N/A",
        "NaN",
        "nan",
        "null",
        "NULL",
        "None",
        "?",
        "n/a",
        "<NA>",
        "#N/A",
        "#N/A N/A",
        "#NA",
        "-NaN",
        "-nan",
    ),
    *("1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN", "#VALUE!", "#DIV/0!", "#REF!", "#NUM!", "#NAME?", "#NULL!", "\\N"),
)  # as pandas, R, Excel and SQL write it
NUMBER_GAPS = (".", "-", "*", "--", "..")  # texts that mean "missing" where they stand among numbers
DECIMALS = (".", ",")
THOUSANDS = ("", ",", ".", " ", "'")  # a blank stands for every kind of blank, an apostrophe for both of its forms
BLANKS = "[ \u00a0\u2009\u202f]"  # also those at which no line may end
KINDS = {" ": BLANKS, "'": "['\u2019]"}  # characters that part thousands as these do
NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan(\([a-z0-9_]*\))?)", re.ASCII | re.IGNORECASE)
NAN = r"[nN][aA][nN](?:\([A-Za-z0-9_]*\))?"  # is a plain number that is missing
PARTS = ("year", "month", "day", "weekday", "hour")  # of a date
ORDERS = ("ymd", "dmy", "mdy")  # of a date's year, month and day


class DataError(ValueError):
    """Something is wrong with a file; the message says where (``file:line:column``), what, and what to do."""


class RowError(DataError):
    """Something is wrong with one value; who knows the file can say where that stands in it."""

    def __init__(self, row: int, column: str, what: str) -> None:
        super().__init__(row, column, what)
        self.row, self.column, self.what = row, column, what

    def __str__(self) -> str:
        return f"row {self.row} (counted from 0), column {self.column!r}: {self.what}"


# Cells: what means "missing", how numbers and dates are spelled.  It is kept with a model.


class Numeral(NamedTuple):
    """How a column writes numbers: 1234.5, 1.234,5 or $1,234.50."""

    decimal: str = "."
    thousands: str = ""
    unit: str = ""  # a percent or currency sign, which every cell has and which is left out

    @property
    def example(self) -> str:
        """A number written so."""
        number = f"1{self.thousands}234{self.decimal}5"
        return f"{number}%" if self.unit == "%" else f"{self.unit}{number}"

    @property
    def pattern(self) -> str:
        """A regular expression of numbers written so, and nothing else."""
        point, parting = re.escape(self.decimal), KINDS.get(self.thousands, re.escape(self.thousands))
        whole = rf"(?:[1-9]\d{{0,2}}(?:{parting}\d{{3}})+|\d+)" if self.thousands else r"\d+"
        number = rf"(?:{whole}(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?"
        if self == PLAIN:
            return rf"^[+-]?(?:{number}|{NAN})$"
        if not self.unit:
            return rf"^[+-]?{number}$"
        unit = re.escape(self.unit)
        front = rf"[+-]?{unit}{BLANKS}?{number}|{unit}{BLANKS}?[+-]?{number}"
        return rf"^(?:{front}|[+-]?{number}{BLANKS}?{unit})$"

    @property
    def apart(self) -> str:
        """A regular expression of what is left out of them."""
        return "|".join([BLANKS, *(KINDS.get(sign, re.escape(sign)) for sign in (self.thousands, self.unit) if sign)])


PLAIN = Numeral()


@dataclass(frozen=True)
class Cells:
    """How the cells of a table are read, by column where columns differ."""

    missing: tuple[str, ...] = ("",)  # texts that mean "missing"
    numerals: Mapping[str, Numeral] = field(default_factory=dict)  # of columns whose numbers are not written plainly
    dates: Mapping[str, str] = field(default_factory=dict)  # of columns of dates: the order of year, month and day

    @property
    def missing_numbers(self) -> tuple[float, ...]:
        """Texts that mean "missing" may be numbers, however a file writes them: -999 is -999.0."""
        values = {float(text) for text in self.missing if is_number(text) and "(" not in text}
        return tuple(sorted(value for value in values if math.isfinite(value)))

    @property
    def parts(self) -> dict[str, tuple[str, str]]:
        """The columns that dates become: of which column they are which part."""
        return {part_name(name, part): (name, part) for name in self.dates for part in PARTS}

    @property
    def sane(self) -> bool:
        """Whether it is what readers can have made."""
        return (
            "" in self.missing
            and set(self.dates.values()) <= set(ORDERS)
            and all(
                decimal in DECIMALS and thousands in THOUSANDS and decimal != thousands and len(unit) <= 1
                for decimal, thousands, unit in self.numerals.values()
            )
        )


def part_name(column: str, part: str) -> str:
    """The name of a column that holds a part of dates."""
    return f"{column} ({part})"


def is_number(text: str) -> bool:
    """Whether a text is a plain number, as Arrow reads it."""
    return NUMBER.fullmatch(text) is not None


# Columns and rows


class Column(NamedTuple):
    """One column that is learned from."""

    name: str
    kind: str  # "number", "category" or "text"


@dataclass
class Schema:
    """What the columns of a table are.  ``levels`` and ``labels`` grow while files are read."""

    columns: tuple[Column, ...] = ()  # in the file's order, without the target; of sparse rows none
    target: str | None = None  # the name of the column to be predicted
    task: str = "classes"  # or "numbers": what the target is
    levels: dict[str, list[str]] = field(
        default_factory=dict
    )  # of each category: texts, by code; of each text: its words
    labels: list[str] = field(default_factory=list)  # of the target: texts, by code
    n_features: int = 0  # of sparse rows: the width, which grows while files are read unless it was given
    cells: Cells = field(default_factory=Cells)  # how cells are read
    growing: bool = True  # whether words that are new get a number; those that a model does not know have none

    @property
    def numbers(self) -> list[str]:
        """The names of the columns of numbers."""
        return [column.name for column in self.columns if column.kind == "number"]

    @property
    def categories(self) -> list[str]:
        """The names of the columns of categories."""
        return [column.name for column in self.columns if column.kind == "category"]

    @property
    def texts(self) -> list[str]:
        """The names of the columns of texts, whose words are counted."""
        return [column.name for column in self.columns if column.kind == "text"]


NO_COUNTS, NO_WORDS, NO_STARTS = np.empty(0), np.empty(0, np.int32), np.empty(0, np.int64)


class TableBlock(NamedTuple):
    """Rows of a table."""

    numbers: np.ndarray  # (rows, number columns) float64; NaN: missing
    codes: np.ndarray  # (rows, category columns) int32: places in ``Schema.levels``, or ``MISSING``
    target: np.ndarray  # (rows,) int32 places in ``Schema.labels``, or float64 numbers; (0,): no target is read
    rows: np.ndarray  # (rows,) int64: the rows' numbers, counted from 0 over all files
    counts: np.ndarray = (
        NO_COUNTS  # float64: of the words in columns of texts, how often each is there; compressed rows
    )
    words: np.ndarray = (
        NO_WORDS  # int32: column c of C columns of texts has ``C * place + c``, places in ``Schema.levels``
    )
    starts: np.ndarray = NO_STARTS  # (rows + 1,) int64; (0,): there are no columns of texts


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
    if fits and schema.texts:
        wide = len(schema.texts)
        most = max(len(schema.levels[name]) * wide for name in schema.texts)
        fits = block.starts.shape == (rows + 1,) and block.counts.size == block.words.size == block.starts[-1]
        fits = fits and bool(block.starts[0] == 0 and (np.diff(block.starts) >= 0).all())
        fits = fits and (not block.words.size or bool(block.words.min() >= 0 and block.words.max() < most))
    if not fits:
        raise ValueError("A block has columns or codes that its schema does not have; read the rows again.")
