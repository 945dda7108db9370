"""The last word on a fit that was solved: a relative duality gap with everything that rounding may have hidden.

What is solved is ``P(w, b) = l2/2 |w|^2 + sum_i s_i phi_i(a_i)``, ``a = w.x + b``, for one output or several.  By Fenchel's duality, for
every set of *shares* ``A_i = s_i alpha_i`` in the domain of the conjugate with ``sum_i A_i = 0`` (if there is a bias, which is not penalised),

    P >= D(A) = sum_i s_i c_i(alpha_i) - |sum_i A_i x_i|^2 / (2 l2) .

The shares of weights are the slopes ``-s_i phi_i'(a_i)``, made to fulfil the conditions exactly (``balance``).  The relative gap is

    (P - D) / max(P, u P(0)) ,

u being one rounding, and P(0) the objective of zero weights with their best bias: P may be zero, as that of a regression without noise.  (That of a machine
is not, and P(0), times a large C, says nothing: there P(0) counts as zero.)
P is bounded from above and D from below:

- a score of n terms errs by at most ``gamma_n |x| |w|`` (``inputs.rounding_error``), and a sum over m rows by ``gamma_m |A| |x_j|``, x_j being a
  column; where that is not enough, by ``gamma_n sum_j |x_j w_j|`` and ``gamma_m sum_i |A_i x_ij|``, which are never larger; and where
  X is small, sums are made with the longest floats there are.  Twice as much is allowed for, which leaves room for rounding rows
  that are shifted, and the bounds themselves;
- ``exp``, ``log`` and ``log1p`` of NumPy and SciPy are taken to err by at most ``LIBRARY`` units (they document or test fewer than 4).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nextafter
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..inputs.arrays import parts
from ..inputs.rounding_error import UNIT, gamma, sum_room, unit_of
from .shifted_rows import far_centre, shifted

BLOCK = 1 << 20  # numbers of rows at a time
LONG = 1 << 21  # numbers of rows that are multiplied in long floats, where that is needed
HALF = 0.5  # beyond, no slack is a rounding error
SMALL = (1e-15, 1e-13, 1e-11, 1e-9, 1e-7)  # slacks that may be rounding errors


class Gap(NamedTuple):
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


class Found(NamedTuple):
    """What a solver found, which is to be proved."""

    coef: np.ndarray  # (outputs, columns)
    bias: np.ndarray  # (outputs,)
    steps: np.ndarray  # of each output
    shares: np.ndarray | None = None  # (rows, outputs): a dual point; None: the slopes of the loss say it


class Proof(NamedTuple):
    """Weights as a fit keeps them, and what is proved of them."""

    coef: np.ndarray  # (outputs, columns)
    bias: np.ndarray  # (outputs,)
    gap: Gap
    shares: np.ndarray  # (rows, outputs): the dual point
    scores: np.ndarray  # (rows, outputs)


class SureRows:
    """Rows near zero, whose products come with bounds of their errors; block by block, in float64 whatever X is."""

    def __init__(self, X: Any, centre: np.ndarray | None) -> None:
        """``centre``: what is taken off every row, or None; with a bias, that makes no difference but to rounding."""
        self._X, self.centre = X, centre
        self._terms = int(np.diff(X.indptr).max(initial=0)) if sparse.issparse(X) else X.shape[1]
        self._values = X.nnz if sparse.issparse(X) else X.size
        self.room = sum_room(sum(X.shape))  # of sums over rows or columns
        self.fine, self._unit = False, UNIT
        self.kind: Any = np.dtype(float)

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
        for part in parts(rows, max(1, BLOCK * rows // max(1, self._values))):
            block = self._X[part].astype(self.kind, copy=False)
            yield part, block if self.centre is None else block - self.centre

    def scores(self, coef: np.ndarray, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``w.x + b`` of every row, (rows, outputs), with biases for the shifted rows, and bounds of the errors."""
        columns = np.ascontiguousarray(coef.T)
        scores = np.empty((self._X.shape[0], len(coef)))
        sizes = np.empty_like(scores)
        for part, block in self._blocks():
            scores[part] = block @ columns.astype(self.kind, copy=False)
            if self.fine:
                sizes[part] = abs(block).astype(float, copy=False) @ np.abs(columns)
            else:
                sizes[part] = np.outer(norms(block, 1), norms(coef, 1))
        error = (2 * gamma(self._terms + 3, self._unit) + 3 * UNIT) * sizes * self.room + 3 * np.abs(near) * UNIT
        return scores + near, error

    def sums(self, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``sum_i A_ik x_ij`` for every column j and output k, and bounds of the errors."""
        made = np.zeros((self._X.shape[1], shares.shape[1]), self.kind)
        sizes = np.zeros((self._X.shape[1], shares.shape[1] if self.fine else 1))
        held = int(np.count_nonzero(shares.any(axis=1)))
        for part, block in self._blocks():
            made += block.T @ shares[part].astype(self.kind, copy=False)
            if self.fine:
                sizes += abs(block).T.astype(float, copy=False) @ np.abs(shares[part])
            else:
                sizes[:, 0] += norms(block, 0) ** 2
        if not self.fine:
            sizes = np.sqrt(sizes) * norms(shares, 0)
        return made.astype(float), (2 * gamma(held + 3, self._unit) + UNIT) * sizes * self.room

    def farthest(self) -> float:
        """The length of the longest row, not below the truth."""
        lengths = [float(norms(block, 1).max(initial=0.0)) for _, block in self._blocks()]
        return max(lengths, default=0.0) * self.room


def norms(block: Any, axis: int) -> np.ndarray:
    """Of every row (1) or column (0), its length."""
    if sparse.issparse(block):
        return np.sqrt(np.asarray(block.multiply(block).sum(axis=axis)).ravel().astype(float))
    return np.sqrt(np.einsum("ij,ij->i" if axis else "ij,ij->j", block, block).astype(float))


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
) -> Proof:
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
        made, off = rows.sums(dual_point)
        squares = np.square(np.abs(made) + off).sum(axis=0) * (rows.room**2 * (1 + 4 * UNIT) / (2 * l2))
        squares = squares.sum(keepdims=True) * rows.room if loss.joint else squares
        primal = (loss.above(scores, error) + _lengths(loss, coef, l2)) * rows.room
        gap = Gap(primal, loss.below(dual_point) - squares, loss.at_zero(intercept))
        proved = gap.relative <= tol
        if proved or not rows.more_careful():
            break
        plain, errors = rows.scores(coef, none)
    proof = Proof(coef, bias, gap, dual_point, scores)
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


def _stretched(loss: Any, rows: SureRows, fit: Fit, proof: Proof, near: np.ndarray, error: np.ndarray) -> Proof:
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
    return Proof(
        np.where(some[:, None], longer, coef),
        np.where(some, bias, proof.bias),
        gap._replace(primal=np.where(better, primal, gap.primal)),
        shares,
        np.where(some, stretched, scores),
    )


# Squares: a proof that reads rows once, in their own precision


class SquaresProof(NamedTuple):
    """Weights of least squares as a fit keeps them, and what is proved of them."""

    coef: np.ndarray  # (outputs, columns)
    bias: np.ndarray  # (outputs,)
    gap: float  # relative, the largest of all outputs, not below the truth
    likely: float  # what it is without room for rounding
    slope: np.ndarray  # (columns, outputs): minus the gradient by the weights
    leads: np.ndarray  # (rows,), of labels: how far the score of a row's class is above the largest other one, about
    lead_errors: np.ndarray  # and by how much that may be wrong, and scores that are worked out elsewhere


ROUNDED = (
    UNIT**0.5
)  # of squares: a bias that is rounded leaves UNIT^2 of them, which is to be little beside UNIT times this
ROWS_AT_ONCE = 1 << 18  # numbers of rows that are multiplied at once
FEWEST_AT_ONCE = 16  # rows whose products are added up in float32, before sums go on in float64: fewer would take longer than float64


class Targets(NamedTuple):
    """What scores ought to be."""

    wanted: np.ndarray  # (rows, outputs)
    weight: np.ndarray  # (rows,), or empty: all are 1
    labels: np.ndarray | None = None  # of classes: wanted is 1 in this column, and -1 in the others


def prove_squares(
    fit: Fit,
    targets: Targets,
    found: tuple[np.ndarray, np.ndarray],
    tol: float,
    last: bool = True,
    turn: np.ndarray | None = None,
) -> SquaresProof:
    """The same as ``prove`` for ``1/2 s (t - a)^2``, of which the gap is a sum of squares:

        P(w, b) - D(A) = 1/2 sum_i s_i (t_i - a_i - A_i / s_i)^2 + |l2 w - sum_i A_i x_i|^2 / (2 l2) .

    Its terms are as small as the rounding of what they are made of, so that float32 is enough for products of float32 rows unless ``tol`` is tiny.
    The shares A are what is left over of the targets, as it was computed, less its mean exactly, so that they add up to zero; the bias is the best one.
    ``found``: weights and bias.  ``last``: whether weights that are likely too far from the minimum are looked at in float64, too.  ``turn``: what
    the weights lack of the minimum, about, (columns, outputs).  Shares of weights with it, which floats need not hold, prove more of large
    numbers, of whose slopes rounding leaves much: what they add to the first sum is ``1/2 sum_i s_i (x_i.turn)^2``.
    """
    single = fit.X.dtype == np.float32 and not sparse.issparse(fit.X) and turn is None
    kinds: list[Any] = [np.float32, np.float64] if single else [np.float64]
    if last and np.prod(fit.X.shape) <= LONG and not sparse.issparse(fit.X):
        kinds.append(np.longdouble)
    proof = None
    for kind in kinds:
        proof = _squares(fit, targets, found, tol, np.dtype(kind), turn) or proof
        if proof is not None and (proof.gap <= tol or (proof.likely > tol and not last)):
            break
    assert proof is not None  # float64 is never refused
    return proof


def _squares(
    fit: Fit,
    targets: Targets,
    found: tuple[np.ndarray, np.ndarray],
    tol: float,
    kind: Any,
    turn: np.ndarray | None,
) -> SquaresProof | None:
    """In floats of one kind; None: they are too coarse, as far as a look at some rows tells."""
    (X, intercept, l2, kept, _), (wanted, weight, labels) = fit, targets
    rows, columns = X.shape
    coef, outputs, unit = found[0].astype(kept).astype(float), len(found[0]), unit_of(kind)
    total = float(weight.sum()) if weight.size else float(rows)
    dense = not sparse.issparse(X)
    centre = far_centre(X, sample=ROWS_AT_ONCE) if intercept else None  # any numbers near the rows will do
    moved, centre = centre is not None, (np.zeros(columns) if centre is None else centre).astype(kind)
    apart = coef.astype(np.longdouble) @ centre.astype(np.longdouble)  # scores of rows less the centre lack so much
    near = (found[1] + apart.astype(float)).astype(kind) if intercept else np.zeros(outputs, kind)
    columns_first = np.ascontiguousarray(coef.T.astype(kind))
    at_once = max(1, ROWS_AT_ONCE * rows // max(1, X.size if dense else X.nnz))
    chunk = 0
    wide: Any = np.result_type(kind, np.float64)  # the floats of sums over blocks
    fine = min(unit, UNIT)  # and their unit
    made, sums = np.zeros((columns, outputs), wide), np.zeros(columns, wide)
    left, shift, turned, square = np.zeros(outputs), np.zeros(outputs, wide), np.zeros(outputs), 0.0
    leads, longest = np.empty(0 if labels is None else rows, kind), np.empty(0 if labels is None else rows)
    with np.errstate(over="ignore", invalid="ignore"):
        for part in parts(rows, at_once):
            block = X[part].astype(kind, copy=False)
            block = block - centre if moved else block
            own = weight[part] if weight.size else None
            lengths = norms2(block)
            square += float(lengths.sum() if own is None else own @ lengths)
            if not chunk:  # so many rows that the errors of their sums are small beside tol
                length = (max(square, 1e-300) * rows / lengths.size) ** 0.5
                chunk = int(min(at_once, 0.2 * (tol * l2) ** 0.5 / (unit * length))) if unit > UNIT else at_once
                if chunk < FEWEST_AT_ONCE and unit > UNIT:
                    return None
            rest = (wanted[part] - near).astype(kind, copy=False)
            rest -= block @ columns_first
            if turn is not None:
                more = block @ turn
                rest -= more
                turned += (np.square(more).sum(axis=0) if own is None else own @ np.square(more)).astype(float)
            shares = rest if own is None else (own[:, None] * rest).astype(kind)
            left += np.einsum("ij,ij->j", rest, shares).astype(float)
            shift += shares.sum(axis=0, dtype=wide)
            for some in parts(lengths.size, chunk):
                made += block[some].T @ shares[some]
            if labels is not None:  # scores are 1 - rest of the own class, and -1 - rest of others
                own_class = np.arange(lengths.size), labels[part]
                leads[part], longest[part] = 2 - rest[own_class], lengths
                rest[own_class] = inf
                leads[part] += rest.min(axis=1)
            if intercept:
                sums += (np.ones(lengths.size, kind) if own is None else own.astype(kind)) @ block
    # Norms of all that is rounded, not below the truth.  ``least``: what products may lose that are too small for floats.
    room = 1 + 4 * gamma(columns + 2 * at_once + rows // at_once + 16, max(unit, UNIT))
    least = float(np.finfo(kind).tiny) * (columns + 16)
    lightest = float(weight[weight > 0].min(initial=1.0)) if weight.size else 1.0
    length, lefts, sizes = square**0.5 * room, np.sqrt(left) * room, norms(coef, 1) * sum_room(columns)
    errors = (2 * gamma(columns + 4, unit) + 8 * unit) * length * sizes + 8 * unit * lefts
    if turn is not None:
        errors += np.sqrt(turned) * room + 4 * gamma(columns + 4, unit) * length * norms(turn, 0) * room
    errors += least * (total**0.5 + (rows / lightest) ** 0.5)
    off, bias = np.zeros(outputs), np.zeros(outputs)
    mean = shift / total if intercept else np.zeros(outputs)
    shift_error = gamma(rows + 8, fine) * lefts / total**0.5
    shift_error += (gamma(rows + 8) if weight.size else fine) * np.abs(mean).astype(
        float
    )  # the sum of weights is rounded
    if intercept:
        best = near.astype(np.longdouble) + mean
        bias = (best - apart).astype(kept).astype(float)
        span = np.abs(coef) @ np.abs(centre.astype(float)) + np.abs(near) + np.abs(mean) + np.abs(bias)
        off = np.abs((best - apart) - bias).astype(float) + shift_error
        off += 2 * gamma(columns + 8, unit_of(np.longdouble)) * span
    first = errors + total**0.5 * off
    far = (l2 * coef.T.astype(wide) - made + sums[:, None] * mean).astype(float)
    made, sums, mean = made.astype(float), sums.astype(float), mean.astype(float)
    length_of_sums = norms(sums[None], 1)[0] + gamma(2 * at_once + 8, unit) * length * total**0.5
    wrong = (gamma(min(chunk, rows) + 4, unit) + gamma(rows // at_once + 8, fine)) * length * lefts
    wrong += 8 * fine * (l2 * sizes + norms(made, 0) + length_of_sums * np.abs(mean)) + 2 * UNIT * norms(far, 0)
    wrong += 2 * gamma(2 * at_once + 8, unit) * length * total**0.5 * np.abs(mean) + shift_error * length_of_sums
    wrong += least * rows * columns**0.5
    second = norms(far, 0)
    penalty = 0.5 * l2 * np.square(sizes)
    low = (
        0.5 * np.square(np.maximum(0.0, lefts / room**2 - first - total**0.5 * np.abs(mean)))
        + penalty / sum_room(columns) ** 4
    )
    gaps = (0.5 * np.square(first) + np.square(second + wrong) / (2 * l2)) * sum_room(columns + 32)
    likely = 0.5 * total * np.square(off) + np.square(second) / (2 * l2)
    if not np.isfinite(gaps).all():
        return SquaresProof(coef, bias, inf, inf, -far, leads, np.full(leads.size, inf))
    if np.any(gaps > tol * low):  # P may be nothing beside that of zero weights
        s = weight[:, None] if weight.size else np.ones((rows, 1))
        middle = (s * wanted).sum(axis=0) / total if intercept else 0.0
        zero, plain = ((s * np.square(each)).sum(axis=0) for each in (wanted - middle, wanted))
        low = np.maximum(low, 0.5 * UNIT * (zero + (ROUNDED * plain if intercept else 0.0)))
    reach = (np.sqrt(longest) + norms(centre[None], 1)[0]) * sizes.max() + np.abs(near).max() + np.abs(bias).max() + 2
    lead_errors = 8 * gamma(columns + 16, max(unit, unit_of(X.dtype))) * reach + 4 * (np.abs(mean) + off).max()
    if turn is not None:
        lead_errors += 4 * np.sqrt(longest) * norms(turn, 0).max()
    return SquaresProof(coef, bias, largest_share(gaps, low), largest_share(likely, low), -far, leads, lead_errors)


def largest_share(parts_of: np.ndarray, wholes: np.ndarray) -> float:
    """The largest of the quotients, of which those of nothing are zero; not below the truth."""
    with np.errstate(divide="ignore"):
        quotients = np.divide(parts_of, wholes, out=np.zeros_like(parts_of), where=parts_of > 0)
    return nextafter(nextafter(float(quotients.max(initial=0.0)), inf), inf) if quotients.any() else 0.0


def norms2(block: Any) -> np.ndarray:
    """The squared length of every row, in float64."""
    if sparse.issparse(block):
        return np.asarray(block.multiply(block).sum(axis=1)).ravel().astype(float)
    return np.einsum("ij,ij->i", block, block).astype(float)
