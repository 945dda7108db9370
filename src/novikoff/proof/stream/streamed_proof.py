"""Separability of rows that do not fit into memory: a few of them at a time, each round one look at all.

A working set of rows is decided upon as any data are.  What that proves of all rows:

complete        its weights, if no other row contradicts them either (rows that do join the working set)
not complete    its witness, at once: a relation between some rows is one between rows of the whole
quasi-complete  its witness and its weights, if no other row has a negative lead under them (rows that have join)
overlap         its spanning witness, if it spans all other rows too (rows that it does not span join)

Every round adds at least one row that the rows before did not stand for, so the rounds come to an end.  Leads are judged by
floats where a rigorous error bound allows and by exact arithmetic elsewhere, as everywhere in ``proof``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...inputs.clock import Clock, OutOfTime, check_limit
from ..answer.certify import certify
from ..check.certificate import Certificate, is_well_formed
from ..check.claim import Claim
from ..problem.coordinates import Weights, to_moved
from ..search.decide import decide
from .block_rows import Blocks, CheckedBlocks, Part, Span, joined

FIRST = 1000  # rows that the working set begins with
MOST_A_BLOCK = 20  # rows of a block that join it in a round: half the worst, half spread over all that could
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
        stream = CheckedBlocks(blocks, self.classes, self.fit_intercept, Clock())
        if not self.certificate.carries_proof_only() or self.certificate.boundary is not None:
            return False
        if self.kind == "complete":
            return self._not_contradicted(stream)
        witnesses = [witness for witness in (self.witness, self.spanning) if witness is not None]
        if not witnesses or not all(map(is_well_formed, witnesses)):
            return False
        few = stream.gathered(np.unique(np.concatenate([witness.rows for witness in witnesses])))
        if few is None:
            return False
        claim = _renamed(self.certificate, lambda rows: np.searchsorted(few.rows, rows))
        kind = "overlap" if self.kind == "overlap" else None
        if not replace(claim, kind=kind, weights=None).holds(stream.pairs(few), self.classes):
            return False
        if self.kind == "overlap":
            span = Span(stream, few, claim.spanning)
            return not any(span.outside(part).any() for part in stream)
        return self.kind is None or self._not_contradicted(stream)

    def _not_contradicted(self, stream: CheckedBlocks) -> bool:
        weights, leads = self.certificate.weights, False
        for part in stream:
            pairs = stream.pairs(part)
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
) -> StreamedProof:
    """Tell whether the classes of rows that come block by block are linearly separable, and prove it.

    ``blocks()`` begins the stream anew: X (an array or CSR), the places of the labels in ``classes``, and row numbers.
    ``guess`` is the ``coef_`` and ``intercept_`` of a learner, tried first: if they separate the rows, one look proves it.
    ``progress`` is told how many rows were looked at since its last call.  After ``time_limit`` seconds the answer may be
    None: undecided, never a guess.
    """
    clock = Clock(check_limit(time_limit))
    stream = CheckedBlocks(blocks, np.asarray(classes), fit_intercept, clock, progress)
    search = StreamedSearch(stream, clock)
    try:
        search.begin(guess)
        while search.look():
            search.decide()
    except OutOfTime:
        search.claim = Certificate(None, witness=search.claim.witness)
    work = search.work
    claim = search.claim if work is None else _renamed(search.claim, work.rows.__getitem__)
    count = 0 if work is None else len(work.rows)
    return StreamedProof(claim, stream.classes, fit_intercept, stream.rounds, stream.looked_at, count, clock.seconds)


def _renamed(claim: Certificate, rename: Callable[[np.ndarray], np.ndarray]) -> Certificate:
    """The same with other row numbers."""
    witness, spanning = (
        None if each is None else replace(each, rows=rename(each.rows)) for each in (claim.witness, claim.spanning)
    )
    return replace(claim, witness=witness, spanning=spanning)


class StreamedSearch:
    """The working set, and what it proves: ``claim``."""

    def __init__(self, stream: CheckedBlocks, clock: Clock) -> None:
        self._stream, self._clock = stream, clock
        self.work: Part | None = None
        self.claim = Certificate(None)

    def begin(self, guess: tuple[np.ndarray, np.ndarray] | None) -> None:
        """The first claim: a guess, or what some rows of the first block prove."""
        if guess is not None:
            floats = np.column_stack([np.atleast_2d(guess[0]), guess[1]]).astype(np.float64)
            floats = floats if len(floats) == 1 else floats[1:] - floats[0]
            if np.isfinite(floats).all():
                self.claim = Certificate("complete", Weights(floats))
                return
        first = next(iter(self._stream), None)
        if first is None:
            raise ValueError("There are no rows to prove anything of.")
        self.work = first.some(_spread(np.arange(len(first.rows)), FIRST))
        self.decide()

    def decide(self) -> None:
        """What the working set proves."""
        assert self.work is not None
        pairs = self._stream.pairs(self.work)
        claim = certify(pairs, self._stream.classes, decide(pairs, self._clock))
        spanning = claim.spanning if claim.kind == "overlap" else None  # else it is one of the boundary only
        weights = None if claim.kind is None else claim.weights
        self.claim = Certificate(claim.kind, weights, claim.witness, spanning)

    def look(self) -> bool:
        """Look at all rows; let some of those that the claim does not hold for join.  Whether there were any."""
        if self.claim.kind is None:
            return False
        judge: Callable[[Part], np.ndarray] = self._contradicting
        if self.claim.kind == "overlap":
            assert self.work is not None
            judge = _places(Span(self._stream, self.work, self.claim.spanning))
        found = []
        for part in self._stream:
            which = judge(part)
            if which.size:
                worst, others = which[: MOST_A_BLOCK // 2], which[MOST_A_BLOCK // 2 :]
                found.append(part.some(np.append(worst, _spread(others, MOST_A_BLOCK // 2))))
        if not found:
            return False
        joining = joined(found)
        joining = joining.some(_spread(np.arange(len(joining.rows)), MOST_A_ROUND))
        if self.work is not None and np.isin(joining.rows, self.work.rows).any():
            raise ValueError("The rows are not the same in every round, or two of them have the same number.")
        self.work = joining if self.work is None else joined([self.work, joining])
        return True

    def _contradicting(self, part: Part) -> np.ndarray:
        """The places of rows that contradict the weights of the claim, the worst first."""
        assert self.claim.weights is not None
        pairs = self._stream.pairs(part)
        direction = to_moved(pairs, self.claim.weights)
        wrong = pairs.signs(direction) < (self.claim.kind == "complete")
        places = np.flatnonzero(wrong.reshape(len(part.rows), -1).any(axis=1))
        if places.size == 0:
            return places
        leads = pairs.leads(direction)[0].reshape(len(part.rows), -1)[places].min(axis=1)
        return places[np.argsort(leads, kind="stable")]


def _places(span: Span) -> Callable[[Part], np.ndarray]:
    return lambda part: np.flatnonzero(span.outside(part))


def _spread(places: np.ndarray, most: int) -> np.ndarray:
    """So many of these at most, spread over all of them."""
    return places[:: max(1, -(-len(places) // most))]
