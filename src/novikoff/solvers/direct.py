"""Least squares, with or without a penalty: ``sum_i s_i (d_i - w.x_i - b)^2 / 2 + l2/2 |w|^2``, for several d at once.  The bias is not penalised.

Without a penalty the answer is the shortest of all solutions, the bias counted as the weight of its constant feature.  With a bias and a
penalty, or with rows enough, columns and d are taken less their weighted means, and the bias follows.  R being the rows so
shifted, times the roots of their weights, there are three methods:

1. Cholesky's factors of the smaller of ``R'R + l2`` and ``R R' + l2``, in the rows' own precision, all columns brought to one length.
2. Conjugate gradients on the same equations (Hestenes & Stiefel 1952), from there and with these factors as the preconditioner, for what
   rounding left over; for sparse rows of many columns without factors, from zero (LSMR, without a penalty: Fong & Saunders 2011).
3. Where rounding spoils products of columns: an orthogonal factor of the rows in float64, block by block (Demmel et al. 2012), and its singular
   values.

``attempts`` has them in this order, for ``audit`` to say which is enough; ``solve`` goes by the condition number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg.blas import dsyrk, ssyrk
from scipy.linalg.lapack import dpocon, dpotrf, dpotrs, spocon, spotrf, spotrs

from ..checks.arrays import canonical, parts
from ..learn.rows import as_rows
from ..system.clock import Clock
from .products import BLOCK, DENSE_ENOUGH, FEW_COLUMNS, add_sparse
from .shifted_rows import far_centre

AT_ONCE = 1 << 20  # numbers of rows that are multiplied at once
FAIR = 1e-10  # a reciprocal condition number of products below which they say too little
GOOD = 1e-5  # and below which a second look is worth its cost
# a column whose squared deviation is this share of its squares or less is constant, except for rounding
CONSTANT = 1e-24
TIGHT = 1e-14  # relative tolerance of LSMR
CLOSE, CLOSER = (
    5e-5,
    1e-3,
)  # of the gradient: what conjugate gradients leave of it at first, and then in each further round
ROUNDS = 5  # of them, each from a gradient that is worked out again
MOST_STEPS, FEW_STEPS = (
    1000,
    10,
)  # of a round: without factors, and with them (float32 rows that need more are better solved in float64)
SPEED = 2e9  # multiplications a second, at the least, of the work that cannot be interrupted

Weights = tuple[np.ndarray, np.ndarray]  # (outputs, columns), (outputs,)


class Equations(NamedTuple):
    """What is to be solved."""

    X: Any  # (rows, columns)
    wanted: np.ndarray  # (rows, outputs)
    weight: np.ndarray  # (rows,), or empty: all are 1
    constant: float  # the constant feature whose weight is the bias; 0: no bias
    l2: float
    labels: np.ndarray | None = None  # of classes: wanted is 1 in this column, and -1 in the others


def attempts(equations: Equations, clock: Clock) -> Iterator[Weights]:
    """Weights of a problem with a penalty, each nearer to the solution than those before."""
    X = equations.X
    wide = sparse.issparse(X) and X.shape[1] > FEW_COLUMNS
    if wide or (X.dtype == np.float32 and not sparse.issparse(X)):
        system = System(equations, np.dtype(float) if wide else X.dtype, clock)
        towards = None if wide else system.factors()
        yield from system.solutions(towards, ROUNDS if wide else 2)
    if not wide:
        yield solve(equations, clock)
        yield solve(equations, clock, careful=True)


def solve(equations: Equations, clock: Clock | None = None, careful: bool = False) -> Weights:
    """The solution, in float64, by the method that the condition number allows.  ``careful``: with rows that are shifted even if they are near
    zero, and a round of conjugate gradients even if the condition number is good."""
    clock, (X, _, _, constant, l2, _) = clock or Clock(), equations
    rows, columns = X.shape
    if sparse.issparse(X):
        if columns > FEW_COLUMNS:
            return list(attempts(equations, clock))[-1] if l2 else lsmr(equations)
        if X.nnz >= DENSE_ENOUGH * rows * columns:
            return solve(equations._replace(X=X.toarray()), clock, careful)
    if rows < columns and not l2 and constant and not sparse.issparse(X):
        bordered = np.column_stack([X, np.full(rows, constant)])
        return unbordered(solve(equations._replace(X=bordered, constant=0.0), clock, careful)[0], constant)
    system = System(equations, np.dtype(float), clock, careful)
    factors = system.factors()
    if not factors.fair or (not l2 and system.constant_columns):
        return orthogonal(equations, clock)
    return list(system.solutions(factors, int(careful or not factors.good)))[-1]


class System:
    """``(R'R + l2) w = R'd``, or with fewer rows than columns ``(R R' + l2) a = d``, w = R'a.

    ``kind``: the floats of rows and of their products.  Sparse rows stay as they are: ``(X - 1 m') w = X w - m.w``.
    """

    def __init__(self, equations: Equations, kind: Any, clock: Clock, shifted: bool = False) -> None:
        X, wanted, weight, constant, self._l2, labels = equations
        self._kind, self._clock, self._sparse = kind, clock, sparse.issparse(X)
        self._root = np.sqrt(weight)[:, None].astype(kind, copy=False) if weight.size else None
        self._mean, self._middle = np.zeros(X.shape[1]), np.zeros(wanted.shape[1])
        self._X, self._wanted, self._labels = X, wanted, labels
        if self._sparse:
            self._X = canonical(X.astype(kind, copy=False))
        if constant:
            self._mean = mean_of(self._X, weight, kind)
            if labels is None:
                self._middle = mean_of(wanted, weight)
            else:
                sums = np.bincount(labels, weight if weight.size else None, wanted.shape[1])
                self._middle = 2 * sums / sums.sum() - 1
        if self._sparse:
            self._X = self._X if self._root is None else sparse.csr_array(self._X.multiply(self._root))
            self._across = sparse.csr_array(self._X.T)
        # Rows near zero stay as they are: the rest of their mean is taken off products.
        near: Any = self._mean if shifted or weight.size else far_centre(X) if constant else None
        self._near = np.zeros(X.shape[1], kind) if near is None or self._sparse else near.astype(kind)
        self._off = self._mean - self._near
        # by products of rows, but those of few sparse columns are always cheaper
        self._short = X.shape[0] < X.shape[1] and not (self._sparse and X.shape[1] <= FEW_COLUMNS)
        self._right = np.empty(0)
        self.constant_columns = False

    def _blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Rows of R, and where they are."""
        rows, columns = self._X.shape
        moved = bool(self._near.any())
        size = rows if self._short else max(2 * columns, AT_ONCE // max(1, columns))
        for part in parts(rows, size):
            self._clock.tick()
            block = self._X[part].astype(self._kind, copy=False)
            block = block - self._near if moved else block
            yield part, block if self._root is None else block * self._root[part]

    def _targets(self, part: slice = slice(None)) -> np.ndarray:
        """d less its mean, times the root of the weight."""
        target = self._wanted[part].astype(self._kind, copy=False) - self._middle.astype(self._kind)
        return target if self._root is None else target * self._root[part]

    def _scores(self, w: np.ndarray) -> np.ndarray:
        """``R w``."""
        if self._sparse:
            scores = self._X @ w
        else:
            scores = np.concatenate([block @ w.astype(self._kind, copy=False) for _, block in self._blocks()])
        return np.asarray(scores - (1.0 if self._root is None else self._root) * (self._off @ w))

    def _back(self, r: np.ndarray) -> np.ndarray:
        """``R' r``, in float64."""
        if self._sparse:
            made = self._across @ r
        else:
            made = np.zeros((self._X.shape[1], r.shape[1]))
            for part, block in self._blocks():
                made += block.T @ r[part].astype(self._kind, copy=False)
        total = (r if self._root is None else self._root * r).sum(axis=0, dtype=float)
        return np.asarray(made - np.outer(self._off, total))

    def _product(self, v: np.ndarray) -> np.ndarray:
        made = self._scores(self._back(v)) if self._short else self._back(self._scores(v))
        return made + self._l2 * v

    def _rest(self, v: np.ndarray) -> np.ndarray:
        """What these unknowns leave over of the right side."""
        if self._short:
            return self._targets() - self._scores(self._back(v)) - self._l2 * v
        return self._back(self._targets() - self._scores(v)) - self._l2 * v

    def _weights(self, v: np.ndarray) -> Weights:
        w = self._back(v) if self._short else v
        return w.T, self._middle - self._mean @ w

    def factors(self) -> Factors:
        """Those of the matrix; the right side is worked out together with it."""
        size = min(self._X.shape) if self._short else self._X.shape[1]
        products = np.zeros((size, size), self._kind, order="F")
        if self._sparse:
            whole = np.zeros((size, size))
            add_sparse(as_rows(self._X, 2), np.arange(self._X.shape[0]), np.ones(self._X.shape[0]), False, whole)
            total = self._X.shape[0] if self._root is None else float(np.square(self._root).sum())
            products = np.tril(whole.T - total * np.outer(self._mean, self._mean)).copy(order="F")
            self._right = self._back(self._targets())
        elif self._short:
            rows = next(self._blocks())[1]
            rows = rows - self._off.astype(self._kind) if self._off.any() else rows
            products = syrk(rows.T, products, trans=1)
            self._right = self._targets()
        else:
            self._right = np.zeros((size, self._wanted.shape[1]))
            for part, block in self._blocks():
                products = syrk(block.T, products)
                if self._labels is None:
                    self._right += block.T @ self._targets(part)
                else:  # 2 sum over a class - (1 + mean of d) sum over all
                    shape = self._wanted.shape[1], len(block)
                    own = sparse.csc_array(
                        (self._weights_of(part), self._labels[part], np.arange(len(block) + 1)), shape=shape
                    )
                    self._right += 2 * (own @ block).T
            if self._labels is not None:  # a row is in one class: what all add up to is in the sums of classes
                self._right -= np.outer(self._right.sum(axis=1) / 2, 1 + self._middle)
            if self._off.any():
                products = syrk((len(self._X) ** 0.5 * self._off)[:, None], products, sign=-1.0)
            deviations = products.diagonal()
            self.constant_columns = bool(np.any(deviations <= CONSTANT * (deviations + len(self._X) * self._mean**2)))
        self._clock.allow(size**3 / 3 / SPEED)
        return Factors(products, self._l2, judged=self._kind == np.float64)

    def _weights_of(self, part: slice) -> np.ndarray:
        """The roots of weights: the rows have the others."""
        rows = len(range(*part.indices(self._X.shape[0])))
        return np.ones(rows, self._kind) if self._root is None else self._root[part, 0]

    def solutions(self, factors: Factors | None, rounds: int) -> Iterator[Weights]:
        """That of the factors, and what rounds of conjugate gradients make of it; without factors, only the latter."""
        towards: Callable[[np.ndarray], np.ndarray]
        if factors is not None:
            if not factors.whole:
                return
            found = factors.solve(self._right).astype(float, copy=False)
            yield self._weights(found)
            towards, most, enough = factors.solve, FEW_STEPS, CLOSER
        else:
            found = np.zeros((self._X.shape[0 if self._short else 1], self._wanted.shape[1]))
            lengths = 0.0 if self._short else np.asarray(self._across.multiply(self._across).sum(axis=1)).reshape(-1, 1)
            towards, most, enough = partial(np.multiply, 1 / (lengths + self._l2)), MOST_STEPS, CLOSE
        for _ in range(rounds):
            found = descend(self._product, towards, found, self._rest(found), (enough, most), self._clock)
            yield self._weights(found)
            enough = CLOSER


def syrk(rows: np.ndarray, total: np.ndarray, trans: int = 0, sign: float = 1.0) -> np.ndarray:
    """``total += sign rows rows'``, the lower triangle, in its precision; ``trans``: rows' rows."""
    add = ssyrk if total.dtype == np.float32 else dsyrk
    return np.asarray(add(sign, rows, beta=1.0, c=total, trans=trans, lower=1, overwrite_c=1))


class Factors:
    """Cholesky's factors of ``products + l2``; with all columns brought to one length, which only their condition number depends on.

    ``products``: a lower triangle in Fortran's order, zeros above it, which is overwritten.
    """

    def __init__(self, products: np.ndarray, l2: float | np.ndarray, judged: bool = True) -> None:
        """``judged``: whether condition numbers are asked for."""
        single = products.dtype == np.float32
        self._kind: Any = products.dtype
        factor, self._solve, certainty = (spotrf, spotrs, spocon) if single else (dpotrf, dpotrs, dpocon)
        diagonal = np.einsum("ii->i", products)
        diagonal += l2
        norm, self._scale = 1.0, np.ones((1, 1), self._kind)
        if judged:
            with np.errstate(divide="ignore", invalid="ignore"):
                self._scale = np.where(diagonal > 0, 1 / np.sqrt(diagonal), 1.0)[:, None]
            products *= self._scale
            products *= self._scale.T
            sizes = np.abs(products)
            norm = (sizes.sum(axis=0) + sizes.sum(axis=1)).max(initial=0.0)
        self._factor, failed = factor(products, lower=1, overwrite_a=1)
        self.whole = not failed and bool(np.isfinite(norm))
        sure = certainty(self._factor, norm, uplo="L")[0] if self.whole and judged else 0.0
        self.fair, self.good = sure >= FAIR, sure >= GOOD

    def solve(self, right: np.ndarray) -> np.ndarray:
        """``(products + l2)^-1 right``."""
        return self._scale * self._solve(self._factor, self._scale * right.astype(self._kind, copy=False), lower=1)[0]


def descend(
    product: Callable[[np.ndarray], np.ndarray],
    towards: Callable[[np.ndarray], np.ndarray],
    found: np.ndarray,
    rest: np.ndarray,
    limits: tuple[float, int],
    clock: Clock,
) -> np.ndarray:
    """Conjugate gradients, each column on its own, from ``found``, which leaves ``rest``, until a share of that is left, or for so many
    steps.  ``towards``: the preconditioner."""
    share, most = limits
    found, rest = found.copy(), rest.astype(float)
    enough = share**2 * np.square(rest).sum(axis=0)
    direction = np.asarray(towards(rest), dtype=float)
    size = np.einsum("ij,ij->j", rest, direction)
    for _ in range(most):
        left = np.square(rest).sum(axis=0)
        going = np.flatnonzero((left > enough) & (size > 0))
        if not going.size:
            break
        clock.tick()
        some = slice(None) if going.size == size.size else going
        moved = product(direction[:, some])
        bend = np.einsum("ij,ij->j", direction[:, some], moved)
        far = np.divide(size[some], bend, out=np.zeros_like(bend), where=bend > 0)
        found[:, some] += far * direction[:, some]
        rest[:, some] -= far * moved
        change = np.asarray(towards(rest[:, some]), dtype=float)
        before, size[some] = size[some].copy(), np.einsum("ij,ij->j", rest[:, some], change)
        direction[:, some] = change + size[some] / before * direction[:, some]
    return found


def orthogonal(equations: Equations, clock: Clock) -> Weights:
    """From the singular values of the rows, of which one triangular factor R is kept; a penalty is a row for each column, sqrt(l2) there.  Which
    columns depend on others is asked of columns of one length, so that small ones count; then whatever changes no score is taken off."""
    X, wanted, weight, constant, l2, _ = equations
    rows, columns = X.shape
    mean, middle = np.zeros(columns), np.zeros(wanted.shape[1])
    if constant and l2:
        mean, middle = (mean_of(each, weight) for each in (X, wanted))
    border = int(constant > 0 and not l2)
    width = columns + border

    def blocks(size: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for part in parts(rows, size):
            clock.tick()
            block = (X[part].toarray() if sparse.issparse(X) else X[part]).astype(float) - mean
            block = np.column_stack([block, np.full(len(block), constant)]) if border else block
            root = np.sqrt(weight[part])[:, None] if weight.size else 1.0
            yield root * block, root * (wanted[part] - middle)
        if l2:
            yield l2**0.5 * np.eye(width), np.zeros((width, wanted.shape[1]))

    clock.allow(4 * min(rows, width) * width**2 / SPEED)
    if rows < width and not l2:
        found: np.ndarray = np.linalg.lstsq(*next(blocks(rows)), rcond=None)[0]
        return unbordered(found.T, constant if border else 0.0)
    size = max(2 * width, BLOCK // width)
    lengths = np.sqrt(sum(np.square(block).sum(axis=0) for block, _ in blocks(size)))
    lengths = np.where(lengths > 0, lengths, 1.0)[:, None]
    r = np.zeros((0, width + wanted.shape[1]))
    for block, target in blocks(size):
        r = np.asarray(np.linalg.qr(np.vstack([r, np.column_stack([block / lengths.T, target])]), mode="r"))
    left, sizes, right = np.linalg.svd(r[:width, :width])
    rounding = max(rows, width) * np.finfo(float).eps
    rank = int(np.count_nonzero(sizes > sizes[0] * rounding))
    found = right[:rank].T @ ((left[:, :rank].T @ r[:width, width:]) / sizes[:rank, None]) / lengths
    if rank < width:
        idle = np.where(np.abs(right[rank:]) > rounding, right[rank:], 0.0).T / lengths
        found -= idle @ np.linalg.lstsq(idle, found, rcond=None)[0]
    return unbordered(found.T, constant) if border else (found.T, middle - mean @ found)


def lsmr(equations: Equations) -> Weights:
    """The shortest solution, of sparse rows with their constant feature."""
    from scipy.sparse.linalg import lsmr as scipy_lsmr  # takes long to import

    X, wanted, weight, constant, *_ = equations
    rows = sparse.hstack([X.astype(float), np.full((X.shape[0], 1), constant)], format="csr")
    if weight.size:
        root = np.sqrt(weight)
        rows, wanted = sparse.diags_array(root) @ rows, root[:, None] * wanted
    most = 10 * max(rows.shape)
    solved = [scipy_lsmr(rows, each, atol=TIGHT, btol=TIGHT, conlim=0, maxiter=most)[0] for each in wanted.T]
    return unbordered(np.array(solved), constant or 1.0)


def unbordered(found: np.ndarray, constant: float) -> Weights:
    """Weights and bias from the weights of rows with their constant feature, (outputs, columns + 1); 0: there is none."""
    if not constant:
        return found, np.zeros(len(found))
    return found[:, :-1], found[:, -1] * constant


def mean_of(X: Any, weight: np.ndarray, kind: Any = np.float64) -> np.ndarray:
    """The weighted mean of every column; ``kind``: the floats in which some rows at a time are added up."""
    if weight.size:
        return np.asarray((weight @ X) / weight.sum(), dtype=float)
    if sparse.issparse(X):
        return np.asarray(X.mean(axis=0, dtype=float)).ravel()
    total = np.zeros(X.shape[1])
    for part in parts(len(X), max(1, BLOCK // max(1, X.shape[1]))):
        block = X[part].astype(kind, copy=False)
        total += np.ones(len(block), kind) @ block
    return total / len(X)
