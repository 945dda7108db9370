"""Exact arithmetic on floating-point data, with python-flint.

Every finite float is a whole number times a power of two.  Rows of data become rows of whole numbers (times one common
power of two, which no sign and no linear relation depends on), and everything else here is linear algebra on those.

Many rows of floats times whole weights (``product_of_floats``) are multiplied in machine words: Python's whole numbers, and
flint's, cost half a microsecond for every number of X on the way there alone.  Both factors are cut into pieces of so few bits
that all products of pieces which belong to one place of the result add up in a machine word; carries then give every place its
own bits, so that a product is zero only if all its places are.

Square roots of fractions become floats, rounded once, whatever their size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import gcd, inf, isqrt, lcm, nextafter
from sys import float_info
from typing import Any

import numpy as np
from flint import fmpq, fmpz_mat, nmod_mat
from scipy.linalg import qr

from ...system.clock import never
from .lifting import lifted, whole_pieces

PRIME = 0x4F1BBCDCBFA53E3B  # rows that are independent modulo a prime are independent
MOST_BITS = 62  # of a whole number that fits a signed machine word, with room for one sum
MANTISSA = 53
WORD = 64
TALL = 256  # rows, from which on pieces are quicker
WIDEST = 256  # bits of rows that are cut
LARGEST = float_info.max
BITS = 128  # of a root before it is rounded
LARGE = 200  # equations, from which on flint would not let go for a second or more


def whole_numbers(values: np.ndarray, shift: np.ndarray | int = 0) -> tuple[np.ndarray, int]:
    """``values`` times ``2**-shift`` as whole numbers times ``2**exponent``, exactly, the exponent as large as possible.

    The whole numbers are int64 where they fit, else Python's.
    """
    odd, up, bits, least = odd_numbers(values, shift)
    return raised(odd, up, bits), least


def raised(odd: np.ndarray, up: np.ndarray, bits: int) -> np.ndarray:
    """``odd`` times ``2**up``: int64 if the largest has so few bits, else Python's."""
    return odd << up if bits <= MOST_BITS else odd.astype(object) << up.astype(object)


def odd_numbers(values: np.ndarray, shift: np.ndarray | int) -> tuple[np.ndarray, np.ndarray, int, int]:
    """``values`` times ``2**-shift`` as odd numbers (or 0) times ``2**up`` times ``2**least``, the least ``up`` being 0; and
    the bits of the largest without the latter."""
    mantissas, exponents = np.frexp(values.astype(np.float64, copy=False))
    whole = (mantissas * 2.0**MANTISSA).astype(np.int64)
    lowest = (whole & -whole).astype(np.float64)
    zeros = np.frexp(lowest)[1] - 1  # trailing zero bits; -1 for the number 0
    some = whole != 0
    if not some.any():
        return whole, np.zeros_like(whole), 0, 0
    ends = exponents.astype(np.int64) - shift
    places = ends - MANTISSA + zeros
    least = int(places[some].min())
    return whole >> np.maximum(zeros, 0), np.where(some, places - least, 0), int(ends[some].max()) - least, least


def nearest_floats(numbers: Sequence[int]) -> np.ndarray:
    """Whole numbers, divided by one power of two so that the largest is about 1, rounded to the nearest floats."""
    bits = max((int(number).bit_length() for number in numbers), default=0)
    unit = 1 << bits
    return np.array([int(number) / unit for number in numbers], dtype=np.float64)


def matrix(rows: np.ndarray) -> fmpz_mat:
    """A flint matrix of whole numbers."""
    return fmpz_mat(rows.shape[0], rows.shape[1], rows.ravel().tolist())


def common_denominator(numbers: Sequence[fmpq]) -> int:
    return reduce(lcm, (int(number.q) for number in numbers), 1)


