"""An independent judge of kernel machines: the gap of what they hand back, in fractions, of radial kernels in balls of 400 bits.

Meant is the machine with the kernel itself for the rows as they are, floats being fractions; of precomputed kernels, with the
matrix as it is.
"""

from fractions import Fraction

import numpy as np
from flint import arb, ctx

BITS = 400


def exact_gap(machine, X, y, weight=None):
    """The largest relative gap of the machine's problems, and the sum of their objectives."""
    before, ctx.prec = ctx.prec, BITS
    try:
        return _judge(machine, np.asarray(X, dtype=float), np.searchsorted(machine.classes_, y), weight)
    finally:
        ctx.prec = before


def _judge(machine, X, target, weight):
    number = _ball if machine.kernel == "rbf" else Fraction
    values = [[_value(machine, X, i, j) for j in machine.support_] for i in range(len(X))]
    bounds = machine.C * (np.ones(len(X)) if weight is None else weight)
    gaps, objective = [], 0.0
    for (rows, signs, shares), bias in zip(_problems(machine, target), machine.intercept_, strict=True):
        alpha = shares * np.array(signs)[machine.support_]
        assert np.all(alpha >= 0)
        assert np.all(alpha <= bounds[machine.support_])
        assert sum(map(Fraction, shares.tolist())) == 0  # else the dual bounds nothing
        beta = [number(share) for share in shares.tolist()]
        scores = [sum((a * b for a, b in zip(beta, row, strict=True)), number(0.0)) for row in values]
        square = sum((b * scores[j] for b, j in zip(beta, machine.support_, strict=True)), number(0.0))
        cost = number(0.0)
        for i in rows:
            slack = 1 - signs[i] * (scores[i] + number(float(bias)))
            cost += number(float(bounds[i])) * slack if slack > 0 else 0
        primal, dual = square / 2 + cost, sum(map(number, alpha.tolist()), number(0.0)) - square / 2
        gaps.append(float((primal - dual) / primal))
        objective += float(primal)
    return max(gaps), objective


def _problems(machine, target):
    """Of every problem its rows, the signs of all rows, and the shares of the support."""
    classes = len(machine.classes_)
    if classes == 2 or machine.multiclass == "ovr":
        for k, shares in enumerate(machine.dual_coef_):
            yield range(len(target)), np.where(target == (k if classes > 2 else 1), 1, -1).tolist(), shares
        return
    own = target[machine.support_]
    for a in range(classes):
        for b in range(a + 1, classes):
            shares = np.where(own == a, machine.dual_coef_[b - 1], np.where(own == b, machine.dual_coef_[a], 0.0))
            yield np.flatnonzero((target == a) | (target == b)).tolist(), np.where(target == b, 1, -1).tolist(), shares


def _value(machine, X, i, j):
    if machine.kernel == "precomputed":
        return Fraction(X[i, j])
    x, z = ([Fraction(value) for value in X[row].tolist()] for row in (i, j))
    if machine.kernel == "rbf":
        return _ball(-Fraction(machine._kernel.gamma) * sum((a - b) ** 2 for a, b in zip(x, z, strict=True))).exp()
    product = sum(a * b for a, b in zip(x, z, strict=True))
    if machine.kernel == "linear":
        return product
    return (Fraction(machine._kernel.gamma) * product + Fraction(machine.coef0)) ** machine.degree


def _ball(value):
    value = Fraction(value)
    return arb(value.numerator) / arb(value.denominator)
