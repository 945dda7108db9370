"""Scores that look at more than right and wrong: how well answers are ranked, and what their probabilities are worth.

They are scikit-learn's: area under the ROC curve and average precision (of several classes each against the rest, the plain mean), log
loss, Brier score, and Matthews' correlation.  Of a cross-validation they are the means over its parts, each with a separate
model; curves and the calibration table are of all rows together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .results import Result

MOST_KEPT = 500_000  # numbers of all answers that are kept, some 50 MB with the sorting; of more rows every second, fourth, ... one
MOST_POINTS = 100  # of a curve
BINS = 10  # of a calibration table


class KeptAnswers(NamedTuple):
    """What was answered about some rows: those whose numbers are multiples of ``step``."""

    true: np.ndarray  # places among ``classes``; -1: a label that the model does not know
    scores: np.ndarray  # (rows, classes): probabilities where the model has them
    rows: np.ndarray  # their numbers
    classes: tuple[str, ...] = ()
    probable: bool = False
    step: int = 1

    def thinned(self) -> KeptAnswers:
        """No more than ``MOST_KEPT`` numbers of them."""
        found = self
        while found.scores.size > MOST_KEPT:
            step = 2 * found.step
            kept = found.rows % step == 0
            found = found._replace(true=found.true[kept], scores=found.scores[kept], rows=found.rows[kept], step=step)
        return found


def both_kept(one: KeptAnswers | None, other: KeptAnswers | None) -> KeptAnswers | None:
    """The answers of both."""
    if one is None or other is None:
        return one or other
    step = max(one.step, other.step)
    parts = [[part[each.rows % step == 0] for part in each[:3]] for each in (one, other)]
    true, scores, rows = (np.concatenate(pair) for pair in zip(*parts, strict=True))
    return one._replace(true=true, scores=scores, rows=rows, step=step).thinned()


@dataclass(frozen=True, kw_only=True)
class AtThreshold(Result):
    """What two classes' answers are if those are positive whose score, or probability, reaches a threshold."""

    threshold: float
    positive: str
    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int
    precision: float | None
    recall: float | None


@dataclass(frozen=True, kw_only=True)
class Measures(Result):
    """How well rows are ranked and, where there are probabilities, what these are worth."""

    of: str  # which rows
    rows: int
    positive: str | None  # of two classes
    auc: float | None
    average_precision: float | None
    matthews: float | None
    log_loss: float | None = None
    brier: float | None = None
    calibration: list[list[float]] | None = None  # of two classes: mean probability, share that is positive, rows
    roc: list[list[float]] | None = None  # false positive rate, true positive rate
    precision_recall: list[list[float]] | None = None  # recall, precision
    at_threshold: AtThreshold | None = None


def measure(
    of: str,
    parts: Sequence[KeptAnswers],
    confusion: Any,
    positive: str | None = None,
    threshold: float | None = None,
) -> Measures | None:
    """The measures of some parts, which have a model each; None of rows without scores."""
    parts = [_known(part) for part in parts]
    parts = [part for part in parts if len(part.true)]
    if not parts:
        return None
    classes, probable = parts[0].classes, parts[0].probable
    two = len(classes) == 2
    if positive is not None and (not two or positive not in classes):
        raise ValueError(f"positive is one of two classes: {', '.join(map(repr, classes))}; got {positive!r}.")
    if threshold is not None and not two:
        raise ValueError(f"threshold=... is for two classes, and there are {len(classes)}.")
    place = classes.index(positive) if positive is not None else 1
    whole = KeptAnswers(
        np.concatenate([part.true for part in parts]), np.concatenate([part.scores for part in parts]), parts[0].rows
    )
    from sklearn import metrics  # when something is measured: it takes long to import

    def each(score: Any) -> float | None:
        """The mean over parts of the mean over classes, or of the positive class."""
        found = [
            score(part.true == k, part.scores[:, k])
            for part in parts
            for k in ([place] if two else range(len(classes)))
            if 0 < np.count_nonzero(part.true == k) < len(part.true)
        ]
        return float(np.mean(found)) if found else None

    found = Measures(
        of=of,
        rows=len(whole.true),
        positive=classes[place] if two else None,
        auc=each(metrics.roc_auc_score),
        average_precision=each(metrics.average_precision_score),
        matthews=matthews(confusion),
    )
    told: dict[str, Any] = {}
    if probable:
        told["log_loss"] = float(np.mean([_log_loss(part) for part in parts]))
        told["brier"] = float(np.mean([_brier(part) for part in parts]))
    own = whole.true == place
    if two and 0 < np.count_nonzero(own) < len(own):
        score = whole.scores[:, place]
        if probable:
            told["calibration"] = _calibration(own, score)
        wrong, right, _ = metrics.roc_curve(own, score)
        precision, recall, _ = metrics.precision_recall_curve(own, score)
        told["roc"], told["precision_recall"] = _curve(wrong, right), _curve(recall[::-1], precision[::-1])
    if threshold is not None:
        told["at_threshold"] = _at(threshold, classes[place], own, whole.scores[:, place])
    return Measures(**{**vars(found), **told})


def _known(part: KeptAnswers) -> KeptAnswers:
    """The rows of classes that the model knows."""
    there = part.true >= 0
    return part._replace(true=part.true[there], scores=part.scores[there], rows=part.rows[there])


def _log_loss(part: KeptAnswers) -> float:
    """As scikit-learn has it: probabilities no closer to 0 than a float's precision."""
    told = part.scores[np.arange(len(part.true)), part.true]
    return float(-np.log(np.clip(told, np.finfo(float).eps, 1.0)).mean())


def _brier(part: KeptAnswers) -> float:
    """The mean squared error of probabilities: of two classes of the one that is asked for, of more the sum over all."""
    truth = part.true[:, None] == np.arange(part.scores.shape[1])
    squares = np.square(part.scores - truth).sum(axis=1).mean()
    return float(squares / 2 if part.scores.shape[1] == 2 else squares)


def matthews(confusion: Any) -> float | None:
    """Matthews' correlation of true and answered classes (J. Gorodkin, Comparing two K-category assignments, 2004)."""
    true, told, n = (
        np.asarray(each, dtype=float) for each in (confusion.sum(axis=1), confusion.sum(axis=0), confusion.sum())
    )
    spread = (n * n - true @ true) * (n * n - told @ told)
    return float((n * confusion.trace() - true @ told) / np.sqrt(spread)) if spread > 0 else None


def _calibration(own: np.ndarray, score: np.ndarray) -> list[list[float]]:
    places = np.minimum((score * BINS).astype(int), BINS - 1)
    return [
        [float(score[places == k].mean()), float(own[places == k].mean()), int(np.count_nonzero(places == k))]
        for k in np.unique(places).tolist()
    ]


def _curve(x: np.ndarray, y: np.ndarray) -> list[list[float]]:
    """Some points of a curve, first and last among them."""
    places = np.unique(np.linspace(0, len(x) - 1, MOST_POINTS).round().astype(int))
    return np.column_stack([x, y])[places].tolist()


def _at(threshold: float, positive: str, own: np.ndarray, score: np.ndarray) -> AtThreshold:
    said = score >= threshold
    both, wrong, missed = (int(np.count_nonzero(each)) for each in (own & said, ~own & said, own & ~said))
    return AtThreshold(
        threshold=threshold,
        positive=positive,
        true_positive=both,
        false_positive=wrong,
        false_negative=missed,
        true_negative=len(own) - both - wrong - missed,
        precision=both / (both + wrong) if both + wrong else None,
        recall=both / (both + missed) if both + missed else None,
    )
