"""Every labeling of a few points with its verdict, three questions about them (L0 11.63), and Cover's curves (L1 3.30)."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

from ..demonstration import Ask, Control, Demonstration, Parameters, Preset
from ..point_sets import FOUR_ON_A_LINE, INSIDE, THREE_ON_A_LINE, TRIANGLE, TWO, XOR
from ..scenes import Data
from .verdict_drawn import verdict, weights_of, witness_drawn

MOST_POINTS = 5  # of which every labeling is a tile
SECONDS = 3.0  # for a proof
DIMENSIONS = (1, 2, 5, 20)  # of the curves
REACH = 4  # times d + 1: how many points the curves go to
ROUNDS = 40  # of random labels
LONGEST = (
    8  # times d + 1: how many points of a round are drawn; so many are never separable (one in two thousand for d = 1)
)

# L0's questions: what it asks; then for two, three and four points the answer, why, and the preset that shows it.
QUESTIONS = (
    (
        "Every set, some labeling",
        "Is there for every set a labeling with both classes that a line separates?",
        (True, "A line between the two.", "two"),
        (True, "Label one outermost point differently from all others: a line cuts it off.", "three-line"),
        (True, "Label one outermost point differently from all others: a line cuts it off.", "four-line"),
    ),
    (
        "Some set, every labeling",
        "Is there a set of which a line separates every labeling?",
        (True, "Any two points.", "two"),
        (True, "The corners of a triangle: a line cuts off any of them.", "triangle"),
        (
            False,
            "Four points can always be divided so that the hulls of both parts meet (Radon 1921). So the "
            "Vapnik\u2013Chervonenkis dimension of lines in the plane is 3.",
            "square",
        ),
    ),
    (
        "Every set, every labeling",
        "Does a line separate every labeling of every set?",
        (True, "Any two points, if they are different.", "two"),
        (False, "Not of three points on a line: the middle one cannot be cut off.", "three-line"),
        (False, "Of no four points at all.", "inside"),
    ),
)


def tiles(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """Every labeling of the points with its verdict, and how many are separable."""
    from ...theory.shattering import can_shatter, dichotomies  # when asked: it takes long to import

    count = len(data.X)
    if count > MOST_POINTS or len(data.classes) != 2:
        raise ValueError(f"Take from 2 to {MOST_POINTS} points of two classes: every labeling of them is shown.")
    found = dichotomies(data.X)
    half = [_tile(data, [0, *labels]) for labels in product((0, 1), repeat=count - 1)]
    shown = [*half, *map(_turned, reversed(half))]  # in counting order
    mixed = [tile for tile in shown if len(set(tile["labels"])) == 2]
    shattered = can_shatter(data.X)
    return {
        "points": count,
        "all": len(shown),
        "count": found.count,
        "cover": found.cover,
        "shattered": shattered,
        "some": any(tile["separable"] for tile in mixed),
        "tiles": shown,
        "current": int("".join(map(str, data.y)), 2),
        "said": _said(count, found.count, found.cover, shattered),
        "verdict": verdict(data, {"bias": "one"}, None) if len(set(data.y)) == 2 else None,
    }


def _tile(data: Data, labels: list[int]) -> dict[str, Any]:
    """One labeling: a line, or two hulls that meet; neither if there is only one class."""
    import numpy as np

    from ...proof.answer.separable import separability  # as in tiles

    drawn: dict[str, Any] = {"labels": labels, "separable": True, "weights": None, "hulls": [], "common": None}
    if len(set(labels)) == 1:
        return drawn
    X, y = np.array(data.X), np.array(labels)
    proof = separability(X, y, time_limit=SECONDS)
    drawn["separable"] = proof.separable
    if proof.separable:
        drawn["weights"] = weights_of(proof)
    elif proof.witness is not None:
        meeting = witness_drawn(proof, X, y)
        drawn |= {"hulls": meeting["hulls"], "common": meeting["common"]}
    return drawn


def _turned(tile: dict[str, Any]) -> dict[str, Any]:
    """The same with all labels turned: the same line, the other way round."""
    return tile | {
        "labels": [1 - label for label in tile["labels"]],
        "weights": tile["weights"] and [-weight for weight in tile["weights"]],
        "hulls": [hull | {"class": 1 - hull["class"]} for hull in tile["hulls"]],
    }


def _said(points: int, count: int, cover: int, shattered: bool) -> str:
    named = f"{count} of {2**points} labelings are separable"
    if shattered:
        return f"{named}: lines shatter these {points} points."
    where = "no three of them on a line" if points > 3 else "not on one line"
    less = f" Points in general position ({where}) have {cover}." if count < cover else ""
    return f"{named}: lines do not shatter these {points} points.{less}"


def questions(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """The three questions for two, three and four points."""
    return {
        "rows": [
            {
                "title": title,
                "question": question,
                "cells": [
                    {"points": points, "yes": yes, "why": why, "preset": preset}
                    for points, (yes, why, preset) in zip((2, 3, 4), cells, strict=True)
                ],
            }
            for title, question, *cells in QUESTIONS
        ]
    }


def cover(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """Cover's curves over N / (d + 1), and how long random labels stay separable."""
    from ...theory.cover import capacity, cover_fraction  # as in tiles

    curves = {d: {N / (d + 1): float(cover_fraction(N, d)) for N in range(1, REACH * (d + 1) + 1)} for d in DIMENSIONS}
    places = sorted({place for curve in curves.values() for place in curve})
    d = parameters["dimension"]
    limits = _limits(d, parameters["seed"])
    own = [round(place * (d + 1)) if place in curves[d] else None for place in places]  # N
    shares = [
        [None if N is None else sum(limit >= N for limit in limits[: made + 1]) / (made + 1) for N in own]
        for made in range(ROUNDS)
    ]
    return {
        "place": places,
        **{f"d{dimension}": [curve.get(place) for place in places] for dimension, curve in curves.items()},
        "shares": shares,
        "limits": list(limits),
        "means": [sum(limits[: made + 1]) / (made + 1) for made in range(ROUNDS)],
        "capacity": capacity(d),
    }


