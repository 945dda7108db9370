"""Choices that contradict each other are refused, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..learn.keeps import KEEPS
from .solvers import refuse_both

if TYPE_CHECKING:
    from .base import LinearLearner

# What cannot change once learning has begun.
SETTLED = ("keep", "max_votes", "fit_intercept", "intercept_scaling", "kernel", "degree", "gamma", "coef0", "budget")


def refuse_senseless(learner: LinearLearner) -> None:
    """Raise an error, with the reason, if parameters contradict each other."""
    order, batch, keep = learner.order, learner.batch_size, learner.keep
    kind = learner._keeps()[keep]
    if kind.needs_random_order and order not in ("auto", "random"):
        raise ValueError(
            f"keep={keep!r} measures weights by their run of correct predictions on rows drawn at random, so it cannot be used "
            f"with order={order!r}: use order='random' or 'auto'."
        )
    if kind.needs_single_rows and batch != 1:
        raise ValueError(f"keep={keep!r} counts single rows between two updates, so it needs batch_size=1.")
    if batch == "all" and order not in ("auto", "cyclic"):
        raise ValueError(
            f"batch_size='all' uses all rows at once, so order={order!r} has no meaning: use order='auto' or 'cyclic'."
        )
    if order == "worst" and batch != 1:
        raise ValueError("order='worst' searches for the worst row after every update, so it needs batch_size=1.")
    refuse_both(learner)
    learner._refuse()


def order_meant(learner: LinearLearner) -> str:
    """The order that "auto" stands for, or the one asked for."""
    if learner.order != "auto":
        return learner.order
    if learner.batch_size == "all":
        return "cyclic"
    return "random" if KEEPS[learner.keep].needs_random_order else "shuffle"


def checked_parameters(learner: LinearLearner) -> dict[str, Any]:
    """The learner's parameters, to see later whether one was changed."""
    values = vars(learner)
    return {name: values[name] for name in learner._parameter_constraints}


def check_again(learner: LinearLearner, before: dict[str, Any]) -> None:
    """Check parameters that were changed since; refuse those that cannot change while learning goes on."""
    values = vars(learner)
    changed = [name for name, value in before.items() if values[name] is not value]
    if not changed:
        return
    for name in SETTLED:
        if values.get(name) != before.get(name):
            raise ValueError(
                f"{name} cannot change between calls of partial_fit: call fit, or set it back to {before[name]!r}."
            )
    learner._validate_params()
    refuse_senseless(learner)
