"""Lines on which a function of the plane has one value, for pictures: closed, or ending at the border of a grid."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from .level_lines import Edge, chains_around, framed

Point = tuple[float, float]


def contour_lines(xs: Any, ys: Any, values: Any, level: float, digits: int = 3) -> list[list[Point]]:
    """The lines on which ``values[row][column]``, at ``ys[row]`` and ``xs[column]``, is ``level``: of each its points in order.

    Between neighbours of the grid the function is taken to be straight.  Points are rounded to ``digits``: they are drawn only.
    """
    import numpy as np

    heights = framed(np.asarray(values) - level)

    def place(edge: Edge) -> Point:
        (row, column), (to_row, to_column) = edge[:2], _end(edge)
        low, high = heights[row, column], heights[to_row, to_column]
        part = low / (low - high)
        x, y = xs[column - 1], ys[row - 1]  # the frame is one line wide
        x, y = x + part * (xs[to_column - 1] - x), y + part * (ys[to_row - 1] - y)
        return round(float(x), digits), round(float(y), digits)

    parts = (part for chain in chains_around(heights) for part in _within(chain, np.isfinite(heights)))
    return [[place(edge) for edge in part] for part in parts]


def _end(edge: Edge) -> tuple[int, int]:
    row, column, way = edge
    return row + way, column + 1 - way


def _within(chain: list[Edge], known: Any) -> list[list[Edge]]:
    """The parts of a closed chain that are not on the frame; a whole one ends where it began."""
    inner = [bool(known[edge[:2]] and known[_end(edge)]) for edge in chain]
    if all(inner):
        return [[*chain, chain[0]]]
    first = inner.index(False)
    turned = zip([*chain[first:], *chain[:first]], [*inner[first:], *inner[:first]], strict=True)
    return [[edge for edge, _ in part] for within, part in groupby(turned, key=lambda each: each[1]) if within]
