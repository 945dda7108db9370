"""Rows that come block by block, as a proof looks at them: checked, a few of them put together, spanned by others or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ...inputs.clock import Clock, never
from ..check.certificate import Witness, read_witness
from ..problem.faces import Face, spanning_pairs
from ..problem.pairs import Pairs
from ..problem.read_rows import read_rows

Blocks = Callable[[], Iterable[tuple[Any, np.ndarray, np.ndarray]]]  # X, places in the classes, row numbers


class Part(NamedTuple):
    """Some rows."""

    X: Any
    target: np.ndarray  # places in the classes
    rows: np.ndarray  # their numbers in the stream

    def some(self, which: np.ndarray) -> Part:
        """Some of them."""
        return Part(self.X[which], self.target[which], self.rows[which])


def joined(parts: list[Part]) -> Part:
    """Rows of several parts as one."""
    rows: list[Any] = [part.X for part in parts]
    X = sparse.vstack(rows, format="csr") if sparse.issparse(rows[0]) else np.vstack(rows)
    return Part(X, *(np.concatenate([part[place] for part in parts]) for place in (1, 2)))


class Frame(NamedTuple):
    """What is asked of rows: which classes there are, and whether there is an intercept."""

    classes: np.ndarray
    fit_intercept: bool

    def pairs(self, part: Part) -> Pairs:
        """The vectors that decide, of these rows against all classes."""
        return Pairs(part.X, part.target, len(self.classes), self.fit_intercept)


class CheckedBlocks:
    """The blocks, checked; counts how often all of them, and how many rows, were looked at."""

    def __init__(
        self,
        blocks: Blocks,
        clock: Clock,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self._blocks, self._clock, self._progress = blocks, clock, progress
        self.rounds = self.looked_at = 0

    def __iter__(self) -> Iterator[Part]:
        for X, target, rows in self._blocks():
            self._clock.tick()
            yield Part(read_rows(X), np.asarray(target, dtype=np.intp), np.asarray(rows))
            self.looked_at += len(rows)
            if self._progress:
                self._progress(len(rows))
        self.rounds += 1

    def gathered(self, rows: np.ndarray) -> Part | None:
        """These rows, which ascend; None if the stream does not have each of them once."""
        found = [part.some(np.flatnonzero(np.isin(part.rows, rows))) for part in self]
        whole = joined(found) if found else None
        if whole is None or not np.array_equal(np.sort(whole.rows), rows):
            return None
        return whole.some(np.argsort(whole.rows))


class Span:
    """The space of the vectors of a witness of ``part``; without a witness, nothing but zero."""

    def __init__(self, frame: Frame, part: Part, witness: Witness | None) -> None:
        self._frame = frame
        pairs = frame.pairs(part)
        support = np.array(list(read_witness(pairs, frame.classes, witness) or []), dtype=np.intp)
        rows, rivals = pairs.rows_and_rivals(support)
        few, places = np.unique(rows, return_inverse=True)
        width, part = part.X.shape[1], part.some(few)
        self._columns = np.unique(part.X.indices) if pairs.sparse else None
        part = self._in_columns(part)
        pairs = frame.pairs(part) if few.size else pairs
        support = pairs.pair(places, rivals)
        basis = spanning_pairs(pairs, support, never) if few.size else support
        self._part = part
        self._rows, self._rivals = pairs.rows_and_rivals(basis)
        self.is_everything = len(basis) == pairs.n_rivals * (
            width + frame.fit_intercept
        )  # whatever other rows there are

    def _in_columns(self, part: Part) -> Part:
        """Of sparse rows, only the columns that the witness has."""
        return part if self._columns is None else part._replace(X=part.X[:, self._columns].tocsr())

    def outside(self, part: Part) -> np.ndarray:
        """Which vectors of these rows, one for every rival, are outside, exactly."""
        outside = np.zeros(len(part.rows), dtype=bool)
        if self._columns is not None:  # what has other columns is outside
            inside = np.isin(part.X.indices, self._columns)
            outside = np.add.reduceat(np.append(~inside, False), part.X.indptr[:-1]) > 0
            outside &= np.diff(part.X.indptr) > 0
        rivals = len(self._frame.classes) - 1
        found = np.repeat(outside[:, None], rivals, axis=1)
        others = np.flatnonzero(~outside)
        if others.size:
            pairs = self._frame.pairs(joined([self._part, self._in_columns(part.some(others))]))
            basis = pairs.pair(self._rows, self._rivals)
            which = np.arange(len(self._part.rows) * rivals, pairs.count)
            found[others] = Face(pairs, basis).outside(which).reshape(others.size, rivals)
        return found
