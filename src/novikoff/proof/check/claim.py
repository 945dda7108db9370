"""What a certificate says, as users read it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .certificate import Certificate, Witness


class Claim:
    """Verdict, weights and witnesses of a certificate, in scikit-learn's shapes."""

    certificate: Certificate
    classes: np.ndarray

    @property
    def kind(self) -> str | None:
        """ "complete", "quasi-complete", "overlap", or None: undecided, or only "not complete"."""
        return self.certificate.kind

    @property
    def separable(self) -> bool | None:
        """True, False, or None: undecided."""
        if self.kind is None:
            return None if self.witness is None else False
        return self.kind == "complete"

    @property
    def coef(self) -> np.ndarray | None:
        """Weights, of several classes those of the first zero."""
        weights = self._floats()
        return None if weights is None else weights[:, :-1]

    @property
    def intercept(self) -> np.ndarray | None:
        """The intercepts that belong to ``coef``."""
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
        """Rows that no weights separate."""
        return self.certificate.witness

    @property
    def spanning(self) -> Witness | None:
        """A witness whose rows span the others: all of overlap, those on the boundary of quasi-complete separation."""
        return self.certificate.spanning

    def _floats(self) -> np.ndarray | None:
        weights = self.certificate.weights
        if weights is None:
            return None
        floats = weights.floats
        return floats if len(self.classes) == 2 else np.vstack([np.zeros((1, floats.shape[1])), floats])
