"""What one sample does to the weights: ``w_k <- w_k + g_k x`` for every output k.

A rule is a ``NamedTuple`` whose fields are its parameters, and three short functions chosen by its type:

``push(rule, target, scores, g)``  writes ``g``; returns whether the weights move, and the number of mistakes;
``margin(rule, target, scores)``   how clearly the answer is right: a mistake is a margin that is not positive;
``loss(rule, target, scores)``     what the rule descends on.

A rule knows nothing of the order of samples, batches, sparse rows, sample weights or the bias: the loop owns those.
``target`` is the class number.  Two classes have one output whose score is positive for class 1.  A tie is a mistake,
else zero weights would never move; a comparison is written so that a score that is not a number is a mistake too.
"""

from __future__ import annotations

from typing import NamedTuple

from .jit import by_type, helper


@by_type
def push(rule, target, scores, g):
    """Write the step of every output into ``g`` (zeros on entry); return whether there is one, and the mistakes made."""


@by_type
def margin(rule, target, scores):
    """Positive if and only if the answer is right and no tie."""


@by_type
def loss(rule, target, scores):
    """The loss of one sample."""


# The perceptron (Rosenblatt 1958).  Two classes, signed label y: on a mistake, y a <= 0, g = eta y.


class PerceptronBinary(NamedTuple):
    """Two classes."""

    eta: float


class PerceptronWorst(NamedTuple):
    """Several classes: the true class gains, its highest-scoring rival loses (Kesler's construction; Duda & Hart 1973)."""

    eta: float


class PerceptronAll(NamedTuple):
    """Several classes: every rival that scores at least as high loses ``eta``, the true class gains ``eta`` once (the
    generalised perceptron as lectured after Duda et al.; no mistake bound is known for it)."""

    eta: float


class PerceptronUniform(NamedTuple):
    """Several classes: those rivals share the loss equally (ultraconservative; Crammer & Singer 2003)."""

    eta: float


class PerceptronOvr(NamedTuple):
    """Several classes: one two-class perceptron for each class against the rest."""

    eta: float


@push.of(PerceptronBinary)
def push_binary(rule, target, scores, g):
    y = sign(target, 1)
    if y * scores[0] > 0:
        return False, 0
    g[0] = rule.eta * y
    return True, 1


@push.of(PerceptronWorst)
def push_worst(rule, target, scores, g):
    rival = best_rival(target, scores)
    if scores[target] > scores[rival]:
        return False, 0
    g[target] = rule.eta
    g[rival] = -rule.eta
    return True, 1


@push.of(PerceptronAll)
def push_all(rule, target, scores, g):
    if count_rivals(target, scores) == 0:
        return False, 0
    for k in range(scores.size):
        if not scores[target] > scores[k]:
            g[k] = -rule.eta
    g[target] = rule.eta
    return True, 1


@push.of(PerceptronUniform)
def push_uniform(rule, target, scores, g):
    rivals = count_rivals(target, scores)
    if rivals == 0:
        return False, 0
    for k in range(scores.size):
        if not scores[target] > scores[k]:
            g[k] = -rule.eta / rivals
    g[target] = rule.eta
    return True, 1


@push.of(PerceptronOvr)
def push_ovr(rule, target, scores, g):
    mistakes = 0
    for k in range(scores.size):
        y = sign(target, k)
        if not y * scores[k] > 0:
            g[k] = rule.eta * y
            mistakes += 1
    return mistakes > 0, mistakes


@margin.of(PerceptronBinary)
def margin_binary(rule, target, scores):
    return sign(target, 1) * scores[0]


@margin.of(PerceptronWorst, PerceptronAll, PerceptronUniform)
def margin_rival(rule, target, scores):
    return scores[target] - scores[best_rival(target, scores)]


@margin.of(PerceptronOvr)
def margin_ovr(rule, target, scores):
    least = sign(target, 0) * scores[0]
    for k in range(1, scores.size):
        least = min(least, sign(target, k) * scores[k])
    return least


@loss.of(PerceptronBinary)
def loss_binary(rule, target, scores):
    return max(0.0, -sign(target, 1) * scores[0])


@loss.of(PerceptronWorst)
def loss_worst(rule, target, scores):
    return max(0.0, scores[best_rival(target, scores)] - scores[target])


@loss.of(PerceptronAll)
def loss_all(rule, target, scores):
    return total_lead(target, scores)


@loss.of(PerceptronUniform)
def loss_uniform(rule, target, scores):
    return total_lead(target, scores) / max(1, count_rivals(target, scores))


@loss.of(PerceptronOvr)
def loss_ovr(rule, target, scores):
    total = 0.0
    for k in range(scores.size):
        total += max(0.0, -sign(target, k) * scores[k])
    return total


@helper
def sign(target, k):
    """The signed label of class k's output: +1 for the class itself, -1 for any other."""
    return 1.0 if target == k else -1.0


@helper
def best_rival(target, scores):
    """The highest-scoring class but the true one; the first of equals."""
    rival = 1 if target == 0 else 0
    for k in range(rival + 1, scores.size):
        if k != target and scores[k] > scores[rival]:
            rival = k
    return rival


@helper
def count_rivals(target, scores):
    """How many rivals score at least as high as the true class."""
    rivals = -1  # the true class itself is met below
    for k in range(scores.size):
        if not scores[target] > scores[k]:
            rivals += 1
    return rivals


@helper
def total_lead(target, scores):
    """By how much the rivals that score higher than the true class lead it, added up."""
    lead = 0.0
    for k in range(scores.size):
        lead += max(0.0, scores[k] - scores[target])
    return lead


# The perceptron's rules: for two classes and for each multi-class form.
PERCEPTRON = {
    "binary": PerceptronBinary,
    "worst": PerceptronWorst,
    "all": PerceptronAll,
    "uniform": PerceptronUniform,
    "ovr": PerceptronOvr,
}
