"""Proofs: verdicts, certificates, margins and what follows from them, on some hundred random problems; theorems."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

import novikoff
from novikoff import theory

from .cases import BITS, Case
from .fit_cases import separable

PROBLEMS = 300
SAID = (
    *(
        "kind",
        "separable",
        "classes",
        "coef",
        "intercept",
        "exact_weights",
        "witness",
        "rows",
        "directions",
        "suspects",
    ),
    *("margin", "margin_bounds", "mistake_bound", "support", "violation", "spanning", "feature_names"),
)


def cases() -> Iterator[Case]:
    for number in range(PROBLEMS):
        X, y = problem(number)
        intercept = number % 7 > 1
        asked = {"fit_intercept": intercept, "max_margin": number % 3 == 0}
        text = f"{number}: {X.shape[0]} x {X.shape[1]}, {y.max() + 1} classes{'' if intercept else ', no intercept'}"
        yield Case("separability", text, partial(prove, X, y, asked), BITS)
    yield from theorems()


def problem(number: int) -> tuple[Any, np.ndarray]:
    """Few or many rows, of whole numbers or not, dense or sparse; labels by chance, or by planes with or without ties."""
    rng = np.random.default_rng([4, number])
    n_classes, n_columns = int(rng.integers(2, 6)), int(rng.integers(1, 6))
    n_rows = int(rng.integers(n_classes, 60))
    X = rng.integers(-3, 4, (n_rows, n_columns)).astype(float)
    if number % 4 == 0:
        X = rng.normal(size=X.shape)
    scores = X @ rng.normal(size=(n_columns, n_classes)) + rng.normal(size=n_classes)
    y = scores.argmax(axis=1)
    if number % 3 == 1:
        y = rng.integers(0, n_classes, n_rows)
    if number % 5 == 2:  # few rows have another label
        y[: max(1, n_rows // 10)] = (y[: max(1, n_rows // 10)] + 1) % n_classes
    y[:n_classes] = np.arange(n_classes)
    return (sparse.csr_array(X) if number % 2 else X), y


def prove(X: Any, y: np.ndarray, asked: dict[str, Any]) -> Any:
    proof = novikoff.separability(X, y, **asked)
    said = {name: getattr(proof, name) for name in SAID}
    said["pairwise"] = {pair: str(each) for pair, each in proof.pairwise().items()}
    return said | {"verify": proof.verify(X, y), "text": str(proof)}


def theorems() -> Iterator[Case]:
    asked: tuple[dict[str, Any], ...] = ({}, {"batch_size": "all"}, {"eta": 0.5}, {"multiclass": "ovr"})
    for n_classes, chosen in product((2, 3), asked):
        X, y = separable("dense64", n_classes)
        run = partial(theory.novikoff_bound, X, y, **chosen)
        yield Case("theory", f"novikoff_bound {n_classes} {chosen}", run, BITS)
    for number in range(0, PROBLEMS, 10):
        X, y = problem(number)
        two = (y > 0).astype(int)
        yield Case("theory", f"radius {number}", partial(theory.radius, X))
        weights = np.random.default_rng(number).integers(-3, 4, X.shape[1])
        yield Case("theory", f"margin {number}", partial(theory.margin, X, two, weights, 1.0))
    for rows in range(1, 7):
        points = np.random.default_rng(rows).integers(-2, 3, (rows, 2)).astype(float)
        yield Case("theory", f"dichotomies {rows}", partial(counts, points), BITS)
        yield Case("theory", f"can_shatter {rows}", partial(theory.can_shatter, points), BITS)
        yield Case("theory", f"cover_fraction {rows}", partial(theory.cover_fraction, rows, 3), BITS)
        yield Case("theory", f"capacity {rows}", partial(theory.capacity, rows), BITS)
    for table in range(0, 256, 5):
        run = partial(network, [table >> bit & 1 for bit in range(8)])
        yield Case("theory", f"boolean_network {table}", run, BITS)
    yield Case("theory", "gap", gap)


def counts(points: np.ndarray) -> Any:
    found = theory.dichotomies(points)
    return {"count": found.count, "cover": found.cover}


def network(outputs: list[int]) -> str:
    return repr(theory.boolean_network(outputs))


def gap() -> Any:
    X, y = separable("dense64", 2)
    return theory.gap(novikoff.trace(novikoff.Perceptron(random_state=0), X, y), X, y)
