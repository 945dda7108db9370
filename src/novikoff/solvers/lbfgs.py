"""L-BFGS and Newton's method for the logistic neuron: ``min over w, b of P = sum_i s_i loss_i(w.x_i + b) + l2/2 |w|^2``, the bias not penalised,
where ``loss`` is ``CrossEntropy`` or ``SoftmaxEntropy`` of ``objectives``.

Directions.  Newton's method where its matrix is small: ``-H^-1 g``, ``H = X' D X + l2`` with D the second derivatives by the scores.  Else
L-BFGS (Liu & Nocedal 1989): with s the last steps, y the changes of the gradient that they made, and B a first guess of the inverse of H,

    q = g;  from the last pair to the first:  a = s'q / s'y,  q = q - a y
    r = c B q, c = s'y / y'By of the last pair;  from the first to the last:  r = r + (a - y'r / s'y) s;  the direction is -r .

B is the inverse of the diagonal of H at zero weights, and later, once so many iterations were made as that costs, of H's own blocks, one
for each output, from some of the rows.  So the scales of columns hardly matter.

Steps go down: along a direction the loss is known from two vectors of scores, with no further look at the rows, and a step is halved, or
made longer, until it goes down enough (Armijo 1966, Wolfe 1969; where rounding hides by how much, until its slope does: Hager & Zhang 2005).

The end.  With a penalty, the duality gap of weights whose gradient is g is ``|g|^2 / (2 l2)``, the bias being the best one (Fenchel): where that
is small enough, ``audit`` proves it, rounding included, or steps go on.  Rows are multiplied in float32 first, if they are of that kind or many
and the tolerance is not too small, and in float64 from there on if that did not do.  Without a penalty, Newton's method ends where a step moves no
score by more than ``NEAR``: the loss is then above its minimum by no more than about the step's promise ``g' H^-1 g`` (Bach 2010, for the
losses here, which are generalised self-concordant), and L-BFGS goes over to it; that is no proof in floats, and whether there is a minimum at
all, a proof of separability says.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.blas import dsyrk

from ..checks.arrays import parts
from ..system.clock import Clock, OutOfTime
from .audit import Fit, SmoothProof, prove_smooth
from .choose import likelihood_in_single
from .objectives import CrossEntropy, SoftmaxEntropy
from .products import DenseRows, SparseRows, divided, factor_of, rows_of

DOWN = 1e-4  # the share of the slope that a step must go down by
LEVEL = 0.9  # and the share of the slope that may be left behind it
NOISE = 1e-6  # of P: what rounding may hide, of float32 rows
FLAT = 1e-9  # the share of the first gradient below which weights that still move fast have no end
FAST = 0.5  # a move of a score that is fast: where weights grow without limit, Newton steps move one by about 1
BACK = 1e-6  # of that move: what the margin of a row may lose where weights grow without limit; that of none does, except for rounding
NEAR = 1e-2  # a Newton step that moves no score by more than this is the last one without a penalty
HALVINGS = 40
FEW_HALVINGS = 3  # of a step by an older matrix, which is then asked for again
PAIRS = 10  # of steps and changes of the gradient that L-BFGS remembers; 16 take as many iterations
NOTHING = 2.0  # iterations that a matrix may cost so that B is renewed early
RENEWED = 8, 20  # iterations before B is first renewed, at the least: if it costs no more than that, or if it does,
AGAIN = 3  # and times as many until the next time
NEWTON_LATER = 1000  # unknowns up to which Newton's method takes over from L-BFGS without a penalty
SMALL_GAIN = 3e-8  # of the loss a row: what L-BFGS promises without a penalty before Newton's method takes over
CLOSER = 0.8  # of the tolerance is asked of the gap, so that what the audit adds for rounding finds room
CLOSER_STILL = 0.1  # of that, or more if little is missing, is asked for where the audit could not prove it,
ASKED_LEAST = 1e-6  # as long as it is more than this part of the tolerance
NEARLY = 20.0  # times the tolerance: a gap from which the bias of several classes is kept at its best
SINGLE_PROOFS = 2  # that fail before float64 takes over
PROOF = 3  # iterations that a proof takes as long as, so that there is time for it
RATE = 2e10  # multiplications a second by which a matrix is taken apart, at the least
PIECE, SPREAD = (
    1 << 28,
    1 << 20,
)  # multiplications between two looks at the clock, and numbers of rows times probabilities at a time
MATRICES = 1 << 26  # numbers of the matrices of all outputs that are kept


class SmoothProblem(NamedTuple):
    """What is to be solved."""

    X: Any  # (rows, columns)
    target: np.ndarray  # class numbers
    weight: np.ndarray  # (rows,), or empty: all are 1
    intercept: bool
    slope: float
    l2: float
    outputs: int  # 1: two classes; more: softmax
    kind: Any = np.float64  # the floats of the weights that a fit keeps


def loss_of(problem: SmoothProblem) -> CrossEntropy | SoftmaxEntropy:
    """That of the problem's rows."""
    if problem.outputs == 1:
        return CrossEntropy(problem.target, problem.weight, problem.slope)
    return SoftmaxEntropy(problem.target, problem.weight, problem.slope, problem.outputs)


