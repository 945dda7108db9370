"""The perceptron in dual form, where w = sum_i alpha_i y_i phi(x_i) is never written down: only products of samples are needed.

The support vector machine is solved in this form, two alphas at a time, and the gap proves an answer.

    primal  min 1/2 |w|^2 + C sum_i max(0, 1 - y_i (w.x_i + b))
    dual    max sum_i alpha_i - 1/2 sum_ij alpha_i alpha_j y_i y_j k(x_i, x_j),   0 <= alpha_i <= C,   sum_i alpha_i y_i = 0

Any feasible alpha gives a lower bound of any (w, b): where both are equal, both are best.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, sqrt
from typing import NamedTuple

from .neurons import hinge_loss
from .vectors import Number, Rows, Vector, dot, plus, square

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


class Machine(NamedTuple):
    """alpha, b, and how far apart the two objectives are."""

    alpha: list[float]
    b: float
    gap: float


def svm_dual(
    X: Rows, y: Vector, C: Number = inf, kernel: Kernel = linear_kernel, steps: int = 10_000, tol: float = 1e-9
) -> Machine:
    """Move the two alphas that violate optimality most, together, so that sum alpha y stays 0, until none do (Platt 1998).

    The scores v_i = y_i - sum_j alpha_j y_j k(x_j, x_i) are equal for all samples that are free to move where alpha is best.
    """
    n = len(X)
    K = [[kernel(x, z) for z in X] for x in X]
    alpha = [0.0] * n
    v = [float(label) for label in y]
    for _ in range(steps):
        i = max((i for i in range(n) if (alpha[i] < C if y[i] > 0 else alpha[i] > 0)), key=lambda i: v[i])
        j = min((j for j in range(n) if (alpha[j] > 0 if y[j] > 0 else alpha[j] < C)), key=lambda j: v[j])
        if v[i] - v[j] <= tol:
            break
        room = min(C - alpha[i] if y[i] > 0 else alpha[i], alpha[j] if y[j] > 0 else C - alpha[j])
        curve = K[i][i] + K[j][j] - 2 * K[i][j]
        move = min(room, (v[i] - v[j]) / curve) if curve > 0 else room
        if move == inf:
            raise ValueError("Two equal samples have different labels: no hard margin exists, choose a finite C.")
        alpha[i], alpha[j] = alpha[i] + move * y[i], alpha[j] - move * y[j]
        v = [v[m] - move * (K[i][m] - K[j][m]) for m in range(n)]
    scores = [label - rest for label, rest in zip(y, v, strict=True)]
    b = sum(best_biases(scores, y)) / 2
    return Machine(alpha, b, primal_value(alpha, b, scores, y, C) - dual_value(alpha, scores, y))


def best_biases(scores: Vector, y: Vector) -> tuple[Number, Number]:
    """The smallest and the largest b of the least slack, up to rounding: the sum of slacks is least where one of them begins,
    y_i (score_i + b) = 1."""
    starts = sorted(label - a for a, label in zip(scores, y, strict=True))
    slack = [sum(hinge_loss(label, a + b) for a, label in zip(scores, y, strict=True)) for b in starts]
    least = [b for b, s in zip(starts, slack, strict=True) if s <= min(slack) + 1e-9]
    return least[0], least[-1]


def primal_value(alpha: Vector, b: Number, scores: Vector, y: Vector, C: Number) -> Number:
    """1/2 |w|^2 + C sum of slacks, w = sum alpha y phi(x); scores are those without b.  (With C = inf slacks of rounding are left
    out.)"""
    norm2 = sum(a * label * score for a, label, score in zip(alpha, y, scores, strict=True))
    slack = sum(hinge_loss(label, score + b) for label, score in zip(y, scores, strict=True))
    return norm2 / 2 + (C * slack if inf > C else 0 if slack < 1e-6 else inf)


def dual_value(alpha: Vector, scores: Vector, y: Vector) -> Number:
    """L_d = sum alpha - 1/2 |w|^2"""
    return sum(alpha) - sum(a * label * score for a, label, score in zip(alpha, y, scores, strict=True)) / 2


def dual_weights(alpha: Vector, X: Rows, y: Vector) -> list[Number]:
    """w = sum_i alpha_i y_i x_i: the samples with alpha_i > 0 support it."""
    w: list[Number] = [0] * len(X[0])
    for a, label, x in zip(alpha, y, X, strict=True):
        w = plus(w, x, a * label)
    return w


def signed_distance(w: Vector, b: Number, x: Vector) -> float:
    """(w.x + b) / |w|"""
    return (dot(w, x) + b) / sqrt(square(w))


def margin(w: Vector, b: Number, X: Rows, y: Vector) -> float:
    """The least y (w.x + b) / |w|: negative if a sample is on the wrong side."""
    return min(label * signed_distance(w, b, x) for x, label in zip(X, y, strict=True))


def slacks(w: Vector, b: Number, X: Rows, y: Vector) -> list[Number]:
    """The slacks z_i = max(0, 1 - y_i (w.x_i + b))"""
    return [hinge_loss(label, dot(w, x) + b) for x, label in zip(X, y, strict=True)]
