"""What a model gets right and wrong on the rows of a store, in one look at each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from ..estimators.base import class_answers, linear_scores
from ..inputs.threads import one_thread
from ..rows.store.ahead import ahead
from ..rows.store.bins import Bins, Histogram
from ..rows.store.blocks import Block, Schema
from ..rows.store.gather import BlockList, Members, as_matrix, in_order
from ..rows.store.row_store import Store
from .residuals import Misses, Tally


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
    store: Store | BlockList,
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
