"""What proves a verdict, and the check of it in exact arithmetic, without the solver.

complete        weights with a positive lead on every pair
not complete    a witness: positive numbers lambda and pairs with sum_i lambda_i a_i = 0 (the convex hulls meet); had any
                weights a positive lead on all of them, 0 = sum_i lambda_i a_i.w > 0
quasi-complete  a witness, and weights with no negative lead and at least one positive
overlap         a spanning witness: one whose vectors span those of all pairs; every w without a negative lead is zero on it,
                hence on all pairs (Stiemke 1915)
boundary        a spanning witness of the pairs on the boundary, and weights with a positive lead on all others

Which pairs a witness of several classes spans is found a few classes at a time.  A pair's vector is z in the block of its own class and -z in its rival's.  If the vectors between two classes have the rank of
all rows (x, 1), they span every pair of the two, and as far as other pairs are concerned the two are one class.  So classes
become sets, and sets larger ones, as long as the vectors between two of them suffice.  What then still hangs together is
looked at as a whole: the vectors of k sets span every pair of theirs if their rank is k - 1 times that of all rows.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any, TypeGuard

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ...report.html import notebook_view
from ...report.sections import NOTEBOOK, Section, Table, shortened
from ...system.clock import never
from ..arithmetic.exact import independent_rows
from ..problem.coordinates import Weights, to_moved
from ..problem.equal_rows import equal_rows
from ..problem.faces import Face, spanning_pairs, spanning_rows
from ..problem.pairs import Pairs


@dataclass(frozen=True)
class Witness:
    """Rows, for more than two classes the rival of each, and positive weights, with sum_i weights_i y_i (x_i, 1) = 0.

    For more than two classes, weights_i times the row is added to the scores of its own class and taken from its rival's,
    and what every class gets sums to zero.  Row numbers count from 0.
    """

    rows: np.ndarray
    rivals: np.ndarray | None
    weights: tuple[Fraction, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def _repr_html_(self) -> str:
        rivals = [] if self.rivals is None else [list(map(str, self.rivals))]
        columns = [map(str, self.rows.tolist()), *rivals, map(str, self.weights)]
        heads = ["row", *["rival"] * len(rivals), "weight"]
        table = Table(heads, [list(line) for line in zip(*columns, strict=True)], "l" * (1 + len(rivals)) + "r")
        more, table = shortened(table, NOTEBOOK.rows, "row")
        line = "With these weights the rows add up to zero, each with the sign of its class (of several: added to it, taken from the rival)."
        return notebook_view([Section("A witness", [line], [table], more)])


def make_witness(pairs: Pairs, classes: np.ndarray, relation: dict[int, int]) -> Witness:
    """A witness of pairs and whole weights, made as small as they can be."""
    common = gcd(*relation.values())
    return as_witness(pairs, classes, {pair: Fraction(weight // common) for pair, weight in relation.items()})


def as_witness(pairs: Pairs, classes: np.ndarray, weights: dict[int, Fraction]) -> Witness:
    """Rows, rivals and weights of pairs."""
    which = np.array(sorted(weights), dtype=np.intp)
    rows, rivals = pairs.rows_and_rivals(which)
    return Witness(
        rows, None if len(classes) == 2 else classes[rivals], tuple(weights[pair] for pair in which.tolist())
    )


def read_witness(pairs: Pairs, classes: np.ndarray, witness: Witness | None) -> dict[int, int] | None:
    """Pairs and positive whole weights of a witness; None unless it names pairs of these rows, each once."""
    if not is_well_formed(witness) or witness.rows.max() >= pairs.n_rows:
        return None
    if (witness.rivals is None) != (len(classes) == 2):
        return None
    own = pairs.target[witness.rows]
    rivals = 1 - own if witness.rivals is None else _places(classes, witness.rivals)
    if rivals is None or np.any(rivals == own):
        return None
    which = pairs.pair(witness.rows.astype(np.intp), rivals).tolist()
    denominator = lcm(*(weight.denominator for weight in witness.weights))
    relation = dict(zip(which, (int(weight * denominator) for weight in witness.weights), strict=True))
    return relation if len(relation) == len(which) else None


def is_well_formed(witness: Any) -> TypeGuard[Witness]:
    """Whether this is a witness: whole row numbers from 0 on, a positive fraction for each, and a rival for each or none."""
    if not isinstance(witness, Witness) or not isinstance(witness.weights, tuple):
        return False
    rows, rivals, weights = witness.rows, witness.rivals, witness.weights
    if not isinstance(rows, np.ndarray) or rows.dtype.kind not in "iu" or rows.shape != (len(weights),) or not weights:
        return False
    if rivals is not None and not (isinstance(rivals, np.ndarray) and rivals.shape == rows.shape):
        return False
    return rows.min() >= 0 and all(isinstance(weight, Fraction) and weight > 0 for weight in weights)


def _places(classes: np.ndarray, labels: np.ndarray) -> np.ndarray | None:
    """The place of every label in the classes; None where one is not among them."""
    if labels.dtype != classes.dtype:
        return None
    try:
        places = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    except TypeError:  # objects of kinds that have no order
        return None
    return places if np.array_equal(classes[places], labels) else None


CARRIES = {  # what a certificate of each kind consists of; anything else would be carried without a check
    "complete": {"weights"},
    "quasi-complete": {"weights", "witness", "spanning", "boundary"},
    "overlap": {"witness", "spanning"},
    None: {"witness"},
}


@dataclass(frozen=True)
class Certificate:
    """The claims: ``kind`` (None: undecided, or only "not complete" if there is a witness) and what proves them."""

    kind: str | None
    weights: Weights | None = None
    witness: Witness | None = None
    spanning: Witness | None = None
    boundary: np.ndarray | None = None  # a mask of rows

    def holds(self, pairs: Pairs, classes: np.ndarray) -> bool:
        """Whether everything claimed is true of these pairs, exactly, and nothing else is carried.  Where nothing is claimed,
        nothing holds."""
        if not self.carries_proof_only():
            return False
        if self.kind == "complete":
            return self._signs(pairs).min() > 0
        if not self._witness_holds(pairs, classes, self.witness):
            return False
        if self.kind == "overlap":
            return self._spans(pairs, classes, np.arange(pairs.count))
        return self.kind is None or self._quasi_complete(pairs, classes)

    def carries_proof_only(self) -> bool:
        """Whether there is nothing but what proves the kind that is claimed."""
        if not (self.kind is None or isinstance(self.kind, str)) or self.kind not in CARRIES:
            return False
        carried = {each.name for each in fields(self) if each.name != "kind" and getattr(self, each.name) is not None}
        return carried <= CARRIES[self.kind]

    def _quasi_complete(self, pairs: Pairs, classes: np.ndarray) -> bool:
        signs = self._signs(pairs)
        if signs.min() < 0 or signs.max() <= 0:
            return False
        if self.boundary is None:
            return self.spanning is None
        rows = np.any((signs == 0).reshape(pairs.n_rows, pairs.n_rivals), axis=1)
        mask = isinstance(self.boundary, np.ndarray) and self.boundary.dtype == bool
        return mask and np.array_equal(rows, self.boundary) and self._spans(pairs, classes, np.flatnonzero(signs == 0))

    def _witness_holds(self, pairs: Pairs, classes: np.ndarray, witness: Witness | None) -> bool:
        relation = read_witness(pairs, classes, witness)
        if relation is None:
            return False
        which = np.array(list(relation), dtype=np.intp)
        if pairs.sparse:
            pairs, which, _ = _in_fewer_columns(pairs, which, which[:0])
        return not pairs.combined(which, list(relation.values()))[0].any()

    def _signs(self, pairs: Pairs) -> np.ndarray:
        """The sign of every pair's lead; without weights of these rows, nothing leads."""
        if not isinstance(self.weights, Weights) or not self.weights.fit(pairs):
            return np.full(1, -1)
        return pairs.signs(to_moved(pairs, self.weights))

    def _spans(self, pairs: Pairs, classes: np.ndarray, which: np.ndarray) -> bool:
        """Whether the spanning witness is one, and spans the vectors of these pairs."""
        if self.spanning is None:
            return not Face(pairs, np.empty(0, dtype=np.intp)).outside(which).any()
        relation = read_witness(pairs, classes, self.spanning)
        if relation is None or not self._witness_holds(pairs, classes, self.spanning):
            return False
        support = np.array(list(relation), dtype=np.intp)
        if pairs.n_rivals > 1:
            which = which[~surely_spanned(pairs, support, which)]
            if which.size == 0:
                return True
        if pairs.sparse:
            pairs, support, which = _in_fewer_columns(pairs, support, which)
            which = _not_equal_to(pairs, support, which)
        basis = support[independent_rows(pairs.whole_vectors(support))]
        others = which[~np.isin(which, support)]
        if _is_spanned(pairs, basis, others):
            return True
        all_of_it = spanning_pairs(pairs, support, never)  # independent rows may be hidden modulo a prime
        return all_of_it.size > basis.size and _is_spanned(pairs, all_of_it, others)


