"""How good answers are: sums over rows, so that those of several partitions merge into those of all.

Of classes they are errors, confusion and a histogram of distances from the boundary; of numbers R squared, residuals and some rows
to draw.  Where there are scores or probabilities, both are ranked and weighed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..estimators.base import class_answers, linear_scores
from ..report.words import count, cut, share
from ..rows.store.blocks import Block, Schema
from ..rows.store.row_store import Members, RowBlocks, as_matrix, in_order
from ..system.threads import ahead, one_thread
from .results import Result

MOST_BINS = 60
FINEST = 40  # bits of the largest number that bins tell apart at most
POINTS = 500  # rows that are drawn at most
MOST_KEPT = 500_000  # numbers of all answers that are kept, some 50 MB with the sorting; of more rows every second, fourth, ... one
MOST_POINTS = 100  # of a curve
BINS = 10  # of a calibration table


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
    kept: KeptAnswers | None = None  # scores of rows, if they were asked for
    parts: list[KeptAnswers] = field(default_factory=list)  # of a cross-validation: those of each part

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
    keep: bool = False,
) -> Evaluation:
    """Ask the learner about every row that takes part.  ``margins=False`` leaves the histogram out; ``keep`` keeps the scores."""
    blocks = in_order(store, members, outputs=answers_a_row(learner))
    return evaluate_blocks(learner, schema, encoder, margins, keep, blocks)


def answers_a_row(learner: Any) -> int:
    """How many scores a learner has for each row."""
    return len(getattr(learner, "classes_", [None]))


def evaluate_blocks(
    learner: Any, schema: Schema, encoder: Any, margins: bool, keep: bool, blocks: Iterable[Block]
) -> Evaluation:
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
    probable, kept = hasattr(learner, "predict_proba"), None

    def ask(block: Block) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, KeptAnswers | None]:
        """Which pairs of labels there are, true and answered, how far rows are from the boundary, and their scores."""
        X, true = as_matrix(block, schema, encoder), true_place[block.target]
        scores = learner.decision_function(X)
        pairs = true, answer_place[class_answers(learner, X, scores)]
        own = None
        if keep:
            told = learner.predict_proba(X) if probable else scores
            told = np.column_stack([-told, told]) if told.ndim == 1 else told
            own = KeptAnswers(own_class[true], told, block.rows, tuple(known), probable).thinned()
        if distance is None:
            return pairs, np.empty(0), own
        return (
            pairs,
            distance(linear_scores(learner, X) if hasattr(learner, "votes_") else scores, own_class[true]),
            own,
        )

    with one_thread():
        for _, future in ahead(blocks, ask):
            pairs, distances, own = future.result()
            kept = both_kept(kept, own)
            ones = np.ones(len(pairs[0]), dtype=np.int64)
            confusion += sparse.coo_array((ones, pairs), shape=confusion.shape).tocsr()
            bins.add(distances)
    n, right = int(confusion.sum()), int(confusion.trace())
    return Evaluation(n, n - right, tuple(labels), confusion, bins, kept=kept)


def both_evaluations(one: Evaluation, other: Evaluation) -> Evaluation:
    """What was found of the rows of both, in this order, by the same learner."""
    distances, tally = Bins(), Tally()
    for each in (one, other):
        distances.take(each.distances)
        tally.take(each.tally)
    confusion = one.confusion + other.confusion
    kept = both_kept(one.kept, other.kept)
    return Evaluation(one.n + other.n, one.errors + other.errors, one.labels, confusion, distances, tally, kept)


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


WILSON = 1.96  # deviations of a normal distribution that 95% stay within
MOST_SQUARES = 200  # classes whose confusion is told as a square
FEW = 0.1  # of the rows of all other classes: a model that gives fewer than these another answer knows one class only
REMEDY = (
    "Other columns, more passes, another learner or, for classes, parameters={'class_weight': 'balanced'} may help."
)


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
        return f"The model gives all {count(n)} {of} rows the same answer, {answer!r}."
    if rest < FEW * (n - true[usual]):
        others = count(int(n - true[usual]))
        return f"The model answers {answer!r} for {count(n - rest)} of {count(n)} {of} rows, though {others} are of another class."
    if right <= largest:
        always = cut(labels[int(true.argmax())], 40)
        return (
            f"The model is right on {share(right / n)} of {count(n)} {of} rows; always answering {always!r} would be right on "
            f"{share(largest / n)}."
        )
    return None


def doubt_of_numbers(r2: float | None, of: str) -> str | None:
    """The same for a regressor: always answering the mean has an R² of 0."""
    if r2 is None or r2 > 0:
        return None
    return f"R² on {of} rows is {r2:.3g}, no better than always answering the mean of the target (0)."


def advise(said: str | None) -> list[str]:
    """A doubt as a list of warnings, with what may help."""
    return [f"{said} {REMEDY}"] if said else []


# Scores that look at more than right and wrong: how well answers are ranked, and what their probabilities are worth.
#
# They are those of scikit-learn, whose module of them takes long to import: area under the ROC curve and average precision (of several classes each against the rest, the plain mean), log
# loss, Brier score, and Matthews' correlation.  Of a cross-validation they are the means over its parts, each with a separate
# model; curves and the calibration table are of all rows together.


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
        auc=each(area_under_roc),
        average_precision=each(average_precision),
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
        told["roc"], told["precision_recall"] = (
            _curve(*roc_curve(own, score)),
            _curve(*precision_recall_curve(own, score)),
        )
    if threshold is not None:
        told["at_threshold"] = _at(threshold, classes[place], own, whole.scores[:, place])
    return Measures(**{**vars(found), **told})


def _said_positive(own: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many rows are said to be positive, wrongly and rightly, at every threshold that tells rows apart, from high to low."""
    order = np.argsort(-score, kind="stable")
    last = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))  # of equal scores
    right = np.cumsum(own[order])[last]
    return last + 1 - right, right


def roc_curve(own: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """False and true positive rates, from (0, 0) on; only where the curve bends (scikit-learn's ``roc_curve``)."""
    wrong, right = _said_positive(own, score)
    bends = np.flatnonzero((np.diff(wrong, 2) != 0) | (np.diff(right, 2) != 0)) + 1
    kept = np.unique([0, *bends, len(wrong) - 1])
    return np.append(0.0, wrong[kept] / wrong[-1]), np.append(0.0, right[kept] / right[-1])


def precision_recall_curve(own: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Recall and precision, from (0, 1) on (scikit-learn's ``precision_recall_curve``, the other way round)."""
    wrong, right = _said_positive(own, score)
    return np.append(0.0, right / right[-1]), np.append(1.0, right / (wrong + right))


def area_under_roc(own: np.ndarray, score: np.ndarray) -> float:
    """The share of pairs of a positive row and a negative one that the scores put in order; equal scores count half."""
    return float(np.trapezoid(*reversed(roc_curve(own, score))))


def average_precision(own: np.ndarray, score: np.ndarray) -> float:
    """The mean of the precision over recall, by steps."""
    recall, precision = precision_recall_curve(own, score)
    return float(np.diff(recall) @ precision[1:])


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
