"""The largest margin and the smallest ball, exactly, for a few samples: every set that could decide is tried, in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from .exact_separation import in_blocks, less, signed_rows
from .vectors import Number, Rows, Vector, dot, plus, square

Table = list[list[Fraction]]


def largest_margin_squared(X: Rows, y: Vector, intercept: bool = True) -> Fraction | None:
    """The square of the largest margin of two classes that are separable: the distance of their hulls, halved, or without an
    intercept that of the hull of y x from the origin.  None where classes touch."""
    vectors = [[Fraction(v) for v in a] for a in signed_rows(X, y, False)]
    conditions = [[Fraction(1), Fraction(label)] if intercept else [Fraction(1)] for label in y]
    return nearest_square(vectors, conditions)


def largest_margin_of_classes_squared(
    X: Rows, classes: Sequence[int], K: int, intercept: bool = True
) -> Fraction | None:
    """The same for several classes: the largest least lead over any rival, weights of all classes together of length 1."""
    vectors, conditions = [], []
    for x, own in zip(X, classes, strict=True):
        for rival in (k for k in range(K) if k != own):
            vectors.append(in_blocks([Fraction(v) for v in x], own, rival, K))
            constants = in_blocks([Fraction(1)], own, rival, K)
            conditions.append([Fraction(1), *constants] if intercept else [Fraction(1)])
    return nearest_square(vectors, conditions)


def nearest_square(vectors: Table, conditions: Table, metric: Vector | None = None) -> Fraction | None:
    """The least |sum_i m_i a_i|^2 with m >= 0, sum_i m_i g_i = (1, 0, ..., 0): every set of vectors that could be the one with
    positive weights is solved for (its conditions of optimality are linear equations), and the best feasible answer taken."""
    metric = metric or [1] * len(vectors[0])
    products = [[sum(p * a * b for p, a, b in zip(metric, u, v, strict=True)) for v in vectors] for u in vectors]
    best = None
    for size in range(1, len(vectors) + 1):
        for some in combinations(range(len(vectors)), size):
            m = weights_of_nearest([[products[i][j] for j in some] for i in some], [conditions[i] for i in some])
            if m is not None and min(m) > 0:
                found = sum(m[i] * m[j] * products[some[i]][some[j]] for i in range(size) for j in range(size))
                best = found if best is None else min(best, found)
    return best


def weights_of_nearest(gram: Table, conditions: Table) -> list[Fraction] | None:
    """m with gram m = G t and G' m = (1, 0, ..., 0), unless there is none or more than one."""
    count, more = len(gram), len(conditions[0])
    rows = [[*gram[i], *(-value for value in conditions[i]), Fraction(0)] for i in range(count)]
    rows += [[*(g[j] for g in conditions), *[Fraction(0)] * more, Fraction(int(j == 0))] for j in range(more)]
    pivots: list[int] = []
    for column in range(count + more + 1):
        pivot = next((i for i in range(len(pivots), len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[len(pivots)], rows[pivot] = rows[pivot], rows[len(pivots)]
        top = rows[len(pivots)] = [value / rows[len(pivots)][column] for value in rows[len(pivots)]]
        rows = [row if row is top or not row[column] else less(row, row[column], top) for row in rows]
        pivots.append(column)
    if pivots[-1] == count + more or pivots[:count] != list(range(count)):
        return None
    return [rows[i][-1] for i in range(count)]


def smallest_ball_squared(X: Rows) -> Fraction:
    """The square of the radius of the smallest ball that holds the points: that of some d + 1 of them at most."""
    points = [[Fraction(v) for v in x] for x in X]
    centres = [
        circumcentre(list(some))
        for size in range(1, min(len(points), len(points[0]) + 1) + 1)
        for some in combinations(points, size)
    ]
    return min(max(square(plus(x, centre, -1)) for x in points) for centre in centres if centre is not None)


def circumcentre(points: Table) -> list[Number] | None:
    """The point of their plane that is as far from all of them; None if there is none."""
    edges = [plus(point, points[0], -1) for point in points[1:]]
    table = [[*(2 * dot(e, f) for f in edges), square(e)] for e in edges]
    for i in range(len(table)):
        pivot = next((r for r in range(i, len(table)) if table[r][i]), None)
        if pivot is None:
            return None
        table[i], table[pivot] = table[pivot], table[i]
        table[i] = [v / table[i][i] for v in table[i]]
        table = [row if r == i else less(row, row[i], table[i]) for r, row in enumerate(table)]
    centre: list[Number] = list(points[0])
    for edge, row in zip(edges, table, strict=True):
        centre = plus(centre, edge, row[-1])
    return centre
