"""How cells of files are written: what means "missing", how numbers and dates are spelled.  It is kept with a model."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

MISSING_TEXTS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?")
DECIMALS = (".", ",")
THOUSANDS = ("", ",", ".", " ", "'")  # a blank stands for every kind of blank, an apostrophe for both of its forms
BLANKS = "[ \u00a0\u2009\u202f]"  # also those at which no line may end
KINDS = {" ": BLANKS, "'": "['\u2019]"}  # characters that part thousands as these do
NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan(\([a-z0-9_]*\))?)", re.ASCII | re.IGNORECASE)
NAN = r"[nN][aA][nN](?:\([A-Za-z0-9_]*\))?"  # is a plain number that is missing
PARTS = ("year", "month", "day", "weekday", "hour")  # of a date
ORDERS = ("ymd", "dmy", "mdy")  # of a date's year, month and day


class Numeral(NamedTuple):
    """How a column writes numbers: 1234.5, 1.234,5 or $1,234.50."""

    decimal: str = "."
    thousands: str = ""
    unit: str = ""  # a percent or currency sign, which every cell has and which is left out

    @property
    def example(self) -> str:
        """A number written so."""
        return f"{self.unit}1{self.thousands}234{self.decimal}5"

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
