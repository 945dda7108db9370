"""The verdict and all that proves it.

By Tucker's theorem (1956) there are a direction w and a relation lambda >= 0, sum_i lambda_i a_i = 0, with exactly one of
a_i.w > 0 and lambda_i > 0 for every pair i.  The pairs with a_i.w > 0 are separated; the others lie on the boundary of every
direction that has no negative lead.  None on the boundary: complete separation.  All: overlap.  Else quasi-complete
(Albert and Anderson 1984).  The two are found by Gordan's alternative in ever smaller faces: each circuit adds to the
relation and takes at least one dimension away.
"""

from __future__ import annotations

import logging
from contextlib import suppress

import numpy as np

from ...system.clock import Clock, OutOfTime
from ..arithmetic.exact import LARGE
from ..problem.coordinates import Weights, to_user
from ..problem.equal_rows import opposite_twins
from ..problem.faces import Face, add_up, spanning_pairs
from ..problem.pairs import Direction, Pairs
from .class_groups import Groups, Merged
from .finding import Finding
from .gordan import MANY, SOLVING, Circuit, OverlapInFloats, Search, exact_bytes, gordan, some_pairs
from .perceptron_guess import learned_direction
from .single_feature import single_feature
from .wide_rows import Peeling, is_wide, lifted

log = logging.getLogger(__name__)

MOST_NUMBERS = 20_000_000  # of sparse rows, written out, that are still solved for
PASSES = 5000  # of a perceptron that may separate rows, at most
SPARSE_WORK = 3 * 10**9  # multiplications of one that may separate sparse rows, in all
WORK = 10**11  # multiplications of one that may separate several classes of many dimensions
PART = 0.5  # of the time left, for what need not succeed
MOST_TWINS = 100  # pairs with opposite vectors that join the first working set
CHECK = 0.5  # of the time that it took to join classes is kept for the check of the proof
REACH = 3000  # dimensions of several classes; beyond, exact systems of equations take hours


def decide(pairs: Pairs, clock: Clock, quick: bool = False) -> Finding:
    """Direction, relation and boundary, as far as the time allows; ``quick``: only that there is overlap, where floats prove it."""
    finding = Finding()
    try:
        if is_wide(pairs):
            _decide_wide(pairs, finding, clock)
        elif pairs.n_rivals > 1 and pairs.width:
            _decide_by_classes(pairs, finding, clock)
        else:
            _decide_by_faces(pairs, finding, clock, quick=quick)
    except OverlapInFloats:
        return Finding(boundary=np.ones(pairs.count, dtype=bool), in_floats=True)
    except OutOfTime:
        log.info("the time limit of %g s ended, or there was no room for %d bytes", clock.limit, clock.room.lacked)
    return finding


def _decide_by_classes(pairs: Pairs, finding: Finding, clock: Clock) -> None:
    """Several classes: a few of them at a time, then what is left of the question."""
    groups = Groups(pairs, clock.shared(PART), _decide_group)
    with suppress(OutOfTime):
        groups.look(finding)
    if groups.firsts.size == 1:
        clock.allow(CHECK * clock.seconds)
        finding.boundary = np.ones(pairs.count, dtype=bool)
        return
    if groups.made:
        merged = Merged(pairs, groups, clock.tick)
        small = decide(merged.pairs, clock)
        clock.reserved = CHECK * clock.seconds
        merged.lift(small, finding)
        return
    passes = WORK // (pairs.count * pairs.width)
    if not finding.circuit and pairs.dim >= MANY and _learn(pairs, finding, passes, clock):
        return
    if finding.circuit and pairs.dim > REACH:
        log.info("%d dimensions: the kind is out of reach", pairs.dim)
        return
    _decide_by_faces(pairs, finding, clock)


def _decide_group(pairs: Pairs, clock: Clock) -> Finding:
    """Whether a few classes overlap, and a relation of theirs."""
    finding = Finding()
    with suppress(OutOfTime):
        if is_wide(pairs):
            _decide_wide(pairs, finding, clock)
        else:
            _decide_by_faces(pairs, finding, clock, only_overlap=True)
    return finding


