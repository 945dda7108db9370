"""Least squares at once: ``min over w, b of sum_i s_i (d_i - w.x_i - b)^2 + l2 |w|^2``, the bias not penalised.

With columns less their means the bias drops out, and ``(X' S X + l2) w = X' S d`` is solved by Cholesky's factors; where rows
are fewer than columns, the same of ``X X'``.  The square of X squares its condition number.  So the factors are used only where
they are well conditioned once all columns are of one length (van der Sluis 1969), they are asked a second time for what the first
answer left over where they are not very well (Bjorck 1987, corrected seminormal equations), and else the singular values of X
itself decide.  Of several solutions, which there are for ``l2 = 0`` only, that is the shortest, the bias counted as the
weight of its constant feature: the one that steps from zero come to, too.

Sparse rows: the products of columns if those are few, else conjugate gradients for all outputs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg.blas import dsyrk, ssyrk
from scipy.linalg.lapack import dpocon, dpotrf, dpotrs, spotrf, spotrs

from ..inputs.arrays import parts
from ..learn.rows import as_rows
from .newton_system import add_sparse

BLOCK = 1 << 17  # numbers of a block of rows, which stays in the processor's cache
FAIR = 1e-10  # a reciprocal condition number of products below which they say too little
GOOD = 1e-5  # and below which a second look is worth its cost
CONSTANT = 1e-24  # a column whose squared deviation is this share of its squares or less is constant, but for rounding
DENSE_ENOUGH = 0.2  # the share of values that are not zero from which sparse rows are multiplied as dense ones
FEW_COLUMNS = 1500  # of sparse rows: so few that their products are computed
TIGHT = 1e-14  # relative tolerance of the iterative least-squares solver for sparse rows
CLOSE = 5e-5  # and of conjugate gradients, where a penalty bounds the condition number
MOST_STEPS = 1000
MOST_OF_SINGLE = 10  # steps with float32 rows: those that need more are better solved in float64

Weights = tuple[np.ndarray, np.ndarray]


class Equations(NamedTuple):
    """What is to be solved."""

    X: Any  # (rows, columns)
    wanted: np.ndarray  # (rows, outputs)
    weight: np.ndarray  # (rows,), or empty: all are 1
    constant: float  # the constant feature whose weight is the bias; 0: no bias
    l2: float


def solve(equations: Equations) -> Weights:
    """``(coef, bias)`` of shapes (outputs, columns) and (outputs,)."""
    X = equations.X
    if not sparse.issparse(X):
        return _dense(equations)
    rows, columns = X.shape
    if columns <= FEW_COLUMNS:
        if X.nnz >= DENSE_ENOUGH * rows * columns:
            return _dense(equations._replace(X=X.toarray()))
        found = _few_sparse_columns(equations)
        if found is not None:
            return found
    return _conjugate_gradients(equations) if equations.l2 else _lsmr(equations)


def solve_single(equations: Equations, tol: float) -> Weights | None:
    """Of dense float32 rows with a penalty: from products of columns in their own precision, which takes half the time and room.  What these leave
    over is taken up by conjugate gradients, for which they are the preconditioner, until the relative duality gap ``|g|^2 / (2 l2 P)`` is about
    half of ``tol``.  None: they did not get so far."""
    X, _, weight, _, l2 = equations
    mean, middle = _means(equations)
    wanted, near = equations.wanted - middle, mean.astype(X.dtype)
    columns = X.shape[1]
    root = np.sqrt(weight).astype(X.dtype)[:, None] if weight.size else None
    products, right = np.zeros((columns, columns), X.dtype, order="F"), np.zeros((columns, wanted.shape[1]))

    def blocks() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for part in parts(len(X), max(2 * columns, BLOCK // columns)):
            block, target = X[part] - near, wanted[part]
            yield (block, target) if root is None else (root[part] * block, root[part] * target)

    for block, target in blocks():
        products = ssyrk(1.0, block.T, beta=1.0, c=products, lower=1, overwrite_c=1)
        right += block.T @ target.astype(X.dtype)
    squares = products.diagonal() + X.dtype.type(l2)
    scale = (1 / np.sqrt(squares)).astype(X.dtype)[:, None]
    products[np.diag_indices_from(products)] = squares
    factor, failed = spotrf(products * scale * scale.T, lower=1, overwrite_a=1)
    if failed or not np.isfinite(scale).all():
        return None

    def towards(rest: np.ndarray) -> np.ndarray:
        found: np.ndarray = scale * spotrs(factor, scale * rest.astype(X.dtype), lower=1)[0]
        return found.astype(float)

    def both(w: np.ndarray, from_wanted: bool) -> tuple[np.ndarray, np.ndarray]:
        """``X' (d - X w) - l2 w`` and the sums of squares of ``d - X w``; d being zero unless told."""
        left, total = -l2 * w, np.zeros(w.shape[1])
        for block, target in blocks():
            error = (target if from_wanted else 0.0) - block @ w.astype(X.dtype)
            left += block.T @ error.astype(X.dtype)
            total += np.square(error).sum(axis=0)
        return left, total

    w = towards(right)
    rest, total = both(w, True)
    value = 0.5 * total + 0.5 * l2 * np.square(w).sum(axis=0)
    value = np.maximum(value, np.finfo(X.dtype).eps * 0.5 * np.square(wanted).sum(axis=0))
    direction = change = towards(rest)
    size = np.einsum("ij,ij->j", rest, change)
    for _ in range(MOST_OF_SINGLE):
        if np.all(np.square(rest).sum(axis=0) <= tol * l2 * value):
            return w.T, middle - mean @ w
        product = -both(direction, False)[0]
        bend = np.einsum("ij,ij->j", direction, product)
        far = np.divide(size, bend, out=np.zeros_like(size), where=bend > 0)
        w, rest = w + far * direction, rest - far * product
        change, before = towards(rest), size
        size = np.einsum("ij,ij->j", rest, change)
        direction = change + np.divide(size, before, out=np.zeros_like(size), where=before > 0) * direction
    return None


