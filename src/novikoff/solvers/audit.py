"""The last word on a fit that was solved: a relative duality gap with everything that rounding may have hidden.

What is solved is ``P(w, b) = l2/2 |w|^2 + sum_i s_i phi_i(a_i)``, ``a = w.x + b``, for one output or several.  By Fenchel's duality, for
every set of *shares* ``A_i = s_i alpha_i`` in the domain of the conjugate with ``sum_i A_i = 0`` (if there is a bias, which is not penalised),

    P >= D(A) = sum_i s_i c_i(alpha_i) - |sum_i A_i x_i|^2 / (2 l2) .

The shares of weights are the slopes ``-s_i phi_i'(a_i)``, made to fulfil the conditions exactly (``balance``).  The relative gap is

    (P - D) / max(P, u P(0)) ,

u being one rounding, and P(0) the objective of zero weights with their best bias: P may be zero, as that of a regression without noise.  (That of a machine
is not, and P(0), times a large C, says nothing: there P(0) counts as zero.)
P is bounded from above and D from below:

- a score of n terms errs by at most ``gamma_n |x| |w|`` (``system.rounding_error``), and a sum over m rows by ``gamma_m |A| |x_j|``, x_j being a
  column; where that is not enough, by ``gamma_n sum_j |x_j w_j|`` and ``gamma_m sum_i |A_i x_ij|``, which are never larger; and where
  X is small, sums are made with the longest floats there are.  Twice as much is allowed for, which leaves room for rounding rows
  that are shifted, and the bounds themselves;
- ``exp``, ``log1p`` and ``expm1`` of NumPy are taken to err by at most ``LIBRARY`` units (they document or test fewer than 4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import inf, nextafter
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..checks.arrays import canonical, parts
from ..system.rounding_error import UNIT, gamma, sum_room, unit_of
from .objectives import CrossEntropy, SmoothDual, SoftmaxEntropy, Squares
from .products import BLOCK
from .shifted_rows import far_centre, shifted

LONG = 1 << 21  # numbers of rows that are multiplied in long floats, where that is needed
HALF = 0.5  # beyond, no slack is a rounding error
PIECE = 1 << 20  # numbers of rows and of their scores at once, of squares
AT_ONCE = 1 << 19  # numbers of rows that are multiplied at once by a proof of a smooth loss
FEWEST_AT_ONCE = (
    1 << 14
)  # numbers of rows whose products are added up in float32, before sums go on in float64: fewer would take longer than float64
WIDTH = 256  # columns whose products are added up in float32
COARSE = (
    0.2,
    0.5,
)  # of what the tolerance leaves for the gradient: what its rounding may take; of squares, whose gradient is next to nothing
SMALL = (1e-15, 1e-13, 1e-11, 1e-9, 1e-7)  # slacks that may be rounding errors


class GapBounds(NamedTuple):
    """Both sides of a proof, of each problem."""

    primal: np.ndarray  # not below the objectives
    dual: np.ndarray  # not above their minima
    zero: np.ndarray | float  # the objectives of zero weights with their best bias, if there is one, about

    @property
    def each(self) -> np.ndarray:
        """The distance of both sides of each problem, relative, not below the truth; infinite where they are no numbers."""
        primal = np.atleast_1d(self.primal)
        sides = zip(
            primal.tolist(),
            np.atleast_1d(self.dual).tolist(),
            np.broadcast_to(self.zero, primal.shape).tolist(),
            strict=True,
        )
        return np.array([relative_gap(*three) for three in sides])

    @property
    def relative(self) -> float:
        """The largest of them."""
        return float(self.each.max())


def relative_gap(primal: float, dual: float, zero: float) -> float:
    """``(P - D) / max(P, u P(0))``, not below the truth."""
    if not (0 <= primal < inf and -inf < dual < inf):
        return inf
    far = primal - dual if primal > 0 else 0.0  # (no objective is smaller than zero)
    gap = nextafter(nextafter(far / max(primal, UNIT * zero), inf), inf) if far > 0 else 0.0
    return min(gap, 1.0) if dual >= 0 else gap


class Candidate(NamedTuple):
    """What a solver found, which is to be proved."""

    coef: np.ndarray  # (outputs, columns)
    bias: np.ndarray  # (outputs,)
    steps: np.ndarray  # of each output
    shares: np.ndarray | None = None  # (rows, outputs): a dual point; None: the slopes of the loss say it


class GapProof(NamedTuple):
    """Weights as a fit keeps them, and what is proved of them."""

    coef: np.ndarray  # (outputs, columns)
    bias: np.ndarray  # (outputs,)
    gap: GapBounds
    shares: np.ndarray  # (rows, outputs): the dual point
    scores: np.ndarray  # (rows, outputs)


class SureRows:
    """Rows near zero, whose products come with bounds of their errors; block by block, in float64 whatever X is."""

    def __init__(self, X: Any, centre: np.ndarray | None) -> None:
        """``centre``: what is taken off every row, or None; with a bias, that makes no difference but to rounding."""
        X = canonical(X)
        self._X, self.centre = X, centre
        self._terms = int(np.diff(X.indptr).max(initial=0)) if sparse.issparse(X) else X.shape[1]
        self._values = X.nnz if sparse.issparse(X) else X.size
        self.room = sum_room(sum(X.shape))  # of sums over rows or columns
        self.fine, self._unit = False, UNIT
        self.kind: Any = np.dtype(float)
        self._lengths = np.zeros(X.shape[0])  # of rows, once scores are made

    def more_careful(self) -> bool:
        """Bound errors more closely from now on; whether that was possible."""
        if not self.fine:
            self.fine = True
            return True
        if self.kind == np.longdouble or self._values > LONG:
            return False
        self.kind, self._unit = np.dtype(np.longdouble), unit_of(np.longdouble)
        return True

    def _blocks(self) -> Iterator[tuple[slice, Any]]:
        rows = self._X.shape[0]
        size = max(1, BLOCK * rows // max(1, self._values))
        for part in parts(rows, size):
            some = self._X if size >= rows else self._X[part]  # part of a sparse matrix is a copy
            block = some.astype(self.kind, copy=False)
            yield part, block if self.centre is None else block - self.centre

    def scores(self, coef: np.ndarray, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``w.x + b`` of every row, (rows, outputs), with biases for the shifted rows, and bounds of the errors."""
        columns = np.ascontiguousarray(coef.T)
        scores = np.empty((self._X.shape[0], len(coef)))
        sizes = np.empty_like(scores) if self.fine else None
        for part, block in self._blocks():
            scores[part] = block @ columns.astype(self.kind, copy=False)
            if sizes is not None:
                sizes[part] = abs(block).astype(float, copy=False) @ np.abs(columns)
            else:
                self._lengths[part] = norms(block, 1)
        sizes = np.outer(self._lengths, norms(coef, 1)) if sizes is None else sizes
        error = (2 * gamma(self._terms + 3, self._unit) + 3 * UNIT) * sizes * self.room + 3 * np.abs(near) * UNIT
        return scores + near, error

    def squared_lengths(self, shares: np.ndarray) -> np.ndarray:
        """``|sum_i A_ik x_i|^2`` for every output k, not below the truth, once scores are made."""
        made = np.zeros((self._X.shape[1], shares.shape[1]), self.kind)
        sizes = np.zeros(made.shape if self.fine else 0)
        for part, block in self._blocks():
            made += block.T @ shares[part].astype(self.kind, copy=False)
            if self.fine:
                sizes += abs(block).T.astype(float, copy=False) @ np.abs(shares[part])
        held = int(np.count_nonzero(shares.any(axis=1)))
        wrong = (2 * gamma(held + 3, self._unit) + UNIT) * self.room
        own = made.astype(float)
        if self.fine:
            lengths = norms(np.abs(own) + wrong * sizes, 0)
        else:  # the columns' errors, all together
            lengths = norms(own, 0) + wrong * norms(self._lengths[None], 1) * norms(shares, 0)
        return np.asarray(np.square(lengths) * (self.room**2 * (1 + 8 * UNIT)))


