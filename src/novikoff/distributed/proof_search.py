"""Separability over partitions: few rows are decided upon here; all others are asked, where they lie, whether they contradict.

Every question is one fold.  The first look brings a sample of the rows; then, round by round, the working set is decided upon
(``proof.stream.working_set``), all rows check exactly what that proves, and the few that contradict it most, or nearly do, join.  A
witness is a few rows, whatever else there is; weights hold once no row of any partition contradicts them.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np

from ..inputs.clock import Clock, OutOfTime
from ..proof.check.certificate import Certificate
from ..proof.check.margin_of_rows import margin_from
from ..proof.stream.block_rows import Part
from ..proof.stream.working_set import WorkingSet
from .inquiry import Inquiry
from .partitioned_proof import PartitionedProof


def prove_by_rounds(inquiry: Inquiry, sample: Part, names: np.ndarray | None, clock: Clock) -> PartitionedProof:
    """Look for a verdict, from a sample of rows on, until it is proved or the time is over."""
    work, least = WorkingSet(inquiry.frame, clock), None
    work.join(sample)
    try:
        least = search(inquiry, work, clock)
    except OutOfTime:
        work.claim = Certificate(None, witness=work.claim.witness)
    certificate, part, margin = work.named(), work.part, None
    assert part is not None
    if certificate.weights is not None and least is not None:
        margin = margin_from(least, certificate.weights)
    return PartitionedProof(
        certificate,
        inquiry.frame.classes,
        work.pairs,
        names,
        margin=margin,
        seconds=clock.seconds,
        time_limit=None if clock.limit == inf else clock.limit,
        rounds=inquiry.rounds,
        _rows_held=part.rows,
        _question=work.question(settle=True),
        _inquiry=inquiry,
        _rows_in_all=inquiry.n_rows,
    )


def search(inquiry: Inquiry, work: WorkingSet, clock: Clock) -> Fraction | None:
    """Decide and ask, until nothing contradicts; the smallest lead of weights that separate."""
    while True:
        work.decide()
        question = work.question(settle=True)
        everything = question.weights is None and question.span is not None and question.span.is_everything
        if work.claim.kind is None or everything:
            return None
        clock.tick()
        answer = inquiry.ask(question)
        if not answer.wrong:
            return answer.least
        work.join(answer.part)
