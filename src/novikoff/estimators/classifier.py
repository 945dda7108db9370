"""What linear classifiers share: classes, errors, answers."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..inputs.sklearn_parts import ClassifierMixin, StrOptions, available_if
from ..inputs.targets import class_numbers, find_classes, with_class_weight
from ..learn.learning import Learning, Outcome
from ..learn.sources import InMemory
from ..learn.state import MISTAKES
from .answers import LinearAnswers
from .base import LinearLearner
from .streamed_classes import Classes
from .streaming import learn_on
from .voting import SCORES_AT_ONCE, count_votes

ONE_CLASS_LEFT = "class_weight leaves rows of one class at most: give two classes a positive weight."


def _can_stream(learner: LinearClassifier) -> bool:
    if learner._keeps()[learner.keep].needs_all_rows:
        raise AttributeError(
            f"keep={learner.keep!r} counts errors on all training rows, which partial_fit does not have: use fit, "
            "or keep='average'."
        )
    return True


class Counted(NamedTuple):
    """What the proof of a solution knows of mistakes on training rows."""

    errors: int
    unsure: np.ndarray  # rows whose scores are too close for it to tell

    @classmethod
    def of(cls, leads: np.ndarray, errors: np.ndarray, members: np.ndarray) -> Counted:
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

    def _read_targets(
        self, y: np.ndarray, weight: np.ndarray, members: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        self.classes_ = find_classes(y if members.size == len(y) else y[members])
        target = np.zeros(len(y), dtype=np.int32)
        target[members] = class_numbers(y[members], self.classes_)
        counts = self._learned.class_counts
        weight = with_class_weight(self.class_weight, self.classes_, weight, target, members, counts)
        members = members[weight[members] > 0] if weight.size else members
        if self.class_weight is not None and np.unique(target[members]).size < 2:
            raise ValueError(ONE_CLASS_LEFT)
        return target, weight, members

    def _predicted(self, X: Any) -> np.ndarray:
        return self._answers(self._decide(X))

    def _quality(self, answers: np.ndarray, target: np.ndarray, weight: np.ndarray) -> float:
        return float(weight @ (answers == target) / weight.sum())

    def _hand_back(self, learning: Learning) -> LinearLearner:
        self.n_mistakes_ = int(learning.machine.state.counts[MISTAKES])
        self.n_errors_ = None
        for name in ("cycle_", "proof_"):
            self.__dict__.pop(name, None)
        return super()._hand_back(learning)

    def _report(self, source: InMemory, outcome: Outcome) -> None:
        self.n_errors_ = self._count_errors(source)
        super()._report(source, outcome)

    def _count_errors(self, source: InMemory) -> int:
        """Training rows that ``predict`` gets wrong, a part of the rows at a time."""
        X, problem = source.X, source.problem
        counted: Counted | None = self.__dict__.pop("_counted", None)
        if counted is not None:
            unsure = counted.unsure
            wrong = self._predicted(X[unsure]) != problem.target[unsure] if unsure.size else unsure
            return counted.errors + int(np.count_nonzero(wrong))
        some = max(1, SCORES_AT_ONCE // self._n_outputs)
        takes_part = np.zeros(X.shape[0], dtype=bool)
        takes_part[problem.members] = True
        errors = 0
        for part in (slice(first, first + some) for first in range(0, X.shape[0], some)):
            rows = X if some >= X.shape[0] else X[part]  # part of a sparse matrix is a copy
            wrong = self._predicted(rows) != problem.target[part]
            errors += int(np.count_nonzero(wrong & takes_part[part]))
        return errors

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
