"""Whole numbers as people read them."""

from __future__ import annotations

MOST_DIGITS = 24  # of a number that is written out


def count(number: int | None) -> str:
    """A whole number, in short if it has very many digits, and then rounded up."""
    digits = str(number)
    if number is None or len(digits) <= MOST_DIGITS:
        return f"{number:,}"
    first, power = int(digits[:3]) + 1, len(digits) - 1
    return f"about {first / 100:.2f}e+{power}" if first < 1000 else f"about 1.00e+{power + 1}"
