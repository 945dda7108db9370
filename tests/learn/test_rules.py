"""Rules and forms by themselves: steps are slopes of losses, and rules turn into each other where they should."""

import numpy as np
import pytest

from common import plain_only, stacked
from novikoff import Adaline, AdalineRegressor, HingeSGD, LogisticNeuron, PassiveAggressiveClassifier, Perceptron
from novikoff.learn import forms as f
from novikoff.learn import rules as r
from novikoff.learn.rows import as_rows
from novikoff.learn.state import NEVER, memory_of, new_state
from novikoff.learn.sweep import usable

pytestmark = pytest.mark.plain_python


@pytest.fixture
def X(rng):
    return rng.normal(size=(40, 3))


@pytest.fixture
def Y(X, rng):
    return (X @ [1.0, -2.0, 0.5] + rng.normal(size=40) > 0).astype(int)


@pytest.fixture
def T(rng):
    return rng.normal(size=40)


H = 1e-6
NO_MEMORY = np.zeros((4, 0))
NO_STATE = new_state(NEVER, np.zeros((4, 1)), np.zeros(4), averages=False)
NO_ROWS = as_rows(np.zeros((1, 1)), 1)

# The rule, and the value of y a where it has a kink
LABELS = [
    (r.Perceptron(), 0.0),
    (r.Delta(), None),
    (r.CrossEntropy(1.0), None),
    (r.CrossEntropy(2.5), None),
    (r.SquaredNeuron(1.0), None),
    (r.SquaredNeuron(0.4), None),
    (r.Hinge(), 1.0),
]


def pa_step(rule, y, a):
    return r.step_of_row(rule, y, a, 1.0, NO_MEMORY, 0)


def slope(function, a):
    return (function(a + H) - function(a - H)) / (2 * H)


@pytest.mark.parametrize(("rule", "kink"), LABELS)
@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_step_is_minus_the_slope_of_the_loss(rule, kink, y):
    for a in np.linspace(-4, 4, 81) + 0.013:
        if kink is None or abs(y * a - kink) > 0.01:
            assert r.step(rule, y, a) == pytest.approx(-slope(lambda a: r.loss(rule, y, a), a), rel=1e-6, abs=1e-8)


def test_passive_aggressive_steps_are_the_loss_itself():
    """For a row of length 1, and in the direction of minus the slope."""
    rule, real = r.PassiveAggressive(np.inf, 0.0), r.PassiveAggressiveReal(np.inf, 0.0, 0.3)
    for a in np.linspace(-4, 4, 81) + 0.013:
        for y in (-1.0, 1.0):
            assert pa_step(rule, y, a) == y * r.loss(rule, y, a) == y * max(0.0, 1 - y * a)
        for y in (-2.0, 0.0, 1.7):
            assert pa_step(real, y, a) == pytest.approx(np.sign(y - a) * max(0.0, abs(y - a) - 0.3))
            assert abs(pa_step(real, y, a)) == r.loss(real, y, a)


def test_step_of_real_numbers_is_minus_the_slope_of_the_loss():
    for y in (-2.0, 0.0, 1.7):
        for a in np.linspace(-4, 4, 81) + 0.013:
            assert r.step(r.Delta(), y, a) == pytest.approx(-slope(lambda a, y=y: r.loss(r.Delta(), y, a), a), abs=1e-8)


def gradient(form, target, scores):
    """Of the loss, by every score."""
    moved = H * np.eye(len(scores))
    return np.array(
        [(f.total_loss(form, target, scores + m) - f.total_loss(form, target, scores - m)) / (2 * H) for m in moved]
    )


def pushed(form, target, scores):
    g = np.zeros(len(scores))
    moves, mistakes, _ = f.push(form, target, scores, NO_ROWS, 0, 1.0, NO_STATE, g)
    assert moves >= np.count_nonzero(g)  # more where a share underflows
    return g, bool(moves), int(mistakes)


@pytest.mark.parametrize("rule", [rule for rule, _ in LABELS])
@pytest.mark.parametrize("form", [f.Binary, f.Ovr, f.Worst, f.Two])
def test_push_is_minus_the_gradient(form, rule):
    rng = np.random.default_rng(0)
    for _ in range(60):
        scores = rng.normal(size=1 if form is f.Binary else 4) * 2
        target = int(rng.integers(2 if form is f.Binary else 4))
        g, moves, mistakes = pushed(form(rule), target, scores)
        np.testing.assert_allclose(g, -gradient(form(rule), target, scores), atol=1e-7)
        assert moves == np.any(g != 0)
        signs = np.where(np.arange(4) == target, 1, -1) if form is not f.Binary else np.array([2 * target - 1])
        wrong = np.count_nonzero(signs * scores <= 0)
        assert mistakes == (scores.argmax() != target if form in (f.Worst, f.Two) else wrong)


