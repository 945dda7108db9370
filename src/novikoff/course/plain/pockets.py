"""Which weights a perceptron keeps where no line separates the samples; ``draws`` has the numbers of the samples as they come."""

from __future__ import annotations

from collections.abc import Iterable

from .neurons import count_errors, perceptron_step, sign
from .vectors import Number, Rows, Vector, dot, plus, start


def pocket(X: Rows, y: Vector, draws: Iterable[int], w: Vector | None = None) -> list[Number]:
    """The naive pocket: after every update count the errors, and keep the weights if they have fewer."""
    w = start(w, X)
    kept = w
    for i in draws:
        if perceptron_step(y[i], dot(w, X[i])):
            w = plus(w, X[i], y[i])
            if count_errors(w, X, y) < count_errors(kept, X, y):
                kept = w
    return list(kept)


def gallant_pocket(X: Rows, y: Vector, draws: Iterable[int], w: Vector | None = None) -> list[Number]:
    """Gallant's pocket (1990): keep the weights with the longest run of consecutive correct answers."""
    w = start(w, X)
    kept, current_run, best_run = w, 0, 0
    for i in draws:
        if perceptron_step(y[i], dot(w, X[i])):
            w, current_run = plus(w, X[i], y[i]), 0
        else:
            current_run += 1
        if current_run > best_run:
            kept, best_run = w, current_run
    return list(kept)


def ratchet_pocket(X: Rows, y: Vector, draws: Iterable[int], w: Vector | None = None) -> list[Number]:
    """With ratchet: only if the run is longer and the weights also have fewer errors, so that the pocket never gets worse."""
    w = start(w, X)
    kept, current_run, best_run = w, 0, 0
    for i in draws:
        if perceptron_step(y[i], dot(w, X[i])):
            w, current_run = plus(w, X[i], y[i]), 0
        else:
            current_run += 1
        if current_run > best_run and count_errors(w, X, y) < count_errors(kept, X, y):
            kept, best_run = w, current_run
    return list(kept)


def survivors(X: Rows, y: Vector, draws: Iterable[int], w: Vector | None = None) -> list[tuple[list[Number], int]]:
    """All weights of a run, each with the number of samples after which they were the current ones."""
    found = [(start(w, X), 0)]
    for i in draws:
        w, survived = found[-1]
        if perceptron_step(y[i], dot(w, X[i])):
            found.append((plus(w, X[i], y[i]), 1))
        else:
            found[-1] = (w, survived + 1)
    return [(weights, survived) for weights, survived in found if survived]


def average(X: Rows, y: Vector, draws: Iterable[int], w: Vector | None = None) -> list[Number]:
    """The mean of the weights after every sample (Freund and Schapire 1999)."""
    voters = survivors(X, y, draws, w)
    seen = sum(survived for _, survived in voters)
    return [sum(survived * weights[j] for weights, survived in voters) / seen for j in range(len(X[0]))]


def vote(voters: list[tuple[list[Number], int]], x: Vector) -> int:
    """The label that the weights of a run agree on, each with as many votes as samples it survived."""
    return sign(sum(survived * sign(dot(weights, x)) for weights, survived in voters))
