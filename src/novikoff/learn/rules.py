"""What one sample does to the weights of one output: ``w <- w + eta g x``.

A rule is a ``NamedTuple`` whose fields are its parameters, and two short functions chosen by its type:

``step(rule, y, a)``  g, where a = w.x + b is the score, and y what it ought to be: a label +1 or -1, or a real number;
``loss(rule, y, a)``  what the rule descends on: g is minus its derivative by a, wherever there is one.

A rule that needs to know more may ask for more, each by a separate function; what no rule asks for costs nothing:

``squared_length``    is registered for rules that ask for ``|x|^2``; they have ``step_of_row`` in the place of ``step``;
``remembers``         a field with a default: how many numbers it stores for each output, zero at first;
``after_step``        changes them once a step was made, and answers by what factor all weights shrink after it;
``mixes``             a field with the default False: weights of several partitions, mixed, are not those that the rule would have;
``per_feature``       has what rules use that remember numbers of each weight, and scale steps feature by feature.

A rule knows nothing of several classes (``forms``), of the order of samples, batches, sparse rows, sample weights, the
bias or the rate: the loop owns those.  (What a rule remembers belongs to one output, and changes from row to row: such
rules serve two classes, one against the rest, and numbers, in batches of 1.)  A comparison is written so that a score that
is not a number is a mistake.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..compiled.arithmetic import power_of_two
from ..compiled.jit import by_type, helper
from .per_feature import each_column, each_feature, grown, moved, note_row, row_sum, scored_by_sums, term
from .rows import norm2

TINY = 1e-300  # squares of smaller lengths are not exact
NOT_ASKED = -1.0  # the length of a row, where the rule does not ask for it
NO_RIVAL = -1  # where one output moves


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
def squared_length(rule, y, a, rows, i, constant2, state, k, rival, known):
    """``|x|^2`` of row i, its constant feature counted, whose square is ``constant2``, summed over output k and the ``rival`` that
    moves with it, if there is one; ``NOT_ASKED`` where the step needs no length.  ``known``: what was said of another output."""


@squared_length.otherwise
def squared_length_not_asked(rule, y, a, rows, i, constant2, state, k, rival, known):
    return NOT_ASKED


@by_type
def after_step(rule, g, a, length2, memory, k):
    """Note in ``memory[k]`` that output k made the step ``g``, its rate and weight included, where its score was a; return
    the factor that its weights, bias included, are multiplied by."""


@after_step.otherwise
def after_step_nothing(rule, g, a, length2, memory, k):
    return 1.0


@by_type
def judged_by_loss(rule):
    """Whether the loss tells if a rule makes progress: so it is where weights also move for right answers.  Else mistakes tell it."""


@judged_by_loss.otherwise
def loss_tells(rule):
    return True


class Perceptron(NamedTuple):
    """On a mistake, y a <= 0, a step towards y (Rosenblatt 1958).  A tie is a mistake, else zero weights would never move."""


@step.of(Perceptron)
def step_perceptron(rule, y, a):
    return 0.0 if y * a > 0 else y


@loss.of(Perceptron)
def loss_perceptron(rule, y, a):
    return max(0.0, -y * a)


@judged_by_loss.of(Perceptron)
def mistakes_tell(rule):
    return False


class Delta(NamedTuple):
    """The delta rule of Adaline: a step in proportion to the error (Widrow & Hoff 1960)."""


@step.of(Delta)
def step_delta(rule, y, a):
    return y - a


@loss.of(Delta)
def loss_delta(rule, y, a):
    return 0.5 * ((y - a) * (y - a))


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
    return max(0.0, -z) + log_1_plus(exp(-abs(z)))


class SquaredNeuron(NamedTuple):
    """The logistic neuron, squared error: g = (d - phi(a)) phi'(a), phi' = s phi (1 - phi) (Rumelhart et al. 1986)."""

    slope: float


@step.of(SquaredNeuron)
def step_squared_neuron(rule, y, a):
    miss = sigmoid(-rule.slope * y * a)  # |d - phi(a)|
    return y * miss * rule.slope * miss * (1 - miss)


@loss.of(SquaredNeuron)
def loss_squared_neuron(rule, y, a):
    miss = sigmoid(-rule.slope * y * a)
    return 0.5 * (miss * miss)


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
def squared_length_if_lost(rule, y, a, rows, i, constant2, state, k, rival, known):
    if known >= 0:
        return known
    return (2 if rival >= 0 else 1) * (norm2(rows, i) + constant2) if loss(rule, y, a) > 0 else NOT_ASKED


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
    mixes: bool = False


@squared_length.of(ALMA)
def squared_length_always(rule, y, a, rows, i, constant2, state, k, rival, known):
    return known if known >= 0 else (2 if rival >= 0 else 1) * (norm2(rows, i) + constant2)


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


@each_column
@each_feature
class AdaGrad(NamedTuple):
    """Steps on the loss of another rule, each feature's divided by the root of the sum of its squared slopes (Duchi, Hazan & Singer
    2011), normalised (Ross, Mineiro & Langford 2013, algorithm 2), so that the scales of columns do not matter:

    s_j = max |x_j| so far, w_j <- w_j s_j before / s_j now where it grew; N += sum_j (x_j / s_j)^2, t += 1 with every row;
    G_j += (g x_j)^2, w_j += eta sqrt(t / N) g x_j / (s_j sqrt(G_j)).  It remembers G of each weight, s of each column, N and t.
    """

    descends: Any  # the rule whose loss it is
    remembers: int = 2
    per_weight: int = 1
    per_column: int = 1


@step.of(AdaGrad)
def step_adagrad(rule, y, a):
    return step(rule.descends, y, a)


@loss.of(AdaGrad)
def loss_adagrad(rule, y, a):
    return loss(rule.descends, y, a)


@grown.of(AdaGrad)
def grown_adagrad(rule, x, per_column, j):
    before = per_column[0, j]
    per_column[0, j] = max(before, x)
    return before / per_column[0, j]  # 0 at first, as the weight is


@term.of(AdaGrad)
def term_adagrad(rule, x, w, per_weight, a, b, per_column, j):
    share = x / max(per_column[0, j], TINY)
    return share * share


@note_row.of(AdaGrad)
def note_row_adagrad(rule, total, memory, k):
    memory[k, 0] += total
    memory[k, 1] += 1


@moved.of(AdaGrad)
def moved_adagrad(rule, x, w, g, rate, memory, k, per_weight, a, b, per_column, j):
    slope = g * x
    per_weight[0, a, b] += slope * slope
    if not per_weight[0, a, b] > 0 or slope == 0:
        return w
    rate *= np.sqrt(memory[k, 1] / memory[k, 0])
    return w + rate * slope / (per_column[0, j] * np.sqrt(per_weight[0, a, b]))


@each_feature
class AROW(NamedTuple):
    """Adaptive regularisation of weights, diagonal (Crammer, Kulesza & Dredze 2009): every weight has a variance S_j, 1 at first.

    Where l = max(0, 1 - y a) > 0: v = sum_j S_j x_j^2, w_j += y l / (v + r) S_j x_j, then 1 / S_j += x_j^2 / r.  It remembers
    1 / S_j - 1.  Two outputs that move together add their v.
    """

    r: float
    per_weight: int = 1


@loss.of(AROW)
def loss_arow(rule, y, a):
    return max(0.0, 1 - y * a)


@term.of(AROW)
def term_arow(rule, x, w, per_weight, a, b, per_column, j):
    return np.float64(x) * x / (1 + per_weight[0, a, b])


@squared_length.of(AROW)
def variance_of_row(rule, y, a, rows, i, constant2, state, k, rival, known):
    if not loss(rule, y, a) > 0:
        return NOT_ASKED
    variance = row_sum(rule, rows, i, constant2, state, k)
    return variance + (row_sum(rule, rows, i, constant2, state, rival) if rival >= 0 else 0.0)


@step_of_row.of(AROW)
def step_arow(rule, y, a, length2, memory, k):
    return y * capped(max(0.0, 1 - y * a), np.inf, length2 + rule.r)


@moved.of(AROW)
def moved_arow(rule, x, w, g, rate, memory, k, per_weight, a, b, per_column, j):
    variance = 1 / (1 + per_weight[0, a, b])
    per_weight[0, a, b] += np.float64(x) * x / rule.r
    return w + rate * g * variance * x


@scored_by_sums
@each_feature
class SecondOrder(NamedTuple):
    """The second-order perceptron, diagonal (Cesa-Bianchi, Conconi & Gentile 2005).

    On a mistake v_j += y x_j and A_j += x_j^2, where A_j = a at first, and w_j = v_j / A_j; whether it is one is told with the row
    in A: y sum_j v_j x_j / (A_j + x_j^2) <= 0.  It remembers A_j - a; v_j is w_j A_j.  A row of weight s is s rows in both sums.
    """

    a: float
    per_weight: int = 1
    mixes: bool = False


@step.of(SecondOrder)
def step_second_order(rule, y, a):
    return 0.0 if y * a > 0 else y


@loss.of(SecondOrder)
def loss_second_order(rule, y, a):
    return max(0.0, -y * a)


@judged_by_loss.of(SecondOrder)
def mistakes_tell_of_second_order(rule):
    return False


@term.of(SecondOrder)
def term_second_order(rule, x, w, per_weight, a, b, per_column, j):
    before = rule.a + per_weight[0, a, b]
    return w * x * (before / (before + np.float64(x) * x))


@moved.of(SecondOrder)
def moved_second_order(rule, x, w, g, rate, memory, k, per_weight, a, b, per_column, j):
    before = rule.a + per_weight[0, a, b]
    per_weight[0, a, b] += abs(g) * (np.float64(x) * x)
    return (w * before + rate * g * x) / (rule.a + per_weight[0, a, b])


@helper
def sigmoid(z):
    """1 / (1 + exp(-z)), never by way of a huge number."""
    e = exp(-abs(z))
    return (1.0 if z > 0 else e) / (1 + e)


LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")  # few enough digits that whole numbers times it are exact
LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")  # ln 2 less that
LOG2_E = 1 / math.log(2)
ROUNDING = 1.5 * 2.0**52  # a number that is added and taken off again is rounded to a whole one
LEAST_POWER = -708.0  # below it e^x leaves the range of normal numbers

E3, E4, E5, E6, E7, E8, E9, E10, E11, E12, E13 = (1 / math.factorial(power) for power in range(3, 14))


@helper
def exp(x):
    """e^x for x <= 0; 0 below ``LEAST_POWER``.

    e^x = 2^n e^r with n = round(x / ln 2), |r| <= ln(2) / 2, where a few terms of the series of e^r suffice.
    """
    x = np.float64(x)
    bounded = x if x > LEAST_POWER else LEAST_POWER
    n = (bounded * LOG2_E + ROUNDING) - ROUNDING
    r = (bounded - n * LN2_HIGH) - n * LN2_LOW
    q = r * r
    q2 = q * q
    low = (0.5 + r * E3) + q * (E4 + r * E5)
    high = ((E6 + r * E7) + q * (E8 + r * E9)) + q2 * ((E10 + r * E11) + q * (E12 + r * E13))
    e = 1.0 + (r + q * (low + q2 * high))
    return e * power_of_two(n) if x > LEAST_POWER else 0.0


@helper
def log(x):
    """log(x) for x >= 1: halved until it is at most 2."""
    n = 0.0
    while x > 2:
        x = 0.5 * x
        n += 1.0
    return n * LN2_HIGH + (log_1_plus(x - 1.0) + n * LN2_LOW)


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