@pytest.mark.parametrize("s", [1.0, 0.3, 4.0])
def test_softmax_is_minus_the_gradient(s):
    rng = np.random.default_rng(0)
    form = f.Softmax(r.CrossEntropy(s))
    for _ in range(60):
        scores, target = rng.normal(size=5), int(rng.integers(5))
        g, _, _ = pushed(form, target, scores)
        p = np.exp(s * scores) / np.exp(s * scores).sum()
        np.testing.assert_allclose(g, s * ((np.arange(5) == target) - p), atol=1e-14)
        np.testing.assert_allclose(g, -gradient(form, target, scores), atol=1e-7)
        assert f.total_loss(form, target, scores) == pytest.approx(-np.log(p[target]))


def test_two_rivals_are_a_softmax_of_three_classes():
    rng = np.random.default_rng(0)
    for _ in range(60):
        scores, target = rng.normal(size=6), int(rng.integers(6))
        g, _, _ = pushed(f.Two(r.CrossEntropy(1.0)), target, scores)
        three = [target, *(k for k in np.argsort(-scores) if k != target)][:3]
        wanted, _, _ = pushed(f.Softmax(r.CrossEntropy(1.0)), 0, scores[three])
        np.testing.assert_allclose(g[three], wanted, atol=1e-14)
        assert np.count_nonzero(g) == 3
    g, _, mistakes = pushed(f.Two(r.CrossEntropy(1.0)), 2, np.zeros(4))  # of equals the first ones
    np.testing.assert_allclose(g, [-1 / 3, -1 / 3, 2 / 3, 0])
    assert mistakes == 1


def test_softmax_of_two_is_the_neuron():
    """The lead is the score: p_1 = 1 / (1 + exp(-s (s_1 - s_0)))."""
    rng = np.random.default_rng(1)
    for s in (0.5, 1.0, 3.0):
        scores = rng.normal(size=2)
        g, _, _ = pushed(f.Softmax(r.CrossEntropy(s)), 1, scores)
        one = r.step(r.CrossEntropy(s), 1.0, scores[1] - scores[0])
        np.testing.assert_allclose(g, [-one, one])


def test_push_of_a_number_is_minus_the_gradient():
    rule = r.Delta()
    for target, a in ((0.3, 1.2), (-2.0, 4.0), (1.0, -1.0)):
        g, _, mistakes = pushed(f.Real(rule), target, np.array([a]))
        np.testing.assert_allclose(g, -gradient(f.Real(rule), target, np.array([a])), atol=1e-7)
        assert mistakes == 0


@pytest.mark.parametrize("size", [1e3, 1e150, 1e300])
def test_huge_scores_stay_numbers(size):
    for rule in (r.CrossEntropy(3.0), r.SquaredNeuron(3.0)):
        for y in (-1.0, 1.0):
            assert r.step(rule, y, y * size) == 0
            assert np.isfinite([r.step(rule, y, -y * size), r.loss(rule, y, -y * size)]).all()
    assert r.step(r.CrossEntropy(3.0), 1.0, -size) == 3.0
    assert r.loss(r.CrossEntropy(3.0), 1.0, -size) == pytest.approx(3 * size)
    form, scores = f.Softmax(r.CrossEntropy(2.0)), np.array([size, 0.0, -size])
    assert pushed(form, 2, scores)[0].tolist() == [-2.0, 0.0, 2.0]
    assert f.total_loss(form, 2, scores) == pytest.approx(4 * size)
    assert f.total_loss(form, 0, scores) == 0


def test_passive_aggressive_steps_give_the_row_its_margin():
    """PA, PA-I, PA-II: l / |x|^2, min(C, l / |x|^2), l / (|x|^2 + 1 / (2 C)), with 2 |x|^2 where two vectors move."""
    rows = as_rows(np.array([[3.0, 4.0], [0.0, 0.0]]), 1)
    for vectors in (1, 2):
        for cap, soft in ((np.inf, 0.0), (0.1, 0.0), (np.inf, 2.0)):
            rule = r.PassiveAggressive(cap, soft)
            length2 = r.squared_length(rule, 1.0, -4.0, rows, 0, 4.0, NO_STATE, 0, vectors - 2, -1.0)
            assert length2 == vectors * (25 + 4)
            tau = min(cap, 5 / (length2 + soft))
            assert r.step_of_row(rule, 1.0, -4.0, length2, NO_MEMORY, 0) == pytest.approx(tau)
            assert r.step_of_row(rule, -1.0, 4.0, length2, NO_MEMORY, 0) == pytest.approx(-tau)
            assert r.step_of_row(rule, 1.0, 1.0, length2, NO_MEMORY, 0) == 0
            assert r.squared_length(rule, 1.0, 1.0, rows, 0, 4.0, NO_STATE, 0, vectors - 2, -1.0) == r.NOT_ASKED
    rule = r.PassiveAggressive(np.inf, 0.0)
    assert (
        r.step_of_row(
            rule,
            1.0,
            -4.0,
            r.squared_length(rule, 1.0, -4.0, rows, 1, 0.0, NO_STATE, 0, r.NO_RIVAL, -1.0),
            NO_MEMORY,
            0,
        )
        == 0
    )


