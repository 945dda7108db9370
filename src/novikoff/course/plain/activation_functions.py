"""What a neuron makes of its activation a = w.x + b."""

from __future__ import annotations

from math import exp, tanh

from .vectors import Number, Vector, dot


def sign(a: Number) -> int:
    """1 if a > 0, else -1: a tie is answered with -1."""
    return 1 if a > 0 else -1


def mcculloch_pitts(a: Number) -> int:
    """1 if a >= 0, else -1: here a tie is answered with 1 (McCulloch and Pitts 1943)."""
    return 1 if a >= 0 else -1


def step(a: Number) -> int:
    """1 if a > 0, else 0."""
    return 1 if a > 0 else 0


def identity(a: Number) -> Number:
    """a itself: Adaline."""
    return a


def logistic(a: Number, s: Number = 1) -> float:
    """phi(a) = 1 / (1 + e^(-s a)), the smooth step; s is its slope."""
    z = s * a
    return 1 / (1 + exp(-z)) if z >= 0 else exp(z) / (1 + exp(z))


def logistic_slope(a: Number, s: Number = 1) -> Number:
    """phi'(a) = s phi(a) (1 - phi(a))"""
    return s * logistic(a, s) * (1 - logistic(a, s))


def hyperbolic(a: Number) -> float:
    """tanh(a) = 2 phi(2 a) - 1: the smooth sign."""
    return tanh(a)


def softmax(scores: Vector, s: Number = 1) -> list[float]:
    """p_k = e^(s a_k) / sum_j e^(s a_j): several classes at once."""
    powers = [exp(s * (a - max(scores))) for a in scores]
    return [power / sum(powers) for power in powers]


def predict(weights: Vector, x: Vector) -> int:
    """The class of a perceptron without a bias (or with a constant feature): 1 or -1."""
    return sign(dot(weights, x))


def largest(scores: Vector) -> int:
    """The class of several discriminant functions: the first largest."""
    return list(scores).index(max(scores))
