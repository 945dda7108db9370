"""Labels of a stream: classes named at the first call, or admitted as they come."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problem import State
from ..rows import natural, public
from .streaming import Numbers
from .targets import class_numbers, distinct_labels, with_class_weight


class Classes(Numbers):
    """Reads the labels of one call of ``partial_fit``."""

    def __init__(self, learner: Any, classes: Any, extend: bool) -> None:
        self._learner, self._classes, self._extend = learner, classes, extend

    def refuse_first(self) -> None:
        if self._classes is None and not self._extend:
            raise ValueError(
                "classes must be passed on the first call to partial_fit: all labels that will come, or "
                "extend_classes=True."
            )

    def tell_apart(self) -> bool:
        return len(self._learner.classes_) > 1

    def read(
        self, y: np.ndarray, weight: np.ndarray, members: np.ndarray, first: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        learner = self._learner
        present = y if members.size == len(y) else y[members]
        self._know_classes(present, first)
        target = np.zeros(len(y), dtype=np.int32)
        target[members] = class_numbers(present, learner.classes_)
        weight = with_class_weight(learner, weight, target, members)
        return target, weight, members[weight[members] > 0] if weight.size else members

    def _know_classes(self, y: np.ndarray, first: bool) -> None:
        """Set or extend ``classes_``."""
        learner, classes = self._learner, self._classes
        if classes is not None:
            classes = np.asarray(classes)
            if classes.ndim != 1 or classes.size == 0:
                raise ValueError(f"classes must be a list of labels, not an array of shape {classes.shape}.")
            if first:
                classes = distinct_labels(classes)
            elif not self._extend and not np.array_equal(np.unique(classes), learner.classes_):
                raise ValueError(
                    f"classes={classes.tolist()!r} is not the same as on the last call, {learner.classes_.tolist()!r}. "
                    "Pass extend_classes=True to admit new ones."
                )
        if self._extend:
            known = [distinct_labels(y)] + [
                part for part in (classes, None if first else learner.classes_) if part is not None
            ]
            if len({part.dtype.kind in "US" for part in known}) > 1:
                raise ValueError("extend_classes cannot mix labels that are text with labels that are not.")
            classes = np.unique(np.concatenate(known))
        if first:
            learner.classes_ = classes
        elif self._extend and len(classes) > len(learner.classes_):
            add_classes(learner, classes)


class ClassNumbers(Classes):
    """Reads places in the sorted ``classes``, for a caller who knows all classes and the ``factors`` of their weights, by
    class (empty: all are 1)."""

    def __init__(self, learner: Any, classes: np.ndarray, factors: np.ndarray) -> None:
        super().__init__(learner, classes, extend=False)
        self._factors = factors

    def read(
        self, y: np.ndarray, weight: np.ndarray, members: np.ndarray, first: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        self._know_classes(y, first)
        if not self._factors.size:
            return y, weight, members
        weight = self._factors[y]
        return y, weight, members[weight > 0]


def add_classes(learner: Any, classes: np.ndarray) -> None:
    """Give new classes zero weights.  The one output w of two classes becomes a pair of opposite ones: each of them w where
    every class is on its own; w / 2, whose difference is w, where the rule looks at the lead of one over the other."""
    if learner.keep in ("vote", "run"):
        raise ValueError(f"extend_classes cannot add a class to the weights that keep={learner.keep!r} remembers.")
    state, rows = learner._continue.state, learner._continue.rows
    old, learner.classes_ = learner.classes_, classes
    if learner._n_outputs == 1:
        return
    places = np.searchsorted(classes, old)

    def grown(part: np.ndarray) -> np.ndarray:
        if part.size == 0:
            return part
        wide = np.zeros((len(classes), *part.shape[1:]), part.dtype)
        if len(old) == 2:
            half = part[0] * (1.0 if learner._form == "ovr" else learner._share_of_lead)
            wide[places[0]], wide[places[1]] = -half, half
        elif len(old) > 2:
            wide[places] = part
        return wide

    weights, debt = (natural(rows, grown(public(rows, part))) for part in (state.weights, state.debt))
    bias, bias_debt = grown(state.bias), grown(state.bias_debt)
    learner._continue = learner._continue._replace(state=State(weights, bias, debt, bias_debt, *state[4:]))
