"""Gordan's alternative, proved exactly: either some direction leads on every pair, or a relation says there is none.

    either  a_i.w > 0 for all i          or  sum_i lambda_i a_i = 0,  lambda >= 0, not all zero      (P. Gordan 1873)

A few pairs at a time are solved for (constraint generation): the nearest point to the origin of their convex hull is a
candidate, one product with all rows shows where it fails, and the worst of those pairs join.  Floats look for the answer;
nothing is believed before exact arithmetic has confirmed it, and where floats get stuck, the same algorithm goes on in exact
arithmetic.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np

from .clock import Clock
from .exact import nearest_floats, relation
from .faces import Face
from .nearest import ExactRows, exact_nearest_point, nearest_point
from .pairs import Direction

log = logging.getLogger(__name__)

SHARE = 0.5  # of the largest margin is good enough to look at all rows again
FIRST = 300  # pairs to begin with, and how many times the dimension at least
FIRST_TIMES = 4
MORE = 100  # pairs that join in a round, and how many times the dimension at least
MORE_TIMES = 1
EXTRA = -1  # the extra vector's number in the working set
CANDIDATES = 20  # times as many are compared by their distance rather than their lead


@dataclass(frozen=True)
class Circuit:
    """sum_i positive[i] a_i + sum_j basis[j] a_j = 0, the first weights positive, the second on the face's basis; up to a
    factor the only such relation of these pairs."""

    positive: dict[int, int]
    basis: dict[int, int]


def gordan(face: Face, wanted: np.ndarray, clock: Clock, extra: list[int] | None = None) -> Direction | Circuit:
    """A direction of the face that leads on every pair in the mask ``wanted``, or a circuit of such pairs.

    ``extra`` is one more vector that the direction must have a positive product with.
    """
    return _Search(face, wanted, clock, extra).run()


class _Search:
    def __init__(self, face: Face, wanted: np.ndarray, clock: Clock, extra: list[int] | None) -> None:
        self.face, self.wanted, self.clock, self.extra = face, wanted, clock, extra
        self.inside = ~wanted  # pairs that need not be looked at (again)
        self.work = np.empty(0, dtype=np.intp)
        self.A = np.empty((0, face.dim))
        self.corral: list[int] = []
        self.weights = np.empty(0)
        if extra is not None:
            self.work = np.array([EXTRA])
            self.A = nearest_floats(face.product(extra))[None, :]
        self._join(self._first(np.random.default_rng(0)))

    def run(self) -> Direction | Circuit:
        """Rounds in floats, then in exact arithmetic, until something is proved."""
        exactly = False
        while True:
            found = self._exact_candidate() if exactly else self._candidate()
            if isinstance(found, Circuit):
                return found
            missed = None if found is None else self._missed(found)
            if found is not None and missed is not None and missed.size == 0 and self._leads_on_extra(found):
                return found
            if missed is None or not self._join(missed):
                if exactly:
                    raise ArithmeticError("exact arithmetic made no progress")
                exactly = True
                log.info(
                    "floats cannot tell: exact arithmetic on %d pairs, %d dimensions", self.work.size, self.face.dim
                )

    def _first(self, generator: np.random.Generator) -> np.ndarray:
        """Some pairs to begin with."""
        candidates = np.flatnonzero(self.wanted)
        count = max(FIRST, FIRST_TIMES * self.face.dim)
        return candidates if candidates.size <= count else np.sort(generator.choice(candidates, count, replace=False))

    def _join(self, pairs: np.ndarray) -> bool:
        """Let pairs join the working set; False if all are there already."""
        new = pairs[~self.inside[pairs]]
        if new.size == 0:
            return False
        self.inside[new] = True
        vectors = self.face.vectors(new)
        bits = np.frexp(np.abs(vectors).max(axis=1))[1]
        self.work = np.append(self.work, new)
        self.A = np.vstack([self.A, np.ldexp(vectors, -bits[:, None])])
        return True

    def _candidate(self) -> Direction | Circuit | None:
        """The nearest point of the working set; a circuit if it proves to be the origin; None if floats cannot tell."""
        found = nearest_point(self.A, SHARE, self.corral, self.weights, self.clock.tick)
        self.corral, self.weights = found.corral, found.weights
        if found.ended == "apart":
            return self.face.direction(found.x)
        return self._confirm(np.array(found.corral, dtype=np.intp))

    def _exact_candidate(self) -> Direction | Circuit | None:
        """The same in exact arithmetic."""
        whole = self.face.whole_vectors(self.work[self.work != EXTRA])
        if self.extra is not None:
            whole = np.vstack([np.array(self.face.product(self.extra), dtype=object), whole])
        bits = np.array([max(abs(number) for number in row).bit_length() for row in whole])
        whole = whole << (bits.max() - bits)[:, None].astype(object)
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
        self.clock.tick()
        pairs, basis = self.face.pairs, self.face.basis
        which = np.append(self.work[corral], basis)
        whole, floats = pairs.whole_vectors(which[which != EXTRA]), pairs.vectors(which[which != EXTRA])
        for place in np.flatnonzero(which == EXTRA):
            extra = self.extra or []
            whole = np.insert(whole, place, np.array(extra, dtype=object), axis=0)
            floats = np.insert(floats, place, nearest_floats(extra), axis=0)
        weights = relation(whole, floats, positive=corral.size)
        if weights is None:
            return None
        positive = dict(zip(which[: corral.size].tolist(), weights, strict=False))
        rest = dict(zip(basis.tolist(), weights[corral.size :], strict=True))
        return Circuit({pair: w for pair, w in positive.items() if w}, {pair: w for pair, w in rest.items() if w})

    def _leads_on_extra(self, direction: Direction) -> bool:
        """Whether the product with the extra vector, if there is one, is positive, exactly."""
        if self.extra is None:
            return True
        return sum(a * b for a, b in zip(self.extra, direction.exactly()[0], strict=True)) > 0

    def _missed(self, direction: Direction) -> np.ndarray:
        """Wanted pairs without a positive lead, the worst of them if they are many; empty only if exactly so."""
        leads, bound = self.face.pairs.leads(direction)
        missed = np.flatnonzero((leads < -bound) & self.wanted)
        if missed.size == 0:
            unsure = np.flatnonzero((leads <= bound) & self.wanted)
            return unsure[self.face.pairs.exact_signs(unsure, direction) <= 0] if unsure.size else unsure
        log.info("%d of %d pairs missed, %d in work", missed.size, self.wanted.size, self.work.size)
        length = self.face.pairs.length(direction)
        if length > 0:
            self.clock.violation = min(self.clock.violation, -float(leads[missed].min()) / length)
        count = max(MORE, MORE_TIMES * self.face.dim)
        if missed.size > CANDIDATES * count:
            missed = missed[np.argpartition(leads[missed], CANDIDATES * count)[: CANDIDATES * count]]
        if missed.size > count:
            norms = np.linalg.norm(self.face.vectors(missed), axis=1)
            missed = missed[np.argpartition(leads[missed] / norms, count)[:count]]
        return missed
