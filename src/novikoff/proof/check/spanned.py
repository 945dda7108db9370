"""Which pairs a witness of several classes spans, found a few classes at a time.

A pair's vector is z in the block of its own class and -z in its rival's.  If the vectors between two classes have the rank of
all rows (x, 1), they span every pair of the two, and as far as other pairs are concerned the two are one class.  So classes
become sets, and sets larger ones, as long as the vectors between two of them suffice.  What then still hangs together is
looked at as a whole: the vectors of k sets span every pair of theirs if their rank is k - 1 times that of all rows.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ...system.clock import never
from ..arithmetic.exact import independent_rows
from ..problem.faces import spanning_rows
from ..problem.pairs import Pairs


def surely_spanned(pairs: Pairs, support: np.ndarray, which: np.ndarray) -> np.ndarray:
    """For every one of these pairs whether its classes are among those that the vectors of the support span altogether; a
    pair that is not may yet be spanned."""
    sets = _Sets(pairs, support)
    while sets.join_two():
        pass
    sets.join_what_hangs_together()
    rows, rivals = pairs.rows_and_rivals(which)
    return sets.number[pairs.target[rows]] == sets.number[rivals]


class _Sets:
    """The set of every class, and the vectors between sets."""

    def __init__(self, pairs: Pairs, support: np.ndarray) -> None:
        self.pairs = pairs
        self.rows, self.rivals = pairs.rows_and_rivals(support)
        self.number = np.arange(pairs.n_rivals + 1)

    def join_two(self) -> bool:
        """Make one set of every two between which the vectors suffice; whether there were any."""
        ends = self._ends()
        lines, line = np.unique(ends, axis=0, return_inverse=True)
        places = np.split(np.argsort(line.ravel(), kind="stable"), np.cumsum(np.bincount(line.ravel()))[:-1])
        good = [k for k, some in enumerate(places) if self._suffice(some, 2)] if len(lines) else []
        self._join(lines[good])
        return bool(good)

    def join_what_hangs_together(self) -> None:
        ends = self._ends()
        together = self._together(ends)[ends[:, 0]]
        for part in np.unique(together):
            some = np.flatnonzero(together == part)
            if self._suffice(some, np.unique(ends[some]).size):
                self._join(ends[some])

    def _ends(self) -> np.ndarray:
        """The two sets of every pair of the support; pairs within a set are done with."""
        ends = np.sort(self.number[np.column_stack([self.pairs.target[self.rows], self.rivals])], axis=1)
        across = ends[:, 0] != ends[:, 1]
        self.rows, self.rivals = self.rows[across], self.rivals[across]
        return ends[across]

    def _join(self, lines: np.ndarray) -> None:
        self.number = self._together(lines)[self.number]

    def _together(self, lines: np.ndarray) -> np.ndarray:
        """For every set the number of what it is in, if these lines join sets."""
        count = self.number.size
        graph = sparse.coo_array((np.ones(len(lines)), (lines[:, 0], lines[:, 1])), shape=(count, count))
        return connected_components(graph, directed=False)[1]

    def _suffice(self, some: np.ndarray, n_sets: int) -> bool:
        """Whether these pairs of the support span all pairs of their sets."""
        if some.size < n_sets - 1:
            return False
        rank = self._independent(some)
        return rank == (n_sets - 1) * self.pairs.width or rank == (n_sets - 1) * self._rank

    def _independent(self, some: np.ndarray) -> int:
        """How many of their vectors are independent, surely, if every set is one class."""
        rows, rivals = self.rows[some], self.number[self.rivals[some]]
        own = self.number[self.pairs.target[rows]]
        names = np.unique(np.append(own, rivals))
        few, places = np.unique(rows, return_inverse=True)
        target = np.searchsorted(names, self.number[self.pairs.target[few]])
        part = Pairs(self.pairs.X[few], target, names.size, self.pairs.fit_intercept)
        return independent_rows(part.whole_vectors(part.pair(places, np.searchsorted(names, rivals)))).size

    @cached_property
    def _rank(self) -> int:
        return int(spanning_rows(self.pairs, never)[1].size)
