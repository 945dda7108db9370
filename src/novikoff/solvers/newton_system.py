"""The linear systems of the interior point method: ``(L + A' D A) x = r``.

The matrix is what costs, and rows far from the margin have hardly any part in it.  So it is made of a sample of the rows,
those of large ``D`` surely and others with a chance in proportion, which is unbiased, and the system is solved by
conjugate gradients with that matrix as preconditioner (adaptive constraint reduction, Jung, O'Leary & Tits 2008; here the
rest is sampled rather than left out).
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtrs

from ..compiled.jit import kernel
from ..inputs.arrays import parts
from ..inputs.clock import never
from ..learn.rows import as_rows
from .problem import Problem

BLOCK = 1 << 17  # numbers of a block of rows, which stays in the processor's cache
ROWS = 256  # of a block, at the least, where that takes no longer than
AT_ONCE = 3 * 10**8  # multiplications in one call, a fraction of a second
ONE_CALL = 1200  # rows of a matrix that is factored in one call
SMALL = 128  # columns are few
ONE_THREAD = 1 << 18  # multiplications that BLAS (OpenBLAS) does in one thread
JITTER = 1e-14  # relative; keeps a matrix of rounding errors positive definite
FARTHEST = 1e6  # the push of a diagonal at which it is given up
MOST_STEPS = 40
SLOW = 8  # steps that say that the sample is too small
ROWS_A_COLUMN = 6  # sampled, at the least
STEP_WORTH = 12  # a sample of ``STEP_WORTH * rows / values a row`` rows costs about as much as a step


class System:
    """Solves the systems of one problem, remembering how large a sample it takes."""

    def __init__(self, problem: Problem, rng: np.random.Generator, tick: Callable[[], None] = never) -> None:
        self.tick = tick  # called between pieces of work that take long
        self.X, self.signs, self.intercept = problem.X, problem.signs, problem.intercept
        self.rows, self.columns = problem.X.shape
        self.penalty = np.append(np.ones(self.columns), np.zeros(int(problem.intercept)))
        self.rng = rng
        values = problem.X.nnz if sparse.issparse(problem.X) else self.rows * self.columns
        self.a_row = values // max(1, self.rows) + 1
        self.sample = max(ROWS_A_COLUMN * (self.columns + 50), STEP_WORTH * self.rows**2 // max(1, values))
        self.sparse_rows = as_rows(problem.X, 2) if sparse.issparse(problem.X) else None

    def forward(self, x: np.ndarray) -> np.ndarray:
        """``A x``."""
        if not self.intercept:
            return self.signs * (self.X @ x)
        return self.signs * (self.X @ x[:-1] + x[-1])

    def backward(self, u: np.ndarray) -> np.ndarray:
        """``A' u``, where ``u`` has been multiplied by the signs."""
        total = self.X.T @ u
        return np.append(total, u.sum()) if self.intercept else total

    def prepare(self, stiff: np.ndarray) -> None:
        """Make the preconditioner."""
        self.stiff = stiff
        rows, weights = self._chosen()
        matrix = self.gram(rows, weights)
        matrix[np.diag_indices_from(matrix)] += self.penalty
        self.factor = cholesky(matrix)

    def solve(self, right: np.ndarray, enough: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """``x``, ``A x`` and what is left of ``right``, by conjugate gradients to the relative accuracy ``enough``.

        Where they are slow, the next sample will be larger.
        """
        x, image = np.zeros_like(right), np.zeros(self.rows)
        rest = right.copy()
        towards = dpotrs(self.factor, rest, lower=1)[0]
        direction = towards
        size = first = float(rest @ towards)  # (zero: nothing to do)
        step = 0
        while size > enough**2 * first and step < MOST_STEPS:
            step += 1
            along, changed = self._product(direction)
            curvature = float(direction @ changed)
            if not curvature > 0:  # too small for floats
                break
            far = size / curvature
            x += far * direction
            image += far * along
            rest -= far * changed
            towards = dpotrs(self.factor, rest, lower=1)[0]
            before, size = size, float(rest @ towards)
            direction = towards + size / before * direction
        if step >= SLOW:
            self.sample *= 4
        return x, image, rest

    def _product(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``A x`` and ``(L + A' D A) x``; dense rows are read once for both."""
        if self.sparse_rows is not None:
            return self._sparse_product(x)
        along, total = np.empty(self.rows), np.zeros(self.columns)
        w, b = (x[:-1], x[-1]) if self.intercept else (x, 0.0)
        step = max(1, BLOCK // self.columns)
        for first in range(0, self.rows, step):
            part = slice(first, first + step)
            np.dot(self.X[part], w, out=along[part])
            along[part] += b
            total += (self.stiff[part] * along[part]) @ self.X[part]
        changed = np.append(total, self.stiff @ along) if self.intercept else total
        return self.signs * along, changed + self.penalty * x

    def _sparse_product(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        along, total = np.empty(self.rows), np.zeros(self.columns)
        w, b = (x[:-1], x[-1]) if self.intercept else (x, 0.0)
        there_and_back(self.sparse_rows, w, b, self.stiff, along, total)
        changed = np.append(total, self.stiff @ along) if self.intercept else total
        return self.signs * along, changed + self.penalty * x

    def _chosen(self) -> tuple[np.ndarray | None, np.ndarray]:
        """Rows of the preconditioner and their weights; None for all."""
        if self.sample * 2 >= self.rows:
            return None, self.stiff
        sure = _threshold(self.stiff, self.sample)
        rows = np.flatnonzero(self.stiff > sure * self.rng.random(self.rows))
        return rows, np.maximum(self.stiff[rows], sure)

    def gram(self, rows: np.ndarray | None, weights: np.ndarray) -> np.ndarray:
        """``A' D A`` of some rows, None for all; the upper triangle, at the least."""
        size = self.columns + self.intercept
        total = np.zeros((size, size))
        numbers = np.arange(self.rows) if rows is None else rows
        if self.sparse_rows is not None:
            for part in parts(numbers.size, max(1, AT_ONCE // (self.a_row * size))):
                self.tick()
                add_sparse(self.sparse_rows, numbers[part], weights[part], self.intercept, total)
            return total
        for part in parts(numbers.size, max(1, min(max(BLOCK // size, ROWS), AT_ONCE // size**2))):
            self.tick()
            block = self.X[part] if rows is None else self.X[rows[part]]
            if self.intercept:
                block = np.column_stack([block, np.ones(len(block))])
            add_products(block, weights[part], total)
        return total


def add_products(block: np.ndarray, weights: np.ndarray, total: np.ndarray) -> None:
    """``total += sum_i weights_i x_i x_i'`` over the rows of a block.

    Where columns are few, the threads of BLAS are not worth waking, which takes long where processors have other work: the
    products are so small that it does not.
    """
    if len(total) > SMALL:
        scaled = np.sqrt(weights)[:, None] * block
        total += scaled.T @ scaled
        return
    weighted = weights[:, None] * block
    for part in parts(len(block), ONE_THREAD // total.size):
        total += block[part].T @ weighted[part]


def _threshold(stiff: np.ndarray, count: int) -> float:
    """The number t with ``sum_i min(1, stiff_i / t)`` about ``count``, from a few rounds of a fixed point."""
    sure = float(stiff.sum()) / count
    for _ in range(10):
        above = stiff >= sure
        inside = int(np.count_nonzero(above))
        if inside >= count:
            return float(np.partition(stiff, -count)[-count])
        nearer = float(stiff[~above].sum()) / (count - inside)
        if nearer >= sure:
            break
        sure = nearer
    return sure


def cholesky(matrix: np.ndarray, tick: Callable[[], None] = never) -> np.ndarray:
    """The Cholesky factor of its upper triangle, after a small push if it takes one; an error if a large one does not do."""
    push = JITTER
    while push < FARTHEST:
        factor = dpotrf(matrix.T, lower=1) if len(matrix) <= ONE_CALL else _by_blocks(matrix, tick)
        if not factor[1]:
            return factor[0]
        matrix[np.diag_indices_from(matrix)] *= 1 + push
        push *= 100
    raise np.linalg.LinAlgError("these numbers leave no equations that can be solved")


def _by_blocks(matrix: np.ndarray, tick: Callable[[], None]) -> tuple[np.ndarray, int]:
    """As ``dpotrf``, which for a large matrix cannot be interrupted for long: some columns after the others."""
    size = len(matrix)
    factor = np.tril(matrix.T)
    for part in parts(size, max(16, min(256, 4 * AT_ONCE // size**2))):
        tick()
        below = factor[part.start :, part]
        below -= factor[part.start :, : part.start] @ factor[part, : part.start].T
        corner, failed = dpotrf(factor[part, part], lower=1)
        if failed:
            return factor, failed
        factor[part, part] = np.tril(corner)
        rest = factor[part.stop :, part]
        rest[...] = dtrtrs(corner, rest.T, lower=1)[0].T
    return np.asfortranarray(factor), 0


@kernel
def add_sparse(rows, numbers, weights, intercept, total):
    """``total += sum_i weights_i (x_i, 1) (x_i, 1)'`` over CSR rows, whose columns ascend; the upper triangle."""
    last = total.shape[0] - 1
    for k in range(numbers.size):
        start, stop = rows.starts[numbers[k]], rows.starts[numbers[k] + 1]
        for q in range(start, stop):
            value = weights[k] * rows.values[q]
            line = total[rows.columns[q]]
            for r in range(q, stop):
                line[rows.columns[r]] += value * rows.values[r]
            if intercept:
                line[last] += value
        if intercept:
            total[last, last] += weights[k]


@kernel
def there_and_back(rows, w, b, stiff, along, total):
    """``along = X w + b`` and ``total += X' (stiff along)``, reading CSR rows once."""
    for i in range(along.size):
        start, stop = rows.starts[i], rows.starts[i + 1]
        score = b
        for q in range(start, stop):
            score += rows.values[q] * w[rows.columns[q]]
        along[i] = score
        score *= stiff[i]
        for q in range(start, stop):
            total[rows.columns[q]] += score * rows.values[q]
