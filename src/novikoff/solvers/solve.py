"""Which method, and what to do when it gets no further.

Measured without a bias (seconds until the gap was proved; two cores, one thread, other work on the machine):

| rows | interior point | coordinate descent |
|---|---|---|
| dense 100k x 50, a fifth of the labels wrong, gap 1e-6 | 0.4 | 4.3 |
| dense 60k x 784 of that kind, gap 1e-4 | 5 to 9 | gap 3e-2 after 60 |
| 32k x 123 zeros and ones, 14 ones a row, gap 1e-6 | 0.1 | 0.3 |
| 100k x 47k, 40 non-zeros a row, gap 1e-3 | no room for its matrix | 0.25 |

Rows of few columns come to ``together`` before, and those of many columns to ``descend_on``: what follows is for more rows, and for
what these leave.

Large C is hard for descent and easy for the other: of breast cancer data as they are, C = 0.01, descent brings the gap nowhere.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from ..inputs.clock import Clock, OutOfTime
from .audit import Found
from .crammer_singer import Joint, JointAnswer, joint_certify, joint_descend, joint_follow, no_weights
from .dual_descent import descend
from .gap_progress import LAST_PATIENCE, PATIENCE, PROGRESS, Progress
from .interior import Path, follow
from .margin_audit import AuditRows, audited, audited_jointly
from .polish import polished
from .problem import Answer, Problem, certify, nothing
from .row_space import suited
from .shifted_rows import brought_near, shifted

log = logging.getLogger(__name__)

INTERIOR_FIRST = 1500  # columns, or rows, for which the interior point method comes first
POSSIBLE, MOST = 3000, 20_000  # for which it comes at all; for which it is refused
ONE_KERNEL = 128  # columns: of fewer, Newton's method has been tried already (``together``)
TURNS = 5  # of a method
CLOSER = 0.9  # of the tolerance is asked of a method, so that what the audit adds for rounding finds room
NO_START = 0.1  # the gap of an answer that is no better to start from than nothing
WARM = 0.1  # of a bound: where on the central path weights that are nearly right fit in


class Outcome(NamedTuple):
    """An answer, and how it came about."""

    answer: Any  # Answer, or JointAnswer
    solver: str
    iterations: int
    history: list[tuple[float, float]]  # seconds and gap
    reason: str  # "solved", "time" or "stalled"


def given(answer: Any, solver: str, tol: float, clock: Clock) -> Outcome:
    """The outcome of an answer that came at once."""
    return Outcome(answer, solver, 1, [(clock.seconds, answer.gap)], _reason(answer.gap, tol, clock))


def after(first: Outcome, second: Outcome) -> Outcome:
    """The outcome of a method that began with the answer of another."""
    more = {"warm start": first.solver, "none": first.solver}.get(second.solver, f"{first.solver}+{second.solver}")
    return second._replace(solver=more, iterations=first.iterations + second.iterations)


def solve(
    rows: AuditRows, tol: float, solver: str, clock: Clock, rng: np.random.Generator, start: Answer | None = None
) -> Outcome:
    """Solve until the gap is at most ``tol``, the time is over, or no method gets further."""
    problem, centre = rows.problem, rows.centre
    assert isinstance(problem, Problem)
    best = nothing(problem)
    if start is not None:
        best = audited(rows, certify(problem, start.w, start.alpha, best))
    near = brought_near(problem, centre)

    def run(method: str, best: Answer, progress: Progress) -> tuple[Answer, int]:
        best = best._replace(b=shifted(best.w, best.b, centre, 1))
        iterations = 0
        with suppress(OutOfTime):
            best, iterations = RUN[method](near, best, CLOSER * tol, progress, rng)
            best = polished(near, best) if not clock.over else best
        return audited(rows, best._replace(b=shifted(best.w, best.b, centre, -1))), iterations

    return in_turn(_methods(problem, solver), run, best, tol, clock)


def solve_joint(
    rows: AuditRows, tol: float, solver: str, clock: Clock, rng: np.random.Generator, start: JointAnswer | None = None
) -> Outcome:
    """The same for all classes at once."""
    problem, centre = rows.problem, rows.centre
    assert isinstance(problem, Joint)
    best = no_weights(problem)
    if start is not None:
        best = audited_jointly(rows, joint_certify(problem, start.w, start.b, start.alpha, best))
    near = brought_near(problem, centre)

    def run(method: str, best: JointAnswer, progress: Progress) -> tuple[JointAnswer, int]:
        best = best._replace(b=shifted(best.w, best.b, centre, 1))
        if method == "interior":
            best, iterations = joint_follow(near, best, CLOSER * tol, progress)
        else:
            best, iterations = joint_descend(near, best, CLOSER * tol, rng, progress)
        return audited_jointly(rows, best._replace(b=shifted(best.w, best.b, centre, -1))), iterations

    size = problem.classes * (problem.X.shape[1] + 1)
    methods = ["descent", "interior"] if size <= POSSIBLE else ["descent"]
    if size <= INTERIOR_FIRST:
        methods = ["interior", "descent"]
    return in_turn(methods if solver == "auto" else [solver], run, best, tol, clock)


def in_turn(
    methods: list[str], run: Callable[[str, Any, Progress], Any], best: Any, tol: float, clock: Clock
) -> Outcome:
    """Method after method, each as long as it gets further."""
    progress = Progress(clock)
    used, iterations = [], 0
    while methods and best.gap > tol and not clock.over:
        before, method = best.gap, methods.pop(0)
        progress.begin(PATIENCE if methods else LAST_PATIENCE)
        try:
            best, more = run(method, best, progress)
        except np.linalg.LinAlgError as error:  # numbers out of the range of this method; others may go on
            log.info("%s: %s", method, error)
            more = 0
        log.info("%s: gap %.3g after %d iterations, %.3g s", method, best.gap, more, clock.seconds)
        used.append(method)
        iterations += more
        if used.count(method) < TURNS and best.gap < PROGRESS * before:  # worth another turn, after the others
            methods.append(method)
    progress.history.append((clock.seconds, best.gap))
    solver = "+".join(dict.fromkeys(used)) or ("warm start" if best.gap <= tol else "none")
    return Outcome(best, solver, iterations, progress.history, _reason(best.gap, tol, clock))


def _reason(gap: float, tol: float, clock: Clock) -> str:
    return "solved" if gap <= tol else "time" if clock.over else "stalled"


def _methods(problem: Problem, solver: str) -> list[str]:
    """In the order in which they are tried."""
    few = min(problem.X.shape)
    columns = problem.X.shape[1]
    if solver == "interior" and few > MOST:
        raise ValueError(
            f"solver='interior' needs a matrix of {few} x {few} numbers for these rows, which is too large: use 'descent'."
        )
    if solver not in ("auto", "newton"):
        return [solver]
    if few > POSSIBLE:
        return ["descent"]
    if columns <= INTERIOR_FIRST or few <= INTERIOR_FIRST // 3:
        return ["interior", "descent"]
    return ["descent", "interior"]


def _interior(
    problem: Problem, best: Answer, tol: float, progress: Progress, rng: np.random.Generator
) -> tuple[Answer, int]:
    turned, back = suited(problem, progress.tick)
    size = float(problem.bounds.mean())
    warm = turned is problem and bool(best.w.any())
    weights = np.zeros(turned.X.shape[1] + problem.intercept)
    if warm:
        weights = np.append(best.w, best.b) if problem.intercept else best.w
    path = Path(turned, weights, size * (WARM if warm else 1.0), rng, progress.tick)
    found, iterations = follow(path, best if turned is problem else nothing(turned), tol, progress)
    return found if turned is problem else certify(problem, back(found.w), found.alpha, best), iterations


def _descent(
    problem: Problem, best: Answer, tol: float, progress: Progress, rng: np.random.Generator
) -> tuple[Answer, int]:
    shares = (best.alpha * problem.signs)[:, None]
    start = Found(best.w[None], np.array([best.b]), np.zeros(1, np.int64), shares)
    last = progress.patience >= LAST_PATIENCE
    found = descend(*problem._replace(signs=problem.signs[None]), tol, progress.clock, rng, start, patient=last)
    assert found.shares is not None
    answer = certify(problem, found.coef[0], found.shares[:, 0] * problem.signs, best)
    progress.note(answer.gap)
    return answer, int(found.steps[0])


RUN = {"interior": _interior, "descent": _descent}
