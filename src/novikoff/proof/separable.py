"""``separability``: are these classes linearly separable?  Proved, whatever the answer."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from numbers import Real
from typing import Any, Literal

import numpy as np

from .certificate import Certificate, as_witness, make_witness
from .clock import Clock
from .coordinates import Weights, to_user
from .decide import Finding, decide
from .margin import margin_of
from .mistakes import ideal_weights, largest_square, mistake_bound
from .pairs import Direction, Pairs
from .read import read
from .report import Proof
from .widest import largest_margin

log = logging.getLogger(__name__)


def separability(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    max_margin: bool = False,
    intercept_scaling: float | Literal["radius"] = 1.0,
    time_limit: float | None = None,
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

    Floats look for the answer, among a few rows at a time (P. Wolfe's nearest point of a polytope, 1976); exact rational
    arithmetic confirms it.  The verdict is that of the numbers as stored, whatever the scale of the columns, and never a
    guess.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.  Sparse matrices are read as CSR and not made dense.  Numbers that float64 cannot hold exactly, such as whole
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

    Returns
    -------
    Proof
        ``separable``: True, False or None (undecided: the time limit ended, or exact arithmetic is out of reach, as it may be
        with large sparse data of very many features).  ``kind``: "complete", "quasi-complete", "overlap" or None.

        ``coef``, ``intercept``: weights in scikit-learn's shapes, for several classes those of the first are zero; with
        complete separation they separate, with quasi-complete no row contradicts them.  ``exact_weights``: the same as
        fractions, where floats could not hold them; those are what is verified.  ``margin``: the smallest distance of a
        row from the boundary under those weights (several classes: the smallest lead over the Frobenius norm), rounded
        down.

        ``witness``: ``rows``, ``rivals`` (None for two classes) and ``weights`` (fractions) that prove that no weights
        separate.  ``spanning``: for overlap, and for the boundary rows of quasi-complete separation, a witness whose rows
        span them all, at most twice their rank.

        ``rows``: "separated" or "boundary" for every row: whether some weights that no row contradicts have it strictly
        on its side.  ``directions``: for every feature, whether its coefficient in a logistic regression goes to "+inf",
        "-inf", stays "finite", may go "either" way, or is "aliased", a combination of the intercept and other columns
        (several classes: for each but the first); None where the time limit ended before that was settled, and altogether for
        sparse rows of more than 2000 features.  ``suspects``: row numbers that stand in the way of separation, the worst
        first: an estimate, no proof, but without them the rest is separable.  The last two are worked out when first asked
        for.

        ``margin_bounds``: numbers below and above the largest margin (above, infinity where no float is); ``support``: rows, rivals and weights that sum to 1,
        whose combination sum_i weights_i y_i x_i is no longer than the second (of the largest margin, the support vectors of a
        hard-margin support vector machine); ``mistake_bound``: how many mistakes a perceptron that learns row by row
        can make at most from zero weights on the rows (x, c): the smallest number that Novikoff's theorem gives, or, with
        more than 64 weights, one that the best weights found give.  All three with ``max_margin``.

        ``violation``: where undecided, how far the best weights so far miss a row.  ``seconds``: how long it took;
        ``time_limit``: how long it might.  ``classes``, ``feature_names``, ``fit_intercept``: the labels in order, the
        columns' names, whether there is an intercept.

        ``verify(X, y)``: check everything claimed in exact arithmetic, without the solver.  ``pairwise()``: the same
        question for every two classes.  ``plot()``: rows of two features, and why.  ``print`` shows a short report.

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
    """
    limit, constant = check_limit(time_limit), check_constant(intercept_scaling)
    if not isinstance(fit_intercept, bool | np.bool_):
        raise ValueError(f"fit_intercept must be True or False; got {fit_intercept!r}.")
    clock = Clock(limit)
    pairs, classes, names = read(X, y, bool(fit_intercept))
    return prove(pairs, classes, names, clock, max_margin, constant)


