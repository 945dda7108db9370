"""What linear classifiers share: classes, also of a stream, errors, answers."""

from __future__ import annotations

from functools import partial
from operator import add
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from ..checks.arrays import class_factors, distinct_labels, find_classes, read_X
from ..checks.sklearn_parts import ClassifierMixin, StrOptions, available_if
from ..learn.keeps import Votes
from ..learn.learning import Learning, Outcome, Part, RowSource
from ..learn.rows import natural, public
from ..learn.state import MISTAKES
from ..system.backends import backend_of, on_backend
from .base import LinearLearner, learn_on, linear_scores

ONE_CLASS_LEFT = "class_weight leaves rows of one class at most: give two classes a positive weight."
SCORES_AT_ONCE = 10_000_000  # held in memory


class LinearAnswers:
    """Predictions of a classifier that has ``coef_``, ``intercept_`` and ``classes_``."""

    coef_: np.ndarray
    intercept_: np.ndarray
    classes_: np.ndarray

    @on_backend
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores: for two classes one number for each row, positive for ``classes_[1]``; else one for each class.

        With ``keep="vote"``, shares of the vote: that of ``classes_[1]`` minus that of ``classes_[0]``, or that of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number for each row; for three or more classes, one for each row and class.
        """
        check_is_fitted(self, "coef_")
        return self._decide(read_X(self, X, reset=False))

    @on_backend
    def predict(self, X: Any) -> np.ndarray:
        """The class of every row: ``classes_[1]`` for a positive score, ``classes_[0]`` otherwise, also for a tie.

        For several classes, the first class with the largest score.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        scores = self.decision_function(X)
        return self.classes_[self._answers(scores)]

    @on_backend
    def signed_distance(self, X: Any) -> np.ndarray:
        """Distance of every row from the hyperplane of ``coef_`` and ``intercept_``, positive on the side of ``classes_[1]``.

        For several classes, the distance from each class's own hyperplane.  If all weights are zero, there is no hyperplane: the
        distance is infinite, with the sign of the intercept, or 0 if that is zero too.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number for each row; for three or more classes, one for each row and class.
        """
        check_is_fitted(self, "coef_")
        scores = self._linear(read_X(self, X, reset=False))
        largest = np.abs(self.coef_).max(axis=1, initial=0.0)
        safe = np.where(largest > 0, largest, 1)  # keeps squares of tiny and huge weights in range
        norms = np.linalg.norm(self.coef_ / safe[:, None], axis=1)
        norms = norms[0] if scores.ndim == 1 else norms
        safe = safe[0] if scores.ndim == 1 else safe
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(scores == 0, 0.0, scores / safe / norms)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy of ``predict(X)``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.

        Returns
        -------
        float
            The share of the rows that are right, by weight.
        """
        backend = backend_of(X)
        if backend is not None:
            return backend.score(self, X, y, sample_weight)
        accuracy: float = super().score(X, y, sample_weight)  # type: ignore[misc]
        return accuracy

    def _answers(self, scores: np.ndarray) -> np.ndarray:
        """Class numbers for scores."""
        if scores.ndim == 2:
            return scores.argmax(axis=1)
        return (scores > 0).astype(np.intp) if len(self.classes_) == 2 else np.zeros(len(scores), dtype=np.intp)

    def _decide(self, X: Any) -> np.ndarray:
        return self._linear(X)

    def _linear(self, X: Any) -> np.ndarray:
        return linear_scores(self, X)


def count_errors(learner: Any, source: RowSource) -> int:
    """Rows that were learned from and are answered wrongly."""
    return int(source.fold(partial(errors_of, learner._answering()), add))


def errors_of(learner: Any, part: Part) -> int:
    """The rows that are answered wrongly, of those that are learned from, some at a time."""
    X, target, members = part.X, part.problem.target, part.problem.members
    takes_part = np.zeros(X.shape[0], dtype=bool)
    takes_part[members] = True
    some = max(1, SCORES_AT_ONCE // learner._n_outputs)
    errors = 0
    for few in (slice(first, first + some) for first in range(0, X.shape[0], some)):
        rows = X if some >= X.shape[0] else X[few]  # part of a sparse matrix is a copy
        wrong = learner._predicted(rows) != target[few]
        errors += int(np.count_nonzero(wrong & takes_part[few]))
    return errors


def _can_stream(learner: LinearClassifier) -> bool:
    if getattr(learner, "kernel", None) == "precomputed":
        raise AttributeError(
            "kernel='precomputed' has values only for the rows of one fit, but partial_fit brings new rows."
        )
    if learner._keeps()[learner.keep].needs_all_rows:
        raise AttributeError(
            f"keep={learner.keep!r} counts errors on all training rows, which partial_fit does not have: use fit, "
            "or keep='average'."
        )
    return True


class CountedMistakes(NamedTuple):
    """What the proof of a solution knows of mistakes on training rows."""

    errors: int
    unsure: np.ndarray  # rows whose scores are too close for it to tell

    @classmethod
    def of(cls, leads: np.ndarray, errors: np.ndarray, members: np.ndarray) -> CountedMistakes:
        """From how far the scores of these rows lead, and by how much that may be wrong."""
        return cls(int(np.count_nonzero(leads < -errors)), members[~(np.abs(leads) > errors)])


class LinearClassifier(LinearAnswers, ClassifierMixin, LinearLearner):
    """Base of the classifiers that learn by ``w <- w + eta g x``."""

    n_errors_: int | None
    multiclass = "ovr"  # unless there is a choice
    _share_of_lead = 0.5  # what two opposite outputs each have of the one output of two classes
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearLearner._parameter_constraints,
        "order": [StrOptions({"auto", "cyclic", "shuffle", "blocks", "random", "alternate", "worst"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    @property
    def _form(self) -> str:  # type: ignore[override]
        return "binary" if len(self.classes_) <= 2 else self.multiclass

    @property
    def _n_outputs(self) -> int:  # type: ignore[override]
        return 1 if len(self.classes_) <= 2 else len(self.classes_)

    # Fitting

    def _know_classes(self, source: RowSource, named: Classes | None = None) -> tuple[np.ndarray | None, np.ndarray]:
        if named is None:
            self.classes_ = find_classes(source.labels())
        else:
            named.know(source.labels())
        if self.class_weight is None:
            return self.classes_, np.empty(0)
        counts = self._learned.class_counts if source.once else {}  # a stream goes by all rows so far
        sums = source.class_sums(self.classes_)
        for label, count in zip(self.classes_.tolist(), sums.tolist(), strict=True):
            if count:
                counts[label] = counts.get(label, 0.0) + count
        self._learned.class_counts = counts
        factors = class_factors(self.class_weight, self.classes_, counts)
        if not source.once and np.count_nonzero(factors[sums > 0]) < 2:
            raise ValueError(ONE_CLASS_LEFT)
        return self.classes_, factors

    def _predicted(self, X: Any) -> np.ndarray:
        return self._answers(self._decide(X))

    def _hand_back(self, learning: Learning) -> LinearLearner:
        self.n_mistakes_ = int(learning.machine.state.counts[MISTAKES])
        self.n_errors_ = None
        for name in ("cycle_", "proof_"):
            self.__dict__.pop(name, None)
        return super()._hand_back(learning)

    def _report(self, source: RowSource, outcome: Outcome) -> None:
        self.n_errors_ = self._count_errors(source)
        super()._report(source, outcome)

    def _count_errors(self, source: RowSource) -> int:
        """Training rows that ``predict`` gets wrong."""
        counted: CountedMistakes | None = self.__dict__.pop("_counted", None)
        if counted is None:
            return count_errors(self, source)
        unsure = counted.unsure
        wrong = self._predicted(source.X[unsure]) != source.problem.target[unsure] if unsure.size else unsure
        return counted.errors + int(np.count_nonzero(wrong))

    # Learning from a stream

    @available_if(_can_stream)
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, extend_classes: bool = False
    ) -> LinearClassifier:
        """Learn from these rows once, in the given order, starting from the current weights.

        ``order``, ``max_iter``, the stops and early stopping are for ``fit`` only.  A batch ends at the latest at the end of a call.
        A call that raises an error, or is interrupted, leaves the learner as it was before: it can be repeated.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The next rows.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like, default=None
            All labels, also of later calls; needed in the first call unless ``extend_classes``.
        sample_weight : array-like of shape (n_samples,), default=None
            As in ``fit``.
        extend_classes : bool, default=False
            Whether to accept new labels; their weights start at zero.

        Returns
        -------
        self
        """
        return learn_on(self, X, y, sample_weight, Classes(self, classes, extend_classes))

    # Using the weights

    def _decide(self, X: Any) -> np.ndarray:
        return count_votes(self.votes_, X) if hasattr(self, "votes_") else self._linear(X)


# Classes of a stream


class Classes:
    """The labels of a call of ``partial_fit``: named at the first call, or admitted as they come."""

    def __init__(self, learner: Any, classes: Any, extend: bool) -> None:
        self._learner, self._classes, self._extend = learner, classes, extend

    def refuse_first(self) -> None:
        if self._classes is None and not self._extend:
            raise ValueError(
                "classes must be passed on the first call to partial_fit: all labels of this and later calls, or use "
                "extend_classes=True."
            )

    def know(self, y: np.ndarray) -> None:
        """Set or extend ``classes_``."""
        learner, classes, first = self._learner, self._classes, not self._learner._learned.begun
        if classes is not None:
            classes = np.asarray(classes)
            if classes.ndim != 1 or classes.size == 0:
                raise ValueError(f"classes must be a list of labels, not an array of shape {classes.shape}.")
            if first:
                classes = distinct_labels(classes)
            elif not (self._extend or same(classes, learner.classes_) or same(np.unique(classes), learner.classes_)):
                raise ValueError(
                    f"classes={classes.tolist()!r} is not the same as on the last call, {learner.classes_.tolist()!r}. "
                    "Pass extend_classes=True to add new ones."
                )
        if self._extend:
            known = [distinct_labels(y)] + [
                part for part in (classes, None if first else learner.classes_) if part is not None
            ]
            if len({part.dtype.kind in "US" for part in known}) > 1:
                raise ValueError("extend_classes cannot mix labels that are text with labels that are not.")
            classes = np.unique(np.concatenate(known))
        if first:
            learner.classes_ = classes
        elif self._extend and len(classes) > len(learner.classes_):
            add_classes(learner, classes)


def same(some: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays have the same labels in the same order."""
    return some.shape == other.shape and bool((some == other).all())


