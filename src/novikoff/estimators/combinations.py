"""Choices that contradict each other are refused, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .base import LinearLearner


def refuse_senseless(learner: LinearLearner) -> None:
    """Refuse combinations of choices that contradict each other, each with the reason."""
    order, batch, keep = learner.order, learner.batch_size, learner.keep
    if keep in ("run", "ratchet") and order not in ("auto", "random"):
        raise ValueError(
            f"keep={keep!r} measures weights by their run of right answers on rows drawn at random, so order={order!r} "
            "would mislead it: use order='random' or 'auto'."
        )
    if keep in ("run", "ratchet") and batch != 1:
        raise ValueError(f"keep={keep!r} counts single answers between two updates, so it needs batch_size=1.")
    if batch == "all" and order not in ("auto", "cyclic"):
        raise ValueError(
            f"batch_size='all' uses all rows at once, so order={order!r} has no meaning: use order='auto' or 'cyclic'."
        )
    if order == "worst" and batch != 1:
        raise ValueError("order='worst' looks for the worst row again after every update, so it needs batch_size=1.")
