"""Pictures of traces and regions: what they show, and what they refuse."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from novikoff import (
    Adaline,
    AdalineRegressor,
    HingeSGD,
    LogisticNeuron,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    Perceptron,
    trace,
)
from novikoff.plots import plot_regions, plot_trace
from problems import whole_numbers

plt = pytest.importorskip("matplotlib.pyplot")

GATE = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AND = np.array([0, 0, 0, 1])


def test_pictures_of_traces_and_regions():
    steps = trace(Perceptron(order="cyclic"), GATE, AND)
    axes = plot_trace(steps, GATE, AND)
    assert axes.get_xlabel() == "$x_1$"
    assert "18 updates" in axes.get_title()
    frame = pd.DataFrame(GATE, columns=["left", "right"])
    regions = plot_regions(Perceptron(order="cyclic").fit(frame, AND), frame, AND)
    assert regions.get_xlabel() == "left"
    assert any(text.get_text().startswith("margin") for text in regions.get_legend().get_texts())
    votes = plot_regions(Perceptron(keep="vote", random_state=0).fit(GATE, AND), GATE, AND)
    assert "decision line" not in [text.get_text() for text in votes.get_legend().get_texts()]
    several = plot_regions(Perceptron(random_state=0).fit(GATE, [0, 1, 2, 2]), GATE, [0, 1, 2, 2])
    assert len(several.get_legend().get_texts()) == 3
    plt.close("all")


def test_pictures_refuse_what_is_not_in_the_plane():
    X, y = whole_numbers(9, features=3)
    steps = trace(Perceptron(max_iter=2, random_state=0), X, y)
    with pytest.raises(ValueError, match="3 feature"):
        plot_trace(steps, X, y)
    with pytest.raises(ValueError, match="two features"):
        plot_regions(steps.estimator, X, y)


def test_pictures_name_the_missing_package(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "\.\[plot\]"'):
        plot_trace(trace(Perceptron(order="cyclic"), GATE, AND), GATE, AND)


def test_pictures_of_numbers():
    X, y = whole_numbers(16, features=2)
    d = X @ [1.0, -1.0] + y
    heights = plot_regions(AdalineRegressor(solver="steps", max_iter=5).fit(X, d), X, d)
    assert "root of the mean squared error" in heights.get_title()
    flat = plot_regions(AdalineRegressor(solver="steps", max_iter=5).fit(X, np.zeros(len(X))), X, np.zeros(len(X)))
    assert len(flat.collections) == 1  # no bands, the rows only
    steps = trace(PassiveAggressiveRegressor(max_iter=2, random_state=0), X[:, :1], d)
    axes = plot_trace(steps, X[:, :1], d)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x", "d")
    w, b = steps.after[-1, 0]
    line = next(line for line in axes.lines if line.get_label().startswith("after update"))
    for x, height in (line.get_xy1(), line.get_xy2()):
        assert height == pytest.approx(w * x + b)
    with pytest.raises(ValueError, match="a regression on one feature; this trace has 2"):
        plot_trace(trace(AdalineRegressor(max_iter=1), X, d), X, d)
    plt.close("all")


@pytest.mark.parametrize("learner", [Adaline(), LogisticNeuron(), HingeSGD(), PassiveAggressiveClassifier()], ids=str)
def test_pictures_of_other_classifiers(learner):
    X, y = whole_numbers(17, features=2)
    learner = learner.set_params(max_iter=3, random_state=0)
    regions = plot_regions(clone(learner).fit(X, y), X, y)
    assert "decision line" in [text.get_text() for text in regions.get_legend().get_texts()]
    assert "updates" in plot_trace(trace(learner, X, y), X, y).get_title()
    plt.close("all")