def test_lengths_out_of_range_are_no_numbers():
    rule = r.PassiveAggressive(1.0, 0.0)
    assert np.isnan(r.step_of_row(rule, 1.0, 0.0, np.inf, NO_MEMORY, 0))
    assert r.step_of_row(rule, 1.0, 2.0, np.inf, NO_MEMORY, 0) == 0  # nothing is lost: there is no step to be made
    assert r.step_of_row(rule, 1.0, -8.0, 5e-324, NO_MEMORY, 0) == 1


@pytest.mark.parametrize(("step", "moves"), [([np.nan], 1), ([np.inf, 0.0], 1), ([0.0], 1), ([0.5, 0.0], 2)])
def test_steps_too_large_or_too_small_are_told(step, moves):
    assert not usable(np.array(step), moves)
    assert usable(np.array([0.5, -0.5, 0.0]), 2)


def test_rules_that_ask_for_nothing_get_nothing():
    rows = as_rows(np.ones((1, 2)), 1)
    for rule, _ in LABELS:
        assert r.squared_length(rule, 1.0, 0.0, rows, 0, 1.0, NO_STATE, 0, r.NO_RIVAL, -1.0) == r.NOT_ASKED
        assert not any(memory_of(rule))
        assert r.after_step(rule, 1.0, 0.0, 3.0, NO_MEMORY, 0) == 1


# Rules that turn into each other

CYCLIC = {"order": "cyclic", "max_iter": 3}


def distance(found, wanted):
    """Of weights, by the length of the wanted ones: single weights may be as good as zero."""
    return np.linalg.norm(found - wanted) / np.linalg.norm(wanted)


@pytest.mark.parametrize("batch", [1, 4, "all"])
def test_squared_neuron_of_small_slope_is_adaline_up_to_scale(batch, X, Y):
    """phi(a) = 1/2 + s a / 4 - ..., phi' = s / 4: (d - phi) phi' = s / 8 (y - s a / 2), d - 1/2 = y / 2.

    So v = s w / 2 moves by eta s^2 / 16 (y - v.x) x, as Adaline with the step eta s^2 / 16, but for terms of order (s a)^2.
    """
    eta, s = 0.02, 1e-4
    adaline = Adaline(eta, batch_size=batch, **CYCLIC).fit(X, Y)
    neuron = LogisticNeuron(16 * eta / s**2, loss="squared", slope=s, batch_size=batch, **CYCLIC)
    neuron.fit(X, Y)
    # here s a = 2 v.x is of order 1, so the start is compared, where scores are small
    first = LogisticNeuron(16 * 1e-6 / s**2, loss="squared", slope=s, batch_size=batch, **CYCLIC).fit(X, Y)
    same = Adaline(1e-6, batch_size=batch, **CYCLIC).fit(X, Y)
    assert distance(s / 2 * stacked(first), stacked(same)) < 1e-3
    assert np.corrcoef(stacked(neuron)[0], stacked(adaline)[0])[0, 1] > 0.99


@pytest.mark.parametrize("batch", [1, 4, "all"])
def test_cross_entropy_of_small_scores_is_adaline_up_to_scale(batch, X, Y):
    """s (d - phi(a)) = s / 2 (y - s a / 2) up to (s a)^3: v = s w / 2 moves by eta s^2 / 4 (y - v.x) x."""
    s, eta = 0.7, 1e-6
    neuron = LogisticNeuron(4 * eta / s**2, slope=s, batch_size=batch, **CYCLIC).fit(X, Y)
    adaline = Adaline(eta, batch_size=batch, **CYCLIC).fit(X, Y)
    assert distance(s / 2 * stacked(neuron), stacked(adaline)) < 1e-6


