"""All classes at once (Crammer & Singer 2001): two solvers, whose results ``audit`` proves.

A row of class y has a lead ``(w_y - w_k).x + b_y - b_k`` over every rival k; its slack is what the smallest one lacks to 1.

    primal    P(W, b) = 1/2 sum_k |w_k|^2 + sum_i C_i max(0, 1 - min_k lead_ik)
    dual      D(a) = sum_ik a_ik - 1/2 sum_k |w_k(a)|^2,     w_k(a) = sum_{i of class k} (sum_l a_il) x_i - sum_i a_ik x_i
              a_ik >= 0,  sum_k a_ik <= C_i
              and if there is a bias, for every class as much of a comes from its rows as goes against it

``a`` has a column for every class; that of a row's own class is zero.  The *shares* are what a row gives each class: ``beta_ik = -a_ik``
for rivals and ``sum_k a_ik`` for its own class, so that ``sum_k beta_ik = 0`` and ``w_k = sum_i beta_ik x_i``.

**Dual coordinate descent**, for many columns or classes: the shares of a row together, one row after the other.  With the scores ``f_k`` of a
row and ``A = |x|^2 + c^2``, the best shares are (Crammer & Singer 2001; Keerthi, Sundararajan, Chang, Hsieh & Lin 2008)

    beta_k = min(U_k, (v - B_k) / A),     U_k = C [k = y],     B_k = f_k + 1 - [k = y] - A beta_k,

where v makes them add up to zero: the projection of a point onto a simplex, ``v = (sum_{k in F} T_k - A C) / |F|``, F being the classes with
``T_k = B_k + A U_k > v``, found by raising v from where it is for the largest T_k alone (Michelot 1986).  Shrinking, biases and the estimate of the
gap while sweeping are as in ``dual_descent``: a row at a corner of its simplex is left out if its best class leads by more than any row has
moved in the last sweep, and a row adds ``C (max_k g_k - g_y) + sum_k beta_k g_k``, ``g_k = f_k - [k = y]``, to the gap.

**Interior point method**, for few columns and classes and any gap: Mehrotra's predictor and corrector (1992).  A row has one ``alpha`` and one ``s`` for
every rival and shares ``xi`` and ``eta = C - sum alpha`` between them.  A step of its leads by ``dl`` moves its alphas by ``E (g - dl)``,

    E = D - q D 1 1' D / (1 + q sum D),     D = diag(alpha / s),     q = xi / eta,

so that the matrix of the weights has a block ``X' diag(G_kl) X`` for every two classes.
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from ..checks.arrays import generator, parts
from ..compiled.jit import in_place
from ..learn.orders import shuffle_by
from ..learn.rows import add, as_rows, natural, public, score
from ..system.clock import Clock, OutOfTime
from .audit import Candidate, relative_gap
from .objectives import CrammerSinger
from .products import divided, factor_of

CONSTANT = 0.03  # of the rows' mean square: the square of the constant feature that stands for the biases
FEWEST_SWEEPS, NEXT_LOOK = 3, 0.5  # reads of all rows to the next look at the gap: a part of those so far, and no fewer
CORNER = 1 - 1e-12  # of C: a share as large is all of it
PORTION = 20_000_000  # multiplications between two looks at the clock
SHARE = 0.99  # of the way to the nearest bound
STALLED = 1e-6  # a step of the interior point method that is shorter leads nowhere
MOST_ITERATIONS = 100
AT_ONCE = 3 * 10**8  # multiplications in one call, a fraction of a second
RATE = 1e10  # multiplications a second by which a matrix is factored, at the least
PROGRESS = 0.7  # of a gap: what it must have fallen to
PATIENT_SWEEPS, PATIENT_STEPS = 12, 40  # after so many looks at it, between which there are ever more sweeps


class Best:
    """The best point of either side so far, and whether it gets better."""

    def __init__(self, loss: CrammerSinger, X: Any, intercept: bool, classes: int, clock: Clock, patience: int) -> None:
        self._loss, self._X, self._intercept, self._clock, self._patience = loss, X, intercept, clock, patience
        self.coef, self.bias = np.zeros((classes, X.shape[1])), np.zeros(classes)
        self.shares, self.primal, self.dual = np.zeros((X.shape[0], classes)), float(loss.bounds.sum()), 0.0
        self._gaps: list[float] = []

    def note(self, coef: np.ndarray, bias: np.ndarray, shares: np.ndarray) -> float:
        """Consider these weights and these shares, made feasible; the relative gap of the best of both, in floats."""
        scores = self._X @ coef.T + bias
        margins, _ = self._loss.margins(scores, np.zeros_like(scores))
        primal = 0.5 * float(np.square(coef).sum()) + float(self._loss.bounds @ np.maximum(0.0, 1.0 - margins[0]))
        if primal < self.primal:
            self.coef, self.bias, self.primal = coef.copy(), bias.copy(), primal
        shares = self._loss.feasible(shares, self._intercept)
        dual = 0.5 * float(np.abs(shares).sum()) - 0.5 * float(np.square(self._X.T @ shares).sum())
        if dual > self.dual:
            self.shares, self.dual = shares, dual
        gap = relative_gap(self.primal, self.dual, 0.0)
        self._gaps.append(gap)
        return gap

    @property
    def stuck(self) -> bool:
        """Whether the gap has not fallen for long, or the time is over."""
        late = len(self._gaps) > self._patience and self._gaps[-1] > PROGRESS * self._gaps[-1 - self._patience]
        return late or self._clock.over

    def found(self, steps: int) -> Candidate:
        """Both points."""
        return Candidate(self.coef, self.bias, np.array([steps]), self.shares)


def leads(target: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """By how much every row's own class leads each class; infinite for itself."""
    rows = np.arange(target.size)
    lead = scores[rows, target][:, None] - scores
    lead[rows, target] = np.inf
    return lead


