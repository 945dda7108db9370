"""Sums over partitions with a bound of their rounding errors, and largest values: what is merged with ``+``."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np

from ..inputs.rounding_error import UNIT

ROOM = 1 + 8 * UNIT  # for the roundings of a bound


@dataclass(frozen=True)
class Sum:
    """Numbers, and how far each may be from the truth.  Of ``a + b``, both may err, and their sum is rounded."""

    value: Any  # float or array
    error: Any

    def __add__(self, other: Sum) -> Sum:
        value = self.value + other.value
        return Sum(value, (self.error + other.error + UNIT * np.abs(value)) * ROOM)

    @property
    def most(self) -> Any:
        """Not below the truth."""
        return (self.value + self.error) * ROOM  # of what is not negative

    def times(self, factor: Any) -> Sum:
        """All of them times a number."""
        value = factor * self.value
        return Sum(value, (abs(factor) * self.error + UNIT * np.abs(value)) * ROOM)


def total(values: np.ndarray) -> Sum:
    """The sum of some numbers, rounded once (Shewchuk 1997, as in ``math.fsum``)."""
    value = fsum(values.tolist())
    return Sum(value, UNIT * abs(value))


@dataclass(frozen=True)
class Most:
    """The larger of two numbers."""

    value: float

    def __add__(self, other: Most) -> Most:
        return Most(max(self.value, other.value))


def merge(one: Any, other: Any) -> Any:
    """Tuples part by part, rows of partitions side by side, all else added up."""
    if isinstance(one, tuple):
        parts = [merge(a, b) for a, b in zip(one, other, strict=True)]
        return type(one)(*parts) if hasattr(one, "_fields") else tuple(parts)
    return one | other if isinstance(one, dict) else one + other
