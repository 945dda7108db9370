"""What weights answer: scores, classes, distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from ..inputs.arrays import read_X
from ..inputs.drivers import driver_of, where_rows_are


def linear_scores(model: Any, X: Any) -> np.ndarray:
    """``w.x + b`` of every row, for every output if there are several."""
    coef = model.coef_ if model.coef_.ndim == 2 else model.coef_[None]
    scores = safe_sparse_dot(X, coef.T, dense_output=True) + model.intercept_
    return scores[:, 0] if scores.shape[1] == 1 else scores


class LinearAnswers:
    """Predictions of a classifier that has ``coef_``, ``intercept_`` and ``classes_``."""

    coef_: np.ndarray
    intercept_: np.ndarray
    classes_: np.ndarray

    @where_rows_are
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

    @where_rows_are
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

    @where_rows_are
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
        driver = driver_of(X)
        if driver is not None:
            return driver.score(self, X, y, sample_weight)
        accuracy: float = super().score(X, y, sample_weight)  # type: ignore[misc]
        return accuracy

    def _answers(self, scores: np.ndarray) -> np.ndarray:
        """Class numbers for scores."""
        if scores.ndim == 2:
            return scores.argmax(axis=1)
        return (scores > 0).astype(np.intp) if len(self.classes_) == 2 else np.zeros(len(scores), dtype=np.intp)

    def _decide(self, X: Any) -> np.ndarray:
        return self._linear(X)

    _linear = linear_scores
