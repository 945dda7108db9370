"""Can the rows be separated that a perceptron makes no progress on?  Asked where that costs about as much as the fit itself.

The work is counted, not timed, so that the same rows give the same answer everywhere: few numbers in few dimensions, and so many
looks at the clock until the answer is "undecided".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..inputs.clock import Countdown
from ..learn.sources import InMemory, Source
from .base import LinearLearner, rounded_number

if TYPE_CHECKING:
    from ..proof.answer.proofs import Proof

LITTLE_WORK = 16_000  # numbers of all pairs (row, rival), times their dimensions: a proof takes some milliseconds
LOOKS = 2_000  # at the clock; such proofs take fewer than a tenth of them


def prover(learner: LinearLearner, source: Source) -> Callable[[], Proof | None] | None:
    """What looks for a proof of whether the classes are separable; None of rows from a file, which are not learned from as they
    stand there."""
    return (lambda: found_proof(learner, source)) if isinstance(source, InMemory) else source.prove


def found_proof(learner: LinearLearner, source: InMemory) -> Proof | None:
    """The proof that classes, or one class and the rest, are not separable; else that they are; None where it is not found,
    would take long, would be of rounded numbers, or would name rows by other numbers, since some take no part."""
    X, problem = source.X, source.problem
    rivals = 1 if learner._form in ("binary", "ovr") else learner._n_outputs - 1
    work = problem.members.size * ((X.shape[1] + 1) * rivals) ** 2
    if work > LITTLE_WORK or problem.members.size < X.shape[0] or rounded_number(learner, source) is not None:
        return None
    from .separation import proofs, rows_of  # with exact arithmetic, which most fits do without

    clock, proof = Countdown(LOOKS), None
    for _, proof in proofs(learner, *rows_of(X, problem), clock):  # copies: a model keeps no data of its user alive
        if not proof.separable:
            return proof if proof.separable is False else None
    return proof
