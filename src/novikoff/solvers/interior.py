"""A primal-dual interior point method, for a moderate number of columns.

A Newton step towards the central path moves the weights by ``dw``, where (Ferris & Munson 2003; ``A`` has the rows
``y_i (x_i, 1)``, ``D`` says how far each alpha moves with its margin, ``L`` is the identity but 0 for the bias)

    (L + A' D A) dw = A' (alpha + D g) - L w,

and everything else follows row by row.  Each iteration takes Mehrotra's two steps (1992) with one matrix and, where they
are cut short, one of Gondzio's corrections (1996).

Late on, rows far from the margin keep their side: they wait, alpha at its bound, and what they pull the weights by is one
vector (``zoom``).  Whether they were right to wait, the gap over all rows says.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from ..inputs.clock import OutOfTime, never
from .central_path import Inner, Moves, advance, centre, look_ahead, move, note_curves, pull, recentre, stiffness
from .gap_progress import Progress
from .newton_system import System
from .problem import Answer, Problem, certify, relative_gap

SHARE = 0.99  # of the way to the nearest bound
STALLED = 1e-5  # steps as short as this lead nowhere
SHORT = 0.9  # steps cut shorter than this are corrected
LONGER = 0.5  # hoped for by the correction
ROUGH, FINE = 1e-1, 1e-3  # relative accuracy of predictor and corrector
MOST_ITERATIONS = 100
FIRST_ZOOM, NEXT_ZOOM = 1e-1, 0.1  # zoom below this gap; again when the gap is this part of what it was
FIRST_LOOK, NEXT_LOOK = 1e-6, 0.1  # what is good already is kept below this gap, again at this part of it
ENOUGH_ROWS = 2000  # fewer are not worth a zoom
WIDER = 8.0  # times as wide, where rows were wrong to wait
ROUNDING = 1e-6
WIDE = 20.0  # a row waits if it is farther from the margin than so many steps of the margins, or widths of the path


class Before(NamedTuple):
    """Where the last zoom began."""

    weights: np.ndarray
    mu: float
    width: float
    dual: float
    inside: np.ndarray
    point: Inner


class Path:
    """A point near the central path, and how to go on."""

    def __init__(
        self,
        problem: Problem,
        start: np.ndarray,
        mu: float,
        rng: np.random.Generator,
        tick: Callable[[], None] = never,
        linear: np.ndarray | float = 0.0,
        offset: float = 0.0,
    ) -> None:
        """At the point of the central path for ``mu`` that has the margins of these weights (the bias last).

        ``linear`` and ``offset``: ``sum_i alpha_i y_i (x_i, 1)`` and ``sum_i alpha_i`` over rows elsewhere whose alpha is given.
        """
        self.whole, self.rng, self.weights, self.mu, self.tick = problem, rng, start.copy(), mu, tick
        self.inside = np.arange(problem.signs.size)
        self.waiting = np.zeros(problem.signs.size)  # alpha of rows that wait
        self._begin(problem, linear, offset)
        self.before = Before(start, mu, np.inf, -np.inf, self.inside, self.point)

    def _begin(self, problem: Problem, linear: np.ndarray | float, offset: float) -> None:
        self.problem, self.linear, self.offset = problem, linear, offset
        self.system = System(problem, self.rng, self.tick)
        rows = problem.signs.size
        alpha, eta, s, xi = (np.empty(rows) for _ in range(4))
        self.point = Inner(problem.bounds, alpha, eta, s, xi, self.system.forward(self.weights))
        centre(self.point, problem.squared, self.mu)
        self.sums = self.system.backward(problem.signs * self.point.alpha) + linear  # A' alpha over all rows
        self.moves = Moves(*(np.zeros(rows) for _ in range(6)))
        self.stiff, self.pulled = np.empty(rows), np.empty(rows)
        self.primal, self.dual, self.far = np.inf, -np.inf, 1.0

    @property
    def gap(self) -> float:
        """The relative gap, as the steps imply it."""
        return relative_gap(self.primal, self.dual)

    def go_on(self) -> None:
        """One iteration."""
        point, squared, moves, stiff = self.point, self.problem.squared, self.moves, self.stiff
        stiffness(point, squared, stiff)
        self.system.prepare(stiff)
        moves.curve[:] = moves.curve_xi[:] = 0.0
        self._towards(0.0, ROUGH)
        far = self._room(0.0)
        mu = look_ahead(point, squared, moves, 0.0)
        target = mu * (look_ahead(point, squared, moves, far) / mu) ** 3
        note_curves(squared, moves)
        change, rest = self._towards(target, FINE)
        far = self._room(target)
        if far < SHORT:
            before = Moves(*(part.copy() for part in moves))
            recentre(point, squared, moves, min(1.0, far + LONGER), target)
            other, other_rest = self._towards(target, FINE)
            longer = self._room(target)
            if longer > far:
                change, rest, far = other, other_rest, longer
            else:
                moves = before
        self.far = min(1.0, SHARE * far)
        self._advance(moves, change, rest)

    def _towards(self, mu: float, enough: float) -> tuple[np.ndarray, np.ndarray]:
        """Steps of the weights and, in ``moves``, of the margins, towards a point with this ``mu``."""
        pull(self.point, self.problem.squared, self.moves, mu, self.stiff, self.problem.signs, self.pulled)
        right = self.system.backward(self.pulled) + self.linear - self.system.penalty * self.weights
        change, self.moves.margins[:], rest = self.system.solve(right, enough)
        return change, rest

    def _room(self, mu: float) -> float:
        """Make the steps of all rows, and say how far they may go, at most 1."""
        move(self.point, self.problem.squared, self.moves, mu, self.stiff, self.pulled)
        return 1.0 / max(1.0, float(self.pulled.max()))

    def _advance(self, moves: Moves, change: np.ndarray, rest: np.ndarray) -> None:
        """Take the steps, and note both objectives; where there is a bias, as if alpha were balanced."""
        # The whole step would end where A' alpha = L w + rest.
        self.sums += self.far * (self.system.penalty * (self.weights + change) + rest - self.sums)
        self.weights += self.far * change
        cost, total, square, products = advance(self.point, self.problem.squared, moves, self.far)
        self.mu = products / self.stiff.size
        columns = self.problem.X.shape[1]
        w, sums = self.weights[:columns], self.sums[:columns]
        self.primal = cost + 0.5 * float(w @ w) + self.offset - float(np.sum(self.linear * self.weights))
        self.dual = total - square - 0.5 * float(sums @ sums) + self.offset
        if self.problem.intercept:
            self.dual -= abs(float(self.sums[-1]))

    def zoom(self) -> None:
        """Go on with the rows near the margin only."""
        moved = self.moves.margins * self.far
        width = WIDE * max(float(np.sqrt(np.mean(moved * moved))), self.mu / float(self.whole.bounds.mean()))
        self.before = Before(self.weights.copy(), self.mu, width, self.dual, self.inside, self.point)
        self._look_at(width)

    def widen(self) -> None:
        """Rows were wrong to wait: back to where they began to, with more of them inside."""
        self.before = self.before._replace(width=WIDER * self.before.width)
        self.weights, self.mu = self.before.weights.copy(), self.before.mu
        self._look_at(self.before.width)

    def _look_at(self, width: float) -> None:
        """Let all rows wait that are farther than this from the margin."""
        whole = self.whole
        system = System(whole, self.rng, self.tick)
        margins = system.forward(self.weights)
        below = np.zeros(margins.size, dtype=bool) if whole.squared else margins < 1 - width
        self.inside = np.flatnonzero((margins <= 1 + width) & ~below)
        self.waiting = np.where(below, whole.bounds, 0.0)
        self._begin(whole.take(self.inside), system.backward(self.waiting * whole.signs), float(self.waiting.sum()))
        self._resume()

    def _resume(self) -> None:
        """Rows that were inside before go on from where they were."""
        place = np.full(self.waiting.size, -1)
        place[self.before.inside] = np.arange(self.before.inside.size)
        place = place[self.inside]
        known = place >= 0
        for now, then in zip(self.point[1:5], self.before.point[1:5], strict=True):
            now[known] = then[place[known]]
        self.sums = self.system.backward(self.problem.signs * self.point.alpha) + self.linear

    @property
    def astray(self) -> bool:
        """Whether the objective is below what the dual allows: rows that wait are on the wrong side by now."""
        return self.primal < self.before.dual * (1 - np.sign(self.before.dual) * ROUNDING)

    def certified(self, best: Answer, tol: float) -> Answer:
        """The better of ``best`` and of this point, over all rows: with every alpha at the bound that the path leads to, or,
        where that is not good enough yet, as it is."""
        point, bounds = self.point, self.problem.bounds
        rounded = np.where(point.alpha < bounds * point.s, 0.0, point.alpha)
        exact = point.alpha
        if not self.problem.squared:
            rounded[point.eta < bounds * point.xi] = np.inf
            exact = np.where(exact < point.eta, exact, bounds - point.eta)
        best = self._certify(rounded, best)
        return best if best.gap <= tol else self._certify(exact, best)

    def _certify(self, alpha: np.ndarray, best: Answer) -> Answer:
        everywhere = self.waiting.copy()
        everywhere[self.inside] = alpha
        return certify(self.whole, self.weights[: self.whole.X.shape[1]], everywhere, best)


def follow(path: Path, best: Answer, tol: float, progress: Progress) -> tuple[Answer, int]:
    """Go on until the gap is at most ``tol``, the time is over, or it gets no further."""
    next_zoom, next_look = FIRST_ZOOM, FIRST_LOOK
    iteration, gap = 0, np.inf
    with suppress(OutOfTime):
        while gap > tol and iteration < MOST_ITERATIONS:
            iteration += 1
            path.go_on()
            gap = path.gap
            if gap <= tol:
                best = path.certified(best, tol)
                gap = best.gap
                if gap > tol and path.inside.size < path.waiting.size:
                    path.widen()
            elif gap < next_look:
                next_look = NEXT_LOOK * gap
                best = path.certified(best, tol)
            elif path.astray:
                path.widen()
            elif gap < next_zoom and path.inside.size > ENOUGH_ROWS:
                next_zoom = NEXT_ZOOM * gap
                path.zoom()
            if progress.note(gap) or path.far < STALLED:
                break
    return path.certified(best, tol) if best.gap > tol else best, iteration
