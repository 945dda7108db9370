"""Tiles, counts and curves of the lab against trying every labeling in fractions, and against the lecture's formula."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff.course.plain import separable_labelings
from page_engine import DEMONSTRATIONS, XOR, Data, answer

DIMENSIONS, ROUNDS = (1, 2, 5, 20), 40
PRESETS = {preset.name: preset for preset in DEMONSTRATIONS["shattering"].presets}


def told(ask, data, **parameters):
    found = answer({"demo": "shattering", "ask": ask, "data": data.as_dict(), "parameters": parameters})
    assert "error" not in found, found
    return found["answer"]


def two_classes(plus, minus):
    rows = [[float(value) for value in point] for point in [*plus, *minus]]
    return Data(rows, [1] * len(plus) + [0] * len(minus), XOR.names, XOR.classes)


def check_tiles(points):
    data = two_classes(points[:1], points[1:])
    found = told("tiles", data)
    separable = {tuple(labels) for labels in separable_labelings(data.X)}
    assert found["count"] == len(separable)
    assert found["shattered"] == (len(separable) == 2 ** len(points))
    assert [int("".join(map(str, tile["labels"])), 2) for tile in found["tiles"]] == list(range(2 ** len(points)))
    assert found["tiles"][found["current"]]["labels"] == data.y
    for tile in found["tiles"]:
        signs = [2 * label - 1 for label in tile["labels"]]
        assert tile["separable"] == (tuple(signs) in separable)
        if tile["weights"]:
            w1, w2, b = map(Fraction, tile["weights"])
            assert all(
                s * (w1 * Fraction(x) + w2 * Fraction(y) + b) > 0 for s, (x, y) in zip(signs, data.X, strict=True)
            )
        else:
            assert bool(tile["common"]) != tile["separable"]
            assert not tile["separable"] or len(set(signs)) == 1
        for hull in tile["hulls"]:
            mine = [x for x, label in zip(data.X, tile["labels"], strict=True) if label == hull["class"]]
            assert all(corner in mine for corner in hull["witness"])
    return found


@pytest.mark.parametrize("name", list(PRESETS))
def test_tiles_of_the_presets(name):
    check_tiles([tuple(row) for row in PRESETS[name].data.X])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=5))
def test_tiles_of_any_points(points):
    check_tiles(points)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=4, unique=True))
def test_the_answers_to_the_questions_hold_for_every_set(points):
    """Yes means: of this set, too, whatever its labels.  No four points are shattered."""
    column = len(points) - 2
    separable = separable_labelings(points)
    labeled_yes, _, every_yes = (row["cells"][column]["yes"] for row in told("questions", XOR)["rows"])
    assert not labeled_yes or len(separable) == 2 ** len(points)
    assert not every_yes or len(separable) == 2 ** len(points)
    assert len(points) < 4 or len(separable) < 16


def test_each_answer_shows_a_set_of_so_many_points():
    rows = told("questions", XOR)["rows"]
    for number, row in enumerate(rows):
        for cell in row["cells"]:
            data = PRESETS[cell["preset"]].data
            assert len(data.X) == cell["points"]
            found = told("tiles", data)
            assert (found["shattered"] if number else found["tiles"][found["current"]]["separable"]) == cell["yes"]


def test_cover_s_curves_are_the_lecture_s():
    found = told("cover", XOR)
    for d in DIMENSIONS:
        for place, share in zip(found["place"], found[f"d{d}"], strict=True):
            N = round(place * (d + 1))
            if share is None:
                assert not np.isclose(N / (d + 1), place, atol=1e-12) or place > 4
            else:
                formula = Fraction(sum(comb(N - 1, i) for i in range(d + 1)), 2 ** (N - 1)) if place > 1 else 1
                assert share == float(formula)


def test_shares_are_those_of_the_rounds():
    found = told("cover", XOR, dimension=1, seed=5)
    limits = found["limits"]
    assert found["means"][-1] == sum(limits) / ROUNDS
    for made in (1, 7, ROUNDS):
        for place, share in zip(found["place"], found["shares"][made - 1], strict=True):
            if share is not None:
                assert share == sum(limit >= round(2 * place) for limit in limits[:made]) / made


@pytest.mark.parametrize("d", DIMENSIONS)
def test_random_labels_last_as_long_as_cover_says(d):
    found = told("cover", XOR, dimension=d)
    assert found["capacity"] == 2 * (d + 1)
    spread = (2 * (d + 1) / ROUNDS) ** 0.5  # of a mean of waiting times for d + 1 heads
    assert abs(found["means"][-1] - found["capacity"]) < 4 * spread


def test_too_many_points_are_refused():
    data = two_classes([(0, 0), (1, 0), (2, 1)], [(0, 3), (3, 1), (1, 1)])
    assert "from 2 to 5" in answer({"demo": "shattering", "ask": "tiles", "data": data.as_dict()})["error"]
