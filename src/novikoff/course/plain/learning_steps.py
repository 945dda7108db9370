"""g, the step of every rule: a sample x changes the weights to w + eta g x."""

from __future__ import annotations

from .activation_functions import logistic, logistic_slope
from .losses import hinge_loss
from .vectors import Number


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
