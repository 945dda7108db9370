"""Large systems of linear equations, exactly, in many small steps: one can stop between any two of them.

p-adic lifting (J. D. Dixon, Exact solution of linear equations using p-adic expansions, Numerische Mathematik 40, 1982).
With C the inverse of A modulo a prime p, the digits of the solution x = x_0 + x_1 p + x_2 p^2 + ... of A x = b are

    x_k = C r_k mod p ,   r_0 = b ,   r_{k+1} = (r_k - A x_k) / p .

By Cramer's rule the numbers of x are fractions of whole numbers that Hadamard's inequality bounds; so many digits tell them
apart from all others, and Euclid's algorithm finds them.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt, lcm

import numpy as np
from flint import fmpz, fmpz_mat, nmod_mat

MANTISSA = 53  # bits of a float
AT_ONCE = 1 << 21  # multiplications of one step
CUT_AT_ONCE = 1 << 14  # whole numbers that are cut into pieces together


def lifted(A: np.ndarray, right: np.ndarray, prime: int, tick: Callable[[], None]) -> tuple[np.ndarray, int] | None:
    """Whole numbers and their denominator: the solution of A x = right; None where A is singular modulo the prime."""
    size, columns = right.shape
    tick()
    try:
        inverse = nmod_mat(fmpz_mat(size, size, A.ravel().tolist()), prime).inv()
    except ZeroDivisionError:
        return None
    product = _Product(A)
    step = max(1, AT_ONCE // size**2)
    solved = [
        _solve(product, inverse, right[:, at : at + step], prime, _bound(A, right), tick)
        for at in range(0, columns, step)
    ]
    common = lcm(*(denominator for _, denominator in solved))
    return np.hstack([numerators * (common // denominator) for numerators, denominator in solved]), common


def whole_pieces(numbers: np.ndarray, size: int) -> list[np.ndarray]:
    """Machine words p_0, p_1, ... with numbers = sum_i p_i 2^(i size), each of ``size`` bits and the sign of the number."""
    signs, positive = np.where(numbers < 0, -1, 1), np.abs(numbers.astype(object, copy=False))
    count = max(1, -(-int(positive.max(initial=0)).bit_length() // size))
    return [signs * (positive >> i * size & (1 << size) - 1).astype(np.int64) for i in range(count)]


class _Product:
    """A times columns of remainders modulo a prime, exactly, in floats: both are cut into pieces of so few bits that sums of
    products of pieces are floats."""

    def __init__(self, A: np.ndarray) -> None:
        self.bits = (MANTISSA - len(A).bit_length()) // 2
        largest = max(int(A.max()), -int(A.min()))
        self.count = max(1, -(-largest.bit_length() // self.bits))
        self.A = np.zeros((self.count, *A.shape))
        step = max(1, CUT_AT_ONCE // len(A))
        for start in range(0, len(A), step):
            for i, piece in enumerate(whole_pieces(A[start : start + step], self.bits)):
                self.A[i, start : start + step] = piece
        self.A = self.A.reshape(-1, A.shape[1])

    def __call__(self, x: np.ndarray) -> np.ndarray:
        pieces = whole_pieces(x, self.bits)
        sums = (self.A @ np.hstack(pieces).astype(np.float64)).astype(np.int64)
        sums = sums.reshape(self.count, -1, len(pieces), x.shape[1]).astype(object)
        total = np.zeros_like(sums[0, :, 0])
        for i in range(self.count):
            for j in range(len(pieces)):
                total += sums[i, :, j] << (i + j) * self.bits
        return total


def _solve(
    product: _Product, inverse: nmod_mat, right: np.ndarray, prime: int, most: int, tick: Callable[[], None]
) -> tuple[np.ndarray, int]:
    rows, columns = right.shape
    rest, digits, power = right.astype(object), [], 1
    while power <= 2 * most * most:
        tick()
        found = inverse * nmod_mat(rows, columns, (rest % prime).ravel().tolist(), prime)
        digit = np.array([int(number) for number in found.entries()], dtype=object).reshape(rest.shape)
        digits.append(digit.astype(np.uint64))
        rest = (rest - product(digit)) // prime
        power *= prime
    x = fmpz_mat(rows, columns)
    for digit in reversed(digits):
        tick()
        x = x * prime + fmpz_mat(rows, columns, digit.ravel().tolist())
    numerators, denominator = _fractions(x.entries(), power, most, tick)
    return np.array(numerators, dtype=object).reshape(right.shape), denominator


def _bound(A: np.ndarray, right: np.ndarray) -> int:
    """A number that no numerator or denominator of the solution exceeds: the product of the rows' lengths, the largest number
    of the right side counted with each."""
    largest = max(abs(int(number)) for number in right.ravel().tolist())
    product = 1
    for row in A:
        product *= isqrt(sum(int(number) ** 2 for number in row) + largest**2) + 1
    return product


def _fractions(numbers: list[fmpz], power: int, most: int, tick: Callable[[], None]) -> tuple[list[int], int]:
    """Fractions with these remainders modulo ``power``, numerators and denominators at most ``most``, as whole numbers over
    one denominator.  Nearly always the first number has the denominator of all."""
    denominator, modulus = fmpz(1), fmpz(power)
    numerators: list[fmpz] = []
    for place, number in enumerate(numbers):
        if place % 16 == 0:
            tick()
        nearest = _nearest(number * denominator % modulus, modulus)
        if abs(nearest) > most:
            more = _denominator(int(number * denominator % modulus), power, most)
            numerators = [more * each for each in numerators]
            denominator *= more
            nearest = _nearest(number * denominator % modulus, modulus)
        numerators.append(nearest)
    return [int(number) for number in numerators], int(denominator)


def _nearest(number: fmpz, modulus: fmpz) -> fmpz:
    """The number nearest to 0 with this remainder."""
    return number - modulus if 2 * number > modulus else number


def _denominator(number: int, power: int, most: int) -> int:
    """The smallest positive t with |number t mod power| at most ``most``: Euclid's algorithm, half way."""
    before, now, s, t = power, number, 0, 1
    while now > most:
        quotient = before // now
        before, now, s, t = now, before - quotient * now, t, s - quotient * t
    return abs(t)
