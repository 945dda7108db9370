"""Files of sparse rows in LIBSVM's format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..store.blocks import SparseBlock
from .arrow_columns import Coded, in_order_of_appearance, number_text
from .byte_sources import Source
from .chunks import Chunk, chunks, end_of_lines, in_spans, place_in, row_start
from .libsvm import ParsedRows, parse
from .reading_options import Fault, Plan, Reading
from .rounded import RoundedField
from .tables import Coder


class SparsePart(NamedTuple):
    """Sparse rows of one piece of a file."""

    found: ParsedRows
    target: Coded | np.ndarray | None
    rows: np.ndarray  # counted within the piece
    total: int
    rounded: RoundedField | None
    unlabelled: int = 0  # every row starts with its label

    def block(self, coder: Coder, first: int) -> SparseBlock:
        """The rows with the codes of all files, in which the piece starts at row ``first``."""
        target = coder.codes(None, self.target, self.rows) if isinstance(self.target, Coded) else self.target
        found = self.found
        coder.widen(found.width)
        return SparseBlock(
            found.values, found.indices, found.starts, np.empty(0) if target is None else target, self.rows + first
        )


class SparseLines:
    """A file of sparse rows."""

    def __init__(self, source: Source, reading: Reading) -> None:
        self.source, self.name, self.notes = source, source.name, list[str]()
        self._encoding, self._zero_based, self._width = reading.encoding, bool(reading.zero_based), reading.n_features

    def pieces(self, plan: Plan | None = None) -> Iterator[Chunk]:
        """The file's lines, a chunk at a time."""
        yield from chunks(self.source, self._encoding, end_of_lines)

    def cuts(self, size: int) -> list[SparseLines]:
        """See ``FileReader``."""
        return in_spans(self, self._encoding, size)

    def parse(self, chunk: Chunk, plan: Plan) -> SparsePart:
        """The rows of a chunk."""
        found = parse(chunk.data, plan.target is not None, self._zero_based, self._width)
        if found.queries and not self.notes:
            self.notes.append(f"{self.name}: qid: pairs are ignored")
        target: Coded | np.ndarray | None = None if plan.target is None else found.labels
        if plan.target is not None and plan.task == "classes":
            labels, codes = np.unique(found.labels, return_inverse=True)
            texts = [number_text(label) for label in labels.tolist()]
            target = in_order_of_appearance(codes.astype(np.int32), texts)
        total = len(found.starts) - 1
        return SparsePart(found, target, np.arange(total), total, found.rounded)

    def place(self, number: int, chunk: Chunk | None, fault: Fault, first: int) -> str:
        """Where a fault is: ``file:line:column``, or ``file:line`` of a row."""
        if fault.offset is not None or chunk is None:
            return place_in(self, number, chunk, fault.offset or 0)
        return place_in(self, number, chunk, row_start(chunk.data, fault.row or 0, comment=b"#"), with_column=False)
