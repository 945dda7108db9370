"""Support vector machines over partitions, round by round; each round is one fold.

**Squared hinge**: Newton's method on P itself, which ends after finitely many steps (``svm.finite_newton``).

**Hinge**: Newton's method on P with its slacks smoothed, which is a primal view of the central path (Fiacco & McCormick 1968):
row by row, alpha follows from the margin and ``mu`` in closed form, so that rows carry no state.  ``mu`` falls tenfold whenever the
weights are near its point of the path, and a step looks ahead to the next (``d alpha / d mu``).  When what is left is small, the side
of the margin of most rows is known: the rows near it are handed over, all others wait with alpha 0 or C, and the interior point
method solves for those few rows here.  Rows that turn out to be on the other side are handed over, too, until the gap is proved.

Where columns are many, the equations of a step are solved by conjugate gradients, each of whose steps is a round, and no rows are handed
over: the alpha of the smoothed slacks proves the gap.

A solver is a generator: it asks (``machine_sums``) and is sent the sums over all rows.  So the problems of several classes, or of
several values of C, share their rounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..solvers.solve import WARM
from .folding import Engine
from .machine_sums import (
    answer_all,
    merge_all,
)
from .near_margin import solve_hinge
from .newton_rounds import Solved, Solver, Task, solve_squared, solve_wide


def run_rounds(engine: Engine, solvers: list[Solver]) -> tuple[list[Solved], int]:
    """What all solvers find, and in how many rounds: in each of them all that are not done ask."""
    found: dict[int, Solved] = {}
    asks: dict[int, Any] = {number: next(solver) for number, solver in enumerate(solvers)}
    rounds = 0
    while asks:
        answers = engine.fold(answer_all, merge_all, list(asks.values()))
        rounds += 1
        asked, asks = list(asks), {}
        for number, answer in zip(asked, answers, strict=True):
            try:
                asks[number] = solvers[number].send(answer)
            except StopIteration as end:
                found[number] = end.value
    return [found[number] for number in range(len(solvers))], rounds


def solve(task: Task, start: np.ndarray | None) -> Solver:
    """Rounds until the gap is proved, the time is over, or nothing gets further; from the weights of another problem, if any."""
    weights = np.zeros(task.size) if start is None else start.copy()
    if task.which.squared:
        return (yield from solve_squared(task, weights))
    mu = task.cost * (1.0 if start is None else WARM)
    return (yield from (solve_hinge(task, weights, mu) if task.narrow else solve_wide(task, weights, mu)))
