"""An independent judge of margins in small dimensions, for any number of classes: by ``novikoff.course.plain``, in fractions."""

from fractions import Fraction

import numpy as np

from novikoff.course import plain


def squared_margin(X, target, n_classes, fit_intercept):
    """The square of the largest geometric margin of classes that are separable, in fractions."""
    rows = np.asarray(X, dtype=float).tolist()
    if n_classes == 2:
        return plain.largest_margin_squared(rows, np.where(np.asarray(target) == 1, 1, -1).tolist(), fit_intercept)
    return plain.largest_margin_of_classes_squared(rows, target, n_classes, fit_intercept)


def squared_augmented_margin(X, target, n_classes, constant2):
    """The same of the rows (x, c); 0 is no constant feature."""
    vectors = []
    for x, own in zip(np.asarray(X, dtype=float).tolist(), target, strict=True):
        z = [Fraction(value) for value in x] + [Fraction(1)] * bool(constant2)
        if n_classes == 2:
            vectors.append(z if own == 1 else plain.times(-1, z))
        else:
            vectors += [plain.in_blocks(z, own, rival, n_classes) for rival in range(n_classes) if rival != own]
    blocks = 1 if n_classes == 2 else n_classes
    metric = ([Fraction(1)] * np.shape(X)[1] + [Fraction(constant2)] * bool(constant2)) * blocks
    return plain.nearest_square(vectors, [[Fraction(1)]] * len(vectors), metric)
