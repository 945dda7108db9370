"""Every learner of the package, slow, with all its choices: the steps are those of ``novikoff.course.plain``, every definition taken
at its word.

``Twin`` learns from the same rows in the same order as the library.  Its weights have one row for each output and the
bias as last column.  The bias is the weight w0 of a constant feature c, times c: as w0 moves by g c, b = c w0 moves by
g c^2, so rows are scored as (x, 1) and added as (x, c^2).  Without a bias c = 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from novikoff.course import plain


class Rule(NamedTuple):
    """A learning rule by its name, and the parameters that some rules have."""

    name: str = "perceptron"  # "delta", "cross_entropy", "squared", "hinge", "pa", "pa_real" or "alma"
    slope: float = 1.0  # of the neuron
    lam: float = 0.0  # decay of the weights
    C: float = 1.0
    variant: str = "PA"
    epsilon: float = 0.0
    alpha: float = 0.9
    B: float = 1.0


def scores(weights, x):
    """w.x + b for every output."""
    return np.array([np.dot(w, np.append(x, 1.0)) for w in weights])


def predict(weights, x):
    """The class named: class 1 for a positive score, a tie is class 0; of several classes the first largest."""
    a = scores(weights, x)
    if len(a) == 1:
        return 1 if a[0] > 0 else 0
    return next(k for k in range(len(a)) if a[k] == max(a))


def signs(form, target, outputs):
    """The signed label that each output ought to give, where every output is a two-class problem of its own."""
    if form == "binary":
        return [1 if target == 1 else -1]
    return [1 if target == k else -1 for k in range(outputs)]


def step(rule, y, a, length2):
    """g of one output; ``length2`` is the squared length of all that moves with it."""
    d = (y + 1) / 2
    if rule.name == "perceptron":
        return plain.perceptron_step(y, a)
    if rule.name == "delta":
        return plain.delta_step(y, a)
    if rule.name == "cross_entropy":
        return plain.cross_entropy_step(d, a, rule.slope)
    if rule.name == "squared":
        return plain.neuron_step(d, a, rule.slope)
    if rule.name == "hinge":
        return plain.hinge_step(y, a)
    if rule.name == "pa":
        return plain.passive_aggressive_step(y, a, length2, rule.variant, rule.C)
    if rule.name == "pa_real":
        return plain.passive_aggressive_regression_step(y, a, length2, rule.epsilon, rule.variant, rule.C)
    raise ValueError(rule.name)


def push(rule, form, target, a, length2):
    """The step of every output, and how many mistakes were made.  A tie is a mistake."""
    if form == "real":
        return np.array([step(rule, target, a[0], length2)]), 0
    if form in ("binary", "ovr"):
        y = signs(form, target, len(a))
        g = [step(rule, y[k], a[k], length2) for k in range(len(a))]
        return np.array(g, dtype=float), sum(not y[k] * a[k] > 0 for k in range(len(a)))
    if form == "softmax":
        g = plain.softmax_step(a, target, rule.slope)
    elif form == "worst":
        g, rival = np.zeros(len(a)), plain.worst_rival(a, target)
        g[target] = step(rule, 1, a[target] - a[rival], 2 * length2)
        g[rival] = -g[target]
    else:  # the perceptron's "all" and "uniform"
        g = plain.multiclass_step(form, a, target)
    return np.array(g, dtype=float), int(len(plain.rivals_ahead(a, target)) > 0)


def margin(form, target, a):
    """How clearly the answer is right."""
    if form == "real":
        return -abs(target - a[0])
    if form in ("binary", "ovr"):
        return min(y * score for y, score in zip(signs(form, target, len(a)), a, strict=True))
    return a[target] - max(a[k] for k in range(len(a)) if k != target)


class Twin:
    """Learns step by step and remembers everything: ``path`` holds the weights after every step.

    The rate ``eta`` is a number, or "inverse", 1 / (lam t) at step t = 1, 2, ..., or a function of t; the steps of a batch are added, or
    with ``mean`` divided by its number of "rows" or by its "weight".
    """

    def __init__(
        self, X, target, first, *, form="binary", rule=None, eta=1.0, mean=None, c2=1.0, weight=None, keep="last"
    ):
        self.X, self.target = np.asarray(X, dtype=float), np.asarray(target)
        self.form, self.rule, self.eta, self.mean, self.c2, self.keep = form, rule or Rule(), eta, mean, c2, keep
        self.weight = np.ones(len(self.X)) if weight is None else np.asarray(weight, dtype=float)
        self.weights = np.array(first, dtype=float)
        self.path = [self.weights]
        self.mistakes = 0
        self.seen, self.total = 0.0, np.zeros_like(self.weights)  # average
        self.voters = [(self.weights, 0.0)]  # vote: weights and how much they survived
        self.pocket, self.pocket_errors = self.weights, self.errors(self.weights)
        self.current_run, self.best_run = 0, 0

    def errors(self, weights):
        """The weight of the training rows that a prediction names wrongly."""
        wrong = [predict(weights, x) != c for x, c in zip(self.X, self.target, strict=True)]
        return float(self.weight @ wrong)

    def one_pass(self, order, batch=1):
        """Learn from rows in this order, ``batch`` at a time; return the mistakes made."""
        before = self.mistakes
        for start in range(0, len(order), batch):
            self.step(order[start : start + batch])
        return self.mistakes - before

    def step(self, rows):
        """All steps at the old weights, then the weights decay, but not the bias, then the steps are added."""
        rule, changed, move = self.rule, False, np.zeros_like(self.weights)
        for i in rows:
            length2 = self.X[i] @ self.X[i] + self.c2
            g, wrong = push(rule, self.form, self.target[i], scores(self.weights, self.X[i]), length2)
            self.mistakes += wrong
            changed |= bool(np.any(g != 0))
            move += self.weight[i] * np.outer(g, np.append(self.X[i], self.c2))
        move /= {None: 1, "rows": len(rows), "weight": sum(self.weight[i] for i in rows)}[self.mean]
        t = len(self.path)
        eta = self.eta(t) if callable(self.eta) else 1 / (rule.lam * t) if self.eta == "inverse" else self.eta
        if changed or rule.lam:
            self.weights = self.weights * np.append(np.full(self.X.shape[1], 1 - eta * rule.lam), 1.0) + eta * move
        self.path.append(self.weights)
        self.look(rows, changed)

    def look(self, rows, changed):
        """What each keep notes after a step."""
        for i in rows:
            self.seen += self.weight[i]
            self.total += self.weight[i] * self.weights
        if changed:
            self.voters.append((self.weights, 0.0))
        self.voters[-1] = (self.weights, self.voters[-1][1] + sum(self.weight[i] for i in rows))
        self.current_run = 0 if changed else self.current_run + len(rows)
        longer = self.current_run > self.best_run
        if self.keep == "pocket" and changed and self.errors(self.weights) < self.pocket_errors:
            self.pocket, self.pocket_errors = self.weights, self.errors(self.weights)
        if self.keep == "run" and longer:
            self.pocket, self.best_run = self.weights, self.current_run
        if self.keep == "ratchet" and longer and self.errors(self.weights) < self.pocket_errors:
            self.pocket, self.pocket_errors = self.weights, self.errors(self.weights)
            self.best_run = self.current_run

    def votes(self, most=None):
        """Weights that survived at least one sample, oldest first; of too many the longest survivors, older ones first."""
        voters = [voter for voter in self.voters if voter[1] > 0]
        ranks = sorted(range(len(voters)), key=lambda v: -voters[v][1])
        return [voters[v] for v in sorted(ranks[:most])]

    def handed_back(self):
        """The weights that the keep chooses."""
        if self.keep == "last":
            return self.weights
        if self.keep == "average":
            return self.total / self.seen
        if self.keep == "vote":
            return sum(survived * weights for weights, survived in self.votes()) / self.seen
        return self.pocket

    def worst_row(self, members):
        """The row with the smallest margin; the first of equals."""
        margins = [margin(self.form, self.target[i], scores(self.weights, self.X[i])) for i in members]
        return members[margins.index(min(margins))]


class AlmaTwin(Twin):
    """The approximate large margin algorithm (Gentile 2001, p = 2), of every class against the rest: rows and weights have the
    constant feature as one more column, rows are made of length 1, and lengths are worked out anew at every step."""

    def __init__(self, X, target, first, **choices):
        super().__init__(X, target, first, **choices)
        self.k = np.ones(len(self.weights))

    def step(self, rows):
        (i,), c, rule, changed = rows, math.sqrt(self.c2), self.rule, False
        x = np.append(self.X[i], c)
        length = math.sqrt(x @ x)
        weights = self.weights.copy()
        for k, y in enumerate(signs(self.form, self.target[i], len(weights))):
            w = np.append(weights[k, :-1], weights[k, -1] / c if c else 0.0)
            self.mistakes += not y * (w @ x) > 0
            if length and y * (w @ x) / length <= (1 - rule.alpha) * rule.B / math.sqrt(self.k[k]):
                w = w + self.weight[i] * rule.C / math.sqrt(self.k[k]) * y * x / length
                w = w / max(1.0, math.sqrt(w @ w))
                self.k[k] += 1
                changed = True
            weights[k] = np.append(w[:-1], w[-1] * c)
        self.weights = weights
        self.path.append(weights)
        self.look(rows, changed)


def target_output_step(weights, X, target, rows, eta, c2):
    """w <- w + eta sum (t - o) x over rows: terms of right answers are zero."""
    move = np.zeros_like(weights)
    for i in rows:
        g = plain.target_output_step(1 if target[i] == 1 else -1, scores(weights, X[i])[0])
        move += eta * g * np.append(X[i], c2)
    return weights + move


class DualTwin:
    """The kernel perceptron as it is taught: ``w_k = sum_i alpha[k, i] phi(x_i)``, scores by the definition.

    ``voters`` holds alpha and b after every step with what they survived.  With a budget, rows that were in the support
    before a step leave it at random when it has become too large.
    """

    def __init__(self, X, target, kernel, *, form="binary", intercept=True, weight=None, budget=None, rng=None):
        self.gram = np.array([[kernel(x, z) for z in X] for x in X], dtype=float)
        self.target, self.form, self.budget, self.rng = np.asarray(target), form, budget, rng
        self.weight = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=float)
        outputs = 1 if form == "binary" else int(self.target.max()) + 1
        self.alpha, self.b = np.zeros((outputs, len(X))), np.zeros(outputs)
        self.r2 = (max(self.gram.diagonal()[self.weight > 0]) or 1.0) if intercept else 0.0
        self.mistakes, self.seen = 0, 0.0
        self.total, self.total_b = np.zeros_like(self.alpha), np.zeros(outputs)
        self.voters = [(self.alpha, self.b, 0.0)]

    def scores(self, i):
        return self.alpha @ self.gram[:, i] + self.b

    def one_pass(self, order, batch=1):
        """Learn from rows in this order, ``batch`` at a time; return the mistakes made."""
        before = self.mistakes
        for start in range(0, len(order), batch):
            self.step(order[start : start + batch])
        return self.mistakes - before

    def step(self, rows):
        old = np.flatnonzero(self.alpha.any(axis=0))
        alpha, b, changed = self.alpha.copy(), self.b.copy(), False
        for i in rows:
            g, wrong = push(Rule(), self.form, self.target[i], self.scores(i), 1.0)
            alpha[:, i] += self.weight[i] * g
            b += self.weight[i] * g * self.r2
            self.mistakes += wrong
            changed |= wrong > 0
        self.alpha, self.b = alpha, b
        surplus = np.count_nonzero(alpha.any(axis=0)) - (self.budget or np.inf)
        if surplus > 0:
            alpha[:, self.rng.choice(old, int(surplus), replace=False)] = 0
        heft = sum(self.weight[i] for i in rows)
        self.seen += heft
        self.total += heft * self.alpha
        self.total_b += heft * self.b
        survived = 0.0 if changed else self.voters.pop()[2]
        self.voters.append((self.alpha, self.b, survived + heft))

    def norm(self):
        square = np.sum(self.alpha * (self.alpha @ self.gram))
        return (square + (self.b @ self.b / self.r2 if self.r2 else 0.0)) ** 0.5

    def worst_row(self, members):
        margins = [margin(self.form, self.target[i], self.scores(i)) for i in members]
        return members[margins.index(min(margins))]

    def vote(self, most=None):
        """What each row is answered: shares as ``decision_function`` hands them out."""
        voters = [voter for voter in self.voters if voter[2] > 0]
        ranks = sorted(range(len(voters)), key=lambda v: -voters[v][2])
        voters = [voters[v] for v in sorted(ranks[:most])]
        shares = np.zeros((len(self.gram), max(2, len(self.b))))
        for alpha, b, survived in voters:
            for i, a in enumerate((alpha @ self.gram).T + b):
                named = int(a[0] > 0) if len(a) == 1 else int(np.argmax(a))
                shares[i, named] += survived / sum(voter[2] for voter in voters)
        return shares[:, 1] - shares[:, 0] if len(self.b) == 1 else shares