def signed(target: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """What a row's alpha gives each class: (rows, classes)."""
    shares = -alpha
    shares[np.arange(target.size), target] = alpha.sum(axis=1)
    return shares


# Dual coordinate descent


def sweeps(
    loss: CrammerSinger,
    X: Any,
    intercept: bool,
    classes: int,
    tol: float,
    clock: Clock,
    random_state: Any,
    start: Candidate | None,
) -> Candidate:
    """Dual coordinate descent until the gap is at most ``tol``, the time is over, or it gets no further."""
    rows, count, rng = as_rows(X, classes), loss.target.size, generator(random_state)
    best = Best(loss, X, intercept, classes, clock, PATIENT_SWEEPS)
    gap = 1.0 if start is None else best.note(start.coef, start.bias, shares_of(start, best))
    shares = np.array(best.shares)
    weights, bias = natural(rows, (X.T @ shares).T), best.bias.copy()
    squares = row_norms(X, squared=True).astype(float)
    constant2 = CONSTANT * float(squares.mean()) if intercept else 0.0
    values = X.nnz if sparse.issparse(X) else X.size
    portion = max(1, PORTION // classes * count // max(1, values))
    order, misses, base = np.arange(count), np.zeros(count), bias.copy()
    firm, scores, step = np.array([np.inf, 0.0]), np.zeros(classes), np.zeros(classes)
    state = loss.target, loss.bounds, squares, constant2, shares, weights, bias, misses, firm, scores, step
    made, read, due, target = 0, 0, FEWEST_SWEEPS * count, np.inf
    with suppress(OutOfTime):
        while gap > tol:
            shuffle_by(rng, order)
            kept, firm[1] = [order[:0]], 0.0
            for part in parts(order.size, portion):
                clock.tick()
                some = order[part]
                kept.append(some[: sweep_shares(rows, some, *state)])
            read, made = read + order.size, made + 1
            order, firm[0] = np.concatenate(kept), firm[1] if firm[1] > 0 else np.inf
            bias[:], base = 2 * bias - base, bias.copy()
            estimate = float(misses[order].sum())
            if order.size and read < due and estimate > min(tol * best.primal, target):
                continue
            gap = best.note(public(rows, weights), bias, shares)
            clock.note("descent", made, gap)
            if read >= due and best.stuck:
                break
            due = max(due, read + max(FEWEST_SWEEPS * count, int(NEXT_LOOK * read)) if read >= due else 0)
            order, target = np.arange(count), 0.5 * estimate
    return best.found(made)


def shares_of(start: Candidate, best: Best) -> np.ndarray:
    """Those to begin with."""
    return best.shares if start.shares is None or start.shares.shape != best.shares.shape else start.shares


@in_place
def sweep_shares(rows, order, target, bounds, squares, constant2, shares, weights, bias, misses, firm, scores, step):
    """See above; returns how many rows stay active, which come first.  ``firm``: the largest move of the sweep before, and of this one."""
    classes, kept = bias.size, 0
    for place in range(order.size):
        i = order[place]
        own, C, A = target[i], bounds[i], squares[i] + constant2
        if A <= 0:  # a row of zeros, and no bias: its slack is 1 whatever the weights
            shares[i, own], shares[i, own - 1] = C, -C
            continue
        score(rows, i, weights, bias, scores)
        scores[own] -= 1.0
        top, second, at, miss = -np.inf, -np.inf, 0, 0.0
        for k in range(classes):
            if scores[k] > top:
                top, second, at = scores[k], top, k
            elif scores[k] > second:
                second = scores[k]
        corner = shares[i, own] <= 0 if at == own else shares[i, at] <= -CORNER * C
        if corner and top - second > firm[0]:
            continue
        order[kept] = i
        kept += 1
        for k in range(classes):
            miss += shares[i, k] * scores[k]
        misses[i] = miss + C * (top - scores[own])
        if corner:
            continue
        highest = -np.inf
        for k in range(classes):
            scores[k] -= A * shares[i, k]
            step[k] = scores[k]
        step[own] += A * C
        for k in range(classes):
            highest = max(highest, step[k])
        v, free, fewer = highest - A * C, classes + 1, True
        while fewer:
            count, total = 0, 0.0
            for k in range(classes):
                if step[k] > v:
                    total += step[k]
                    count += 1
            fewer = 0 < count < free
            if fewer:
                free, v = count, (total - A * C) / count
        moved = 0.0
        for k in range(classes):
            to = min((v - scores[k]) / A, C if k == own else 0.0)
            step[k] = to - shares[i, k]
            shares[i, k] = to
        for k in range(classes):
            moved = max(moved, abs(step[k]))
        if moved > 0:
            firm[1] = max(firm[1], A * moved)
            add(rows, i, weights, step)
            for k in range(classes):
                bias[k] += constant2 * step[k]
    return kept


# Interior point method


class Path:
    """A point near the central path, and how to go on."""

    def __init__(self, loss: CrammerSinger, X: Any, intercept: bool, classes: int, clock: Clock) -> None:
        self.target, self.intercept, self.clock, self.X = loss.target, intercept, clock, X
        if intercept:
            ones = np.ones((loss.target.size, 1))
            stack: Any = sparse.hstack if sparse.issparse(self.X) else np.hstack
            self.X = stack([self.X, ones])
        self.X = sparse.csr_array(self.X) if sparse.issparse(self.X) else self.X
        self.penalty = np.ones(self.X.shape[1])
        if intercept:
            self.penalty[-1] = 0.0
        rows, K = loss.target.size, classes
        self.rival = np.ones((rows, K), dtype=bool)
        self.rival[np.arange(rows), loss.target] = False
        self.w = np.zeros((K, self.X.shape[1]))
        self.alpha = np.where(self.rival, loss.bounds[:, None] / (2 * (K - 1)), 0.0)
        self.eta = loss.bounds / 2
        self.s = np.ones((rows, K))  # (of a row's own class: anything)
        self.xi = np.full(rows, 2.0)
        self.far = 1.0

    def go_on(self) -> None:
        """One iteration: Mehrotra's predictor and corrector (1992)."""
        alpha, eta, s, xi, rival = self.alpha, self.eta, self.s, self.xi, self.rival
        lead = np.where(rival, leads(self.target, self.X @ self.w.T), 0.0)
        self.D, self.q = alpha / s, xi / eta
        self.share = self.q / (1 + self.q * self.D.sum(axis=1))
        factor = self._factor()
        count = np.count_nonzero(rival) + eta.size
        mu = (float((alpha * s)[rival].sum()) + float(eta @ xi)) / count
        moves = self._moves(factor, lead, 0.0, 0.0, 0.0)
        far = self._room(*moves[1:])
        da, ds, de, dx = moves[1:]
        after = float(((alpha + far * da) * (s + far * ds))[rival].sum()) + float((eta + far * de) @ (xi + far * dx))
        target = mu * (after / count / mu) ** 3
        dw, *rest = self._moves(factor, lead, target, da * ds, de * dx)
        self.far = min(1.0, SHARE * self._room(*rest))
        self.w += self.far * dw
        for place, step in zip((alpha, s, eta, xi), rest, strict=True):
            place += self.far * step

    def _times_E(self, vectors: np.ndarray) -> np.ndarray:
        scaled = self.D * vectors
        return scaled - self.D * (self.share * scaled.sum(axis=1))[:, None]

    def _moves(self, factor: Any, lead: np.ndarray, mu: float, curve: Any, curve_xi: Any) -> tuple[np.ndarray, ...]:
        """Steps of the weights, of alpha, s, eta and xi."""
        alpha, eta, s, xi, rival, target = self.alpha, self.eta, self.s, self.xi, self.rival, self.target
        ahead = np.divide(mu - curve, alpha, out=np.zeros_like(alpha), where=rival)
        beside = (mu - curve_xi) / eta
        g = np.where(rival, ahead - beside[:, None] + 1 - lead, 0.0)
        right = (self.X.T @ signed(target, alpha + self._times_E(g))).T - self.penalty * self.w
        dw = divided(factor, right.reshape(1, -1)).reshape(self.w.shape)
        dl = np.where(rival, leads(target, self.X @ dw.T), 0.0)
        da = self._times_E(g - dl)
        ds = np.where(rival, ahead - s - s * np.divide(da, alpha, out=np.zeros_like(alpha), where=rival), 0.0)
        total = da.sum(axis=1)
        return dw, da, ds, -total, beside - xi + self.q * total

    def _room(self, da: np.ndarray, ds: np.ndarray, de: np.ndarray, dx: np.ndarray) -> float:
        over = max(float((-da[self.rival] / self.alpha[self.rival]).max()), float((-ds / self.s).max()))
        return 1.0 / max(1.0, over, float((-de / self.eta).max()), float((-dx / self.xi).max()))

    def _matrix(self) -> np.ndarray:
        K, columns = self.w.shape
        target, rows = self.target, np.arange(self.eta.size)
        spread = -self.D
        spread[rows, target] = self.D.sum(axis=1)
        matrix = np.empty((K, columns, K, columns))
        for k in range(K):
            for other in range(k + 1):
                weight = -self.share * spread[:, k] * spread[:, other]
                if k == other:
                    weight = weight + np.abs(spread[:, k])
                else:
                    pulled = np.where(target == k, self.D[:, other], 0.0) + np.where(target == other, self.D[:, k], 0.0)
                    weight = weight - pulled
                block = self._gram(weight)
                matrix[k, :, other], matrix[other, :, k] = block, block.T
            matrix[k, :, k] += np.diag(self.penalty)
        if self.intercept:  # the same added to every bias changes nothing
            matrix[:, -1, :, -1] += np.trace(matrix[:, -1, :, -1]) / K**2
        return matrix.reshape(K * columns, K * columns)

    def _gram(self, weight: np.ndarray) -> np.ndarray:
        columns = self.X.shape[1]
        total = np.zeros((columns, columns))
        for part in parts(weight.size, max(1, AT_ONCE // columns**2)):
            self.clock.tick()
            block, its = self.X[part], weight[part]
            if sparse.issparse(block):
                total += (block.T @ (sparse.diags_array(its) @ block)).toarray()
            else:
                total += block.T @ (its[:, None] * block)
        return total

    def _factor(self) -> np.ndarray:
        matrix = self._matrix()
        self.clock.allow(len(matrix) ** 3 / (3 * RATE))
        return factor_of(matrix.T, np.zeros(len(matrix)))


def interior(
    loss: CrammerSinger,
    X: Any,
    intercept: bool,
    classes: int,
    tol: float,
    clock: Clock,
    random_state: Any,
    start: Candidate | None,
) -> Candidate:
    """The interior point method until the gap is at most ``tol``, the time is over, or it gets no further."""
    best = Best(loss, X, intercept, classes, clock, PATIENT_STEPS)
    gap = 1.0 if start is None else best.note(start.coef, start.bias, shares_of(start, best))
    path, steps = Path(loss, X, intercept, classes, clock), 0
    with suppress(OutOfTime):
        while gap > tol and steps < MOST_ITERATIONS:
            steps += 1
            path.go_on()
            bias = path.w[:, -1] if intercept else np.zeros(classes)
            gap = best.note(path.w[:, : X.shape[1]], bias, signed(loss.target, path.alpha))
            clock.note("interior", steps, gap)
            if best.stuck or path.far < STALLED:
                break
    return best.found(steps)
