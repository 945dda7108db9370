"""What one sample does to the weights of one output: ``w <- w + eta g x``.

A rule is a ``NamedTuple`` whose fields are its parameters, and two short functions chosen by its type:

``step(rule, y, a)``  g, where a = w.x + b is the score, and y what it ought to be: a label +1 or -1, or a real number;
``loss(rule, y, a)``  what the rule descends on: g is minus its derivative by a, wherever there is one.

A rule that needs to know more may ask for more, each by a separate function; what no rule asks for costs nothing:

``squared_length``    is registered for rules that ask for ``|x|^2``; they have ``step_of_row`` in the place of ``step``;
``remembers``         a field with a default: how many numbers it stores for each output, zero at first;
``after_step``        changes them once a step was made, and answers by what factor all weights shrink after it;

A rule knows nothing of several classes (``forms``), of the order of samples, batches, sparse rows, sample weights, the
bias or the rate: the loop owns those.  (What a rule remembers belongs to one output, and changes from row to row: such
rules serve two classes, one against the rest, and numbers, in batches of 1.)  A comparison is written so that a score that
is not a number is a mistake.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import by_type, helper
from .rows import norm2

TINY = 1e-300  # squares of smaller lengths are not exact
NOT_ASKED = -1.0  # the length of a row, where the rule does not ask for it


@by_type
def step(rule, y, a):
    """How far the output's weights move along x, but for the rate."""


@by_type
def loss(rule, y, a):
    """The loss of one sample at one output."""


@by_type
def step_of_row(rule, y, a, length2, memory, k):
    """``step`` for rules that also look at ``length2``, the row's ``squared_length``, or at ``memory[k]``, what they
    remember of output k.  A step that is not a number says that the length is out of range."""


@step_of_row.otherwise
def step_by_score(rule, y, a, length2, memory, k):
    return step(rule, y, a)


@by_type
def squared_length(rule, y, a, rows, i, constant2, vectors):
    """``|x|^2`` of row i, its constant feature counted, whose square is ``constant2``, times the number of weight ``vectors``
    that move together; ``NOT_ASKED`` where the step needs no length."""


@squared_length.otherwise
def squared_length_not_asked(rule, y, a, rows, i, constant2, vectors):
    return NOT_ASKED


@by_type
def after_step(rule, g, a, length2, memory, k):
    """Note in ``memory[k]`` that output k made the step ``g``, its rate and weight included, where its score was a; return
    the factor that its weights, bias included, are multiplied by."""


@after_step.otherwise
def after_step_nothing(rule, g, a, length2, memory, k):
    return 1.0


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
    z = rule.slope * y * a  # as in the loss, so that one exp serves both
    return y * rule.slope * sigmoid(-z)


@loss.of(CrossEntropy)
def loss_cross_entropy(rule, y, a):
    z = rule.slope * y * a
    e = np.exp(-abs(z))
    return max(0.0, -z) + log_1_plus(e)


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


@step_of_row.of(PassiveAggressive)
def step_passive_aggressive(rule, y, a, length2, memory, k):
    return y * capped(max(0.0, 1 - y * a), rule.cap, length2 + rule.soft)


@loss.of(PassiveAggressive)
def loss_passive_aggressive(rule, y, a):
    return max(0.0, 1 - y * a)


class PassiveAggressiveReal(NamedTuple):
    """The same for real numbers, with l = max(0, |y - a| - epsilon)."""

    cap: float
    soft: float
    epsilon: float


@step_of_row.of(PassiveAggressiveReal)
def step_passive_aggressive_real(rule, y, a, length2, memory, k):
    tau = capped(max(0.0, abs(y - a) - rule.epsilon), rule.cap, length2 + rule.soft)
    return tau if y > a else -tau


@loss.of(PassiveAggressiveReal)
def loss_passive_aggressive_real(rule, y, a):
    return max(0.0, abs(y - a) - rule.epsilon)


@squared_length.of(PassiveAggressive, PassiveAggressiveReal)
def squared_length_if_lost(rule, y, a, rows, i, constant2, vectors):
    return vectors * (norm2(rows, i) + constant2) if loss(rule, y, a) > 0 else NOT_ASKED


@helper
def capped(lost, cap, length2):
    """tau = min(cap, l / |x|^2); not a number if the length is out of range.  A row of zeros teaches nothing."""
    if lost == 0 or length2 == 0:
        return 0.0
    return min(cap, lost / length2) if length2 < np.inf else np.nan


class ALMA(NamedTuple):
    """A margin of at least (1 - alpha) times the largest one (Gentile 2001, with p = 2).

    On update k = 1, 2, ..., for a row with y a / |x| <= (1 - alpha) B / sqrt(k): w <- w + C / sqrt(k) y x / |x|, and then
    w <- w / max(1, |w|).  The rule remembers how many updates there were, and |w|^2.
    """

    alpha: float
    B: float
    C: float
    remembers: int = 2


@squared_length.of(ALMA)
def squared_length_always(rule, y, a, rows, i, constant2, vectors):
    return vectors * (norm2(rows, i) + constant2)


@step_of_row.of(ALMA)
def step_alma(rule, y, a, length2, memory, k):
    length, root = np.sqrt(length2), np.sqrt(memory[k, 0] + 1)
    if length == 0 or y * a * root > (1 - rule.alpha) * rule.B * length:
        return 0.0
    return y * rule.C / (root * length) if TINY < length2 < np.inf else np.nan


@loss.of(ALMA)
def loss_alma(rule, y, a):
    return max(0.0, -y * a)


@after_step.of(ALMA)
def after_step_alma(rule, g, a, length2, memory, k):
    square = memory[k, 1] + g * (2 * a + g * length2)  # |w + g x|^2
    memory[k, 0], memory[k, 1] = memory[k, 0] + 1, min(1.0, square)
    return 1 / max(1.0, np.sqrt(square))


# Rules whose weights move also where answers are right: their loss tells whether they make progress, not their mistakes.
LEARN_FROM_RIGHT_ANSWERS = (Delta, CrossEntropy, SquaredNeuron, Hinge, PassiveAggressive, PassiveAggressiveReal, ALMA)


@helper
def sigmoid(z):
    """1 / (1 + exp(-z)), never by way of a huge number."""
    e = np.exp(-abs(z))
    return (1.0 if z > 0 else e) / (1 + e)


@helper
def log_1_plus(e):
    """log(1 + e) for 0 <= e <= 1, as 2 artanh(e / (2 + e)): sums and products that the compiler keeps in line."""
    t = e / (2 + e)
    q = t * t
    q2 = q * q
    q4 = q2 * q2
    q8 = q4 * q4
    low = (1 + q * (1 / 3)) + q2 * (1 / 5 + q * (1 / 7)) + q4 * ((1 / 9 + q * (1 / 11)) + q2 * (1 / 13 + q * (1 / 15)))
    high = (
        (1 / 17 + q * (1 / 19))
        + q2 * (1 / 21 + q * (1 / 23))
        + q4 * ((1 / 25 + q * (1 / 27)) + q2 * (1 / 29 + q * (1 / 31)))
    )
    return 2 * t * (low + q8 * high)
