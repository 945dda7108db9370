"""What learners remember beside their weights, as kinds of values: records, votes, what keeps remember."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dual.dual_votes import DualVotes
from ...estimators.base import empty_keep
from ...learn.keeps import Last, Layout, Stored, Votes
from ...proof.check.cycles import Cycle
from .array_kinds import Array, Sparse
from .value_kinds import Flag, Kind, Maybe, Out, Real, Record, Source, Text, Unreadable


class Records(Kind):
    """Lists of numbers, one entry a pass: a history."""

    def __init__(self, lists: bool) -> None:
        self._lists = lists

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return {key: out.put(np.asarray(values), f"{name}.{key}") for key, values in value.items()}

    def unpack(self, stored: Any, name: str, source: Source) -> Any:
        if not isinstance(stored, dict):
            raise Unreadable(f"{name} is not a history")
        found = {}
        for key, values in stored.items():
            numbers = Array("fi", f"{name} entries", finite=False).unpack(values, f"{name}.{key}", source)
            found[Text().unpack(key, name, source)] = numbers.tolist() if self._lists else numbers
        if found and "seconds" not in found:
            raise Unreadable(f"{name} does not say how long it took")
        return found


class Counts(Kind):
    """Weights of the rows of each class that were seen, in the order in which classes came."""

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return [[key, Real().pack(count, name, out)] for key, count in value.items()]

    def unpack(self, stored: Any, name: str, source: Source) -> dict[Any, float]:
        labels = {label: label for label in source.learner.classes_.tolist()}
        found = {}
        for item in stored if isinstance(stored, list) else [None]:
            if (
                not isinstance(item, list)
                or len(item) != 2
                or isinstance(item[0], list | dict)
                or item[0] not in labels
            ):
                raise Unreadable(f"{name} counts rows of unknown classes")
            found[labels[item[0]]] = Real(0.0).unpack(item[1], name, source)
        return found


VOTES = Record(
    Votes,
    {
        "coef": Array("f", "votes", "outputs", "features"),
        "intercept": Array("f", "votes", "outputs"),
        "tenure": Array("f", "votes", low=5e-324),
    },
)
DUAL_VOTES = Record(
    DualVotes,
    {
        "steps": Sparse("support", None, dense=False),
        "intercept": Array("f", "votes", "outputs"),
        "tenure": Array("f", "votes", low=5e-324),
    },
)


class CycleRecord(Record):
    """A cycle; older files lack its last part.  What the learner says of classes and intercept is not stored again."""

    def unpack(self, stored: Any, name: str, source: Source) -> Cycle:
        stored = {"against_rest": None, **stored} if isinstance(stored, dict) else stored
        parts, learner = super().unpack(stored, name, source), source.learner
        if (
            parts["against_rest"] is None
        ):  # of an older file, which does not say whether one class or all of them are meant
            parts["proves_inseparable"] = parts["proves_inseparable"] and parts["steps"].shape[1] == 1
            parts["against_rest"] = np.empty(0, np.int64)
        return Cycle(**parts, classes=learner.classes_, fit_intercept=bool(learner.fit_intercept))


CYCLE = CycleRecord(
    dict,
    {
        "rows": Array("i", "cycle", low=0),
        "steps": Array("f", "cycle", "outputs"),
        "proves_inseparable": Flag(),
        "against_rest": Maybe(Array("i", None, low=0)),
    },
)


class Keep(Kind):
    """The memory of the learner's ``keep``, which says itself what that is."""

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return Remembered(value.layout).pack(value.remembered(), name, out)

    def unpack(self, stored: Any, name: str, source: Source) -> Last:
        learner = source.learner
        keep = empty_keep(learner)
        try:
            keep.recall(Remembered(keep.layout).unpack(stored, name, source), source.sizes["outputs"])
        except ValueError as error:
            raise Unreadable(f"{name} {error}") from None
        return keep


class Remembered(Kind):
    """What a keep remembers, of this layout; None: nothing."""

    def __init__(self, layout: Layout) -> None:
        self._kinds = {field: _kind_of(part) for field, part in layout.items()}

    def pack(self, value: Any, name: str, out: Out) -> Any:
        if value is None:
            return None
        return {field: kind.pack(value[field], self._place(name, field), out) for field, kind in self._kinds.items()}

    def unpack(self, stored: Any, name: str, source: Source) -> dict[str, Any] | None:
        if stored is None:
            return None
        if not isinstance(stored, dict) or set(stored) != set(self._kinds):
            raise Unreadable(f"{name} lacks something, or has something unknown")
        return {
            field: kind.unpack(stored[field], self._place(name, field), source) for field, kind in self._kinds.items()
        }

    def _place(self, name: str, field: str) -> str:
        return name if isinstance(self._kinds[field], Remembered) else f"{name}.{field}"


def _kind_of(part: Stored | Layout) -> Kind:
    if not isinstance(part, Stored):
        return Remembered(part)
    if not part.sizes:
        return Real(part.low, finite=part.finite)
    return Array("i" if part.whole else "f", *part.sizes, low=part.low, finite=part.finite)
