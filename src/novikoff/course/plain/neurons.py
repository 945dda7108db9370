"""What a neuron answers, what it pays for that, and how it learns from a sample.

y = -1 or 1 is the label, a = w.x + b the activation, d the desired output.  g is the step of every rule: a sample x changes the
weights to w + eta g x.
"""

from __future__ import annotations

from math import exp, log, tanh

from .vectors import Number, Rows, Vector, dot


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


def perceptron_step(y: int, a: Number) -> int:
    """y for a mistake, y a <= 0, else 0.  A tie is a mistake, else zero weights would never move (Rosenblatt 1958)."""
    return 0 if y * a > 0 else y


def target_output_step(t: int, a: Number) -> int:
    """t - o with o = sign(a), and o = -t at a tie: twice the perceptron's step."""
    o = -t if a == 0 else 1 if a > 0 else -1
    return t - o


def delta_step(d: Number, a: Number) -> Number:
    """d - a, minus the slope of (d - a)^2 / 2: Adaline, the delta rule (Widrow and Hoff 1960)."""
    return d - a


def neuron_step(d: Number, a: Number, s: Number = 1) -> Number:
    """(d - phi(a)) phi'(a), d = 0 or 1: the neuron with a squared error."""
    return (d - logistic(a, s)) * logistic_slope(a, s)


def cross_entropy_step(d: Number, a: Number, s: Number = 1) -> Number:
    """s (d - phi(a)), d = 0 or 1: logistic regression."""
    return s * (d - logistic(a, s))


def hinge_step(y: int, a: Number) -> int:
    """y inside the margin, y a < 1, else 0: the support vector machine, online."""
    return y if y * a < 1 else 0


def passive_aggressive_length(loss: Number, length2: Number, variant: str = "PA", C: Number = 1) -> Number:
    """tau: PA goes just as far as the loss asks, PA-I not beyond C, PA-II a part of the way (Crammer et al. 2006).

    ``length2`` is |x|^2 (where two classes move, 2 |x|^2); a row of zeros teaches nothing.
    """
    if length2 == 0:
        return 0
    if variant == "PA":
        return loss / length2
    if variant == "PA-I":
        return min(C, loss / length2)
    return loss / (length2 + 1 / (2 * C))


def passive_aggressive_step(y: int, a: Number, length2: Number, variant: str = "PA", C: Number = 1) -> Number:
    """y tau: nothing if the sample is right by 1, else what makes it so."""
    return y * passive_aggressive_length(hinge_loss(y, a), length2, variant, C)


def passive_aggressive_regression_step(
    y: Number, a: Number, length2: Number, epsilon: Number = 0, variant: str = "PA", C: Number = 1
) -> Number:
    """The same for numbers: an error of up to epsilon costs nothing."""
    loss = max(0, abs(y - a) - epsilon)
    return (1 if y > a else -1) * passive_aggressive_length(loss, length2, variant, C)
