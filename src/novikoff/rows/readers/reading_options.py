"""How files are to be read, what counts as missing, and faults on their way to becoming errors."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..store.blocks import DECIMALS, MISSING_TEXTS, THOUSANDS, Cells

NO_DELIMITERS = '"\r\n\0' + "0123456789+-.eE"
WIDEST = 2**31 - 1  # features of sparse rows
DATES = ("categories", "parts", "day-first", "month-first")


@dataclass(frozen=True)
class Reading:
    """How files are to be read.  Every choice has a default, and what is guessed is said in ``Dataset.notes``."""

    format: str | None = None  # one of ``formats.FORMATS``; None: by the file's name, then by its content
    delimiter: str | None = None  # None: the one of , ; tab | that cuts lines into equally many fields
    header: bool | None = None  # None: a first line without numbers above numbers is a header
    encoding: str = "utf-8"
    na: tuple[str, ...] = ()  # texts that mean "missing" beside ``MISSING_TEXTS``
    decimal: str | None = None  # "." or ","; None: as most cells of a column have it
    thousands: str | None = None  # one of ``THOUSANDS``; None likewise
    dates: str = "categories"  # one of ``DATES``; "day-first" and "month-first" are parts, too, of 3/4/2020
    categorical: tuple[str, ...] = ()  # columns by name or, counted from 1, by number
    numeric: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
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
                "Thousands are parted by a comma, a point, a blank or an apostrophe, unlike decimals; "
                f"got {self.thousands!r}."
            )
        if self.dates not in DATES:
            raise ValueError(f"dates is one of {', '.join(DATES)}; got {self.dates!r}.")
        if self.n_features is not None and not 0 < self.n_features <= WIDEST:
            raise ValueError(f"n_features lies between 1 and {WIDEST:,}; got {self.n_features}.")

    @property
    def missing(self) -> frozenset[str]:
        """All texts that mean "missing"."""
        return frozenset(MISSING_TEXTS) | {text.strip() for text in self.na}


@dataclass(frozen=True)
class Plan:
    """What is read of a table: names of columns by what becomes of them."""

    numbers: tuple[str, ...]
    categories: tuple[str, ...]
    target: str | None
    task: str
    cells: Cells = field(default_factory=Cells)
    drop: bool = False
    known: frozenset[str] | None = field(default=None)  # names that may occur; None: any, and others are ignored

    def __post_init__(self) -> None:
        """Kernels write a column to the place that its name has here: one place for each."""
        names = [*self.numbers, *self.categories, *([self.target] if self.target is not None else [])]
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
        return [*self.plain, *self.spelled, *self.texts]

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


def shown(text: str) -> str:
    """A text short enough for a message."""
    return text if len(text) <= 40 else text[:37] + "..."
