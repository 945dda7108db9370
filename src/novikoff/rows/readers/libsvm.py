"""Sparse rows in LIBSVM's text format, ``label index:value index:value ... # comment``, into CSR."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from ...compiled.jit import exact, helper
from ..store.blocks import SparseBlock
from .arrow_columns import Coded, in_order_of_appearance, number_text, texts_between
from .byte_sources import (
    BLANK,
    CR,
    LF,
    TAB,
    Chunk,
    FileSource,
    chunks,
    count_lines,
    end_of_lines,
    in_spans,
    place_in,
    row_start,
)
from .decimals import AT_ONCE, ZERO, is_digit, read_digits, read_number, read_short
from .reading_options import Fault, Reading, ReadingPlan, shown
from .tables import Coder, RoundedField, rounded_among

LARGEST_INDEX = 2**31 - 2
HASH, COLON, LOWER_D, LOWER_I, LOWER_Q = 35, 58, 100, 105, 113

BAD_LABEL, BAD_INDEX, NO_COLON, BAD_VALUE, TOO_LARGE, NOT_INCREASING, ZERO_INDEX = range(1, 8)
REASONS = {
    BAD_LABEL: "{token!r} is not a number, as a row's label must be",
    BAD_INDEX: "{token!r} is not an index; pairs are written index:value",
    NO_COLON: "{token!r} has no colon; pairs are written index:value",
    BAD_VALUE: "{token!r} has no number behind its colon",
    TOO_LARGE: "the index of {token!r} is larger than the {width:,} features there may be; pass a larger n_features=...",
    NOT_INCREASING: "the index of {token!r} is not larger than the one before it; sort each row, each index once",
    ZERO_INDEX: "{token!r} has index 0, while indices count from 1; if they count from 0, pass zero_based=True",
}


class ParsedRows(NamedTuple):
    """Rows as they stand in a text."""

    labels: np.ndarray  # float64; empty if they are not read
    values: np.ndarray
    indices: np.ndarray  # int32, from 0
    starts: np.ndarray
    width: int  # the largest index, from 1
    queries: bool  # whether there were ``qid:`` pairs
    rounded: RoundedField | None  # a number that float64 cannot hold


def parse(data: bytes, labelled: bool, zero_based: bool, width: int | None) -> ParsedRows:
    """Read whole lines.  Without ``labelled`` rows may have no label, and labels are not read."""
    if not data.endswith(b"\n"):
        data += b"\n"
    pairs, lines = len(data) // 4 + 1, count_lines(data) + 1  # a pair takes four bytes at least
    labels, values, indices = np.empty(lines), np.empty(pairs), np.empty(pairs, np.int32)
    starts, hard = np.empty(lines + 1, np.int64), np.empty((pairs + lines, 3), np.int32)
    most = LARGEST_INDEX if width is None else min(width, LARGEST_INDEX + 1)
    rows, stored, slow, largest, queries, error, at = _parse(
        data, labelled, not zero_based, most, labels, values, indices, starts, hard
    )
    _parse_hard(data, hard[:slow], labels, values)
    if error:
        raise Fault(REASONS[error].format(token=_token(data, at), width=most) + ".", offset=at)
    labels = labels[: rows if labelled else 0]
    found = ParsedRows(labels, values[:stored], indices[:stored], starts[: rows + 1], largest, queries, None)
    return found._replace(rounded=next(_rounded(data, hard[:slow], found, zero_based), None))


def _rounded(data: bytes, hard: np.ndarray, found: ParsedRows, zero_based: bool) -> Iterator[RoundedField]:
    """Numbers that float64 cannot hold: ``_parse`` leaves all of 2^53 and more to others."""
    own = hard[:, 2] >= 0
    for which, numbers in ((own, found.values), (~own & (found.labels.size > 0), found.labels)):
        some = hard[which]
        places = np.where(some[:, 2] >= 0, some[:, 2], -1 - some[:, 2])
        for number, text in rounded_among(numbers[places], partial(texts_between, data, some[:, :2])):
            place = int(places[number])
            if numbers is found.labels:
                yield RoundedField(place, text)
            else:
                row = int(np.searchsorted(found.starts, place, side="right")) - 1
                yield RoundedField(row, text, feature=int(found.indices[place]) + (not zero_based))


def _token(data: bytes, at: int) -> str:
    text = data[at : at + 100].split(maxsplit=1)
    return shown(text[0].decode(errors="replace")) if text else ""


def _parse_hard(data: bytes, hard: np.ndarray, labels: np.ndarray, values: np.ndarray) -> None:
    """Read the numbers that one rounding does not give."""
    if not len(hard):
        return
    found = texts_between(data, hard[:, :2]).cast("float64").to_numpy()
    endless = np.flatnonzero(~np.isfinite(found))
    if len(endless):
        start, end, _ = hard[endless[0]]
        text = shown(data[start:end].decode())
        raise Fault(f"{text!r} is too large for a number; correct it.", offset=int(start))
    place = hard[:, 2]
    values[place[place >= 0]] = found[place >= 0]
    labels[-1 - place[place < 0]] = found[place < 0]


@helper
def _ends_line(c: int) -> bool:
    return c in (LF, CR)


@helper
def _ends_token(c: int) -> bool:
    return c in (BLANK, LF, TAB, CR, HASH)


@helper
def _skip_blanks(data: bytes, i: int) -> int:
    """The next place that is no blank and in no comment."""
    while data[i] in (BLANK, TAB):
        i += 1
    if data[i] == HASH:
        while not _ends_line(data[i]):
            i += 1
    return i


@helper
def _index(data: bytes, i: int) -> tuple[int, int, int]:
    """Read ``index:`` from ``i``: an error or 0, the index, and what comes after it."""
    start = i
    index = 0
    if i + AT_ONCE <= len(data):
        index, i = read_digits(data, i)
    while is_digit(data[i]):
        index = min(index * 10 + (data[i] - ZERO), LARGEST_INDEX + 2)
        i += 1
    error = 0
    if data[i] != COLON or i == start:
        error = NO_COLON if _ends_token(data[i]) and i > start else BAD_INDEX
    return error, index, i + 1


@helper
def _is_query(data: bytes, i: int) -> bool:
    return data[i] == LOWER_Q and data[i + 1] == LOWER_I and data[i + 2] == LOWER_D and data[i + 3] == COLON


@exact(lambda data, *rest: 3.0 * len(data), enough=500_000.0)
def _parse(
    data: bytes,
    labelled: bool,
    base: bool,
    most: int,
    labels: np.ndarray,
    values: np.ndarray,
    indices: np.ndarray,
    starts: np.ndarray,
    hard: np.ndarray,
) -> tuple[int, int, int, int, bool, int, int]:
    """Fill the arrays; rows, pairs, numbers left to others, width, whether there were queries, an error and its place."""
    rows = stored = slow = width = 0
    queries = False
    starts[0] = 0
    i, n = 0, len(data)
    while i < n:
        i = _skip_blanks(data, i)
        if _ends_line(data[i]):
            i += 1
            continue
        value, end, exact = read_number(data, i)
        if labelled or end == i or data[end] != COLON:
            if end == i or not _ends_token(data[end]):
                return rows, stored, slow, width, queries, BAD_LABEL, i
            labels[rows] = value
            if not exact:
                hard[slow, 0], hard[slow, 1], hard[slow, 2] = i, end, -1 - rows
                slow += 1
            i = end
        previous = -1
        i = _skip_blanks(data, i)
        while not _ends_line(data[i]):
            if _is_query(data, i):
                queries = True
                while not _ends_token(data[i]):
                    i += 1
            else:
                error, index, begin = _index(data, i)
                value, end, exact, short = 0.0, begin, True, error == 0 and begin + AT_ONCE <= n
                if short:
                    value, end, short = read_short(data, begin)
                if error == 0 and not (short and _ends_token(data[end])):
                    value, end, exact = read_number(data, begin)
                    if end == begin or not _ends_token(data[end]):
                        error = BAD_VALUE
                index -= base
                if error == 0 and (index < 0 or index >= most or index <= previous):
                    error = ZERO_INDEX if index < 0 else TOO_LARGE if index >= most else NOT_INCREASING
                if error:
                    return rows, stored, slow, width, queries, error, i
                previous = index
                values[stored] = value
                indices[stored] = index
                if not exact:
                    hard[slow, 0], hard[slow, 1], hard[slow, 2] = begin, end, stored
                    slow += 1
                stored += 1
                i = end
            i = _skip_blanks(data, i)
        width = max(width, previous + 1)
        rows += 1
        starts[rows] = stored
    return rows, stored, slow, width, queries, 0, 0


# Files of sparse rows in LIBSVM's format.


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

    def __init__(self, source: FileSource, reading: Reading) -> None:
        self.source, self.name, self.notes = source, source.name, list[str]()
        self._encoding, self._zero_based, self._width = reading.encoding, bool(reading.zero_based), reading.n_features

    def pieces(self, plan: ReadingPlan | None = None) -> Iterator[Chunk]:
        """The file's lines, a chunk at a time."""
        yield from chunks(self.source, self._encoding, end_of_lines)

    def cuts(self, size: int) -> list[SparseLines]:
        """See ``FileReader``."""
        return in_spans(self, self._encoding, size)

    def parse(self, chunk: Chunk, plan: ReadingPlan) -> SparsePart:
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
