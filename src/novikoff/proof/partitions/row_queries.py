"""What a proof asks of rows in partitions: one fold a question, answered exactly where the rows are; few of them are sent."""

from __future__ import annotations

import logging
from collections.abc import Callable
from fractions import Fraction
from functools import partial, reduce
from operator import or_
from typing import Any, NamedTuple

import numpy as np

from ...checks.arrays import evenly
from ...rows.partitions import Function, Merge, Partitions, scrambled, stacked
from ...system.clock import never
from ..check.certificate import Witness, read_witness
from ..check.margin_of_rows import least_of
from ..problem.coordinates import Weights, moved, to_moved
from ..problem.faces import Face, spanning_pairs
from ..problem.pairs import Pairs
from ..search.gordan import most_missed

ROW_BITS = 40  # of a row's name while numbers are unknown: 2^40 times its partition, plus its place there
CANDIDATES = 4096  # rows of a partition, drawn at random, of which the first sample is taken
FIRST_OF_EACH, FIRST = 256, 2000  # rows of a partition, and of all, that a working set begins with
MOST_OF_EACH, MOST = 40, 1500  # those that join in a round; of many dimensions more,
OF_EACH_BY_DIMENSION, BY_DIMENSION = 1 / 8, 4  # namely so many times the dimensions,
MOST_EVER = 5000  # but no more than this
NUMBERS = 1 << 23  # that are sent at once, 64 MB: of wide rows fewer

log = logging.getLogger(__name__)


class SomeRows(NamedTuple):
    """Some rows."""

    X: Any
    target: np.ndarray  # class numbers
    rows: np.ndarray  # their numbers among all rows

    def some(self, which: np.ndarray) -> SomeRows:
        """Some of them."""
        return SomeRows(self.X[which], self.target[which], self.rows[which])


def joined(one: SomeRows, other: SomeRows) -> SomeRows:
    """Rows of both."""
    return SomeRows(stacked([one.X, other.X]), *map(np.append, one[1:], other[1:]))


class ClassSetting(NamedTuple):
    """What is asked of rows: which classes there are, and whether there is an intercept."""

    classes: np.ndarray
    fit_intercept: bool

    def pairs(self, part: SomeRows) -> Pairs:
        """The vectors that decide, of these rows against all classes."""
        return Pairs(part.X, part.target, len(self.classes), self.fit_intercept)

    def support(self, part: SomeRows, witness: Witness | None) -> np.ndarray:
        """The pairs of these rows that a witness has; none without one."""
        return np.array(list(read_witness(self.pairs(part), self.classes, witness) or []), dtype=np.intp)


class SpannedSpace:
    """The space of the vectors of some pairs of ``part``; of none, nothing but zero."""

    def __init__(self, frame: ClassSetting, part: SomeRows, support: np.ndarray) -> None:
        self._frame = frame
        pairs = frame.pairs(part)
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
        free = pairs.n_rivals * (width + frame.fit_intercept) - len(basis)
        self.is_everything = free == 0  # whatever other rows there are
        self.is_hyperplane = free == 1  # all rows with a lead of zero are in it, whatever else they are

    def _in_columns(self, part: SomeRows) -> SomeRows:
        """Of sparse rows, only the columns that the span has."""
        return part if self._columns is None else part._replace(X=part.X[:, self._columns].tocsr())

    def outside(self, part: SomeRows) -> np.ndarray:
        """Which vectors of these rows, one for every rival, are outside, exactly.  Of two classes only signs depend on the class."""
        rivals = len(self._frame.classes) - 1
        part = as_one_class(part) if rivals == 1 else part
        outside = np.zeros(len(part.rows), dtype=bool)
        if self._columns is not None:  # what has other columns is outside
            inside = np.isin(part.X.indices, self._columns)
            outside = np.add.reduceat(np.append(~inside, False), part.X.indptr[:-1]) > 0
            outside &= np.diff(part.X.indptr) > 0
        found = np.repeat(outside[:, None], rivals, axis=1)
        others = np.flatnonzero(~outside)
        if others.size:
            pairs = self._frame.pairs(joined(self._part, self._in_columns(part.some(others))))
            basis = pairs.pair(self._rows, self._rivals)
            which = np.arange(len(self._part.rows) * rivals, pairs.count)
            found[others] = Face(pairs, basis).outside(which).reshape(others.size, rivals)
        return found


def span_of_rows(fit_intercept: bool, part: SomeRows) -> SpannedSpace:
    """The space of the rows (x, 1) themselves, whatever their classes are."""
    return SpannedSpace(ClassSetting(np.arange(2), fit_intercept), as_one_class(part), np.arange(len(part.rows)))


def as_one_class(part: SomeRows) -> SomeRows:
    """The rows as those of one class."""
    return part._replace(target=np.ones_like(part.target))


