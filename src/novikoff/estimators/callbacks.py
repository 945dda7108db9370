"""Telling scikit-learn callbacks of every pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..inputs.sklearn_parts import open_callbacks

if TYPE_CHECKING:
    from ..learn.learning import Learning
    from .base import LinearLearner


FITTED = ("coef_", "intercept_", "votes_", "classes_", "dual_coef_", "_learned")  # what predicting needs


def tell_callbacks(learner: LinearLearner, learning: Learning, data: dict[str, Any]) -> Callable[[], object]:
    """Have the callbacks told of every pass, and of the ``data`` (X, y and metadata) if these are in memory; return a function
    to call at the end."""
    root = open_callbacks(learner, learning.most)
    told = {"estimator": learner, "X": None, "y": None, "metadata": None, **data}
    root.call_on_fit_task_begin(**told)
    contexts: list[Any] = []

    def fitted() -> dict[str, Any]:
        learner._hand_back(learning)
        return {name: value for name, value in vars(learner).items() if name in FITTED}

    def before() -> None:
        contexts.append(root.subcontext(task_name="pass"))
        contexts[-1].call_on_fit_task_begin(**told, reconstruction_attributes=fitted)

    def after() -> bool:
        return contexts.pop().call_on_fit_task_end(**told, reconstruction_attributes=fitted)

    learning.before_pass, learning.after_pass = before, after
    return lambda: root.call_on_fit_task_end(**told, reconstruction_attributes={})
