"""Traces of every row, of pockets and of kernels; and traces that were saved and read again."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import clone

from novikoff import Adaline, AdalineRegressor, HingeSGD, KernelPerceptron, Perceptron, load_trace
from novikoff.learn.keeps import KEEPS
from novikoff.studies.traces import ARRAYS, trace_of
from novikoff.studies.tracing import trace
from problems import whole_numbers


def extended(X):
    return np.column_stack([X, np.ones(len(X))])


def errors(X, y, weights):
    """Counted with prediction: a tie goes to class 0."""
    return int(((extended(X) @ weights[0] > 0) != (y == 1)).sum())


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "alternate"])
def test_every_row_is_there_and_those_that_moved_are_the_updates(order):
    X, y = whole_numbers(0)
    learner = Perceptron(order=order, max_iter=6, random_state=0)
    every, updates = trace(learner, X, y, every_row=True), trace(learner, X, y)
    assert len(every) == every.estimator.n_iter_ * len(X)
    for number in range(1, every.estimator.n_iter_ + 1):
        assert sorted(every.row[every.pass_number == number]) == list(range(len(X)))
    for name in ARRAYS:
        assert np.array_equal(getattr(every, name)[every.moved], getattr(updates, name)), name
    still = ~every.moved
    assert np.array_equal(every.before[still], every.after[still])
    signs = np.where(y == 1, 1, -1)[every.row]
    assert np.array_equal(signs * every.scores[:, 0] <= 0, every.moved)


def test_runs_are_counted_by_hand():
    X, y = whole_numbers(1)
    steps = trace(Perceptron(keep="run", max_iter=8, random_state=0), X, y, every_row=True)
    run = best = 0
    for step in steps:
        score = step.before @ extended(X)[step.row]
        run = run + 1 if (score[0] > 0) == (y[step.row] == 1) and not step.moved else 0
        best = max(best, run)
        assert (step.run, step.kept_run) == (run, best)


@pytest.mark.parametrize("keep", sorted(set(KEEPS) - {"auto"}))
def test_what_is_kept_is_what_the_fit_returns(keep):
    X, y = whole_numbers(2)
    learner = Perceptron(keep=keep, max_iter=7, random_state=0)
    steps, alone = trace(learner, X, y, every_row=True), clone(learner).fit(X, y)
    assert np.array_equal(steps.estimator.coef_, alone.coef_)
    assert np.array_equal(steps.kept[-1], np.column_stack([alone.coef_, alone.intercept_]))


def test_the_pocket_holds_the_fewest_errors_so_far():
    X, y = whole_numbers(3)
    steps = trace(Perceptron(keep="pocket", max_iter=10, random_state=1), X, y)
    fewest = errors(X, y, steps.before[0])
    for step in steps:
        fewest = min(fewest, errors(X, y, step.after))
        assert errors(X, y, step.kept) == fewest


@pytest.mark.parametrize("form", ["worst", "all", "uniform", "ovr"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_kernel_perceptron_counts_its_mistakes_by_row(classes, form):
    X, y = whole_numbers(4, classes=classes)
    learner = KernelPerceptron("poly", degree=2, coef0=1, gamma=1.0, order="cyclic", multiclass=form, keep="last")
    steps = trace(learner.set_params(max_iter=20), X, y, every_row=True)
    gram, radius2 = (X @ X.T + 1) ** 2, ((X * X).sum(axis=1).max() + 1) ** 2
    present = np.zeros((steps.after.shape[1], len(X) + 1))
    for step in steps:
        assert np.array_equal(step.before, present)
        assert np.array_equal(step.scores, present[:, :-1] @ gram[step.row] + present[:, -1])
        if classes == 2:
            sign = 1 if y[step.row] == 1 else -1
            if sign * step.scores[0] <= 0:
                present[0, step.row] += sign
                present[0, -1] += sign * radius2
            assert np.array_equal(step.after, present)
        present = step.after
    alone = clone(learner).fit(X, y)
    assert np.array_equal(present[:, alone.support_], alone.dual_coef_)
    assert np.array_equal(present[:, -1], alone.intercept_)


def test_a_linear_kernel_makes_the_steps_of_the_perceptron():
    X, y = whole_numbers(5)
    dual = trace(KernelPerceptron("linear", order="cyclic", max_iter=30), X, y)
    primal = trace(Perceptron(intercept_scaling="radius", order="cyclic", max_iter=30, min_progress=0.05), X, y)
    assert np.array_equal(dual.row, primal.row)
    assert np.array_equal(dual.after[:, :, :-1] @ X, primal.after[:, :, :-1])
    assert np.array_equal(dual.after[:, :, -1], primal.after[:, :, -1])


def test_rows_without_weight_keep_their_numbers_in_a_kernel_trace():
    X, y = whole_numbers(6)
    weight = np.ones(len(X))
    weight[::3] = 0
    steps = trace(KernelPerceptron("linear", order="cyclic", max_iter=4), X, y, sample_weight=weight, every_row=True)
    assert set(steps.row) == set(np.flatnonzero(weight))
    assert not steps.after[:, :, :-1][:, :, weight == 0].any()


SAVED = [
    (Perceptron(order="cyclic", max_iter=5, init=[[1.0, 0.5, 0.0, -2.0, 0.1]]), 2),
    (Perceptron(keep="vote", batch_size=7, max_iter=3, random_state=0), 3),
    (HingeSGD(0.1, max_iter=3, random_state=0), 2),
    (AdalineRegressor(max_iter=2, random_state=0), 0),
    (KernelPerceptron("rbf", max_iter=3, random_state=0), 2),
]


@pytest.mark.parametrize(("learner", "classes"), SAVED, ids=str)
def test_a_trace_is_read_as_it_was_saved(tmp_path, learner, classes):
    X, y = whole_numbers(7, classes=max(2, classes))
    labels = X @ [0.1, 1 / 3, -2.0, 4.0] if not classes else np.array(["<b>a", "b", "c"])[y]
    steps = trace(learner, X / 3, labels, every_row=True)
    steps.save(tmp_path / "steps.json")
    again = load_trace(tmp_path / "steps.json")
    for name in ARRAYS:
        one, other = getattr(steps, name), getattr(again, name)
        assert one.dtype == other.dtype
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f"), name
    assert str(again) == str(steps)
    assert again.to_dict() == json.loads(json.dumps(steps.to_dict()))
    once_more = trace(again.estimator, again.X, again.y, every_row=True)
    assert np.array_equal(once_more.after, steps.after)


def test_a_linear_model_that_was_read_predicts(tmp_path):
    X, y = whole_numbers(8)
    steps = trace(Perceptron(max_iter=5, random_state=0), X, y, every_row=True)
    steps.save(tmp_path / "steps.json")
    assert np.array_equal(load_trace(tmp_path / "steps.json").estimator.predict(X), steps.estimator.predict(X))


def test_what_is_no_trace_is_refused(tmp_path):
    X, y = whole_numbers(9)
    whole = json.loads(json.dumps(trace(Adaline(max_iter=1), X, y).to_dict()))
    assert trace_of(whole).complete
    for spoil, why in [
        ({"format": "novikoff trace 9"}, "format"),
        ({"estimator": "Popen"}, "no learner"),
        ({"parameters": {"shell": True}}, "parameters"),
        ({"row": {"dtype": "<i8", "shape": [1], "values": [10**6]}}, "different lengths"),
        ({"row": whole["row"] | {"values": [10**6] * len(whole["row"]["values"])}}, "a row that X does not have"),
        ({"X": {"dtype": "O", "shape": [1, 1], "values": [0]}}, "no kind of number"),
        ({"after": {"dtype": "<f8", "shape": [2, 2], "values": [0]}}, "no array"),
    ]:
        with pytest.raises(ValueError, match=why):
            trace_of(whole | spoil)
    (tmp_path / "odd.json").write_text("{")
    with pytest.raises(ValueError, match="not JSON"):
        load_trace(tmp_path / "odd.json")


def test_parameters_that_no_file_holds_are_named():
    X, y = whole_numbers(10)
    steps = trace(Perceptron(max_iter=1, random_state=np.random.RandomState(0)), X, y)
    with pytest.raises(ValueError, match="random_state"):
        steps.to_dict()
