"""What a case is, and what is recorded of it: its result, what it warned of, or the error it ended in."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .plain import Incomparable, Leaf, leaves

MESSAGES = "messages"  # the kind of all texts that a case warns with


class Rule(NamedTuple):
    """How far floats may be apart: ``share`` of the largest entry, or of ``least`` if that is more."""

    share: float
    least: float = 0.0


BITS = Rule(0.0)  # sums of whole numbers, proofs: the same however a kernel groups them
DIGITS = Rule(1e-12)
GAP = Rule(1e-9, 1.0)  # what is proved to a gap only: its last digits depend on where arrays lie in memory


class Case(NamedTuple):
    """A computation with public names."""

    kind: str  # a row of the table
    name: str
    run: Callable[[], Any]
    rule: Rule = DIGITS


class Place(NamedTuple):
    """Where a leaf stands."""

    kind: str
    name: str
    way: str
    rule: Rule


Record = dict[Place, Leaf]


def record(cases: Iterable[Case]) -> Record:
    """The leaves of all cases."""
    return {place: leaf for case in cases for place, leaf in recorded(case)}


def recorded(case: Case) -> Iterable[tuple[Place, Leaf]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = list(leaves(case.run()))
        except Incomparable:
            raise
        except Exception as error:
            found = [(("error",), type(error).__name__)]
            yield Place(MESSAGES, f"{case.kind}: {case.name}", "error", BITS), str(error)
    for way, leaf in found:
        yield Place(case.kind, case.name, ".".join(way), case.rule), leaf
    texts = sorted({f"{each.category.__name__}: {each.message}" for each in caught})
    yield Place(MESSAGES, f"{case.kind}: {case.name}", "warnings", BITS), "\n".join(texts)
