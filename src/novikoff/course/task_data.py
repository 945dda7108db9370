"""Small whole numbers for tasks, drawn from a seed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from .plain import dot, is_witness, separating_weights, signed_rows, witness

Row = list[int]


def row(rng: Random, d: int, size: int = 4) -> Row:
    """A vector that is not zero."""
    while True:
        found = [rng.randint(-size, size) for _ in range(d)]
        if any(found):
            return found


def halved(given: Any) -> Any:
    """A number, or all numbers of a list, halved: a function that cuts off decimals goes wrong with them."""
    return [halved(part) for part in given] if isinstance(given, list) else given / 2


def distinct_rows(rng: Random, n: int, d: int, size: int = 4) -> list[Row]:
    """Vectors that are all different, and none zero."""
    found: list[Row] = []
    while len(found) < n:
        x = row(rng, d, size)
        if x not in found:
            found.append(x)
    return found


def separable(rng: Random, n: int, d: int, intercept: bool = False, size: int = 4) -> tuple[list[Row], list[int]]:
    """Samples of both classes that some weights separate."""
    while True:
        X = distinct_rows(rng, n, d, size)
        w, b = row(rng, d), rng.randint(-3, 3) * intercept
        scores = [dot(w, x) + b for x in X]
        y = [1 if a > 0 else -1 for a in scores]
        if 0 not in scores and abs(sum(y)) < n - 2:
            return X, y


def inseparable(rng: Random, n: int, d: int, intercept: bool = False) -> tuple[list[Row], list[int]]:
    """Samples of both classes that no weights separate, and no two of which prove that."""
    while True:
        X, y = distinct_rows(rng, n, d), [rng.choice((-1, 1)) for _ in range(n)]
        found = None if abs(sum(y)) == n else witness(signed_rows(X, y, intercept))
        if found is not None and is_witness(signed_rows(X, y, intercept), found) and sum(v > 0 for v in found) > 2:
            return X, y


def samples(
    make: Callable[[Random, int, int], tuple[list[Row], list[int]]], n: int
) -> Callable[[Random], dict[str, Any]]:
    """What draws the data of a task: so many samples of two features."""
    return lambda rng: dict(zip(("X", "y"), make(rng, n, 2), strict=True))


def nothing(rng: Random) -> dict[str, Any]:
    """The data of a task that has none."""
    return {}


def mistaken(rng: Random, d: int, labels: tuple[int, ...] = (-1, 1)) -> tuple[Row, Row, int]:
    """Weights, and a sample that they misclassify, not by a tie."""
    while True:
        w, x, y = row(rng, d), row(rng, d), rng.choice(labels)
        if y * dot(w, x) < 0:
            return w, x, y


def separates(X: list[Row], y: list[int], intercept: bool = False) -> bool:
    """Whether some weights do."""
    return separating_weights(signed_rows(X, y, intercept)) is not None
