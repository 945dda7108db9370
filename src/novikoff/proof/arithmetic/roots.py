"""Square roots of fractions as floats: rounded once, whatever their size."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isqrt, nextafter
from sys import float_info

LARGEST = float_info.max
BITS = 128  # of a root before it is rounded


def root(square: Fraction) -> float:
    """The root with the sign of the number, to the nearest float but for a hair; infinite beyond all floats."""
    whole, unit = _scaled(abs(square))
    nearest = float(isqrt(whole) * unit) if abs(square) <= Fraction(LARGEST) ** 2 else inf
    return nearest if square >= 0 else -nearest


def root_within(square: Fraction) -> tuple[float, float]:
    """The largest float not above the root, and the smallest not below it."""
    if square > Fraction(LARGEST) ** 2:
        return LARGEST, inf
    nearest = root(square)
    exact = Fraction(nearest) ** 2
    lower = nearest if exact <= square else nextafter(nearest, 0.0)
    upper = nearest if exact >= square else nextafter(nearest, inf)
    return lower, upper


def _scaled(square: Fraction) -> tuple[int, Fraction]:
    """A whole number of many bits and the unit whose square makes it about the square."""
    missing = 2 * BITS - square.numerator.bit_length() + square.denominator.bit_length()
    half = max(0, (missing + 1) // 2)
    return (square.numerator << 2 * half) // square.denominator, Fraction(1, 1 << half)
