"""Lines on which a function of the plane has one value, for pictures: marching squares (Lorensen and Cline 1987, in the plane)."""

from __future__ import annotations

from typing import Any

Point = tuple[float, float]
Edge = tuple[int, int, int]  # of the grid: column, row, and 0 if it leads to the right, 1 if it leads up


def contour_lines(xs: Any, ys: Any, values: Any, level: float, digits: int = 3) -> list[list[Point]]:
    """The lines on which ``values[row][column]``, at ``ys[row]`` and ``xs[column]``, is ``level``: of each its points in order.

    Between neighbours of the grid the function is taken to be straight.  Points are rounded to ``digits``: they are drawn only.
    """
    over = [[bool(value > level) for value in line] for line in values]
    joins: dict[Edge, list[Edge]] = {}
    for row in range(len(ys) - 1):
        for column in range(len(xs) - 1):
            for one, other in _crossings(over, row, column):
                joins.setdefault(one, []).append(other)
                joins.setdefault(other, []).append(one)

    def place(edge: Edge) -> Point:
        column, row, up = edge
        to_column, to_row = column + 1 - up, row + up
        low, high = values[row][column], values[to_row][to_column]
        part = float((level - low) / (high - low))
        x = xs[column] + part * (xs[to_column] - xs[column])
        return round(float(x), digits), round(float(ys[row] + part * (ys[to_row] - ys[row])), digits)

    return [[place(edge) for edge in chain] for chain in _chains(joins)]


def _crossings(over: list[list[bool]], row: int, column: int) -> list[tuple[Edge, Edge]]:
    """Pairs of sides of one square of the grid that a line joins."""
    low, right, high, left = (column, row, 0), (column + 1, row, 1), (column, row + 1, 0), (column, row, 1)
    corners = [over[row][column], over[row][column + 1], over[row + 1][column + 1], over[row + 1][column]]
    sides = [low, right, high, left]  # each between a corner and the next
    crossed = [side for k, side in enumerate(sides) if corners[k] != corners[(k + 1) % 4]]
    if len(crossed) == 4:  # a saddle: the two corners that are over the level are cut off
        return [(left, low), (right, high)] if corners[0] else [(low, right), (high, left)]
    return [(crossed[0], crossed[1])] if crossed else []


def _chains(joins: dict[Edge, list[Edge]]) -> list[list[Edge]]:
    """The edges one after the other: open lines from their ends, then closed ones, which end where they began."""
    chains, seen = [], set()
    for first in sorted(joins, key=lambda edge: len(joins[edge])):
        if first in seen:
            continue
        chain = [first]
        seen.add(first)
        while following := [edge for edge in joins[chain[-1]] if edge not in seen]:
            chain.append(following[0])
            seen.add(following[0])
        if len(chain) > 2 and chain[0] in joins[chain[-1]]:
            chain.append(first)
        chains.append(chain)
    return chains
