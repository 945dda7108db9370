"""Sums of floats are as near the truth as Higham's bound says, whatever is added up and in whatever order."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.system.rounding_error import SMALLEST, TINY, UNIT, gamma, not_below, sum_room, unit_of

numbers = st.floats(-1e100, 1e100, allow_subnormal=True)


def exact(values):
    return sum(map(Fraction, values), Fraction(0))


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=50), st.randoms())
def test_a_sum_of_products_errs_by_no_more(pairs, random):
    random.shuffle(pairs)
    total = 0.0
    for a, b in pairs:
        total += a * b
    products = [Fraction(a) * Fraction(b) for a, b in pairs]
    allowed = Fraction(gamma(len(pairs))) * sum(map(abs, products)) + len(pairs) * Fraction(SMALLEST)
    assert abs(Fraction(total) - sum(products)) <= allowed


def test_the_bound_is_not_twice_as_large_as_it_must_be():
    """Ones that are followed by halves of a unit lose each of them: n - 1 of n terms err by as much as a unit may."""
    terms = 1000
    total = 1.0
    for _ in range(terms - 1):
        total += UNIT
    missed = exact([1.0] + [UNIT] * (terms - 1)) - Fraction(total)
    assert Fraction(gamma(terms)) / 2 < missed <= Fraction(gamma(terms)) * exact([1.0] + [UNIT] * (terms - 1))


@given(st.lists(st.floats(0, 1e300), min_size=1, max_size=100))
def test_sums_made_larger_are_not_below_the_truth(values):
    computed, truth = float(np.sum(np.array(values) / len(values))), exact(np.array(values) / len(values))
    assert not_below(computed, len(values)) >= truth
    assert computed * sum_room(len(values)) >= truth


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.longdouble])
def test_a_unit_is_half_the_distance_to_the_next_number(kind):
    assert unit_of(kind) == float(np.nextafter(kind(1), kind(2)) - kind(1)) / 2
    assert unit_of(np.float64) == UNIT


def test_the_smallest_numbers():
    assert np.nextafter(0.0, 1.0) == SMALLEST
    assert np.finfo(float).smallest_normal == TINY
