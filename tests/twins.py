"""The perceptron as it is taught: slow, short, every definition taken at its word.

``Twin`` learns from the same rows in the same order as the library.  Its weights have one row for each output and the
bias as last column.  The bias is the weight w0 of a constant feature c, times c: as w0 moves by g c, b = c w0 moves by
g c^2, so rows are scored as (x, 1) and added as (x, c^2).  Without a bias c = 0.
"""

from __future__ import annotations

import numpy as np


def scores(weights, x):
    """w.x + b for every output."""
    return weights @ np.append(x, 1.0)


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


def push(form, target, a, eta):
    """The step of every output, and how many mistakes that makes.  A tie is a mistake."""
    g = np.zeros(len(a))
    if form in ("binary", "ovr"):
        y = signs(form, target, len(a))
        wrong = [k for k in range(len(a)) if not y[k] * a[k] > 0]
        for k in wrong:
            g[k] = eta * y[k]
        return g, len(wrong)
    rivals = [k for k in range(len(a)) if k != target and not a[target] > a[k]]
    if not rivals:
        return g, 0
    if form == "worst":
        rivals = [k for k in rivals if a[k] == max(a[rivals])][:1]
    g[rivals] = -eta / len(rivals) if form == "uniform" else -eta
    g[target] = eta
    return g, 1


def margin(form, target, a):
    """How clearly the answer is right."""
    if form in ("binary", "ovr"):
        return min(y * score for y, score in zip(signs(form, target, len(a)), a, strict=True))
    return a[target] - max(a[k] for k in range(len(a)) if k != target)


class Twin:
    """Learns step by step and remembers everything: ``path`` holds the weights after every step."""

    def __init__(self, X, target, first, *, form="binary", eta=1.0, c2=1.0, weight=None, keep="last"):
        self.X, self.target = np.asarray(X, dtype=float), np.asarray(target)
        self.form, self.eta, self.c2, self.keep = form, eta, c2, keep
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
        """All steps at the old weights, then added up."""
        mistakes, move = 0, np.zeros_like(self.weights)
        for i in rows:
            g, wrong = push(self.form, self.target[i], scores(self.weights, self.X[i]), self.eta)
            mistakes += wrong
            move += self.weight[i] * np.outer(g, np.append(self.X[i], self.c2))
        if mistakes:
            self.weights = self.weights + move
            self.mistakes += mistakes
        self.path.append(self.weights)
        self.look(rows, changed=mistakes > 0)

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


def target_output_step(weights, X, target, rows, eta, c2):
    """w <- w + eta sum (t - o) x over rows, o = sign(a) and at a tie o = -t: terms of right answers are zero."""
    move = np.zeros_like(weights)
    for i in rows:
        t, a = (1 if target[i] == 1 else -1), scores(weights, X[i])[0]
        o = -t if a == 0 else np.sign(a)
        move += eta * (t - o) * np.append(X[i], c2)
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
            g, wrong = push(self.form, self.target[i], self.scores(i), 1.0)
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
