"""The convex hull of points in the plane, for pictures: its corners are found with floats."""

from __future__ import annotations

import numpy as np


def convex_hull(points: np.ndarray) -> np.ndarray:
    """The corners of the convex hull in order (A. M. Andrew 1979)."""
    ordered = sorted(set(map(tuple, points.tolist())))
    if len(ordered) < 3:
        return np.array(ordered)
    halves = []
    for side in (ordered, ordered[::-1]):
        chain: list[tuple[float, float]] = []
        for x, y in side:
            while len(chain) > 1 and _turn(*chain[-2], *chain[-1], x, y) <= 0:
                chain.pop()
            chain.append((x, y))
        halves += chain[:-1]
    return np.array(halves)


def _turn(ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> float:
    """Positive if a, b, c turn left."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
