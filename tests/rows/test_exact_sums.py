"""Exact sums: equal to sums of fractions, whatever the order of the rows and wherever they are cut."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.rows.encoding.encoder import LEAST, ExactSums, as_whole

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def summed(values):
    found = ExactSums.of(1)
    assert found.add(np.array(values, dtype=float)[:, None]) is None
    return found


@pytest.mark.plain_python
@given(st.lists(FINITE | st.just(math.nan), max_size=40))
def test_sums_are_those_of_fractions(values):
    found = summed(values)
    exact = [Fraction(value) for value in values if not math.isnan(value)]
    assert found.values[0] == len(exact)
    assert Fraction(as_whole(found.sums[0]), 1 << LEAST) == sum(exact)
    assert Fraction(as_whole(found.squares[0]), 1 << 2 * LEAST) == sum(value * value for value in exact)


@given(st.lists(FINITE, min_size=1, max_size=30), FINITE, st.integers(0, 5))
def test_mean_and_deviation_are_rounded_once(values, fill, copies):
    center, scale = summed(values).center_and_scale(0, fill, copies)
    exact = [Fraction(value) for value in [*values, *[fill] * copies]]
    mean = sum(exact) / len(exact)
    variance = sum((value - mean) ** 2 for value in exact) / len(exact)
    assert center == float(mean)
    if not variance:
        assert scale == 1.0
        return
    above = math.nextafter(scale, math.inf)
    assert Fraction(math.nextafter(scale, 0.0)) ** 2 <= variance
    assert above == math.inf or variance <= Fraction(above) ** 2


@given(st.lists(FINITE, max_size=30), st.randoms(use_true_random=False), st.integers(0, 30))
def test_order_and_partition_change_nothing(values, random, cut):
    shuffled = list(values)
    random.shuffle(shuffled)
    whole, parts = summed(values), summed(shuffled[cut:]).with_others(summed(shuffled[:cut]))
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_first_infinite_value_is_named():
    values = np.array([[1.0, 2.0], [3.0, -math.inf], [math.inf, 0.0]])
    assert ExactSums.of(2).add(values) == (1, 1)


def test_many_rows_carry(monkeypatch):
    monkeypatch.setattr("novikoff.rows.encoding.encoder.CARRY_AFTER", 3)
    values = np.full((10, 1), np.finfo(float).max)
    found = ExactSums.of(1)
    found.add(values)
    assert found.center_and_scale(0) == (np.finfo(float).max, 1.0)
