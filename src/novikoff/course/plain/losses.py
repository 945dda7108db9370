"""What each learner descends on; y = -1 or 1 is the label, a = w.x + b the activation, d the desired output."""

from __future__ import annotations

from math import log

from .activation_functions import logistic, predict, sign
from .vectors import Number, Rows, Vector, dot


def zero_one_loss(y: int, a: Number) -> int:
    """(1 - y sign(a)) / 2: 1 for an error, else 0.  Its slope is 0 wherever it has one, so there is nothing to descend on."""
    return (1 - y * sign(a)) // 2


def perceptron_loss(y: int, a: Number) -> Number:
    """max(0, -y a): how far a misclassified sample is on the wrong side."""
    return max(0, -y * a)


def squared_loss(d: Number, a: Number) -> Number:
    """(d - a)^2 / 2: Adaline."""
    return (d - a) * (d - a) / 2


def neuron_squared_loss(d: int, a: Number, s: Number = 1) -> float:
    """(d - phi(a))^2 / 2, d = 0 or 1."""
    return (d - logistic(a, s)) ** 2 / 2


def cross_entropy_loss(d: int, a: Number, s: Number = 1) -> float:
    """-log of the probability that the neuron gives the desired output d = 0 or 1: logistic regression."""
    return -log(logistic(a, s) if d == 1 else logistic(-a, s))


def hinge_loss(y: int, a: Number) -> Number:
    """max(0, 1 - y a): the slack that a sample needs."""
    return max(0, 1 - y * a)


def perceptron_objective(w: Vector, X: Rows, y: Vector) -> Number:
    """J = sum over the misclassified samples of -y w.x: never negative."""
    return sum(perceptron_loss(label, dot(w, x)) for x, label in zip(X, y, strict=True))


def objective_over_all_samples(w: Vector, X: Rows, y: Vector) -> Number:
    """J = (1/N) sum over all samples of -y w.x.  No objective: if it is negative for some w, 2 w makes it smaller still."""
    return sum(-label * dot(w, x) for x, label in zip(X, y, strict=True)) / len(X)


def target_output_objective(w: Vector, X: Rows, t: Vector) -> Number:
    """J = sum (t - o)^2 (-t w.x), o = sign(w.x): four times the perceptron's.  (The lecture leaves out the t in front of w.x.)"""
    return sum((target - predict(w, x)) ** 2 * -target * dot(w, x) for x, target in zip(X, t, strict=True))


def count_errors(w: Vector, X: Rows, y: Vector) -> int:
    """How many samples are given the wrong label."""
    return sum(predict(w, x) != label for x, label in zip(X, y, strict=True))


def misclassified(w: Vector, X: Rows, y: Vector) -> list[int]:
    """E, the numbers of the samples with y w.x <= 0, which training learns from: a tie is a mistake."""
    return [i for i, (x, label) in enumerate(zip(X, y, strict=True)) if label * dot(w, x) <= 0]
