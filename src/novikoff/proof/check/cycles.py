"""A cycle of the perceptron as a proof that no weights separate the classes.

On data that are not separable the weights of a cyclic perceptron come back to where they were, if the arithmetic is
exact.  The steps in between add up to zero: sum_i g_i (x_i, c) = 0.  With two classes g_i = lambda_i y_i, lambda_i >= 0,
not all zero; had some w, b separated the rows, then 0 = sum_i lambda_i y_i (w.x_i + b) > 0.  So the per-row counts are a
proof, provided that the sum is exactly zero, which is checked here in integer arithmetic and never assumed.  What is proved
is "not complete"; whether classes overlap or are quasi-complete, a cycle does not say.

One against the rest (``multiclass="ovr"``) each output is a two-class problem, and a cycle proves no more than that its class
cannot be separated from all others together.  Where all rivals lose at once (``multiclass="all"``) a row's steps are no sum
of (row, rival) pairs, and weights may go round for ever on classes that are separable: x = -2, 0, 3, -3, 2, a class each.
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
    exactly zero and thereby prove that no weights separate the classes (with ``fit_intercept=False``: no weights without
    an intercept).  ``against_rest``: with ``multiclass="ovr"``, numbers of the classes that are proved not to be separable from
    all others together; all classes at once may be separable all the same.  The proof speaks of the rows as they were
    learned from, in float64 or float32.  False, or no class, means that nothing was proved: sums were rounded, too long to
    check, X had numbers that float64 cannot hold, or (``multiclass="all"``) no proof in any case.
    """

    rows: np.ndarray
    steps: np.ndarray
    proves_inseparable: bool
    against_rest: np.ndarray


def read_cycle(tally: np.ndarray, X: Any, target: np.ndarray, form: str, fit_intercept: bool) -> Cycle:
    """Make a ``Cycle`` of each row's added steps, checking in exact arithmetic what it proves."""
    rows = np.flatnonzero(np.any(tally != 0, axis=1))
    steps = tally[rows]
    proves, against_rest = False, []
    if rows.size == 0 or _too_many(steps, X) or not _finite(X[rows]):  # steps too small to move anything prove nothing
        pass
    elif form == "binary":
        proves = _one_side(steps, target[rows] == 1) and _adds_up(steps, X, rows, fit_intercept)
    elif form == "ovr":
        for k in range(steps.shape[1]):
            taking = np.flatnonzero(steps[:, k])
            column, members = steps[taking][:, [k]], rows[taking]
            if _one_side(column, target[members] == k) and _adds_up(column, X, members, fit_intercept):
                against_rest.append(k)
    else:  # what a row's own class gains must be what its rivals lose: pairs (row, rival) of Kesler's construction
        own = np.arange(steps.shape[1]) == target[rows][:, None]
        pairs = bool(np.all(steps[~own] <= 0)) and all(sum(_integers(row[row != 0])) == 0 for row in steps)
        proves = pairs and _adds_up(steps, X, rows, fit_intercept)
    return Cycle(rows, steps, proves, np.array(against_rest, dtype=np.int64))


def goes_round(tally: np.ndarray, X: Any, fit_intercept: bool) -> bool:
    """Whether these steps, added up, change all classes alike, exactly: a cycle but for what is common to them."""
    rows = np.flatnonzero(np.any(tally != 0, axis=1))
    steps = tally[rows]
    return not _too_many(steps, X) and _finite(X[rows]) and _adds_up(steps, X, rows, fit_intercept, alike=True)


def _finite(X: Any) -> bool:
    return bool(np.isfinite(X.data if sparse.issparse(X) else X).all())


def _too_many(steps: np.ndarray, X: Any) -> bool:
    return np.count_nonzero(steps) * X.shape[1] > MOST_PRODUCTS


def _one_side(steps: np.ndarray, positive: np.ndarray) -> bool:
    """Whether there are steps, and all of them point as a mistake's do."""
    return steps.size > 0 and bool(np.all(steps * np.where(positive, 1.0, -1.0)[:, None] >= 0))


def _adds_up(steps: np.ndarray, X: Any, rows: np.ndarray, fit_intercept: bool, alike: bool = False) -> bool:
    """Whether sum_i steps[i, k] (x_i, 1) is exactly zero for every output k; or ``alike`` for all of them."""
    whole = np.array(_integers(steps.ravel()), dtype=object).reshape(steps.shape)
    if alike:
        whole = whole - whole[:, :1]
    for k in range(steps.shape[1]):
        taking = np.flatnonzero(whole[:, k])
        weights = whole[taking, k].tolist()
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