def norms(block: Any, axis: int) -> np.ndarray:
    """Of every row (1) or column (0), its length."""
    return np.asarray(np.sqrt(norms2(block, axis)))


class Fit(NamedTuple):
    """What is proved: the problem except its loss, and the floats of the weights that a fit keeps."""

    X: Any
    intercept: bool
    l2: float  # positive
    kind: Any = np.float64
    centre: Any = True  # where columns are that are far from zero, or None; True: it is looked for

    def near(self) -> np.ndarray | None:
        """What is taken off every row."""
        if self.centre is True:
            return far_centre(self.X) if self.intercept else None
        centre: np.ndarray | None = self.centre
        return centre


def prove(
    loss: Any, fit: Fit, coef: np.ndarray, bias: np.ndarray, tol: float, shares: np.ndarray | None = None
) -> GapProof:
    """Weights, (outputs, columns), as a fit keeps them, their best bias, and a proof of how far their objective is from its minimum; as
    careful as it takes to prove ``tol``.  ``loss``: one of ``objectives``.  ``shares``, (rows, outputs): the dual point, if a solver has found one; otherwise
    the slopes of the loss are taken for it."""
    X, intercept, l2, kind, _ = fit
    coef = coef.astype(kind).astype(float)
    rows = SureRows(X, fit.near())
    none = np.zeros(len(coef))
    plain, errors = rows.scores(coef, none)
    near = none
    if intercept:
        near = loss.best_bias(plain, np.asarray(shifted(coef, bias, rows.centre, 1), dtype=float))
        bias, near = _rounded_bias(coef, near, rows.centre, kind)
    given = None if shares is None else loss.feasible(shares, intercept)
    while True:
        scores, error = plain + near, errors + 3 * np.abs(near) * UNIT
        dual_point = loss.shares(scores, intercept) if given is None else given
        squares = rows.squared_lengths(dual_point) / (2 * l2)
        squares = squares.sum(keepdims=True) * rows.room if loss.joint else squares
        primal = (loss.above(scores, error) + _lengths(loss, coef, l2)) * rows.room
        gap = GapBounds(primal, loss.below(dual_point) - squares, loss.at_zero(intercept))
        proved = gap.relative <= tol
        if proved or not rows.more_careful():
            break
        plain, errors = rows.scores(coef, none)
    proof = GapProof(coef, bias, gap, dual_point, scores)
    if proved or not hasattr(loss, "margins"):
        return proof
    return _stretched(loss, rows, fit, proof, near, error)


