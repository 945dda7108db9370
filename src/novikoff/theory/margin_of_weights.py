"""The geometric margin of any weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks.rounding import first_rounded, shown
from ..proof.arithmetic.exact import root
from ..proof.check.margin_of_rows import smallest_lead
from ..proof.problem.coordinates import Weights, moved
from ..proof.problem.read_rows import read
from .comparison import Matrix, differences, fractions


def margin(X: Any, y: Any, coef: Any, intercept: Any = 0.0) -> float:
    """The distance of the closest row from the boundary of given weights.

    For two classes with signs y = -1 or 1

        margin = min_i  y_i (w.x_i + b) / |w| ,

    the distance of the closest row, negative if some row is on the wrong side.  For several classes it is the smallest
    lead of a row's class c over any rival r, divided by the Frobenius norm of the weights minus their mean over the classes,

        margin = min_i,r  ((w_c - w_r).x_i + b_c - b_r) / |W - mean W| ,

    as in ``Proof.margin``; adding the same weights to every class does not change it.  No weights have a larger margin
    than those of ``separability(X, y, max_margin=True)``.  It is computed exactly, then rounded once.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their labels, of two or more classes; if there are two, the second in sorted order is the positive one.
    coef : array-like of shape (n_features,), (1, n_features) or (n_classes, n_features)
        Weights w, such as ``coef_`` of a fitted classifier.
    intercept : float or array-like of shape (1,) or (n_classes,), default=0.0
        Intercepts b.

    Returns
    -------
    float
        Positive if and only if the weights separate the classes.

    References
    ----------
    V. N. Vapnik, The Nature of Statistical Learning Theory, 1995, section 5.4.
    K. Crammer, Y. Singer, On the algorithmic implementation of multiclass kernel-based vector machines, 2001.

    Examples
    --------
    >>> from novikoff.theory import margin
    >>> X, y = [[1, 1], [1, 3], [-1, -1], [-1, -3]], [1, 1, 0, 0]
    >>> margin(X, y, [1, 1])
    1.4142135623730951
    >>> margin(X, y, [3, 4], 10)
    -0.6
    """
    pairs, classes, _ = read(X, y, fit_intercept=True)
    given = _read_weights(coef, intercept, 1 if len(classes) == 2 else len(classes), pairs.n_features)
    weights = Weights.of(given if len(given) == 1 else differences(given))
    square = weights.square()
    if not square:
        raise ValueError("The weights in coef are zero, or the same for every class: there is no boundary.")
    direction, scale = moved(pairs, weights)
    lead = scale * smallest_lead(pairs, direction)
    return root(lead * abs(lead) / square)


def _read_weights(coef: Any, intercept: Any, outputs: int, features: int) -> Matrix:
    """Rows of w and b, exactly."""
    for name, given in (("coef", coef), ("intercept", intercept)):
        found = first_rounded(np.atleast_2d(np.array(given, dtype=object)))
        if found is not None:
            raise ValueError(
                f"{name} has {shown(found.value)}, which float64 cannot hold exactly: the margin would be that of rounded weights. "
                "Multiply all weights and intercepts by one power of two that makes them floats, or round them first."
            )
    w, b = np.atleast_2d(np.asarray(coef, dtype=float)), np.ravel(np.asarray(intercept, dtype=float))
    if w.shape != (outputs, features):
        raise ValueError(
            f"coef has the shape {w.shape}; {features} features and {outputs} output(s) need {(outputs, features)}."
        )
    if b.size not in (1, outputs):
        raise ValueError(f"intercept has {b.size} numbers; there are {outputs} output(s).")
    if not (np.all(np.isfinite(w)) and np.all(np.isfinite(b))):
        raise ValueError("coef or intercept holds NaN or infinity.")
    return fractions(np.column_stack([w, np.broadcast_to(b, outputs)]))
