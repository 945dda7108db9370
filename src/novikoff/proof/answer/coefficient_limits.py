"""What separation means for the coefficients of a logistic regression: that of every feature, and the intercept.

Where directions without a negative lead exist, the likelihood grows along them without end.  A coefficient whose weight is
zero in all of them has a finite estimate; one whose weight is never negative, and positive in some, goes to +infinity, and so
on.  (Albert and Anderson 1984; Konis 2007.)  Every answer is proved exactly: a weight that may have either sign by two
directions, one that may not by a relation (Farkas).

With overlap there is no such direction, and every coefficient is finite.  With complete separation the directions are an open
set, in which no weight is always zero: no coefficient is finite.

Of columns that are combinations of each other and the intercept, some are "aliased": their coefficients are not determined
by the data and are held at zero.  As in R's glm, the intercept comes first and columns are taken in order: one that is a combination
of those before it is aliased.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from ...system.clock import Clock, OutOfTime
from ..arithmetic.exact import independent_rows, solve, whole_numbers
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
    shown: list[Weights] | None = None,
    order: np.ndarray | None = None,
) -> np.ndarray | None:
    """What becomes of the coefficient of every class but the first and every feature, and of the intercept, if there is one, in the
    last column, shape (K-1, d) or (K-1, d+1): "+inf", "-inf", "finite", "either" or "aliased"; None for those the time did
    not suffice for.  None in place of all where they are out of reach: sparse rows of very many features.  ``tell`` is told how
    many more are known.  ``order``: the columns in the order in which they are taken; None, from left to right.

    If these are some rows of many, the answer is that of all rows if these span the others, and if the weights that are added to
    ``shown`` contradict none of the others."""
    if is_wide(pairs):
        return None
    limits = np.full((pairs.n_rivals, pairs.n_features + pairs.fit_intercept), None)
    with suppress(OutOfTime):
        kept = columns_not_aliased(pairs, clock, order)
        limits[:, np.setdiff1d(np.arange(pairs.n_features), kept)] = "aliased"
        tell(int(np.count_nonzero(limits == "aliased")))
        if kind == "overlap" or kept.size == 0:
            limits[limits != "aliased"] = "finite"
            tell(int(np.count_nonzero(limits == "finite")))
            return limits
        reduced = Pairs(pairs.X[:, kept], pairs.target, pairs.n_rivals + 1, pairs.fit_intercept)
        finding = decide(reduced, clock)
        if finding.boundary is None or finding.direction is None:
            return limits
        cone = _Cone(Face(reduced, np.array(finding.basis, dtype=np.intp), clock.tick), finding.direction, clock)
        columns = [*kept[reduced.columns].tolist(), *[pairs.n_features] * pairs.fit_intercept]
        try:
            for k in range(pairs.n_rivals):
                for place, column in enumerate(columns):
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
        numbers = self._coefficient(place)
        if self.face.dim == 0 or not any(self.face.product(numbers)):
            return "finite"
        values = [_product(numbers, direction) for direction in self.seen]
        signs = {(value > 0) - (value < 0) for value in values}
        if 0 in signs or len(signs) == 2 or self._without(place, numbers):  # these may be moved a little, either way
            return "either"
        sign = signs.pop()
        found = gordan(Search(self.face, self.work, self.clock, extra=[-sign * number for number in numbers]))
        if isinstance(found, Direction):
            self.seen.append(found.exactly()[0])
            return "either"
        return "+inf" if sign > 0 else "-inf"

    def _coefficient(self, place: int) -> list[int]:
        """Whole numbers whose product with a direction is the user's coefficient in this place, up to a positive factor: of a feature
        that is its weight; of the intercept b = v0 - w.centre, since columns are moved (``coordinates``)."""
        pairs, numbers = self.face.pairs, [0] * self.face.pairs.dim
        used = pairs.columns.size
        if place % pairs.width < used:
            numbers[place] = 1
            return numbers
        with_one = np.append(-pairs.centre[pairs.columns], 1.0)
        whole, _ = whole_numbers(with_one, np.append(pairs.shift[pairs.columns], 0))
        numbers[place - used : place + 1] = map(int, whole)
        return numbers

    def _without(self, place: int, numbers: list[int]) -> bool:
        """Whether the first direction, if it leads on all pairs, surely still does if its weight in this place is changed so that the
        coefficient is zero."""
        if self.face.basis.size:
            return False
        weights = [numbers[place] * weight for weight in self.seen[0]]
        weights[place] -= _product(numbers, self.seen[0])
        if not any(weights):
            return False
        leads, bound = self.face.pairs.leads(Direction.of_whole(weights))
        if leads.min() <= bound:
            return False
        self.seen_without.append(weights)
        return True


def _product(one: list[int], other: list[int]) -> int:
    return sum(a * b for a, b in zip(one, other, strict=True) if a)


def columns_not_aliased(pairs: Pairs, clock: Clock, order: np.ndarray | None = None) -> np.ndarray:
    """The columns whose coefficients are determined, exactly: none is a combination of the intercept and of columns that come before
    it in the order (None: from left to right).

    Independent rows that span all of them say as much as all.  Their first independent columns modulo a prime, in that order,
    are independent; every other column is solved for in those, and must need none that come after it.
    """
    plain, basis = spanning_rows(pairs, clock.tick)
    if basis.size in (0, plain.dim):
        return plain.columns[: basis.size]
    rows, used = plain.whole_vectors(basis), plain.columns.size
    ranks = np.arange(pairs.n_features) if order is None else np.argsort(order)
    places = np.array([*range(used, plain.width), *np.argsort(ranks[plain.columns])])
    chosen = np.sort(independent_rows(rows[:, places].T))
    while True:
        missed = _first_missed(rows[:, places], chosen, clock)
        if missed is None:
            break
        shares, _ = solve(rows[:, places[chosen]], rows[:, [places[missed]]])
        last = int(np.flatnonzero(shares[:, 0] != 0)[-1])  # whose place it takes
        chosen = np.sort(np.append(np.delete(chosen, last), missed))
    kept = places[chosen]
    return plain.columns[np.sort(kept[kept < used])]


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
