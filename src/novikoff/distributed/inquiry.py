"""Questions to the rows of all partitions, one fold each; rows are named by their numbers in the whole."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from ..proof.stream.block_rows import Frame, Part, Span
from ..proof.stream.working_set import Question
from ..rows.partitions import Function, Merge, Partitions
from .blocks_given import Census
from .proof_rows import (
    ROW_BITS,
    Answer,
    answer,
    answer_all,
    both_answers,
    both_masks,
    boundary_of,
    rows_named,
    unspanned,
)

log = logging.getLogger(__name__)


class Inquiry:
    """Partitions, each ``Vectors``, and how often they were asked: ``rounds``."""

    def __init__(self, engine: Partitions, frame: Frame, sizes: dict[int, int], rounds: int = 0) -> None:
        self._engine, self.frame, self.rounds = engine, frame, rounds
        self._begins = np.cumsum([0, *(sizes.get(number, 0) for number in range(max(sizes) + 1))])

    @property
    def n_rows(self) -> int:
        """Of all partitions."""
        return int(self._begins[-1])

    def fold(self, function: Function, merge: Merge, state: Any) -> Any:
        """One round."""
        self.rounds += 1
        return self._engine.fold(function, merge, state)

    def ask(self, question: Question) -> Answer:
        """What all rows answer."""
        return self._asked(answer, question)

    def ask_all(self, questions: list[Question]) -> Answer:
        """What they answer to several questions."""
        return self._asked(answer_all, questions)

    def unspanned(self, span: Span) -> Answer:
        """Rows (x, 1) that are not in the span."""
        return self._asked(unspanned, span)

    def _asked(self, function: Function, question: Any) -> Answer:
        found: Answer = self.fold(function, both_answers, question)
        log.info("round %d: %d rows contradict, %d sent", self.rounds, found.wrong, len(found.part.rows))
        return found._replace(part=self.numbered(found.part))

    def gather(self, numbers: np.ndarray) -> Part:
        """These rows, which ascend."""
        partition = np.searchsorted(self._begins, numbers, side="right") - 1
        names = (partition << ROW_BITS) + numbers - self._begins[partition]
        found: Answer = self.fold(rows_named, both_answers, names)
        return self.numbered(found.part)

    def boundary(self, question: Question) -> np.ndarray:
        """Which rows have a lead of zero: a mask, of which partitions send a bit for each row."""
        masks: dict[int, np.ndarray] = self.fold(boundary_of, both_masks, question)
        sizes = np.diff(self._begins)
        bits = [np.unpackbits(mask, count=sizes[number]) for number, mask in sorted(masks.items())]
        return np.concatenate(bits).astype(bool)

    def numbered(self, part: Part) -> Part:
        """Rows by their numbers in place of their names."""
        names = part.rows
        return part._replace(rows=self._begins[names >> ROW_BITS] + (names & ((1 << ROW_BITS) - 1)))


def sizes_of(census: Census) -> dict[int, int]:
    """How many rows each partition has that has any."""
    return {number: sum(rows for rows, _ in counts.values()) for number, counts in census.counts.items()}