def _dense(equations: Equations) -> Weights:
    """By products of columns, or of rows, if these are well conditioned; else by singular values."""
    rows, columns = equations.X.shape
    short = rows < columns
    if short and not equations.l2:  # of rows with their constant feature: the shortest solution counts that in
        found = _by_rows(_bordered(equations), equations.wanted, equations.weight, 0.0)
        return _singular_values(equations) if found is None else _unbordered(found, equations.constant)
    mean, middle = _means(equations)
    wanted = equations.wanted - middle
    if short:
        found = _by_rows(equations.X.astype(float) - mean, wanted, equations.weight, equations.l2)
    else:
        found = _by_columns(equations, mean, wanted)
    if found is None:
        return _singular_values(equations)
    return found.T, middle - mean @ found


def _means(equations: Equations) -> tuple[np.ndarray, np.ndarray]:
    """The weighted means of the columns and of what is wanted; zeros without a bias."""
    X, wanted, weight, constant, _ = equations
    if not constant:
        return np.zeros(X.shape[1]), np.zeros(wanted.shape[1])
    if weight.size:
        return (weight @ X) / weight.sum(), (weight @ wanted) / weight.sum()
    return X.mean(axis=0, dtype=float), wanted.mean(axis=0)


def _by_columns(equations: Equations, mean: np.ndarray, wanted: np.ndarray) -> np.ndarray | None:
    """(columns, outputs), from the products of columns less their means; None: these are badly conditioned."""
    X, _, weight, _, l2 = equations
    products, right = _products(X, mean, wanted, weight)
    squares = products.diagonal() + len(X) * mean**2
    if not l2 and np.any(products.diagonal() <= CONSTANT * squares):
        return None
    factors = Factors(products, l2)
    if not factors.fair:
        return None
    found = factors.solve(right)
    if not factors.good:
        found += factors.solve(_left_over(X, mean, wanted, weight, found) - l2 * found)
    return found


