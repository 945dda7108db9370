"""Telling scikit-learn callbacks of every pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .base import LinearLearner


FITTED = ("coef_", "intercept_", "votes_", "classes_", "dual_coef_", "_continue")  # what predicting needs


def tell_callbacks(
    learner: LinearLearner, X: Any, y: Any, sample_weight: np.ndarray, hand_back: Callable[[], Any]
) -> tuple[dict[str, Callable], Callable[[], None]]:
    """Hooks for the loop, and a function to call at the end; empty where nobody listens."""
    if not hasattr(learner, "_skl_callbacks") and not hasattr(learner, "_parent_callback_ctx"):
        return {}, lambda: None
    root = learner._init_callback_context(max_subtasks=learner.max_iter)
    metadata = {"sample_weight": sample_weight} if sample_weight.size else None
    told = {"estimator": learner, "X": X, "y": y, "metadata": metadata}
    root.call_on_fit_task_begin(**told)
    contexts: list[Any] = []

    def fitted() -> dict[str, Any]:
        hand_back()
        return {name: value for name, value in vars(learner).items() if name in FITTED}

    def before() -> None:
        contexts.append(root.subcontext(task_name="pass"))
        contexts[-1].call_on_fit_task_begin(**told, reconstruction_attributes=fitted)

    def after() -> bool:
        return contexts.pop().call_on_fit_task_end(**told, reconstruction_attributes=fitted)

    def end() -> None:
        root.call_on_fit_task_end(**told, reconstruction_attributes={})

    return {"before_pass": before, "after_pass": after}, end
