"""Labels of a stream: classes named at the first call, or admitted as they come."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inputs.targets import class_numbers, distinct_labels, with_class_weight
from ..learn.rows import natural, public
from ..learn.state import State
from .streaming import Numbers


class Classes(Numbers):
    """Reads the labels of one call of ``partial_fit``."""

    def __init__(self, learner: Any, classes: Any, extend: bool) -> None:
        self._learner, self._classes, self._extend = learner, classes, extend

    def refuse_first(self) -> None:
        if self._classes is None and not self._extend:
            raise ValueError(
                "classes must be passed on the first call to partial_fit: all labels of this and later calls, or use "
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
        counts = learner._learned.class_counts
        weight = with_class_weight(learner.class_weight, learner.classes_, weight, target, members, counts)
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
            elif not (self._extend or same(classes, learner.classes_) or same(np.unique(classes), learner.classes_)):
                raise ValueError(
                    f"classes={classes.tolist()!r} is not the same as on the last call, {learner.classes_.tolist()!r}. "
                    "Pass extend_classes=True to add new ones."
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


def same(some: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays have the same labels in the same order."""
    return some.shape == other.shape and bool((some == other).all())


def add_classes(learner: Any, classes: np.ndarray) -> None:
    """Give new classes zero weights.  The one output w of two classes becomes a pair of opposite ones: each of them w where
    every class is on its own; w / 2, whose difference is w, where the rule looks at the lead of one over the other."""
    if learner._learned.keep.remembers:
        raise ValueError(f"extend_classes cannot add a class to the stored weights of keep={learner.keep!r}.")
    state, rows = learner._learned.state, learner._learned.rows
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

    weights, overcount = (natural(rows, grown(public(rows, part))) for part in (state.weights, state.overcount))
    bias, bias_overcount = grown(state.bias), grown(state.bias_overcount)
    memory = np.zeros((len(classes), state.memory.shape[1]))
    memory[places] = state.memory  # the pair of opposite outputs has it twice
    learner._learned.state = State(weights, bias, overcount, bias_overcount, state.counts, state.pauses, memory)
