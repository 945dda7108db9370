"""A perceptron as a first guess: quick, and believed only where exact arithmetic confirms it."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from .pairs import Direction, Pairs

log = logging.getLogger(__name__)


def learned_direction(pairs: Pairs, rows: np.ndarray, **choices: Any) -> Direction | None:
    """The weights that a perceptron learns from these rows, every column scaled to about 1; None if they are all zero."""
    from ..estimators import Perceptron
    from ..estimators.advice import without_remarks

    learner = Perceptron(fit_intercept=pairs.fit_intercept, random_state=0, **choices)
    with without_remarks():
        learner.fit(pairs.moved(rows), pairs.target[rows])
    log.info("perceptron: %s after %d passes", learner.stop_reason_, learner.n_iter_)
    weights = np.zeros((pairs.n_rivals + 1, pairs.n_features + 1))
    learned = np.hstack([learner.coef_, learner.intercept_[:, None]])
    if len(learned) == 1:
        weights[learner.classes_[1:]] = learned
    else:
        weights[learner.classes_] = learned
    kept = np.append(pairs.columns, pairs.n_features) if pairs.fit_intercept else pairs.columns
    v = (weights[1:] - weights[0])[:, kept].ravel()
    return Direction(v / np.abs(v).max()) if np.any(v) else None
