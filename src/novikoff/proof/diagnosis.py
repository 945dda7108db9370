"""What separation means for the coefficients of a logistic regression, feature by feature.

Where directions without a negative lead exist, the likelihood grows along them without end.  A coefficient whose weight is
zero in all of them has a finite estimate; one whose weight is never negative, and positive in some, goes to +infinity, and so
on.  (Albert and Anderson 1984; Konis 2007.)  Every answer is proved exactly: a weight that may have either sign by two
directions, one that may not by a relation (Farkas).

Of columns that are combinations of each other and the intercept, some are "aliased": their coefficients are not determined
by the data and are held at zero.  Those are the columns with the most values that are not zero (of equals the last, as R's
glm does): of a category's levels that is the commonest, so that the others are compared with it.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from flint import fmpq_mat

from .clock import Clock, OutOfTime
from .decide import decide
from .faces import Face, spanning_pairs
from .gordan import Search, gordan, some_pairs
from .pairs import Direction, Pairs
from .wide import is_wide


def coefficient_limits(pairs: Pairs, clock: Clock) -> np.ndarray | None:
    """What becomes of the coefficient of every class but the first and every feature, shape (K-1, d): "+inf", "-inf",
    "finite", "either" or "aliased"; None for those the time did not suffice for.  None in place of all where they are out of
    reach: sparse rows of very many features."""
    if is_wide(pairs):
        return None
    limits = np.full((pairs.n_rivals, pairs.n_features), None)
    with suppress(OutOfTime):
        kept = columns_not_aliased(pairs, clock)
        limits[:, np.setdiff1d(np.arange(pairs.n_features), kept)] = "aliased"
        if kept.size == 0:
            return limits
        reduced = Pairs(pairs.X[:, kept], pairs.target, pairs.n_rivals + 1, pairs.fit_intercept)
        finding = decide(reduced, clock)
        if finding.boundary is None:
            return limits
        face = Face(reduced, np.array(finding.basis, dtype=np.intp))
        seen: list[list[int]] = [] if finding.direction is None else [finding.direction.exactly()[0]]
        for k in range(pairs.n_rivals):
            for place, column in enumerate(kept[reduced.columns].tolist()):
                limits[k, column] = _limit(face, seen, k * reduced.width + place, clock)
    return limits


def _limit(face: Face, seen: list[list[int]], place: int, clock: Clock) -> str:
    """What becomes of one coefficient; directions found on the way are kept in ``seen``."""
    unit = [int(j == place) for j in range(face.pairs.dim)]
    if not seen or face.dim == 0 or not any(face.product(unit)):
        return "finite"
    signs = {(direction[place] > 0) - (direction[place] < 0) for direction in seen}
    if 0 in signs or len(signs) == 2:  # all those directions may be moved a little: none is on the edge
        return "either"
    sign = signs.pop()
    search = Search(face, some_pairs(face.pairs), clock, extra=[-sign * number for number in unit])
    found = gordan(search)
    if isinstance(found, Direction):
        seen.append(found.exactly()[0])
        return "either"
    return "+inf" if sign > 0 else "-inf"


def columns_not_aliased(pairs: Pairs, clock: Clock) -> np.ndarray:
    """The columns whose coefficients are determined, exactly; of columns that depend on each other, the commonest go."""
    one_class = np.ones(pairs.n_rows, dtype=np.intp)
    plain = pairs if pairs.n_rivals == 1 else Pairs(pairs.X, one_class, 2, pairs.fit_intercept)
    basis = spanning_pairs(plain, np.flatnonzero(Face(plain, np.empty(0, dtype=np.intp)).outside()), clock.tick)
    if basis.size == plain.dim:
        return plain.columns
    face, used = Face(plain, basis), plain.columns.size
    filled = np.asarray((plain.X[:, plain.columns] != 0).sum(axis=0)).ravel()
    order = [*np.argsort(filled, kind="stable")[::-1].tolist(), *range(used, plain.width)]  # the intercept last
    units = np.eye(face.dim, dtype=int).tolist()
    null = [face.direction(unit).exactly()[0] for unit in units]
    reduced, rank = fmpq_mat([[vector[place] for place in order] for vector in null]).rref()
    pivots = [next(j for j in range(plain.width) if reduced[i, j] != 0) for i in range(rank)]
    aliased = [order[pivot] for pivot in pivots if order[pivot] < used]
    return np.delete(plain.columns, aliased)
