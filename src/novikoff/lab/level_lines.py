"""Where a score is positive: closed lines around it, from its values on a grid ("marching squares", Lorensen and Cline 1987)."""

from __future__ import annotations

from collections.abc import Callable
from math import floor, log10
from typing import Any

Loop = list[list[float]]
Edge = tuple[int, int, int]  # line and column of its first corner; 0: to the right, 1: down

ROOM = 1.3  # half the side of the square that is looked at, as a multiple of the width of the rows
DIGITS = 3  # of the places on the lines, counted from the size of the square


def positive_regions(score: Callable[[Any], Any], points: list[list[float]], across: int) -> list[Loop]:
    """Lines around all places with a positive score; inside and outside by the even-odd rule.

    The square that is looked at is larger than what a page shows of these points, and its border ends the regions.
    """
    import numpy as np

    corners = np.array([[0.0, 0.0], *points])
    low, high = corners.min(axis=0), corners.max(axis=0)
    side = max(float((high - low).max()), 1e-6)
    xs, ys = (middle + np.linspace(-ROOM, ROOM, across) * side for middle in ((low + high) / 2).tolist())
    grid = np.column_stack([each.ravel() for each in np.meshgrid(xs, ys)])
    digits = DIGITS - floor(log10(2 * ROOM * side))
    return [
        [[round(x, digits), round(y, digits)] for x, y in loop]
        for loop in loops_around(score(grid).reshape(across, across), xs, ys)
    ]


def loops_around(values: Any, xs: Any, ys: Any) -> list[Loop]:
    """Closed lines around the positive values of a grid; ``values[i, j]`` is that of the place ``(xs[j], ys[i])``."""
    import numpy as np

    framed = np.pad(values.astype(float), 1, constant_values=-np.inf)  # so that no line is left open
    across, along = np.pad(xs, 1, mode="edge"), np.pad(ys, 1, mode="edge")
    follows = _links(framed)
    loops = []
    while follows:
        first = edge = next(iter(follows))
        loop: Loop = []
        while edge in follows:
            loop.append(_crossing(framed, across, along, edge))
            edge = follows.pop(edge)
        if edge != first:
            raise ArithmeticError("A line around positive scores does not close; please report this with the data.")
        loops.append(loop)
    return loops


def _links(values: Any) -> dict[Edge, Edge]:
    """From each crossed edge of the grid to the next one, with positive values on the same hand all along."""
    import numpy as np

    positive = values > 0
    mixed = positive[:-1, :-1] + 0 + positive[:-1, 1:] + positive[1:, 1:] + positive[1:, :-1]
    links: dict[Edge, Edge] = {}
    for i, j in np.argwhere((mixed > 0) & (mixed < 4)).tolist():
        inside = [positive[i, j], positive[i, j + 1], positive[i + 1, j + 1], positive[i + 1, j]]  # corners, going around
        edges = ((i, j, 0), (i, j + 1, 1), (i + 1, j, 0), (i, j, 1))  # from each corner to the next
        enters = [k for k in range(4) if not inside[k] and inside[(k + 1) % 4]]
        joined = len(enters) == 2 and values[i : i + 2, j : j + 2].mean() > 0  # opposite corners, and what is between
        for k in enters:
            ends = [(k + far) % 4 for far in (1, 2, 3) if inside[(k + far) % 4] and not inside[(k + far + 1) % 4]]
            links[edges[k]] = edges[ends[-1 if joined else 0]]
    return links


def _crossing(values: Any, xs: Any, ys: Any, edge: Edge) -> list[float]:
    """Where the score is zero on an edge, as if it were a straight line there."""
    i, j, way = edge
    ends = [(i, j), (i + way, j + 1 - way)]
    if not values[ends[0]] > 0:
        ends.reverse()
    (i, j), (k, m) = ends  # from the positive end
    part = values[i, j] / (values[i, j] - values[k, m])
    return [float(xs[j] + part * (xs[m] - xs[j])), float(ys[i] + part * (ys[k] - ys[i]))]
