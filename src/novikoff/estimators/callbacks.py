"""Telling scikit-learn callbacks of every pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..keeps import Last, Problem, State
    from .base import LinearLearner


def tell_callbacks(
    learner: LinearLearner, X: Any, y: Any, sample_weight: np.ndarray, problem: Problem, keep: Last
) -> tuple[dict[str, Callable], Callable[[], None]]:
    """Hooks for the loop, and a function to call at the end; empty where nobody listens."""
    if not hasattr(learner, "_skl_callbacks") and not hasattr(learner, "_parent_callback_ctx"):
        return {}, lambda: None
    root = learner._init_callback_context(max_subtasks=learner.max_iter)
    metadata = {"sample_weight": sample_weight} if sample_weight.size else None
    told = {"estimator": learner, "X": X, "y": y, "metadata": metadata}
    root.call_on_fit_task_begin(**told)
    contexts: list[Any] = []

    def fitted(state: State) -> Callable[[], dict[str, Any]]:
        def attributes() -> dict[str, Any]:
            learner._hand_back(problem, keep, state)
            names = ("coef_", "intercept_", "votes_", "classes_")
            return {name: getattr(learner, name) for name in names if hasattr(learner, name)}

        return attributes

    def before(state: State) -> None:
        contexts.append(root.subcontext(task_name="pass"))
        contexts[-1].call_on_fit_task_begin(**told, reconstruction_attributes=fitted(state))

    def after(state: State) -> bool:
        return contexts.pop().call_on_fit_task_end(**told, reconstruction_attributes=fitted(state))

    def end() -> None:
        root.call_on_fit_task_end(**told, reconstruction_attributes={})

    return {"before_pass": before, "after_pass": after}, end
