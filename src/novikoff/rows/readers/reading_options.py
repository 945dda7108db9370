"""How files are to be read, what counts as missing, how much room that may take, and faults before they become errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...report.words import keyword
from ..store.blocks import DECIMALS, LONGEST_TEXT, MISSING_TEXTS, THOUSANDS, Cells, DataError, Numeral

NO_DELIMITERS = '"\r\n\0' + "0123456789+-.eE"
WIDEST = 2**31 - 1  # features of sparse rows
DATES = ("leave-out", "categories", "parts", "day-first", "month-first")
# its name, kind and place in all tables of names (2,500, measured with 100,000), and its exact sums
BYTES_A_COLUMN = 4_100
BYTES_A_CELL = 100  # of a table: three copies, while a chunk is read, of the chunks that are read ahead
BYTES_A_TEXT = 400  # of a level or label beside its characters: in lists, dicts and an encoder (measured)


@dataclass(frozen=True)
class Reading:
    """How files are to be read.  Every choice has a default, and what is guessed is said in ``Dataset.notes``."""

    format: str | None = None  # one of ``formats.FORMATS``; None: by the file's name, then by its content
    delimiter: str | None = None  # None: the one of , ; tab | that cuts lines into equally many fields
    header: bool | None = None  # None: a first line without numbers above numbers is a header
    encoding: str = "utf-8"
    skip_rows: int = 0  # lines above the table
    na: tuple[str, ...] = ()  # texts that mean "missing" beside ``MISSING_TEXTS``
    decimal: str | None = None  # "." or ","; None: as most cells of a column have it
    thousands: str | None = None  # one of ``THOUSANDS``; None likewise
    dates: str = "leave-out"  # one of ``DATES``; "day-first" and "month-first" are parts, too, of 3/4/2020
    categorical: tuple[str, ...] = ()  # columns by name or, counted from 1, by number
    numeric: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    text: tuple[str, ...] = ()  # columns whose words are counted
    use: tuple[str, ...] = ()  # columns to learn from even if they look like ids
    zero_based: bool | None = None  # LIBSVM: whether indices count from 0; None: from 1, and a 0 is an error
    n_features: int | None = None  # LIBSVM: the width; None: the largest index seen
    drop_missing: bool = False  # whether rows with a missing value are left out
    room: int | None = None  # bytes of memory that names, levels and one batch of rows may take; None: any

    def __post_init__(self) -> None:
        if self.delimiter is not None and (len(self.delimiter.encode()) != 1 or self.delimiter in NO_DELIMITERS):
            raise ValueError(
                "A delimiter is one ASCII character, no quote, no end of line and no part of numbers; "
                f"got {self.delimiter!r}."
            )
        if self.decimal is not None and self.decimal not in DECIMALS:
            raise ValueError(f"Decimals follow a point or a comma; got {self.decimal!r}.")
        if self.thousands is not None and (self.thousands not in THOUSANDS or self.thousands == self.decimal):
            raise ValueError(
                "Thousands are separated by a comma, a point, a blank or an apostrophe, unlike decimals; "
                f"got {self.thousands!r}."
            )
        if self.skip_rows < 0:
            raise ValueError(f"skip_rows is the number of lines above the table; got {self.skip_rows}.")
        if self.dates not in DATES:
            raise ValueError(f"dates is one of {', '.join(DATES)}; got {self.dates!r}.")
        if self.n_features is not None and not 0 < self.n_features <= WIDEST:
            raise ValueError(f"n_features lies between 1 and {WIDEST:,}; got {self.n_features}.")

    @property
    def missing(self) -> frozenset[str]:
        """All texts that mean "missing"."""
        return frozenset(MISSING_TEXTS) | {text.strip() for text in self.na}


@dataclass(frozen=True)
class ReadingPlan:
    """What is read of a table: names of columns by what becomes of them."""

    numbers: tuple[str, ...]
    categories: tuple[str, ...]
    target: str | None
    task: str
    cells: Cells = field(default_factory=Cells)
    drop: bool = False
    words: tuple[str, ...] = ()  # columns of texts, whose words are counted
    known: frozenset[str] | None = field(default=None)  # names that may occur; None: any, and others are ignored
    forgiving: bool = False  # whether words in columns of numbers count as missing

    def __post_init__(self) -> None:
        """Kernels write a column to the place that its name has here: one place for each."""
        names = [*self.numbers, *self.categories, *self.words, *([self.target] if self.target is not None else [])]
        if len(set(names)) < len(names):
            raise ValueError("A column is read once: as a number, as a category, or as the target.")

    @property
    def missing(self) -> frozenset[str]:
        """Texts that mean "missing"."""
        return frozenset(self.cells.missing)

    @property
    def plain(self) -> list[str]:
        """The names of columns whose numbers are written plainly, or are no texts."""
        parts = self.cells.parts
        return [name for name in self.floats if name not in parts and name not in self.cells.numerals]

    @property
    def spelled(self) -> list[str]:
        """The names of columns of texts that become numbers: numbers written otherwise, and dates."""
        parts = self.cells.parts
        names = [parts[name][0] if name in parts else name for name in self.floats]
        return [name for name in dict.fromkeys(names) if name in self.cells.numerals or name in self.cells.dates]

    @property
    def columns(self) -> list[str]:
        """The names of all columns of a file that are read."""
        return [*self.plain, *self.spelled, *self.words, *self.texts]

    @property
    def texts(self) -> list[str]:
        """The names of columns read as texts."""
        return [*self.categories, *([self.target] if self.target is not None and self.task == "classes" else [])]

    @property
    def floats(self) -> list[str]:
        """The names of numbers, parts of dates among them."""
        return [*self.numbers, *([self.target] if self.target is not None and self.task == "numbers" else [])]


class Fault(Exception):
    """Something wrong in a piece of a file, before anyone has worked out its line.

    It is known by ``row`` (counted within the piece) and ``column``, or by ``offset`` (bytes within the piece).
    """

    def __init__(
        self,
        text: str,
        row: int | None = None,
        column: str | None = None,
        offset: int | None = None,
        fresh: str = "",
    ) -> None:
        super().__init__(text)
        self.text, self.row, self.column, self.offset = text, row, column, offset
        self.fresh = fresh  # ends the text where what columns hold is still to be decided


class BadCells(Fault):
    """Cells that are not what their columns hold: by column the rows (counted within the piece) and texts, and what is wrong."""

    def __init__(
        self,
        cells: dict[str, list[tuple[int, str]]],
        why: dict[str, str],
        numerals: dict[str, Numeral] | None = None,
        total: int = 0,
    ) -> None:
        row, column = min((cells[name][0][0], name) for name in cells)
        super().__init__(f"{shown(cells[column][0][1])!r} {why[column]}", row, column)
        self.cells, self.why, self.numerals = cells, why, numerals or {}
        self.total = total  # rows of the piece


def shown(text: str) -> str:
    """A text short enough for a message."""
    return text if len(text) <= 40 else text[:37] + "..."


# What takes more memory than there is room for


def refuse_columns(file: str, count: int, room: int | None) -> None:
    """Stop before more columns are set up than memory holds."""
    _refuse(file, f"{count:,} columns take", count * BYTES_A_COLUMN, room, "give fewer columns")


def refuse_cells(file: str, lines: int, keys: int, room: int | None) -> None:
    """Stop before a chunk of lines becomes a table that memory does not hold, since each line has few of the keys."""
    remedy = "write rows that lack most keys in the format LIBSVM, leave keys out (ignore=...)"
    _refuse(file, f"{lines:,} lines of {keys:,} keys take", lines * keys * BYTES_A_CELL, room, remedy)


def refuse_names(file: str, names: Sequence[str]) -> None:
    """Stop at a name of a column that is too long: every level of the column has it in the name of its feature."""
    for place, name in enumerate(names, 1):
        if len(name) > LONGEST_TEXT:
            raise DataError(
                f"{file}: the name of column {place} ({shown(name)!r}) has {len(name):,} characters, and a name may have "
                f"{LONGEST_TEXT:,}; shorten it."
            )


def refuse_texts(what: str, count: int, characters: int, room: int | None) -> None:
    """Stop before more texts are kept than memory holds; ``characters`` are those of the names of their features."""
    needed = count * BYTES_A_TEXT + 4 * characters
    _refuse(what, f"its {count:,} different texts take", needed, room, "leave the column out (ignore=...)")


def refuse_batch(file: str, size: int, room: int | None) -> None:
    """Stop before a batch of rows is read that memory does not hold: its bytes, and the numbers made of them."""
    remedy = "write it in smaller batches (Arrow's max_chunksize, such as 65536)"
    _refuse(file, "its largest batch of rows takes", 2 * size, room, remedy)


def refuse_pages(file: str, column: str, size: int, room: int | None) -> None:
    """Stop before columns are read whose pages memory does not hold; ``column`` has the largest."""
    remedy = f"write it in smaller groups of rows (Arrow's row_group_size), pass {keyword('ignore', column)}"
    _refuse(file, f"the pages of its columns, {shown(column)!r} above all, take", size, room, remedy)


def _refuse(where: str, what: str, needed: int, room: int | None, remedy: str) -> None:
    if room is not None and needed > room:
        raise DataError(
            f"{where}: {what} about {needed / 1e9:.2g} GB, and there is room for {room / 1e9:.2g} GB; {remedy}, or allow for it "
            "with memory=..."
        )
