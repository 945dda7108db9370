"""Rules side by side: what the page is told is what plain rules do, and lines of equal error have equal error."""

from __future__ import annotations

import numpy as np
import pytest

from novikoff.course import plain
from page_engine import EIGHT, FAR_OF_FEW, OVERLAP, answer

DECAY = 0.01  # of the hinge rule
RULES = ("perceptron", "delta", "neuron", "entropy", "hinge", "pa", "pa1")


OWNERS = {"row": "rules", "set": "rules", "curves": "losses", "sums": "losses", "bowl": "descent"}


def told(ask, data, **parameters):
    found = answer({"demo": OWNERS[ask], "ask": ask, "data": data.as_dict(), "parameters": parameters})
    assert "answer" in found, found
    return found["answer"]


def plain_step(name, y, a, x, eta, slope, C):
    """The step along the row, by the course's plain functions."""
    length2, d = x @ x, (y + 1) / 2
    return {
        "perceptron": lambda: eta * plain.perceptron_step(y, a),
        "delta": lambda: eta * plain.delta_step(y, a),
        "neuron": lambda: eta * plain.neuron_step(d, a, slope),
        "entropy": lambda: eta * slope * (d - 1 / (1 + np.exp(-slope * a))),
        "hinge": lambda: eta * y * (y * a < 1),
        "pa": lambda: y * max(0, 1 - y * a) / length2,
        "pa1": lambda: y * min(C, max(0, 1 - y * a) / length2),
    }[name]()


@pytest.mark.parametrize("data", [EIGHT, OVERLAP, FAR_OF_FEW], ids=["eight", "overlap", "far"])
@pytest.mark.parametrize("row", [0, 2, 6])
def test_what_each_rule_does_with_one_row(data, row):
    eta, slope, C, start = 0.25, 1.5, 0.125, np.array([0.5, -1.0, 0.25])
    found = told("row", data, row=row, eta=eta, slope=slope, C=C, start=start.tolist())
    x, y = np.array([*data.X[row], 1.0]), 1 if data.y[row] == 1 else -1
    a = float(start @ x)
    assert found["score"] == a
    assert [each["name"] for each in found["rules"]] == list(RULES)
    for each in found["rules"]:
        fade = np.array([1 - eta * DECAY, 1 - eta * DECAY, 1]) if each["name"] == "hinge" else 1
        expected = fade * start + plain_step(each["name"], y, a, x, eta, slope, C) * x
        np.testing.assert_allclose(each["after"], expected, rtol=1e-12, atol=1e-12)
        assert each["score"] == pytest.approx(np.dot(each["after"], x))
    lost = {each["name"]: each["loss"] for each in found["rules"]}
    assert lost["perceptron"] == max(0, -y * a)
    assert lost["hinge"] == lost["pa"] == lost["pa1"] == max(0, 1 - y * a)
    assert lost["delta"] == (y - a) ** 2 / 2


@pytest.mark.parametrize("data", [EIGHT, OVERLAP, FAR_OF_FEW], ids=["eight", "overlap", "far"])
def test_target_and_output_go_the_same_way(data):
    found = told("row", data, eta=0.5, start=[1.0, -1.0, 0.25], passes=8)  # exact: no rounding
    assert found["apart"] == 0
    assert found["half_step"] == found["whole_step"]
    assert found["difference"] == found["y"] - found["output"]
    X = [[*row, 1.0] for row in data.X]
    t = [1 if k == 1 else -1 for k in data.y]
    path = plain.perceptron_by_outputs(X, t, [1.0, -1.0, 0.25], 0.25, 8)
    assert found["updates"] == found["updates_by_outputs"] == len(path) - 1


def test_all_rows_pass_by_pass():
    found = told("set", OVERLAP, eta=0.25, start=[1.0, -1.0, 0.0], passes=3)
    weights, errors = np.array([1.0, -1.0, 0.0]), []
    for _ in range(4):
        errors.append(
            sum((np.dot(weights, [*x, 1]) > 0) != (k == 1) for x, k in zip(OVERLAP.X, OVERLAP.y, strict=True))
        )
        for x, k in zip(OVERLAP.X, OVERLAP.y, strict=True):
            row = np.array([*x, 1.0])
            weights = weights + 0.25 * ((1 if k else -1) - weights @ row) * row
        if len(errors) == 3:
            np.testing.assert_allclose(found["after"]["delta"], weights, rtol=1e-9)
    assert found["delta"] == errors
    assert found["passes"] == [0, 1, 2, 3]


