"""Kernels for few rows against plain Python, step by step, compiled and not."""

from math import fsum

import numpy as np
import pytest

from novikoff.solvers.balance import balance, balanced

pytestmark = pytest.mark.plain_python


def test_lines_are_balanced_as_one_is(rng):
    alphas = rng.random((6, 15)) * 10.0 ** rng.integers(-8, 8, (6, 1))
    alphas[1, 3:] = 0.0
    alphas[2] = 0.0
    signs = np.where(rng.random((6, 15)) < 0.5, 1.0, -1.0)
    signs[3] = 1.0  # nothing can be in balance with it
    expected = [balanced(alpha, sign) for alpha, sign in zip(alphas, signs, strict=True)]
    balance(alphas, signs)
    np.testing.assert_array_equal(alphas, expected)
    assert all(fsum((alpha * sign).tolist()) == 0 for alpha, sign in zip(alphas, signs, strict=True))
