"""What an accuracy hides: how a model does on each class, and whether it does more than name the largest one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..inputs.counts import count
from ..inputs.readable import cut, share
from .documents import Result

MOST_SQUARES = 200  # classes whose confusion is told as a square
FEW = 0.1  # of the rows of all other classes: a model that gives fewer than these another answer knows one class only
REMEDY = (
    "Other columns, more passes, another learner or, for classes, parameters={'class_weight': 'balanced'} may help."
)


@dataclass(frozen=True, kw_only=True)
class ClassScore(Result):
    """How a model does on the rows of a class; None where there is nothing to divide by."""

    label: str
    rows: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, kw_only=True)
class ScoresByClass(Result):
    """The share of the largest class, which always answering that would score; balanced accuracy; and every class."""

    chance: float | None
    largest_class: str | None
    balanced_accuracy: float | None
    per_class: list[ClassScore]


@dataclass(frozen=True, kw_only=True)
class Confusion(Result):
    """Which classes were answered for which: a square of ``counts``, true classes down and answers across; of very many
    classes ``pairs`` of a true class and an answer, by their places among the labels, with their rows."""

    of: str  # which rows: "training", "held-out", ...
    labels: list[str]
    counts: list[list[int]] | None = None
    pairs: list[list[int]] | None = None


def by_class(labels: Sequence[str], confusion: Any) -> ScoresByClass:
    """The share of the largest class, balanced accuracy, and precision, recall and F1 of each class.

    Balanced accuracy is the mean of the recalls of the classes that rows have: 1 over their number for a model that always
    gives the same answer, however frequent that is (K. H. Brodersen and others, The balanced accuracy and its posterior
    distribution, 2010).
    """
    rows = confusion.sum(axis=1)
    classes = per_class(labels, confusion)
    recalls = [each.recall for each in classes if each.recall is not None]
    return ScoresByClass(
        chance=float(rows.max() / rows.sum()) if rows.sum() else None,
        largest_class=labels[int(rows.argmax())] if rows.sum() else None,
        balanced_accuracy=float(np.mean(recalls)) if recalls else None,
        per_class=classes,
    )


def confusion_of(of: str, labels: Sequence[str], confusion: Any) -> Confusion:
    """A confusion as it is told."""
    if len(labels) <= MOST_SQUARES:
        return Confusion(of=of, labels=list(labels), counts=confusion.toarray().tolist())
    found = confusion.tocoo()
    return Confusion(of=of, labels=list(labels), pairs=np.column_stack([*found.coords, found.data]).tolist())


def per_class(labels: Sequence[str], confusion: Any) -> list[ClassScore]:
    """Precision, recall and F1 of every class."""
    right, told, true = confusion.diagonal(), confusion.sum(axis=0), confusion.sum(axis=1)
    return [
        ClassScore(
            label=label,
            rows=int(true[k]),
            precision=float(right[k] / told[k]) if told[k] else None,
            recall=float(right[k] / true[k]) if true[k] else None,
            f1=float(2 * right[k] / (told[k] + true[k])) if told[k] + true[k] else None,
        )
        for k, label in enumerate(labels)
    ]


def doubt(labels: Sequence[str], confusion: Any, of: str) -> str | None:
    """Says so, if the model does no more, or hardly more, than give every row the same answer."""
    true, told, n = confusion.sum(axis=1), confusion.sum(axis=0), int(confusion.sum())
    if np.count_nonzero(true) < 2:
        return None
    usual = int(told.argmax())
    answer, rest = cut(labels[usual], 40), n - int(told[usual])
    largest, right = int(true.max()), int(confusion.trace())
    if rest == 0:
        return f"The answer is {answer!r} for all {count(n)} {of} rows: the model tells nothing apart."
    if rest < FEW * (n - true[usual]):
        others = count(int(n - true[usual]))
        return f"The answer is {answer!r} for all but {count(rest)} of {count(n)} {of} rows, {others} of another class."
    if right <= largest:
        always = cut(labels[int(true.argmax())], 40)
        return (
            f"Of {count(n)} {of} rows {share(right / n)} are right, no more than if the answer were always {always!r} "
            f"({share(largest / n)})."
        )
    return None


def doubt_of_numbers(r2: float | None, of: str) -> str | None:
    """The same for a regressor: always answering the mean has an R² of 0."""
    if r2 is None or r2 > 0:
        return None
    return f"Of {of} rows R² is {r2:.3g}: the answers are no better than always the mean of the target."


def advise(said: str | None) -> list[str]:
    """A doubt as a list of warnings, with what may help."""
    return [f"{said} {REMEDY}"] if said else []
