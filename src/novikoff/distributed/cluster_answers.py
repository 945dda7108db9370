"""Answers for Dask collections: lazy, one task for each partition; scores, counted where the rows lie."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
from dask import delayed
from sklearn.base import is_regressor
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from ..estimators.base import Judged, answering, judged, judged_both
from ..rows.dask_engine import known_sizes, row_blocks, whole_rows
from ..system.backends import Backend
from .blocks_given import engine_of
from .cluster_fit import fit
from .cluster_proof import separability, verify


def answer(learner: Any, method: str, X: Any) -> Any:
    """What a method of the learner answers for each row, as a dask array with the partitions of X."""
    check_is_fitted(learner)
    X = whole_rows(X)
    blocks = row_blocks(X)
    sizes = known_sizes(X) or (np.nan,) * len(blocks)
    sent = delayed(answering(learner), traverse=False)
    few = np.zeros((1, learner.n_features_in_))
    like = answer_block(answering(learner, names=False), method, few)
    return da.concatenate(
        [
            da.from_delayed(
                delayed(answer_block, pure=False)(sent, method, block), (size, *like.shape[1:]), dtype=like.dtype
            )
            for block, size in zip(blocks, sizes, strict=True)
        ],
        allow_unknown_chunksizes=True,
    )


def answer_block(learner: Any, method: str, X: Any) -> np.ndarray:
    """The answers for one partition, which may be empty."""
    if X.shape[0]:
        answers: np.ndarray = getattr(learner, method)(X)
        return answers
    like = answer_block(answering(learner, names=False), method, np.zeros((1, learner.n_features_in_)))
    return like[:0]


def score(learner: Any, X: Any, y: Any, sample_weight: Any) -> float:
    """The accuracy, or R squared, of a learner's answers."""
    check_is_fitted(learner)
    found: Judged | None = engine_of(X, y, sample_weight, None).fold(judge_given, judged_both, answering(learner))
    if found is None:
        raise ValueError("X has no rows.")
    return found.quality(is_regressor(learner))


def judge_given(number: int, given: Any, learner: Any) -> Judged | None:
    """The answers for one partition."""
    X, y, *weight = given
    answers, target = answer_block(learner, "predict", X), column_or_1d(np.asarray(y))
    check_consistent_length(answers, target)
    weights = np.asarray(weight[0]) if weight else np.empty(0)
    return judged(learner, answers, target, weights) if target.size else None


BACKEND = Backend(
    lambda learner, X, y, sample_weight: fit(learner, X, y, sample_weight=sample_weight),
    answer,
    score,
    separability,
    verify,
)