def test_a_rate_that_leaves_the_numbers_is_told():
    found = told("set", FAR_OF_FEW, eta=10.0, passes=50)
    assert found["after"]["delta"] is None
    assert set(found["delta"]) == {None}
    assert None not in found["perceptron"]


def test_curves_are_losses_and_their_slopes():
    found = told("curves", OVERLAP, slope=2.0, C=0.125)
    margin = np.array(found["margin"])
    np.testing.assert_array_equal(found["loss_hinge"], np.maximum(0, 1 - margin))
    np.testing.assert_array_equal(found["loss_perceptron"], np.maximum(0, -margin))
    np.testing.assert_allclose(found["loss_entropy"], np.log1p(np.exp(-2 * margin)), rtol=1e-12)
    np.testing.assert_array_equal(found["unit"], margin <= 0)
    for name in ("delta", "neuron", "entropy"):  # the step is minus the slope of the loss
        slopes = -np.gradient(found[f"loss_{name}"], margin)
        np.testing.assert_allclose(found[f"step_{name}"][2:-2], slopes[2:-2], atol=0.02)
    np.testing.assert_allclose(np.gradient(found["phi"], found["a"])[1:-1], found["phi_slope"][1:-1], atol=0.02)
    assert max(found["step_pa1"]) == 0.125


@pytest.mark.parametrize(("eta", "below"), [(0.04, True), (0.05, False)])
def test_descent_ends_at_the_bottom_below_the_limit_only(eta, below):
    found = told("bowl", EIGHT, eta=eta, start=[-0.5, 0.25])
    X, d = np.array(EIGHT.X), np.where(np.array(EIGHT.y) == 1, 1.0, -1.0)
    assert found["limit"] == pytest.approx(2 / np.linalg.eigvalsh(X.T @ X).max())
    assert (eta < found["limit"]) is below
    np.testing.assert_allclose(X.T @ X @ found["bottom"], X.T @ d, atol=1e-9)
    w = np.array([-0.5, 0.25])
    for step, error in zip(found["path"], found["errors"], strict=True):
        np.testing.assert_allclose(step, w, rtol=1e-9, atol=1e-9)
        assert error == pytest.approx(((d - X @ w) ** 2).sum() / 2)
        w = w + eta * X.T @ (d - X @ w)
    assert (found["errors"][-1] < found["errors"][0]) is below
    assert ("end at the bottom" in found["said"]) is below


def test_steps_that_leave_the_picture_are_told():
    found = told("bowl", FAR_OF_FEW, bowl="hinge", eta=10.0)
    assert len(found["k"]) < 40
    assert "out of the picture" in found["said"]
    wild = OVERLAP.as_dict() | {"X": [[x * 1e8 for x in row] for row in OVERLAP.X]}
    found = answer({"demo": "descent", "ask": "bowl", "data": wild, "parameters": {"eta": 10.0}})["answer"]
    assert "not below" in found["said"]


@pytest.mark.parametrize("bowl", ["perceptron", "delta", "neuron", "entropy", "hinge", "all", "weighed"])
def test_lines_of_the_bowl_have_equal_error(bowl):
    found = told("bowl", OVERLAP, bowl=bowl, eta=0.05)
    X, t = np.array(OVERLAP.X), np.where(np.array(OVERLAP.y) == 1, 1.0, -1.0)
    losses = {
        "perceptron": lambda m: np.maximum(0, -m),
        "delta": lambda m: (1 - m) ** 2 / 2,
        "neuron": lambda m: (1 / (1 + np.exp(m))) ** 2 / 2,
        "entropy": lambda m: np.log1p(np.exp(-m)),
        "hinge": lambda m: np.maximum(0, 1 - m),
        "all": lambda m: -m,
        "weighed": lambda m: 4 * np.maximum(0, -m),
    }
    highest = found["lines"][-1]["level"]
    for each in found["lines"]:
        assert each["lines"]
        for line in each["lines"]:
            errors = losses[bowl](t * (np.array(line) @ X.T)).sum(axis=1)
            np.testing.assert_allclose(errors, each["level"], atol=0.03 * abs(highest))
