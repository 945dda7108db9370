"""Can the rows be separated that a perceptron makes no progress on?  Asked over the partitions that it learns from.

A proof takes a few rounds, each about as long as a pass.  What is done here is counted, not timed, so that the same partitions give the
same answer everywhere.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..estimators.base import form_of
from ..inputs.clock import Countdown
from ..proof.check.cycles import ONE_AND_REST
from ..proof.problem.read_rows import one_entry_each
from ..proof.stream.block_rows import Frame, Part
from .dealing import before_dealing
from .inquiry import Inquiry
from .partitioned_proof import PartitionedProof
from .proof_rows import FIRST, Answer, Vectors, both_answers, drawn
from .proof_search import prove_by_rounds
from .rounds import Ready, Rounds

FEW_DIMENSIONS = 50  # of all pairs of classes: beyond, exact arithmetic may take longer than the fit
LOOKS = 20_000  # at the clock


def found_by_rounds(learner: Any, source: Rounds, dealt: dict[int, int] | None) -> PartitionedProof | None:
    """The proof that classes, or one class and the rest, are not separable; None where it is not found, would take long, or would name
    rows by other numbers, since some take no part; and if they are separable: the fit would go on for round after round.  ``dealt``: how
    many rows partitions had before rows were dealt anew.  It knows nothing of the partitions: a fitted learner keeps no rows alive."""
    classes, apart = learner.classes_, form_of(learner) == "ovr"
    rivals = 1 if apart else classes.size - 1
    if (source.shape.columns + learner.fit_intercept) * rivals > FEW_DIMENSIONS:
        return None
    roll: Roll = source.engine.fold(call_roll, both_rolls, classes.size)
    if not roll.everybody or roll.sample is None:
        return None
    clock = Countdown(LOOKS)
    names = getattr(learner, "feature_names_in_", None)
    for against in range(classes.size) if apart else [None]:
        asked = ONE_AND_REST if apart else classes
        question = OneOf(Frame(asked, learner.fit_intercept), against)
        inquiry = Inquiry(source.engine.map(vectors_of, question), question.frame, roll.sizes, rounds=1)
        sample = inquiry.numbered(roll.sample.part)
        proof = prove_by_rounds(inquiry, sample._replace(target=question.target(sample.target)), names, clock)
        if not proof.separable:
            label = None if against is None else classes[[against]].tolist()[0]
            return alone(replace(proof, against_rest=label), roll.sizes, dealt) if proof.separable is False else None
    return None


class Roll(NamedTuple):
    """Who is there."""

    sizes: dict[int, int]  # of all partitions
    everybody: bool  # whether all rows are learned from
    sample: Answer | None


def call_roll(number: int, ready: Ready, n_classes: int) -> Roll:
    """The rows of a partition, and some of them."""
    count = ready.target.size
    sample = drawn(number, ready.X, ready.target, ready.target, n_classes) if count else None
    return Roll({number: count}, ready.members.size == count, sample)


def both_rolls(one: Roll, other: Roll) -> Roll:
    """Those of the partitions of both."""
    sample = one.sample or other.sample
    if one.sample is not None and other.sample is not None:
        sample = both_answers(one.sample, other.sample, FIRST)
    return Roll(one.sizes | other.sizes, one.everybody and other.everybody, sample)


class OneOf(NamedTuple):
    """Which classes are to be separated."""

    frame: Frame
    against: int | None  # this one from the rest; None: all at once

    def target(self, target: np.ndarray) -> np.ndarray:
        """Class numbers as the proof has them."""
        return (target if self.against is None else target == self.against).astype(np.intp)


def vectors_of(number: int, ready: Ready, question: OneOf) -> Vectors | None:
    """The vectors of a partition that is learned from."""
    if not ready.target.size:
        return None
    X, target = one_entry_each(ready.X), question.target(ready.target)
    return Vectors(X, question.frame.pairs(Part(X, target, target)))


def alone(proof: PartitionedProof, sizes: dict[int, int], dealt: dict[int, int] | None) -> PartitionedProof:
    """The proof without partitions to ask, its rows named by the numbers that they had before they were dealt."""
    proof = replace(proof, _inquiry=None)
    if dealt is None:
        return proof
    ends = np.cumsum([sizes[number] for number in sorted(sizes)])
    before = [dealt.get(number, 0) for number in sorted(sizes)]

    def numbers(rows: np.ndarray) -> np.ndarray:
        partition = np.searchsorted(ends, rows, side="right")
        return before_dealing(before, partition, rows - (ends - np.diff(ends, prepend=0))[partition])

    return proof.renumbered(numbers)