class Question(NamedTuple):
    """What rows are asked: whether they contradict weights, or are spanned."""

    weights: Weights | None  # None: nothing but the span
    strictly: bool  # whether every lead must be positive
    span: SpannedSpace | None  # of rows that may have a lead of zero; without weights, of all.  None: any may


class Answer(NamedTuple):
    """What rows answer."""

    wrong: int  # rows that contradict; of many not all are counted
    part: SomeRows  # rows that should join: those that contradict most, and some that nearly do
    distances: (
        np.ndarray
    )  # theirs from the boundary, about, negative on the wrong side: the smaller, the sooner they should join
    least: Fraction | None = None  # the smallest lead, if no row contradicts and all leads must be positive
    leads: bool = False  # whether there is a positive lead, if no row contradicts


def both_answers(one: Answer, other: Answer, most: int = MOST_EVER) -> Answer:
    """The answer of the rows of both."""
    known = [answer.least for answer in (one, other) if answer.least is not None]
    few = fewest(joined(one.part, other.part), np.append(one.distances, other.distances), most)
    return Answer(one.wrong + other.wrong, *few, min(known, default=None), one.leads or other.leads)


def fewest(part: SomeRows, distances: np.ndarray, most: int) -> tuple[SomeRows, np.ndarray]:
    """So many of these rows at most, those of the smallest distances, and these."""
    most = affordable(part.X, most)
    if distances.size <= most:
        return part, distances
    which = np.sort(np.argsort(distances, kind="stable")[:most])
    return part.some(which), distances[which]


