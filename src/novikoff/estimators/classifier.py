"""What linear classifiers share: classes, errors, answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from .advice import not_there_yet
from .answers import LinearAnswers
from .base import LinearLearner
from .targets import class_numbers, find_classes, with_class_weight
from .voting import SCORES_AT_ONCE, count_votes

if TYPE_CHECKING:
    from ..keeps import Last
    from ..loop import Outcome
    from ..problem import Problem, State


def _can_stream(learner: LinearClassifier) -> bool:
    if learner.keep in ("pocket", "ratchet"):
        raise AttributeError(
            f"keep={learner.keep!r} counts errors on all training rows, which partial_fit never sees together: use fit, "
            "or keep='average'."
        )
    return True


class LinearClassifier(ClassifierMixin, LinearAnswers, LinearLearner):
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
        weight = with_class_weight(self, weight, target, members)
        members = members[weight[members] > 0] if weight.size else members
        if self.class_weight is not None and np.unique(target[members]).size < 2:
            raise ValueError("class_weight leaves rows of one class at most: give two classes a positive weight.")
        return target, weight, members

    def _quality(self, scores: np.ndarray, target: np.ndarray, weight: np.ndarray) -> float:
        return float(weight @ (self._answers(scores) == target) / weight.sum())

    def _hand_back(self, problem: Problem, keep: Last, state: State) -> LinearLearner:
        super()._hand_back(problem, keep, state)
        if self.keep == "vote":
            self.votes_ = keep.votes(state, problem.rows)  # type: ignore[attr-defined]
        return self

    def _note_counts(self, state: State) -> None:
        from ..problem import MISTAKES

        self.n_mistakes_ = int(state.counts[MISTAKES])
        self.n_errors_ = None
        self.__dict__.pop("cycle_", None)

    def _report_targets(self, X: Any, problem: Problem, order: str, outcome: Outcome) -> None:
        self._note_counts(self._continue.state)
        self.n_errors_ = self._count_errors(X, problem)
        self._advise(X, problem, order, outcome)

    def _advise(self, X: Any, problem: Problem, order: str, outcome: Outcome) -> None:
        """Warn where the fit did not do what was asked of it."""
        not_there_yet(self, X, outcome)

    def _count_errors(self, X: Any, problem: Problem) -> int:
        """Training rows that ``predict`` gets wrong, a part of the rows at a time."""
        some = max(1, SCORES_AT_ONCE // self._n_outputs)
        takes_part = np.zeros(X.shape[0], dtype=bool)
        takes_part[problem.members] = True
        errors = 0
        for part in (slice(first, first + some) for first in range(0, X.shape[0], some)):
            rows = X if some >= X.shape[0] else X[part]  # part of a sparse matrix is a copy
            wrong = self._answers(self._decide(rows)) != problem.target[part]
            errors += int(np.count_nonzero(wrong & takes_part[part]))
        return errors

    # Learning from a stream

    @available_if(_can_stream)
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, extend_classes: bool = False
    ) -> LinearClassifier:
        """Learn from these rows once, in the given order, going on from the present weights.

        ``order``, ``max_iter``, the stops and early stopping belong to ``fit``.  A batch is cut at the end of a call.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The next rows.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like, default=None
            All labels that will ever come; needed at the first call unless ``extend_classes``.
        sample_weight : array-like of shape (n_samples,), default=None
            As in ``fit``.
        extend_classes : bool, default=False
            Admit labels that were not named before, with zero weights.

        Returns
        -------
        self
        """
        from .streamed_classes import Classes
        from .streaming import learn_on

        return learn_on(self, X, y, sample_weight, Classes(self, classes, extend_classes))

    # Using the weights

    def _decide(self, X: Any) -> np.ndarray:
        return count_votes(self.votes_, X) if hasattr(self, "votes_") else self._linear(X)
