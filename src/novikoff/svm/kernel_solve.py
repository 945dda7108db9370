"""Machines with a kernel: steps on pairs, judged by the audit, and begun anew from its scores where that brings more."""

from __future__ import annotations

from typing import Any

from ..dual.kernels import Linear, Points
from ..inputs.clock import Clock
from .gap_progress import Progress
from .gram_check import looked_at
from .gram_lines import Lines
from .kernel_audit import audited_kernel
from .kernel_sums import KernelSums
from .pair_steps import SET, KernelAnswer, no_support, solve_pairs
from .problem import Problem
from .solve import CLOSER, Outcome, in_turn

STRICTER = 0.1  # of the last turn's tolerance, where the audit found more than the steps did


def solve_kernel(
    kernel: Linear, points: Points, problems: list[Problem], tol: float, limit: float, clock: Clock
) -> list[Outcome]:
    """Solve each problem until its gap is at most ``tol``, the time is over, or the steps get no further; ``limit``: bytes for
    kernel values."""
    sums = KernelSums(*looked_at(kernel, points))
    lines = Lines(sums.kernel, sums.near(), limit, 2 * SET)
    return [_solve(problem, lines, sums, tol, clock) for problem in problems]


def _solve(problem: Problem, lines: Lines, sums: KernelSums, tol: float, clock: Clock) -> Outcome:
    asked = CLOSER * tol

    def run(_: str, best: KernelAnswer, progress: Progress) -> tuple[Any, int]:
        nonlocal asked
        found, rounds = solve_pairs(problem, lines, sums, best.alpha, asked, progress.note)
        asked *= STRICTER
        proved = audited_kernel(problem, sums, found)
        return (proved if proved.gap < best.gap else best), rounds

    return in_turn(["pairs"], run, no_support(problem), tol, clock)
