"""The decision of ``keep="vote"``: weight vectors vote, each as often as the samples it survived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

if TYPE_CHECKING:
    from ..learn.keeps import Votes

SCORES_AT_ONCE = 10_000_000  # held in memory


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
