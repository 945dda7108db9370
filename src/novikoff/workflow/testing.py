"""How good a learner is on rows it has not learned from, held out or part by part; and what an accuracy hides: each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ..inputs.counts import count
from ..inputs.keywords import keyword
from ..inputs.readable import cut, share
from ..rows.store.splits import PartOf, Split
from .documents import Result
from .loading import Rows
from .scores import Evaluation, both_evaluations
from .training import evaluate_rows, fit_encoder, lenient, train
from .watching import stopwatch

SMALL = 20_000  # rows up to which learning several times costs little
SHARE, PARTS = 0.1, 5  # held out of larger data; parts of smaller ones
WILSON = 1.96  # deviations of a normal distribution that 95% stay within
MOST_SQUARES = 200  # classes whose confusion is told as a square
FEW = 0.1  # of the rows of all other classes: a model that gives fewer than these another answer knows one class only
REMEDY = (
    "Other columns, more passes, another learner or, for classes, parameters={'class_weight': 'balanced'} may help."
)


class AskedTest(NamedTuple):
    """How a learner is to be tested; if nothing is said, as suits the number of rows."""

    folds: int | None = None
    hold_out: float | None = None  # share of the rows
    no_test: bool = False


class Plan(NamedTuple):
    """How to test: neither of both means not at all."""

    share: float = 0.0
    parts: int = 0


@dataclass(frozen=True, kw_only=True)
class HeldOutScore(Result):
    """The score on rows that were kept apart; of an accuracy with a 95% interval."""

    kind: str = "held-out"
    metric: str
    score: float | None
    low: float | None = None
    high: float | None = None
    spread_is: str | None = None  # what the interval says
    errors: int | None = None
    rows: int


@dataclass(frozen=True, kw_only=True)
class CrossValidatedScore(Result):
    """The score on all rows, each asked of a learner that had not seen it."""

    kind: str = "cross-validated"
    metric: str
    score: float | None
    spread: float | None
    spread_is: str | None
    errors: int | None  # of numbers None
    rows: int
    folds: list[float]  # the score of each
    seconds: float  # of one fit: the median


def plan(asked: AskedTest, n_rows: int) -> Plan:
    """What is asked for; by itself, a cross-validation of small data and rows held out of large ones."""
    if sum([asked.folds is not None, asked.hold_out is not None, asked.no_test]) > 1:
        raise ValueError("Choose one of folds=..., hold_out=... and test=False.")
    if asked.no_test:
        return Plan()
    if asked.hold_out is not None:
        if not 0 < asked.hold_out < 1:
            raise ValueError(f"{keyword('hold_out', asked.hold_out)} must lie between 0 and 1, both left out.")
        held = round(asked.hold_out * n_rows)
        if not 0 < held < n_rows:
            raise ValueError(
                f"{keyword('hold_out', asked.hold_out)} holds out {held or 'none'} of {n_rows} rows: hold out {'fewer' if held else 'more'}, or pass "
                "folds=5."
            )
        return Plan(share=asked.hold_out)
    if asked.folds is None and n_rows < PARTS:
        return Plan()  # nothing could be said of so few
    parts = asked.folds or (PARTS if n_rows <= SMALL else 0)
    if parts:
        refuse_too_many(parts, n_rows)
    return Plan(parts=parts) if parts else Plan(share=SHARE)


def refuse_too_many(folds: int, n_rows: int) -> None:
    """Refuse folds that rows would not suffice for."""
    if folds > n_rows:
        raise ValueError(f"{keyword('folds', folds)} is more than the {n_rows} rows: choose from 2 to {n_rows}.")


def test_held_out(rows: Rows, trained: Any, members: PartOf) -> tuple[HeldOutScore, Evaluation]:
    """The score on held-out rows of a learner that has not seen them."""
    found = evaluate_rows(rows, trained.learner, lenient(trained.encoder), members)
    if rows.schema.task == "numbers":
        return HeldOutScore(metric="r2", score=found.misses.r2, rows=found.n), found
    low, high = wilson(found.n - found.errors, found.n)
    return HeldOutScore(
        metric="accuracy",
        score=found.accuracy,
        low=low,
        high=high,
        spread_is="95% interval for rows drawn as these were",
        errors=found.errors,
        rows=found.n,
    ), found


def cross_validate(
    rows: Rows, learner: Any, splits: list[Split], seed: int, standardise: bool, title: str
) -> tuple[CrossValidatedScore, Evaluation]:
    """The score on each part of a learner that has learned from the others; encoders, too, see the others only."""
    found, times = [], []
    for number, split in enumerate(splits, 1):
        with stopwatch() as watch:
            # A rare value may be in one part only.
            encoder = lenient(fit_encoder(rows, split.train, standardise, gaps=True))
            try:
                trained = train(
                    rows, clone(learner), encoder, split.train, seed, title=f"{title} {number}/{len(splits)}"
                )
            except ValueError as error:
                raise ValueError(f"Part {number} of the cross-validation cannot be tested: {error}") from None
            if trained.ending is not None and trained.ending.interrupted:
                raise KeyboardInterrupt
            times.append(watch.seconds)
        found.append(evaluate_rows(rows, trained.learner, encoder, split.test, margins=False))
    numbers = rows.schema.task == "numbers"
    each = [part.misses.r2 if numbers else part.accuracy for part in found]
    scores = [one for one in each if one is not None]  # R² of rows whose numbers are all the same is None
    spread = float(np.std(scores, ddof=1)) if len(scores) == len(splits) else None
    tested = reduce(both_evaluations, found)
    return CrossValidatedScore(
        metric="r2" if numbers else "accuracy",
        score=tested.misses.r2 if numbers else float(tested.confusion.trace() / tested.n),
        spread=spread,
        spread_is=None if spread is None else spread_over(len(splits), tested.n),
        errors=None if numbers else tested.errors,
        rows=tested.n,
        folds=scores,
        seconds=float(np.median(times)),
    ), tested


def spread_over(folds: int, rows: int) -> str:
    """What ± says of a cross-validation."""
    each = count(rows // folds) + (f" or {count(rows // folds + 1)}" if rows % folds else "")
    return f"standard deviation of {count(folds)} scores, of {each} row{'s' * (each != '1')} each"


def wilson(right: int, n: int) -> tuple[float, float]:
    """A 95% interval of a share (E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927)."""
    p, z2 = right / n, WILSON**2
    middle, half = p + z2 / (2 * n), WILSON * (p * (1 - p) / n + z2 / (4 * n * n)) ** 0.5
    return max(0.0, (middle - half) / (1 + z2 / n)), min(1.0, (middle + half) / (1 + z2 / n))


# What an accuracy hides: how a model does on each class, and whether it does more than name the largest one


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
