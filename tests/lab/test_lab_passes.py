"""Passes, order and over-fitting: the curve is that of ``passes_curve``, lines are where the model turns, orders are counted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from novikoff import Perceptron, passes_curve
from page_engine import BENT, DEMONSTRATIONS, EIGHT, NOISE, OVERLAP, answer

pytestmark = pytest.mark.filterwarnings("ignore")  # passes end before anything is separated


def told(ask, data, **parameters):
    found = answer({"demo": "passes", "ask": ask, "data": data.as_dict(), "parameters": parameters})
    assert "answer" in found, found
    return found["answer"]


def model(order, keep, degree, **more):
    learner = Perceptron(order="cyclic" if order == "sorted" else order, keep=keep, **more)
    return make_pipeline(PolynomialFeatures(degree, include_bias=False), StandardScaler(), learner)


@pytest.mark.parametrize("order", ["shuffle", "sorted", "alternate", "cyclic"])
@pytest.mark.parametrize(("keep", "degree"), [("last", 1), ("average", 5)])
def test_the_curve_is_that_of_the_library(order, keep, degree):
    found = told("curve", BENT, order=order, keep=keep, degree=degree, passes=12, seed=3)
    X, y = np.array(BENT.X), np.array(BENT.y)
    learn, held = np.arange(60)[::2], np.arange(60)[1::2]
    if order == "sorted":
        learn = np.array([*learn[y[learn] == 1], *learn[y[learn] == 0]])
    runs = 5 if order == "shuffle" else 1
    curve = passes_curve(model(order, keep, degree), X, y, passes=12, cv=[(learn, held)] * runs, random_state=3)
    np.testing.assert_allclose(found["train"], curve.train_scores.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(found["held_out"], curve.held_out_scores.mean(axis=1), rtol=1e-12)
    assert found["best"] == curve.best_passes
    assert found["held"] == held.tolist()
    assert [each["pass"] for each in found["lines"]] == [1, 2, 4, 8, 12]


def test_lines_are_where_the_model_turns():
    found = told("curve", BENT, order="alternate", keep="last", degree=3, passes=8)
    X, y = np.array(BENT.X), np.array(BENT.y)
    for each in found["lines"]:
        fitted = model("alternate", "last", 3, max_iter=each["pass"], min_progress=None).fit(X[::2], y[::2])
        assert each["train"] == fitted.score(X[::2], y[::2])
        assert each["held_out"] == fitted.score(X[1::2], y[1::2])
        scores = np.abs(fitted.decision_function(np.random.default_rng(0).uniform(-3, 3, (200, 2))))
        for line in each["lines"]:
            inside = [point for point in line if max(map(abs, point)) <= 3]
            if inside:
                assert np.abs(fitted.decision_function(inside)).max() <= 0.1 * scores.max()


def test_more_passes_over_fit_where_the_preset_says_so():
    (preset,) = [each for each in DEMONSTRATIONS["passes"].presets if each.name == "over"]
    found = told("curve", preset.data, **preset.parameters)
    assert found["at_end"] < found["at_best"] - 0.1
    assert found["train_at_end"] > found["train"][found["best"] - 1] + 0.1
    assert "over-fit" in found["said"]
    straight = told("curve", preset.data, **preset.parameters | {"degree": 1})
    assert straight["at_end"] > found["at_end"]


@pytest.mark.parametrize("data", [NOISE, OVERLAP], ids=["noise", "overlap"])
def test_errors_by_order_are_those_of_fits(data):
    found = told("orders", data, passes=5)
    X, y = np.array(data.X), np.array(data.y)
    for order in ("sorted", "cyclic", "alternate"):
        place = np.argsort(-y, kind="stable") if order == "sorted" else np.arange(len(y))
        for passes in range(1, 6):
            kind = "cyclic" if order == "sorted" else order
            learner = Perceptron(order=kind, keep="last", max_iter=passes, min_progress=None).fit(X[place], y[place])
            assert found[order][passes - 1] == (learner.predict(X) != y).sum()
        assert found["after"][order] == [*learner.coef_[0].tolist(), *learner.intercept_.tolist()]
    assert found["mean"]["alternate"] < found["mean"]["sorted"]
    assert found["mean"]["shuffle"] < found["mean"]["sorted"]


def test_rows_of_one_class_are_refused():
    data = EIGHT.as_dict() | {"y": [1, 0] * 4}  # every other row is held out
    assert "one class only" in answer({"demo": "passes", "ask": "curve", "data": data})["error"]