class Minimum(NamedTuple):
    """What was found."""

    coef: np.ndarray  # (outputs, columns)
    bias: np.ndarray  # (outputs,)
    reason: (
        str  # "solved"; "separated" or "no_minimum", where weights grow without limit; "stalled", "budget" or "time"
    )
    steps: int
    gap: float  # the relative duality gap, proved; infinite if nothing is
    proof: SmoothProof | None = None  # of rows in memory, with a penalty


def maximise(
    problem: SmoothProblem, method: str, most: int, clock: Clock, tol: float, start: np.ndarray | None = None
) -> Minimum:
    """The weights of largest likelihood, less the penalty; ``method``: "newton" or "lbfgs"; ``start``: (outputs, columns + 1), weights
    and bias to begin with."""
    steps = 0
    if method == "lbfgs" and problem.l2 and likelihood_in_single(problem.X, problem.outputs, tol):
        rows = LossInMemory(problem, start, np.float32)
        with np.errstate(all="ignore"):
            found = climb(problem, rows, method, most, clock, tol)
        if found.reason != "stalled":
            return found._replace(proof=rows.proof)
        if np.isfinite(found.coef).all() and np.isfinite(found.bias).all():
            steps, start = found.steps, np.column_stack([found.coef, found.bias])
    rows = LossInMemory(problem, start)
    found = climb(problem, rows, method, most - steps, clock, tol)
    return found._replace(steps=found.steps + steps, proof=rows.proof)