def _is_spanned(pairs: Pairs, basis: np.ndarray, others: np.ndarray) -> bool:
    """Whether these independent pairs span the others, exactly."""
    return basis.size == pairs.dim or others.size == 0 or not Face(pairs, basis).outside(others).any()


def _in_fewer_columns(pairs: Pairs, support: np.ndarray, others: np.ndarray) -> tuple[Pairs, np.ndarray, np.ndarray]:
    """The same pairs in a problem that has only their rows and the columns of those."""
    rows = np.unique(np.append(support, others) // pairs.n_rivals)
    part, _ = pairs.part(rows)
    numbers = [
        np.searchsorted(rows, old // pairs.n_rivals) * pairs.n_rivals + old % pairs.n_rivals
        for old in (support, others)
    ]
    return part, *numbers


def _not_equal_to(pairs: Pairs, support: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Leave out, of two classes, rows that are equal to rows of the support: they are spanned."""
    if pairs.n_rivals > 1:
        return others
    numbers = equal_rows(pairs.X)
    return others if numbers is None else others[~np.isin(numbers[others], numbers[support])]


def surely_spanned(pairs: Pairs, support: np.ndarray, which: np.ndarray) -> np.ndarray:
    """For every one of these pairs whether its classes are among those that the vectors of the support span altogether; a
    pair that is not may yet be spanned."""
    sets = _ClassSets(pairs, support)
    while sets.join_two():
        pass
    sets.join_what_hangs_together()
    rows, rivals = pairs.rows_and_rivals(which)
    return sets.number[pairs.target[rows]] == sets.number[rivals]


class _ClassSets:
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