def _products(X: Any, mean: np.ndarray, wanted: np.ndarray, weight: np.ndarray) -> Weights:
    """The products of columns less their means, a lower triangle, and those with what is wanted."""
    columns = X.shape[1]
    products, right = np.zeros((columns, columns), order="F"), np.zeros((columns, wanted.shape[1]))
    for part in parts(len(X), max(2 * columns, BLOCK // max(1, columns))):
        block, target = _rooted(X[part] - mean, wanted[part], weight[part])
        products = dsyrk(1.0, block.T, beta=1.0, c=products, lower=1, overwrite_c=1)
        right += block.T @ target
    return products, right


def _left_over(X: Any, mean: np.ndarray, wanted: np.ndarray, weight: np.ndarray, found: np.ndarray) -> np.ndarray:
    """``X' S (d - X w)``."""
    left = np.zeros_like(found)
    for part in parts(len(X), max(1, BLOCK // max(1, X.shape[1]))):
        block, target = _rooted(X[part] - mean, wanted[part], weight[part])
        left += block.T @ (target - block @ found)
    return left


def _by_rows(rows: np.ndarray, wanted: np.ndarray, weight: np.ndarray, l2: float) -> np.ndarray | None:
    """The same from the products of rows: ``w = X' (X X' + l2)^-1 d``, rows and d times the root of their weight."""
    rows, wanted = _rooted(rows, wanted, weight)
    factors = Factors(dsyrk(1.0, rows.T, trans=1, lower=1), l2)
    if not factors.fair:
        return None
    duals = factors.solve(wanted)
    if not factors.good:
        duals += factors.solve(wanted - rows @ (rows.T @ duals) - l2 * duals)
    return rows.T @ duals


def _rooted(rows: np.ndarray, wanted: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and what is wanted of them, times the root of their weight."""
    if not weight.size:
        return rows, wanted
    root = np.sqrt(weight)[:, None]
    return root * rows, root * wanted


class Factors:
    """Cholesky's factors of ``products + l2``, with all columns brought to one length.

    ``products``: a lower triangle in Fortran's order, zeros above it, which is overwritten.
    """

    def __init__(self, products: np.ndarray, l2: float | np.ndarray) -> None:
        diagonal = np.einsum("ii->i", products)
        diagonal += l2
        with np.errstate(divide="ignore"):
            self._scale = np.where(diagonal > 0, 1 / np.sqrt(diagonal), 1.0)[:, None]
        products *= self._scale
        products *= self._scale.T
        sizes = np.abs(products)
        norm = (sizes.sum(axis=0) + sizes.sum(axis=1)).max(initial=0.0)
        self._factor, failed = dpotrf(products, lower=1, overwrite_a=1)
        self.whole = not failed and bool(np.isfinite(norm))
        certainty = 0.0 if failed or not np.isfinite(norm) else dpocon(self._factor, norm, uplo="L")[0]
        self.fair, self.good = certainty >= FAIR, certainty >= GOOD

    def solve(self, right: np.ndarray) -> np.ndarray:
        """``(products + l2)^-1 right``."""
        return self._scale * dpotrs(self._factor, self._scale * right, lower=1)[0]


def _bordered(equations: Equations) -> np.ndarray:
    """Rows with their constant feature, if there is a bias."""
    X, constant = equations.X.astype(float), equations.constant
    return np.column_stack([X, np.full(len(X), constant)]) if constant else X


def _unbordered(found: np.ndarray, constant: float) -> Weights:
    """Weights and bias from the weights of rows with their constant feature: (columns, outputs)."""
    if not constant:
        return found.T, np.zeros(found.shape[1])
    return found[:-1].T, found[-1] * constant


def _singular_values(equations: Equations) -> Weights:
    """The shortest solution, from the singular values of the rows; a penalty is a row for each column, sqrt(l2) there."""
    X, wanted, weight, constant, l2 = equations
    mean, middle = _means(equations) if l2 else (0.0, 0.0)
    rows, wanted = (X.astype(float) - mean, wanted - middle) if l2 else (_bordered(equations), wanted)
    rows, wanted = _rooted(rows, wanted, weight)
    if l2:
        rows = np.vstack([rows, l2**0.5 * np.eye(X.shape[1])])
        wanted = np.vstack([wanted, np.zeros((X.shape[1], wanted.shape[1]))])
    found = _shortest(rows, wanted)
    return (found.T, middle - mean @ found) if l2 else _unbordered(found, constant)


def _shortest(rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """(columns, outputs).  Which columns depend on others is asked of columns of one length, so that small ones count; then
    whatever changes no score is taken off."""
    if rows.shape[0] < rows.shape[1]:
        return np.linalg.lstsq(rows, wanted, rcond=None)[0]
    lengths = np.linalg.norm(rows, axis=0)
    lengths = np.where(lengths > 0, lengths, 1.0)[:, None]
    q, r = np.linalg.qr(rows / lengths.T)
    left, sizes, right = np.linalg.svd(r)
    rounding = max(rows.shape) * np.finfo(float).eps
    rank = int(np.count_nonzero(sizes > sizes[0] * rounding))
    found: np.ndarray = right[:rank].T @ ((left[:, :rank].T @ (q.T @ wanted)) / sizes[:rank, None]) / lengths
    if rank < rows.shape[1]:
        idle = np.where(np.abs(right[rank:]) > rounding, right[rank:], 0.0).T / lengths
        found -= idle @ np.linalg.lstsq(idle, found, rcond=None)[0]
    return found


# Sparse rows


def _few_sparse_columns(equations: Equations) -> Weights | None:
    """From the products of columns, the constant one included, which is not penalised."""
    X, wanted, weight, constant, l2 = equations
    X = X.astype(float)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    bias = int(constant > 0)
    rows, columns = X.shape
    products = np.zeros((columns + bias, columns + bias))
    ones = weight if weight.size else np.ones(rows)
    add_sparse(as_rows(X, 2), np.arange(rows), ones, bool(bias), products)
    weighted = wanted * ones[:, None]
    right = X.T @ weighted
    right = np.vstack([right, weighted.sum(axis=0)]) if bias else right
    factors = Factors(products.T, np.append(np.full(columns, l2), np.zeros(bias)))
    if not factors.fair:
        return None
    found = factors.solve(right)
    if not factors.good:
        scores = X @ found[:columns] + (found[-1] if bias else 0.0)
        rest = (wanted - scores) * ones[:, None]
        left = X.T @ rest - l2 * found[:columns]
        found += factors.solve(np.vstack([left, rest.sum(axis=0)]) if bias else left)
    return _unbordered(found, 1.0 if bias else 0.0)


def _lsmr(equations: Equations) -> Weights:
    """The shortest solution, of rows with their constant feature."""
    from scipy.sparse.linalg import lsmr  # takes long to import

    X, wanted, weight, constant, _ = equations
    rows = sparse.hstack([X.astype(float), np.full((X.shape[0], 1), constant)], format="csr")
    if weight.size:
        root = np.sqrt(weight)
        rows, wanted = sparse.diags_array(root) @ rows, root[:, None] * wanted
    most = 10 * max(rows.shape)
    solved = [lsmr(rows, each, atol=TIGHT, btol=TIGHT, conlim=0, maxiter=most)[0] for each in wanted.T]
    return _unbordered(np.array(solved).T, constant or 1.0)


def _conjugate_gradients(equations: Equations) -> Weights:
    """On ``(X X' + l2) a = d``, w = X' a, or where rows are more than columns on ``(X' X + l2) w = X' d``; columns less their
    means, which are never taken off the sparse rows: ``(X - 1 m') w = X w - m.w``.  Columns are brought to one length."""
    X, _, weight, _, l2 = equations
    X = X.astype(float)
    mean, middle = _means(equations._replace(X=X))
    wanted = equations.wanted - middle
    if weight.size:
        root = np.sqrt(weight)
        X, wanted = sparse.csr_array(sparse.diags_array(root) @ X), root[:, None] * wanted
    else:
        root = np.ones(X.shape[0])
    across = sparse.csr_array(X.T)

    def there(w: np.ndarray) -> np.ndarray:
        return X @ w - np.outer(root, mean @ w)

    def back(rest: np.ndarray) -> np.ndarray:
        return across @ rest - np.outer(mean, root @ rest)

    if X.shape[0] < X.shape[1]:
        found = back(descend(lambda duals: there(back(duals)) + l2 * duals, wanted))
    else:
        small = 1 / np.sqrt(np.asarray(X.multiply(X).sum(axis=0)).ravel() + l2)[:, None]  # columns of one length
        found = small * descend(lambda v: small * (back(there(small * v)) + l2 * small * v), small * back(wanted))
    return found.T, middle - mean @ found


def descend(product: Callable[[np.ndarray], np.ndarray], right: np.ndarray) -> np.ndarray:
    """The solution of ``product(x) = right``, each column on its own, by conjugate gradients (Hestenes & Stiefel 1952)."""
    found, left, direction = np.zeros_like(right), right.copy(), right.copy()
    size = np.einsum("ij,ij->j", left, left)
    enough = CLOSE**2 * size
    for _ in range(MOST_STEPS):
        going = np.flatnonzero(size > enough)
        if not going.size:
            break
        some = slice(None) if going.size == size.size else going
        changed = product(direction[:, some])
        far = size[some] / np.einsum("ij,ij->j", direction[:, some], changed)
        found[:, some] += far * direction[:, some]
        left[:, some] -= far * changed
        before = size[some].copy()
        size[some] = np.einsum("ij,ij->j", left[:, some], left[:, some])
        direction[:, some] = left[:, some] + size[some] / before * direction[:, some]
    return found
