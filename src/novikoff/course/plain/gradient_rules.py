"""Rules that learn from every sample: Adaline, the neuron, the hinge, passive-aggressive.  Each returns all weights, as ``perceptrons``."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from .neurons import delta_step, hinge_step, neuron_step, passive_aggressive_step
from .perceptrons import Path
from .vectors import Number, Rows, Vector, dot, plus, square, start, times, total

Step = Callable[[Number, Number], Number]


def descend(X: Rows, d: Vector, step: Step, eta: Number, passes: int, w: Vector | None = None) -> Path:
    """w <- w + eta g x for one sample after another; g = step(d, w.x)."""
    path = [start(w, X)]
    for _ in range(passes):
        for x, desired in zip(X, d, strict=True):
            path.append(plus(path[-1], x, eta * step(desired, dot(path[-1], x))))
    return path


def adaline(X: Rows, d: Vector, eta: Number, passes: int, w: Vector | None = None) -> Path:
    """w <- w + eta (d - w.x) x.  (The lecture writes out - d, which climbs.)"""
    return descend(X, d, delta_step, eta, passes, w)


def batch_adaline(X: Rows, d: Vector, eta: Number, updates: int, w: Vector | None = None) -> Path:
    """w <- w + eta sum_i (d_i - w.x_i) x_i: gradient descent on sum (d - w.x)^2 / 2."""
    path = [start(w, X)]
    for _ in range(updates):
        steps = [times(delta_step(desired, dot(path[-1], x)), x) for x, desired in zip(X, d, strict=True)]
        path.append(plus(path[-1], total(steps, len(X[0])), eta))
    return path


def adaline_directly(X: Rows, d: Vector) -> list[Number]:
    """The weights of the least squared error at once: the normal equations sum_i x_i (x_i.w) = sum_i d_i x_i."""
    n = len(X[0])
    matrix = [[Fraction(sum(x[i] * x[j] for x in X)) for j in range(n)] for i in range(n)]
    return solve(matrix, [Fraction(sum(desired * x[i] for x, desired in zip(X, d, strict=True))) for i in range(n)])


def solve(matrix: list[list[Number]], right: list[Number]) -> list[Number]:
    """Gauss's elimination; refused where there is not one solution."""
    n = len(matrix)
    table = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if table[i][k]), None)
        if pivot is None:
            raise ValueError("Some column is a combination of the others: there are many solutions.")
        table[k], table[pivot] = table[pivot], table[k]
        table[k] = times(1 / table[k][k], table[k])
        table = [row if i == k else plus(row, table[k], -row[k]) for i, row in enumerate(table)]
    return [row[-1] for row in table]


def neuron(X: Rows, d: Vector, eta: Number, passes: int, w: Vector | None = None, step: Step = neuron_step) -> Path:
    """w <- w + eta (d - phi(w.x)) phi'(w.x) x, d = 0 or 1; with ``cross_entropy_step``, logistic regression."""
    return descend(X, d, step, eta, passes, w)


def online_svm(
    X: Rows, y: Vector, gamma: Number, delta: Number, passes: int, a: Vector | None = None, b: Number = 0
) -> list[tuple[list[Number], Number]]:
    """a <- a - delta a, and + delta gamma y x, b <- b + delta gamma y inside the margin: steps down the hinge form of the
    support vector machine.  Returns all (a, b)."""
    path = [(start(a, X), b)]
    for _ in range(passes):
        for x, label in zip(X, y, strict=True):
            a, b = path[-1]
            g = delta * gamma * hinge_step(label, dot(a, x) + b)
            path.append((plus(times(1 - delta, a), x, g), b + g))
    return path


def passive_aggressive(
    X: Rows, y: Vector, passes: int, variant: str = "PA", C: Number = 1, w: Vector | None = None
) -> Path:
    """w <- w + y tau x: the smallest change that makes the sample right by 1, or as much of it as C allows."""
    path = [start(w, X)]
    for _ in range(passes):
        for x, label in zip(X, y, strict=True):
            g = passive_aggressive_step(label, dot(path[-1], x), square(x), variant, C)
            path.append(plus(path[-1], x, g))
    return path
