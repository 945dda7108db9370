"""What linear regressors share."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..checks.arrays import read_X
from ..checks.sklearn_parts import RegressorMixin
from ..system.backends import backend_of, on_backend
from .base import LinearLearner, learn_on

OF_CLASSES = ("mistakes", "errors", "smallest_margin")  # what the history does not say of a regression


class LinearRegressor(RegressorMixin, LinearLearner):
    """Base of the regressors that learn by ``w <- w + eta g x``."""

    _form = "real"
    _n_outputs = 1

    @property
    def history_(self) -> dict[str, np.ndarray]:
        """One entry for each pass: what a pass of a regressor has, of what ``history`` asks for."""
        return {name: values for name, values in super().history_.items() if name not in OF_CLASSES}

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearRegressor:
        """Learn from these rows once, in the given order, starting from the current weights.

        ``order``, ``max_iter``, the stops and early stopping are for ``fit`` only.  A batch ends at the latest at the end of a call.
        A call that raises an error, or is interrupted, leaves the learner as it was before: it can be repeated.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The next rows.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            As in ``fit``.

        Returns
        -------
        self
        """
        return learn_on(self, X, y, sample_weight)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R squared of ``predict(X)``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            True numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.

        Returns
        -------
        float
            1 for predictions without error, 0 for those that are no better than the mean.
        """
        backend = backend_of(X)
        if backend is not None:
            return backend.score(self, X, y, sample_weight)
        return super().score(X, y, sample_weight)

    @on_backend
    def predict(self, X: Any) -> np.ndarray:
        """The prediction ``w.x + b`` for every row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers.
        """
        check_is_fitted(self, "coef_")
        return self._linear(read_X(self, X, reset=False))
