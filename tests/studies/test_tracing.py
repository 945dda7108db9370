"""A trace is the definition of the learning rule, update by update."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from novikoff import (
    Adaline,
    AdalineRegressor,
    HingeSGD,
    LogisticNeuron,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    Perceptron,
)
from novikoff.plots import plot_trace
from novikoff.studies.curves import passes_curve
from novikoff.studies.tracing import trace
from problems import whole_numbers

plt = pytest.importorskip("matplotlib.pyplot")

GATE = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AND = np.array([0, 0, 0, 1])
XOR = np.array([0, 1, 1, 0])


def running(learner):
    """The running weights after a fit with ``keep="last"``, the bias last."""
    return np.column_stack([np.atleast_2d(learner.coef_), learner.intercept_])


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random", "alternate", "worst", "blocks"])
@pytest.mark.parametrize("eta", [1.0, 0.5])
def test_an_update_is_the_rule(order, eta):
    X, y = whole_numbers(0)
    steps = trace(Perceptron(eta, order=order, keep="last", max_iter=20, random_state=0), X, y)
    signs = np.where(y == 1, 1, -1)
    assert len(steps) == steps.estimator.n_mistakes_ > 5
    present = np.zeros((1, 5))
    for step in steps:
        x = np.append(X[step.row], 1)
        assert np.array_equal(step.before, present)
        assert np.array_equal(step.scores, step.before @ x)
        assert signs[step.row] * step.scores[0] <= 0
        assert np.array_equal(step.after - step.before, eta * signs[step.row] * x[None])
        present = step.after
    assert np.array_equal(present, running(steps.estimator))
    assert np.all(np.diff(steps.pass_number) >= 0)
    assert steps.pass_number[0] >= 1
    assert steps.pass_number[-1] <= steps.estimator.n_iter_


def test_tracing_does_not_change_the_fit():
    X, y = whole_numbers(1)
    learner = Perceptron(keep="average", max_iter=10, random_state=3)
    steps = trace(learner, X, y)
    alone = clone(learner).fit(X, y)
    assert not hasattr(learner, "coef_")
    assert np.array_equal(steps.estimator.coef_, alone.coef_)
    assert steps.estimator.n_iter_ == alone.n_iter_
    assert steps.complete


@pytest.mark.parametrize("keep", ["vote", "pocket", "run", "ratchet"])
def test_keeps_that_pause_the_loop_miss_no_update(keep):
    X, y = whole_numbers(2)
    steps = trace(Perceptron(keep=keep, max_iter=5, random_state=0), X, y)
    assert len(steps) == steps.estimator.n_mistakes_
    assert np.array_equal(steps.before[1:], steps.after[:-1])


@pytest.mark.parametrize("features", [3, 4])  # 3 = outputs: the two ways to store weights look alike
def test_sparse_rows_leave_the_same_trace(features):
    X, y = whole_numbers(3, classes=3, features=features)
    learner = Perceptron(max_iter=8, random_state=0)
    dense, thin = trace(learner, X.astype(float), y), trace(learner, sparse.csr_array(X.astype(float)), y)
    for name in ("row", "scores", "before", "after", "mistakes", "pass_number"):
        assert np.array_equal(getattr(dense, name), getattr(thin, name))


@pytest.mark.parametrize("form", ["worst", "all", "uniform", "ovr"])
def test_several_classes(form):
    X, y = whole_numbers(4, classes=4)
    steps = trace(Perceptron(multiclass=form, keep="last", max_iter=6, random_state=0), X, y)
    assert steps.after.shape == (len(steps), 4, 5)
    assert steps.scores.shape == (len(steps), 4)
    assert steps.mistakes.sum() == steps.estimator.n_mistakes_
    first = steps[0]  # all scores are 0: everything ties
    gain = first.after[y[first.row]] - first.before[y[first.row]]
    assert np.array_equal(gain, np.append(X[first.row], 1))
    assert np.array_equal(steps.after[-1], running(steps.estimator))


def test_batches_name_all_their_rows():
    X, y = whole_numbers(5, rows=10)
    steps = trace(Perceptron(batch_size=4, order="cyclic", max_iter=3), X, y)
    assert steps.row.shape == (len(steps), 4)
    assert set(map(len, (step.row for step in steps))) <= {4, 2}  # 10 = 4 + 4 + 2
    signs = np.where(y == 1, 1, -1)
    for step in steps:
        wrong = signs[step.row] * step.scores[:, 0] <= 0
        rows = np.column_stack([X[step.row], np.ones(len(step.row))])[wrong]
        assert np.array_equal(step.after[0] - step.before[0], signs[step.row][wrong] @ rows)
        assert step.mistakes == wrong.sum()
    assert steps.mistakes.sum() == steps.estimator.n_mistakes_


def test_weights_are_in_the_dtype_of_the_fit_and_scores_in_float64():
    X, y = whole_numbers(6)
    steps = trace(Perceptron(max_iter=5, random_state=0), X.astype(np.float32), y)
    assert steps.before.dtype == steps.after.dtype == np.float32
    assert steps.scores.dtype == np.float64


def test_start_step_and_intercept_options_show():
    steps = trace(Perceptron(order="cyclic", init=[[2.0, -3.0, 1.0]], intercept_scaling=2.0), GATE, AND)
    assert steps.before[0].tolist() == [[2, -3, 1]]
    assert np.array_equal(steps.after[:, 0, 2] - steps.before[:, 0, 2], np.where(AND[steps.row] == 1, 4, -4))
    without = trace(Perceptron(order="cyclic", fit_intercept=False, max_iter=3), GATE, AND)
    assert not without.after[:, 0, 2].any()


def test_sample_weights_multiply_steps_and_zero_leaves_rows_out():
    weight = np.array([1, 2, 0, 4])
    steps = trace(Perceptron(order="cyclic"), GATE, AND, sample_weight=weight)
    assert 2 not in steps.row
    signs = np.where(AND == 1, 1, -1)
    expected = (weight * signs)[steps.row, None] * np.column_stack([GATE, np.ones(4)])[steps.row]
    assert np.array_equal((steps.after - steps.before)[:, 0], expected)


def test_a_start_without_mistakes_leaves_an_empty_trace():
    steps = trace(Perceptron(order="cyclic", init=[[2.0, 2.0, -3.0]]), GATE, AND)
    assert len(steps) == 0
    assert steps.after.shape == (0, 1, 3)
    assert list(steps) == []
    assert "0 updates in 1 pass, separated" in str(steps)
    plt.close(plot_trace(steps, GATE, AND).figure)


def test_too_many_updates_stop_the_fit_with_a_warning():
    learner = Perceptron(order="shuffle", random_state=0)
    with pytest.warns(UserWarning, match="after 25 recorded updates"):
        steps = trace(learner, GATE, XOR, max_updates=25)
    assert not steps.complete
    assert len(steps) == 25
    assert "the first 25 updates, then stopped" in repr(steps)
    assert steps.estimator.predict(GATE).shape == (4,)
    assert steps.as_dict()["stop_reason"] == "callback"


def test_just_enough_updates_are_complete():
    steps = trace(Perceptron(order="cyclic"), GATE, AND, max_updates=18)
    assert steps.complete
    assert len(steps) == 18


def test_what_cannot_be_traced_is_refused():
    with pytest.raises(TypeError, match="not LogisticRegression"):
        trace(LogisticRegression(), GATE, AND)
    with pytest.raises(ValueError, match="at least 1"):
        trace(Perceptron(), GATE, AND, max_updates=0)
    with pytest.raises(ValueError, match="'order' parameter"):
        trace(Perceptron(order="backwards"), GATE, AND)


@pytest.mark.parametrize(("batch", "classes"), [(1, 2), (4, 2), ("all", 3), (1, 3)])
def test_as_dict_is_json(batch, classes):
    X, y = whole_numbers(7, classes=classes, rows=10)
    steps = trace(Perceptron(batch_size=batch, max_iter=3, random_state=0), X.astype(np.float32), y)
    plain = steps.as_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["classes"] == list(range(classes))
    assert len(plain["updates"]) == len(steps)
    assert np.array_equal([update["after"] for update in plain["updates"]], steps.after)


def test_the_table_is_readable():
    text = str(trace(Perceptron(order="cyclic"), GATE, AND)).splitlines()
    assert text[0] == "Perceptron: 18 updates in 9 passes, separated"
    assert text[1].split() == ["update", "pass", "row", "score", "w1", "w2", "b"]
    assert len(text) == 20
    assert len(set(map(len, text[1:]))) == 1


def test_long_and_wide_tables_leave_out_their_middle():
    X, y = whole_numbers(8, classes=3, features=20)
    steps = trace(Perceptron(max_iter=100, random_state=0), X, np.array(["a", "b", "c"])[y])
    text = str(steps).splitlines()
    assert len(steps) > 40
    assert len(text) == 2 + 3 * 16 + 1
    assert text[2 + 3 * 8].strip() == "..."
    assert text[1].split() == [
        "update",
        "pass",
        "row",
        "class",
        "score",
        "w1",
        "w2",
        "w3",
        "w4",
        "w5",
        "...",
        "w20",
        "b",
    ]
    batches = str(trace(Perceptron(batch_size="all", max_iter=3), X, y)).splitlines()
    assert batches[1].split()[:4] == ["update", "pass", "rows", "class"]


def test_callbacks_of_the_estimator_are_not_told():
    class Loud:
        def setup(self, *told, **more):
            raise AssertionError

        teardown = on_fit_task_begin = on_fit_task_end = setup

    learner = Perceptron(order="cyclic").set_callbacks(Loud())
    assert len(trace(learner, GATE, AND)) == 18
    assert hasattr(learner, "_skl_callbacks")
    assert passes_curve(learner, np.tile(GATE, (3, 1)), np.tile(AND, 3), passes=2, cv=3).passes.size == 2


# The other learners


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


STEPS = {  # g of w <- w + g (x, 1) from the score a, the label or number y, and the squared length of (x, 1)
    Adaline(0.03): lambda y, a, square: 0.03 * (y - a),
    AdalineRegressor(0.02): lambda y, a, square: 0.02 * (y - a),
    LogisticNeuron(0.5): lambda y, a, square: 0.5 * y * sigmoid(-y * a),
    LogisticNeuron(0.5, loss="squared", slope=2.0): lambda y, a, square: (
        y * sigmoid(-2 * y * a) ** 2 * sigmoid(2 * y * a)
    ),
    PassiveAggressiveClassifier(0.1): lambda y, a, square: y * min(0.1, max(0.0, 1 - y * a) / square),
    PassiveAggressiveRegressor(0.1): lambda y, a, square: (
        np.sign(y - a) * min(0.1, max(0.0, abs(y - a) - 0.1) / square)
    ),
}


@pytest.mark.parametrize("learner", STEPS, ids=str)
def test_an_update_of_any_learner_is_its_rule(learner):
    X, y = whole_numbers(11)
    numbers = isinstance(learner, (AdalineRegressor, PassiveAggressiveRegressor))
    d = X @ [1, -2, 0, 1] + y if numbers else np.where(y == 1, 1, -1)
    steps = trace(clone(learner).set_params(order="cyclic", keep="last", max_iter=3), X, d)
    assert len(steps) > 5
    for step in steps:
        x = np.append(X[step.row], 1.0)
        g = STEPS[learner](d[step.row], step.scores[0], x @ x)
        assert np.allclose(step.after - step.before, g * x, rtol=1e-9, atol=1e-12)
    assert np.array_equal(steps.before[1:], steps.after[:-1])
    assert np.array_equal(steps.after[-1], running(steps.estimator))


@pytest.mark.parametrize("eta", ["inverse", 0.5])
def test_an_update_holds_its_own_decay(eta):
    X, y = whole_numbers(12)
    signs, lam = np.where(y == 1, 1, -1), 0.1
    steps = trace(HingeSGD(lam, eta=eta, order="cyclic", keep="last", max_iter=4), X, y)
    assert len(steps) < 4 * len(y)
    present = np.zeros(5)
    number = 0
    for t in range(4 * len(y)):  # the definition, which the trace holds where there is a step
        i, rate = t % len(y), 1 / (lam * (t + 1)) if eta == "inverse" else eta
        x, before = np.append(X[i], 1.0), present
        score = before @ x
        present = before * np.append(np.full(4, 1 - rate * lam), 1)
        if signs[i] * score < 1:
            present = present + rate * signs[i] * x
            step = steps[number]
            assert (step.row, step.pass_number) == (i, t // len(y) + 1)
            assert np.allclose(step.before, before, rtol=1e-9, atol=1e-12)
            assert np.allclose(step.after, present, rtol=1e-9, atol=1e-12)
            number += 1
    assert number == len(steps)


@pytest.mark.parametrize("keep", ["last", "average"])
def test_a_traced_fit_with_decay_differs_in_the_last_bits_at_most(keep):
    X, y = whole_numbers(13, classes=3)
    learner = HingeSGD(0.01, keep=keep, max_iter=20, random_state=0)
    alone = clone(learner).fit(X, y)
    assert np.allclose(trace(learner, X, y).estimator.coef_, alone.coef_, rtol=1e-10, atol=1e-13)


def test_softmax_moves_every_class():
    X, y = whole_numbers(14, classes=3)
    steps = trace(LogisticNeuron(max_iter=1, random_state=0), X, y)
    assert steps.after.shape == (len(y), 3, 5)
    assert np.all(np.abs(steps.after - steps.before).max(axis=2) > 0)


@pytest.mark.parametrize("batch", [1, 4, "all"])
def test_traces_of_numbers_have_no_classes_and_no_mistakes(batch):
    X, y = whole_numbers(15)
    steps = trace(AdalineRegressor(batch_size=batch, max_iter=2), X, X @ [1.0, 2, 3, 4] + y)
    plain = steps.as_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert "classes" not in plain
    assert not steps.mistakes.any()
    head = str(steps).splitlines()[1].split()
    assert head == ["update", "pass", *(["row", "score"] if batch == 1 else ["rows"]), "w1", "w2", "w3", "w4", "b"]


def test_a_direct_solution_has_no_steps():
    with pytest.raises(ValueError, match="no steps"):
        trace(Adaline(solver="direct"), GATE, AND)
