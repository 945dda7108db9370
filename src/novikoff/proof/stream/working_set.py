"""A working set: a few rows that are decided upon, and which of all rows contradict what that proves.

complete        its weights, if no other row contradicts them either
not complete    its witness, at once: a relation between some rows is one between rows of the whole
quasi-complete  its witness and its weights, if no other row has a negative lead under them; its boundary, if besides all rows
                with a lead of zero are spanned by those of the relation between its boundary rows
overlap         its spanning witness, if it spans all other rows too

Rows that contradict join, so every look at all rows adds at least one that the working set did not stand for, and looks come to an
end.  Leads are judged by floats where a rigorous error bound allows and by exact arithmetic elsewhere, as everywhere in ``proof``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...inputs.arrays import evenly
from ...inputs.clock import Clock
from ..answer.certify import certify
from ..check.certificate import Certificate, is_well_formed
from ..check.margin_of_rows import least_of
from ..problem.coordinates import Weights, moved
from ..problem.pairs import Pairs
from ..search.decide import decide
from ..search.gordan import most_missed
from .block_rows import Frame, Part, Span, joined

BYTES_A_PAIR = 24  # of a row and a rival: its lead, what it is made of, and its order, about


class Question(NamedTuple):
    """What rows are asked: whether they contradict weights, or are spanned."""

    weights: Weights | None  # None: nothing but the span
    strictly: bool  # whether every lead must be positive
    span: Span | None  # of rows that may have a lead of zero; without weights, of all.  None: any may


class Objections(NamedTuple):
    """What some rows answer."""

    wrong: int  # of rows that contradict; of many not all are counted
    places: np.ndarray  # of rows that should join: those that contradict most, and some that nearly do
    distances: np.ndarray  # theirs from the boundary, about; negative on the wrong side
    least: Fraction | None = None  # the smallest lead, if no row contradicts and all leads must be positive


class WorkingSet:
    """Rows that are decided upon, and what they prove: ``claim``, which names rows by their places in the working set."""

    def __init__(self, frame: Frame, clock: Clock) -> None:
        self.frame, self._clock = frame, clock
        self.part: Part | None = None
        self.claim = Certificate(None)

    def join(self, part: Part) -> None:
        """Let rows join, each once, unless they are there."""
        part = part.some(np.unique(part.rows, return_index=True)[1])
        if self.part is None:
            self.part = part
            return
        new = np.flatnonzero(~np.isin(part.rows, self.part.rows))
        if not new.size:
            raise ValueError("The rows are not the same in every round, or two of them have the same number.")
        self._clock.hold(BYTES_A_PAIR * (len(self.part.rows) + new.size) * (len(self.frame.classes) - 1))
        self.part = joined([self.part, part.some(new)])

    def decide(self) -> None:
        """What the rows prove."""
        pairs = self.pairs
        claim = certify(pairs, self.frame.classes, decide(pairs, self._clock))
        self.claim = claim if claim.kind is not None else Certificate(None, witness=claim.witness)

    @property
    def pairs(self) -> Pairs:
        """The vectors that decide."""
        assert self.part is not None
        return self.frame.pairs(self.part)

    def question(self, settle: bool) -> Question:
        """What all rows are to be asked; ``settle``: which rows are on the boundary, too."""
        claim, span = self.claim, None
        if self.part is not None and (claim.kind == "overlap" or (settle and claim.boundary is not None)):
            span = Span(self.frame, self.part, claim.spanning)
        return Question(claim.weights, claim.kind == "complete", span)

    def named(self) -> Certificate:
        """The claim, without what is said of the boundary, with the numbers that rows have in the whole."""
        claim = self.claim
        if claim.kind == "quasi-complete":
            claim = replace(claim, boundary=None, spanning=None)
        return claim if self.part is None else renamed(claim, self.part.rows.__getitem__)


def renamed(claim: Certificate, rename: Callable[[np.ndarray], np.ndarray]) -> Certificate:
    """The same with other row numbers."""
    witness, spanning = (
        None if each is None else replace(each, rows=rename(each.rows)) for each in (claim.witness, claim.spanning)
    )
    return replace(claim, witness=witness, spanning=spanning)


def rows_of_witnesses(certificate: Certificate) -> np.ndarray | None:
    """The rows that witnesses name, ascending; None if there is no witness, or one is malformed."""
    witnesses = [witness for witness in (certificate.witness, certificate.spanning) if witness is not None]
    if not witnesses or not all(map(is_well_formed, witnesses)):
        return None
    return np.unique(np.concatenate([witness.rows for witness in witnesses]))


def of_few(certificate: Certificate, few: Part, frame: Frame) -> Certificate | None:
    """A certificate by the places of the rows that its witnesses name; None unless these are relations of those rows, and none is there
    that proves nothing: without a boundary only overlap has one that spans."""
    if certificate.spanning is not None and certificate.kind != "overlap" and certificate.boundary is None:
        return None
    claim = renamed(certificate, lambda rows: np.searchsorted(few.rows, rows))
    pairs, spanning = frame.pairs(few), claim.spanning
    witnesses = [claim.witness] if spanning is None else [claim.witness, spanning]
    holds = all(Certificate(None, witness=witness).holds(pairs, frame.classes) for witness in witnesses)
    return claim if holds else None


def objections(pairs: Pairs, question: Question, most: int) -> Objections:
    """Which rows contradict, exactly, and so many at most that should join, the worst first."""
    weights, strictly, span = question
    rows, least = np.arange(pairs.n_rows), None
    if weights is None:
        assert span is not None
        outside = np.flatnonzero(span.outside(Part(pairs.X, pairs.target, rows)).any(axis=1))
        few = evenly(outside, most)
        return Objections(outside.size, few, np.zeros(len(few)))
    direction, scale = moved(pairs, weights)
    leads, bound = pairs.leads(direction)
    wrong = leads < -bound
    if not wrong.any():  # else the others need not be known exactly
        signs = pairs.signs_of(direction, leads, bound)
        wrong = signs < strictly
        if strictly and not wrong.any():
            least = scale * least_of(pairs, direction, leads, bound)
        if span is not None and not strictly and not wrong.any():
            wrong = _outside_of(span, pairs, signs == 0)
    leads = np.where(wrong, np.minimum(leads, -bound), np.maximum(leads, 0.0))  # what contradicts comes first, surely
    count = int(np.count_nonzero(wrong.reshape(pairs.n_rows, -1).any(axis=1)))
    return Objections(count, *_nearest(pairs, leads, most), least)


def _outside_of(span: Span, pairs: Pairs, which: np.ndarray) -> np.ndarray:
    """Those of these pairs, a mask, that are not in the span."""
    by_row = which.reshape(pairs.n_rows, -1)
    some = np.flatnonzero(by_row.any(axis=1))
    outside = np.zeros_like(by_row)
    if some.size:
        outside[some] = span.outside(Part(pairs.X, pairs.target, np.arange(pairs.n_rows)).some(some))
    return (outside & by_row).ravel()


def _nearest(pairs: Pairs, leads: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """So many rows, those first that lie farthest on the wrong side or, if there are not so many, closest to the boundary; and their
    distances."""
    which, distances = most_missed(
        np.arange(pairs.count), leads, most, lambda which: pairs.norms(which // pairs.n_rivals)
    )
    order = np.argsort(distances, kind="stable")
    rows, first = np.unique(which[order] // pairs.n_rivals, return_index=True)
    return rows, distances[order][first]


def fewest(part: Part, distances: np.ndarray, most: int) -> tuple[Part, np.ndarray]:
    """So many of these rows at most, those of the smallest distances, and these."""
    if distances.size <= most:
        return part, distances
    which = np.sort(np.argsort(distances, kind="stable")[:most])
    return part.some(which), distances[which]
