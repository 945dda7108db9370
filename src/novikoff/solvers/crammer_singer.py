"""All classes at once (Crammer & Singer 2001): the problem, its dual, the gap, and two solvers.

A row of class y has a lead ``(w_y - w_k).x + b_y - b_k`` over every rival k; its slack is what the smallest one lacks to 1.

    primal    P(W, b) = 1/2 sum_k |w_k|^2 + sum_i C_i max(0, 1 - min_k lead_ik)
    dual      D(a) = sum_ik a_ik - 1/2 sum_k |w_k(a)|^2,     w_k(a) = sum_{i of class k} (sum_l a_il) x_i - sum_i a_ik x_i
              a_ik >= 0,  sum_k a_ik <= C_i
              and if there is a bias, for every class as much of a comes from its rows as goes against it

``alpha`` has a column for every class; that of a row's own class is zero.  Its *shares* are what a row gives each class: ``beta_ik = -a_ik``
for rivals and ``sum_k a_ik`` for its own class, so that ``sum_k beta_ik = 0`` and ``w_k = sum_i beta_ik x_i``.

**Dual coordinate descent**, for many columns or classes: the shares of a row together, one row after the other.  With the scores ``f_k`` of a
row and ``A = |x|^2 + c^2``, the best shares are (Crammer & Singer 2001; Keerthi, Sundararajan, Chang, Hsieh & Lin 2008)

    beta_k = min(U_k, (v - B_k) / A),     U_k = C [k = y],     B_k = f_k + 1 - [k = y] - A beta_k,

where v makes them add up to zero: the projection of a point onto a simplex, ``v = (sum_{k in F} T_k - A C) / |F|``, F being the classes with
``T_k = B_k + A U_k > v``, found by raising v from where it is for the largest T_k alone (Michelot 1986).  Shrinking, biases and the estimate of the
gap while sweeping are as in ``dual_descent``: a row at a corner of its simplex is left out if its best class leads by more than any row has
moved in the last sweep, and a row adds ``C (max_k g_k - g_y) + sum_k beta_k g_k``, ``g_k = f_k - [k = y]``, to the gap.

**Interior point method**, for few columns and classes and any gap: as for two classes (``interior``), but a row has one ``alpha`` and one ``s`` for
every rival and shares ``xi`` and ``eta = C - sum alpha`` between them.  A step of its leads by ``dl`` moves its alphas by ``E (g - dl)``,

    E = D - q D 1 1' D / (1 + q sum D),     D = diag(alpha / s),     q = xi / eta,

so that the matrix of the weights has a block ``X' diag(G_kl) X`` for every two classes.
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dpotrs
from sklearn.utils.extmath import row_norms

from ..compiled.jit import in_place
from ..inputs.arrays import parts
from ..inputs.clock import OutOfTime, never
from ..inputs.rounding_error import not_below
from ..learn.orders import shuffle_by
from ..learn.rows import add, as_rows, natural, public, score
from .balance import circulating, circulation, flows_of, on_a_grid
from .gap_progress import Progress
from .newton_system import AT_ONCE, cholesky
from .problem import relative_gap

CONSTANT = 0.03  # of the rows' mean square: the square of the constant feature that stands for the biases
FEWEST_SWEEPS, NEXT_LOOK = 3, 0.5  # reads of all rows to the next look at the gap: a part of those so far, and no fewer
CORNER = 1 - 1e-12  # of C: a share as large is all of it
PORTION = 20_000_000  # multiplications between two looks at the clock
SHARE = 0.99  # of the way to the nearest bound
STALLED = 1e-6  # a step of the interior point method that is shorter leads nowhere
MOST_ITERATIONS = 100
BELOW = 1 - 2.0**-51  # for each class: what rounding may add to a sum over classes
SMALL = 1e-12  # of all flows is taken off row by row, without regard to where it hurts least


class Joint(NamedTuple):
    """Rows, classes, and what a row's slack costs."""

    X: Any  # float64, array or CSR
    target: np.ndarray  # class numbers
    classes: int
    bounds: np.ndarray
    intercept: bool


class JointAnswer(NamedTuple):
    """A point of the primal, a point of the dual, and their values."""

    w: np.ndarray  # (classes, columns)
    b: np.ndarray
    alpha: np.ndarray  # (rows, classes)
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """The relative duality gap."""
        return relative_gap(self.primal, self.dual)


