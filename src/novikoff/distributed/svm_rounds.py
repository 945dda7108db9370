"""Support vector machines over partitions, round by round; each round is one fold.

A problem is ``min over w, b of P = 1/2 |w|^2 + sum_i C_i max(0, 1 - z_i)`` (or its squares), with the margins ``z_i = y_i (w.x_i + b)``.  Rows
carry no state: a row's alpha is a function of its margin at weights that all partitions are told.  Of the squared hinge it is ``2 C max(0, 1
- z)``; of the hinge, whose corner is rounded within a band of width ``mu`` about the margin, it is ``C clip(1/2 + (1 - z) / mu, 0, 1)``.

**Newton's method** on P, smoothed or not (``solve``): a step is ``(L + A' D A)^-1 (A' alpha - L z)``, A having the rows ``y_i (x_i, 1)``, D being how
far alpha moves with the margin, L the identity, but 0 for the bias.  D is zero for rows outside the band.  ``mu`` falls to a fifth whenever a
step has less to gain than smoothing costs, and that step looks ahead (``d alpha / d mu``).  Where columns are many, the equations are solved by conjugate gradients, each of
whose steps is a round.

**The last steps of the hinge** (``settle``), if columns are few: the side of the margin of most rows is known by then.  The rows near it are
handed over and solved for here, while all others wait with alpha 0 or C.  Rows that turn out to be on the other side are handed
over, too, until the gap is proved.

**The proof** is that of ``solvers.audit``: partitions bound what rounding may have hidden in their own sums, and bounds are added up with
their own roundings (``sound_sums``).  ``sum_i alpha_i y_i`` need not be zero: for any alpha within its bounds, with ``r = sum_i alpha_i y_i``,

    min P >= D(alpha) - |r| |b*| ,      |b*| <= 1 + R |w*| ,      |w*|^2 <= 2 P(w, b) for any w and b ,

w*, b* being the best weights and R the longest row: beyond that bias all rows of one class have no slack, and all of the other do
(see ``solvers.kkt``).  The heavier class is scaled down to make r a rounding error.

A solver is a generator: it asks, and is sent the sums over all rows.  So the problems of several classes, or of several values of C, share
their rounds.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dpotrf, dpotrs

from ..inputs.arrays import parts
from ..inputs.clock import Clock
from ..inputs.rounding_error import SMALLEST, UNIT, sum_room
from ..inputs.threads import one_thread
from ..rows.partitions import Partitions
from ..solvers.audit import Found, SureRows, relative_gap
from ..solvers.newton import newton
from .blocks_given import aligned
from .sound_sums import Most, Sum, merge, total
from .taken_rows import Rows

MOST_COLUMNS = 1500  # of a matrix that every partition makes and sends
MOST_ROUNDS = 100  # of Newton's method
IDLE, PATIENCE = 1 - 1e-9, 5  # P that has not fallen to this part of what it was for so many steps falls no more
WARM = 0.1  # the first mu of weights that are nearly right
WIDEST = 4.0  # the first mu: wide enough that rows of margin 0 are inside
FALL, CENTRED = (
    0.2,
    0.5,
)  # mu falls to this part, if the decrement of a step is no more than this part of what smoothing costs
STEEP = 0.5  # of its slope at the beginning that P may rise with at the end of a step
TRIALS = 20  # of the length of a step
SHORTER = (1.0, 0.3, 0.0)  # lengths of a step to a smaller mu
ROUGH, FINER, MOST_PRODUCTS = 0.3, 0.05, 60  # relative accuracy of conjugate gradients: with mu that falls, else; steps
FINE, ENOUGH, NEARLY = 0.1, 0.5, 0.9  # of the tolerance, as sums that are not audited say: where rounds are cheap; dear
SMOOTH_ENOUGH = 1e-3  # of P may be what smoothing costs when rows near the margin are asked for
PUSHES = (0.0, 1e-14, 1e-10, 1e-6)  # of a matrix's diagonal, until it is definite
BLOCK = 1 << 17  # numbers of a block of rows, which stays in the processor's cache
FINEST, COARSEST = -40, 10  # distances from the margin are counted by powers of two from here to there
WIDE = 5.0  # a row is near the margin if it is within so many steps of the margins, or inside the band
FEWEST_NEAR, MOST_NEAR = 4, 2000  # rows near the margin for each column
AT_ONCE = 2000  # rows of a partition that are handed over at once
WIDER, ASTRAY = 4.0, 0.5  # times as wide, if rows near the margin were too few, or more than this part of them astray
MOST_CHECKS = 20  # of rows that wait


class Which(NamedTuple):
    """One of the problems with these rows."""

    place: int  # rows of this class have the sign +1, all others -1
    C: float
    squared: bool
    intercept: bool


# What partitions say


class Machine(NamedTuple):
    """The rows of a partition as a problem of their own."""

    X: Any
    signs: np.ndarray
    bounds: np.ndarray
    squared: bool
    intercept: bool

    def margins(self, weights: np.ndarray) -> np.ndarray:
        """``A weights``, the bias being the last of them."""
        scores = self.X @ weights[:-1] + weights[-1] if self.intercept else self.X @ weights
        return np.asarray(self.signs * scores)

    def back(self, shares: np.ndarray) -> np.ndarray:
        """``A' shares``."""
        made = self.X.T @ (self.signs * shares)
        return np.append(made, self.signs @ shares) if self.intercept else made

    def matrix(self, stiff: np.ndarray) -> np.ndarray:
        """``A' D A``, of the rows that have a part in it."""
        some = np.flatnonzero(stiff)
        size = self.X.shape[1] + self.intercept
        total = np.zeros((size, size))
        for part in parts(some.size, max(size, BLOCK // max(1, size))):
            rows, root = self.X[some[part]], np.sqrt(stiff[some[part]])
            if sparse.issparse(rows):
                scaled = sparse.csr_array(sparse.diags_array(root) @ rows)
                total[: rows.shape[1], : rows.shape[1]] += (scaled.T @ scaled).toarray()
            else:
                scaled = root[:, None] * rows
                total[: rows.shape[1], : rows.shape[1]] += scaled.T @ scaled
            if self.intercept:
                total[-1, :-1] += scaled.T @ root
                total[-1, -1] += root @ root
        if self.intercept:
            total[:-1, -1] = total[-1, :-1]
        return total

    def diagonal(self, stiff: np.ndarray) -> np.ndarray:
        """The diagonal of that."""
        X = self.X
        squares = X.multiply(X).T @ stiff if sparse.issparse(X) else np.einsum("ij,ij,i->j", X, X, stiff)
        return np.append(squares, stiff.sum()) if self.intercept else squares

    def bent(self, margins: np.ndarray, mu: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Alpha of rows with these margins, how far it moves with the margin, and with ``mu``."""
        if self.squared:
            slack = np.maximum(0.0, 1.0 - margins)
            return 2.0 * self.bounds * slack, np.where(slack > 0, 2.0 * self.bounds, 0.0), np.zeros(0)
        part = np.clip(0.5 + (1.0 - margins) / mu, 0.0, 1.0)
        stiff = np.where((part > 0) & (part < 1), self.bounds / mu, 0.0)
        return self.bounds * part, stiff, (0.5 - part) * stiff

    def cost(self, slack: np.ndarray) -> float:
        """Of these slacks."""
        return float(self.bounds @ (slack * slack if self.squared else slack))


def machine_of(rows: Rows, which: Which) -> Machine:
    """The rows of a partition as one of the problems has them."""
    signs = np.where(rows.target == which.place, 1.0, -1.0)
    return Machine(rows.X, signs, which.C * rows.weight, which.squared, which.intercept)


class Newton(NamedTuple):
    """Asks for a step of Newton's method from weights (the bias last); ``matrix``: with its matrix, else with its diagonal."""

    which: Which
    weights: np.ndarray
    mu: float
    matrix: bool


class NewtonSums(NamedTuple):
    """Sums over rows."""

    cost: float  # of slacks
    alpha: float
    squares: float  # alpha^2 / (4 C), of the squared hinge
    made: np.ndarray  # A' alpha
    ahead: np.ndarray  # A' (d alpha / d mu), of the hinge
    stiff: float  # of D
    matrix: np.ndarray  # A' D A, or its diagonal
    near: np.ndarray  # how many rows are nearer to the margin than 2^FINEST, than twice that, and so on; of the hinge
    blur: float  # what smoothing adds to the cost


def newton_sums(number: int, rows: Rows, ask: Newton) -> NewtonSums:
    """Those of one partition."""
    machine = machine_of(rows, ask.which)
    margins = machine.margins(ask.weights)
    alpha, stiff, ahead = machine.bent(margins, ask.mu)
    cost = machine.cost(np.maximum(0.0, 1.0 - margins))
    if machine.squared:
        squares, along, near, blur = 0.25 * float(alpha @ (alpha / machine.bounds)), np.zeros(0), np.zeros(0, int), 0.0
    else:
        squares, along, distance = 0.0, machine.back(ahead), np.abs(margins - 1.0)
        blur = float(
            stiff @ (0.5 * ask.mu**2 * (alpha / machine.bounds) ** 2 - ask.mu * np.maximum(0.0, 1.0 - margins))
        )
        powers = np.clip(np.frexp(distance)[1], FINEST, COARSEST) - FINEST
        near = np.cumsum(np.bincount(powers, minlength=COARSEST - FINEST + 1))
    total = float(stiff.sum())
    matrix = machine.matrix(stiff) if ask.matrix else machine.diagonal(stiff)
    return NewtonSums(cost, float(alpha.sum()), squares, machine.back(alpha), along, total, matrix, near, blur)


class Product(NamedTuple):
    """Asks for ``A' D A`` times a direction, at weights (the bias last)."""

    which: Which
    weights: np.ndarray
    mu: float
    direction: np.ndarray


def product(number: int, rows: Rows, ask: Product) -> tuple[np.ndarray]:
    """That of one partition."""
    machine = machine_of(rows, ask.which)
    _, stiff, _ = machine.bent(machine.margins(ask.weights), ask.mu)
    return (machine.back(stiff * machine.margins(ask.direction)),)


class Proof(NamedTuple):
    """Asks for what proves the objective of weights, and the dual value of the alpha that belongs to them and ``mu``."""

    which: Which
    weights: np.ndarray
    mu: float


class Proved(NamedTuple):
    """Sums whose rounding errors are bounded; of alpha one of each class, the positive one first."""

    cost: Sum  # of slacks
    reach: Most  # the longest row
    alpha: Sum  # (2,): sum_i alpha_i
    made: Sum  # (columns, 2): sum_i alpha_i x_i
    squares: Sum  # (2,): sum_i alpha_i^2 / C_i, of the squared hinge
    held: int  # rows with alpha > 0


def prove(number: int, rows: Rows, ask: Proof) -> Proved:
    """What one partition can prove."""
    machine = machine_of(rows, ask.which)
    return proved(machine, ask.weights, lambda margins: machine.bent(margins, ask.mu)[0])[0]


def proved(machine: Machine, weights: np.ndarray, alpha_of: Any) -> tuple[Proved, np.ndarray]:
    """The sums of a problem's rows, with the alpha of their margins, and the margins."""
    sure = SureRows(machine.X, None)
    sure.more_careful()
    w, b = (weights[:-1], weights[-1:]) if machine.intercept else (weights, np.zeros(1))
    scores, errors = sure.scores(w[None], b)
    margins = machine.signs * scores[:, 0]
    alpha = np.clip(alpha_of(margins), 0.0, None if machine.squared else machine.bounds)
    slack = np.maximum(0.0, 1.0 - margins + errors[:, 0])
    up = machine.signs > 0
    each = [total(alpha[up]), total(alpha[~up])]
    costs = alpha * (alpha / machine.bounds) if machine.squared else np.zeros_like(alpha)
    squares = np.array([costs[up].sum(), costs[~up].sum()]) * sure.room**2
    found = Proved(
        Sum(machine.cost(slack) * sure.room**2, 0.0),
        Most(sure.farthest()),
        Sum(np.array([one.value for one in each]), np.array([one.error for one in each])),
        Sum(*sure.sums(np.column_stack([np.where(up, alpha, 0.0), np.where(up, 0.0, alpha)]))),
        Sum(squares, np.zeros(2)),
        int(np.count_nonzero(alpha)),
    )
    return found, margins


def primal_bound(weights: np.ndarray, intercept: bool, cost: Sum) -> float:
    """P, not below the truth."""
    w = weights[:-1] if intercept else weights
    return float((0.5 * np.square(w).sum() + cost.most) * sum_room(w.size + 8))


def dual_bound(proof: Proved, intercept: bool, primal: float) -> float:
    """A lower bound of the smallest P, from sums over all rows; ``primal``: the objective of any weights, or more."""
    factors, missed = np.ones(2), 0.0
    heavier = int(np.argmax(proof.alpha.value))
    if intercept and proof.alpha.value[heavier] > 0:
        factors[heavier] = min(1.0, proof.alpha.value[1 - heavier] / proof.alpha.value[heavier])
    alpha, made = proof.alpha.times(factors), proof.made.times(factors)
    if intercept:
        left = Sum(alpha.value[0], alpha.error[0]) + Sum(-alpha.value[1], alpha.error[1])
        bias = 1.0 + proof.reach.value * np.sqrt(2.0 * primal)
        missed = (abs(left.value) + left.error) * bias * sum_room(8)
    weights = Sum(made.value[:, 0], made.error[:, 0]) + Sum(-made.value[:, 1], made.error[:, 1])
    square = 0.5 * float(np.square(np.abs(weights.value) + weights.error).sum()) * sum_room(weights.value.size + 8)
    square += 0.25 * float((factors**2 * proof.squares.most).sum()) * sum_room(8)
    gain = float(alpha.value.sum() - alpha.error.sum())
    return gain - square - missed - 8 * UNIT * (abs(gain) + square + missed) - SMALLEST


class Gather(NamedTuple):
    """Asks for the rows near the margin of ``around`` or, if some were handed over before, for those that are on another side of it
    at ``weights``; all others wait, alpha being 0 or C by their side at ``around``."""

    which: Which
    around: np.ndarray  # weights, the bias last
    width: float
    weights: np.ndarray
    taken: dict[int, np.ndarray]  # of each partition, rows that were handed over before


class Gathered(NamedTuple):
    """What proves the objective and the rows that wait, the rows handed over, and how many there were to hand over."""

    proof: Proved
    X: list[Any]
    signs: list[np.ndarray]
    bounds: list[np.ndarray]
    rows: dict[int, np.ndarray]
    wrong: int


def gather(number: int, rows: Rows, ask: Gather) -> Gathered:
    """What one partition hands over."""
    machine = machine_of(rows, ask.which)
    before = machine.margins(ask.around) - 1.0
    taken = ask.taken.get(number, np.zeros(0, int))
    waits = np.ones(before.size, bool)
    waits[taken] = False
    if ask.taken:
        over = np.where(before < 0, 1.0, -1.0) * (machine.margins(ask.weights) - 1.0)
        wrong = np.flatnonzero(waits & (over > 0))
        first = wrong[np.argsort(-over[wrong], kind="stable")]
    else:
        wrong = np.flatnonzero(np.abs(before) <= ask.width)
        first = wrong[np.argsort(np.abs(before[wrong]), kind="stable")]
    new = np.sort(first[:AT_ONCE])
    waits[new] = False
    alpha = np.where(waits & (before < 0), machine.bounds, 0.0)
    proof, _ = proved(machine, ask.weights, lambda margins: alpha)
    kept = {number: np.append(taken, new)}
    return Gathered(proof, [machine.X[new]], [machine.signs[new]], [machine.bounds[new]], kept, wrong.size)


ANSWERS: dict[type, Any] = {Newton: newton_sums, Product: product, Proof: prove, Gather: gather}


def answer_all(number: int, rows: Rows, asks: list[Any]) -> list[tuple[Any, ...]] | None:
    """What one partition says to all that is asked; None if it has no rows."""
    if not rows.target.size:
        return None
    rows = Rows(*map(aligned, rows))
    with one_thread():
        return [ANSWERS[type(ask)](number, rows, ask) for ask in asks]


def merge_all(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """What two partitions, or more, say."""
    return [merge(a, b) for a, b in zip(one, other, strict=True)]


# What is asked


class Task(NamedTuple):
    """A problem, and when it is solved."""

    which: Which
    rows: int  # of all partitions
    columns: int
    cost: float  # the mean of C_i
    tol: float
    clock: Clock

    @property
    def size(self) -> int:
        """Weights, the bias included."""
        return self.columns + self.which.intercept

    @property
    def narrow(self) -> bool:
        """Whether partitions can make and send a matrix of the columns."""
        return self.size <= MOST_COLUMNS

    @property
    def penalty(self) -> np.ndarray:
        """1 for weights, 0 for the bias."""
        return np.append(np.ones(self.columns), np.zeros(int(self.which.intercept)))


class Best:
    """The best weights and the best dual value so far, and what is proved of them."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self.weights, self.primal, self.dual, self.held = np.zeros(task.size), np.inf, -np.inf, 0
        self.history: list[tuple[float, float]] = []  # seconds and gap

    def note(self, weights: np.ndarray, cost: Sum) -> None:
        """Consider these weights."""
        value = primal_bound(weights, self._task.which.intercept, cost)
        if value < self.primal:
            self.weights, self.primal = weights.copy(), value

    def note_dual(self, proof: Proved) -> None:
        """Consider this dual point."""
        value = dual_bound(proof, self._task.which.intercept, self.primal)
        if value > self.dual:
            self.dual, self.held = value, proof.held

    def proved(self) -> bool:
        """Whether the gap is as small as is asked for; noted."""
        self.history.append((self._task.clock.seconds, self.gap))
        return self.gap <= self._task.tol

    @property
    def gap(self) -> float:
        """The relative gap, not below the truth."""
        return relative_gap(self.primal, self.dual, 0.0)


Solver = Generator[Any, Any, Best]


def run_rounds(engine: Partitions, solvers: list[Solver]) -> tuple[list[Best], int]:
    """What all solvers find, and in how many rounds: in each of them all that are not done ask."""
    found: dict[int, Best] = {}
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
    which, penalty, best = task.which, task.penalty, Best(task)
    weights = np.zeros(task.size) if start is None else start.copy()
    mu = 0.0 if which.squared else WIDEST if start is None else WARM
    settles = task.narrow and not which.squared
    enough = SMOOTH_ENOUGH if settles else task.tol * (FINE if task.narrow else NEARLY)
    sums: NewtonSums = yield Newton(which, weights, mu, task.narrow)
    least, idle = np.inf, 0
    for rounds in range(MOST_ROUNDS):
        value = 0.5 * float(penalty @ (weights * weights)) + sums.cost
        gap = gap_about(weights, penalty, value, sums)
        task.clock.note("newton", rounds, gap / value if value > 0 else 0.0)
        right = sums.made - penalty * weights
        towards = solved_here(task, sums.matrix, right)
        decrement = float(right @ towards)
        least, idle = (value, 0) if mu or value < IDLE * least else (least, idle + 1)
        ends = task.clock.over or not decrement > 0 or idle == PATIENCE or rounds == MOST_ROUNDS - 1
        if (sums.blur + decrement if settles else gap) <= enough * value or ends:
            if settles and not task.clock.over:
                moved2 = max(0.0, float(towards @ (right - penalty * towards)))
                moved2 /= sums.stiff or 1.0  # the mean of squares of what margins move by
                width = near_width(task, max(WIDE * moved2**0.5, 0.5 * mu), sums.near)
                if (yield from settle(task, weights + towards, width, best)):
                    return best
            proof: Proved = yield Proof(which, weights, mu)
            best.note(weights, proof.cost)
            best.note_dual(proof)
            if best.proved() or ends or enough < FINE * task.tol * (FINE if settles else UNIT):
                return best
            enough *= FALL if task.narrow else ENOUGH
        target = mu
        if mu and decrement <= CENTRED * sums.blur:
            target = FALL * mu
            right = right + (target - mu) * sums.ahead
        step = yield from step_to(task, weights, mu, right, sums, ROUGH if target < mu or not mu else FINER)
        if target < mu:
            weights, sums, mu = yield from narrowed(task, weights, step, target, value)
        else:
            weights, sums = yield from reached(task, weights, step, mu, -float(right @ step), value + sums.blur)
    return best


def gap_about(weights: np.ndarray, penalty: np.ndarray, value: float, sums: NewtonSums) -> float:
    """About the gap between P and the dual value of the alpha that belongs to the weights."""
    dual = sums.alpha - sums.squares - 0.5 * float(penalty @ (sums.made * sums.made))
    left, bias = sums.made[penalty == 0], weights[penalty == 0]
    return value - dual + float(np.abs(left).sum()) * (1.0 + float(np.abs(bias).sum()))


def solved_here(task: Task, matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """``(L + A' D A)^-1 right``; of a diagonal alone, as if that were all; zero, where floats cannot solve for it."""
    if matrix.ndim == 1:
        return right / np.where(matrix + task.penalty > 0, matrix + task.penalty, 1.0)
    for push in PUSHES:
        pushed = matrix.copy()
        pushed[np.diag_indices_from(pushed)] += task.penalty + push * (matrix.diagonal() + task.penalty)
        factor, failed = dpotrf(pushed, lower=1, overwrite_a=1)
        if not failed and np.isfinite(factor[-1, -1]):
            return np.asarray(dpotrs(factor, right, lower=1)[0])
    return np.zeros_like(right)


def step_to(
    task: Task, weights: np.ndarray, mu: float, right: np.ndarray, sums: NewtonSums, accuracy: float
) -> Generator[Any, Any, np.ndarray]:
    """``(L + A' D A)^-1 right``; of many columns to this relative accuracy, by conjugate gradients."""
    towards = solved_here(task, sums.matrix, right)
    if task.narrow:
        return towards
    found, left, direction = np.zeros_like(right), right.copy(), towards
    size = first = float(left @ towards)
    for _ in range(MOST_PRODUCTS):
        if size <= accuracy**2 * first or task.clock.over:
            break
        (changed,) = yield Product(task.which, weights, mu, direction)
        changed = changed + task.penalty * direction
        curvature = float(direction @ changed)
        if not curvature > 0:
            break
        found += size / curvature * direction
        left -= size / curvature * changed
        towards = solved_here(task, sums.matrix, left)
        before, size = size, float(left @ towards)
        direction = towards + size / before * direction
    if task.which.intercept:  # what is left of the bias's own equation costs most
        found[-1] += towards[-1]
    return found


def narrowed(
    task: Task, weights: np.ndarray, step: np.ndarray, mu: float, value: float
) -> Generator[Any, Any, tuple[np.ndarray, NewtonSums, float]]:
    """Weights at the end of a step to a smaller mu, if P does not rise there, or within a part of it, or where they are; their sums, and mu, larger
    again if no row is inside the band."""
    for far in SHORTER:
        there = weights + far * step
        sums: NewtonSums = yield Newton(task.which, there, mu, task.narrow)
        while not far and not sums.stiff and mu < WIDEST:
            mu /= FALL**0.5
            sums = yield Newton(task.which, there, mu, task.narrow)
        if sums.stiff and 0.5 * float(task.penalty @ (there * there)) + sums.cost <= value:
            break
    return there, sums, mu


def reached(
    task: Task, weights: np.ndarray, step: np.ndarray, mu: float, slope: float, most: float
) -> Generator[Any, Any, tuple[np.ndarray, NewtonSums]]:
    """Weights along a step, which P falls along by ``slope`` at its beginning, and their sums: at the end of the step, or, if P, which is
    convex, is above ``most`` or rises steeply there, where a line through both slopes is zero, and so on."""
    far = 1.0
    for _ in range(TRIALS):
        there = weights + far * step
        sums: NewtonSums = yield Newton(task.which, there, mu, task.narrow)
        rises = float((task.penalty * there - sums.made) @ step)
        value = 0.5 * float(task.penalty @ (there * there)) + sums.cost
        if rises <= STEEP * abs(slope) and value <= most:
            break
        far *= min(0.5, max(0.1, -slope / (rises - slope))) if slope < 0 < rises else 0.5
    return there, sums


def near_width(task: Task, width: float, near: np.ndarray) -> float:
    """About this width, but one that holds neither next to no rows nor too many to hand over."""
    widths = np.ldexp(1.0, np.arange(FINEST, COARSEST + 1))
    fewest = min(FEWEST_NEAR * task.size, task.rows)
    least = widths[min(int(np.searchsorted(near, fewest)), near.size - 1)]
    most = widths[max(int(np.searchsorted(near, MOST_NEAR * task.size, side="right")) - 1, 0)]
    return float(max(min(width, most), least))


def settle(task: Task, around: np.ndarray, width: float, best: Best) -> Generator[Any, Any, bool]:
    """Solve for the rows near the margin, and hand over those that were wrong to wait, until the gap is proved; whether it is."""
    got, near = yield from fetched(task, around, width, best)
    for _ in range(MOST_CHECKS):
        if task.clock.over or not near.signs.size:
            break
        weights, alpha = solve_near(task, near, got.proof, around)
        here, _ = proved(near, around, lambda margins, alpha=alpha: alpha)
        best.note_dual(merge(got.proof, here._replace(cost=Sum(0.0, 0.0))))  # their slacks count in their partitions
        got = yield Gather(task.which, around, width, weights, got.rows)
        best.note(weights, got.proof.cost)
        if best.proved():
            return True
        if not got.wrong:
            break
        if got.wrong > ASTRAY * near.signs.size:
            around, width = weights, WIDER * width
            got, near = yield from fetched(task, around, width, best)
        else:
            near = handed_over(task, got, near)
    return False


def fetched(task: Task, around: np.ndarray, width: float, best: Best) -> Generator[Any, Any, tuple[Gathered, Machine]]:
    """The rows near the margin: so many that their alphas can make up for what those of all others leave of
    ``sum_i alpha_i y_i``; else the bias would have no best value."""
    while True:
        got: Gathered = yield Gather(task.which, around, width, around, {})
        best.note(around, got.proof.cost)
        near = handed_over(task, got)
        up, down = got.proof.alpha.value
        room = float(near.bounds[near.signs * (up - down) < 0].sum())
        if not task.which.intercept or abs(up - down) < room or near.signs.size == task.rows:
            return got, near
        width *= WIDER


def handed_over(task: Task, got: Gathered, before: Machine | None = None) -> Machine:
    """The rows that are here, those that came before first."""
    blocks = [*([before.X] if before else []), *got.X]
    X = sparse.vstack(blocks, format="csr") if sparse.issparse(blocks[0]) else np.concatenate(blocks)
    signs = np.concatenate([*([before.signs] if before else []), *got.signs])
    bounds = np.concatenate([*([before.bounds] if before else []), *got.bounds])
    return Machine(X, signs, bounds, squared=False, intercept=task.which.intercept)


def solve_near(task: Task, near: Machine, waiting: Proved, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights and alpha of the rows near the margin, with all others waiting."""
    up, down = waiting.made.value.T
    excess = waiting.alpha.value[:1] - waiting.alpha.value[1:]
    pull = np.append(up - down, excess) if near.intercept else up - down
    X = near.X.toarray() if sparse.issparse(near.X) else near.X
    first = Found(start[None, : task.columns], start[task.columns :].sum(keepdims=True), np.zeros(1))
    found = newton(
        X,
        near.signs[None],
        near.bounds,
        False,
        near.intercept,
        FINE * task.tol,
        task.clock,
        first,
        elsewhere=(pull, float(waiting.alpha.value.sum())),
    )
    assert found.shares is not None
    return np.append(found.coef[0], found.bias[: int(near.intercept)]), np.abs(found.shares[:, 0])
