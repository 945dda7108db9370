"""The convex hull of points in the plane, for pictures: its corners are found with floats."""

from __future__ import annotations

import numpy as np

MANY = 2000  # points, of which most are left out before corners are looked for
DIRECTIONS = 16


def convex_hull(points: np.ndarray) -> np.ndarray:
    """The corners of the convex hull in order (A. M. Andrew 1979)."""
    if len(points) > MANY:
        points = points[~_surely_inside(points)]
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


def _surely_inside(points: np.ndarray) -> np.ndarray:
    """Which points are inside the polygon of those that are farthest out in some directions, and so no corners
    (S. G. Akl, G. T. Toussaint 1978)."""
    angles = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    farthest = points[np.unique((points @ [np.cos(angles), np.sin(angles)]).argmax(axis=0))]
    corners = convex_hull(farthest)
    inside = np.full(len(points), len(corners) > 2)
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        inside &= (bx - ax) * (points[:, 1] - ay) - (by - ay) * (points[:, 0] - ax) > 0
    return inside
