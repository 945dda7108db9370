"""An independent judge of separability in small dimensions: linear programmes solved by the simplex method in fractions.

    maximise sum_i t_i   subject to   t_i <= a_i.w,  0 <= t_i <= 1

Directions without a negative lead form a cone, so at the optimum t_i is 1 for every pair that some such direction leads on
(all at once, by their sum) and 0 for the others.  Bland's rule ends every run.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np


def kesler_vectors(X, target, n_classes, fit_intercept):
    """a_i for every row and rival, one block of weights for every class."""
    vectors = []
    for x, own in zip(np.asarray(X, dtype=float).tolist(), target, strict=True):
        z = [Fraction(value) for value in x] + [Fraction(1)] * fit_intercept
        for rival in range(n_classes):
            if rival != own:
                blocks = [[Fraction(0)] * len(z) for _ in range(n_classes)]
                blocks[own] = z
                blocks[rival] = [-value for value in z]
                vectors.append([value for block in blocks for value in block])
    return vectors


def maximise(gains, rows, limits):
    """Non-negative variables that maximise gains.v with rows v <= limits, all limits >= 0."""
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
        pivot = table[leaving][entering]
        table[leaving] = [value / pivot for value in table[leaving]]
        for i in range(count):
            if i != leaving and table[i][entering]:
                table[i] = _less(table[i], table[i][entering], table[leaving])
        gains = _less(gains, gains[entering], table[leaving])
        basis[leaving] = entering
    values = {variable: row[-1] for variable, row in zip(basis, table, strict=True)}
    return [values.get(j, Fraction(0)) for j in range(width)]


def _less(row, factor, other):
    return [a - factor * b if b else a for a, b in zip(row, other, strict=True)]


def separated_pairs(vectors):
    """For each vector whether it is led on, exactly."""
    count, width = len(vectors), len(vectors[0])
    unit = [[int(i == k) for k in range(count)] for i in range(count)]
    rows = [[-v for v in vector] + list(vector) + unit[i] for i, vector in enumerate(vectors)]  # t_i - a_i.w <= 0
    rows += [[0] * (2 * width) + unit[i] for i in range(count)]
    found = maximise([0] * (2 * width) + [1] * count, rows, [0] * count + [1] * count)
    return [t == 1 for t in found[2 * width :]]


def can_be_positive(vectors, place, sign):
    """Whether some w without a negative lead has sign w[place] > 0."""
    width = len(vectors[0])
    rows = [[-v for v in vector] + list(vector) + [0] for vector in vectors]
    side = [0] * width
    side[place] = sign
    rows.append([-v for v in side] + side + [1])  # t <= sign w[place]
    rows.append([0] * (2 * width) + [1])
    return maximise([0] * (2 * width) + [1], rows, [0] * len(vectors) + [0, 1])[-1] == 1


def kind_of(separated):
    return "complete" if all(separated) else "quasi-complete" if any(separated) else "overlap"


def squared_margin(X, target, n_classes, fit_intercept):
    """The square of the largest geometric margin of classes that are separable, in fractions."""
    vectors, conditions = [], []
    for x, own in zip(np.asarray(X, dtype=float).tolist(), target, strict=True):
        for rival in (k for k in range(n_classes) if k != own):
            vectors.append(in_blocks([Fraction(value) for value in x], own, rival, n_classes))
            constants = in_blocks([Fraction(1)], own, rival, n_classes)
            conditions.append([Fraction(1), *constants] if fit_intercept else [Fraction(1)])
    return nearest_square(vectors, conditions)


def squared_augmented_margin(X, target, n_classes, constant2):
    """The same of the rows (x, c); 0 is no constant feature."""
    vectors = []
    for x, own in zip(np.asarray(X, dtype=float).tolist(), target, strict=True):
        z = [Fraction(value) for value in x] + [Fraction(1)] * bool(constant2)
        vectors += [in_blocks(z, own, rival, n_classes) for rival in range(n_classes) if rival != own]
    width = len(vectors[0]) // (1 if n_classes == 2 else n_classes)
    metric = ([Fraction(1)] * (width - bool(constant2)) + [Fraction(constant2)] * bool(constant2)) * n_classes
    return nearest_square(vectors, [[Fraction(1)]] * len(vectors), metric)


def in_blocks(z, own, rival, n_classes):
    """z for the own class and -z for the rival; of two classes y z."""
    if n_classes == 2:
        return z if own == 1 else [-value for value in z]
    blocks = [[Fraction(0)] * len(z) for _ in range(n_classes)]
    blocks[own], blocks[rival] = z, [-value for value in z]
    return [value for block in blocks for value in block]


def nearest_square(vectors, conditions, metric=None):
    """The least |sum_i m_i a_i|^2 with m >= 0, sum_i m_i g_i = (1, 0, ..., 0): every set of vectors that could be the one with
    positive weights is solved for (its conditions of optimality are linear equations), and the best feasible answer taken."""
    metric = metric or [Fraction(1)] * len(vectors[0])
    products = [
        [sum(p * a * b for p, a, b in zip(metric, one, two, strict=False)) for two in vectors] for one in vectors
    ]
    best = None
    for size in range(1, len(vectors) + 1):
        for some in combinations(range(len(vectors)), size):
            m = weights_of_nearest([[products[i][j] for j in some] for i in some], [conditions[i] for i in some])
            if m is not None and min(m) > 0:
                square = sum(m[i] * m[j] * products[some[i]][some[j]] for i in range(size) for j in range(size))
                best = square if best is None else min(best, square)
    return best


def weights_of_nearest(gram, conditions):
    """m with gram m = G t and G' m = (1, 0, ..., 0), unless there is none or more than one."""
    count, more = len(gram), len(conditions[0])
    rows = [[*gram[i], *(-value for value in conditions[i]), Fraction(0)] for i in range(count)]
    rows += [[*(g[j] for g in conditions), *[Fraction(0)] * more, Fraction(int(j == 0))] for j in range(more)]
    pivots = []
    for column in range(count + more + 1):
        pivot = next((i for i in range(len(pivots), len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[len(pivots)], rows[pivot] = rows[pivot], rows[len(pivots)]
        top = rows[len(pivots)] = [value / rows[len(pivots)][column] for value in rows[len(pivots)]]
        rows = [row if row is top or not row[column] else _less(row, row[column], top) for row in rows]
        pivots.append(column)
    if pivots[-1] == count + more or pivots[:count] != list(range(count)):
        return None
    return [rows[i][-1] for i in range(count)]
