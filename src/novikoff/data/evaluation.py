"""What a model gets right and wrong on the rows of a store, in one look at each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..blas import one_thread
from .ahead import ahead
from .blocks import Block, Schema
from .gather import Members, as_matrix, in_order
from .store import Store

MOST_BINS = 60
FINEST = 40  # bits of the largest margin that bins tell apart at most


class Histogram(NamedTuple):
    """Counts between neighbouring edges; zero is never inside a bin."""

    edges: np.ndarray  # (bins + 1,)
    counts: np.ndarray  # (bins,)


@dataclass(frozen=True)
class Evaluation:
    """What was found: of classes ``errors`` and ``confusion``, of numbers ``r2`` and ``mean_squared_error``.

    ``r2`` is None where all numbers are the same.  ``margins``: how far rows lie from the boundary, those on the wrong side negative; None of models without weights.
    """

    n: int
    errors: int = 0
    labels: tuple[str, ...] = ()  # sorted: those that the model knows and those that rows have
    confusion: np.ndarray = field(
        default_factory=lambda: np.zeros((0, 0), dtype=np.int64)
    )  # (labels, labels): how many rows of each label were answered each label
    r2: float | None = None
    mean_squared_error: float = 0.0
    margins: Histogram | None = None

    @property
    def accuracy(self) -> float | None:
        """The share of the rows that were answered right; None of no rows."""
        return 1 - self.errors / self.n if self.n else None


def evaluate(
    learner: Any, store: Store, schema: Schema, encoder: Any, members: Members | None = None, margins: bool = True
) -> Evaluation:
    """Ask the learner about every row that takes part.  ``margins=False`` leaves the histogram out."""
    if schema.task == "numbers":
        return _evaluate_numbers(learner, store, schema, encoder, members)
    known = learner.classes_.astype(str)
    labels = np.unique([*known, *schema.labels])
    answer_place = np.searchsorted(labels, known)
    true_place = np.searchsorted(labels, schema.labels)
    own_class = np.full(labels.size, -1)  # of a label that the model does not know
    own_class[answer_place] = np.arange(known.size)
    counts = np.zeros(labels.size**2, dtype=np.int64)
    bins = Bins()
    distance = Distance(learner) if margins and hasattr(learner, "coef_") else None

    def ask(block: Block) -> tuple[np.ndarray, np.ndarray]:
        """Which pairs of labels there are, true and answered, and how far rows are from the boundary."""
        X, true = as_matrix(block, schema, encoder), true_place[block.target]
        scores = learner.decision_function(X)
        pairs = true * labels.size + answer_place[_class_numbers(learner, X, scores)]
        if distance is None:
            return pairs, np.empty(0)
        return pairs, distance(learner._linear(X) if hasattr(learner, "votes_") else scores, own_class[true])

    with one_thread():
        for _, future in ahead(in_order(store, members), ask):
            pairs, distances = future.result()
            counts += np.bincount(pairs, minlength=counts.size)
            bins.add(distances)
    confusion = counts.reshape(labels.size, labels.size)
    n, right = int(confusion.sum()), int(confusion.trace())
    return Evaluation(n, n - right, tuple(labels.tolist()), confusion, margins=bins.histogram())


def _class_numbers(learner: Any, X: Any, scores: np.ndarray) -> np.ndarray:
    """What ``predict`` answers, as places in ``classes_``: texts are slow to compare."""
    if hasattr(learner, "_answers"):
        return learner._answers(scores)
    return np.searchsorted(learner.classes_, learner.predict(X))


def _evaluate_numbers(learner: Any, store: Store, schema: Schema, encoder: Any, members: Members | None) -> Evaluation:
    """Sums of squares, put together part by part (Chan, Golub and LeVeque 1983)."""
    n, mean, spread, missed = 0, 0.0, 0.0, 0.0
    for block in in_order(store, members):
        wanted = block.target
        missed += float(np.square(learner.predict(as_matrix(block, schema, encoder)) - wanted).sum())
        middle, size = float(wanted.mean()), len(wanted)
        spread += float(np.square(wanted - middle).sum()) + (middle - mean) ** 2 * (n * size / (n + size))
        mean += (middle - mean) * (size / (n + size))
        n += size
    if not n:
        return Evaluation(0)
    return Evaluation(n, r2=1 - missed / spread if spread else None, mean_squared_error=missed / n)


class Distance:
    """Distances of rows from the boundary between their class and its best rival, positive on the right side."""

    def __init__(self, learner: Any) -> None:
        coef = learner.coef_.astype(np.float64)
        self._two = len(coef) == 1
        if self._two:
            self._norms = np.array([[np.linalg.norm(coef)]])
        else:
            self._norms = np.array([np.linalg.norm(coef - own, axis=1) for own in coef])

    def __call__(self, scores: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Of the rows whose own class is one, and whose weights are not the same as the rival's."""
        known = own >= 0
        scores, own = scores[known], own[known]
        if self._two:
            leads, norms = np.where(own == 1, scores, -scores), self._norms[0]
        else:
            rows = np.arange(len(own))
            rivals = scores.astype(np.float64)
            rivals[rows, own] = -np.inf
            best = rivals.argmax(axis=1)
            leads, norms = scores[rows, own] - rivals[rows, best], self._norms[own, best]
        with np.errstate(divide="ignore", invalid="ignore"):
            distances = leads / norms
        return distances[np.isfinite(distances)]


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
        if not values.size:
            return
        self._low, self._high = min(self._low, float(values.min())), max(self._high, float(values.max()))
        exponent = self._fitting()
        places = np.floor(np.ldexp(values.astype(np.float64), -exponent)).astype(np.int64)
        before = (
            (self._first + np.arange(self._counts.size)) >> (exponent - self._exponent)
            if self._counts.size
            else places[:0]
        )
        self._exponent = exponent
        self._first, last = (int(np.floor(np.ldexp(end, -exponent))) for end in (self._low, self._high))
        counts = np.bincount(places - self._first, minlength=last - self._first + 1)
        np.add.at(counts, before - self._first, self._counts)
        self._counts = counts

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
