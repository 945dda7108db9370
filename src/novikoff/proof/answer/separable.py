"""``separability``: are these classes linearly separable?  Proved, whatever the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ...system.backends import backend_of
from ...system.clock import Clock, check_limit
from ..check.mistakes import check_constant
from ..problem.read_rows import check_intercept, read
from .proofs import Proof, prove


def separability(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    max_margin: bool = False,
    intercept_scaling: float | Literal["radius"] = 1.0,
    time_limit: float | None = None,
    feature_names: Sequence[str] | None = None,
) -> Proof:
    """Tell whether classes are linearly separable, and prove it.

    For two classes with signs y = -1 or 1 the question is whether some w and b have y_i (w.x_i + b) > 0 for every row:

    - *complete* separation: there are such w and b, the proof;
    - not complete: there are weights l_i >= 0, not all zero, with sum_i l_i y_i (x_i, 1) = 0 on at most d + 2 rows, the
      witness (Gordan 1873); of two classes with an intercept, their convex hulls meet;
    - *quasi-complete*: not complete, but some w, b have y_i (w.x_i + b) >= 0 for every row and > 0 for some;
    - *overlap*: none of these; a witness whose rows span those of all rows proves it (Stiemke 1915).

    For several classes every row's own class must lead every rival at once (Kesler's construction).  Only with overlap do
    maximum likelihood estimates of a logistic regression exist (A. Albert and J. A. Anderson, On the existence of maximum
    likelihood estimates in logistic regression models, Biometrika 71, 1984).

    Floats look for the answer, among a few rows at a time (P. Wolfe's nearest point of a polytope, 1976; the least squared hinge loss).  It is
    proved in floating point with a bound of every rounding error (S. M. Rump, Verification methods, 2010), or, where that does not
    decide, in exact rational arithmetic.  The verdict is that of the numbers as stored, whatever the scale of the columns, and never a
    guess.

    Parameters
    ----------
    X : {array-like, sparse matrix, dask collection} of shape (n_samples, n_features)
        Rows.  Those of Dask collections stay in their partitions (``novikoff.distributed.separability``).  Sparse matrices are read as
        CSR and not made dense.  Numbers that float64 cannot hold exactly, such as whole
        numbers beyond 2^53, are refused, by row and column.
    y : array-like of shape (n_samples,)
        Their labels, of two or more classes.
    fit_intercept : bool, default=True
        Whether there is an intercept b, or hyperplanes pass through the origin.
    max_margin : bool, default=False
        Whether to enclose the largest margin and Novikoff's bound, if the classes are separable.
    intercept_scaling : float or "radius", default=1.0
        The constant feature c of a perceptron, for ``mistake_bound``; "radius" is the largest norm of a row.
    time_limit : float, default=None
        Seconds after which the answer may be None (undecided), and as many again for ``directions``.
    feature_names : sequence of str, default=None
        The names of the columns, in order, as the answer gives them.  None: those of a data frame, else x0, x1, ...

    Returns
    -------
    Proof
        ``separable``: True, False or None (undecided: the time limit ended, or exact arithmetic is out of reach, as it may be
        with large sparse data of very many features).  ``kind``: "complete", "quasi-complete", "overlap" or None.

        ``method``: how the verdict was proved, in "floating point" (every rounding error bounded) or in "exact arithmetic".  After a proof in
        floating point, ``witness`` and ``spanning`` are worked out exactly when first asked for (within ``time_limit`` again; None if it
        ends before).

        ``coef``, ``intercept``: weights in scikit-learn's shapes, for several classes those of the first are zero; with
        complete separation they separate, with quasi-complete no row contradicts them.  ``exact_weights``: the same as
        fractions, which are what is verified; where floats cannot hold them, ``coef`` and ``intercept`` are rounded from them.  ``margin``: the smallest distance of a
        row from the boundary under those weights (several classes: the smallest lead over the Frobenius norm), rounded
        down.

        ``witness``: ``rows``, ``rivals`` (None for two classes) and ``weights`` (fractions) that prove that no weights
        separate.  ``spanning``: for overlap, and for the boundary rows of quasi-complete separation, a witness whose rows
        span them all, at most twice their rank.

        ``rows``: "separated" or "boundary" for every row: whether some weights that no row contradicts have it strictly
        on its side.  ``directions``: for the intercept and every feature, whether its coefficient in a logistic regression goes to "+inf",
        "-inf", stays "finite", may go "either" way, or is "aliased", a combination of the intercept and columns to its left, as
        in R (several classes: for each but the first); None where the time limit ended before that was settled, and altogether for
        sparse rows of more than 2000 features.  ``reasons``: where one variable separates rows, which of its levels has one class only,
        or above which number all rows have one class and below which another.  ``suspects``: row numbers that stand in the way of separation, the worst
        first: without them the rest is separable, and none of them can go back; ``fewest_errors`` tells whether fewer would do (here
        it is asked for a fraction of a second).  The last three are worked out when first asked for.

        ``margin_bounds``: numbers below and above the largest margin (above, infinity where no float is); ``support``: rows, rivals and weights that sum to 1,
        whose combination sum_i weights_i y_i x_i is no longer than the second (of the largest margin, the support vectors of a
        hard-margin support vector machine); ``mistake_bound``: how many mistakes a perceptron that learns row by row
        can make at most from zero weights on the rows (x, c): the smallest number that Novikoff's theorem gives, or, with
        more than 64 weights, one that the best weights found give.  All three with ``max_margin``.

        ``violation``: where undecided, how far the best weights so far miss a row.  ``seconds``: how long it took;
        ``time_limit``: how long it might.  ``classes``, ``feature_names``, ``fit_intercept``: the labels in order, the
        columns' names, whether there is an intercept.  ``against_rest``: of a learner's proof of one class against the rest, that
        class, which is True in ``classes``; else None.

        ``verify(X, y)``: check everything claimed in exact arithmetic, without the solver.  ``save(path)``: write it as a
        certificate, which ``check_certificate`` checks, or a page of plain Python (docs/trust.md); ``to_dict()``: the same, not written.  ``pairwise()``: the same
        question for every two classes.  ``plot()``: the rows, two features or a projection, and why.  ``print`` shows a short
        report, a notebook the same with tables and the picture.

    Examples
    --------
    >>> from novikoff import separability
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> proof = separability(X, y)
    >>> proof.kind, proof.witness.rows.tolist(), [int(weight) for weight in proof.witness.weights]
    ('overlap', [0, 1, 2, 3], [1, 1, 1, 1])
    >>> proof.verify(X, y)
    True
    >>> round(separability(X, [0, 0, 0, 1], max_margin=True).margin, 6)
    0.353553
    >>> separability(X, [0, 0, 1, 1], feature_names=["height", "width"]).directions
    {'intercept': '-inf', 'height': '+inf', 'width': 'either'}
    """
    limit, constant = check_limit(time_limit), check_constant(intercept_scaling)
    check_intercept(fit_intercept)
    backend = backend_of(X)
    if backend is not None:
        if max_margin:
            raise ValueError("max_margin=True needs all rows in memory: pass X.compute() if they fit there.")
        asked = {"fit_intercept": fit_intercept, "time_limit": limit, "feature_names": feature_names}
        proof: Proof = backend.separability(X, y, **asked)
        return proof
    clock = Clock(limit)
    pairs, classes, names = read(X, y, bool(fit_intercept))
    if feature_names is not None:
        names = names_given(feature_names, pairs.n_features)
    return prove(pairs, classes, names, clock, max_margin, constant)


def names_given(names: Sequence[str], width: int) -> np.ndarray:
    """The names that a user gives the columns; refused unless there is one for each, all different."""
    if isinstance(names, str):
        raise ValueError(f"feature_names is a list of names, one for each column; got the text {names!r}.")
    given = list(map(str, names))
    if len(given) != width:
        raise ValueError(f"feature_names has {len(given)} names for {width} columns: give one for each.")
    if len(set(given)) < width:
        twice = next(name for name in given if given.count(name) > 1)
        raise ValueError(f"feature_names has {twice!r} twice: give every column a different name.")
    return np.array(given, dtype=object)
