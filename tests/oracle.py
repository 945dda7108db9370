"""An independent judge of separability in small dimensions: one linear programme, solved by the simplex method in fractions.

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


def separated_pairs(vectors):
    """For each vector whether it is led on, exactly."""
    count, width = len(vectors), len(vectors[0])
    total = 2 * width + count + 2 * count  # w+, w-, t, slacks of both kinds of constraints
    table = []
    for i, vector in enumerate(vectors):  # t_i - a_i.w + s_i = 0
        row = [-v for v in vector] + list(vector) + [Fraction(int(i == k)) for k in range(count)]
        row += [Fraction(int(i == k)) for k in range(2 * count)] + [Fraction(0)]
        table.append(row)
    for i in range(count):  # t_i + s = 1
        row = [Fraction(0)] * (2 * width) + [Fraction(int(i == k)) for k in range(count)]
        row += [Fraction(int(count + i == k)) for k in range(2 * count)] + [Fraction(1)]
        table.append(row)
    basis = list(range(2 * width + count, total))
    gains = [Fraction(0)] * (2 * width) + [Fraction(1)] * count + [Fraction(0)] * (2 * count) + [Fraction(0)]
    while True:
        entering = next((j for j in range(total) if gains[j] > 0), None)
        if entering is None:
            break
        ratios = [(row[-1] / row[entering], basis[i], i) for i, row in enumerate(table) if row[entering] > 0]
        leaving = min(ratios)[2]
        pivot = table[leaving][entering]
        table[leaving] = [value / pivot for value in table[leaving]]
        for rows, i in [(table, k) for k in range(len(table)) if k != leaving] + [([gains], 0)]:
            factor = rows[i][entering]
            if factor:
                changed = [a - factor * b if b else a for a, b in zip(rows[i], table[leaving], strict=True)]
                if rows is table:
                    table[i] = changed
                else:
                    gains = changed
        basis[leaving] = entering
    values = {variable: row[-1] for variable, row in zip(basis, table, strict=True)}
    return [values.get(2 * width + i, Fraction(0)) == 1 for i in range(count)]


def kind_of(separated):
    return "complete" if all(separated) else "quasi-complete" if any(separated) else "overlap"
