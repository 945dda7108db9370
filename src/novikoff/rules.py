"""What one sample does to the weights of one output: ``w <- w + eta g x``.

A rule is a ``NamedTuple`` whose fields are its parameters, and two short functions chosen by its type:

``step(rule, y, a)``  g, where a = w.x + b is the score, and y what it ought to be: a label +1 or -1, or a real number;
``loss(rule, y, a)``  what the rule descends on: g is minus its derivative by a, wherever there is one.

A rule knows nothing of several classes (``forms``), of the order of samples, batches, sparse rows, sample weights, the
bias or the rate: the loop owns those.  A comparison is written so that a score that is not a number is a mistake.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .jit import by_type, helper
from .rows import norm2


@by_type
def step(rule, y, a):
    """How far the output's weights move along x, but for the rate."""


@by_type
def loss(rule, y, a):
    """The loss of one sample at one output."""


@by_type
def temper(rule, rows, i, constant2, vectors, g):
    """Make the steps ``g`` fit the length of row i, whose constant feature has the square ``constant2``; ``vectors``
    weight vectors move together.  Most rules leave them as they are.  Return whether that length is a usable number."""


@temper.otherwise
def temper_nothing(rule, rows, i, constant2, vectors, g):
    return True


class Perceptron(NamedTuple):
    """On a mistake, y a <= 0, a step towards y (Rosenblatt 1958).  A tie is a mistake, else zero weights would never move."""


@step.of(Perceptron)
def step_perceptron(rule, y, a):
    return 0.0 if y * a > 0 else y


@loss.of(Perceptron)
def loss_perceptron(rule, y, a):
    return max(0.0, -y * a)


class Delta(NamedTuple):
    """The delta rule of Adaline: a step in proportion to the error (Widrow & Hoff 1960)."""


@step.of(Delta)
def step_delta(rule, y, a):
    return y - a


@loss.of(Delta)
def loss_delta(rule, y, a):
    return 0.5 * (y - a) ** 2


class CrossEntropy(NamedTuple):
    """The logistic neuron, maximum likelihood: g = s (d - phi(a)), phi(a) = 1 / (1 + exp(-s a)), d = (y + 1) / 2."""

    slope: float


@step.of(CrossEntropy)
def step_cross_entropy(rule, y, a):
    return y * rule.slope * sigmoid(-rule.slope * y * a)


@loss.of(CrossEntropy)
def loss_cross_entropy(rule, y, a):
    z = rule.slope * y * a
    return max(0.0, -z) + np.log1p(np.exp(-abs(z)))


class SquaredNeuron(NamedTuple):
    """The logistic neuron, squared error: g = (d - phi(a)) phi'(a), phi' = s phi (1 - phi) (Rumelhart et al. 1986)."""

    slope: float


@step.of(SquaredNeuron)
def step_squared_neuron(rule, y, a):
    miss = sigmoid(-rule.slope * y * a)  # |d - phi(a)|
    return y * miss * rule.slope * miss * (1 - miss)


@loss.of(SquaredNeuron)
def loss_squared_neuron(rule, y, a):
    return 0.5 * sigmoid(-rule.slope * y * a) ** 2


class Hinge(NamedTuple):
    """The hinge loss of support vector machines: a step wherever y a < 1 (primal, online)."""


@step.of(Hinge)
def step_hinge(rule, y, a):
    return 0.0 if y * a >= 1 else y


@loss.of(Hinge)
def loss_hinge(rule, y, a):
    return max(0.0, 1 - y * a)


class PassiveAggressive(NamedTuple):
    """The smallest step that gives the sample a margin of 1, capped (Crammer et al. 2006).

    tau = min(cap, l / (|x|^2 + soft)), l = max(0, 1 - y a).  PA: cap infinite, soft 0; PA-I: cap C; PA-II: soft 1 / (2 C).
    """

    cap: float
    soft: float


@step.of(PassiveAggressive)
def step_passive_aggressive(rule, y, a):
    return y * max(0.0, 1 - y * a)


@loss.of(PassiveAggressive)
def loss_passive_aggressive(rule, y, a):
    return max(0.0, 1 - y * a)


class PassiveAggressiveReal(NamedTuple):
    """The same for real numbers, with l = max(0, |y - a| - epsilon)."""

    cap: float
    soft: float
    epsilon: float


@step.of(PassiveAggressiveReal)
def step_passive_aggressive_real(rule, y, a):
    beyond = max(0.0, abs(y - a) - rule.epsilon)
    return beyond if y > a else -beyond


@loss.of(PassiveAggressiveReal)
def loss_passive_aggressive_real(rule, y, a):
    return max(0.0, abs(y - a) - rule.epsilon)


@temper.of(PassiveAggressive, PassiveAggressiveReal)
def temper_passive_aggressive(rule, rows, i, constant2, vectors, g):
    length2 = vectors * (norm2(rows, i) + constant2) + rule.soft
    usable = length2 < np.inf
    for k in range(g.size):
        size = min(rule.cap, abs(g[k]) / length2) if length2 > 0 else 0.0  # nothing can be learned from a row of zeros
        g[k] = size if g[k] > 0 else -size
        usable &= size < np.inf and (size == 0 or g[k] != 0)  # neither too large nor too small a step for floats
    return usable


@helper
def sigmoid(z):
    """1 / (1 + exp(-z)), never by way of a huge number."""
    e = np.exp(-abs(z))
    return 1 / (1 + e) if z > 0 else e / (1 + e)
