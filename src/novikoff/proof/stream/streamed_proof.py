"""Separability of rows that do not fit into memory: a few of them at a time, each round one look at all.

The working set (``working_set``) begins with rows of the first block; in every round some rows of each block that contradict what it
proves join.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...inputs.arrays import evenly
from ...inputs.clock import Clock, OutOfTime, Room, check_limit
from ..check.certificate import Certificate
from ..check.claim import Claim
from ..problem.coordinates import Weights, to_moved
from .block_rows import Blocks, CheckedBlocks, Frame, Span, joined
from .working_set import WorkingSet, fewest, objections, of_few, rows_of_witnesses

FIRST = 1000  # rows that the working set begins with
MOST_A_BLOCK = 20  # rows of a block that join it in a round: the worst
MOST_A_ROUND = 5000


@dataclass(frozen=True)
class StreamedProof(Claim):
    """Whether classes are linearly separable, and what proves it.  Made by ``streamed_separability``."""

    certificate: Certificate  # its witnesses name rows by their numbers in the stream
    classes: np.ndarray
    fit_intercept: bool
    rounds: int  # looks at all rows
    rows_looked_at: int  # in all rounds
    working_rows: int  # that were decided upon together
    seconds: float

    def verify(self, blocks: Blocks) -> bool:
        """Whether everything claimed is true of these rows, in exact arithmetic and without the solver."""
        frame, stream = Frame(self.classes, self.fit_intercept), CheckedBlocks(blocks, Clock())
        if not self.certificate.carries_proof_only() or self.certificate.boundary is not None:
            return False
        if self.kind == "complete":
            return self._not_contradicted(frame, stream)
        rows = rows_of_witnesses(self.certificate)
        few = None if rows is None else stream.gathered(rows)
        if few is None:
            return False
        claim = of_few(self.certificate, few, frame)
        if claim is None:
            return False
        if self.kind == "overlap":
            span = Span(frame, few, claim.spanning)
            return not any(span.outside(part).any() for part in stream)
        return self.kind is None or self._not_contradicted(frame, stream)

    def _not_contradicted(self, frame: Frame, stream: CheckedBlocks) -> bool:
        weights, leads = self.certificate.weights, False
        for part in stream:
            pairs = frame.pairs(part)
            if not isinstance(weights, Weights) or not weights.fit(pairs):
                return False
            signs = pairs.signs(to_moved(pairs, weights))
            if signs.min() < (self.kind == "complete"):
                return False
            leads |= bool(signs.max() > 0)
        return leads


def streamed_separability(
    blocks: Blocks,
    *,
    classes: np.ndarray,
    fit_intercept: bool = True,
    guess: tuple[np.ndarray, np.ndarray] | None = None,
    time_limit: float | None = None,
    progress: Callable[[int], None] | None = None,
    room: Room | None = None,
) -> StreamedProof:
    """Tell whether the classes of rows that come block by block are linearly separable, and prove it.

    ``blocks()`` begins the stream anew: X (an array or CSR), the places of the labels in ``classes``, and row numbers.
    ``guess`` is the ``coef_`` and ``intercept_`` of a learner, tried first: if they separate the rows, one look proves it.
    ``progress`` is told how many rows were looked at since its last call.  After ``time_limit`` seconds the answer may be
    None: undecided, never a guess; so it may where there is no ``room`` for what would decide.
    """
    clock = Clock(check_limit(time_limit), room=room)
    frame, stream = Frame(np.asarray(classes), fit_intercept), CheckedBlocks(blocks, clock, progress)
    search = StreamedSearch(frame, stream, clock)
    try:
        search.begin(guess)
        while search.look():
            search.work.decide()
    except OutOfTime:
        search.work.claim = Certificate(None, witness=search.work.claim.witness)
    claim, work = search.work.named(), search.work.part
    count = 0 if work is None else len(work.rows)
    return StreamedProof(claim, frame.classes, fit_intercept, stream.rounds, stream.looked_at, count, clock.seconds)


class StreamedSearch:
    """The working set, and looks at the stream."""

    def __init__(self, frame: Frame, stream: CheckedBlocks, clock: Clock) -> None:
        self.work, self._stream = WorkingSet(frame, clock), stream

    def begin(self, guess: tuple[np.ndarray, np.ndarray] | None) -> None:
        """The first claim: a guess, or what some rows of the first block prove."""
        if guess is not None:
            floats = np.column_stack([np.atleast_2d(guess[0]), guess[1]]).astype(np.float64)
            floats = floats if len(floats) == 1 else floats[1:] - floats[0]
            if np.isfinite(floats).all():
                self.work.claim = Certificate("complete", Weights(floats))
                return
        first = next(iter(self._stream), None)
        if first is None:
            raise ValueError("There are no rows to prove anything of.")
        self.work.join(first.some(evenly(np.arange(len(first.rows)), FIRST)))
        self.work.decide()

    def look(self) -> bool:
        """Look at all rows; let some of those that the claim does not hold for join.  Whether there were any."""
        if self.work.claim.kind is None:
            return False
        question, found, answers = self.work.question(settle=False), [], []
        for part in self._stream:
            answers.append(objections(self.work.frame.pairs(part), question, MOST_A_BLOCK))
            found.append(part.some(answers[-1].places))
        if not sum(answer.wrong for answer in answers):
            return False
        distances = np.concatenate([answer.distances for answer in answers])
        self.work.join(fewest(joined(found), distances, MOST_A_ROUND)[0])
        return True
