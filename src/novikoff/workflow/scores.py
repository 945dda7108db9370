"""How good answers are: sums over rows, so that those of several partitions merge into those of all.

Of classes they are errors, confusion and a histogram of distances from the boundary; of numbers R squared, residuals and some rows
to draw.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..estimators.base import class_answers, linear_scores
from ..inputs.threads import ahead, one_thread
from ..rows.store.blocks import Block, Schema
from ..rows.store.gather import Members, RowBlocks, as_matrix, in_order

MOST_BINS = 60
FINEST = 40  # bits of the largest number that bins tell apart at most
POINTS = 500  # rows that are drawn at most


# Histograms


class Histogram(NamedTuple):
    """Counts between neighbouring edges; zero is never inside a bin."""

    edges: np.ndarray  # (bins + 1,)
    counts: np.ndarray  # (bins,)


class Bins:
    """Counts numbers as they come in bins ``[k 2^e, (k + 1) 2^e)``: e is the smallest that needs no more than ``MOST_BINS``.

    When numbers come that need more, pairs of neighbouring bins become one, so that all is as if they had come together.
    """

    def __init__(self) -> None:
        self._low, self._high = np.inf, -np.inf
        self._exponent = self._first = 0
        self._counts = np.zeros(0, dtype=np.int64)

    def add(self, values: np.ndarray) -> None:
        """Count these."""
        if values.size:
            self._widen(float(values.min()), float(values.max()))
            places = np.floor(np.ldexp(values.astype(np.float64), -self._exponent)).astype(np.int64)
            self._counts += np.bincount(places - self._first, minlength=self._counts.size)

    def take(self, other: Bins) -> None:
        """Count what another has counted."""
        if other._counts.size:
            self._widen(other._low, other._high)
            np.add.at(self._counts, other._places(self._exponent) - self._first, other._counts)

    def _widen(self, low: float, high: float) -> None:
        """Have bins for numbers from ``low`` to ``high``, too."""
        self._low, self._high = min(self._low, low), max(self._high, high)
        exponent = self._fitting()
        places = self._places(exponent)
        self._first, last = (int(np.floor(np.ldexp(end, -exponent))) for end in (self._low, self._high))
        counts = np.zeros(last - self._first + 1, dtype=np.int64)
        np.add.at(counts, places - self._first, self._counts)
        self._exponent, self._counts = exponent, counts

    def _places(self, exponent: int) -> np.ndarray:
        """Where the bins lie among those of a larger exponent."""
        places = self._first + np.arange(self._counts.size)
        return places >> (exponent - self._exponent) if places.size else places

    def _fitting(self) -> int:
        exponent = int(np.frexp(max(abs(self._low), abs(self._high)))[1]) - FINEST
        while np.floor(np.ldexp(self._high, -exponent)) - np.floor(np.ldexp(self._low, -exponent)) >= MOST_BINS:
            exponent += 1
        return exponent

    def histogram(self) -> Histogram | None:
        """What was counted; None if there was nothing."""
        if not self._counts.size:
            return None
        return Histogram(np.ldexp(self._first + np.arange(self._counts.size + 1.0), self._exponent), self._counts)


# What a regressor misses by


def pooled(one: tuple[float, float, float], other: tuple[float, float, float]) -> tuple[float, float]:
    """Mean and spread of the numbers of two sets, of which each has its size, mean and spread, ``sum (d - mean)^2``
    (Chan, Golub and LeVeque 1983)."""
    (n, mean, spread), (size, middle, more) = one, other
    apart, total = middle - mean, n + size
    return mean + apart * (size / total), spread + (more + apart**2 * (n * size / total))


class Misses(NamedTuple):
    """Of some rows: residuals are what was wanted less what was answered."""

    n: int
    r2: float | None  # None where all numbers are the same
    mean_squared_error: float
    mean_absolute_error: float
    largest: float  # residual, whatever its sign
    residuals: Histogram | None
    points: np.ndarray  # (some rows, 2): wanted, answered


class Tally:
    """Adds up what is missed, part by part."""

    def __init__(self) -> None:
        self._n, self._mean, self._spread, self._squares, self._sizes, self._largest = 0, 0.0, 0.0, 0.0, 0.0, 0.0
        self._bins = Bins()
        self._points, self._step = np.empty((0, 3)), 1

    def add(self, wanted: np.ndarray, answered: np.ndarray, rows: np.ndarray) -> None:
        """Count these rows."""
        missed = wanted - answered
        middle = float(wanted.mean())
        self._join(len(wanted), middle, float(np.square(wanted - middle).sum()))
        self._squares += float(np.square(missed).sum())
        self._sizes += float(np.abs(missed).sum())
        self._largest = max(self._largest, float(np.abs(missed).max()))
        self._bins.add(missed[np.isfinite(missed)])
        self._keep_some(np.column_stack([wanted, answered, rows]))

    def take(self, other: Tally) -> None:
        """Count what another has counted."""
        if other._n:
            self._join(other._n, other._mean, other._spread)
            self._squares += other._squares
            self._sizes += other._sizes
            self._largest = max(self._largest, other._largest)
            self._bins.take(other._bins)
            self._step = max(self._step, other._step)
            self._keep_some(other._points)

    def _join(self, size: int, mean: float, spread: float) -> None:
        self._mean, self._spread = pooled((self._n, self._mean, self._spread), (size, mean, spread))
        self._n += size

    def _keep_some(self, points: np.ndarray) -> None:
        """Keep the rows whose numbers are multiples of a step, the smallest power of two that leaves few enough."""
        points = np.concatenate([self._points, points])
        points = points[points[:, 2] % self._step == 0]
        while len(points) > POINTS:
            self._step *= 2
            points = points[points[:, 2] % self._step == 0]
        self._points = points

    def misses(self) -> Misses:
        """What was counted."""
        n = self._n
        r2 = 1 - self._squares / self._spread if self._spread else None
        points = self._points[:, :2]
        return Misses(
            n, r2, self._squares / max(n, 1), self._sizes / max(n, 1), self._largest, self._bins.histogram(), points
        )


# What a model does on blocks of rows


@dataclass(frozen=True)
class Evaluation:
    """What was found: of classes ``errors`` and ``confusion``, of numbers ``misses``."""

    n: int
    errors: int = 0
    labels: tuple[str, ...] = ()  # sorted: those that the model knows and those that rows have
    confusion: sparse.csr_array = field(
        default_factory=lambda: sparse.csr_array((0, 0), dtype=np.int64)
    )  # (labels, labels): how many rows of each label were answered each label
    distances: Bins = field(default_factory=Bins)
    tally: Tally = field(default_factory=Tally)

    @property
    def margins(self) -> Histogram | None:
        """How far rows lie from the boundary, those on the wrong side negative; None of models without weights."""
        return self.distances.histogram()

    @property
    def misses(self) -> Misses:
        """What was missed of numbers."""
        return self.tally.misses()

    @property
    def accuracy(self) -> float | None:
        """The share of the rows that were answered right; None of no rows."""
        return 1 - self.errors / self.n if self.n else None


def evaluate(
    learner: Any,
    store: RowBlocks,
    schema: Schema,
    encoder: Any,
    members: Members | None = None,
    margins: bool = True,
) -> Evaluation:
    """Ask the learner about every row that takes part.  ``margins=False`` leaves the histogram out."""
    blocks = in_order(store, members, outputs=answers_a_row(learner))
    return evaluate_blocks(learner, schema, encoder, margins, blocks)


def answers_a_row(learner: Any) -> int:
    """How many scores a learner has for each row."""
    return len(getattr(learner, "classes_", [None]))


def evaluate_blocks(learner: Any, schema: Schema, encoder: Any, margins: bool, blocks: Iterable[Block]) -> Evaluation:
    """Ask the learner about every row of some blocks."""
    if schema.task == "numbers":
        return _evaluate_numbers(learner, schema, encoder, blocks)
    known = learner.classes_.astype(str).tolist()
    labels = sorted({*known, *schema.labels})
    place = {label: number for number, label in enumerate(labels)}
    answer_place, true_place = (np.array([place[each] for each in texts]) for texts in (known, schema.labels))
    own_class = np.full(len(labels), -1)  # of a label that the model does not know
    own_class[answer_place] = np.arange(len(known))
    confusion = sparse.csr_array((len(labels), len(labels)), dtype=np.int64)
    bins = Bins()
    distance = Distance(learner) if margins and hasattr(learner, "coef_") else None

    def ask(block: Block) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
        """Which pairs of labels there are, true and answered, and how far rows are from the boundary."""
        X, true = as_matrix(block, schema, encoder), true_place[block.target]
        scores = learner.decision_function(X)
        pairs = true, answer_place[answered_classes(learner, X, scores)]
        if distance is None:
            return pairs, np.empty(0)
        return pairs, distance(linear_scores(learner, X) if hasattr(learner, "votes_") else scores, own_class[true])

    with one_thread():
        for _, future in ahead(blocks, ask):
            pairs, distances = future.result()
            ones = np.ones(len(pairs[0]), dtype=np.int64)
            confusion += sparse.coo_array((ones, pairs), shape=confusion.shape).tocsr()
            bins.add(distances)
    n, right = int(confusion.sum()), int(confusion.trace())
    return Evaluation(n, n - right, tuple(labels), confusion, bins)


def both_evaluations(one: Evaluation, other: Evaluation) -> Evaluation:
    """What was found of the rows of both, in this order, by the same learner."""
    distances, tally = Bins(), Tally()
    for each in (one, other):
        distances.take(each.distances)
        tally.take(each.tally)
    confusion = one.confusion + other.confusion
    return Evaluation(one.n + other.n, one.errors + other.errors, one.labels, confusion, distances, tally)


def answered_classes(learner: Any, X: Any, scores: np.ndarray | None = None) -> np.ndarray:
    """What ``predict`` answers, as places in ``classes_``: texts are slow to compare, and each takes as much as the longest."""
    if hasattr(learner, "_answers"):
        return class_answers(learner, learner.decision_function(X) if scores is None else scores)
    return np.asarray(np.searchsorted(learner.classes_, learner.predict(X)))


def _evaluate_numbers(learner: Any, schema: Schema, encoder: Any, blocks: Iterable[Block]) -> Evaluation:
    tally = Tally()
    for block in blocks:
        tally.add(block.target, learner.predict(as_matrix(block, schema, encoder)), block.rows)
    return Evaluation(tally.misses().n, tally=tally)


class Distance:
    """Distances of rows from the boundary between their class and its best rival, positive on the right side."""

    def __init__(self, learner: Any) -> None:
        self._coef = learner.coef_.astype(np.float64)
        self._two = len(self._coef) == 1

    def __call__(self, scores: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Of the rows whose own class is one, and whose weights are not the same as the rival's."""
        known = own >= 0
        scores, own = scores[known], own[known]
        if self._two:
            leads, norms = np.where(own == 1, scores, -scores), np.full(1, np.linalg.norm(self._coef))
        else:
            rows = np.arange(len(own))
            rivals = scores.astype(np.float64)
            rivals[rows, own] = -np.inf
            best = rivals.argmax(axis=1)
            leads, norms = scores[rows, own] - rivals[rows, best], self._between(own, best)
        with np.errstate(divide="ignore", invalid="ignore"):
            distances = leads / norms
        return distances[np.isfinite(distances)]

    def _between(self, own: np.ndarray, best: np.ndarray) -> np.ndarray:
        """The lengths of the differences of two classes' weights; of all pairs of many classes there would be too many."""
        pairs, place = np.unique(own * len(self._coef) + best, return_inverse=True)
        one, other = np.divmod(pairs, len(self._coef))
        lengths = [np.linalg.norm(self._coef[i] - self._coef[j]) for i, j in zip(one, other, strict=True)]
        return np.array(lengths)[place]