def _decide_by_faces(
    pairs: Pairs, finding: Finding, clock: Clock, only_overlap: bool = False, quick: bool = False
) -> None:
    """Smaller and smaller faces, until one has a direction that leads on all pairs not zero in it; or, if it is to be known
    only whether there is overlap, until there cannot be."""
    first, second = opposite_twins(pairs)
    work = np.union1d(some_pairs(pairs, clock), np.append(first[:MOST_TWINS], second[:MOST_TWINS]))
    if first.size:
        finding.circuit = {int(first[0]): 1, int(second[0]): 1}
    if first.size and quick:
        Search(Face(pairs, first[:0]), work, clock, quick=True).prove_in_floats([])
    if first.size and _begin_with_twins(pairs, first, second, finding, clock):
        finding.boundary = np.ones(pairs.count, dtype=bool)
        return
    twins = len(finding.relation)
    found: Direction | Circuit | None = None
    while len(finding.basis) < pairs.dim:
        count = len(finding.basis)
        clock.allow(SOLVING * min(count, LARGE) ** 3, exact_bytes(pairs, count))
        search = Search(Face(pairs, np.array(finding.basis, dtype=np.intp), clock.tick), work, clock, quick=quick)
        try:
            found = gordan(search)
        finally:
            finding.violation = min(finding.violation, search.violation)
        if not isinstance(found, Circuit):
            break
        work = np.setdiff1d(search.work, list(found.positive))
        if finding.direction is None and len(finding.relation) == twins:  # the first: nothing separates all rows
            finding.direction = single_feature(pairs)
        finding.circuit = finding.circuit or found.positive
        if only_overlap and finding.direction is not None:
            return
        finding.relation = add_up(finding.relation, found.positive, found.basis)
        finding.basis += list(found.positive)[1:]
        log.info("a relation of %d pairs; %d dimensions left", len(found.positive), pairs.dim - len(finding.basis))
    if isinstance(found, Direction):
        finding.direction, finding.boundary = found, pairs.signs(found) == 0
    else:
        finding.direction, finding.boundary = None, np.ones(pairs.count, dtype=bool)
    if not finding.circuit and finding.boundary.any():
        finding.circuit = {int(np.argmax(finding.boundary)): 1}  # a vector that is zero


def _begin_with_twins(pairs: Pairs, first: np.ndarray, second: np.ndarray, finding: Finding, clock: Clock) -> bool:
    """Pairs with opposite vectors are relations seen at once.  Whether they are all there is."""
    basis = spanning_pairs(pairs, first, clock.tick)
    finding.basis = basis.tolist()
    finding.relation = dict.fromkeys([*finding.basis, *second[np.isin(first, basis)].tolist()], 1)
    return bool(np.unique(np.append(first, second)).size == pairs.count)


def _decide_wide(pairs: Pairs, finding: Finding, clock: Clock) -> None:
    """Sparse rows of very many features: a perceptron, or one-sided columns and what they leave."""
    first, second = opposite_twins(pairs)
    if first.size:
        finding.circuit = {int(first[0]): 1, int(second[0]): 1}
    elif _learn(pairs, finding, SPARSE_WORK // max(1, pairs.X.nnz * pairs.n_rivals), clock):
        return
    if pairs.n_rivals > 1:
        if not finding.circuit:
            Groups(pairs, clock.shared(PART), _decide_group).look(finding)
        if pairs.count * pairs.dim > MOST_NUMBERS:
            log.info("%d x %d numbers: out of reach", pairs.count, pairs.dim)
            return
        _decide_by_faces(pairs, finding, clock)
        return
    peeling = Peeling(pairs, clock)
    boundary = np.zeros(pairs.count, dtype=bool)
    start = Weights(np.zeros((1, pairs.n_features + 1)))
    if peeling.left.any():
        if peeling.rounds and finding.circuit:
            direction = peeling.direction(start)
            finding.direction = direction if pairs.signs(direction).min() >= 0 else None
        rows = np.flatnonzero(peeling.left)
        rest, columns = pairs.part(rows)
        if rest.n_rows * rest.width > MOST_NUMBERS:
            log.info("%d x %d numbers are left: out of reach", rest.n_rows, rest.width)
            return
        small = _decide_rest(rest, rows, finding, clock)
        boundary[rows] = small.boundary
        if small.direction is not None:
            start = lifted(to_user(rest, small.direction), columns, pairs.n_features)
    _claim(pairs, finding, peeling.direction(start), boundary)


def _decide_rest(rest: Pairs, rows: np.ndarray, finding: Finding, clock: Clock) -> Finding:
    """Decide on the rows that are left; what is found of them holds for all."""
    small = Finding()
    try:
        _decide_by_faces(rest, small, clock)
    finally:
        finding.circuit = finding.circuit or _renamed(small.circuit, rows)
        finding.relation = _renamed(small.relation, rows)
        finding.violation = small.violation
    return small


def _learn(pairs: Pairs, finding: Finding, passes: int, clock: Clock) -> bool:
    """Take the weights that a perceptron learns in these passes as the answer if they separate all rows; whether they do."""
    rows, passes = np.arange(pairs.n_rows), max(1, min(passes, PASSES))
    direction = learned_direction(pairs, rows, average=False, passes=passes, time_limit=clock.part(PART))
    return direction is not None and _claim(pairs, finding, direction, np.zeros(pairs.count, dtype=bool))


def _claim(pairs: Pairs, finding: Finding, direction: Direction, boundary: np.ndarray) -> bool:
    """Take a direction as the answer if its leads are zero on the boundary and positive elsewhere, exactly; whether so."""
    if not np.array_equal(pairs.signs(direction), (~boundary).astype(np.int8)):
        return False
    finding.direction, finding.boundary = direction if not boundary.all() else None, boundary
    return True


def _renamed(relation: dict[int, int], rows: np.ndarray) -> dict[int, int]:
    """The same relation of two classes by other row numbers."""
    return {int(rows[pair]): weight for pair, weight in relation.items()}
