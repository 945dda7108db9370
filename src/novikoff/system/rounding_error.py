"""How far rounding may move a sum: Higham's bound, in one place.

A sum of n products of floats, added up in any order, is within

    gamma_n sum_i |a_i b_i| ,    gamma_n = n u / (1 - n u) ,

of the truth (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, 2002, section 3.1).  The unit u is half
the distance of 1 from the next float.  Numbers that are rounded before they are multiplied, and roundings of the sum
afterwards, count as one term more each.  Products too small for floats may lose as much as the smallest float besides.
"""

from __future__ import annotations

from typing import Any

import numpy as np

UNIT = 2.0**-53  # u of float64: the largest relative error of one rounding
SMALLEST = 2.0**-1074  # the smallest positive float64
TINY = 2.0**-1022  # smaller ones have fewer digits


def unit_of(kind: Any) -> float:
    """u of other floats."""
    return float(np.finfo(kind).eps) / 2


def gamma(terms: int, unit: float = UNIT) -> float:
    """What part of the sum of the absolute values a sum of so many products may err by."""
    return terms * unit / (1 - terms * unit)


def sum_room(terms: int) -> float:
    """A factor that makes a sum of so many numbers that are not negative, and a few roundings around it, no smaller than the
    truth."""
    return 1 + 4 * gamma(terms + 8)


def not_below(value: float, terms: int) -> float:
    """A sum of so many products that are not negative, made no smaller than the truth."""
    return value * (1 + 2 * gamma(terms + 4))
