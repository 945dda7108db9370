"""Joined classes as one class, and what is found of those as something of all classes.

Classes that groups joined have the same scores in every direction that matters (``class_groups``), so that one class may stand for
each set of them.  Its direction is one of all classes as it is.  Its relation is not: sum_i m_i z_i (own - rival) is zero set
by set, but not class by class.  What is left in the classes of a set is a combination of the pairs of the groups that joined
it, of any signs, and the positive relation of those makes room for it (``add_up``).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import lcm

import numpy as np

from ..arithmetic.exact import nearest_floats, regular_columns, solve
from ..problem.coordinates import of_each_class, to_moved, to_user
from ..problem.faces import add_up
from ..problem.pairs import Direction, Pairs
from .class_groups import Group, Groups
from .finding import Finding


class Merged:
    """The problem in which the sets of joined classes are the classes."""

    def __init__(self, whole: Pairs, groups: Groups, tick: Callable[[], None]) -> None:
        self.whole, self.made, self.tick = whole, groups.made, tick
        self.firsts, self.number = np.unique(groups.joined, return_inverse=True)
        target = self.number[whole.target]
        self.pairs = Pairs(whole.X, target, self.firsts.size, whole.fit_intercept)

    def lift(self, small: Finding, finding: Finding) -> None:
        """Add what was found of the sets to what groups found of their classes."""
        finding.violation = small.violation
        finding.circuit = finding.circuit or self._relation(small.circuit, finding)
        if small.relation:
            finding.relation = self._relation(small.relation, finding)
            finding.basis += self._pairs(list(small.basis)).tolist()
        if small.direction is not None:
            finding.direction = self._direction(small.direction)
        self.tick()
        if small.boundary is not None:
            rows, rivals = self.whole.rows_and_rivals(np.arange(self.whole.count))
            own, rival = self.pairs.target[rows], self.number[rivals]
            finding.boundary = own == rival
            across = np.flatnonzero(own != rival)
            finding.boundary[across] = small.boundary[self.pairs.pair(rows[across], rival[across])]

    def _direction(self, direction: Direction) -> Direction:
        return to_moved(self.whole, of_each_class(to_user(self.pairs, direction), self.number))

    def _pairs(self, which: list[int]) -> np.ndarray:
        """Pairs of a row and a set as pairs of the row and the first class of the set."""
        rows, rivals = self.pairs.rows_and_rivals(np.array(which, dtype=np.intp))
        return self.whole.pair(rows, self.firsts[rivals])

    def _relation(self, relation: dict[int, int], finding: Finding) -> dict[int, int]:
        """A relation of the sets as one of all classes, added to that of the groups."""
        if not relation:
            return {}
        lifted = dict(zip(self._pairs(list(relation)).tolist(), relation.values(), strict=True))
        shares = self._what_is_left(lifted)
        unit = lcm(*(share.denominator for share in shares.values()))
        more = {pair: unit * weight for pair, weight in lifted.items()}
        self.tick()
        rest = {pair: share.numerator * (unit // share.denominator) for pair, share in shares.items() if share}
        self.tick()
        return add_up(finding.relation, more, rest)

    def _what_is_left(self, lifted: dict[int, int]) -> dict[int, Fraction]:
        """Weights of the groups' pairs that make up for what a relation leaves in the classes of every set.

        The group that was made last is all that holds the sets together that it joined: it takes what each of them has
        too much in all.  Then each is without, and the groups before it do the same within.
        """
        whole = self.whole
        which = np.array([*lifted, *(pair for group in self.made for pair in group.basis)], dtype=np.intp)
        rows, rivals = whole.rows_and_rivals(which)
        z = whole.whole_rows(rows)
        count, width = len(lifted), z.shape[1]
        left = np.zeros((whole.n_rivals + 1, width), dtype=object)
        weights = np.array(list(lifted.values()), dtype=object)[:, None]
        np.add.at(left, whole.target[rows[:count]], weights * z[:count])
        np.subtract.at(left, rivals[:count], weights * z[:count])
        shares: dict[int, Fraction] = {}
        end = len(which)
        for group in reversed(self.made):
            self.tick()
            part = slice(end - len(group.basis), end)
            end = part.start
            parts = _shares(group, z[part], whole.target[rows[part]], rivals[part], left)
            shares |= dict(zip(group.basis, parts, strict=True))
        return shares


def _shares(group: Group, z: np.ndarray, own: np.ndarray, rivals: np.ndarray, left: np.ndarray) -> list[Fraction]:
    """Weights of a group's independent pairs that take away what each of its sets has too much in all; ``left`` is put
    right."""
    totals = np.array([left[classes].sum(axis=0) for classes in group.sets[1:]])
    places, width = group.classes[1:], z.shape[1]
    vectors = np.zeros((len(z), places.size, width), dtype=object)
    for classes, sign in ((own, 1), (rivals, -1)):
        for place, name in enumerate(places.tolist()):
            some = classes == name
            vectors[some, place] += sign * z[some]
    rows = vectors.reshape(len(z), -1)
    columns = regular_columns(rows, np.array([nearest_floats(row) for row in rows.tolist()]))
    numerators, denominator = solve(rows[:, columns].T, -totals.reshape(-1, 1)[columns])
    left[group.classes[0]] += totals.sum(axis=0)
    left[places] -= totals
    return [Fraction(int(number), denominator) for number in numerators[:, 0]]
