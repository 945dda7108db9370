"""Small classification problems of every awkward sort, made from a seed."""

import numpy as np


def small_problem(seed):
    """X, class numbers, number of classes and whether there is an intercept."""
    rng = np.random.default_rng(seed)
    n_classes = 2 if rng.random() < 0.75 else int(rng.integers(3, 5))
    d = int(rng.integers(1, 4 if n_classes == 2 else 3))
    n = int(rng.integers(n_classes, 11 if n_classes == 2 else 8))
    X = SORTS[int(rng.integers(len(SORTS)))](rng, n, d)
    target = labels(rng, X, n_classes)
    if rng.random() < 0.3:
        X, target = awkward(rng, X, target)
    if rng.random() < 0.25:
        X = X * 2.0 ** rng.integers(-330, 331, size=X.shape[1])
    target[:n_classes] = np.arange(n_classes)
    return X, target, n_classes, bool(rng.random() < 0.7)


def labels(rng, X, n_classes):
    """By a plane, sometimes with some turned over; or at random."""
    if rng.random() < 0.3:
        return rng.integers(n_classes, size=len(X))
    scores = X @ rng.normal(size=(X.shape[1], n_classes)) + rng.normal(size=n_classes) * (rng.random() < 0.7)
    target = np.argmax(scores, axis=1)
    turned = rng.random(len(X)) < (0.15 if rng.random() < 0.4 else 0)
    target[turned] = rng.integers(n_classes, size=int(turned.sum()))
    return target


def awkward(rng, X, target):
    """Duplicates, constant, equal, collinear and shifted columns."""
    which = rng.integers(6)
    if which == 0:
        again = rng.integers(len(X), size=2)
        return np.vstack([X, X[again]]), np.append(target, rng.integers(target.max() + 1, size=2))
    if which == 1:
        return np.column_stack([X, np.full(len(X), rng.integers(-2, 3))]), target
    if which == 2:
        return np.column_stack([X, X[:, 0]]), target
    if which == 3:
        return np.column_stack([X, X @ rng.integers(-2, 3, size=X.shape[1])]), target
    if which == 4:
        return X + 2.0 ** rng.integers(10, 40), target
    return X.astype(np.float32).astype(float), target


def nearly(rng, n, d):
    """Points on both sides of a line, from far to within 1e-16 of it."""
    X = rng.normal(size=(n, d))
    X[:, -1] = X[:, :-1].sum(axis=1) + rng.choice([-1, 1], size=n) * 10.0 ** rng.integers(-16, 1, size=n)
    return X


SORTS = (
    lambda rng, n, d: rng.normal(size=(n, d)),
    lambda rng, n, d: rng.integers(-1, 2, size=(n, d)).astype(float),
    lambda rng, n, d: rng.integers(-3, 4, size=(n, d)).astype(float),
    lambda rng, n, d: rng.integers(0, 2, size=(n, d)).astype(float),
    lambda rng, n, d: rng.integers(-(10**6), 10**6, size=(n, d)) / 1000.0,
    nearly,
)


def whole_numbers(seed, classes=2, rows=30, features=4):
    """Rows of whole numbers with labels that need not be separable."""
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(classes), rng.integers(0, classes, rows - classes))
    return rng.integers(-5, 6, (rows, features)), y
