"""How a rule for one output serves two classes, several classes, or real numbers.

A form is a ``NamedTuple`` around a rule, and functions chosen by its type:

``push(form, target, scores, ..., g)``  writes the step of every output; returns how many outputs move, the mistakes made,
                                and the row's squared length, if the rule asked for it;
``margin(form, target, scores)``    how clearly the answer is right: a mistake is a margin that is not positive;
``total_loss(form, target, scores)``  the loss of a sample;
``errs(form, target, scores)``      whether a prediction would name another class.

``loss_for_progress(rule, form, target, scores)`` is chosen by the rule: the loss, where it tells progress.

``target`` is a class number, or a real number.  Two classes have one output, whose score is positive for class 1.  A tie
is a mistake, but a prediction must answer: class 0, or the first of the largest scores.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled.jit import by_type, helper, part
from .rules import NO_RIVAL, NOT_ASKED, exp, judged_by_loss, log, log_1_plus, loss, squared_length, step, step_of_row


@by_type
def push(form, target, scores, rows, i, constant2, state, g):
    """Write the step of every output into ``g`` (zeros on entry); return how many outputs move, the mistakes made, and the
    squared length of row i, if the rule asked for it (``rules.squared_length``)."""


@by_type
def margin(form, target, scores):
    """Positive if and only if the answer is right and no tie."""


@by_type
def total_loss(form, target, scores):
    """The loss of one sample."""


@by_type
def errs(form, target, scores):
    """Whether the answer is wrong."""


@helper
def loss_for_progress(rule, form, target, scores):
    """The loss of one sample, of rules that it judges; 0 where mistakes tell progress."""
    return total_loss(form, target, scores) if judged_by_loss(rule) else 0.0


class Binary(NamedTuple):
    """Two classes, one output."""

    rule: Any


class Ovr(NamedTuple):
    """Several classes, one against the rest: a two-class problem for each."""

    rule: Any


class Worst(NamedTuple):
    """Several classes: the rule looks at the lead of the true class over its highest-scoring rival; the one gains what the
    other loses (Kesler's construction, see Duda & Hart 1973; Crammer & Singer 2001)."""

    rule: Any


class Two(NamedTuple):
    """Several classes: the rule looks at the lead of the true class over its two highest-scoring rivals together, ln(e^a + e^b) of their
    scores a and b, and each loses its share of what the true class gains.  Of cross-entropy this is the softmax over three classes (Bridle
    1990), the others being left as they are (ultraconservative; Crammer & Singer 2003).  For rules that ask for no length."""

    rule: Any


class All(NamedTuple):
    """Several classes: every rival whose lead asks for it loses a step, the true class gains the largest of them once (the
    generalised perceptron as lectured after Duda et al.; no mistake bound is known for it)."""

    rule: Any


class Uniform(NamedTuple):
    """Several classes: those rivals share the loss equally (ultraconservative; Crammer & Singer 2003)."""

    rule: Any


class Softmax(NamedTuple):
    """Several classes: g_k = s ([k = c] - p_k), p = softmax of s times the scores, s the rule's slope (Bridle 1990)."""

    rule: Any


class Real(NamedTuple):
    """Regression: one output, which ought to be the target itself."""

    rule: Any


FORMS = {
    "binary": Binary,
    "ovr": Ovr,
    "worst": Worst,
    "two": Two,
    "all": All,
    "uniform": Uniform,
    "softmax": Softmax,
    "real": Real,
}


@push.of(Binary)
def push_binary(form, target, scores, rows, i, constant2, state, g):
    y, a = sign(target, 1), np.float64(scores[0])
    length2 = squared_length(form.rule, y, a, rows, i, constant2, state, 0, NO_RIVAL, NOT_ASKED)
    move = step_of_row(form.rule, y, a, length2, state.memory, 0)
    g[0] = move
    return 1 if move != 0 else 0, 0 if y * a > 0 else 1, length2


@push.of(Ovr)
def push_ovr(form, target, scores, rows, i, constant2, state, g):
    mistakes = 0
    moves = 0
    length2 = NOT_ASKED
    for k in range(scores.size):
        y, a = sign(target, k), np.float64(scores[k])
        length2 = squared_length(form.rule, y, a, rows, i, constant2, state, k, NO_RIVAL, length2)
        move = step_of_row(form.rule, y, a, length2, state.memory, k)
        g[k] = move
        moves += move != 0
        mistakes += 0 if y * a > 0 else 1
    return moves, mistakes, length2


@push.of(Worst)
def push_worst(form, target, scores, rows, i, constant2, state, g):
    rival = best_rival(target, scores)
    lead = np.float64(scores[target]) - scores[rival]
    length2 = squared_length(form.rule, 1.0, lead, rows, i, constant2, state, target, rival, NOT_ASKED)
    move = step_of_row(form.rule, 1.0, lead, length2, state.memory, 0)
    g[target] = move
    g[rival] = -move
    return 2 if move != 0 else 0, 0 if lead > 0 else 1, length2


@push.of(Two)
def push_two(form, target, scores, rows, i, constant2, state, g):
    rival = best_rival(target, scores)
    second = next_rival(target, rival, scores)
    e = exp(np.float64(scores[second]) - scores[rival])
    move = step(form.rule, 1.0, lead_over_two(target, scores))
    g[target] = move
    g[rival] = -move / (1 + e)
    g[second] = -move * (e / (1 + e))
    return 3 if move != 0 else 0, 0 if lead_of(target, scores) > 0 else 1, NOT_ASKED


@push.of(All)
def push_all(form, target, scores, rows, i, constant2, state, g):
    gain = 0.0
    rivals = 0
    length2 = NOT_ASKED
    for k in range(scores.size):
        if k != target:
            lead = np.float64(scores[target]) - scores[k]
            length2 = squared_length(form.rule, 1.0, lead, rows, i, constant2, state, k, NO_RIVAL, length2)
            part = step_of_row(form.rule, 1.0, lead, length2, state.memory, 0)
            g[k] = -part
            gain = max(gain, part)
            rivals += part != 0
    g[target] = gain
    return rivals + 1 if gain != 0 else 0, 0 if lead_of(target, scores) > 0 else 1, length2


@push.of(Uniform)
def push_uniform(form, target, scores, rows, i, constant2, state, g):
    gain = 0.0
    rivals = 0
    length2 = NOT_ASKED
    for k in range(scores.size):
        if k != target:
            lead = np.float64(scores[target]) - scores[k]
            length2 = squared_length(form.rule, 1.0, lead, rows, i, constant2, state, k, NO_RIVAL, length2)
            part = step_of_row(form.rule, 1.0, lead, length2, state.memory, 0)
            g[k] = -part
            rivals += part != 0
    for k in range(scores.size):  # a loop that adds up writes nothing
        gain -= np.float64(g[k])
    g[target] = gain
    if rivals > 1:
        for k in range(scores.size):
            g[k] = np.float64(g[k]) / rivals
    return rivals + 1 if gain != 0 else 0, 0 if lead_of(target, scores) > 0 else 1, length2


@push.of(Softmax)
def push_softmax(form, target, scores, rows, i, constant2, state, g):
    slope = form.rule.slope
    top = highest(scores)
    total = 0.0
    for k in range(scores.size):
        g[k] = exp(slope * (scores[k] - top))
    for k in range(scores.size):  # a loop that adds up writes nothing
        total += np.float64(g[k])
    for k in range(scores.size):
        g[k] = g[k] * (-slope / total)
    g[target] = np.float64(g[target]) + slope
    return scores.size, 0 if lead_of(target, scores) > 0 else 1, NOT_ASKED


@push.of(Real)
def push_real(form, target, scores, rows, i, constant2, state, g):
    a = np.float64(scores[0])
    length2 = squared_length(form.rule, target, a, rows, i, constant2, state, 0, NO_RIVAL, NOT_ASKED)
    move = step_of_row(form.rule, target, a, length2, state.memory, 0)
    g[0] = move
    return 1 if move != 0 else 0, 0, length2


@margin.of(Binary)
def margin_binary(form, target, scores):
    return sign(target, 1) * scores[0]


@margin.of(Ovr)
def margin_ovr(form, target, scores):
    least = sign(target, 0) * scores[0]
    for k in range(1, scores.size):
        least = min(least, sign(target, k) * scores[k])
    return least


@margin.of(Worst, Two, All, Uniform, Softmax)
def margin_rival(form, target, scores):
    return lead_of(target, scores)


@margin.of(Real)
def margin_real(form, target, scores):
    return -abs(target - scores[0])


@total_loss.of(Binary)
def loss_binary(form, target, scores):
    return loss(form.rule, sign(target, 1), np.float64(scores[0]))


@total_loss.of(Ovr)
def loss_ovr(form, target, scores):
    total = 0.0
    for k in range(scores.size):
        total += loss(form.rule, sign(target, k), np.float64(scores[k]))
    return total


@total_loss.of(Worst)
def loss_worst(form, target, scores):
    return loss(form.rule, 1.0, lead_of(target, scores))


@total_loss.of(Two)
def loss_two(form, target, scores):
    return loss(form.rule, 1.0, lead_over_two(target, scores))


@total_loss.of(All)
def loss_all(form, target, scores):
    total = 0.0
    for k in range(scores.size):
        if k != target:
            total += loss(form.rule, 1.0, np.float64(scores[target]) - scores[k])
    return total


@total_loss.of(Uniform)
def loss_uniform(form, target, scores):
    total = 0.0
    rivals = 0
    for k in range(scores.size):
        if k != target:
            total += loss(form.rule, 1.0, np.float64(scores[target]) - scores[k])
            rivals += moves(form.rule, np.float64(scores[target]) - scores[k])
    return total / max(1, rivals)


@part
def moves(rule, lead):
    """1 if this lead over a rival asks for a step.  A call: Numba warns where it puts the step in this place."""
    return 1 if step(rule, 1.0, lead) != 0 else 0


@total_loss.of(Softmax)
def loss_softmax(form, target, scores):
    slope = form.rule.slope
    top = highest(scores)
    total = 0.0
    for k in range(scores.size):
        total += exp(slope * (scores[k] - top))
    return slope * (top - scores[target]) + log(total)


@total_loss.of(Real)
def loss_real(form, target, scores):
    return loss(form.rule, target, np.float64(scores[0]))


@errs.otherwise
def errs_class(form, target, scores):
    return answer(scores) != target


@errs.of(Real)
def errs_real(form, target, scores):
    return False


@helper
def sign(target, k):
    """The signed label of class k's output: +1 for the class itself, -1 for any other."""
    return 1.0 if target == k else -1.0


@helper
def answer(scores):
    """The class that a prediction names: class 1 for a positive score, else the first largest."""
    if scores.size == 1:
        return 1 if scores[0] > 0 else 0
    best = 0
    for k in range(1, scores.size):
        if scores[k] > scores[best]:
            best = k
    return best


@helper
def highest(scores):
    """The largest score."""
    top = scores[0]
    for k in range(1, scores.size):
        top = max(top, scores[k])
    return np.float64(top)


@helper
def best_rival(target, scores):
    """The highest-scoring class but the true one; the first of equals."""
    rival = 1 if target == 0 else 0
    for k in range(rival + 1, scores.size):
        if k != target and scores[k] > scores[rival]:
            rival = k
    return rival


@helper
def lead_of(target, scores):
    """By how much the true class leads its best rival."""
    return np.float64(scores[target]) - scores[best_rival(target, scores)]


@helper
def next_rival(target, rival, scores):
    """The highest-scoring class but the true one and this rival; the first of equals."""
    second = -1
    for k in range(scores.size):
        if k != target and k != rival and (second < 0 or scores[k] > scores[second]):
            second = k
    return second


@helper
def lead_over_two(target, scores):
    """By how much the true class leads the logarithm of the sum of its two best rivals' exponentials."""
    rival = best_rival(target, scores)
    e = exp(np.float64(scores[next_rival(target, rival, scores)]) - scores[rival])
    return np.float64(scores[target]) - scores[rival] - log_1_plus(e)
