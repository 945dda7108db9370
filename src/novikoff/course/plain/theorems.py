"""The theorems of the lectures as functions that compute what they promise."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb

from .neurons import step
from .vectors import Number, Rows, Vector, dot, plus, square, times

Unit = tuple[list[int], int]


def novikoff_bound(X: Rows, y: Vector, w_star: Vector) -> Number:
    """R^2 / gamma^2, R = max |x|, gamma = min y w*.x with w* made of length 1: from zero weights, with any eta, the perceptron makes
    no more mistakes (Novikoff 1962)."""
    radius2 = max(square(x) for x in X)
    least = min(label * dot(w_star, x) for x, label in zip(X, y, strict=True))
    return radius2 * square(w_star) / (least * least)


def gap(w: Vector, w_star: Vector, rho: Number) -> Number:
    """|w - rho w*|^2, which falls at every mistake if rho is large enough."""
    return square(plus(w, w_star, -rho))


def smallest_rho(X: Rows, y: Vector, w_star: Vector, theta2: Number) -> Number:
    """The least rho for which every mistake lowers the gap by theta^2 or more, whatever the weights: |x|^2 - 2 rho y w*.x <= -theta^2
    for every sample."""
    return max((square(x) + theta2) / (2 * label * dot(w_star, x)) for x, label in zip(X, y, strict=True))


def cover_count(N: int, d: int) -> int:
    """C(N, d) = 2 sum_{i=0..d} binomial(N - 1, i): labelings of N points in general position that a hyperplane makes (Cover 1965)."""
    return 2 * sum(comb(N - 1, i) for i in range(d + 1))


def cover_share(N: int, d: int) -> Fraction:
    """F(N, d) = C(N, d) / 2^N"""
    return Fraction(cover_count(N, d), 2**N)


def boolean_network(f: Callable[..., int], n: int) -> tuple[list[Unit], Unit]:
    """Any function of n bits as two levels of perceptrons that answer 1 if w.x + b > 0, else 0: one hidden unit for every input where f is
    1, which fires there and nowhere else, and an OR of them."""
    ones = [bits for bits in product((0, 1), repeat=n) if f(*bits)]
    hidden = [([2 * bit - 1 for bit in bits], 1 - sum(bits)) for bits in ones]
    return hidden, ([1] * len(hidden), 0)


def run_network(hidden: list[Unit], output: Unit, bits: Vector) -> int:
    """What the network answers."""
    signals = [step(dot(w, bits) + b) for w, b in hidden]
    return step(dot(output[0], signals) + output[1])


def cycle(X: Rows, y: Vector, passes: int = 1000) -> list[int] | None:
    """How often each sample was a mistake between two passes that began with the same weights: sum_i l_i y_i x_i = 0, so a loop of the
    perceptron proves that nothing separates.  None if none was seen."""
    w = [0] * len(X[0])
    starts: list[tuple[list[Number], list[int]]] = []
    counts = [0] * len(X)
    for _ in range(passes):
        for old, then in starts:
            if old == w:
                return [now - before for now, before in zip(counts, then, strict=True)]
        starts.append((w, list(counts)))
        before = list(counts)
        for i, (x, label) in enumerate(zip(X, y, strict=True)):
            if label * dot(w, x) <= 0:
                w = plus(w, times(label, x))
                counts[i] += 1
        if counts == before:
            return None
    return None
