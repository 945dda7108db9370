"""The verdict and all that proves it.

By Tucker's theorem (1956) there are a direction w and a relation lambda >= 0, sum_i lambda_i a_i = 0, with exactly one of
a_i.w > 0 and lambda_i > 0 for every pair i.  The pairs with a_i.w > 0 are separated; the others lie on the boundary of every
direction that has no negative lead.  None on the boundary: complete separation.  All: overlap.  Else quasi-complete
(Albert and Anderson 1984).  The two are found by Gordan's alternative in ever smaller faces: each circuit adds to the
relation and takes at least one dimension away.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

import numpy as np

from .clock import Clock, OutOfTime
from .exact import independent_rows
from .faces import Face, add_up
from .gordan import Circuit, gordan
from .pairs import Direction, Pairs
from .twins import opposite_twins

log = logging.getLogger(__name__)


@dataclass
class Finding:
    """What was proved.

    ``direction``: no negative lead, and a positive one on every pair that is not on the boundary; None where it was not
    found or there is none.  ``circuit``: pairs and positive weights of one relation that cannot be made smaller.
    ``relation``: pairs and positive weights of a relation whose vectors span those of all boundary pairs.  ``settled``:
    whether ``boundary`` (a mask of pairs) is the whole truth.
    """

    circuit: dict[int, int] = field(default_factory=dict)
    relation: dict[int, int] = field(default_factory=dict)
    basis: list[int] = field(default_factory=list)
    direction: Direction | None = None
    boundary: np.ndarray | None = None
    settled: bool = False


def decide(pairs: Pairs, clock: Clock) -> Finding:
    """Direction, relation and boundary, as far as the time allows."""
    finding = Finding()
    try:
        _begin_with_twins(pairs, finding)
        while not finding.settled:
            _reduce(pairs, finding, clock)
    except OutOfTime:
        log.info("the time limit of %g s ended", clock.limit)
    return finding


def _begin_with_twins(pairs: Pairs, finding: Finding) -> None:
    """Pairs with opposite vectors are relations seen at once."""
    first, second = opposite_twins(pairs)
    if first.size == 0:
        return
    finding.circuit = {int(first[0]): 1, int(second[0]): 1}
    chosen = independent_rows(pairs.whole_vectors(first))
    finding.basis = first[chosen].tolist()
    finding.relation = {int(pair): 1 for pair in np.append(first[chosen], second[chosen])}


def _reduce(pairs: Pairs, finding: Finding, clock: Clock) -> None:
    """One face: settled by a direction, or reduced by a circuit."""
    clock.tick()
    face = Face(pairs, np.array(finding.basis, dtype=np.intp))
    wanted = face.pairs_outside()
    if not finding.circuit and not wanted.all():
        finding.circuit = {int(np.argmin(wanted)): 1}  # a vector that is zero
    if not wanted.any():
        finding.boundary, finding.settled = ~wanted, True
        return
    found = gordan(face, wanted, clock)
    if isinstance(found, Circuit):
        if not finding.circuit:
            finding.circuit = found.positive
        finding.relation = add_up(finding.relation, found.positive, found.basis)
        finding.basis += list(found.positive)[1:]
        log.info("a relation of %d pairs; %d dimensions left", len(found.positive), pairs.dim - len(finding.basis))
    else:
        finding.direction, finding.boundary, finding.settled = found, ~wanted, True
