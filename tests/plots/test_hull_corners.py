"""Corners of hulls for pictures: of many points the same as of those points a few at a time."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from novikoff.plots import proof_picture

KINDS = {
    "normal": lambda rng, n: rng.normal(size=(n, 2)),
    "grid": lambda rng, n: rng.integers(0, 30, (n, 2)).astype(float),
    "line": lambda rng, n: np.outer(rng.random(n), [1.0, 2.0]),
    "flat": lambda rng, n: np.column_stack([rng.random(n), np.ones(n)]),
    "point": lambda rng, n: np.ones((n, 2)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_points_that_are_left_out_are_no_corners(kind, rng, monkeypatch):
    points = KINDS[kind](rng, 3000)
    found = proof_picture.convex_hull(points)
    monkeypatch.setattr(proof_picture, "MANY", len(points))
    np.testing.assert_array_equal(found, proof_picture.convex_hull(points))


def test_corners_are_those_of_qhull(rng):
    points = rng.normal(size=(5000, 2))
    found = {tuple(corner) for corner in proof_picture.convex_hull(points)}
    assert found == {tuple(corner) for corner in points[ConvexHull(points).vertices]}
