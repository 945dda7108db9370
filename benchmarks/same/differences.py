"""Two records, leaf by leaf: what is equal bit for bit, what differs, and by how much."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .cases import Place, Record
from .plain import Leaf

HEAD = ("Kind", "Values", "Bit for bit", "Close", "Different", "Largest difference")
FLOAT32 = float(np.finfo(np.float32).eps / np.finfo(np.float64).eps)  # its digits are so much coarser


class Difference(NamedTuple):
    """A leaf that is not the same on both sides."""

    place: Place
    size: float  # of floats, over the largest entry; infinite for anything else
    allowed: bool
    text: str


def differences(other: Record, this: Record) -> Iterator[Difference]:
    """Every leaf that is not equal bit for bit."""
    for place in dict.fromkeys([*other, *this]):
        if place not in other or place not in this:
            yield Difference(place, np.inf, False, f"only in {'this' if place in this else 'the other'}")
            continue
        a, b = other[place], this[place]
        if not same_bits(a, b):
            size = relative(a, b, place.rule.least)
            allowed = 0 < place.rule.share * (FLOAT32 if single(a) else 1) >= size
            yield Difference(place, size, allowed, f"{shown(a)} -> {shown(b)}")


def same_bits(a: Leaf, b: Leaf) -> bool:
    if not isinstance(a, np.ndarray | float) or type(a) is not type(b):
        return type(a) is type(b) and a == b
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def relative(a: Leaf, b: Leaf, least: float = 0.0) -> float:
    """The largest difference of two floats or arrays of floats over their largest entry, or over ``least`` if that is more;
    infinite if they are no such."""
    if not all(isinstance(each, np.ndarray | float) for each in (a, b)):
        return np.inf
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape or a.dtype.kind != "f":
        return np.inf
    strange = ~(np.isfinite(a) & np.isfinite(b))
    if not np.array_equal(a[strange], b[strange], equal_nan=True):
        return np.inf
    a, b = a[~strange].astype(float), b[~strange].astype(float)
    if not a.size or not (a != b).any():
        return 0.0  # -0.0 and 0.0
    return float(np.abs(a - b).max() / max(np.abs(a).max(), np.abs(b).max(), least))


def single(leaf: Leaf) -> bool:
    return isinstance(leaf, np.ndarray) and leaf.dtype == np.float32


def shown(leaf: Leaf, width: int = 60) -> str:
    text = " ".join(repr(leaf).split())
    return text if len(text) <= width else text[: width - 3] + "..."


def lines(other: Record, this: Record, found: list[Difference]) -> list[tuple[str, ...]]:
    """One line of the table for each kind."""
    counts: dict[str, int] = {}
    for place in {**other, **this}:
        counts[place.kind] = counts.get(place.kind, 0) + 1
    return [line(kind, count, [each for each in found if each.place.kind == kind]) for kind, count in counts.items()]


def line(kind: str, count: int, found: list[Difference]) -> tuple[str, ...]:
    bad = sum(not each.allowed for each in found)
    largest = max((each.size for each in found), default=0.0)
    word = "-" if not found else "no number" if largest == np.inf else f"{largest:.1e}"
    return kind, str(count), str(count - len(found)), str(len(found) - bad), str(bad), word
