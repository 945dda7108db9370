"""What separation means for the coefficients of a logistic regression, feature by feature.

Where directions without a negative lead exist, the likelihood grows along them without end.  A coefficient whose weight is
zero in all of them has a finite estimate; one whose weight is never negative, and positive in some, goes to +infinity, and so
on.  (Albert and Anderson 1984; Konis 2007.)  Every answer is proved exactly: a weight that may have either sign by two
directions, one that may not by a relation (Farkas).

With overlap there is no such direction, and every coefficient is finite.  With complete separation the directions are an open
set, in which no weight is always zero: no coefficient is finite.

Of columns that are combinations of each other and the intercept, some are "aliased": their coefficients are not determined
by the data and are held at zero.  Those are the columns with the most values that are not zero (of equals the last, as R's
glm does): of a category's levels that is the commonest, so that the others are compared with it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from ...inputs.clock import Clock, OutOfTime
from ..arithmetic.exact import independent_rows, solve
from ..problem.coordinates import Weights, to_user
from ..problem.faces import Face, spanning_rows
from ..problem.pairs import Direction, Pairs
from ..search.decide import decide
from ..search.gordan import Search, gordan, some_pairs
from ..search.wide_rows import is_wide, lifted

AT_ONCE = 1 << 16  # columns that are solved for together, times the square of the equations


def coefficient_limits(
    pairs: Pairs,
    kind: str,
    clock: Clock,
    tell: Callable[[int], None] = lambda done: None,
    filled: np.ndarray | None = None,
    shown: list[Weights] | None = None,
) -> np.ndarray | None:
    """What becomes of the coefficient of every class but the first and every feature, shape (K-1, d): "+inf", "-inf",
    "finite", "either" or "aliased"; None for those the time did not suffice for.  None in place of all where they are out of
    reach: sparse rows of very many features.  ``tell`` is told how many more are known.

    If these are some rows of many, ``filled`` says how many values of each column are not zero in all of them, and the answer is that
    of all rows if these span the others, and if the weights that are added to ``shown`` contradict none of the others."""
    if is_wide(pairs):
        return None
    limits = np.full((pairs.n_rivals, pairs.n_features), None)
    with suppress(OutOfTime):
        kept = columns_not_aliased(pairs, clock, filled)
        limits[:, np.setdiff1d(np.arange(pairs.n_features), kept)] = "aliased"
        tell(int(np.count_nonzero(limits == "aliased")))
        if kind == "overlap" or kept.size == 0:
            limits[:, kept] = "finite"
            tell(pairs.n_rivals * kept.size)
            return limits
        reduced = Pairs(pairs.X[:, kept], pairs.target, pairs.n_rivals + 1, pairs.fit_intercept)
        finding = decide(reduced, clock)
        if finding.boundary is None or finding.direction is None:
            return limits
        cone = _Cone(Face(reduced, np.array(finding.basis, dtype=np.intp), clock.tick), finding.direction, clock)
        try:
            for k in range(pairs.n_rivals):
                for place, column in enumerate(kept[reduced.columns].tolist()):
                    clock.tick()
                    limits[k, column] = cone.limit(k * reduced.width + place)
                    tell(1)
        finally:
            if shown is not None:
                small = (to_user(reduced, Direction.of_whole(weights)) for weights in cone.seen + cone.seen_without)
                shown.extend(lifted(weights, kept, pairs.n_features) for weights in small)
    return limits


class _Cone:
    """The directions without a negative lead: a face, and some directions inside it that lead on all other pairs."""

    def __init__(self, face: Face, direction: Direction, clock: Clock) -> None:
        self.face, self.clock, self.seen = face, clock, [direction.exactly()[0]]
        self.seen_without: list[list[int]] = []  # likewise, but that a weight of the first was left out
        self.work = some_pairs(face.pairs, clock)

    def limit(self, place: int) -> str:
        """What becomes of one coefficient; directions found on the way are kept."""
        unit = [int(j == place) for j in range(self.face.pairs.dim)]
        if self.face.dim == 0 or not any(self.face.product(unit)):
            return "finite"
        signs = {(direction[place] > 0) - (direction[place] < 0) for direction in self.seen}
        if 0 in signs or len(signs) == 2 or self._without(place):  # such directions may be moved a little, either way
            return "either"
        sign = signs.pop()
        found = gordan(Search(self.face, self.work, self.clock, extra=[-sign * number for number in unit]))
        if isinstance(found, Direction):
            self.seen.append(found.exactly()[0])
            return "either"
        return "+inf" if sign > 0 else "-inf"

    def _without(self, place: int) -> bool:
        """Whether the first direction, if it leads on all pairs, surely still does without this weight."""
        if self.face.basis.size:
            return False
        weights = list(self.seen[0])
        weights[place] = 0
        if not any(weights):
            return False
        leads, bound = self.face.pairs.leads(Direction.of_whole(weights))
        if leads.min() <= bound:
            return False
        self.seen_without.append(weights)
        return True


def columns_not_aliased(pairs: Pairs, clock: Clock, filled: np.ndarray | None = None) -> np.ndarray:
    """The columns whose coefficients are determined, exactly: none is a combination of the intercept and of kept columns with
    fewer values that are not zero.

    Independent rows that span all of them say as much as all.  Their first independent columns modulo a prime, in that order,
    are independent; every other column is solved for in those, and must need none that come after it.
    """
    plain, basis = spanning_rows(pairs, clock.tick)
    if basis.size in (0, plain.dim):
        return plain.columns[: basis.size]
    rows, used = plain.whole_vectors(basis), plain.columns.size
    filled = filled_in(plain.X) if filled is None else filled
    filled = filled[plain.columns]
    order = np.array([*range(used, plain.width), *np.argsort(filled, kind="stable")])
    chosen = np.sort(independent_rows(rows[:, order].T))
    while True:
        missed = _first_missed(rows[:, order], chosen, clock)
        if missed is None:
            break
        chosen = _exchanged(rows[:, order], chosen, missed)
    places = order[chosen]
    return plain.columns[np.sort(places[places < used])]


def filled_in(X: Any) -> np.ndarray:
    """How many values of every column are not zero."""
    return np.asarray((X != 0).sum(axis=0)).ravel()


def _first_missed(rows: np.ndarray, chosen: np.ndarray, clock: Clock) -> int | None:
    """The first column that needs chosen columns behind it; None if there is none."""
    others = np.setdiff1d(np.arange(chosen[-1]), chosen)
    step = max(1, AT_ONCE // len(chosen) ** 2)
    for start in range(0, others.size, step):
        clock.tick()
        some = others[start : start + step]
        shares, _ = solve(rows[:, chosen], rows[:, some], clock.tick)
        behind = (shares != 0) & (chosen[:, None] > some)
        if behind.any():
            return int(some[np.argmax(behind.any(axis=0))])
    return None


def _exchanged(rows: np.ndarray, chosen: np.ndarray, missed: int) -> np.ndarray:
    """A missed column in place of the last chosen one that it needs."""
    shares, _ = solve(rows[:, chosen], rows[:, [missed]])
    last = int(np.flatnonzero(shares[:, 0] != 0)[-1])
    return np.sort(np.append(np.delete(chosen, last), missed))
