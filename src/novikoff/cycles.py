"""A cycle of the perceptron as a proof that classes are not linearly separable.

On data that are not separable the weights of a cyclic perceptron come back to where they were, if the arithmetic is
exact.  The steps in between add up to zero: sum_i g_i (x_i, c) = 0.  With two classes g_i = lambda_i y_i, lambda_i >= 0,
not all zero; had some w, b separated the rows, then 0 = sum_i lambda_i y_i (w.x_i + b) > 0.  So the per-row counts are a
proof, provided that the sum is exactly zero, which is checked here in integer arithmetic and never assumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

MOST_PRODUCTS = 20_000_000  # of whole numbers, about ten seconds


@dataclass(frozen=True)
class Cycle:
    """The weights of a fit recurred.

    ``rows``: numbers of the rows that were mistaken in the cycle.  ``steps``: what each of them added to the weights of
    each output, as multiples of the row, shape (rows, outputs).  ``proves_inseparable``: whether these steps add up to
    exactly zero and thereby prove that no weights separate the classes (with ``multiclass="ovr"``: that some class
    cannot be separated from the rest).  False means that nothing was proved: sums were rounded, or too long to check, or X
    had numbers that float64 cannot hold.
    """

    rows: np.ndarray
    steps: np.ndarray
    proves_inseparable: bool


def read_cycle(tally: np.ndarray, X: Any, target: np.ndarray, form: str, fit_intercept: bool) -> Cycle:
    """Make a ``Cycle`` of each row's added steps, checking in exact arithmetic what it proves."""
    rows = np.flatnonzero(np.any(tally != 0, axis=1))
    steps = tally[rows]
    proves = False
    too_many = np.count_nonzero(steps) * X.shape[1] > MOST_PRODUCTS
    if rows.size == 0 or too_many or not _finite(X[rows]):  # steps too small to move anything prove nothing
        return Cycle(rows, steps, proves)
    if form == "binary":
        signs = np.where(target[rows] == 1, 1.0, -1.0)[:, None]
        proves = bool(np.all(steps * signs >= 0)) and _adds_up_to_zero(steps, X, rows, fit_intercept)
    elif form == "ovr":  # one class against the rest suffices
        for k in range(steps.shape[1]):
            taking = np.flatnonzero(steps[:, k])
            column = steps[taking][:, [k]]
            signs = np.where(target[rows[taking]] == k, 1.0, -1.0)[:, None]
            honest = taking.size > 0 and bool(np.all(column * signs >= 0))
            proves = proves or (honest and _adds_up_to_zero(column, X, rows[taking], fit_intercept))
    else:  # what a row's own class gains must be what its rivals lose: pairs (row, rival) of Kesler's construction
        own = np.arange(steps.shape[1]) == target[rows][:, None]
        pairs = bool(np.all(steps[~own] <= 0)) and all(sum(_integers(row[row != 0])) == 0 for row in steps)
        proves = pairs and _adds_up_to_zero(steps, X, rows, fit_intercept)
    return Cycle(rows, steps, proves)


def _finite(X: Any) -> bool:
    return bool(np.isfinite(X.data if sparse.issparse(X) else X).all())


def _adds_up_to_zero(steps: np.ndarray, X: Any, rows: np.ndarray, fit_intercept: bool) -> bool:
    """Whether sum_i steps[i, k] (x_i, 1) is exactly zero for every output k."""
    for k in range(steps.shape[1]):
        taking = np.flatnonzero(steps[:, k])
        weights = _integers(steps[taking, k])
        if fit_intercept and sum(weights) != 0:
            return False
        chosen = X[rows[taking]]
        columns = sparse.csc_array(chosen) if sparse.issparse(chosen) else chosen
        for j in range(chosen.shape[1]):
            if sparse.issparse(columns):
                part = slice(columns.indptr[j], columns.indptr[j + 1])
                values, partners = columns.data[part], [weights[i] for i in columns.indices[part]]
            else:
                values, partners = columns[:, j], weights
            if sum(w * v for w, v in zip(partners, _integers(values), strict=True)) != 0:
                return False
    return True


def _integers(values: np.ndarray) -> list[int]:
    """Floats times one common power of two, so that all of them are whole."""
    mantissas, exponents = np.frexp(values.astype(np.float64))
    whole = (mantissas * 2.0**53).astype(np.int64).tolist()
    shifts = exponents - exponents.min(initial=0)
    return [m << int(s) for m, s in zip(whole, shifts.tolist(), strict=True)]
