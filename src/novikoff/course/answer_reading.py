"""Answers become plain numbers, exactly, or it is said what is wrong with them; nothing a student types may raise anything else."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import islice
from math import isfinite
from numbers import Rational
from typing import Any

LARGEST = 10**100  # its square is still a float
MOST_BITS = 4096  # of a denominator: those of floats have fewer, and exact arithmetic stays quick
MOST_NUMBERS = 10_000  # in an answer
RETURNED = "What your function returns"
SHOWN = 60  # letters of what a student gave


class Wrong(Exception):
    """An answer that is not right: what is wrong, and a hint."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


def shown(given: Any) -> str:
    """What was given, short, whatever it is."""
    try:
        text = repr(given)
    except Exception:
        text = f"something of type {type(given).__name__}"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def number(given: Any, what: str = "The answer") -> Fraction:
    """One finite number, exactly: an int, a float, a Fraction, or a NumPy number."""
    if isinstance(given, bool | str | bytes) or given is None:
        raise Wrong(f"{what} must be a number; got {shown(given)}.")
    try:
        plain = given.item() if type(given).__module__ == "numpy" else given
        if isinstance(plain, bool | str | bytes):
            raise TypeError
        exact = Fraction(plain) if isinstance(plain, Rational) else _from_float(float(plain), what)
    except Wrong:
        raise
    except Exception:
        raise Wrong(f"{what} must be a number; got {shown(given)}.") from None
    if abs(exact) > LARGEST:
        raise Wrong(f"{what} is too large: give a smaller number.")
    if exact.denominator.bit_length() > MOST_BITS:
        raise Wrong(f"{what} has too many digits: give a shorter number.")
    return exact


def _from_float(value: float, what: str) -> Fraction:
    if not isfinite(value):
        raise Wrong(f"{what} must be a finite number; got {value}.")
    return Fraction(value)


def whole(given: Any, what: str = "The answer") -> int:
    """One whole number."""
    exact = number(given, what)
    if exact.denominator != 1:
        raise Wrong(f"{what} must be a whole number; got {shown(given)}.")
    return int(exact)


def items(given: Any, size: int | None, what: str, of: str = "numbers") -> list[Any]:
    """The parts of a list, a tuple or an array, as many as there have to be."""
    wanted = f"{what} must be a list of {of if size is None else f'{size} {of}'}"
    if isinstance(given, str | bytes | dict | set | frozenset) or not hasattr(given, "__len__"):
        raise Wrong(f"{wanted}; got {shown(given)}.")
    try:
        parts = list(islice(given, MOST_NUMBERS + 1))
    except Exception:
        raise Wrong(f"{wanted}; got {shown(given)}.") from None
    if len(parts) > MOST_NUMBERS or (size is not None and len(parts) != size):
        many = "more than 10,000" if len(parts) > MOST_NUMBERS else str(len(parts))
        raise Wrong(f"{wanted}; yours has {many}.")
    return parts


def vector(given: Any, size: int | None = None, what: str = "The answer") -> list[Fraction]:
    """A list of numbers."""
    parts = items(given, size, what)
    return [number(part, f"{what}, number {place} (counted from 0),") for place, part in enumerate(parts)]


def as_many_as_first(given: Any, first: list[Any], *rest: Any) -> list[Fraction]:
    """What a function returns, of which the first argument has as many numbers."""
    return vector(given, len(first), RETURNED)


def matrix(given: Any, rows: int | None, columns: int | None, what: str = "The answer") -> list[list[Fraction]]:
    """A list of lists of numbers, all of the same size."""
    parts = items(given, rows, what, "lists of numbers")
    found = [vector(part, columns, f"{what}, row {place} (counted from 0),") for place, part in enumerate(parts)]
    if len({len(row) for row in found}) > 1:
        raise Wrong(f"{what} has rows of different lengths.")
    return found


def pair(given: Any, what: str, first: Callable[[Any], Any], second: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Two things, each read in its way."""
    parts = items(given, 2, what, "things")
    return first(parts[0]), second(parts[1])


def indices(given: Any, n: int, what: str = "The answer") -> list[int]:
    """Numbers of samples, from 0 to n - 1, each at most once; a list, a tuple, an array or a set."""
    listed = list(given) if isinstance(given, set | frozenset) else given
    parts = items(listed, None, what, f"numbers of samples, from 0 to {n - 1}")
    places = [whole(part, f"{what}'s samples") for part in parts]
    outside = [place for place in places if not 0 <= place < n]
    if outside:
        raise Wrong(f"{what} has {outside[0]}; samples are numbered from 0 to {n - 1}.")
    if len(set(places)) < len(places):
        raise Wrong(f"{what} names a sample twice.")
    return places


def labels(given: Any, size: int, what: str = "The labels") -> list[int]:
    """As many labels, each -1 or 1."""
    found = vector(given, size, what)
    if any(label not in (-1, 1) for label in found):
        raise Wrong(f"{what} must be -1 or 1.")
    return [int(label) for label in found]
