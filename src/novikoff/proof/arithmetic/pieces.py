"""Many rows of floats times whole weights, exactly, in machine words.

Python's whole numbers, and flint's, cost half a microsecond for every number of X on the way there alone.  Here both factors
are cut into pieces of so few bits that all products of pieces which belong to one place of the result add up in a machine
word; carries then give every place its own bits, so that a product is zero only if all its places are.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .exact import MOST_BITS, bits_of, odd_numbers, product, raised
from .lifting import whole_pieces

TALL = 256  # rows, from which on pieces are quicker
WIDEST = 256  # bits of rows that are cut
WORD = 64


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
