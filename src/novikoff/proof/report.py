"""The answer of ``separability``: the verdict, its proof, and what both mean for a user."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from .certificate import Certificate, Witness
from .pairs import Pairs
from .read import read_again


@dataclass(frozen=True, eq=False, repr=False)
class Proof:
    """Whether classes are linearly separable, and what proves it.  Made by ``separability``, which describes it."""

    certificate: Certificate
    classes: np.ndarray
    feature_names: tuple[str, ...]
    fit_intercept: bool
    margin: float | None = None
    margin_bounds: tuple[float, float] | None = None
    mistake_bound: int | None = None
    violation: float | None = None
    seconds: float = 0.0
    _pairs: Pairs | None = field(default=None, repr=False)

    @property
    def kind(self) -> str | None:
        return self.certificate.kind

    @property
    def separable(self) -> bool | None:
        if self.kind is None:
            return None if self.witness is None else False
        return self.kind == "complete"

    @property
    def coef(self) -> np.ndarray | None:
        weights = self._floats()
        return None if weights is None else weights[:, :-1]

    @property
    def intercept(self) -> np.ndarray | None:
        weights = self._floats()
        return None if weights is None else weights[:, -1]

    @property
    def exact_weights(self) -> tuple[tuple[Fraction, ...], ...] | None:
        """``coef`` and ``intercept`` row by row as exact fractions: what is verified."""
        weights = self.certificate.weights
        if weights is None:
            return None
        rows = weights.fractions()
        return rows if len(self.classes) == 2 else ((Fraction(0),) * len(rows[0]), *rows)

    @property
    def witness(self) -> Witness | None:
        return self.certificate.witness

    @property
    def spanning(self) -> Witness | None:
        return self.certificate.spanning

    @property
    def rows(self) -> np.ndarray | None:
        if self.kind == "complete" or self.kind == "overlap":
            n_rows = self._data().n_rows
            return np.full(n_rows, "separated" if self.kind == "complete" else "boundary", dtype="<U9")
        if self.certificate.boundary is None:
            return None
        return np.where(self.certificate.boundary, "boundary", "separated")

    def verify(self, X: Any, y: Any) -> bool:
        """Whether everything claimed is true of these data, in exact arithmetic and without the solver.

        Parameters
        ----------
        X : {array-like, CSR} of shape (n_samples, n_features)
            Rows, in the order in which ``separability`` saw them.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        bool
            False also where nothing is claimed because nothing was decided.
        """
        pairs = read_again(X, y, self.classes, len(self.feature_names), self.fit_intercept)
        return pairs is not None and self.certificate.holds(pairs, self.classes)

    def _floats(self) -> np.ndarray | None:
        weights = self.certificate.weights
        if weights is None:
            return None
        floats = weights.floats
        return floats if len(self.classes) == 2 else np.vstack([np.zeros((1, floats.shape[1])), floats])

    def _data(self) -> Pairs:
        assert self._pairs is not None
        return self._pairs
