"""Separable or not, exactly, for a few samples: linear programmes solved by the simplex method in fractions.

Samples are given as vectors a_i that must have a positive product with the weights: a_i = y_i (x_i, 1).  A direction w with
a_i.w >= 0 for all i contradicts no sample.  Such directions form a cone, so in

    maximise sum_i t_i   subject to   t_i <= a_i.w,  0 <= t_i <= 1

t_i is 1 at the optimum for every sample that some such direction has on its side (all at once, by their sum), and 0 for the others.

For the largest margin and the smallest ball every set of samples that could decide is tried, in fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

from .vectors import Number, Rows, Vector, dot, plus, square, times, with_one

Table = list[list[Fraction]]


def signed_rows(X: Rows, y: Vector, intercept: bool = True) -> list[list[Number]]:
    """a_i = y_i (x_i, 1), or y_i x_i without an intercept."""
    rows = with_one(X) if intercept else X
    return [times(label, x) for x, label in zip(rows, y, strict=True)]


def kesler_rows(X: Rows, classes: Sequence[int], K: int, intercept: bool = True) -> Table:
    """For every sample and rival class a vector with one block of weights for every class: the sample in the block of its class, minus
    the sample in the rival's (Kesler's construction)."""
    rows = [[Fraction(v) for v in x] for x in (with_one(X) if intercept else X)]
    return [
        in_blocks(x, own, rival, K) for x, own in zip(rows, classes, strict=True) for rival in range(K) if rival != own
    ]


def in_blocks(x: Vector, own: int, rival: int, K: int) -> list[Fraction]:
    """K blocks: x for the own class, -x for the rival, zeros for the others."""
    blocks = {own: list(x), rival: times(-1, x)}
    return [value for k in range(K) for value in blocks.get(k, [Fraction(0)] * len(x))]


def maximise(gains: Vector, rows: Rows, limits: Vector) -> list[Fraction]:
    """Numbers v >= 0 that maximise gains.v with rows v <= limits, all limits >= 0: Dantzig's simplex method, with Bland's rule,
    which ends every run."""
    count, width = len(rows), len(gains)
    table = [
        [*map(Fraction, row), *(Fraction(int(i == k)) for k in range(count)), Fraction(limit)]
        for i, (row, limit) in enumerate(zip(rows, limits, strict=True))
    ]
    basis = list(range(width, width + count))
    gains = [*map(Fraction, gains), *[Fraction(0)] * (count + 1)]
    while True:
        entering = next((j for j in range(width + count) if gains[j] > 0), None)
        if entering is None:
            break
        leaving = min((row[-1] / row[entering], basis[i], i) for i, row in enumerate(table) if row[entering] > 0)[2]
        table[leaving] = times(1 / table[leaving][entering], table[leaving])
        for i in range(count):
            if i != leaving and table[i][entering]:
                table[i] = less(table[i], table[i][entering], table[leaving])
        gains = less(gains, gains[entering], table[leaving])
        basis[leaving] = entering
    values = {variable: row[-1] for variable, row in zip(basis, table, strict=True)}
    return [values.get(j, Fraction(0)) for j in range(width)]


def less(row: Vector, factor: Number, other: Vector) -> list[Number]:
    """row - factor other (zeros, which are many, are not multiplied)."""
    return [a - factor * b if b else a for a, b in zip(row, other, strict=True)]


def best_direction(vectors: Rows) -> tuple[list[Fraction], list[bool]]:
    """Weights that contradict no sample and have as many as possible on their side, and which those are."""
    count, width = len(vectors), len(vectors[0])
    unit = [[int(i == k) for k in range(count)] for i in range(count)]
    rows = [[*times(-1, a), *a, *unit[i]] for i, a in enumerate(vectors)]  # w = u - v, and t_i - a_i.w <= 0
    rows += [[0] * (2 * width) + unit[i] for i in range(count)]
    found = maximise([0] * (2 * width) + [1] * count, rows, [0] * count + [1] * count)
    return plus(found[:width], found[width : 2 * width], -1), [t == 1 for t in found[2 * width :]]


def separated_rows(vectors: Rows) -> list[bool]:
    """For each vector whether some direction that contradicts none has it on its side."""
    return best_direction(vectors)[1]


def kind_of(separated: list[bool]) -> str:
    """Complete separation, quasi-complete, or overlap (Albert and Anderson 1984)."""
    return "complete" if all(separated) else "quasi-complete" if any(separated) else "overlap"


def separating_weights(vectors: Rows) -> list[Fraction] | None:
    """Weights with a_i.w > 0 for all i; None if there are none."""
    w, separated = best_direction(vectors)
    return w if all(separated) else None


def witness(vectors: Rows) -> list[Fraction] | None:
    """l_i >= 0 with sum l_i = 1 and sum_i l_i a_i = 0, which prove that no weights separate; None if some do (Gordan 1873)."""
    columns = [list(column) for column in zip(*vectors, strict=True)]
    rows = [*columns, *(times(-1, column) for column in columns), [1] * len(vectors)]
    found = maximise([1] * len(vectors), rows, [0] * (2 * len(columns)) + [1])
    return found if sum(found) == 1 else None


def is_witness(vectors: Rows, weights: Vector) -> bool:
    """Whether these numbers prove that no w has a_i.w > 0 for all i: if one had, sum_i l_i a_i.w would be positive, and 0."""
    cancels = all(dot(weights, column) == 0 for column in zip(*vectors, strict=True))
    return cancels and min(weights) >= 0 and max(weights) > 0


def can_be_positive(vectors: Rows, place: int, sign: int) -> bool:
    """Whether some w that contradicts no sample has sign w[place] > 0: then that coefficient of a logistic regression may run off."""
    width = len(vectors[0])
    rows = [[*times(-1, a), *a, 0] for a in vectors]
    side = [sign * (j == place) for j in range(width)]
    rows.append([*times(-1, side), *side, 1])  # t <= sign w[place]
    rows.append([0] * (2 * width) + [1])
    return maximise([0] * (2 * width) + [1], rows, [0] * len(vectors) + [0, 1])[-1] == 1


def separable_labelings(X: Rows, intercept: bool = True) -> list[tuple[int, ...]]:
    """All labelings of some points that a hyperplane makes, each tried; if these are all 2^N, the points are shattered."""
    labelings = product((-1, 1), repeat=len(X))
    return [y for y in labelings if separating_weights(signed_rows(X, y, intercept)) is not None]


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
