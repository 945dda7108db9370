"""A working set: a few rows that are decided upon here; all others are asked whether they contradict what that proves.

complete        its weights, if no other row contradicts them either
not complete    its witness, at once: a relation between some rows is one between rows of the whole
quasi-complete  its witness and its weights, if no other row has a negative lead under them; its boundary, if besides all rows
                with a lead of zero are spanned by those of the relation between its boundary rows
overlap         its spanning witness, if it spans all other rows too

Rows that contradict join, so every round adds at least one row that the working set did not stand for, and rounds come to an end.
Leads are judged by floats where a rigorous error bound allows and by exact arithmetic elsewhere, as everywhere in ``proof``.

Limits of coefficients are worked out the same way.  That a coefficient cannot have a sign is proved by a relation between a few rows,
whatever the others are; that it can, by weights that no row contradicts.
"""

from __future__ import annotations

import numpy as np

from ...system.clock import Clock, OutOfTime
from ..answer.certify import certify
from ..answer.coefficient_limits import coefficient_limits
from ..check.certificate import Certificate
from ..problem.coordinates import Weights
from ..problem.pairs import Pairs
from ..search.decide import decide
from ..search.wide_rows import is_wide
from .row_queries import Answer, ClassSetting, Question, RowQueries, SomeRows, SpannedSpace, joined, span_of_rows

BYTES_A_PAIR = 24  # of a row and a rival: its lead, what it is made of, and its order, about


class WorkingSet:
    """Rows that are decided upon, and what they prove: ``claim``, which names rows by their places in the working set."""

    def __init__(self, frame: ClassSetting, part: SomeRows, clock: Clock) -> None:
        self.frame, self.part, self._clock = frame, part, clock
        self.claim = Certificate(None)

    def join(self, part: SomeRows) -> None:
        """Let rows join, each once, unless they are there."""
        part = part.some(np.unique(part.rows, return_index=True)[1])
        new = np.flatnonzero(~np.isin(part.rows, self.part.rows))
        if not new.size:
            raise ValueError("The rows are not the same in every round.")
        pairs = (len(self.part.rows) + new.size) * (len(self.frame.classes) - 1)
        self._clock.hold(BYTES_A_PAIR * pairs + 8 * (self.part.X.size + part.X.size))
        self.part = joined(self.part, part.some(new))

    def decide(self) -> None:
        """What the rows prove."""
        pairs = self.pairs
        claim = certify(pairs, self.frame.classes, decide(pairs, self._clock))
        self.claim = claim if claim.kind is not None else Certificate(None, witness=claim.witness)

    @property
    def pairs(self) -> Pairs:
        """The vectors that decide."""
        return self.frame.pairs(self.part)

    def span(self) -> SpannedSpace | None:
        """That of the rows on the boundary; None where it is not settled which those are."""
        if self.claim.kind != "overlap" and self.claim.boundary is None:
            return None
        return SpannedSpace(self.frame, self.part, self.frame.support(self.part, self.claim.spanning))


def search(
    queries: RowQueries, work: WorkingSet, guess: Weights | None, clock: Clock
) -> tuple[Answer | None, SpannedSpace | None]:
    """Decide and ask, until no row contradicts: the last answer, if one was needed, and the span of the rows on the boundary.  Weights
    that are a guess are tried first."""
    guessed = Certificate("complete", guess)
    if guess is not None and guessed.holds(work.pairs, work.frame.classes):
        work.claim = guessed
    else:
        work.decide()
    while True:
        claim, span = work.claim, work.span()
        if claim.kind is None or (claim.kind == "overlap" and span is not None and span.is_everything):
            return None, span
        clock.tick()
        answer = queries.ask(Question(claim.weights, claim.kind == "complete", span))
        if not answer.wrong:
            return answer, span
        work.join(answer.part)
        work.decide()


def limits_by_rounds(
    queries: RowQueries, part: SomeRows, kind: str, span: SpannedSpace | None, clock: Clock, order: np.ndarray | None
) -> np.ndarray | None:
    """The limits of coefficients of all rows, from a working set on, as ``coefficient_limits`` has them; None where they are out of
    reach, or the time is over.  ``span``: of the rows on the boundary of quasi-complete separation."""
    work, strictly = WorkingSet(queries.frame, part, clock), kind == "complete"
    if is_wide(work.pairs):
        return None
    try:
        _span_all(queries, work)
        while not clock.over:
            shown: list[Weights] = []
            limits = coefficient_limits(work.pairs, kind, clock, shown=shown, order=order)
            answer = queries.ask(*(Question(weights, strictly, span) for weights in shown)) if shown else None
            if answer is None or not answer.wrong:
                return limits
            work.join(answer.part)
    except OutOfTime:
        pass
    return None


def _span_all(queries: RowQueries, work: WorkingSet) -> None:
    """Let rows join until the working set spans all rows, so that the same columns are aliased."""
    while True:
        span = span_of_rows(queries.frame.fit_intercept, work.part)
        answer = None if span.is_everything else queries.ask(Question(None, False, span))
        if answer is None or not answer.wrong:
            return
        work.join(answer.part)