def add_classes(learner: Any, classes: np.ndarray) -> None:
    """Give new classes zero weights.  The one output w of two classes becomes a pair of opposite ones: each of them w where
    every class is on its own; w / 2, whose difference is w, where the rule looks at the lead of one over the other."""
    if learner._learned.keep.remembers:
        raise ValueError(f"extend_classes cannot add a class to the stored weights of keep={learner.keep!r}.")
    state, rows = learner._learned.state, learner._learned.rows
    old, learner.classes_ = learner.classes_, classes
    if learner._n_outputs == 1:
        return
    places = np.searchsorted(classes, old)

    def grown(part: np.ndarray) -> np.ndarray:
        if part.size == 0:
            return part
        wide = np.zeros((len(classes), *part.shape[1:]), part.dtype)
        if len(old) == 2:
            half = part[0] * (1.0 if learner._form == "ovr" else learner._share_of_lead)
            wide[places[0]], wide[places[1]] = -half, half
        elif len(old) > 2:
            wide[places] = part
        return wide

    weights, overcount = (natural(rows, grown(public(rows, part))) for part in (state.weights, state.overcount))
    bias, bias_overcount = grown(state.bias), grown(state.bias_overcount)
    memory = np.zeros((len(classes), state.memory.shape[1]))
    memory[places] = state.memory  # the pair of opposite outputs has it twice
    per_weight = state.per_weight
    if per_weight.size:
        told = public(rows, per_weight)
        wide = np.zeros((len(told), len(classes), told.shape[2]))
        wide[:, places] = told
        per_weight = natural(rows, wide)
    learner._learned.state = state._replace(
        weights=weights,
        bias=bias,
        overcount=overcount,
        bias_overcount=bias_overcount,
        memory=memory,
        per_weight=per_weight,
    )


# Votes


def count_votes(votes: Votes, X: Any) -> np.ndarray:
    """For two classes the share of votes for ``classes_[1]`` minus those for ``classes_[0]``; else each class's share."""
    flat = votes.coef.reshape(-1, votes.coef.shape[2]).T
    rows = max(1, SCORES_AT_ONCE // flat.shape[1])
    return np.concatenate([_count(votes, flat, X[first : first + rows]) for first in range(0, X.shape[0], rows)])


def _count(votes: Votes, flat: np.ndarray, X: Any) -> np.ndarray:
    scores = safe_sparse_dot(X, flat, dense_output=True)
    scores = scores.reshape(scores.shape[0], *votes.intercept.shape) + votes.intercept
    if scores.shape[2] == 1:
        return (
            np.where(scores[:, :, 0] > 0, 1.0, -1.0) @ votes.tenure / votes.tenure.sum()
        )  # a tie adds up to 0 exactly
    chosen = scores.argmax(axis=2)
    counts = np.stack([(chosen == k) @ votes.tenure for k in range(scores.shape[2])], axis=1)
    return counts / votes.tenure.sum()