def no_weights(problem: Joint) -> JointAnswer:
    """Zero weights, and zero in the dual."""
    w, b = np.zeros((problem.classes, problem.X.shape[1])), np.zeros(problem.classes)
    alpha = np.zeros((problem.target.size, problem.classes))
    return JointAnswer(w, b, alpha, not_below(float(problem.bounds.sum()), problem.target.size), 0.0)


def leads(target: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """By how much every row's own class leads each class; infinite for itself."""
    rows = np.arange(target.size)
    lead = scores[rows, target][:, None] - scores
    lead[rows, target] = np.inf
    return lead


def joint_slacks(target: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """What the smallest lead of every row lacks to 1."""
    return np.maximum(0.0, 1.0 - leads(target, scores).min(axis=1))


def signed(target: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """What a row's alpha gives each class: (rows, classes)."""
    shares = -alpha
    shares[np.arange(target.size), target] = alpha.sum(axis=1)
    return shares


def joint_certify(problem: Joint, w: np.ndarray, b: np.ndarray, alpha: np.ndarray, best: JointAnswer) -> JointAnswer:
    """Of each side the better of ``best`` and of these weights and this ``alpha``, made feasible; all worked out anew."""
    b = b if problem.intercept else np.zeros_like(b)
    primal = 0.5 * float(np.square(w).sum())
    primal += float(problem.bounds @ joint_slacks(problem.target, problem.X @ w.T + b))
    alpha = joint_feasible(problem, alpha)
    dual = float(alpha.sum()) - 0.5 * float(np.square(problem.X.T @ signed(problem.target, alpha)).sum())
    if primal < best.primal:
        best = best._replace(w=w.copy(), b=b.copy(), primal=primal)
    return best._replace(alpha=alpha, dual=dual) if dual > best.dual else best


def joint_feasible(problem: Joint, alpha: np.ndarray) -> np.ndarray:
    """``alpha`` scaled down to its bounds and, with a bias, until every class gives exactly as much as it gets."""
    alpha = np.maximum(alpha, 0.0)
    alpha[np.arange(problem.target.size), problem.target] = 0.0
    totals = alpha.sum(axis=1)
    over = totals > problem.bounds * BELOW**problem.classes
    alpha[over] *= (problem.bounds[over] / totals[over] * BELOW**problem.classes)[:, None]
    if not problem.intercept:
        return on_a_grid(alpha)  # what a row gives its own class is a sum
    flows = flows_of(alpha, problem.target)
    kept = circulation(flows, SMALL * float(flows.sum()))
    factors = np.divide(kept, flows, out=np.ones_like(flows), where=flows > 0)
    return circulating(alpha * factors[problem.target], problem.target)


# Dual coordinate descent


def joint_descend(
    problem: Joint, best: JointAnswer, tol: float, rng: np.random.Generator, progress: Progress
) -> tuple[JointAnswer, int]:
    """Sweep until the gap is at most ``tol``, the time is over, or it gets no further."""
    rows, count, classes = as_rows(problem.X, problem.classes), problem.target.size, problem.classes
    shares = signed(problem.target, best.alpha)
    weights, bias = natural(rows, (problem.X.T @ shares).T), best.b.copy()
    squares = row_norms(problem.X, squared=True)
    constant2 = CONSTANT * float(squares.mean()) if problem.intercept else 0.0
    values = problem.X.nnz if sparse.issparse(problem.X) else problem.X.size
    portion = max(1, PORTION // classes * count // max(1, values))
    order, misses, base = np.arange(count), np.zeros(count), bias.copy()
    firm, scores, step = np.array([np.inf, 0.0]), np.zeros(classes), np.zeros(classes)
    state = problem.target, problem.bounds, squares, constant2, shares, weights, bias, misses, firm, scores, step
    sweeps, read, due, target = 0, 0, FEWEST_SWEEPS * count, np.inf
    with suppress(OutOfTime):
        while True:
            shuffle_by(rng, order)
            kept, firm[1] = [order[:0]], 0.0
            for part in parts(order.size, portion):
                progress.tick()
                some = order[part]
                kept.append(some[: sweep_shares(rows, some, *state)])
            read, sweeps = read + order.size, sweeps + 1
            order, firm[0] = np.concatenate(kept), firm[1] if firm[1] > 0 else np.inf
            bias[:], base = 2 * bias - base, bias.copy()
            estimate = float(misses[order].sum())
            if order.size and read < due and estimate > min(tol * best.primal, target):
                continue
            best = joint_certify(problem, public(rows, weights), bias, np.maximum(-shares, 0.0), best)
            if best.gap <= tol or (read >= due and progress.note(best.gap)):
                break
            due = max(due, read + max(FEWEST_SWEEPS * count, int(NEXT_LOOK * read)) if read >= due else 0)
            order, target = np.arange(count), 0.5 * estimate
    return best, sweeps


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


class JointPath:
    """A point near the central path, and how to go on."""

    def __init__(self, problem: Joint, tick: Callable[[], None] = never) -> None:
        self.problem, self.tick = problem, tick
        self.X = problem.X
        if problem.intercept:
            ones = np.ones((problem.target.size, 1))
            stack: Any = sparse.hstack if sparse.issparse(self.X) else np.hstack
            self.X = stack([self.X, ones])
        self.X = sparse.csr_array(self.X) if sparse.issparse(self.X) else self.X
        self.penalty = np.ones(self.X.shape[1])
        if problem.intercept:
            self.penalty[-1] = 0.0
        rows, K = problem.target.size, problem.classes
        self.rival = np.ones((rows, K), dtype=bool)
        self.rival[np.arange(rows), problem.target] = False
        self.w = np.zeros((K, self.X.shape[1]))
        self.alpha = np.where(self.rival, problem.bounds[:, None] / (2 * (K - 1)), 0.0)
        self.eta = problem.bounds / 2
        self.s = np.ones((rows, K))  # (of a row's own class: anything)
        self.xi = np.full(rows, 2.0)
        self.far = 1.0

    def go_on(self) -> None:
        """One iteration: Mehrotra's predictor and corrector (1992)."""
        alpha, eta, s, xi, rival = self.alpha, self.eta, self.s, self.xi, self.rival
        lead = np.where(rival, leads(self.problem.target, self.X @ self.w.T), 0.0)
        self.D, self.q = alpha / s, xi / eta
        self.share = self.q / (1 + self.q * self.D.sum(axis=1))
        factor = cholesky(self._matrix(), self.tick)
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
        alpha, eta, s, xi, rival, target = self.alpha, self.eta, self.s, self.xi, self.rival, self.problem.target
        ahead = np.divide(mu - curve, alpha, out=np.zeros_like(alpha), where=rival)
        beside = (mu - curve_xi) / eta
        g = np.where(rival, ahead - beside[:, None] + 1 - lead, 0.0)
        right = (self.X.T @ signed(target, alpha + self._times_E(g))).T - self.penalty * self.w
        dw = dpotrs(factor, right.ravel(), lower=1)[0].reshape(self.w.shape)
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
        target, rows = self.problem.target, np.arange(self.eta.size)
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
        if self.problem.intercept:  # the same added to every bias changes nothing
            matrix[:, -1, :, -1] += np.trace(matrix[:, -1, :, -1]) / K**2
        return matrix.reshape(K * columns, K * columns)

    def _gram(self, weight: np.ndarray) -> np.ndarray:
        columns = self.X.shape[1]
        total = np.zeros((columns, columns))
        for part in parts(weight.size, max(1, AT_ONCE // columns**2)):
            self.tick()
            block, its = self.X[part], weight[part]
            if sparse.issparse(block):
                total += (block.T @ (sparse.diags_array(its) @ block)).toarray()
            else:
                total += block.T @ (its[:, None] * block)
        return total

    def certified(self, best: JointAnswer) -> JointAnswer:
        """The better of ``best`` and of this point."""
        w, b = self.w, np.zeros(len(self.w))
        if self.problem.intercept:
            w, b = w[:, :-1], w[:, -1]
        return joint_certify(self.problem, w, b, self.alpha, best)


def joint_follow(problem: Joint, best: JointAnswer, tol: float, progress: Progress) -> tuple[JointAnswer, int]:
    """Go on until the gap is at most ``tol``, the time is over, or it gets no further."""
    path = JointPath(problem, progress.tick)
    iteration = 0
    with suppress(OutOfTime):
        while best.gap > tol and iteration < MOST_ITERATIONS:
            iteration += 1
            path.go_on()
            best = path.certified(best)
            if progress.note(best.gap) or path.far < STALLED:
                break
    return best, iteration
