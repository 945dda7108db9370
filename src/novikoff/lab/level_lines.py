"""Where a score is positive: closed lines around it, from its values on a grid ("marching squares", Lorensen and Cline 1987)."""

from __future__ import annotations

from collections.abc import Callable
from math import floor, log10
from typing import Any

Score = Callable[[Any], Any]  # of rows of places
Loop = list[list[float]]
Edge = tuple[int, int, int]  # line and column of its first corner; 0: to the right, 1: down

ROOM = 1.3  # half the side of the square that is looked at, as a multiple of the width of the rows
HALVINGS = 9  # of an edge of the grid, to find where the score is zero
DIGITS = 3  # of the places on the lines, counted from the size of the square


def positive_regions(score: Score, points: list[list[float]], across: int) -> list[Loop]:
    """Lines around all places with a positive score; inside and outside by the even-odd rule.

    The square that is looked at is larger than what a page shows of these points, and its border ends the regions.
    """
    import numpy as np

    corners = np.array([[0.0, 0.0], *points])
    low, high = corners.min(axis=0), corners.max(axis=0)
    side = max(float((high - low).max()), 1e-6)
    xs, ys = (middle + np.linspace(-ROOM, ROOM, across) * side for middle in ((low + high) / 2).tolist())
    digits = DIGITS - floor(log10(2 * ROOM * side))
    return [np.round(loop, digits).tolist() for loop in loops_around(score, xs, ys)]


def loops_around(score: Score, xs: Any, ys: Any) -> list[Any]:
    """Closed lines around the places of a grid with positive scores, each an array of places."""
    import numpy as np

    grid = np.column_stack([each.ravel() for each in np.meshgrid(xs, ys)])
    values = framed(score(grid).reshape(len(ys), len(xs)))
    chains = chains_around(values)
    if not chains:
        return []
    places = _crossings(
        score,
        values,
        np.pad(xs, 1, mode="edge"),
        np.pad(ys, 1, mode="edge"),
        [edge for chain in chains for edge in chain],
    )
    return np.split(places, np.cumsum([len(chain) for chain in chains])[:-1])


def framed(values: Any) -> Any:
    """Values of a grid, and around them lowest ones, so that no line around positive values is left open."""
    import numpy as np

    return np.pad(values.astype(float), 1, constant_values=-np.inf)


def chains_around(values: Any) -> list[list[Edge]]:
    """Edges of a framed grid, one after the other around its positive values; after the last comes the first."""
    follows = _links(values)
    chains: list[list[Edge]] = []
    while follows:
        edge = next(iter(follows))
        chain = []
        while edge in follows:
            chain.append(edge)
            edge = follows.pop(edge)
        chains.append(chain)
    return chains


def _links(values: Any) -> dict[Edge, Edge]:
    """From each crossed edge of the grid to the next one, with positive values on the same hand all along."""
    import numpy as np

    positive = values > 0
    mixed = positive[:-1, :-1] + 0 + positive[:-1, 1:] + positive[1:, 1:] + positive[1:, :-1]
    links: dict[Edge, Edge] = {}
    for i, j in np.argwhere((mixed > 0) & (mixed < 4)).tolist():
        inside = [
            positive[i, j],
            positive[i, j + 1],
            positive[i + 1, j + 1],
            positive[i + 1, j],
        ]  # corners, going around
        edges = ((i, j, 0), (i, j + 1, 1), (i + 1, j, 0), (i, j, 1))  # from each corner to the next
        enters = [k for k in range(4) if not inside[k] and inside[(k + 1) % 4]]
        joined = len(enters) == 2 and values[i : i + 2, j : j + 2].mean() > 0  # opposite corners, and what is between
        for k in enters:
            ends = [(k + far) % 4 for far in (1, 2, 3) if inside[(k + far) % 4] and not inside[(k + far + 1) % 4]]
            links[edges[k]] = edges[ends[-1 if joined else 0]]
    return links


def _crossings(score: Score, values: Any, xs: Any, ys: Any, edges: list[Edge]) -> Any:
    """Where the score is zero on each edge, by halving it again and again."""
    import numpy as np

    row, column, way = np.array(edges).T
    starts = np.column_stack([xs[column], ys[row]])
    ends = np.column_stack([xs[column + 1 - way], ys[row + way]])
    first = (values[row, column] > 0)[:, None]
    inside, outside = np.where(first, starts, ends), np.where(first, ends, starts)
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        positive = (score(middle) > 0)[:, None]
        inside, outside = np.where(positive, middle, inside), np.where(positive, outside, middle)
    return (inside + outside) / 2