def _rounded_bias(
    coef: np.ndarray, near: np.ndarray, centre: np.ndarray | None, kind: Any
) -> tuple[np.ndarray, np.ndarray]:
    """The bias as a fit keeps it, and for the shifted rows."""
    bias = np.asarray(shifted(coef, near, centre, -1)).astype(kind).astype(float)
    return bias, np.asarray(shifted(coef, bias, centre, 1), dtype=float)


def _lengths(loss: Any, coef: np.ndarray, l2: float) -> np.ndarray:
    lengths = 0.5 * l2 * np.square(coef).sum(axis=1)
    return lengths.sum(keepdims=True) if loss.joint else lengths


def _stretched(loss: Any, rows: SureRows, fit: Fit, proof: GapProof, near: np.ndarray, error: np.ndarray) -> GapProof:
    """The same with weights multiplied by next to nothing, where that helps: if the only slacks of a machine are rounding errors, longer weights have none,
    and with a large C those may be the whole gap."""
    coef, bias, gap, shares, scores = proof
    margins, errors = loss.margins(scores, error)
    lengths, best = _lengths(loss, coef, fit.l2), gap.primal
    steps = np.spacing(np.abs(bias))  # a bias is rounded to such steps
    steps = np.full(1, steps.max()) if loss.joint else steps
    factors = np.ones(len(margins))
    for small in SMALL:
        close = np.abs(1.0 - margins) <= np.minimum(small + errors + steps[:, None], HALF)
        wanted = np.where(close, (1.0 + 2 * errors + UNIT + steps[:, None]) / np.where(close, margins, 1.0), 1.0).max(
            axis=1
        )
        longer = wanted[:, None]
        promised = (loss.cost(longer * margins, longer * errors) + wanted**2 * lengths) * rows.room
        factors, best = np.where(promised < best, wanted, factors), np.minimum(promised, best)
    if not (factors > 1).any():
        return proof
    each = np.broadcast_to(factors, len(coef)) if loss.joint else factors
    longer = (each[:, None] * coef).astype(fit.kind).astype(float)
    near = each * near
    if fit.intercept:
        bias, near = _rounded_bias(longer, near, rows.centre, fit.kind)
    plain, errors = rows.scores(longer, np.zeros(len(coef)))
    stretched, error = plain + near, errors + 3 * np.abs(near) * UNIT
    primal = (loss.above(stretched, error) + _lengths(loss, longer, fit.l2)) * rows.room
    better = primal < gap.primal
    some = np.broadcast_to(better, len(coef)) if loss.joint else better
    return GapProof(
        np.where(some[:, None], longer, coef),
        np.where(some, bias, proof.bias),
        gap._replace(primal=np.where(better, primal, gap.primal)),
        shares,
        np.where(some, stretched, scores),
    )