def affordable(X: Any, most: int) -> int:
    """So many rows at most, and no more numbers than are sent at once."""
    return max(1, min(most, NUMBERS * X.shape[0] // max(1, X.size)))


class Sample(NamedTuple):
    """Some rows of partitions, by their names, and how many rows each partition has."""

    sizes: dict[int, int]
    answer: Answer | None  # None: there are no rows


def drawn(number: int, own: np.ndarray, n_classes: int, take: Callable[[np.ndarray], tuple[Any, np.ndarray]]) -> Sample:
    """Rows of a partition drawn at random, by a hash, of all its classes about as many; ``own`` are class numbers, and ``take`` gives X
    and labels of some rows."""
    if not own.size:
        return Sample({number: 0}, None)
    order = scrambled(number, own.size)
    few = np.argpartition(order, CANDIDATES)[:CANDIDATES] if order.size > CANDIDATES else np.arange(order.size)
    first = np.full(n_classes, order.size)
    first[own[::-1]] = np.arange(order.size)[::-1]  # the first row of each class
    few = np.union1d(few, first[first < order.size])
    few = few[np.lexsort((order[few], own[few]))]
    _, begins, counts = np.unique(own[few], return_index=True, return_counts=True)
    rank = np.arange(few.size) - np.repeat(begins, counts)  # among those of its class
    sooner = rank + order[few] / 2.0**64
    best = np.sort(np.argsort(sooner, kind="stable")[:FIRST_OF_EACH])
    part = SomeRows(*take(few[best]), (number << ROW_BITS) + few[best])
    return Sample({number: own.size}, Answer(0, *fewest(part, sooner[best], FIRST_OF_EACH)))


def both_samples(one: Sample, other: Sample) -> Sample:
    """Those of the partitions of both."""
    answer = one.answer or other.answer
    if one.answer is not None and other.answer is not None:
        answer = both_answers(one.answer, other.answer, FIRST)
    return Sample(one.sizes | other.sizes, answer)


class Labelled(NamedTuple):
    """The rows of a partition as a proof reads them: no entry twice, no stored zeros; class numbers."""

    X: Any
    target: np.ndarray


class Vectors(NamedTuple):
    """The rows of a partition, and the vectors that decide."""

    X: Any  # of ``pairs``: named, so that who counts memory sees it
    pairs: Pairs
    begin: int  # the number of its first row

    def part(self, places: np.ndarray | slice = slice(None)) -> SomeRows:
        """The rows in these places; all."""
        numbers = self.begin + np.arange(self.pairs.n_rows)
        return SomeRows(self.X[places], self.pairs.target[places], numbers[places])


class RowQueries:
    """Partitions of ``Labelled``, and how often they were asked: ``rounds``, the ``sample`` included, of which class numbers are
    known."""

    def __init__(self, partitions: Partitions, frame: ClassSetting, sample: Sample) -> None:
        assert sample.answer is not None
        begins = np.cumsum([0, *(sample.sizes.get(number, 0) for number in range(max(sample.sizes) + 1))])
        self._partitions = partitions.map(vectors, (frame, begins[:-1]))
        self.frame, self.n_rows, self.rounds = frame, int(begins[-1]), 1
        names = sample.answer.part.rows
        numbers = begins[names >> ROW_BITS] + (names & ((1 << ROW_BITS) - 1))
        self.sample = sample.answer.part._replace(rows=numbers).some(np.argsort(numbers))

    def _fold(self, function: Function, merge: Merge, state: Any) -> Any:
        self.rounds += 1
        return self._partitions.fold(partial(row_query, function), merge, state)

    def ask(self, *questions: Question) -> Answer:
        """What all rows answer."""
        dimensions = (len(self.frame.classes) - 1) * self.sample.X.shape[1]
        most = min(MOST_EVER, max(MOST, BY_DIMENSION * dimensions))
        found: Answer = self._fold(answer, partial(both_answers, most=most), questions)
        log.info("round %d: %d rows contradict, %d sent", self.rounds, found.wrong, len(found.part.rows))
        return found

    def gather(self, numbers: np.ndarray) -> SomeRows:
        """The rows with these numbers, which ascend."""
        found: SomeRows = self._fold(rows_numbered, joined, numbers)
        return found

    def boundary(self, weights: Weights) -> np.ndarray:
        """Which rows have a lead of zero: a mask, of which partitions send a bit for each row."""
        masks: dict[int, tuple[int, np.ndarray]] = self._fold(boundary_of, or_, weights)
        return np.concatenate([np.unpackbits(bits, count=size) for _, (size, bits) in sorted(masks.items())]).astype(
            bool
        )


def row_query(function: Function, number: int, rows: Vectors | None, state: Any) -> Any:
    """What a function says of a partition's rows, if it has any."""
    return None if rows is None else function(number, rows, state)


def vectors(number: int, rows: Labelled, told: tuple[ClassSetting, np.ndarray]) -> Vectors | None:
    """The vectors of a partition; None if it has no rows."""
    if not rows.target.size:
        return None
    frame, begins = told
    return Vectors(rows.X, frame.pairs(SomeRows(rows.X, rows.target, rows.target)), int(begins[number]))


def answer(number: int, rows: Vectors, questions: tuple[Question, ...]) -> Answer:
    """What the rows of a partition answer, exactly."""
    return reduce(both_answers, (_answer(rows, question) for question in questions))


def _answer(rows: Vectors, question: Question) -> Answer:
    weights, strictly, span = question
    pairs, least, leading = rows.pairs, None, False
    most = affordable(pairs.X, max(MOST_OF_EACH, min(int(OF_EACH_BY_DIMENSION * pairs.dim), MOST_EVER)))
    if weights is None:
        assert span is not None
        outside = np.flatnonzero(span.outside(rows.part()).any(axis=1))
        few = evenly(outside, most)
        return Answer(outside.size, rows.part(few), np.zeros(few.size))
    direction, scale = moved(pairs, weights)
    leads, bound = pairs.leads(direction)
    wrong = leads < -bound
    if not wrong.any():  # else the others need not be known exactly
        signs = pairs.signs_of(direction, leads, bound)
        wrong, leading = signs < strictly, bool(signs.max() > 0)
        if strictly and not wrong.any():
            least = scale * least_of(pairs, direction, leads, bound)
        if span is not None and not (strictly or wrong.any() or span.is_hyperplane):
            wrong = _outside_of(span, rows, signs == 0)
    leads = np.where(wrong, np.minimum(leads, -bound), np.maximum(leads, 0.0))  # what contradicts comes first, surely
    count = int(np.count_nonzero(wrong.reshape(pairs.n_rows, -1).any(axis=1)))
    few, distances = _nearest(pairs, leads, most)
    return Answer(count, rows.part(few), distances, least, leading)


def _outside_of(span: SpannedSpace, rows: Vectors, which: np.ndarray) -> np.ndarray:
    """Those of these pairs, a mask, that are not in the span."""
    by_row = which.reshape(rows.pairs.n_rows, -1)
    some = np.flatnonzero(by_row.any(axis=1))
    outside = np.zeros_like(by_row)
    if some.size:
        outside[some] = span.outside(rows.part(some))
    return (outside & by_row).ravel()


def _nearest(pairs: Pairs, leads: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """So many rows, those first that are farthest on the wrong side or, if there are not so many, closest to the boundary; and their
    distances."""
    which, distances = most_missed(
        np.arange(pairs.count), leads, most, lambda which: pairs.norms(which // pairs.n_rivals)
    )
    order = np.argsort(distances, kind="stable")
    rows, first = np.unique(which[order] // pairs.n_rivals, return_index=True)
    return rows, distances[order][first]


def rows_numbered(number: int, rows: Vectors, numbers: np.ndarray) -> SomeRows:
    """Those of these rows, which ascend, that a partition has."""
    begin, end = np.searchsorted(numbers, [rows.begin, rows.begin + rows.pairs.n_rows])
    return rows.part(numbers[begin:end] - rows.begin)


def boundary_of(number: int, rows: Vectors, weights: Weights) -> dict[int, tuple[int, np.ndarray]]:
    """Which rows of a partition have a lead of zero, exactly: how many rows, and a bit for each."""
    zero = rows.pairs.signs(to_moved(rows.pairs, weights)) == 0
    by_row = zero.reshape(rows.pairs.n_rows, -1).any(axis=1)
    return {number: (by_row.size, np.packbits(by_row))}
