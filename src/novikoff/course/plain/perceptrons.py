"""The perceptron, sample by sample and in batches, as the lectures write it.

Each function returns the weights w^0, w^1, ..., w^k: the first ones, and one more after every update; the last are the answer,
and k is the number of updates.  Rows have no bias; ``with_one`` gives them a constant feature.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from .neurons import misclassified, perceptron_step, sign, target_output_step
from .vectors import Number, Rows, Vector, dot, plus, start, total

Path = list[list[Number]]


def perceptron(X: Rows, y: Vector, w: Vector | None = None, eta: Number = 1, passes: int = 1000) -> Path:
    """w <- w + eta y x for every sample with y w.x <= 0, pass after pass until a pass makes no mistake."""
    path = [start(w, X)]
    for _ in range(passes):
        before = len(path)
        for x, label in zip(X, y, strict=True):
            if perceptron_step(label, dot(path[-1], x)):
                path.append(plus(path[-1], x, eta * label))
        if len(path) == before:
            break
    return path


def perceptron_by_outputs(X: Rows, t: Vector, w: Vector | None = None, eta: Number = 1, passes: int = 1000) -> Path:
    """w <- w + eta (t - o) x for every sample: right answers add nothing.  With half of eta, the path of ``perceptron``."""
    path = [start(w, X)]
    for _ in range(passes):
        before = len(path)
        for x, target in zip(X, t, strict=True):
            g = target_output_step(target, dot(path[-1], x))
            if g:
                path.append(plus(path[-1], x, eta * g))
        if len(path) == before:
            break
    return path


def batch_update(w: Vector, X: Rows, y: Vector, eta: Number = 1) -> list[Number]:
    """w + eta sum of y x over the misclassified samples, all judged by the old w."""
    return plus(w, total([[y[i] * v for v in X[i]] for i in misclassified(w, X, y)], len(w)), eta)


def batch_perceptron(X: Rows, y: Vector, w: Vector | None = None, eta: Number = 1, updates: int = 1000) -> Path:
    """Batch updates until no sample is misclassified."""
    return mini_batch_perceptron(X, y, len(X), w, eta, updates)


def mini_batch_perceptron(
    X: Rows, y: Vector, m: int, w: Vector | None = None, eta: Number = 1, passes: int = 1000
) -> Path:
    """The same with m samples at a time."""
    path = [start(w, X)]
    for _ in range(passes):
        before = len(path)
        for first in range(0, len(X), m):
            some, labels = X[first : first + m], y[first : first + m]
            if misclassified(path[-1], some, labels):
                path.append(batch_update(path[-1], some, labels, eta))
        if len(path) == before:
            break
    return path


def stochastic_perceptron(X: Rows, y: Vector, draws: Iterable[int], w: Vector | None = None, eta: Number = 1) -> Path:
    """Samples as they are drawn; ``draws`` has their numbers."""
    path = [start(w, X)]
    for i in draws:
        if perceptron_step(y[i], dot(path[-1], X[i])):
            path.append(plus(path[-1], X[i], eta * y[i]))
    return path


def perceptron_train(D: Sequence[tuple[Vector, int]], max_iter: int) -> tuple[Number, list[Number]]:
    """PerceptronTrain(D, MaxIter) of the last lecture, line by line: returns b and w."""
    w: list[Number] = [0] * len(D[0][0])
    b = 0
    for _ in range(max_iter):
        for x, y in D:
            a = dot(w, x) + b
            if y * a <= 0:
                w = [w_i + y * x_i for w_i, x_i in zip(w, x, strict=True)]
                b = b + y
    return b, w


def perceptron_test(b: Number, w: Vector, x: Vector) -> int:
    """PerceptronTest(b, w, X): sign(a)."""
    return sign(dot(w, x) + b)


def alternate(y: Vector) -> list[int]:
    """An order of the samples: + and - in turn, each sample once, what is left over at the end."""
    positive = [i for i, label in enumerate(y) if label > 0]
    negative = [i for i, label in enumerate(y) if label <= 0]
    return [i for pair in zip_longest(positive, negative) for i in pair if i is not None]
