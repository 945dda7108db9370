"""Lines around positive scores have them inside, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from even_odd import inside
from novikoff.lab.level_lines import loops_around, positive_regions


@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(2, 7))
def test_places_of_a_grid_are_inside_if_they_are_positive(seed, high, wide):
    values = np.random.default_rng(seed).integers(-2, 3, (high, wide)).astype(float)
    near = lambda places: values[tuple(np.clip(np.rint(places[:, ::-1]).astype(int), 0, [high - 1, wide - 1]).T)]  # noqa: E731
    loops = [loop.tolist() for loop in loops_around(near, np.arange(wide), np.arange(high))]
    for i in range(high):
        for j in range(wide):
            place = np.clip(j, 0.01, wide - 1.01), np.clip(i, 0.01, high - 1.01)
            assert inside(place, loops) == (values[i, j] > 0)


def test_a_circle_is_found_where_it_is():
    loops = positive_regions(lambda places: 1 - (places**2).sum(axis=1), [[-1.0, -1.0], [1.0, 1.0]], 40)
    assert len(loops) == 1
    assert np.hypot(*np.array(loops[0]).T) == pytest.approx(1, abs=0.002)
    assert positive_regions(lambda places: -np.ones(len(places)), [[1.0, 1.0]], 9) == []


def test_a_ring_has_two_borders():
    def score(places):
        length = np.hypot(*places.T)
        return (length - 0.5) * (1 - length)

    loops = positive_regions(score, [[-1.0, -1.0], [1.0, 1.0]], 60)
    assert len(loops) == 2
    assert inside((0.75, 0), loops)
    assert not inside((0, 0), loops)
    assert not inside((0, 1.2), loops)
