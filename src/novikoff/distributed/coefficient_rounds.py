"""What separation means for coefficients, of rows in partitions: worked out for a few rows, whose weights all others are asked about.

That a coefficient cannot have a sign is proved by a relation between a few rows, whatever the others are; that it can, by weights that
no row contradicts (``coefficient_limits``).  Rows that contradict such weights join the few, until there are none.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..inputs.clock import Clock
from ..proof.answer.coefficient_limits import coefficient_limits
from ..proof.check.certificate import Witness
from ..proof.problem.coordinates import Weights
from ..proof.search.wide_rows import is_wide
from ..proof.stream.block_rows import Frame, Part, Span
from ..proof.stream.working_set import Question, WorkingSet
from .inquiry import Inquiry


def limits_by_rounds(inquiry: Inquiry, part: Part, kind: str, span: Span | None, clock: Clock) -> np.ndarray | None:
    """The limits of coefficients of all rows, from a working set on; None where they are out of reach, or the time is over.  ``span``:
    of the rows on the boundary of quasi-complete separation."""
    work = WorkingSet(inquiry.frame, clock)
    work.join(part)
    if is_wide(work.pairs):
        return None
    _span_all(inquiry, work)
    while not clock.over:
        shown: list[Weights] = []
        limits = coefficient_limits(work.pairs, kind, clock, shown=shown)
        strictly = kind == "complete"
        questions = [Question(weights, strictly, None if strictly else span) for weights in shown]
        answer = inquiry.ask_all(questions) if questions else None
        if answer is None or not answer.wrong:
            return limits
        work.join(answer.part)
    return None


def _span_all(inquiry: Inquiry, work: WorkingSet) -> None:
    """Let rows join until the working set spans all rows, so that the same columns are aliased."""
    while True:
        assert work.part is not None
        rows = np.arange(len(work.part.rows))
        plain = Part(work.part.X, np.ones(rows.size, dtype=np.intp), rows)
        frame = Frame(np.arange(2), inquiry.frame.fit_intercept)
        span = Span(frame, plain, Witness(rows, None, (Fraction(1),) * rows.size))
        if span.is_everything:
            return
        answer = inquiry.unspanned(span)
        if not answer.wrong:
            return
        work.join(answer.part)
