"""The interior point method for all classes at once.

As for two classes, but a row has one ``alpha`` and one ``s`` for every rival and shares ``xi`` and ``eta = C - sum alpha``
between them.  A step of its leads by ``dl`` moves its alphas by ``E (g - dl)``,

    E = D - q D 1 1' D / (1 + q sum D),     D = diag(alpha / s),     q = xi / eta,

so that the matrix of the weights has a block ``X' diag(G_kl) X`` for every two classes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dpotrs

from ..inputs.arrays import parts
from ..inputs.clock import OutOfTime, never
from .gap_progress import Progress
from .joint import Joint, JointAnswer, joint_certify, leads, signed
from .newton_system import AT_ONCE, cholesky

SHARE = 0.99  # of the way to the nearest bound
STALLED = 1e-6
MOST_ITERATIONS = 100


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