def climb(problem: SmoothProblem, objective: LossInMemory, method: str, most: int, clock: Clock, tol: float) -> Minimum:
    """Go on from the first weights until the gap is proved to be at most ``tol``, or, without a penalty, until little is left to gain."""
    l2, penalty = problem.l2, objective.penalty
    penalised = penalty > 0
    weights = objective.first.copy()
    first, reason, steps, asked, gap, failed = 0.0, "", 0, CLOSER * tol, inf, 0
    coef, bias = objective.public(weights)
    ahead: Newton | QuasiNewton | None = None
    begun = clock.seconds
    try:
        while not reason:
            decayed = penalty * weights
            gradient = objective.gradient() + decayed
            value = objective.loss + 0.5 * float(np.dot(decayed, weights))
            about = float(np.dot(penalised * gradient, gradient)) / (2 * (l2 or 1.0) * value) if value > 0 else 0.0
            clock.note(method, steps, about)
            if l2 and about <= asked:
                coef, bias, gap = objective.prove(weights, tol)
                if gap <= tol:
                    reason = "solved"
                    break
                failed += 1
                if asked == ASKED_LEAST * tol:
                    reason = "stalled"
                    break
                asked = max(ASKED_LEAST * tol, asked * max(CLOSER_STILL, min(CLOSER, CLOSER * tol / gap)))
                if objective.kind == np.float32 and failed == SINGLE_PROOFS:
                    return Minimum(coef, bias, "stalled", steps, gap)
            late = clock.over or (
                method == "lbfgs" and steps > 0 and clock.left < PROOF * (clock.seconds - begun) / steps
            )
            if steps == most or late:
                reason = "time" if late else "budget"
                break
            steps += 1
            first = first or float(np.abs(gradient).max())
            if ahead is None:
                ahead = (Newton if method == "newton" else QuasiNewton)(objective, problem.outputs, clock)
            direction = ahead.direction(gradient)
            slope = float(np.dot(gradient, direction))
            objective.set_direction(direction)
            far = search(objective, weights, direction, slope, ahead.most_trials)
            objective.step(far)
            step = far * direction
            if problem.outputs > 1 and l2 and about <= NEARLY * asked:
                step += objective.settle()
            weights += step
            ahead.went(step if far else None)
            if not l2:
                moved = problem.slope * objective.moved()
                if ahead.arrived(moved, slope, objective.weight):
                    if isinstance(ahead, Newton):
                        reason = "solved"
                    elif penalty.size <= NEWTON_LATER:
                        objective.renew()
                        ahead = Newton(objective, problem.outputs, clock)
                        continue
                    else:
                        reason = "stalled"
                elif (
                    moved > FAST
                    and float(np.abs(gradient).max()) < FLAT * first
                    and objective.lowered() <= BACK * moved
                ):
                    reason = "no_minimum"
            if not far and not reason and not ahead.began_again():
                reason = "stalled"
    except OutOfTime:
        reason = "time"
    if l2 and reason != "solved":
        coef, bias, gap = objective.prove(weights, inf if reason == "time" else tol)
        reason = "solved" if gap <= tol else reason
    if not l2:
        coef, bias = objective.public(weights)
        reason = "separated" if reason != "time" and objective.separated() else reason
    return Minimum(coef, bias, reason, steps, gap)


class Newton:
    """``-H^-1 g``."""

    def __init__(self, objective: LossInMemory, outputs: int, clock: Clock) -> None:
        self._objective, self._outputs, self._clock = objective, outputs, clock
        self._last = 0.0  # how steep the last direction was
        self._fresh = True

    def direction(self, gradient: np.ndarray) -> np.ndarray:
        """Where the quadratic through the present point has its minimum."""
        size = self._objective.penalty.size
        self._clock.allow(size**3 / 3 / RATE, 16 * size**2)
        matrix, self._fresh = self._objective.matrix(self._clock), self._objective.fresh
        self._clock.allow(size**3 / 3 / RATE)
        if self._outputs > 1:
            self._refuse_common(matrix)
        return -divided(factor_of(matrix, self._objective.penalty), gradient[None])[0]

    def _refuse_common(self, matrix: np.ndarray) -> None:
        """Add to a matrix of softmax what makes steps that are common to all outputs costly, which change nothing.  The sum over outputs of
        the gradient is zero, and so is then that of the step: it is what it would be otherwise, but definite."""
        places = self._objective.grid(np.arange(len(matrix)))  # (outputs, width)
        sizes = self._objective.grid(matrix.diagonal()).mean(axis=0) / self._outputs
        matrix[places[:, None], places[None]] += sizes  # (above the diagonal, which is not used, too)

    def went(self, step: np.ndarray | None) -> None:
        """(Nothing is kept of a step.)"""

    def arrived(self, moved: float, slope: float, weight: float) -> bool:
        """Whether the scores will hardly move any more after a step: by the square of it, or with an older matrix by as much less as it was
        shorter than the one before."""
        shorter = float((slope / self._last) ** 0.5) if slope <= 0 > self._last else inf
        self._last = slope
        return moved * (moved if self._fresh or not moved else shorter) <= NEAR**2

    @property
    def most_trials(self) -> int:
        """How many lengths of a step are worth trying."""
        return HALVINGS if self._fresh else FEW_HALVINGS

    def began_again(self) -> bool:
        """Whether there is another direction to try from here: that of a fresh matrix."""
        return self._objective.renew()