# Smooth losses: what rounding adds to a gap is a sum of squares


class SmoothProof(NamedTuple):
    """Weights as a fit keeps them, and what is proved of them."""

    coef: np.ndarray  # (outputs, columns)
    bias: np.ndarray  # (outputs,)
    gap: float  # relative, the largest of all problems, not below the truth
    least: float  # what it is at the least, for dual points of scores without errors
    leads: (
        np.ndarray
    )  # (rows,): how far the score of a row's class is above the largest other one, about; empty of numbers
    lead_errors: np.ndarray  # and by how much that may be wrong, and scores that are worked out elsewhere
    shares: np.ndarray  # (rows, outputs) of entropies: the dual point


class SmoothSums(NamedTuple):
    """What a proof adds up over rows; those of several pieces are added."""

    excess: np.ndarray  # (problems,), as in ``SmoothDual``
    value: np.ndarray  # (problems,)
    rounding: np.ndarray  # (problems,)
    made: np.ndarray  # (columns, outputs): sum_i A_i x_i
    wrong: np.ndarray  # (outputs,): how long the error of that may be
    pulls: np.ndarray  # (outputs,): sum_i A_i
    uneven: np.ndarray  # (outputs,): and what may be wrong with that
    middle: np.ndarray  # (columns,): sum_i s_i x_i, of squares
    reach: float  # sum_i s_i |x_i|^2, not below the truth
    weight: float  # sum_i s_i
    lost: float  # what scores may lack whose products are too small for floats, as a sum of squares

    def __add__(self, other: Any) -> Any:
        return SmoothSums(*(one + another for one, another in zip(self, other, strict=True)))


