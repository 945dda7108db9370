"""Partitions as a proof reads them: rows checked, a sample to begin with, and the few rows that are asked for later."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..inputs.arrays import evenly
from ..inputs.targets import class_numbers
from ..proof.problem.coordinates import to_moved
from ..proof.problem.pairs import Pairs
from ..proof.problem.read_rows import read_labelled
from ..proof.stream.block_rows import Frame, Part, Span
from ..proof.stream.working_set import Question, fewest, objections
from .blocks_given import Census, Given, both_censuses, look, read_block
from .dealing import scrambled, stacked
from .digests import digest_of

ROW_BITS = 40  # of a row's name: 2^40 times its partition, plus its place there
CANDIDATES = 4096  # rows of a partition, drawn at random, of which the first sample is taken
FIRST_OF_EACH, FIRST = 256, 2000  # rows of a partition, and of all, that a working set begins with
MOST_OF_EACH, MOST = 40, 5000  # those that join in a round;
DIMENSIONS = 8  # of each partition so many times fewer than dimensions, if that is more


def read_to_prove(number: int, given: Any, state: None) -> Given:
    """X and y as anybody has them; numbers that would be rounded are refused."""
    if len(given) > 2:
        raise ValueError("Partitions to prove something of are (X, y): weights of rows change nothing.")
    X, y = given
    if not len(y):
        block = read_block(number, given, False)
        return block._replace(names=block.names if all(isinstance(name, str) for name in block.names) else [])
    try:
        X, y, names = read_labelled(X, y)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Partition {number}: {error}") from None
    return Given(X, y, np.empty(0), [] if names is None else names.tolist(), digest=digest_of(X, y))


class Answer(NamedTuple):
    """What partitions answer."""

    wrong: int  # of rows that contradict
    part: Part  # rows that should join, by their names; at first with labels in place of class numbers
    distances: np.ndarray  # the smaller, the sooner they should
    least: Fraction | None  # the smallest lead; None where that is not known


def both_answers(one: Answer, other: Answer, most: int = MOST) -> Answer:
    """The answer of the partitions of both."""
    X = stacked([one.part.X, other.part.X])
    part = Part(X, *(np.concatenate([one.part[place], other.part[place]]) for place in (1, 2)))
    known = [answer.least for answer in (one, other) if answer.least is not None]
    distances = np.append(one.distances, other.distances)
    return Answer(one.wrong + other.wrong, *fewest(part, distances, most), min(known, default=None))


class FirstLook(NamedTuple):
    """What partitions hold, and some of their rows."""

    census: Census
    sample: Answer


def look_first(number: int, block: Given, state: None) -> FirstLook:
    """A partition, and some of its rows."""
    census = look(number, block, False)
    labels, y = census.labels, block.y
    own = class_numbers(y, labels) if labels.size > 1 else np.zeros(y.size, np.int32)
    return FirstLook(census, drawn(number, block.X, y, own, labels.size))


def drawn(number: int, X: Any, labels: np.ndarray, own: np.ndarray, n_classes: int) -> Answer:
    """Rows of a partition drawn at random, by a hash, of all its classes about as many; ``own`` are class numbers."""
    order = scrambled(number, own.size)
    few = np.argpartition(order, CANDIDATES)[:CANDIDATES] if order.size > CANDIDATES else np.arange(order.size)
    first = np.full(n_classes, order.size)
    first[own[::-1]] = np.arange(order.size)[::-1]  # the first row of each class
    few = np.union1d(few, first[first < order.size])
    few = few[np.lexsort((order[few], own[few]))]
    _, begins, counts = np.unique(own[few], return_index=True, return_counts=True)
    rank = np.arange(few.size) - np.repeat(begins, counts)  # among those of its class
    part = Part(X[few], labels[few], (number << ROW_BITS) + few)
    return Answer(0, *fewest(part, rank + order[few] / 2.0**64, FIRST_OF_EACH), None)


def both_looks(one: FirstLook, other: FirstLook) -> FirstLook:
    """The same of the partitions of both."""
    census = both_censuses(one.census, other.census)
    return FirstLook(census, both_answers(one.sample, other.sample, FIRST))


class Plan(NamedTuple):
    """What is known of all partitions."""

    frame: Frame
    columns: int
    sparse: bool


class Vectors(NamedTuple):
    """The rows of a partition, and the vectors that decide."""

    X: Any  # of ``pairs``: named, so that who counts memory sees it
    pairs: Pairs


def prepare_to_prove(number: int, block: Given, plan: Plan) -> Vectors | None:
    """The vectors of a partition; None if it has no rows."""
    if not block.y.size:
        return None
    if block.X.shape[1] != plan.columns:
        raise ValueError(
            f"Partition {number} had {plan.columns} columns before, and now has {block.X.shape[1]}: its rows must not change."
        )
    X = sparse.csr_array(block.X) if plan.sparse else block.X
    target = class_numbers(block.y, plan.frame.classes).astype(np.intp)
    return Vectors(X, plan.frame.pairs(Part(X, target, target)))


def answer(number: int, rows: Vectors | None, question: Question) -> Answer | None:
    """What the rows of a partition answer, exactly."""
    if rows is None:
        return None
    pairs = rows.pairs
    found = objections(pairs, question, max(MOST_OF_EACH, min(pairs.dim // DIMENSIONS, MOST)))
    part = Part(pairs.X[found.places], pairs.target[found.places], (number << ROW_BITS) + found.places)
    return Answer(found.wrong, part, found.distances, found.least)


def answer_all(number: int, rows: Vectors | None, questions: list[Question]) -> Answer | None:
    """What the rows of a partition answer to several questions."""
    given = [found for question in questions if (found := answer(number, rows, question)) is not None]
    return reduce(both_answers, given) if given else None


def unspanned(number: int, rows: Vectors | None, span: Span) -> Answer | None:
    """Rows (x, 1) of a partition that others do not span, whatever their classes."""
    if rows is None:
        return None
    pairs = rows.pairs
    everybody = Part(pairs.X, np.ones(pairs.n_rows, dtype=np.intp), np.arange(pairs.n_rows))
    outside = np.flatnonzero(span.outside(everybody).any(axis=1))
    few = evenly(outside, MOST_OF_EACH)
    part = Part(pairs.X[few], pairs.target[few], (number << ROW_BITS) + few)
    return Answer(outside.size, part, np.zeros(few.size), None)


def rows_named(number: int, rows: Vectors | None, names: np.ndarray) -> Answer | None:
    """Those of these rows, which ascend, that a partition has."""
    if rows is None:
        return None
    begin, end = np.searchsorted(names, [number << ROW_BITS, (number + 1) << ROW_BITS])
    places = names[begin:end] - (number << ROW_BITS)
    part = Part(rows.pairs.X[places], rows.pairs.target[places], names[begin:end])
    return Answer(0, part, np.zeros(places.size), None)


def boundary_of(number: int, rows: Vectors | None, question: Question) -> dict[int, np.ndarray] | None:
    """Which rows of a partition have a lead of zero, exactly: a bit for each."""
    if rows is None or question.weights is None:
        return None
    pairs = rows.pairs
    zero = pairs.signs(to_moved(pairs, question.weights)) == 0
    return {number: np.packbits(zero.reshape(pairs.n_rows, -1).any(axis=1))}


def both_masks(one: dict[int, np.ndarray], other: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
    """Those of the partitions of both."""
    return one | other
