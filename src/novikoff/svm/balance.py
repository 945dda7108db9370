"""``sum_i alpha_i y_i = 0``, without any rounding.

Steps on pairs of rows keep that sum but for rounding.  What is left of it counts by the size of the kernel values, and makes
the dual bound nothing; so it is put on rows that have room for it.
"""

from __future__ import annotations

from math import fsum

import numpy as np

TRIES = 50  # rows that take it up


def balanced(alpha: np.ndarray, signs: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """``alpha`` with ``sum_i alpha_i y_i = 0``, exactly where that can be had.

    The row of the smallest alpha that has room takes what is left of the sum, since floats lie closest there.  Where it is
    too small for that row, smaller alphas that made it go; if there are none, the row moves by one float, to the other
    side, whose rows then take what is left.
    """
    alpha = alpha.copy()
    for _ in range(TRIES):
        rest = fsum((alpha * signs).tolist())
        if rest == 0:
            break
        heavier = (signs * rest > 0) & (alpha > 0)
        small = heavier & (alpha < abs(rest))
        room = np.where(heavier, alpha, np.where(alpha > 0, bounds - alpha, 0.0))
        able = np.flatnonzero(room >= abs(rest))
        row = able[np.argmin(alpha[able])] if able.size else 0
        moved = alpha[row] - signs[row] * rest
        if able.size and moved != alpha[row]:
            alpha[row] = min(max(0.0, moved), bounds[row])
        elif small.any():
            alpha[small] = 0.0
        else:
            row = np.flatnonzero(heavier)[np.argmin(alpha[heavier])]
            alpha[row] = np.nextafter(alpha[row], 0.0)
    return alpha
