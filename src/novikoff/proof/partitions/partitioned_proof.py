"""The answer of ``separability`` for rows in partitions: how it is found, and whether it is true of all rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from os import PathLike
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ...system.clock import Clock, OutOfTime
from ..answer.proofs import Proof
from ..answer.reasons import PLAIN, ModelNames, Reason
from ..check.certificate import Certificate, Witness, is_well_formed
from ..check.margin_of_rows import is_margin, margin_from
from ..check.written import write
from ..problem.coordinates import Weights
from ..problem.pairs import Pairs
from .row_queries import Question, RowQueries, SomeRows, SpannedSpace
from .working_set import WorkingSet, limits_by_rounds, search

REMEDY = "ask novikoff.separability(X, y) for rows in memory, if all of them fit there"


class TargetsOf(NamedTuple):
    """The class numbers of a few rows, by their numbers among all, which ascend; of any other row -1."""

    rows: np.ndarray
    target: np.ndarray

    def __getitem__(self, rows: Any) -> Any:
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return np.where(self.rows[places] == rows, self.target[places], -1)


@dataclass(frozen=True, eq=False, repr=False)
class PartitionedProof(Proof):
    """A proof about rows in partitions.  It holds the rows of the working set, and can ask the others until it is pickled."""

    rounds: int = 0  # how often all partitions were asked
    _rows_held: np.ndarray | None = None  # the numbers of the rows of ``_pairs``, which ascend
    _span: SpannedSpace | None = None  # of the rows on the boundary, if that is settled
    _queries: RowQueries | None = None
    _rows_in_all: int = 0

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_queries": None}

    @property
    def _count(self) -> int:
        return self._rows_in_all

    @cached_property
    def _boundary(self) -> np.ndarray | None:
        weights = self.certificate.weights
        if self.kind != "quasi-complete" or self._queries is None or self._span is None or weights is None:
            return None
        return self._queries.boundary(weights)

    @property
    def _target(self) -> TargetsOf:
        assert self._rows_held is not None
        return TargetsOf(self._rows_held, self._pairs.target)

    def _given(self, rows: np.ndarray) -> Any:
        assert self._rows_held is not None
        return self._pairs.X[np.searchsorted(self._rows_held, rows)]

    def _limits(self, kind: str, clock: Clock, tell: Callable[[int], None] = lambda done: None) -> np.ndarray | None:
        if self._queries is None or self._rows_held is None or (kind == "quasi-complete" and self._span is None):
            return None
        part = SomeRows(self._pairs.X, self._pairs.target, self._rows_held)
        return limits_by_rounds(self._queries, part, kind, self._span, clock, self._model.order)

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
            raise ValueError("rows cannot be written to one file, since they are in partitions: write each partition.")
        write(path, self.to_dict())

    def pairwise(self, time_limit: float | None = None) -> NoReturn:
        raise ValueError(f"pairwise() needs all rows, which are in partitions: {REMEDY}.")

    def plot(self, ax: Any = None, *, features: Any = None, palette: Any = None) -> NoReturn:
        raise ValueError(f"plot() needs all rows, which are in partitions: {REMEDY}.")


def prove(
    queries: RowQueries,
    names: np.ndarray | None,
    clock: Clock,
    *,
    guess: Weights | None = None,
    model: ModelNames = PLAIN,
    numbers: Callable[[np.ndarray], np.ndarray] | None = None,
) -> PartitionedProof:
    """Look for a verdict, from a sample of rows on, until it is proved, the time is over or there is no room.  Weights that are a guess
    are tried first.  ``numbers``: from the rows' numbers to those that the proof names them by, if these are others."""
    work, answer, span = WorkingSet(queries.frame, queries.sample, clock), None, None
    try:
        answer, span = search(queries, work, guess, clock)
    except OutOfTime:
        work.claim = Certificate(None, witness=work.claim.witness)
    rows, claim, margin = work.part.rows if numbers is None else numbers(work.part.rows), work.claim, None
    if claim.kind == "quasi-complete":
        claim = replace(claim, boundary=None, spanning=None)
    if claim.weights is not None and answer is not None and answer.least is not None:
        margin = margin_from(answer.least, claim.weights)
    held = work.part._replace(rows=rows).some(np.argsort(rows))
    return PartitionedProof(
        renamed(claim, rows.__getitem__),
        queries.frame.classes,
        queries.frame.pairs(held),
        names,
        margin=margin,
        seconds=clock.seconds,
        time_limit=None if clock.limit == inf else clock.limit,
        _model=model,
        rounds=queries.rounds,
        _rows_held=held.rows,
        _span=span if claim.kind == "quasi-complete" else None,
        _queries=queries,
        _rows_in_all=queries.n_rows,
    )


def renamed(claim: Certificate, rename: Callable[[np.ndarray], np.ndarray]) -> Certificate:
    """The same with other row numbers."""

    def moved(witness: Witness | None) -> Witness | None:
        return None if witness is None else replace(witness, rows=rename(witness.rows))

    return replace(claim, witness=moved(claim.witness), spanning=moved(claim.spanning))


def holds(proof: Proof, queries: RowQueries) -> bool:
    """Whether everything that a proof claims is true of all rows, in exact arithmetic and without the search, and nothing else is
    carried."""
    claim, weights, frame = proof.certificate, proof.certificate.weights, queries.frame
    if not claim.carries_proof_only() or not proof._carries_numbers_of_its_kind():
        return False
    if weights is not None and not (isinstance(weights, Weights) and weights.fit(frame.pairs(queries.sample))):
        return False
    if claim.kind in ("complete", "quasi-complete") and weights is None:
        return False
    if claim.kind == "complete":
        answer = queries.ask(Question(weights, True, None))
        if answer.wrong or answer.least is None or weights is None:
            return False
        return proof.margin is None or is_margin(answer.least, weights, proof.margin)
    few = _rows_of_witnesses(proof, queries)
    if few is None:
        return False
    if claim.kind is None:
        return True
    by_place = renamed(claim, lambda rows: np.searchsorted(few.rows, rows))
    span = SpannedSpace(frame, few, frame.support(few, by_place.spanning))
    if claim.kind == "overlap":
        return span.is_everything or not queries.ask(Question(None, False, span)).wrong
    answer = queries.ask(Question(weights, False, None if claim.boundary is None else span))
    if answer.wrong or not answer.leads or weights is None:
        return False
    return claim.boundary is None or np.array_equal(queries.boundary(weights), claim.boundary)


def _rows_of_witnesses(proof: Proof, queries: RowQueries) -> SomeRows | None:
    """The rows that witnesses name; None unless these are relations of those rows, with the labels that rows had, and none is there that
    proves nothing: without a boundary only overlap has one that spans."""
    claim, frame = proof.certificate, queries.frame
    witnesses = [witness for witness in (claim.witness, claim.spanning) if witness is not None]
    if claim.witness is None or not all(map(is_well_formed, witnesses)):
        return None
    if claim.spanning is not None and claim.kind != "overlap" and claim.boundary is None:
        return None
    rows = np.unique(np.concatenate([witness.rows for witness in witnesses]))
    if rows[-1] >= queries.n_rows:
        return None
    few = queries.gather(rows)
    if not np.array_equal(few.target, proof._target[few.rows]):
        return None
    pairs, by_place = frame.pairs(few), renamed(claim, lambda named: np.searchsorted(few.rows, named))
    alone = [Certificate(None, witness=witness) for witness in (by_place.witness, by_place.spanning) if witness]
    return few if all(each.holds(pairs, frame.classes) for each in alone) else None