def test_a_steep_neuron_is_the_perceptron(X, Y, rng):
    """phi becomes a step: s (d - phi(a)) = s y on mistakes, 0 elsewhere, and s y / 2 at a tie, which only starts have."""
    start = rng.normal(size=(1, 4))
    neuron = LogisticNeuron(1e-12, slope=1e12, init=start, **CYCLIC).fit(X, Y)
    perceptron = Perceptron(init=start, **CYCLIC).fit(X, Y)
    np.testing.assert_allclose(stacked(neuron), stacked(perceptron), rtol=1e-9)


def test_hinge_with_great_weights_is_the_perceptron(X, Y):
    """Where scores are far larger than 1 and the decay tiny, y a < 1 asks what y a <= 0 asks."""
    start = np.zeros((1, 4))
    hinge = HingeSGD(1e-16, eta=1e6, keep="last", init=start, **CYCLIC).fit(X, Y)
    perceptron = Perceptron(1e6, keep="last", init=start, **CYCLIC).fit(X, Y)
    assert hinge.n_mistakes_ == perceptron.n_mistakes_
    np.testing.assert_allclose(stacked(hinge), stacked(perceptron), rtol=1e-6)


def test_decay_alone():
    """Rows of zeros have no step but the bias's: w halves with every step, b does not."""
    start = np.array([[2.0, -4.0, 8.0, 5.0]])
    hinge = HingeSGD(0.5, eta=1.0, keep="last", init=start, order="cyclic", max_iter=2).fit(np.zeros((2, 3)), [0, 1])
    # b = 5: class 0 is a mistake, class 1 is beyond the margin; b falls by 1 in each pass
    assert stacked(hinge).tolist() == [[2.0 / 16, -4.0 / 16, 8.0 / 16, 3.0]]


@pytest.mark.parametrize("batch", [1, 4, "all"])
@pytest.mark.parametrize("form", ["worst", pytest.param("ovr", marks=plain_only)])
def test_pa_with_a_huge_C_is_pa(form, batch, X, Y):
    target = np.arange(40) % 3
    choice = {"multiclass": form, "batch_size": batch, **CYCLIC}
    for labels in (Y, target):
        free = PassiveAggressiveClassifier(variant="PA", **choice).fit(X, labels)
        capped = PassiveAggressiveClassifier(1e12, variant="PA-I", **choice).fit(X, labels)
        soft = PassiveAggressiveClassifier(1e12, variant="PA-II", **choice).fit(X, labels)
        np.testing.assert_array_equal(stacked(capped), stacked(free))
        np.testing.assert_allclose(stacked(soft), stacked(free), rtol=1e-8)


@plain_only
def test_one_output_each_is_one_binary_problem_each(X):
    target = np.arange(40) % 3
    for learner, choice in (
        (Adaline, {"eta": 0.05}),
        (LogisticNeuron, {"multiclass": "ovr"}),
        (LogisticNeuron, {"loss": "squared"}),
        (HingeSGD, {"lam": 0.1, "multiclass": "ovr"}),
        (PassiveAggressiveClassifier, {"multiclass": "ovr"}),
    ):
        whole = learner(**choice, **CYCLIC).fit(X, target)
        each = [stacked(learner(**choice, **CYCLIC).fit(X, target == k)) for k in range(3)]
        np.testing.assert_allclose(stacked(whole), np.vstack(each), rtol=1e-10)


def test_adaline_is_its_regressor_on_signed_labels(X, Y):
    steps = [{**CYCLIC, **choice} for choice in ({}, {"eta": 0.01, "keep": "average"}, {"batch_size": "all"})]
    for choice in (*steps, {"l2": 0.0}, {"solver": "direct", "l2": 3.0}):
        labels = Adaline(**choice).fit(X, Y)
        numbers = AdalineRegressor(**choice).fit(X, np.where(Y == 1, 1.0, -1.0))
        np.testing.assert_allclose(stacked(labels), stacked(numbers), rtol=1e-12)


def test_slope_of_the_neuron_is_a_change_of_scale(X, Y):
    """s w is the neuron of slope 1 with the step s^2 eta."""
    for loss in ("cross_entropy", "squared"):
        steep = LogisticNeuron(0.1, slope=3.0, loss=loss, **CYCLIC).fit(X, Y)
        plain_one = LogisticNeuron(0.9, loss=loss, **CYCLIC).fit(X, Y)
        np.testing.assert_allclose(3 * stacked(steep), stacked(plain_one), rtol=1e-10)
        automatic = [LogisticNeuron(slope=s, loss=loss, **CYCLIC).fit(X, Y) for s in (3.0, 1.0)]
        np.testing.assert_allclose(3 * stacked(automatic[0]), stacked(automatic[1]), rtol=1e-10)