def over_one_denominator(numbers: Sequence[fmpq]) -> list[int]:
    """The smallest whole numbers that are to each other as these fractions are (the same signs)."""
    denominator = common_denominator(numbers)
    return [int(number.p) * (denominator // int(number.q)) for number in numbers]


def smallest(numbers: Sequence[int]) -> list[int]:
    """The smallest whole numbers that are to each other as these are (the same signs)."""
    common = gcd(*numbers)
    return [number // common for number in numbers] if common else list(numbers)


def relation(
    rows: np.ndarray,
    floats: np.ndarray,
    positive: int,
    only_one: bool = False,
    tick: Callable[[], None] = never,
) -> list[int] | None:
    """Whole numbers c, not all zero, with sum_i c_i rows[i] = 0 and c_i >= 0 for the first ``positive`` rows.

    None where the rows have none, or more than one up to a factor, or (hardly ever) where that was not found out: then
    nothing is said.  It is found out where there is known to be ``only_one``, with no c_i zero.  ``floats`` are about the
    same rows, and only choose which columns to solve for.
    """
    count = len(rows)
    if count == 1:
        return [1] if not np.any(rows) else None
    if count > rows.shape[1] + 1:
        return None
    columns = _regular_columns(rows[1:], floats[1:], independent=only_one)
    if columns is None:
        return None
    numerators, denominator = solve(rows[1:][:, columns].T, -rows[:1][:, columns].T, tick)
    side = 1 if denominator > 0 else -1
    weights = smallest([side * denominator, *(side * int(number) for number in numerators[:, 0])])
    if min(weights[:positive]) < 0 or any(weigh(weights, rows)):
        return None
    return weights


def product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The product of two matrices of whole numbers, exactly: int64 where all of it fits, else Python's."""
    if bits_of(A) + bits_of(B) + A.shape[1].bit_length() <= MOST_BITS:
        return A.astype(np.int64, copy=False) @ B.astype(np.int64, copy=False)
    entries = (matrix(A) * matrix(B)).entries()
    return np.array([int(entry) for entry in entries], dtype=object).reshape(A.shape[0], B.shape[1])


def product_of_floats(values: np.ndarray, shift: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, int]:
    """``values`` times ``2**-shift`` times a matrix of whole numbers, as whole numbers times ``2**exponent``, exactly: int64
    where all of it fits, else Python's."""
    odd, up, bits, least = odd_numbers(values, shift)
    room = MOST_BITS - values.shape[1].bit_length()
    if len(values) < TALL or bits > WIDEST or bits + bits_of(weights) <= room:
        return product(raised(odd, up, bits), weights), least
    size = (room - WIDEST.bit_length()) // 2  # there are fewer pieces than WIDEST
    first, second = _pieces_of_odd(odd, up, bits, size), whole_pieces(weights, size)
    places = np.zeros((len(first) + len(second), len(values), weights.shape[1]), dtype=np.int64)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            places[i + j] += a @ b
    return _in_one(places, size), least


def _pieces_of_odd(odd: np.ndarray, up: np.ndarray, bits: int, size: int) -> list[np.ndarray]:
    """Machine words p_0, p_1, ... with odd 2^up = sum_i p_i 2^(i size), each of ``size`` bits and the sign of the number."""
    positive, mask = np.abs(odd).astype(np.uint64), np.uint64((1 << size) - 1)
    pieces = []
    for i in range(-(-bits // size)):
        left = up - i * size
        high = positive >> np.clip(-left, 0, WORD - 1).astype(np.uint64)
        low = positive << np.clip(left, 0, WORD - 1).astype(np.uint64)  # bits beyond the word belong to later pieces
        pieces.append(np.sign(odd) * (np.where(left < 0, high, low) & mask).astype(np.int64))
    return pieces


def _in_one(places: np.ndarray, size: int) -> np.ndarray:
    """sum_i places_i 2^(i size): int64 if all are zero, else Python's whole numbers."""
    for low, high in pairwise(places):
        high += low >> size
        low &= (1 << size) - 1
    some = np.any(places != 0, axis=0)
    if not some.any():
        return np.zeros(some.shape, dtype=np.int64)
    whole = np.zeros(some.shape, dtype=object)
    whole[some] = sum(place[some].astype(object) << i * size for i, place in enumerate(places))
    return whole


def bits_of(numbers: np.ndarray) -> int:
    """The bits of the largest."""
    return int(max(abs(int(numbers.max())), abs(int(numbers.min())))).bit_length() if numbers.size else 0


def weigh(weights: Sequence[int], rows: np.ndarray) -> list[int]:
    """sum_i weights[i] rows[i]."""
    return product(np.array([weights], dtype=object), rows)[0].tolist()


def regular_columns(rows: np.ndarray, floats: np.ndarray) -> np.ndarray:
    """Columns in which these independent rows are a regular square matrix, well conditioned if floats can tell."""
    columns = _regular_columns(rows, floats, independent=True)
    if columns is None:
        raise ArithmeticError("these rows must be independent")
    return columns


def _regular_columns(rows: np.ndarray, floats: np.ndarray, independent: bool) -> np.ndarray | None:
    """The same; None where the rows are dependent (or hardly ever, unless they are known to be independent)."""
    columns = qr(floats, mode="r", pivoting=True, check_finite=False)[1][: len(rows)]
    if len(_pivots(rows[:, columns])) == len(rows):
        return columns
    columns = _pivots(rows, len(rows) if independent else 0)
    return columns if len(columns) == len(rows) else None


def solve(square: np.ndarray, right: np.ndarray, tick: Callable[[], None] = never) -> tuple[np.ndarray, int]:
    """Whole numbers and their denominator: the solution of a regular system with several right sides, exactly."""
    if len(square) >= LARGE:
        found = lifted(square.astype(object, copy=False), right.astype(object, copy=False), PRIME, tick)
        if found is not None:
            return found
    solved: Any = matrix(square).solve(matrix(right))
    numerators, denominator = solved.numer_denom()
    whole = np.array([int(entry) for entry in numerators.entries()], dtype=object).reshape(right.shape)
    return whole, int(denominator)


def independent_rows(rows: np.ndarray, least: int = 0) -> np.ndarray:
    """The places of independent rows that span nearly always all of them; always where ``least`` is their rank, and at least
    so many where there are."""
    return _pivots(rows.T, least)


def _pivots(rows: np.ndarray, least: int = 0) -> np.ndarray:
    """The pivot columns of the rows: modulo a prime, which is quick and never finds too many; where that hides some, so that
    they are fewer than ``least``, in whole numbers."""
    whole = matrix(rows)
    modulo, rank = nmod_mat(whole, PRIME).rref()
    found = _first_ones(modulo, rank)
    if rank < least:
        reduced, _, rank = whole.rref()
        found = _first_ones(reduced, rank)
    return np.array(found, dtype=np.intp)


def _first_ones(reduced: nmod_mat | fmpz_mat, rank: int) -> list[int]:
    """Where the rows of a reduced echelon form begin."""
    places, column = [], 0
    for i in range(rank):
        while int(reduced[i, column]) == 0:
            column += 1
        places.append(column)
    return places


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
