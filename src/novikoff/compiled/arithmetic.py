"""The arithmetic of kernels: sums with one definition, the same bits on every processor, compiled or not.

Machine code would add up a long sum in any order that suits the processor's vector units, and fuse a product with the sum that
it goes into; the last bits of a fit would then depend on the processor.  Here every product and every sum is rounded by itself,
and sums have one order:

dense rows   L lanes: number j goes to lane j mod L, as long as there are L numbers.  Then the halves of the lanes are added,
             L -> L / 2 -> ... -> 1; after each halving, as many of the numbers that are left as there are lanes are added to
             them, if there are so many.  Lanes take 64 bytes together where a row meets several outputs (8 in float64, 16 in
             float32), and 256 where it meets one, whose sum would else wait for itself.
sparse rows  one number after the other, as they are stored.
all others   one number after the other.

``exp`` and ``log`` (``learn.rules``) are sums and products, too: the standard library's depend on the system.

``machine_code`` has the compiled bodies of ``dot``, ``dots``, ``square_of_row`` and of the processor's instructions; the bodies
here have the same bits, in NumPy.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SEVERAL_BYTES, ONE_BYTES = 64, 256  # of all lanes together


def dots(x: Any, i: Any, weights: Any, scores: Any) -> None:
    """scores[k] = x[i] . weights[k] for every line k of the weights."""
    scores[...] = lane_sums(x[i] * weights, SEVERAL_BYTES)


def dot(x: Any, i: Any, weights: Any, k: Any) -> Any:
    """x[i] . weights[k]."""
    return lane_sums(x[i] * weights[k, : x.shape[1]], ONE_BYTES)


def square_of_row(x: Any, i: Any) -> Any:
    """x[i] . x[i], in float64."""
    row = x[i].astype(np.float64)
    return lane_sums(row * row, ONE_BYTES)


def lane_sums(products: np.ndarray, lane_bytes: int) -> Any:
    """The sums along the last axis, as defined above."""
    size = products.shape[-1]
    lanes = lane_bytes // products.itemsize
    done = size - size % lanes
    left = size - done
    if size < lanes // 2:  # zeros would be added to zeros
        lanes = 1 << size.bit_length()
    sums = np.zeros((*products.shape[:-1], lanes), products.dtype)
    for first in range(0, done, lanes):
        sums += products[..., first : first + lanes]
    while lanes > 1:
        lanes //= 2
        sums = sums[..., :lanes] + sums[..., lanes:]
        if left & lanes:
            sums = sums + products[..., done : done + lanes]
            done += lanes
    return sums[..., 0][()]


# Instructions of the processor


def power_of_two(n: Any) -> float:
    """2^n for a whole n from -1022 to 1023."""
    return math.ldexp(1.0, int(n))


def trailing_zeros(bits: Any) -> int:
    """How many bits of a 64-bit number are zero below its lowest one; 64: all."""
    bits = int(bits)
    return (bits & -bits).bit_length() - 1 if bits else 64


def prefetch(address: Any) -> None:
    """Bring what lies at an address into the processor's cache, which changes nothing but speed."""


# Calls


def run(call: Any) -> Any:
    """Call a kernel with the arguments that ``jit.bound`` has put together for it; its result is a whole number."""
    return call()
