"""Several classes, a few of them at a time.

The pairs of rows and rivals among some classes are pairs of all classes, too: a relation between them proves that nothing
separates all classes either.  If the few overlap, and their rows span the rows of all classes, then every direction without
a negative lead gives them the same scores on every row.  They are *joined*, and any one of them stands for the others.

Groups that join classes of different sets have independent relations, which add up to one.  Once every class is joined,
their sum spans the vectors of all pairs: overlap (Stiemke 1915), though nothing larger than a group was ever solved.

Two classes make the first groups, those that lie closest first; then four, eight and so on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ...system.clock import Clock
from ..problem.faces import spanning_rows
from ..problem.pairs import BLOCK, Pairs
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
        size = 2
        while self.firsts.size > 1 and (size == 2 or self._in_reach(size)):
            if not self._look_at(size, finding):
                size *= 2
        log.info("%d classes are in %d sets", self.joined.size, self.firsts.size)

    def _in_reach(self, size: int) -> bool:
        """Whether groups of so many classes are small, and are not all there is."""
        return (size - 1) * self.pairs.width <= MOST_DIM and size < self.joined.size

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
