"""Several classes, a few of them at a time.

The pairs of rows and rivals among some classes are pairs of all classes, too: a relation between them proves that nothing
separates all classes either.  If the few overlap, and their rows span the rows of all classes, then every direction without
a negative lead gives them the same scores on every row.  They are *joined*, and any one of them stands for the others.

Groups that join classes of different sets have independent relations, which add up to one.  Once every class is joined,
their sum spans the vectors of all pairs: overlap (Stiemke 1915), though nothing larger than a group was ever solved.

Two classes make the first groups, those that lie closest first; then four, eight and so on.

Where groups joined some classes and not all, one class stands for each set of them (``Merged``).  Its direction is one of all classes as it is.  Its relation is not: sum_i m_i z_i (own - rival) is zero set
by set, but not class by class.  What is left in the classes of a set is a combination of the pairs of the groups that joined
it, of any signs, and the positive relation of those makes room for it (``add_up``).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ...system.clock import Clock
from ..arithmetic.exact import nearest_floats, regular_columns, solve
from ..problem.coordinates import of_each_class, to_moved, to_user
from ..problem.faces import add_up, spanning_rows
from ..problem.pairs import BLOCK, Direction, Pairs
from .finding import Finding
from .single_feature import single_feature

log = logging.getLogger(__name__)

FAILURES = 4  # groups of one size that are not joined before larger ones are tried; more, where they are small:
EFFORT = 10**8  # multiplications, about, that are spent on them in all
LEAST = 5 * 10**5  # multiplications that the smallest group counts as
MOST_DIM = 100  # of a group of more than two classes


class Group(NamedTuple):
    """Classes that overlap, the sets that they were in before, and independent pairs that span all of theirs."""

    classes: np.ndarray
    sets: list[np.ndarray]
    basis: list[int]


class Groups:
    """Which classes are joined: ``joined`` has the first class of the set that every class is in.

    ``solve`` decides on the pairs of a few classes.
    """

    def __init__(self, pairs: Pairs, clock: Clock, solve: Callable[[Pairs, Clock], Finding]) -> None:
        self.pairs, self.clock, self.solve = pairs, clock, solve
        self.joined = np.arange(pairs.n_rivals + 1)
        self.made: list[Group] = []
        self._present = np.unique(pairs.target)  # a part of a stream may lack some classes

    @property
    def firsts(self) -> np.ndarray:
        """The first class of every set."""
        return np.unique(self.joined)

    def look(self, finding: Finding) -> None:
        """Solve groups, and add what is found of them to what is known of all classes."""
        size, most = 2, min(MOST_DIM // self.pairs.width + 1, self.joined.size - 1)
        while self.firsts.size > 1 and (size == 2 or size <= most):
            if not self._look_at(size, finding):
                size *= 2
        log.info("%d classes are in %d sets", self.joined.size, self.firsts.size)

    def _look_at(self, size: int, finding: Finding) -> bool:
        """Solve groups of one size; whether larger sets were made of some."""
        failures, effort, before = 0, 0, self.firsts.size
        for group in self._closest_two() if size == 2 else self._closest(size):
            if np.unique(self.joined[group]).size < group.size:
                continue
            self.clock.tick()
            rows = np.flatnonzero(np.isin(self.pairs.target, group))
            if not self._join(np.sort(group), rows, finding):
                failures += 1
                effort += max(rows.size * (group.size - 1) ** 3 * self.pairs.width**2, LEAST)
            if finding.circuit and failures == 1:
                finding.direction = finding.direction or single_feature(self.pairs)
            if effort > EFFORT and (failures >= FAILURES or finding.direction is not None):
                break
        return size > 2 and self.firsts.size < before

    def _closest_two(self) -> Iterator[np.ndarray]:
        first, second = (self._present[places] for places in np.triu_indices(self._present.size, 1))
        for place in np.argsort(self._distances[first, second], kind="stable"):
            yield np.array([first[place], second[place]])

    def _closest(self, size: int) -> Iterator[np.ndarray]:
        """The first class of a set, and those of the sets that are closest to it."""
        firsts = np.intersect1d(self.firsts, self._present)
        for each in firsts:
            yield firsts[np.argsort(self._distances[each, firsts], kind="stable")[:size]]

    def _join(self, group: np.ndarray, rows: np.ndarray, finding: Finding) -> bool:
        """Solve a group of classes, which have these rows; whether they are joined now."""
        pairs = self.pairs
        part = Pairs(pairs.X[rows], np.searchsorted(group, pairs.target[rows]), group.size, pairs.fit_intercept)
        small = self.solve(part, self.clock)
        names = _Names(pairs, part, rows, group)
        finding.circuit = finding.circuit or names.of_relation(small.circuit)
        if small.boundary is None or not small.boundary.all() or not self._spans(len(small.basis), group.size):
            return False
        finding.relation |= names.of_relation(small.relation)
        finding.basis += names.of(small.basis)
        sets = self.joined[group]
        members = [np.flatnonzero(self.joined == each) for each in sets]
        self.made.append(Group(group, members, names.of(small.basis)))
        self.joined[np.isin(self.joined, sets)] = sets.min()
        return True

    def _spans(self, independent: int, size: int) -> bool:
        """Whether so many independent vectors of so many classes are all that the rows of all classes would have."""
        return independent == (size - 1) * self.pairs.width or independent == (size - 1) * self._rank

    @cached_property
    def _rank(self) -> int:
        return int(spanning_rows(self.pairs, self.clock.tick)[1].size)

    @cached_property
    def _distances(self) -> np.ndarray:
        """How far apart every two classes are: the squared distance of their means by how far their rows spread."""
        means, spread = self._means_and_spread()
        squares = np.einsum("ij,ij->i", means, means)
        apart = np.maximum(squares[:, None] + squares - 2 * means @ means.T, 0.0)
        return apart / (spread[:, None] + spread + (spread.mean() or 1.0))

    def _means_and_spread(self) -> tuple[np.ndarray, np.ndarray]:
        pairs, n_classes = self.pairs, self.joined.size
        sums, squares = np.zeros((n_classes, pairs.n_features)), np.zeros(n_classes)
        step = max(1, BLOCK // max(1, pairs.n_features)) if not pairs.sparse else max(1, pairs.n_rows)
        for start in range(0, pairs.n_rows, step):
            self.clock.tick()
            part, target = pairs.moved(slice(start, start + step)), pairs.target[start : start + step]
            ones = (np.ones(target.size), (target, np.arange(target.size)))
            sums += sparse.csr_array(ones, shape=(n_classes, target.size)) @ part
            norms = np.asarray(part.multiply(part).sum(axis=1)) if pairs.sparse else np.einsum("ij,ij->i", part, part)
            np.add.at(squares, target, norms.ravel())
        counts = np.maximum(
            np.bincount(pairs.target, minlength=n_classes), 1
        )  # a part of a stream may lack some classes
        means = sums / counts[:, None]
        return means, np.maximum(squares / counts - np.einsum("ij,ij->i", means, means), 0.0)


class _Names:
    """The pairs of a group by their numbers among all pairs."""

    def __init__(self, pairs: Pairs, part: Pairs, rows: np.ndarray, group: np.ndarray) -> None:
        self.pairs, self.part, self.rows, self.group = pairs, part, rows, group

    def of(self, which: list[int]) -> list[int]:
        rows, rivals = self.part.rows_and_rivals(np.array(which, dtype=np.intp))
        return self.pairs.pair(self.rows[rows], self.group[rivals]).tolist()

    def of_relation(self, relation: dict[int, int]) -> dict[int, int]:
        return dict(zip(self.of(list(relation)), relation.values(), strict=True))


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
