"""Whether a proof is true of rows in partitions, in exact arithmetic and without the search."""

from __future__ import annotations

from operator import or_

import numpy as np

from ..proof.answer.proofs import Proof
from ..proof.check.certificate import Certificate
from ..proof.check.margin_of_rows import is_margin
from ..proof.problem.coordinates import Weights, to_moved
from ..proof.stream.block_rows import Part, Span
from ..proof.stream.working_set import Question, of_few, rows_of_witnesses
from .inquiry import Inquiry
from .proof_rows import Vectors


def holds_where_rows_lie(proof: Proof, inquiry: Inquiry, sample: Part) -> bool:
    """Whether everything claimed is true of all rows, and nothing else is carried; ``sample`` has some of the rows."""
    claim, weights, frame = proof.certificate, proof.certificate.weights, inquiry.frame
    if not claim.carries_proof_only() or not proof._carries_numbers_of_its_kind():
        return False
    if weights is not None and not (isinstance(weights, Weights) and weights.fit(frame.pairs(sample))):
        return False
    if claim.kind == "complete":
        if weights is None:
            return False
        answer = inquiry.ask(Question(weights, True, None))
        if answer.wrong or answer.least is None:
            return False
        return proof.margin is None or is_margin(answer.least, weights, proof.margin)
    rows = rows_of_witnesses(claim)
    if rows is None or rows[-1] >= inquiry.n_rows:
        return False
    few = inquiry.gather(rows)
    renamed = of_few(claim, few, frame)
    if renamed is None or not np.array_equal(few.target, proof._target[few.rows]):
        return False
    span = Span(frame, few, renamed.spanning)
    if claim.kind == "overlap":
        return span.is_everything or not inquiry.ask(Question(None, False, span)).wrong
    return claim.kind is None or _is_quasi_complete(claim, inquiry, span)


def _is_quasi_complete(claim: Certificate, inquiry: Inquiry, span: Span) -> bool:
    weights, boundary = claim.weights, claim.boundary
    if weights is None:
        return False
    question = Question(weights, False, None if boundary is None else span)
    if inquiry.ask(question).wrong or not inquiry.fold(some_lead, or_, weights):
        return False
    return boundary is None or np.array_equal(inquiry.boundary(question), boundary)


def some_lead(number: int, rows: Vectors | None, weights: Weights) -> bool | None:
    """Whether a row of a partition has a positive lead."""
    return None if rows is None else bool(rows.pairs.signs(to_moved(rows.pairs, weights)).max() > 0)
