"""What the theory promises of perceptrons holds of every run; margins and balls are those of brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris

import novikoff
from novikoff import Adaline, Perceptron, separability, trace
from novikoff.course.plain import smallest_ball_squared
from novikoff.theory import Ball, gap, margin, novikoff_bound, radius

LECTURE = np.array([[1, 1], [1, 3], [2, 1], [2, 2]])
X_LECTURE, Y_LECTURE = np.vstack([LECTURE, -LECTURE]), np.array([1] * 4 + [-1] * 4)


def separable_problem(seed, classes=2):
    """Whole numbers that some weights separate, with or without an intercept."""
    rng = np.random.default_rng(seed)
    while True:
        d = int(rng.integers(1, 4))
        X = rng.integers(-4, 5, (int(rng.integers(classes + 1, 10)), d))
        y = np.argmax(X @ rng.integers(-4, 5, (d, classes)) + rng.integers(-3, 4, classes), axis=1)
        if len(np.unique(y)) == classes and separability(X, y).separable:
            return X, y, rng


# Novikoff's bound


def test_the_famous_case():
    X, y = [[100], [102]], [0, 1]
    assert Perceptron(order="cyclic", max_iter=100_000).fit(X, y).n_mistakes_ == 20_303
    assert novikoff_bound(X, y) == 10405 * 10202  # R^2 = 102^2 + 1; 1 / g^2 = (202^2 + 2^2) / 2^2
    assert novikoff_bound(X, y) == separability(X, y, max_margin=True).mistake_bound


@pytest.mark.parametrize("batch_size", [1, 3, "all"])
@pytest.mark.parametrize("seed", range(4))
def test_no_run_makes_more_mistakes_than_the_bound(batch_size, seed):
    X, y, rng = separable_problem(seed)
    starts = ["zeros", "ones", rng.integers(-30, 31, (1, X.shape[1])), rng.integers(-30, 31, (1, X.shape[1] + 1))]
    for start in starts:
        for eta in (0.125, 1.0, 8.0):
            choice = {"eta": eta, "init": start, "batch_size": batch_size}
            choice["intercept_scaling"] = [1.0, 4.0, "radius"][int(rng.integers(3))]
            bound = novikoff_bound(X, y, **choice)
            orders = ["auto"] if batch_size == "all" else ["cyclic", "shuffle", "random"]
            for order in [*orders, *["worst"] * (batch_size == 1)]:
                run = Perceptron(order=order, random_state=seed, max_iter=100_000, **choice).fit(X, y)
                assert run.stop_reason_ == "separated"
                assert run.n_mistakes_ <= bound


@pytest.mark.parametrize("form", ["worst", "uniform", "ovr"])
@pytest.mark.parametrize("batch_size", [1, "all"])
def test_several_classes_stay_within_the_bound(form, batch_size):
    some = 0
    for seed in range(12):
        X, y, rng = separable_problem(seed, classes=3)
        for init in ("zeros", rng.integers(-20, 21, (3, X.shape[1] + 1))):
            choice = {"multiclass": form, "batch_size": batch_size, "init": init, "eta": 0.5}
            try:
                bound = novikoff_bound(X, y, **choice)
            except ValueError:
                assert form == "ovr"  # a class that cannot be told from all others at once
                continue
            for seeds in range(2):
                run = Perceptron(max_iter=20_000, random_state=seeds, **choice).fit(X, y)
                assert run.n_mistakes_ <= bound
                some += run.n_mistakes_ > 0
    assert some > 5


def test_start_and_step_scaled_alike_change_nothing():
    X, y, rng = separable_problem(3)
    start = rng.integers(-9, 10, (1, X.shape[1] + 1))
    bounds = {novikoff_bound(X, y, init=start * factor, eta=factor) for factor in (0.25, 1.0, 16.0)}
    assert len(bounds) == 1
    assert len({novikoff_bound(X, y, eta=eta) for eta in (0.1, 1.0, 7.0)}) == 1


def test_the_bound_is_the_largest_number_of_its_formula():
    X, y = X_LECTURE, Y_LECTURE  # without intercept: v = (1, 1) / sqrt 2 by symmetry, g = sqrt 2, R^2 = 10
    assert novikoff_bound(X, y, fit_intercept=False) == 5
    for start in ([-1, 2], [3, -2], [-2, -1], [-40, -40]):
        along, square = sum(start), start[0] ** 2 + start[1] ** 2  # along = u.v sqrt 2
        right = [k for k in range(10_000) if along + 2 * k <= 0 or (along + 2 * k) ** 2 <= 2 * (square + 10 * k)]
        assert novikoff_bound(X, y, fit_intercept=False, init=[start]) == right[-1]


def test_a_start_that_separates_makes_no_mistake():
    assert novikoff_bound(X_LECTURE, Y_LECTURE, init=[[1, 1]]) == 0
    assert novikoff_bound(X_LECTURE, Y_LECTURE, init=[[1, -1]]) > 0
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 2]
    assert novikoff_bound(X, y, init=[[-2, 1], [0, 0], [2, -3]]) == 0


def test_the_bound_in_any_form_and_unit():
    X, y, _ = separable_problem(5)
    bound = novikoff_bound(X, y)
    assert novikoff_bound(sparse.csr_array(X.astype(float)), np.array(["no", "yes"])[y]) == bound
    for power in (-400, 400):
        assert novikoff_bound(X * 2.0**power, y, intercept_scaling=2.0**power) == bound


def test_weighted_rows_are_longer_rows():
    X, y, rng = separable_problem(8)
    weight = rng.integers(1, 9, len(X)).astype(float)
    rows = weight[:, None] * np.column_stack([X, np.ones(len(X))])
    bound = novikoff_bound(rows, y, fit_intercept=False)
    for seed in range(5):
        assert Perceptron(random_state=seed).fit(X, y, sample_weight=weight).n_mistakes_ <= bound


def test_what_has_no_bound():
    xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    with pytest.raises(ValueError, match=r"not linearly separable.*4 rows \(0, 1, 2, 3\) suffice to prove it"):
        novikoff_bound(xor, [0, 1, 1, 0])
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match="could not be decided"):
        novikoff_bound(X, y, time_limit=1e-9)
    for choice, words in {
        "multiclass": ("all", "no bound is known"),
        "eta": (0.0, "eta must be a positive number"),
        "init": ("random", "init must be"),
        "batch_size": (0, "batch_size must be"),
        "intercept_scaling": (-1.0, "intercept_scaling must be"),
    }.items():
        with pytest.raises(ValueError, match=words[1]):
            novikoff_bound(xor, [0, 0, 0, 1], **{choice: words[0]})
    with pytest.raises(ValueError, match="init has the shape"):
        novikoff_bound(xor, [0, 0, 0, 1], init=[[1.0, 2.0, 3.0, 4.0]])
    with pytest.raises(ValueError, match="only one class"):
        novikoff_bound(xor, [0, 0, 0, 0])
    with pytest.raises(ValueError, match="NaN"):
        novikoff_bound([[np.nan], [1.0]], [0, 1])


# The gap


def exact_gaps(steps, X, y, c2, ideal, rho):
    """|u - rho w*|^2 along the trace, in fractions, apart from the package."""
    path = [steps.before[0], *steps.after]
    aims = [[rho * Fraction(v) for v in row] for row in ideal]
    return [
        sum(
            (Fraction(w) - aim) ** 2 / (c2 if j == len(row) - 1 else 1)
            for row, own in zip(weights.tolist(), aims, strict=True)
            for j, (w, aim) in enumerate(zip(row, own, strict=True))
        )
        for weights in path
    ]


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "worst"])
@pytest.mark.parametrize("seed", range(4))
def test_every_mistake_lowers_the_gap_exactly(order, seed):
    X, y, rng = separable_problem(seed + 50)
    eta = [0.5, 1.0, 2.0][seed % 3]
    start = rng.integers(-9, 10, (1, X.shape[1] + 1))
    steps = trace(Perceptron(eta, order=order, init=start, intercept_scaling=2.0, random_state=seed), X, y)
    assert len(steps)
    fall = gap(steps, X, y)
    assert np.all(fall.decrease >= fall.guaranteed)
    assert np.all(fall.gap <= fall.bound)
    assert np.all(fall.gap >= 0)
    signs = np.where(y == 1, 1, -1)
    leads = signs * (X @ fall.coef[0] + fall.intercept[0])
    assert np.isclose(leads.min(), 1)
    # any separating weights would do: the last ones, in fractions
    last = [Fraction(v) for v in steps.after[-1, 0].tolist()]
    least = min(
        int(s) * (sum(a * int(b) for a, b in zip(last, x, strict=False)) + last[-1])
        for s, x in zip(signs, X, strict=True)
    )
    square = int(max((X**2).sum(axis=1))) + 4
    exact = exact_gaps(steps, X, y, 4, [[v / least for v in last]], Fraction(eta) * square)
    assert all(before - after >= Fraction(eta) ** 2 * square for before, after in pairwise(exact))
    # and what the function computed is what the definition says
    again = exact_gaps(steps, X, y, 4, [[*fall.coef[0], fall.intercept[0]]], Fraction(fall.rho))
    assert np.allclose(fall.gap, [float(number) for number in again], rtol=1e-9)
    least_known = novikoff_bound(X, y, eta=eta, init=start, intercept_scaling=2.0)
    assert fall.mistakes[-1] <= least_known <= int(fall.gap[0] / fall.guaranteed)


@pytest.mark.parametrize("batch_size", [1, 3, "all"])
@pytest.mark.parametrize("form", ["worst", "uniform"])
def test_the_gap_of_batches_and_several_classes(batch_size, form):
    X, y = load_iris(return_X_y=True)
    X, y = X[::5], y[::5]
    assert separability(X, y).separable
    learner = Perceptron(batch_size=batch_size, multiclass=form, order="cyclic", max_iter=30)
    with pytest.warns(UserWarning, match="stopped"):
        steps = trace(learner, X, y, max_updates=20)
    fall = gap(steps, X, y)
    assert np.all(fall.decrease >= fall.guaranteed * steps.mistakes * (1 - 1e-9))
    assert np.array_equal(fall.mistakes[1:], np.cumsum(steps.mistakes))


def test_the_first_gap_is_novikoffs_bound():
    X, y = X_LECTURE, Y_LECTURE
    fall = gap(trace(Perceptron(order="cyclic"), X, y), X, y)
    assert int(fall.gap[0] / fall.guaranteed) == novikoff_bound(X, y)


def test_traces_without_such_a_proof():
    X, y = X_LECTURE, Y_LECTURE
    with pytest.raises(TypeError, match="this trace is of Adaline"):
        gap(trace(Adaline(max_iter=1), X, y), X, y)
    with pytest.raises(ValueError, match="multiclass='all'"):
        gap(trace(Perceptron(multiclass="all"), [[0.0], [1.0], [3.0]], [0, 1, 2]), [[0.0], [1.0], [3.0]], [0, 1, 2])
    with pytest.raises(ValueError, match="class_weight=None"):
        gap(trace(Perceptron(class_weight="balanced"), X, y), X, y)
    with pytest.raises(ValueError, match="empty"):
        gap(trace(Perceptron(init=[[1, 1]]), X, y), X, y)
    with pytest.raises(ValueError, match="features"):
        gap(trace(Perceptron(), X, y), X[:, :1], y)


# Margins


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_margin_is_the_definition(classes, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)) + 100 * (seed % 2), rng.permutation(30) % classes
    outputs = 1 if classes == 2 else classes
    w, b = rng.normal(size=(outputs, 3)), rng.normal(size=outputs)
    scores = X @ w.T + b
    if classes == 2:
        expected = np.min(np.where(y == 1, 1, -1) * scores[:, 0]) / np.linalg.norm(w)
    else:
        leads = scores[np.arange(30), y][:, None] - scores
        leads[np.arange(30), y] = np.inf
        expected = leads.min() / np.linalg.norm(w - w.mean(axis=0))
    assert np.isclose(margin(X, y, w, b), expected)
    assert np.isclose(margin(sparse.csr_array(X), y, w, b), expected)
    assert np.isclose(margin(X, y, 1e200 * w, 1e200 * b), expected)
    if classes > 2:
        assert np.isclose(margin(X, y, w + 5, b - 3), expected)


def test_margin_agrees_with_the_proof():
    for X, y in (load_breast_cancer(return_X_y=True), (X_LECTURE, Y_LECTURE), ([[0], [1], [2.5]], [0, 1, 2])):
        proof = separability(X, y, max_margin=True)
        own = margin(X, y, proof.coef, proof.intercept)
        assert np.isclose(own, proof.margin, rtol=1e-9)
        assert own <= proof.margin_bounds[1]


def test_margins_of_awkward_weights():
    assert margin(X_LECTURE, Y_LECTURE, [1, 1]) == 2**0.5
    assert margin(X_LECTURE, Y_LECTURE, [1, -1]) < 0
    assert margin([[0], [1]], [0, 1], [1]) == 0  # a tie
    assert margin([[7, 0], [7, 1]], [0, 1], [3, 4], -23) == 0.4  # a column that never changes counts in |w|
    assert np.isclose(margin([[1e-200], [3e-200]], [0, 1], [1e200], -2), 1e-200, atol=0)
    with pytest.raises(ValueError, match="no boundary"):
        margin(X_LECTURE, Y_LECTURE, [0, 0], 1)
    with pytest.raises(ValueError, match="coef has the shape"):
        margin(X_LECTURE, Y_LECTURE, [1, 2, 3])
    with pytest.raises(ValueError, match="intercept has 2"):
        margin(X_LECTURE, Y_LECTURE, [1, 2], [1, 2])
    with pytest.raises(ValueError, match="NaN"):
        margin(X_LECTURE, Y_LECTURE, [1, np.nan])


# The smallest enclosing ball


def encloses(ball, X):
    """Whether rows lie in the ball, and the support on its sphere, to rounding."""
    away = np.linalg.norm(X - ball.centre, axis=1)
    size = max(np.abs(X).max(), ball.radius)
    return away.max() <= ball.radius + 1e-12 * size and np.allclose(away[ball.support], ball.radius, atol=1e-9 * size)


@pytest.mark.parametrize("seed", range(40))
def test_the_ball_is_that_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    X = rng.integers(-2, 3, (int(rng.integers(1, 8)), d)).astype(float)  # equal and collinear points abound
    if seed % 2:
        X += rng.normal(size=X.shape) * 1e-9
    square = smallest_ball_squared(X.tolist())
    ball = radius(X)
    assert Fraction(ball.lower) ** 2 <= square <= Fraction(ball.upper) ** 2
    assert ball.upper <= np.nextafter(ball.lower, np.inf)
    assert len(ball.support) <= d + 1
    assert encloses(ball, X)
    assert smallest_ball_squared(X[ball.support].tolist()) == square


def test_balls_known_by_heart():
    assert radius([[3.0, 4.0]]).radius == 0
    assert radius([[3.0, 4.0]] * 5).centre.tolist() == [3.0, 4.0]
    assert radius([[0], [1], [3], [2]]).radius == 1.5
    line = radius([[k, 2 * k] for k in range(9)])
    assert (line.centre.tolist(), line.support.tolist()) == ([4.0, 8.0], [0, 8])
    corners = np.array(np.meshgrid(*[[0, 2]] * 4)).reshape(4, -1).T
    assert radius(corners).radius == 2
    simplex = np.eye(6)
    ball = radius(simplex)
    assert ball.lower <= (5 / 6) ** 0.5 <= ball.upper
    assert ball.support.tolist() == list(range(6))


@pytest.mark.parametrize("d", [2, 5, 20, 21, 60])
def test_larger_balls_are_enclosed(d):
    X = np.random.default_rng(d).normal(size=(300, d))
    ball = radius(X)
    assert isinstance(ball, Ball)
    assert 0 < ball.lower <= ball.upper <= ball.lower * (1 + 1e-12)
    assert encloses(ball, X)
    assert ball.radius < np.linalg.norm(X - X.mean(axis=0), axis=1).max()
    thin = radius(sparse.csr_array(X))
    assert np.allclose(thin.centre, ball.centre)
    assert np.array_equal(thin.support, ball.support)
    for power in (-1000, 900):
        scaled = radius(X * 2.0**power)
        assert np.isclose(scaled.upper * 2.0**-power, ball.upper, rtol=1e-12)
    moved = radius(np.round(X, 3) + 2.0**40)
    assert moved.lower <= moved.upper <= moved.lower * (1 + 1e-12)


def test_rows_without_a_ball():
    with pytest.raises(ValueError, match="NaN"):
        radius([[np.nan, 1.0]])
    with pytest.raises(ValueError, match="0 sample"):
        radius(np.empty((0, 2)))
    with pytest.raises(OverflowError, match="Scale the columns"):
        radius([[1.5e308], [-1.5e308]])


# Regions of several classes are convex [L1]


def test_regions_of_several_classes_are_convex():
    rng = np.random.default_rng(0)
    X = rng.integers(-8, 9, (60, 2))
    clf = Perceptron(max_iter=20, random_state=0).fit(X, rng.integers(0, 5, 60))
    points = 2 * rng.integers(-50, 51, (400, 2))
    answers = clf.predict(points)
    assert len(np.unique(answers)) > 2
    for first, second in rng.integers(0, 400, (2000, 2)):
        if answers[first] == answers[second]:
            middle = (points[first] + points[second]) // 2  # whole numbers: every score is exact
            assert clf.predict(middle[None])[0] == answers[first]


def test_theory_is_part_of_the_package():
    assert novikoff.theory.margin is margin
    assert "theory" in dir(novikoff)


@pytest.mark.parametrize("d", [3, 30])
def test_a_ball_that_the_time_did_not_suffice_for_still_encloses_the_radius(d):
    X = np.random.default_rng(0).normal(size=(200, d))
    ball, early = radius(X), radius(X, time_limit=1e-9)
    assert early.lower <= ball.upper
    assert early.upper >= ball.lower
    assert np.linalg.norm(X - early.centre, axis=1).max() <= early.upper * (1 + 1e-12)
    assert early.upper - early.lower > ball.upper - ball.lower
    with pytest.raises(ValueError, match="time_limit"):
        radius(X, time_limit=0)


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75, 1.5])
def test_another_multiple_guarantees_what_the_formula_says(share):
    X, y = X_LECTURE, Y_LECTURE
    steps = trace(Perceptron(2.0, order="cyclic", init=[[-3.0, 1.0, 0.0]]), X, y)
    usual = gap(steps, X, y)
    other = gap(steps, X, y, rho=share * usual.rho)
    assert other.rho == share * usual.rho
    assert other.guaranteed == pytest.approx((2 * share - 1) * usual.guaranteed)
    assert np.all(other.decrease >= other.guaranteed)
    with pytest.raises(ValueError, match="rho must be a positive number"):
        gap(steps, X, y, rho=0.0)
