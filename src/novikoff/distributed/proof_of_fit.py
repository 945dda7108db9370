"""Can the rows be separated that a perceptron makes no progress on?  Asked over the partitions that it learns from.

A proof takes a few rounds, each about as long as a pass.  What is done here is counted, not timed, so that the same partitions give the
same answer everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import and_
from typing import Any, NamedTuple

import numpy as np

from ..estimators.base import form_of
from ..inputs.clock import Countdown
from ..proof.check.cycles import ONE_AND_REST
from ..proof.partitions.partitioned_proof import PartitionedProof, prove
from ..proof.partitions.row_queries import Frame, Labelled, RowQueries, Sample, both_samples, drawn
from ..proof.problem.read_rows import one_entry_each
from .dealing import before_dealing
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
    if not source.engine.fold(all_take_part, and_, None):
        return None
    clock = Countdown(LOOKS)
    names = getattr(learner, "feature_names_in_", None)
    for against in range(classes.size) if apart else [None]:
        asked = OneOf(against, classes.size)
        sample: Sample = source.engine.fold(some_rows, both_samples, asked)
        frame = Frame(ONE_AND_REST if apart else classes, learner.fit_intercept)
        queries = RowQueries(source.engine.map(labelled, asked), frame, sample)
        numbers = None if dealt is None else numbers_before(sample.sizes, dealt)
        proof = prove(queries, names, clock, numbers=numbers)
        if not proof.separable:
            label = None if against is None else classes[[against]].tolist()[0]
            return replace(proof, against_rest=label, _queries=None) if proof.separable is False else None
    return None


def all_take_part(number: int, ready: Ready, state: None) -> bool:
    """Whether all rows of a partition are learned from."""
    return ready.members.size == ready.target.size


class OneOf(NamedTuple):
    """Which classes are to be separated."""

    against: int | None  # this one from the rest; None: all at once
    n_classes: int

    def target(self, target: np.ndarray) -> np.ndarray:
        """Class numbers as the proof has them."""
        return (target if self.against is None else target == self.against).astype(np.intp)


def some_rows(number: int, ready: Ready, asked: OneOf) -> Sample:
    """Some rows of a partition, of all classes."""
    return drawn(
        number,
        ready.target,
        asked.n_classes,
        lambda few: (one_entry_each(ready.X[few]), asked.target(ready.target[few])),
    )


def labelled(number: int, ready: Ready, asked: OneOf) -> Labelled:
    """The rows of a partition as a proof reads them."""
    return Labelled(one_entry_each(ready.X), asked.target(ready.target))


def numbers_before(sizes: dict[int, int], dealt: dict[int, int]) -> Callable[[np.ndarray], np.ndarray]:
    """From the numbers of rows in partitions of these sizes to those that they had before they were dealt."""
    ends = np.cumsum([sizes[number] for number in sorted(sizes)])
    before = [dealt.get(number, 0) for number in sorted(sizes)]

    def numbers(rows: np.ndarray) -> np.ndarray:
        partition = np.searchsorted(ends, rows, side="right")
        return before_dealing(before, partition, rows - (ends - np.diff(ends, prepend=0))[partition])

    return numbers
