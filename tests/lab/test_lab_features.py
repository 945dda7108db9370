"""The features of the lab are the formula's, and what is drawn of them is what they say."""

from __future__ import annotations

from math import exp

import pytest

from even_odd import inside
from page_engine import DEMONSTRATIONS, XOR, answer

PRESETS = DEMONSTRATIONS["features"].presets


def told(data, **parameters):
    found = answer({"demo": "features", "ask": "features", "data": data.as_dict(), "parameters": parameters})
    assert "error" not in found, found
    return found["answer"]


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_features_line_and_border_belong_together(preset):
    found = told(preset.data, **preset.parameters)
    (x1, y1, x2, y2), width = preset.parameters["centres"], preset.parameters["width"]
    w1, w2, b = found["weights"]
    errors = 0
    for (x, y), phi, kind in zip(preset.data.X, found["features"], preset.data.y, strict=True):
        for value, (cx, cy) in zip(phi, ((x1, y1), (x2, y2)), strict=True):
            assert value == pytest.approx(exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * width**2)), rel=1e-12)
        score = w1 * phi[0] + w2 * phi[1] + b
        errors += (score > 0) != (kind == 1)
        assert inside((x, y), found["regions"]) == (score > 0)
    assert found["errors"] == errors
    assert (found["margin"] is not None) == found["separable"]
    assert not found["separable"] or errors == 0


@pytest.mark.parametrize("width", [0.25, 0.5, 1.0, 3.0])
def test_centres_on_one_side_do_not_separate_xor_and_those_on_a_diagonal_do(width):
    assert told(XOR, centres=[0.0, 0.0, 1.0, 0.0], width=width)["separable"] is False
    found = told(XOR, centres=[0.0, 0.0, 1.0, 1.0], width=width)
    assert found["separable"] is True
    assert found["separable_before"] is False
    assert found["said"].startswith("No line separates the rows themselves")


def test_rows_of_one_class_are_refused():
    data = XOR.as_dict() | {"y": [1, 1, 1, 1]}
    assert "same class" in answer({"demo": "features", "ask": "features", "data": data})["error"]