def prove_smooth(
    loss: CrossEntropy | SoftmaxEntropy | Squares, fit: Fit, coef: np.ndarray, bias: np.ndarray, tol: float
) -> SmoothProof:
    """A proof for a loss phi whose curvature is at most k.  With the scores a of the weights, and shares that add up to zero,

        P(w, b) - D(A) = sum_i s_i (phi(a_i) + phi*(-alpha_i) + alpha_i a_i) + |l2 w - sum_i A_i x_i|^2 / (2 l2) ,

    where no term is negative (Fenchel & Young).  A term of the first sum is a function of a_i with the curvature of phi.  So if the sum is F for
    scores that are wrong by e, it is at most ``(F^(1/2) + (k/2 sum_i s_i e_i^2)^(1/2))^2`` for the true ones (a slope is at most ``(2 k F)^(1/2)``:
    Nesterov 2004, theorem 2.1.5).  Rounding counts by its square, so float32 is enough for products of float32 rows unless ``tol`` is
    tiny; and the shares are those of the weights that were found, whatever a fit keeps of their digits.

    ``coef``, (outputs, columns), and ``bias``: what was found.  The bias of the proof is the best one.  Floats become longer where that helps.
    """
    few = fit.X.shape[0] * fit.X.shape[1] <= LONG
    kinds: list[Any] = [np.float32, np.float64] if fit.X.dtype == np.float32 else [np.float64]
    best: SmoothProof | None = None
    for kind in [*kinds, np.longdouble] if few else kinds:
        if kind == np.longdouble and sparse.issparse(fit.X):
            fit = fit._replace(X=fit.X.toarray())
        proof = _prove_smooth(loss, fit, coef, bias, tol, np.dtype(kind))
        best = proof if best is None or (proof is not None and proof.gap < best.gap) else best
        if best is not None and (best.gap <= tol or tol < best.least < inf):
            break
    assert best is not None  # float64 is never refused
    return best


