"""An independent judge of separability in small dimensions: linear programmes solved by the simplex method in fractions.

    maximise sum_i t_i   subject to   t_i <= a_i.w,  0 <= t_i <= 1

Directions without a negative lead form a cone, so at the optimum t_i is 1 for every pair that some such direction leads on
(all at once, by their sum) and 0 for the others.  Bland's rule ends every run.
"""

from fractions import Fraction

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
