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
    for k, (shares, bias) in enumerate(zip(machine.dual_coef_, machine.intercept_, strict=True)):
        signs = np.where(target == (k if len(machine.dual_coef_) > 1 else 1), 1, -1).tolist()
        alpha = shares * np.array(signs)[machine.support_]
        assert np.all(alpha >= 0)
        assert np.all(alpha <= bounds[machine.support_])
        assert sum(map(Fraction, shares.tolist())) == 0  # else the dual bounds nothing
        beta = [number(share) for share in shares.tolist()]
        scores = [sum((a * b for a, b in zip(beta, row, strict=True)), number(0.0)) for row in values]
        square = sum((b * scores[j] for b, j in zip(beta, machine.support_, strict=True)), number(0.0))
        cost = number(0.0)
        for sign, score, bound in zip(signs, scores, bounds.tolist(), strict=True):
            slack = 1 - sign * (score + number(float(bias)))
            cost += number(bound) * slack if slack > 0 else 0
        primal, dual = square / 2 + cost, sum(map(number, alpha.tolist()), number(0.0)) - square / 2
        gaps.append(float((primal - dual) / primal))
        objective += float(primal)
    return max(gaps), objective


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
