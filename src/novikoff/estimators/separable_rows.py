"""Can the rows be separated that a perceptron makes no progress on?  Asked where that costs about as much as the fit itself.

The work is counted, not timed, so that the same rows give the same answer everywhere: few numbers in few dimensions, and so many
looks at the clock until the answer is "undecided".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from ..inputs.clock import Countdown
from ..learn.sources import InMemory, Source
from .base import LinearLearner, rounded_number

if TYPE_CHECKING:
    from ..proof.answer.proofs import Proof

LITTLE_WORK = 16_000  # numbers of all pairs (row, rival), times their dimensions: a proof takes some milliseconds
LOOKS = 2_000  # at the clock; such proofs take fewer than a tenth of them


def prover(learner: LinearLearner, source: Source) -> Callable[[], Proof | None]:
    """What looks for a proof of whether the classes are separable; None if it is not found, or takes long."""
    return lambda: found_proof(learner, source)


def found_proof(learner: LinearLearner, source: Source) -> Proof | None:
    """The proof that classes, or one class and the rest, are not separable; else that they are; else None."""
    rivals = 1 if learner._form in ("binary", "ovr") else learner._n_outputs - 1
    rows, target = few_rows(source, LITTLE_WORK / rivals**2)
    if rows is None or (isinstance(source, InMemory) and rounded_number(learner, source) is not None):
        return None
    from .separation import proofs  # with exact arithmetic, which most fits do without

    clock, proof = Countdown(LOOKS), None
    for _, proof in proofs(learner, rows, target, clock):
        if not proof.separable:
            return proof if proof.separable is False else None
    return proof


def few_rows(source: Source, most: float) -> tuple[Any, np.ndarray]:
    """The rows that take part, and their classes; no rows if their numbers, times the weights of a class, are more than ``most``."""
    rows, targets, work = [], [], 0
    for part in source.looks():
        members = part.problem.members
        if members.size < part.X.shape[0]:  # a proof would name rows by other numbers
            return None, members[:0]
        work += members.size * (part.X.shape[1] + 1) ** 2
        if work > most:
            return None, members[:0]
        rows.append(part.X[members])
        targets.append(part.problem.target[members])
    together = sparse.vstack(rows, format="csr") if sparse.issparse(rows[0]) else np.concatenate(rows)
    return together, np.concatenate(targets)