def _prove_smooth(loss: Any, fit: Fit, coef: np.ndarray, bias: np.ndarray, tol: float, kind: Any) -> SmoothProof | None:
    """In floats of one kind; None: they are too coarse."""
    X, intercept, l2, kept, _ = fit
    count, columns = X.shape
    centre = far_centre(X) if intercept else None
    place = np.zeros(columns) if centre is None else centre.astype(kind).astype(float)
    wide: Any = np.result_type(kind, np.float64)
    mine, own, off = coef.astype(kept).astype(float), np.zeros(len(coef)), np.zeros(len(coef))
    leads, lengths = np.full(count, inf), np.zeros(count)
    sums: SmoothSums | None = None
    with np.errstate(over="ignore", invalid="ignore"):
        near = (bias + coef.astype(np.longdouble) @ place).astype(float) if intercept else own
        weights, most = np.ascontiguousarray(coef.T.astype(kind)), 0.1 * float(np.finfo(kind).max)
        in_pieces = loss.separable and not sparse.issparse(X)
        for part in parts(count, max(1, PIECE // (columns + len(coef))) if in_pieces else count):
            piece = loss.some(part)
            rows = KindRows(X[part] if in_pieces else X, None if centre is None else place, kind, loss.separable)
            scores, lengths[part] = rows.scores(weights)
            if not float(lengths[part].max(initial=0.0)) ** 0.5 * norms(coef, 1).max() < most:
                sums = None
                break
            dual = piece.dual(scores, near, intercept)
            found = smooth_sums(piece, rows, dual, lengths[part], tol * l2 * len(scores) / count)
            if found is None:
                return None
            sums = found if sums is None else sums + found
            leads[part] = piece.leads(dual, scores)
        if sums is None:
            endless = np.full(count, inf)
            return None if kind == np.float32 else SmoothProof(mine, own, inf, inf, leads, endless, np.zeros(0))
        if intercept:
            near, sums = (dual.near, sums) if not loss.separable else evened_squares(near, sums, count)
            exact = near.astype(np.longdouble) - mine.astype(np.longdouble) @ place
            own = exact.astype(kept).astype(float)
            span = (np.abs(mine) @ np.abs(place) + np.abs(near) + np.abs(own)).astype(float)
            off = np.abs(exact - own).astype(float) + 2 * gamma(columns + 8, unit_of(np.longdouble)) * span
            off += (
                2 * (unit_of(wide) if loss.separable else UNIT) * np.abs(near).astype(float)
            )  # added to scores, or rounded
        errors = (rows.error * norms(coef, 1) + norms(mine - coef, 1)) * sums.reach**0.5
        weighed, zero = Weighed(coef, mine, off, errors, l2), partial(loss.at_zero, intercept)
        gap, least, *_ = smooth_gap(loss, sums, weighed, tol, zero)
        if (
            gap > tol >= least and (X.nnz if sparse.issparse(X) else X.size) <= LONG
        ):  # errors column by column are smaller
            each = rows.error * np.abs(coef) + np.abs(mine - coef)
            moves = [
                np.square(abs(block) @ each.T).T @ loss.weight[part]
                for part, block in KindRows(X, centre, kind, True).blocks()
            ]
            errors = np.minimum(errors, np.sqrt(np.sum(moves, axis=0).astype(float)) * (1 + 1e-6))
            gap, least, *_ = smooth_gap(loss, sums, weighed._replace(errors=errors), tol, zero)
        reach = (np.sqrt(lengths) + norms(place[None], 1)[0]) * norms(mine, 1).max()
        reach += float(np.abs(near).max() + np.abs(own).max()) + 2
        wrong = 8 * gamma(columns + 16, max(unit_of(kind), unit_of(X.dtype))) * reach
        wrong += 4 * (off.max() + (np.abs(sums.pulls).max() / sums.weight if loss.separable else 0.0))
    return SmoothProof(mine, own, gap, least, leads, wrong, dual.shares)


class KindRows:
    """Rows in floats of one kind, less a centre; dense ones block by block."""

    def __init__(self, X: Any, centre: np.ndarray | None, kind: Any, coarse: bool) -> None:
        """``coarse``: whether scores may be in floats of this kind, too, and sums of all columns."""
        X = canonical(X)
        self.X, self.kind, self._sparse = X, np.dtype(kind), sparse.issparse(X)
        self._centre = None if centre is None else centre.astype(kind)
        (count, columns), unit = X.shape, unit_of(kind)
        self.at_once = max(1, count if self._sparse else AT_ONCE // max(1, columns))
        single = kind == np.float32
        self._scores: Any = np.float32 if single and coarse else float
        self._width = WIDTH if single and not coarse else max(1, columns)
        terms = int(np.diff(X.indptr).max(initial=0)) if self._sparse else min(self._width, columns)
        # What part of ``|x| |w|`` a score may be wrong by: rounded factors (a difference has two roundings), products, sums.
        self.error = (1 if centre is None else 2) * gamma(terms + 8, unit) + gamma(columns // self._width + 8)

    def blocks(self) -> Iterator[tuple[slice, Any]]:
        """Which rows, and these, in memory that the next ones are written over: new memory costs more than sums."""
        room: Any = None
        for part in parts(self.X.shape[0], self.at_once):
            block = (self.X if self._sparse else self.X[part]).astype(self.kind, copy=False)
            if self._centre is not None and self._sparse:
                block = block - self._centre
            elif self._centre is not None:
                room = np.empty_like(block) if room is None else room
                block = np.subtract(block, self._centre, out=room[: len(block)])
            yield part, block

    def scores(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``w.x`` of every row, (rows, outputs), and the squared lengths of rows; ``weights``: (columns, outputs), in floats of this kind."""
        scores, lengths = np.zeros((self.X.shape[0], weights.shape[1]), self._scores), np.empty(self.X.shape[0])
        for part, block in self.blocks():
            lengths[part] = norms2(block)
            if self._width >= self.X.shape[1]:
                scores[part] = block @ weights
                continue
            for some in parts(self.X.shape[1], self._width):
                scores[part] += block[:, some] @ weights[some]
        return scores, lengths


def smooth_sums(loss: Any, rows: KindRows, dual: SmoothDual, lengths: np.ndarray, wanted: float) -> SmoothSums | None:
    """Sums of some rows, fit to prove a gap of ``wanted / l2`` of the loss; None: floats are too coarse for that."""
    (count, columns), kind, unit, weight = rows.X.shape, rows.kind, unit_of(rows.kind), loss.weight
    reach, total = float(weight @ lengths), float(weight.sum())
    reach *= 1 + 4 * gamma(count + columns + 16, max(unit, UNIT))
    length = reach**0.5 * dual.lengths
    chunk = rows.at_once
    if unit > UNIT:  # so few rows are added up in floats of this kind that their error is small
        all_lengths = norms(length[None], 1) if loss.joint else length
        few = np.min(COARSE[loss.separable] * np.sqrt(wanted * dual.value) / (unit * np.maximum(all_lengths, 1e-300)))
        if not few * columns >= min(FEWEST_AT_ONCE, count * columns):
            return None
        chunk = int(min(chunk, few))
    wide: Any = np.result_type(kind, np.float64)
    made, middle = np.zeros((columns, len(dual.near)), wide), np.zeros(columns, wide)
    for part, block in rows.blocks():
        shares = dual.shares[part].astype(kind, copy=False)
        for some in parts(block.shape[0], chunk):
            own = block if chunk >= count else block[some]
            made += own.T @ shares[some]
            if loss.separable:
                middle += weight[part][some].astype(kind) @ own
    wrong = (gamma(min(chunk, count) + 8, unit) + gamma(count // chunk + 64, min(unit, UNIT))) * length * (1 + 1e-9)
    tiny = float(np.finfo(kind).tiny)
    return SmoothSums(
        dual.excess,
        dual.value,
        np.broadcast_to(dual.rounding, dual.excess.shape),
        made,
        wrong + tiny * count * columns**0.5,
        np.ones(count, wide) @ dual.shares.astype(wide, copy=False),
        gamma(count + 64, unit_of(wide)) * total**0.5 * dual.lengths,
        middle,
        reach,
        total,
        tiny * (columns + 16) * (total**0.5 + (count / float(weight.min(initial=1.0))) ** 0.5),
    )


def evened_squares(near: np.ndarray, sums: SmoothSums, count: int) -> tuple[np.ndarray, SmoothSums]:
    """The best bias of squares, and sums of shares less their mean, exactly: ``A_i - s_i m``, ``m = sum_i A_i / sum_i s_i``."""
    root = sums.weight**0.5
    shift = sums.pulls / sums.weight
    moved = np.abs(shift).astype(float)
    wrong = sums.uneven / sums.weight + gamma(count + 64) * moved  # of the mean
    many = wrong + gamma(count + 64) * moved
    left = np.sqrt(2 * sums.value)
    middle = np.divide(
        root * moved, left, out=np.zeros_like(left), where=left > 0
    )  # of the errors of sums: those of the middle
    least = np.maximum(0.0, left - root * moved * (1 + 1e-9))
    return near + shift, sums._replace(
        value=0.5 * np.square(least),
        rounding=sums.rounding + root * wrong,
        made=sums.made - sums.middle[:, None] * shift,
        wrong=sums.wrong * (1 + middle) + sums.reach**0.5 * root * many,
    )


class Weighed(NamedTuple):
    """Weights, and what scores of them may be wrong by."""

    coef: np.ndarray  # (outputs, columns), those of the scores
    kept: np.ndarray  # as a fit keeps them
    off: np.ndarray  # (outputs,): what is wrong with the bias
    errors: np.ndarray  # (outputs,): what is wrong with scores without it, as a sum of squares
    l2: float


class GapSides(NamedTuple):
    """What sums prove."""

    gap: float  # relative, the largest of all problems, not below the truth
    least: float  # what it is at the least, for dual points of scores without errors
    primal: np.ndarray  # (problems,): not below the objectives, except for what the loss of the sums lacks
    dual: np.ndarray  # not above their minima


def smooth_gap(
    loss: Any,
    sums: SmoothSums,
    weights: Weighed,
    tol: float,
    zero: Callable[[], Any],
    about: float = 1.0,
    uneven: Callable[[np.ndarray], np.ndarray] | None = None,
) -> GapSides:
    """The gap of ``prove_smooth``.  Of a loss without curvature, as the hinge, whose slopes are at most s, scores that are wrong by e add at most ``sum_i s_i e_i``.
    ``zero``: the objectives of zero weights; ``about``: times the loss of the sums is not below the truth; ``uneven``: what shares that do not add up
    to zero take off the dual point of weights that have this objective, at most."""

    def both(values: np.ndarray) -> np.ndarray:  # of all outputs, if they are one problem
        return norms(values[None], 1) if loss.joint else values

    coef, kept, off, errors, l2 = weights
    room = sum_room(coef.size + 64)
    sizes = norms(coef, 1) * room
    errors = both(errors * room + sums.weight**0.5 * off + sums.lost) + sums.rounding
    if loss.curvature < inf:
        elsewhere = (
            sums.reach**0.5 * loss.curvature * errors
        )  # where scores without errors would move the sum of shares
        errors = (0.5 * loss.curvature) ** 0.5 * errors * room
        excess, value = np.square(np.sqrt(sums.excess) + errors), np.sqrt(sums.value)
        least_value, most_value = np.square(np.maximum(0.0, value - errors)), np.square(value * about**0.5 + errors)
    else:
        elsewhere, errors = np.full_like(errors, inf), sums.weight**0.5 * errors * room
        excess, least_value, most_value = sums.excess + errors, sums.value - errors, sums.value * about + errors
    second = norms((l2 * kept.T - sums.made).astype(float), 0)
    wrong = sums.wrong + 8 * UNIT * (l2 * sizes + norms(sums.made.astype(float), 0)) + 2 * UNIT * second
    penalty = 0.5 * l2 * np.square(both(norms(kept, 1)))
    low, primal = (least_value + penalty) / room**2, (most_value + penalty) * room
    gaps = (excess + np.square(both(second + wrong)) / (2 * l2)) * room
    if uneven is not None:
        gaps += uneven(primal) * room
    dual = low - gaps
    if np.any(gaps > tol * low):  # P may be nothing beside that of zero weights
        low = np.maximum(low, UNIT * np.atleast_1d(zero()))
    if not np.isfinite(gaps).all():
        return GapSides(inf, inf, primal, dual)
    surely = np.maximum(0.0, both(np.maximum(0.0, second - wrong)) - elsewhere)
    least = np.square(surely) / (2 * l2 * (low + sums.value))
    return GapSides(largest_share(gaps, low), float(least.max(initial=0.0)), primal, dual - 4 * UNIT * np.abs(dual))


def largest_share(parts_of: np.ndarray, wholes: np.ndarray) -> float:
    """The largest of the quotients, of which those of nothing are zero; not below the truth."""
    with np.errstate(divide="ignore"):
        quotients = np.divide(parts_of, wholes, out=np.zeros_like(parts_of), where=parts_of > 0)
    return nextafter(nextafter(float(quotients.max(initial=0.0)), inf), inf) if quotients.any() else 0.0


def norms2(block: Any, axis: int = 1) -> np.ndarray:
    """The squared length of every row (1) or column (0), in float64."""
    if sparse.issparse(block):
        squares = np.square(block.data, dtype=float)
        if axis == 0:
            return np.bincount(block.indices, squares, block.shape[1])
        rows = sparse.csr_array((squares, block.indices, block.indptr), shape=block.shape)
        return np.asarray(rows @ np.ones(block.shape[1]))
    squares = np.vecdot(block, block) if axis else np.einsum("ij,ij->j", block, block)
    return np.asarray(squares, dtype=float)
