"""Novikoff's theorem: how many mistakes a perceptron can make at most, from any start, with any step and batch."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isqrt, lcm
from numbers import Real
from typing import Any, Literal

import numpy as np

from ..learn.state import first_weights
from ..proof.problem.read_rows import read
from ..system.clock import Clock, check_limit
from .comparison import Comparison, Matrix, compare, fractions, without_mean

FORMS = ("worst", "uniform", "ovr")
STARTS = ("zeros", "ones")


def novikoff_bound(
    X: Any,
    y: Any,
    *,
    eta: float = 1.0,
    init: Any = "zeros",
    batch_size: int | Literal["all"] = 1,
    multiclass: str = "worst",
    fit_intercept: bool = True,
    intercept_scaling: float | Literal["radius"] = 1.0,
    time_limit: float | None = None,
) -> int:
    """An upper bound of the mistakes of a perceptron on separable rows, for any order of the rows.

    Let z = (x, c) be the rows with their constant feature, R the largest of their norms, u = (w, b / c) weights, and v
    weights of length 1 with y v.z >= g > 0 for every row.  Each mistake adds eta y z to u.  So after k mistakes from u_0

        u_k.v >= u_0.v + k eta g    and    |u_k|^2 <= |u_0|^2 + k eta^2 R^2 ,

    and as u_k.v <= |u_k|, k is at most the largest number with

        (u_0.v / eta + k g)^2 <= |u_0|^2 / eta^2 + k R^2    or    u_0.v / eta + k g <= 0 ;

    from zero weights that is R^2 / g^2.  (Weights that separate already make no mistake.)  Batches of m rows, whose mistakes
    are all counted, have m R^2 in place of R^2, several classes 2 R^2 (with g the smallest lead over any rival, v of Frobenius
    norm 1); ``multiclass="ovr"`` is a problem of two classes for every class, and the result is the sum of their bounds.  No bound is known for
    ``multiclass="all"``.

    Any v gives a valid bound.  The v used here has the largest g, which is best from zero weights (with more than 64 weights,
    nearly the largest).  Everything is computed in exact arithmetic.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their labels, of two or more classes.
    eta : float, default=1.0
        The learning rate of the perceptron.  From zero weights it does not matter.
    init : {"zeros", "ones"} or array-like, default="zeros"
        The first weights of the perceptron.  An array is as in ``Perceptron``: a row for each output, with or without the
        intercept as last column.
    batch_size : int or "all", default=1
        The number of rows that are scored before the weights change.
    multiclass : {"worst", "uniform", "ovr"}, default="worst"
        The multi-class form of the perceptron, for more than two classes.
    fit_intercept : bool, default=True
        Whether the perceptron has an intercept.
    intercept_scaling : float or "radius", default=1.0
        The constant feature c; "radius" is the largest norm of a row.
    time_limit : float, default=None
        Seconds after which the search for separating weights gives up.

    Returns
    -------
    int
        The bound: ``n_mistakes_`` of such a perceptron is never larger (apart from rounding in the perceptron).

    Raises
    ------
    ValueError
        If no weights separate the classes, with the rows that prove it; or if this could not be decided in time.

    Notes
    -----
    R and g are for the rows with their constant feature.  With the geometric margin and the smallest enclosing ball instead, the
    bound in the example would be 10,405 mistakes, which is wrong.

    A row of weight s (``sample_weight``, ``class_weight``) makes steps s times as long: use the rows s (x, c)
    with ``fit_intercept=False`` to get the bound.

    References
    ----------
    A. B. J. Novikoff, On convergence proofs on perceptrons, 1962.
    K. Crammer, Y. Singer, Ultraconservative online algorithms for multiclass problems, 2003, theorem 1.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.theory import novikoff_bound
    >>> X, y = [[100], [102]], [0, 1]
    >>> novikoff_bound(X, y)
    106151810
    >>> Perceptron(order="cyclic", max_iter=100_000).fit(X, y).n_mistakes_
    20303
    >>> novikoff_bound(X, y, init=[[1, -99]]), novikoff_bound(X, y, init=[[1, -101]])  # the latter separates
    (106131810, 0)
    """
    if not (isinstance(eta, Real) and 0 < float(eta) < inf):
        raise ValueError(f"eta must be a positive number; got {eta!r}.")
    if multiclass not in FORMS:
        known = ", ".join(map(repr, FORMS))
        raise ValueError(f"multiclass must be one of {known} (for 'all' no bound is known); got {multiclass!r}.")
    if isinstance(init, str) and init not in STARTS:
        raise ValueError(f"init must be 'zeros', 'ones' or an array of weights; got {init!r}.")
    clock = Clock(check_limit(time_limit))  # of all classes together, also if each has a separate bound
    pairs, classes, _ = read(X, y, fit_intercept)
    outputs = 1 if len(classes) == 2 else len(classes)

    def bound(labels: Any, rows: slice) -> int:
        them = compare(X, labels, batch_size, fit_intercept, intercept_scaling, clock.part(1.0))
        w, b = first_weights(init, outputs, pairs.n_features, float(them.constant) ** 0.5, np.random.default_rng())
        start = fractions(np.column_stack([w, b])[rows])
        return _most_mistakes(them, without_mean(start) if len(start) > 1 else start, Fraction(float(eta)))

    if outputs == 1 or multiclass != "ovr":
        return bound(y, slice(None))
    return sum(bound(pairs.target == k, slice(k, k + 1)) for k in range(outputs))


def _most_mistakes(them: Comparison, start: Matrix, eta: Fraction) -> int:
    """0 from weights that separate; else the largest k with (start.v + k eta lead)^2 <= |v|^2 (|start|^2 + k eta^2 step).

    That is the larger root of a parabola which is not positive at 0 (Cauchy and Schwarz), nor where start.v + k eta lead is 0.
    """
    if them.separated_by(start):
        return 0
    square = them.inner(them.weights, them.weights)
    along = them.inner(start, them.weights)
    parabola = (
        (eta * them.lead) ** 2,
        2 * along * eta * them.lead - square * eta**2 * them.step,
        along**2 - square * them.inner(start, start),
    )
    unit = lcm(*(number.denominator for number in parabola))
    a, b, c = (int(number * unit) for number in parabola)
    return (-b + isqrt(b * b - 4 * a * c)) // (2 * a)