class QuasiNewton:
    """L-BFGS, as above."""

    most_trials = HALVINGS

    def __init__(self, objective: LossInMemory, outputs: int, clock: Clock) -> None:
        self._objective, self._clock = objective, clock
        self._steps, self._last_renewed, self._due = 0, 0, max(RENEWED[objective.price > NOTHING], objective.price)
        self._pairs: list[tuple[np.ndarray, np.ndarray, float]] = []  # s, y and s'y, the oldest first
        self._before: tuple[np.ndarray, np.ndarray] | None = None  # gradient, and the step from there
        self._B, self._scale = objective.first_guess(), objective.kind.type(1)  # c, as above

    def direction(self, gradient: np.ndarray) -> np.ndarray:
        """``-B g``, where B takes the last changes of the gradient back to the steps that made them."""
        self._steps += 1
        kind = self._objective.kind
        own = gradient.astype(kind, copy=False)
        if self._before is not None:
            change, step = own - self._before[0], self._before[1]
            product = float(np.dot(step, change))
            if product > 0:
                self._pairs = [*self._pairs[-PAIRS + 1 :], (step, change, product)]
                if not self._last_renewed:
                    self._scale = kind.type(product / float(np.dot(change, self._B(change))))
        if self._steps > self._due:
            self._renew()
        left, shares = own, []
        for step, change, product in reversed(self._pairs):
            shares.append(kind.type(float(np.dot(step, left)) / product))
            left = left - shares[-1] * change
        direction = self._scale * self._B(left)
        for (step, change, product), share in zip(self._pairs, reversed(shares), strict=True):
            direction += (share - kind.type(float(np.dot(change, direction)) / product)) * step
        self._before = own, direction
        return -direction

    def went(self, step: np.ndarray | None) -> None:
        """A step was made, or none."""
        assert self._before is not None
        self._before = None if step is None else (self._before[0], step.astype(self._objective.kind, copy=False))

    def _renew(self) -> None:
        """Begin with H's blocks as they are now."""
        objective = self._objective
        each = []
        for k, own in enumerate(objective.grid(objective.penalty)):
            self._clock.tick()
            each.append(factor_of(objective.some_matrix(k), own))
        self._B = lambda right: objective.flat(
            np.concatenate([divided(own, line[None]) for own, line in zip(each, objective.grid(right), strict=True)])
        )
        self._pairs, self._last_renewed, self._due = [], self._steps, AGAIN * self._steps
        self._scale = objective.kind.type(1)

    def arrived(self, moved: float, slope: float, weight: float) -> bool:
        """Whether too little is promised to go on."""
        return abs(slope) <= SMALL_GAIN * weight

    def began_again(self) -> bool:
        """Forget what was remembered, if anything was: it led nowhere.  Or begin with H next."""
        led = bool(self._pairs)
        if not led and self._objective.price < inf and self._last_renewed < self._steps:
            led, self._due = True, self._steps
        self._pairs, self._before = [], None
        return led


def search(
    objective: LossInMemory,
    weights: np.ndarray,
    direction: np.ndarray,
    slope: float,
    trials: int = HALVINGS,
) -> float:
    """How far to go along a direction that was set: 0 if no step goes down."""
    decayed = objective.penalty * direction
    linear, square = float(np.dot(decayed, weights)), float(np.dot(decayed, direction))
    if not slope < 0:
        return 0.0
    hidden = NOISE * abs(objective.loss)
    low, high, far = 0.0, inf, 1.0
    best = 0.0
    for _ in range(trials):
        loss, steep = objective.value(far)
        change, left = loss - objective.loss + far * linear + far**2 / 2 * square, steep + linear + far * square
        down = change <= DOWN * far * slope or (abs(change) <= hidden and left <= (2 * DOWN - 1) * slope)
        if not down:
            high = far
        else:
            best = far
            if left >= LEVEL * slope:
                return far
            low = far
        if best and high < inf:
            return best
        far = 2 * low if high == inf else (low + high) / 2
    return best