@lru_cache(maxsize=64)
def _limits(d: int, seed: int) -> tuple[int, ...]:
    """For each round, how many points with random labels were separable before one more was not."""
    import numpy as np

    rng = np.random.default_rng(seed)
    found = []
    for _ in range(ROUNDS):
        X, y = rng.standard_normal((LONGEST * (d + 1), d)).round(3), rng.integers(0, 2, LONGEST * (d + 1))
        low, high = 1, len(y) + 1  # separable, not separable
        while high - low > 1:  # points taken away from a separable set leave a separable set
            middle = (low + high) // 2
            low, high = (middle, high) if _separable(X[:middle], y[:middle]) else (low, middle)
        found.append(low)
    return tuple(found)


def _separable(X: Any, y: Any) -> bool:
    from ...proof.answer.separable import separability  # as in tiles

    if y.min() == y.max():
        return True
    proof = separability(X, y, time_limit=SECONDS)
    if proof.separable is None:
        raise ValueError("A proof took too long: try another dimension.")
    return bool(proof.separable)


def python(data: Data, parameters: Parameters) -> str:
    """The code of this view."""
    return (
        "from novikoff import separability, theory\n\n"
        "found = theory.dichotomies(X)\n"
        "print(found.count, 'of', 2 ** len(X), 'labelings are separable; shattered:', theory.can_shatter(X))\n"
        "print(found.labelings)\n"
        "if len(set(y)) == 2:\n    print(separability(X, y))\n\n"
        f"d = {parameters['dimension']}\n"
        f"print([float(theory.cover_fraction(N, d)) for N in range(1, {REACH} * (d + 1) + 1)], theory.capacity(d))\n"
    )


SHATTERING_TILES = Demonstration(
    name="shattering",
    title="Every labeling: shattering and Cover\u2019s curves",
    lectures="L0 11.63, L1 (3.30)",
    text=(
        "N points can be labeled +1 or \u22121 in 2\u1d3a ways. Each way is a tile: with a line, if one separates the labels, "
        "or with the hulls that meet. If all of them have a line, lines shatter the points.",
        "Cover (1965) counted them for points in general position in d dimensions: the share F(N, d) of separable labelings is 1 "
        "up to N = d + 1, exactly one half at N = 2(d + 1), and soon nothing. The larger d, the steeper the fall.",
    ),
    task="Drag a corner of the square into the triangle of the other three. Which two labelings have no line now? Then put three "
    "points on a line: how many labelings are lost?",
    presets=(
        Preset("square", "Four corners", XOR),
        Preset("two", "Two points", TWO),
        Preset("triangle", "Three points", TRIANGLE),
        Preset("three-line", "Three on a line", THREE_ON_A_LINE),
        Preset("inside", "Four, one inside", INSIDE),
        Preset("four-line", "{a, b} against {c, d} on a line", FOUR_ON_A_LINE, {"dimension": 1}),
    ),
    controls=(
        Control(
            "dimension",
            "Random points in d dimensions",
            2,
            tuple((d, f"d = {d}") for d in DIMENSIONS),
        ),
        Control("seed", "Random number", 0, low=0, high=1_000_000, whole=True, step=1),
    ),
    asks={"tiles": Ask(tiles, follows=True), "questions": Ask(questions), "cover": Ask(cover)},
    python=python,
)
