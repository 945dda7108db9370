"""The answer of ``separability`` for rows in partitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ..inputs.clock import Clock
from ..proof.answer.proofs import Proof
from ..proof.answer.reasons import Reason
from ..proof.check.written import write
from ..proof.problem.pairs import Pairs
from ..proof.stream.block_rows import Part
from ..proof.stream.working_set import Question, renamed
from .coefficient_rounds import limits_by_rounds
from .inquiry import Inquiry

REMEDY = "ask novikoff.separability(X, y) for rows in memory, if all of them fit there"


class TargetsOf(NamedTuple):
    """The class numbers of a few rows, by their numbers in the whole, which ascend."""

    rows: np.ndarray
    target: np.ndarray

    def __getitem__(self, rows: Any) -> Any:
        return self.target[np.searchsorted(self.rows, rows)]


@dataclass(frozen=True, eq=False, repr=False)
class PartitionedProof(Proof):
    """A proof about rows that lie in partitions.  It holds the rows of the working set, and knows, until it is pickled, whom to ask
    for the others."""

    rounds: int = 0  # how often all partitions were asked
    _rows_held: np.ndarray | None = None  # the numbers of the rows of ``_pairs``
    _question: Question | None = None  # what was asked last
    _inquiry: Inquiry | None = None
    _rows_in_all: int = 0

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_inquiry": None}

    @property
    def _count(self) -> int:
        return self._rows_in_all

    @cached_property
    def _boundary(self) -> np.ndarray | None:
        if self.kind != "quasi-complete" or self._inquiry is None or self._question is None or not self._is_settled:
            return None
        return self._inquiry.boundary(self._question)

    @property
    def _is_settled(self) -> bool:
        """Whether it is known which rows are on the boundary."""
        return self.kind != "quasi-complete" or (self._question is not None and self._question.span is not None)

    @property
    def _target(self) -> TargetsOf:
        assert self._rows_held is not None
        order = np.argsort(self._rows_held)
        return TargetsOf(self._rows_held[order], self._pairs.target[order])

    def _given(self, rows: np.ndarray) -> Any:
        assert self._rows_held is not None
        order = np.argsort(self._rows_held)
        return self._pairs.X[order[np.searchsorted(self._rows_held, rows, sorter=order)]]

    def renumbered(self, numbers: Callable[[np.ndarray], np.ndarray]) -> PartitionedProof:
        """The same with other numbers of rows."""
        held = None if self._rows_held is None else numbers(self._rows_held)
        return replace(self, certificate=renamed(self.certificate, numbers), _rows_held=held)

    def _limits(self, kind: str, clock: Clock) -> np.ndarray | None:
        if self._inquiry is None or self._rows_held is None or not self._is_settled:
            return None
        span = None if self._question is None else self._question.span
        part = Part(self._pairs.X, self._pairs.target, self._rows_held)
        return limits_by_rounds(self._inquiry, part, kind, span, clock)

    @cached_property
    def suspects(self) -> None:
        return None

    @cached_property
    def _reasons(self) -> list[Reason]:
        return []

    def _is_of(self, pairs: Pairs) -> bool:
        return pairs.n_rows == self._count and np.array_equal(pairs.target[self._rows_held], self._pairs.target)

    def save(self, path: str | PathLike[str], *, rows: str | PathLike[str] | None = None) -> None:
        if rows is not None:
            raise ValueError(
                "rows cannot be written to one file, since they lie in partitions: write them as they lie there."
            )
        write(path, self.to_dict())

    def pairwise(self, time_limit: float | None = None) -> NoReturn:
        raise ValueError(f"pairwise() needs all rows, which lie in partitions: {REMEDY}.")

    def plot(self, ax: Any = None, *, features: Any = None) -> NoReturn:
        raise ValueError(f"plot() needs all rows, which lie in partitions: {REMEDY}.")
