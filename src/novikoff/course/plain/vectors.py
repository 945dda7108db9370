"""Vectors as lists of numbers: whole numbers, floats or fractions, whatever a reader likes to compute with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

Number: TypeAlias = Any  # int, float or Fraction
Vector: TypeAlias = Sequence[Number]
Rows: TypeAlias = Sequence[Vector]


def dot(u: Vector, v: Vector) -> Number:
    """u.v = u_1 v_1 + ... + u_d v_d"""
    return sum(a * b for a, b in zip(u, v, strict=True))


def plus(u: Vector, v: Vector, g: Number = 1) -> list[Number]:
    """u + g v: the step that every learner of the lectures makes."""
    return [a + g * b for a, b in zip(u, v, strict=True)]


def times(g: Number, v: Vector) -> list[Number]:
    """g v"""
    return [g * b for b in v]


def total(vectors: Rows, d: int) -> list[Number]:
    """The sum of some vectors of d numbers; of none, zeros."""
    return [sum(v[j] for v in vectors) for j in range(d)]


def square(v: Vector) -> Number:
    """|v|^2"""
    return dot(v, v)


def with_one(X: Rows) -> list[list[Number]]:
    """The notational trick: the rows (x, 1), so that the last weight is the bias b."""
    return [[*x, 1] for x in X]


def start(w: Vector | None, X: Rows) -> list[Number]:
    """The first weights: those given, else zeros."""
    return [0] * len(X[0]) if w is None else list(w)
