"""Several classes: steps and ends are those of plain rules, and every region is convex and where its class wins."""

from __future__ import annotations

import numpy as np
import pytest

from novikoff import Perceptron
from novikoff.course import plain
from page_engine import DEMONSTRATIONS, EIGHT, FIVE_ON_A_LINE, INNER, THREE_CLOUDS, THREE_MIXED, answer


def told(ask, data, **parameters):
    found = answer({"demo": "classes", "ask": ask, "data": data.as_dict(), "parameters": parameters})
    assert "answer" in found, found
    return found["answer"]


@pytest.mark.parametrize("form", ["worst", "all", "uniform", "ovr"])
@pytest.mark.parametrize("data", [FIVE_ON_A_LINE, THREE_CLOUDS, THREE_MIXED], ids=["five", "three", "mixed"])
def test_steps_are_those_of_the_plain_rule(data, form):
    found = told("trace", data, form=form)
    weights = np.zeros((len(data.classes), 3))
    assert found["start"] == weights.tolist()
    for number, step in enumerate(found["steps"]):
        row = number % len(data.y)
        x, own = np.array([*data.X[row], 1.0]), data.y[row]
        scores = weights @ x
        np.testing.assert_allclose(step["scores"], scores, atol=1e-9)
        gains = np.array([float(each) for each in plain.multiclass_step(form, scores.round(9).tolist(), own)])
        assert (step["row"], step["own"]) == (row, own)
        assert step["moved"] == bool(gains.any()) == bool(step["wrong"])
        np.testing.assert_allclose(step["change"], gains, atol=1e-9)
        weights = weights + np.outer(gains, x)
        np.testing.assert_allclose(step["after"], weights, atol=1e-9)
        answers = (np.column_stack([data.X, np.ones(len(data.y))]) @ np.array(step["after"]).T).argmax(axis=1)
        assert step["errors"] == (answers != np.array(data.y)).sum()
        assert ("regions" in step) == step["moved"]


def test_all_loops_for_ever_on_five_separable_classes():
    found = told("forms", FIVE_ON_A_LINE)
    ends = {each["form"]: each for each in found["forms"]}
    assert found["separable"] is True
    assert ends["all"]["reason"] == "cycle"
    assert "loops" in ends["all"]["said"]
    assert (ends["worst"]["reason"], ends["worst"]["mistakes"]) == ("separated", 77)
    assert ends["uniform"]["reason"] == "separated"
    steps = told("trace", FIVE_ON_A_LINE, form="all")["steps"]
    ends_of_passes = [np.array(step["after"]) for step in steps[4::5]]
    without_mean = [(w - w.mean(axis=0)).round(9).tolist() for w in ends_of_passes]
    assert without_mean[-1] in without_mean[:-1]


def test_one_against_the_rest_fails_where_a_class_lies_between():
    found = told("forms", INNER)
    ends = {each["form"]: each for each in found["forms"]}
    assert found["separable"] is True
    assert ends["worst"]["errors"] == 0
    assert ends["ovr"]["reason"] == "cycle"
    assert "parts A from the rest" in ends["ovr"]["said"]
    assert told("forms", THREE_MIXED)["separable"] is False


def turn(one, other):
    return one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]


@pytest.mark.parametrize("preset", DEMONSTRATIONS["classes"].presets, ids=lambda preset: preset.name)
def test_regions_are_convex_and_where_the_class_wins(preset, rng):
    found = told("trace", preset.data, **preset.parameters)
    for step in [step for step in found["steps"] if step["moved"]][::7]:
        weights = np.array(step["after"])
        area = 0.0
        for k, corners in enumerate(step["regions"]):
            if not corners:
                continue
            corners = np.array(corners)
            sides = np.roll(corners, -1, axis=0) - corners
            turns = turn(sides, np.roll(sides, -1, axis=0))
            assert (turns >= -1e-2).all()  # corners are rounded for the picture
            shares = rng.dirichlet(np.ones(len(corners)), 20)
            scores = (shares @ corners) @ weights[:, :2].T + weights[:, 2]
            assert (scores[:, k] >= scores.max(axis=1) - 1e-2 * np.abs(weights).max()).all()
            area += float(turn(corners, np.roll(corners, -1, axis=0)).sum()) / 2
        box = np.array(found["start_regions"][0])  # at the start the first class has everything
        assert area == pytest.approx(np.prod(box.max(axis=0) - box.min(axis=0)), rel=1e-3)


def test_two_classes_have_two_outputs_here():
    found = told("trace", EIGHT, form="worst")
    learner = Perceptron(order="cyclic", keep="last", min_progress=None).fit(EIGHT.X, EIGHT.y)
    last = np.array(found["steps"][-1]["after"])
    np.testing.assert_array_equal(last[1] - last[0], [*learner.coef_[0], *learner.intercept_])
    assert found["steps"][-1]["errors"] == 0
    one = answer({"demo": "classes", "ask": "trace", "data": EIGHT.as_dict() | {"y": [0] * 8}})
    assert "same class" in one["error"]
