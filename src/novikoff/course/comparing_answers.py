"""Whether an answer is the right one, and if not, whether a known slip explains it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any

from .answer_reading import Wrong

DECIMALS, DIGITS = 2, 3  # that an answer must have at least if it is rounded: decimal places, significant digits
NEAR = Fraction(1, 50)  # of the right answer: what is so near is rounded too far
MORE_DIGITS = f"That is near.  Give the exact number, or at least {DECIMALS} decimals and {DIGITS} digits."


def expect(answer: Any, right: Any, slips: list[tuple[Any, str]], message: str, hint: str) -> None:
    """``Wrong`` unless the answer is right, or rounded from the right one: with the hint of the first slip that leads to it, else
    the general one."""
    if same(answer, right):
        return
    for value, text in slips:
        if same(answer, value):
            raise Wrong(message, text)
    if rounded_from(answer, right):
        return
    for value, text in slips:
        if rounded_from(answer, value):
            raise Wrong(message, text)
    near = not isinstance(answer, list | tuple) and abs(answer - right) <= NEAR * abs(right)
    raise Wrong(message, MORE_DIGITS if near else hint)


def bound_slips(right: Fraction, slips: list[tuple[Any, str]]) -> list[tuple[Any, str]]:
    """The slips of a task that asks for a bound on a whole number, which may be rounded down."""
    up = [] if right.denominator == 1 else [(ceil(right), "A number that is at most this large is whole: round down.")]
    return [*slips, *((floor(value), text) for value, text in slips if floor(value) != floor(right)), *up]


def same(one: Any, other: Any) -> bool:
    """Whether two answers are equal, part by part: numbers to rounding."""
    if isinstance(one, list | tuple):
        alike = isinstance(other, list | tuple) and len(one) == len(other)
        return alike and all(same(a, b) for a, b in zip(one, other, strict=True))
    return not isinstance(other, list | tuple) and close(one, other)


def close(one: Any, other: Any) -> bool:
    """Equal except for rounding: within a billionth of the larger, or of 1."""
    return bool(abs(one - other) <= 1e-9 * max(1, abs(one), abs(other)))


def rounded_from(one: Any, other: Any, decimals: int = DECIMALS, digits: int = DIGITS) -> bool:
    """Whether an answer, part by part, is another one rounded to the decimals that it shows, so many at least."""
    if isinstance(one, list | tuple):
        alike = isinstance(other, list | tuple) and len(one) == len(other)
        return alike and all(rounded_from(a, b, decimals, digits) for a, b in zip(one, other, strict=True))
    if isinstance(other, list | tuple) or close(one, other):
        return not isinstance(other, list | tuple)
    shown = Decimal(repr(float(one)))
    places = -min(0, int(shown.normalize().as_tuple().exponent))
    enough = places >= decimals and len(shown.normalize().as_tuple().digits) >= digits
    return enough and abs(one - other) <= Fraction(1, 10**places) * Fraction(500001, 10**6)  # half of the last place


def cut_off(one: Any, other: Any) -> bool:
    """Whether an answer, part by part, is another one with decimals left out."""
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(cut_off, one, other))
    return one in (int(other), floor(other)) or rounded_from(one, other, 0, 0)


def readable(value: Any) -> Any:
    """Fractions as ints or floats, to show them."""
    if isinstance(value, list | tuple):
        return [readable(part) for part in value]
    return int(value) if value == int(value) else float(value)
