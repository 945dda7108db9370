"""What learners remember beside their weights, as kinds of values: records, votes, what keeps remember."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cycles import Cycle
from ..dual_votes import DualVote, DualVotes, Voter
from ..keeps import KEEPS, Last, Pocket, Run, Vote, Votes
from .arrays import Array, Sparse
from .kinds import Flag, Kind, Maybe, Out, Real, Record, Source, Text, Unreadable


class Records(Kind):
    """Lists of numbers, one entry a pass: a history."""

    def __init__(self, lists: bool) -> None:
        self._lists = lists

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return {key: out.put(np.asarray(values), f"{name}.{key}") for key, values in value.items()}

    def unpack(self, stored: Any, name: str, source: Source) -> Any:
        if not isinstance(stored, dict):
            raise Unreadable(f"{name} is no history")
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
PAST = Record(
    lambda coef, intercept, tenure: list(zip(coef, intercept, tenure.tolist(), strict=True)),
    {
        "coef": Array("f", "past", "outputs", "features"),
        "intercept": Array("f", "past", "outputs"),
        "tenure": Array("f", "past", low=0.0),
    },
    read=lambda past: dict(
        zip(("coef", "intercept", "tenure"), (np.array(part) for part in zip(*past, strict=True)), strict=True)
    ),
)
DUAL_VOTES = Record(
    DualVotes,
    {
        "steps": Sparse("support", None, dense=False),
        "intercept": Array("f", "votes", "outputs"),
        "tenure": Array("f", "votes", low=5e-324),
    },
)


def _cycle(rows: np.ndarray, steps: np.ndarray, proves_inseparable: bool, against_rest: np.ndarray | None) -> Cycle:
    if against_rest is None:  # of an older file, which does not say whether one class or all of them are meant
        proves_inseparable = proves_inseparable and steps.shape[1] == 1
    return Cycle(rows, steps, proves_inseparable, np.empty(0, np.int64) if against_rest is None else against_rest)


class CycleRecord(Record):
    """A cycle; older files lack its last part."""

    def unpack(self, stored: Any, name: str, source: Source) -> Any:
        return super().unpack({"against_rest": None, **stored} if isinstance(stored, dict) else stored, name, source)


CYCLE = CycleRecord(
    _cycle,
    {
        "rows": Array("i", "cycle", low=0),
        "steps": Array("f", "cycle", "outputs"),
        "proves_inseparable": Flag(),
        "against_rest": Maybe(Array("i", None, low=0)),
    },
)
POCKET = Maybe(
    Record(
        lambda coef, intercept: (coef, intercept),
        {"coef": Array("f", "outputs", "features"), "intercept": Array("f", "outputs")},
        read=lambda pocket: {"coef": pocket[0], "intercept": pocket[1]},
    )
)


def _dual_past(keep: DualVote) -> dict[str, Any]:
    """All steps in a row, and where voters and blocks of steps end."""
    groups = [voter.steps for voter in keep._past] + [keep._since]
    pieces = [piece for group in groups for piece in group]
    empty = np.empty(0, np.intp), np.empty((0, 0))
    return {
        "groups": np.array([len(group) for group in groups]),
        "sizes": np.array([len(who) for who, _ in pieces], np.intp),
        "who": np.concatenate([who for who, _ in pieces]) if pieces else empty[0],
        "steps": np.concatenate([steps.T for _, steps in pieces]) if pieces else empty[1],
        "intercept": np.array([voter.intercept for voter in keep._past]) if keep._past else empty[1],
        "tenure": np.array([voter.tenure for voter in keep._past]),
    }


DUAL_PAST = Record(
    lambda **parts: parts,
    {
        "groups": Array("i", None, low=0),
        "sizes": Array("i", None, low=0),
        "who": Array("i", "steps", low=0),
        "steps": Array("f", "steps", None),
        "intercept": Array("f", "past", None),
        "tenure": Array("f", "past", low=0.0),
    },
    read=_dual_past,
)


def _restore_dual_past(keep: DualVote, parts: dict[str, np.ndarray], source: Source, name: str) -> None:
    groups, sizes, outputs = parts["groups"], parts["sizes"], source.sizes["outputs"]
    wide = [len(part) == 0 or part.shape[1] == outputs for part in (parts["steps"], parts["intercept"])]
    whole = groups.size == parts["tenure"].size + 1 and groups.sum() == sizes.size and sizes.sum() == parts["who"].size
    if not (whole and all(wide)) or max(groups.max(), sizes.max(initial=0)) > 2**48:
        raise Unreadable(f"{name} has parts that contradict each other")
    ends = np.cumsum(sizes)[:-1]
    pieces = list(zip(np.split(parts["who"], ends), (part.T for part in np.split(parts["steps"], ends)), strict=True))
    pieces = pieces if sizes.size else []
    ends = np.cumsum(groups)
    grouped = [pieces[end - count : end] for end, count in zip(ends, groups, strict=True)]
    voters = zip(grouped, parts["intercept"], parts["tenure"].tolist(), strict=False)
    keep._past, keep._since = [Voter(*voter) for voter in voters], grouped[-1]


class Keep(Kind):
    """The memory of the learner's ``keep``."""

    def pack(self, value: Any, name: str, out: Out) -> Any:
        if isinstance(value, Vote):
            return PAST.pack(value._past, name, out) if value._past else None
        if isinstance(value, DualVote):
            return DUAL_PAST.pack(value, name, out)
        if isinstance(value, Pocket):
            return {
                "pocket": POCKET.pack(value._pocket, name, out),
                "errors": Real().pack(value._errors, name, out),
                "counted_at": Real().pack(value._counted_at, name, out),
            }
        return POCKET.pack(value._pocket, name, out) if isinstance(value, Run) else None

    def unpack(self, stored: Any, name: str, source: Source) -> Last:
        learner = source.learner
        if learner.keep == "vote":
            return self._voters(stored, name, source)
        keep = KEEPS[learner.keep]()
        if isinstance(keep, Pocket):
            if not isinstance(stored, dict) or set(stored) != {"pocket", "errors", "counted_at"}:
                raise Unreadable(f"{name} is no pocket")
            keep._errors = Real(0.0, finite=False).unpack(stored["errors"], name, source)
            keep._counted_at = Real(-1.0).unpack(stored["counted_at"], name, source)
            stored = stored["pocket"]
        if isinstance(keep, Run):
            keep._pocket = POCKET.unpack(stored, name, source)
        elif stored is not None:
            raise Unreadable(f"{name} has nothing to remember")
        return keep

    def _voters(self, stored: Any, name: str, source: Source) -> Last:
        if hasattr(source.learner, "kernel"):
            dual = DualVote(source.learner.max_votes)
            _restore_dual_past(dual, DUAL_PAST.unpack(stored, name, source), source, name)
            return dual
        keep = Vote(source.learner.max_votes)
        keep._past = [] if stored is None else PAST.unpack(stored, name, source)
        return keep
