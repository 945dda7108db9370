"""Machines with a kernel: which method, and problems of two classes each or of one class against the rest.

Where all kernel values fit into the cache, ``gram_solve`` has them made once for all problems.  Of more rows, and where it misses the
tolerance: steps on pairs of a working set, judged by the audit, and begun anew from its scores where that brings more.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from ..dual.kernels import Linear, Points
from ..inputs.clock import Clock, OutOfTime
from .gap_progress import Progress
from .gram_check import Flaws, looked_at
from .gram_lines import Lines
from .gram_solve import fits, solve_on_gram
from .kernel_audit import audited_kernel
from .kernel_sums import KernelSums
from .pair_steps import SET, KernelAnswer, no_support, solve_pairs
from .problem import Problem
from .solve import CLOSER, Outcome, given, in_turn

STRICTER = 0.1  # of the last turn's tolerance, where the audit found more than the steps did


class Machines(NamedTuple):
    """Rows sorted by class, and the problems that they are in: a line of ``stretches`` each, as ``gram_steps`` wants them."""

    order: np.ndarray  # row numbers, class after class
    stretches: np.ndarray
    lines: int  # of shares: a row has one alpha for every problem that it is in

    def rows(self, problem: int) -> np.ndarray:
        """Places of the rows of a problem in the order."""
        first, end, _, second, last = self.stretches[problem, :5].tolist()
        return np.concatenate([np.arange(first, end), np.arange(second, last)])

    def of_rows(self, problem: int) -> np.ndarray:
        """The lines of shares that these rows have their alphas in."""
        first, end, line, second, last, other = self.stretches[problem, :6].tolist()
        return np.repeat([line, other], [end - first, last - second])

    def signs(self, problem: int) -> np.ndarray:
        """The signs of these rows."""
        places, (first, end) = self.rows(problem), self.stretches[problem, 6:]
        return np.where((places >= first) & (places < end), 1.0, -1.0)


def machines_of(target: np.ndarray, classes: int, pairs: bool) -> Machines:
    """One problem for every two classes, the positive one being the second, or one for each class against the rest."""
    order = np.argsort(target, kind="stable")
    ends = np.searchsorted(target[order], np.arange(classes + 1))
    if pairs:
        each = [(a, b) for a in range(classes) for b in range(a + 1, classes)]
        lines = [(ends[a], ends[a + 1], b - 1, ends[b], ends[b + 1], a, ends[b], ends[b + 1]) for a, b in each]
    else:
        lines = [(0, ends[-1], k, 0, 0, k, ends[k], ends[k + 1]) for k in range(classes)]
    return Machines(order, np.array(lines, dtype=np.int64), classes - 1 if pairs else classes)


def solve_kernel(
    kernel: Linear, points: Points, machines: Machines, bounds: np.ndarray, tol: float, limit: float, clock: Clock
) -> tuple[list[Outcome], np.ndarray]:
    """Solve each problem until its gap is at most ``tol``, the time is over, or the steps get no further; ``limit``: bytes for
    kernel values.  Also ``alpha_i y_i``, (lines, rows) in the order of the points."""
    kernel, points, flaws = looked_at(kernel, points)
    work = _Work(kernel, points.take(machines.order), flaws, bounds[machines.order], machines, tol, limit, clock)
    outcomes = [work.outcome(p, known) for p, known in enumerate(work.together())]
    shares = np.empty_like(work.shares)
    shares[:, machines.order] = work.shares
    return outcomes, shares


class _Work:
    """The problems of one fit, and how far they are."""

    def __init__(
        self,
        kernel: Linear,
        points: Points,
        flaws: Flaws,
        bounds: np.ndarray,
        machines: Machines,
        tol: float,
        limit: float,
        clock: Clock,
    ) -> None:
        self.kernel, self.points, self.flaws, self.bounds, self.machines = kernel, points, flaws, bounds, machines
        self.tol, self.limit, self.clock = tol, limit, clock
        self.shares = np.zeros((machines.lines, bounds.size))
        self._whole: tuple[KernelSums, Lines] | None = None

    def together(self) -> list[Outcome | None]:
        """All problems on one matrix of kernel values, if that fits; None for those that are yet to be solved."""
        stretches = self.machines.stretches
        if not fits(self.bounds.size, self.limit):
            return [None] * len(stretches)
        sums = KernelSums(self.kernel, self.points, self.flaws)
        return self._on_gram(sums, stretches, self.bounds, self.shares)

    def outcome(self, number: int, known: Outcome | None) -> Outcome:
        """The outcome of a problem, solved by itself if it was not yet."""
        if self._ended(known):
            assert known is not None
            return known
        places, lines, signs = (
            part(number) for part in (self.machines.rows, self.machines.of_rows, self.machines.signs)
        )
        if known is None and places.size < self.bounds.size and fits(places.size, self.limit):
            known = self._alone(number, places, lines)
            if self._ended(known):
                assert known is not None
                return known
        as_given = np.argsort(self.machines.order[places])
        places, lines, signs = places[as_given], lines[as_given], signs[as_given]
        sums, kept = self._sums(places)
        problem = Problem(sums.points.X, signs, self.bounds[places], squared=False, intercept=True)
        start = fresh = no_support(problem)
        if known is not None:
            alpha = self.shares[lines, places] * signs
            begun = audited_kernel(problem, sums, KernelAnswer(alpha, known.answer.b, np.inf, -np.inf))
            start = begun if begun.gap < start.gap else start
        outcome = _solve(problem, kept, sums, start, self.tol, self.clock)
        if outcome.reason == "stalled" and start is not fresh:  # steps may get stuck where others ended
            again = _solve(problem, kept, sums, fresh, self.tol, self.clock)
            outcome = again if again.answer.gap < outcome.answer.gap else outcome
        self.shares[lines, places] = outcome.answer.alpha * signs
        return outcome

    def _ended(self, known: Outcome | None) -> bool:
        return known is not None and (known.reason != "stalled" or self.clock.over)

    def _sums(self, places: np.ndarray) -> tuple[KernelSums, Lines]:
        """Of these rows; of all rows they are kept for other problems."""
        if self._whole is not None and places.size == self.bounds.size:
            return self._whole
        sums = KernelSums(self.kernel, self.points.take(places), self.flaws)
        made = sums, Lines(sums.kernel, sums.near(), self.limit, 2 * SET)
        if places.size == self.bounds.size:
            self._whole = made
        return made

    def _alone(self, number: int, places: np.ndarray, lines: np.ndarray) -> Outcome | None:
        """Two classes on the matrix of their own kernel values."""
        first, end = self.machines.stretches[number, :2].tolist()
        size = end - first
        stretch = np.array([(0, size, 0, size, places.size, 0, size, places.size)], dtype=np.int64)
        sums = KernelSums(self.kernel, self.points.take(places), self.flaws)
        mine = np.zeros((1, places.size))
        (known,) = self._on_gram(sums, stretch, self.bounds[places], mine)
        self.shares[lines, places] = mine[0]
        return known

    def _on_gram(
        self, sums: KernelSums, stretches: np.ndarray, bounds: np.ndarray, shares: np.ndarray
    ) -> list[Outcome | None]:
        with suppress(OutOfTime):
            solved = solve_on_gram(sums, stretches, bounds, shares, self.tol, self.clock)
            if solved is not None:
                return [
                    given(proved, "pairs", self.tol, self.clock)._replace(iterations=steps)
                    if proved.gap < 1  # that of no weights
                    else None
                    for proved, steps in zip(solved[0], solved[1].tolist(), strict=True)
                ]
        return [None] * len(stretches)


def _solve(problem: Problem, lines: Lines, sums: KernelSums, start: KernelAnswer, tol: float, clock: Clock) -> Outcome:
    asked = CLOSER * tol

    def run(_: str, best: Any, progress: Progress) -> tuple[Any, int]:
        nonlocal asked
        found, rounds = solve_pairs(problem, lines, sums, best.alpha, asked, progress.note)
        asked *= STRICTER
        proved = audited_kernel(problem, sums, found)
        return (proved if proved.gap < best.gap else best), rounds

    return in_turn(["pairs"], run, start, tol, clock)