def prove(
    pairs: Pairs,
    classes: np.ndarray,
    names: np.ndarray | None,
    clock: Clock,
    max_margin: bool = False,
    constant: float | None = 1.0,
    guess: Weights | None = None,
) -> Proof:
    """The answer for rows that are read; ``constant`` is c, None the largest norm of a row.  Weights that are a guess are tried
    first: if they separate, nothing is looked for."""
    certificate = Certificate("complete", guess)
    if guess is None or not certificate.holds(pairs, classes):
        certificate = certify(pairs, classes, decide(pairs, clock))
    margin = bounds = support = ideal = None
    if certificate.kind == "complete" and certificate.weights is not None:
        margin = margin_of(pairs, certificate.weights)
        if max_margin:
            constant2 = constant_square(pairs, constant)
            best = largest_margin(pairs, certificate.weights, clock)
            margin, bounds = best.lower, (best.lower, best.upper)
            support = as_witness(pairs, classes, best.support)
            ideal = ideal_weights(pairs, [best.weights, certificate.weights], constant2, clock)
            certificate = replace(certificate, weights=best.weights)
    violation = clock.violation if certificate.kind is None and np.isfinite(clock.violation) else None
    log.info("%s after %.3g s", certificate.kind or "undecided", clock.seconds)
    return Proof(
        certificate,
        classes,
        pairs,
        names,
        margin=margin,
        margin_bounds=bounds,
        support=support,
        mistake_bound=None if ideal is None else mistake_bound(pairs, ideal),
        _ideal=ideal,
        violation=violation,
        seconds=clock.seconds,
        time_limit=None if np.isinf(clock.limit) else clock.limit,
    )


def check_limit(time_limit: float | None) -> float | None:
    if time_limit is not None and not (isinstance(time_limit, Real) and time_limit > 0):
        raise ValueError(f"time_limit must be a positive number of seconds or None; got {time_limit!r}.")
    return None if time_limit is None else float(time_limit)


def check_constant(intercept_scaling: float | str) -> float | None:
    """c; None stands for "radius"."""
    if isinstance(intercept_scaling, str) and intercept_scaling == "radius":
        return None
    if not isinstance(intercept_scaling, Real) or not 0 < float(intercept_scaling) < np.inf:
        raise ValueError(f'intercept_scaling must be a positive number or "radius"; got {intercept_scaling!r}.')
    return float(intercept_scaling)


def constant_square(pairs: Pairs, constant: float | None) -> float:
    """c^2, as a perceptron has it: of a number, or the largest squared norm of a row."""
    square = constant * constant if constant is not None else _rounded(largest_square(pairs.X)) or 1.0
    if not 0 < square < np.inf:
        shown = "'radius'" if constant is None else constant
        raise ValueError(f"intercept_scaling={shown} is out of range: its square is no usable number.")
    return square


def _rounded(number: Fraction) -> float:
    """The nearest float; infinite beyond the largest."""
    try:
        return float(number)
    except OverflowError:
        return np.inf


def certify(pairs: Pairs, classes: np.ndarray, finding: Finding) -> Certificate:
    """The certificate of what was found, checked; what does not hold is not claimed."""
    witness = make_witness(pairs, classes, finding.circuit) if finding.circuit else None
    boundary = finding.boundary
    spanning = make_witness(pairs, classes, finding.relation) if finding.relation and boundary is not None else None
    kind = "quasi-complete" if finding.direction is not None and witness is not None else None
    if boundary is not None:
        kind = "overlap" if boundary.all() else "quasi-complete" if boundary.any() else "complete"
    rows = (
        None
        if boundary is None or kind != "quasi-complete"
        else np.any(boundary.reshape(pairs.n_rows, pairs.n_rivals), axis=1)
    )
    if kind is None:
        return Certificate(None, witness=witness)
    for weights in _candidates(pairs, finding.direction):
        certificate = Certificate(kind, weights, witness, spanning, rows)
        if certificate.holds(pairs, classes):
            return certificate
    raise ArithmeticError("A proof that was found does not hold; please report this with the data.")


def _candidates(pairs: Pairs, direction: Direction | None) -> Iterator[Weights | None]:
    """The direction's weights rounded to floats, and exactly where that may not do."""
    exact = None if direction is None else to_user(pairs, direction)
    yield None if exact is None else Weights(exact.floats)
    if exact is not None and exact.exact is not None:
        yield exact
