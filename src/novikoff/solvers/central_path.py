"""Kernels of the interior point method: what happens to every row by itself.

Every row has four positive numbers: ``alpha``, ``eta = C - alpha``, ``s`` and ``xi``, with ``s - xi = margin - 1``.  On
the central path ``alpha s = eta xi = mu``.  (Squared hinge: ``xi = alpha / (2 C)``, and ``eta`` plays no part.)

Loops that add up write nothing: before a loop that writes, machine code looks how far apart its arrays lie in memory, and goes through
those of few rows in vector units or not, which adds up in another order.  The same fit would have other last bits.
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import kernel

LEAST_PRODUCT, LARGEST_PRODUCT = 0.1, 10.0


class Inner(NamedTuple):
    """A point inside the bounds: for every row its bound C, its numbers, and its margin."""

    bounds: np.ndarray
    alpha: np.ndarray
    eta: np.ndarray
    s: np.ndarray
    xi: np.ndarray
    margins: np.ndarray


class Moves(NamedTuple):
    """The steps of the same numbers; ``curve`` and ``curve_xi`` are what a predictor that goes straight on misses."""

    alpha: np.ndarray
    s: np.ndarray
    xi: np.ndarray
    margins: np.ndarray
    curve: np.ndarray
    curve_xi: np.ndarray


@kernel
def centre(point, squared, mu):
    """For given margins, the point of the central path that has them."""
    bounds, alpha, eta, s, xi, margins = point
    for i in range(alpha.size):
        t, c = margins[i] - 1.0, bounds[i]
        if squared:
            root = np.sqrt(t * t + 2.0 * mu / c)
            alpha[i] = c * (root - t) if t < 0 else 2.0 * mu / (t + root)
            xi[i] = alpha[i] / (2.0 * c)
            eta[i] = 1.0
        else:
            far = abs(t) * c
            small = 2.0 * mu * c / (far + 2.0 * mu + np.sqrt(far * far + 4.0 * mu * mu))
            alpha[i], eta[i] = (small, c - small) if t > 0 else (c - small, small)
            xi[i] = mu / eta[i]
        s[i] = mu / alpha[i]


@kernel
def stiffness(point, squared, out):
    """``1 / (s / alpha + xi / eta)``: how far alpha moves when the margin does."""
    bounds, alpha, eta, s, xi, _ = point
    for i in range(out.size):
        if squared:
            out[i] = 1.0 / (s[i] / alpha[i] + 0.5 / bounds[i])
        else:
            out[i] = 1.0 / (s[i] / alpha[i] + xi[i] / eta[i])


@kernel
def pull(point, squared, moves, mu, stiff, signs, out):
    """``out = signs (alpha + stiff g)``, where ``stiff (g - change of the margin)`` is the step of alpha."""
    bounds, alpha, eta, _, _, margins = point
    for i in range(out.size):
        g = (mu - moves.curve[i]) / alpha[i] + 1.0 - margins[i]
        if squared:
            g -= alpha[i] / (2.0 * bounds[i])
        else:
            g -= (mu - moves.curve_xi[i]) / eta[i]
        out[i] = signs[i] * (alpha[i] + stiff[i] * g)


@kernel
def move(point, squared, moves, mu, stiff, over):
    """The steps of alpha, s and xi that belong to the steps of the margins, and how many times too long a row's are."""
    bounds, alpha, eta, s, xi, margins = point
    for i in range(alpha.size):
        ahead = (mu - moves.curve[i]) / alpha[i]
        if squared:
            beside, slope = alpha[i] / (2.0 * bounds[i]), 0.5 / bounds[i]
        else:
            beside, slope = (mu - moves.curve_xi[i]) / eta[i], xi[i] / eta[i]
        da = stiff[i] * (ahead - beside + 1.0 - margins[i] - moves.margins[i])
        ds = ahead - s[i] - s[i] / alpha[i] * da
        dxi = beside - xi[i] + slope * da
        over[i] = max(-da / alpha[i], -ds / s[i])
        if not squared:
            over[i] = max(over[i], da / eta[i], -dxi / xi[i])
        moves.alpha[i], moves.s[i], moves.xi[i] = da, ds, dxi


@kernel
def look_ahead(point, squared, moves, far):
    """The mean of ``alpha s`` and ``eta xi`` after a part ``far`` of the steps."""
    _, alpha, eta, s, xi, _ = point
    total = 0.0
    for i in range(alpha.size):
        total += (alpha[i] + far * moves.alpha[i]) * (s[i] + far * moves.s[i])
        if not squared:
            total += (eta[i] - far * moves.alpha[i]) * (xi[i] + far * moves.xi[i])
    return total / alpha.size / (1.0 if squared else 2.0)


@kernel
def note_curves(squared, moves):
    """Note what the steps miss that go straight on."""
    for i in range(moves.curve.size):
        moves.curve[i] = moves.alpha[i] * moves.s[i]
        if not squared:
            moves.curve_xi[i] = -moves.alpha[i] * moves.xi[i]


@kernel
def recentre(point, squared, moves, far, mu):
    """Ask that products which would be far from ``mu`` after a part ``far`` of the steps come nearer (Gondzio 1996)."""
    _, alpha, eta, s, xi, _ = point
    low, high = mu * LEAST_PRODUCT, mu * LARGEST_PRODUCT
    for i in range(alpha.size):
        da, ds, dxi = moves.alpha[i], moves.s[i], moves.xi[i]
        product = (alpha[i] + far * da) * (s[i] + far * ds)
        moves.curve[i] -= max(min(max(product, low), high) - product, -high)
        if not squared:
            product = (eta[i] - far * da) * (xi[i] + far * dxi)
            moves.curve_xi[i] -= max(min(max(product, low), high) - product, -high)


@kernel
def advance(point, squared, moves, far):
    """Take a part ``far`` of the steps; returns the slack cost of the margins, the sum of alpha, of the squared hinge that of
    ``alpha^2 / (4 C)``, and the sum of ``alpha s``."""
    bounds, alpha, eta, s, xi, margins = point
    for i in range(alpha.size):
        alpha[i] += far * moves.alpha[i]
        s[i] += far * moves.s[i]
        xi[i] += far * moves.xi[i]
        margins[i] += far * moves.margins[i]
        if not squared:
            eta[i] -= far * moves.alpha[i]
    cost, total, square, products = 0.0, 0.0, 0.0, 0.0
    for i in range(alpha.size):
        slack = max(0.0, 1.0 - margins[i])
        total += alpha[i]
        products += alpha[i] * s[i]
        if squared:
            cost += bounds[i] * slack * slack
            square += alpha[i] * alpha[i] / (4.0 * bounds[i])
        else:
            cost += bounds[i] * slack
    return cost, total, square, products
