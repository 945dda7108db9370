"""Gordan's alternative, proved exactly: either some direction leads on every pair, or a relation says there is none.

    either  a_i.w > 0 for all i          or  sum_i lambda_i a_i = 0,  lambda >= 0, not all zero      (P. Gordan 1873)

A few pairs at a time are solved for (constraint generation): the nearest point to the origin of their convex hull is a
candidate, one product with all rows shows where it fails, and the worst of those pairs join.  Floats look for the answer;
nothing is believed before exact arithmetic has confirmed it, and where floats get stuck, the same algorithm goes on in exact
arithmetic.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...system.clock import Clock
from ...system.rounding_error import TINY
from ..arithmetic.exact import LARGE, nearest_floats, relation
from ..check.verified import NearlyOrthonormal
from ..problem.faces import Face, largest_sizes
from ..problem.pairs import Direction, Pairs
from .nearest_point import ExactRows, exact_nearest_point, nearest_point
from .perceptron_guess import learned_direction
from .squared_hinge import least_squared_hinge

log = logging.getLogger(__name__)

SHARE = 0.5  # of the largest margin is good enough to look at all rows again
FIRST, FIRST_TIMES = 300, 4  # pairs to begin with, or times the dimension
MORE, MORE_TIMES = 100, 1  # pairs that join in a round, likewise
MOST_NUMBERS = 20_000_000  # of vectors that begin together
CANDIDATES = 20  # times as many are compared by their distance rather than their lead
# seconds an exact system of linear equations takes, about, times the cube of its size, if it is not large
SOLVING = 1e-7
BYTES_A_NUMBER = 300  # that an exact system holds of a whole number, its copies and its digits, about
BYTES_A_ZERO = 24  # of a place where it has none: its copies
MANY = 200  # dimensions, from which on a perceptron says where to begin
PASSES, PART = 20, 0.25  # of that perceptron: passes, and part of the time left
EXTRA = -1  # the extra vector's number in the working set
FEW_TIMES = 4  # times the dimension: of no more pairs the least squared hinge loss is looked for first
HINGE_WORK = 3 * 10**9  # multiplications of one of its steps, at most


class OverlapInFloats(Exception):
    """Overlap was proved in floating point: nothing more is to be found."""


@dataclass(frozen=True)
class Circuit:
    """sum_i positive[i] a_i + sum_j basis[j] a_j = 0, the first weights positive, the second on the face's basis; up to a
    factor the only such relation of these pairs."""

    positive: dict[int, int]
    basis: dict[int, int]


def some_pairs(pairs: Pairs, clock: Clock) -> np.ndarray:
    """A working set to begin with: any pairs, or in many dimensions, where every solution is dear, those that a perceptron
    finds hardest."""
    count = max(FIRST, min(FIRST_TIMES * pairs.dim, MOST_NUMBERS // max(1, pairs.dim)))
    if pairs.count <= count:
        return np.arange(pairs.count)
    learned = None
    if pairs.dim >= MANY:
        rows = np.arange(pairs.n_rows)
        learned = learned_direction(pairs, rows, average=True, passes=PASSES, time_limit=clock.part(PART))
    if learned is not None:
        return np.sort(np.argpartition(pairs.leads(learned)[0], count)[:count])
    return np.sort(np.random.default_rng(0).choice(pairs.count, count, replace=False))


def exact_bytes(pairs: Pairs, count: int) -> int:
    """About what an exact system of the vectors of so many pairs holds."""
    return count * (BYTES_A_NUMBER * min(pairs.dim, 2 * pairs.width) + BYTES_A_ZERO * pairs.dim)


def gordan(search: Search) -> Direction | Circuit | None:
    """A direction of the search's face that leads on all pairs but those that are zero in the face, or a circuit; None if
    all pairs are zero in the face.  The working set grows on the way."""
    while True:
        found = search.solve()
        if isinstance(found, Circuit):
            return found
        missed = search.outside() if found is None else search.missed(found)
        if missed.size == 0 and (found is None or search.leads_on_extra(found)):
            return found
        if not search.join(missed):  # rounding: the pairs are there already
            if search.exactly:
                raise ArithmeticError("exact arithmetic made no progress")
            search.exactly = True


class Search:
    """The alternative in one face, for a working set of pairs.

    ``extra`` is one more vector that a direction must have a positive product with.  ``violation`` is the smallest distance by
    which directions so far missed the row they miss most.  ``quick``: overlap may be proved in floating point, which ends the search.
    """

    def __init__(
        self, face: Face, work: np.ndarray, clock: Clock, extra: list[int] | None = None, quick: bool = False
    ) -> None:
        self.face, self.clock, self.extra = face, clock, extra
        self.quick = quick and face.basis.size == 0 and extra is None
        self.exactly, self.violation = False, np.inf
        self.inside = np.zeros(face.pairs.count, dtype=bool)
        self.work = np.empty(0, dtype=np.intp)
        self.A = np.empty((0, face.dim))
        self.corral: list[int] = []
        self.weights = np.empty(0)
        if extra is not None:
            self.work = np.array([EXTRA])
            self.A = nearest_floats(face.product(extra))[None, :]
        self.join(work)

    def join(self, pairs: np.ndarray) -> bool:
        """Let pairs join the working set, those that are zero in the face left out; False if none is new."""
        new = pairs[~self.inside[pairs]]
        vectors = self.face.vectors(new)
        largest = largest_sizes(vectors)
        some = largest > 0
        if not some.all():
            new, vectors, largest = new[some], vectors[some], largest[some]
        self.inside[new] = True
        self.work = np.append(self.work, new)
        np.ldexp(vectors, -np.frexp(largest)[1][:, None], out=vectors)
        self.A = np.vstack([self.A, vectors]) if len(self.A) else vectors
        return new.size > 0

    def solve(self) -> Direction | Circuit | None:
        """A direction that leads on the working set, or a circuit of it, confirmed; None if the working set is empty."""
        while self.work.size:
            found = self._solve_exactly() if self.exactly else self._solve_in_floats()
            if isinstance(found, Circuit) and len(found.positive) == 1 and self.face.basis.size:
                self._drop(next(iter(found.positive)))  # a pair that is zero in the face, which floats did not see
            elif found is None:
                log.info(
                    "floats cannot tell: exact arithmetic on %d pairs, %d dimensions", self.work.size, self.face.dim
                )
                self.exactly = True
            else:
                return found
        return None

    def _drop(self, pair: int) -> None:
        left = self.work != pair
        self.work, self.A = self.work[left], self.A[left]
        self.corral, self.weights = [], np.empty(0)

    def _solve_in_floats(self) -> Direction | Circuit | None:
        if self.work.size <= FEW_TIMES * self.face.dim:
            self.prove_in_floats([])
        found = nearest_point(self.A, SHARE, self.corral, self.weights, self.clock.tick)
        self.corral, self.weights = found.corral, found.weights
        if found.ended == "apart":
            return self.face.direction(found.x)
        self.prove_in_floats(found.corral)
        return self._confirm(np.array(found.corral, dtype=np.intp))

    def prove_in_floats(self, corral: list[int]) -> None:
        """Raise ``OverlapInFloats`` if floats prove that the working set overlaps: by a corral with its weights, or by the least squared
        hinge loss, which has weights on many more rows.  Looked for once."""
        if not self.quick:
            return
        self.clock.tick()
        if len(corral) > self.face.dim and NearlyOrthonormal(self.A[corral]).overlap(
            np.ones(len(corral)), self.weights
        ):
            raise OverlapInFloats
        self.quick = False
        if self.A.size * self.face.dim <= HINGE_WORK:
            frame, ones = NearlyOrthonormal(self.A), np.ones(len(self.A))
            if frame.regular:
                how, scores = least_squared_hinge(frame, ones)
                if how == "overlap" and frame.overlap(ones, np.maximum(1 - scores, 0.0)):
                    raise OverlapInFloats

    def _solve_exactly(self) -> Direction | Circuit:
        self.clock.allow(SOLVING * min(len(self.corral), LARGE) ** 3, exact_bytes(self.face.pairs, self.work.size))
        whole = self.face.whole_vectors(self.work[self.work != EXTRA])
        if self.extra is not None:
            whole = np.vstack([np.array(self.face.product(self.extra), dtype=object), whole])
        bits = np.array([max(abs(int(number)) for number in row).bit_length() for row in whole])
        whole = whole.astype(object) << (bits.max() - bits)[:, None].astype(object)
        found = exact_nearest_point(ExactRows(whole), self.corral, self.weights, self.clock.tick)
        self.corral = found.corral
        self.weights = np.array([float(weight) for weight in found.weights])
        if any(found.x):
            return self.face.direction(found.x)
        circuit = self._confirm(np.array(found.corral, dtype=np.intp))
        if circuit is None:
            raise ArithmeticError("a relation found in exact arithmetic was not confirmed")
        return circuit

    def _confirm(self, corral: np.ndarray) -> Circuit | None:
        """The circuit of these places of the working set, solved for exactly, if there is one."""
        pairs, basis = self.face.pairs, self.face.basis
        count = corral.size + basis.size
        self.clock.allow(SOLVING * min(count, LARGE) ** 3, exact_bytes(pairs, count))
        which = np.append(self.work[corral], basis)
        whole, floats = pairs.whole_vectors(which[which != EXTRA]), pairs.vectors(which[which != EXTRA])
        for place in np.flatnonzero(which == EXTRA):
            extra = self.extra or []
            whole = np.insert(whole.astype(object), place, np.array(extra, dtype=object), axis=0)
            floats = np.insert(floats, place, nearest_floats(extra), axis=0)
        weights = relation(whole, floats, corral.size, only_one=self.exactly, tick=self.clock.tick)
        if weights is None:
            return None
        positive = dict(zip(which[: corral.size].tolist(), weights, strict=False))
        rest = dict(zip(basis.tolist(), weights[corral.size :], strict=True))
        return Circuit({pair: w for pair, w in positive.items() if w}, {pair: w for pair, w in rest.items() if w})

    def leads_on_extra(self, direction: Direction) -> bool:
        """Whether the product with the extra vector, if there is one, is positive, exactly."""
        if self.extra is None:
            return True
        return sum(a * b for a, b in zip(self.extra, direction.exactly()[0], strict=True)) > 0

    def missed(self, direction: Direction) -> np.ndarray:
        """Pairs that the direction does not lead on though they are not zero in the face, the worst of them if they are
        many; empty only if exactly so."""
        pairs = self.face.pairs
        self.clock.tick()
        leads, bound = pairs.leads(direction)
        missed = np.flatnonzero(leads < -bound)
        if missed.size == 0:
            unsure = np.flatnonzero(leads <= bound)
            began = self.clock.seconds
            signs = pairs.exact_signs(unsure, direction, self.clock.tick)
            zero = unsure[signs == 0]
            outside = zero[self.face.outside(zero)]
            self.clock.reserved = self.clock.seconds - began  # the proof's check takes about as long
            return np.append(unsure[signs < 0], outside)
        log.info("%d of %d pairs missed, %d in work", missed.size, pairs.count, self.work.size)
        length, exponent = pairs.length(direction)
        if length > 0:
            with np.errstate(over="ignore", under="ignore"):
                violation = float(np.ldexp(-leads[missed].min() / length, -exponent))
            self.violation = min(self.violation, violation)
        count = max(MORE, min(MORE_TIMES * self.face.dim, MOST_NUMBERS // max(1, self.face.dim) // 4))
        return most_missed(missed, leads, count, self.face.norms)[0]

    def outside(self) -> np.ndarray:
        """Some pairs that are not zero in the face; empty only if there are none."""
        return np.flatnonzero(self.face.outside())[:FIRST]


def most_missed(
    missed: np.ndarray, leads: np.ndarray, count: int, norms: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """So many of these pairs, whose vectors have these norms, that a direction with these leads misses by the largest distance; and the
    distances, about: positive where it does lead."""
    if missed.size > CANDIDATES * count:
        missed = missed[np.argpartition(leads[missed], CANDIDATES * count)[: CANDIDATES * count]]
    distances = leads[missed] / np.maximum(norms(missed), TINY)
    if missed.size > count:
        nearest = np.argpartition(distances, count)[:count]
        missed, distances = missed[nearest], distances[nearest]
    return missed, distances
