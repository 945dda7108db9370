"""The steps of the kernel perceptron against the algorithm of the lectures, written down again here."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from even_odd import inside
from novikoff import Perceptron, trace
from page_engine import DEMONSTRATIONS, EIGHT, answer

DEMO = DEMONSTRATIONS["kernel"]


def told(data, **parameters):
    found = answer({"demo": "kernel", "ask": "kernel", "data": data.as_dict(), "parameters": parameters})
    assert "error" not in found, found
    return found["answer"]


def kernel_of(parameters):
    def values(x, z):
        product = sum(a * b for a, b in zip(x, z, strict=True))
        if parameters["kernel"] == "linear":
            return product
        if parameters["kernel"] == "poly":
            return (parameters["gamma"] * product + 1) ** parameters["degree"]
        return exp(-parameters["gamma"] * sum((a - b) ** 2 for a, b in zip(x, z, strict=True)))

    return values


@pytest.mark.parametrize("preset", DEMO.presets, ids=lambda preset: preset.name)
def test_steps_are_those_of_the_algorithm(preset):
    parameters = preset.parameters
    found, k, X = told(preset.data, **parameters), kernel_of(parameters), preset.data.X
    y = [1 if label == 1 else -1 for label in preset.data.y]
    alpha, b = [0] * len(X), 0.0
    radius2 = max(k(x, x) for x in X)
    assert found["radius2"] == pytest.approx(radius2)
    assert found["signs"] == y
    for number, step in enumerate(found["steps"]):
        i = number % len(X)
        score = sum(alpha[j] * y[j] * k(X[j], X[i]) for j in range(len(X))) + b
        assert (step["row"], step["pass"]) == (i, number // len(X) + 1)
        assert step["score"] == pytest.approx(score, abs=1e-9)
        assert step["signed"] == step["score"] * y[i]
        assert step["moved"] == (y[i] * score <= 0)
        assert found["gram"][i] == pytest.approx([k(X[i], x) for x in X])
        if step["moved"]:
            alpha[i] += 1
            b += y[i] * radius2
        state = found["states"][step["state"]]
        assert state["alpha"] == alpha
        assert state["bias"] == pytest.approx(b, abs=1e-9)
        scores = [sum(alpha[j] * y[j] * k(X[j], x) for j in range(len(X))) + b for x in X]
        assert state["errors"] == sum((score > 0) != (label > 0) for score, label in zip(scores, y, strict=True))
        for x, score in zip(X, scores, strict=True):  # but for rows that all but lie on the border that is drawn
            assert abs(score) <= 0.01 * max(map(abs, scores)) or inside(x, state["regions"]) == (score > 0)
    assert len(found["states"]) == 1 + sum(step["moved"] for step in found["steps"])
    assert found["ending"].startswith("Separated") == (found["states"][-1]["errors"] == 0)


def test_the_linear_kernel_is_the_perceptron_with_the_longest_row_as_constant():
    found = told(EIGHT, kernel="linear")
    learner = Perceptron(order="cyclic", keep="last", intercept_scaling="radius", min_progress=None)
    steps = trace(learner, EIGHT.X, EIGHT.y, every_row=True)
    signed = np.array(EIGHT.X) * np.where(np.array(EIGHT.y) == 1, 1, -1)[:, None]
    assert len(steps) == len(found["steps"])
    for step, shown in zip(steps, found["steps"], strict=True):
        state = found["states"][shown["state"]]
        assert step.after[0].tolist() == [*(np.array(state["alpha"]) @ signed).tolist(), state["bias"]]


def test_rows_of_one_class_are_refused():
    data = EIGHT.as_dict() | {"y": [0] * 8}
    assert "same class" in answer({"demo": "kernel", "ask": "kernel", "data": data})["error"]