def joint_matrix(
    rows: DenseRows | SparseRows, loss: CrossEntropy | SoftmaxEntropy, slopes: np.ndarray, clock: Clock
) -> np.ndarray:
    """``X' D X`` of two classes; of softmax ``sum_i s_i (diag(p_i) - p_i p_i') (x) x_i x_i'``, in the order of the weights; the lower
    triangle."""
    slopes = slopes.astype(float, copy=False)
    bends = loss.curvatures(slopes)
    if isinstance(loss, CrossEntropy):
        return rows.gram(bends[0])
    outputs, count = slopes.shape
    size = outputs * rows.width
    matrix, own = np.zeros((size, size), order="F"), np.zeros((size, rows.width))
    for some in parts(count, max(32, min(PIECE // size**2, SPREAD // size))):
        clock.tick()
        X = rows.some(some)
        spread = (loss.rooted_chances(slopes, some).T[:, :, None] * X[:, None]).reshape(len(X), -1)
        matrix = dsyrk(-1.0, spread.T, beta=1.0, c=matrix, lower=1, overwrite_c=1)
        own += (
            np.multiply(bends.T[some][:, :, None], X[:, None], out=spread.reshape(len(X), outputs, -1))
            .reshape(len(X), -1)
            .T
            @ X
        )
    for k in range(outputs):
        block = slice(k * rows.width, (k + 1) * rows.width)
        matrix[block, block] = own[block]
    places = rows.grid(np.arange(size)).reshape(-1)  # output after output is not the order of sparse weights
    if np.all(np.diff(places) == 1):
        return matrix
    whole = np.empty_like(matrix)
    whole[np.ix_(places, places)] = np.tril(matrix) + np.tril(matrix, -1).T
    return whole


def inverse_of_diagonal(diagonal: np.ndarray, objective: LossInMemory) -> Callable[[np.ndarray], np.ndarray]:
    """What divides a vector by this diagonal of the second derivatives of each output, and the penalty."""
    penalty = objective.grid(objective.penalty)
    bends = diagonal + penalty[0]
    each = np.broadcast_to(1 / np.where(bends > 0, bends, 1.0), penalty.shape)
    inverse = objective.flat(each).astype(objective.kind, copy=False)
    return lambda right: inverse * right


class LossInMemory:
    """The loss of all rows, at weights and on from there along a direction.  Weights of all outputs are one vector.  These rows are in memory, with the scores that
    weights give them and those along a direction; others may be anywhere (``distributed.cluster_likelihood``)."""

    first: np.ndarray  # the weights to begin with
    penalty: np.ndarray  # of each weight; of the bias 0
    loss: float  # without the penalty
    weight: float  # of all rows
    price: float  # iterations that a matrix for each output costs; infinite if there is none
    fresh = True  # whether ``matrix`` is of these weights, not of some that are near, or not known
    proof: SmoothProof | None = None  # the last one

    def __init__(self, problem: SmoothProblem, start: np.ndarray | None = None, kind: Any = np.float64) -> None:
        self._problem, self.kind = problem, np.dtype(kind)
        self._rows = rows = rows_of(problem.X, problem.intercept, problem.l2, problem.outputs, kind)
        self._loss = loss_of(problem)
        self.penalty, self.grid, self.flat, self.public = rows.penalty, rows.grid, rows.flat, rows.public
        count, outputs = len(problem.target), problem.outputs
        look = (
            4 * max(1, count) * rows.columns * (outputs + 20) / (outputs + 4)
        )  # of an iteration and output; products of few are slower
        price = 2 * (rows.sampled() * rows.columns**2 + rows.columns**3 / 3) / max(1, look)
        self.price = price if rows.second_order and outputs * rows.columns**2 <= MATRICES else inf
        self.weight = float(problem.weight.sum()) if problem.weight.size else float(count)
        self.first = np.zeros(rows.penalty.size) if start is None else rows.private(start)
        self._scores = rows.scores(self.first) if start is not None else rows.no_scores()
        self._slopes = self._scores.copy(order="K")
        self.loss = self._loss.descend(self._slopes)
        self._along = np.empty_like(self._scores)
        self._tried = 0.0, self.loss  # how far the slopes are along the direction, and the loss there

    def gradient(self) -> np.ndarray:
        """The loss by the weights, without the penalty."""
        return self._rows.back(self._slopes)

    def matrix(self, clock: Clock) -> np.ndarray:
        """Its second derivatives, the lower triangle."""
        return joint_matrix(self._rows, self._loss, self._slopes, clock)

    def renew(self) -> bool:
        """Make the matrix fresh; whether it was not."""
        return False

    def some_matrix(self, output: int) -> np.ndarray:
        """About the second derivatives by the weights of one output."""
        return self._rows.some_gram(self._loss.curvatures(self._slopes[[output]])[0])

    def first_guess(self) -> Callable[[np.ndarray], np.ndarray]:
        """What multiplies a vector by about the inverse of all second derivatives, for zero weights."""
        return inverse_of_diagonal(self._rows.squares(self._loss.curvatures(None)[0]), self)

    def settle(self) -> np.ndarray | float:
        """Go to about the best bias of these weights, which a proof will take, of several classes; how weights change."""
        assert isinstance(self._loss, SoftmaxEntropy)
        bend, pulls = self._loss.bend(self._slopes), self._slopes.sum(axis=1, dtype=float)
        if not (self._problem.intercept and np.isfinite(bend).all() and np.isfinite(pulls).all()):
            return 0.0
        move = -np.linalg.lstsq(bend, pulls, rcond=1e-9)[0]
        before = self._scores.copy(order="K"), self._slopes.copy(order="K"), self.loss
        self._scores += move[:, None].astype(self.kind)
        self._slopes[:] = self._scores
        self.loss = self._loss.descend(self._slopes)
        if not self.loss <= before[2] * (1 + NOISE):
            self._scores, self._slopes, self.loss = before
            return 0.0
        grid = np.zeros((self._problem.outputs, self._rows.width))
        grid[:, -1] = move
        return self.flat(grid)

    def set_direction(self, direction: np.ndarray) -> None:
        """Look along a direction."""
        self._along = self._rows.scores(direction, self._along)
        self._tried = 0.0, self.loss

    def value(self, far: float) -> tuple[float, float]:
        """The loss so far along it, and how steep it is."""
        np.multiply(self._along, self.kind.type(far), out=self._slopes)
        self._slopes += self._scores
        self._tried = far, self._loss.descend(self._slopes)
        return self._tried[1], float(np.dot(self._slopes.ravel("K"), self._along.ravel("K")))

    def step(self, far: float) -> None:
        """Go so far."""
        if self._tried[0] != far:
            self.value(far)
        self.loss, self._far = self._tried[1], far or 1.0
        if far:
            if far != 1:
                self._along *= self.kind.type(far)
            self._scores += self._along

    def moved(self) -> float:
        """By how much the direction moves the score that it moves most."""
        return float(np.abs(self._along).max(initial=0.0)) / self._far

    def lowered(self) -> float:
        """By how much it lowers the margin that it lowers most, times the slope; not positive if it lowers none."""
        return -self._loss.margin(self._along) / self._far

    def separated(self) -> bool:
        """Whether the weights are right about every row."""
        return self._loss.margin(self._scores) > 0

    def prove(self, weights: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Weights and bias for rows as they were given, the bias being the best one, and the proved relative gap."""
        problem = self._problem
        fit = Fit(problem.X, problem.intercept, problem.l2, problem.kind)
        proof = prove_smooth(self._loss, fit, *self.public(weights), tol)
        self.proof = proof
        return proof.coef, proof.bias, proof.gap
