"""The perceptron in dual form, where w = sum_i alpha_i y_i phi(x_i) is never written down: only products of samples are needed."""

from __future__ import annotations

from collections.abc import Callable
from math import exp

from .vectors import Number, Rows, Vector, dot

Kernel = Callable[[Vector, Vector], Number]


def linear_kernel(x: Vector, z: Vector) -> Number:
    """k(x, z) = x.z"""
    return dot(x, z)


def polynomial_kernel(x: Vector, z: Vector) -> Number:
    """k(x, z) = (x.z + 1)^2"""
    return (dot(x, z) + 1) ** 2


def radial_kernel(x: Vector, z: Vector) -> float:
    """The kernel k(x, z) = exp(-|x - z|^2)"""
    return exp(-sum((a - b) ** 2 for a, b in zip(x, z, strict=True)))


def dual_score(alpha: Vector, b: Number, X: Rows, y: Vector, x: Vector, kernel: Kernel = linear_kernel) -> Number:
    """sum_i alpha_i y_i k(x_i, x) + b"""
    return sum(a * label * kernel(z, x) for a, label, z in zip(alpha, y, X, strict=True)) + b


def dual_step(
    alpha: Vector, b: Number, X: Rows, y: Vector, i: int, kernel: Kernel = linear_kernel
) -> tuple[list[Number], Number]:
    """If sample i is a mistake, alpha_i <- alpha_i + 1 and b <- b + y_i R^2, R^2 = max k(x, x)."""
    if y[i] * dual_score(alpha, b, X, y, X[i], kernel) > 0:
        return list(alpha), b
    radius2 = max(kernel(x, x) for x in X)
    return [a + (j == i) for j, a in enumerate(alpha)], b + y[i] * radius2


def kernel_perceptron(
    X: Rows, y: Vector, kernel: Kernel = linear_kernel, passes: int = 1000
) -> tuple[list[Number], Number]:
    """alpha and b after a pass without a mistake, or after all passes.  alpha_i is the number of mistakes on sample i."""
    alpha: list[Number] = [0] * len(X)
    b: Number = 0
    for _ in range(passes):
        before = list(alpha)
        for i in range(len(X)):
            alpha, b = dual_step(alpha, b, X, y, i, kernel)
        if alpha == before:
            break
    return alpha, b
