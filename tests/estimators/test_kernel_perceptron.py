"""The kernel perceptron: against its slow twin, against the primal perceptron, and in its own right."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.callback import ScoringMonitor
from sklearn.datasets import load_iris, make_circles
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from threadpoolctl import threadpool_limits

from common import JIT_OFF, plain_only
from novikoff import KernelPerceptron, Perceptron, passes_curve, trace
from novikoff.checks.arrays import generator
from novikoff.dual.dual_machine import BLOCK, square_of
from novikoff.dual.kernels import make_kernel
from novikoff.learn.orders import make_order
from twins import DualTwin

SEED = 5
FORMS = ("binary", "worst", "all", "uniform", "ovr")
RARE = ("all", "uniform")  # compiled for the primal perceptron, whose forms these are
KEEPS = ("last", "average", "vote")
ORDERS = ("cyclic", "shuffle", "random", "alternate", "worst")
EXACT = {  # whole numbers in, whole numbers out
    "linear": ({"kernel": "linear"}, lambda x, z: x @ z),
    "poly": ({"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0}, lambda x, z: (x @ z + 1) ** 2),
}
examples = settings(max_examples=25 if JIT_OFF else 60)
IRIS, SPECIES = load_iris(return_X_y=True)


def whole_numbers(rng, form, rows=14, columns=3):
    """Rows, class numbers, and weights that two and three rivals can share."""
    classes = 2 if form == "binary" else 4
    target = rng.permutation(np.append(np.arange(classes), rng.integers(0, classes, rows - classes)))
    weight = 6.0 * rng.integers(1, 3, rows)
    left_out = rng.integers(rows)
    weight[left_out] *= np.count_nonzero(target == target[left_out]) == 1  # every class keeps a row
    return rng.integers(-2, 3, (rows, columns)).astype(float), target, weight


@st.composite
def sensible_choices(draw, form):
    order = draw(st.sampled_from(ORDERS))
    batch = draw(st.sampled_from((1, 3, "all"))) if order != "worst" else 1
    return {
        "keep": draw(st.sampled_from(KEEPS)),
        "order": order if batch != "all" else "cyclic",
        "batch_size": batch,
        "multiclass": form if form != "binary" else "worst",
        "fit_intercept": draw(st.booleans()),
        "max_iter": draw(st.integers(1, 4)),
        "max_votes": None,
        "random_state": SEED,
    }


def same_passes(twin, clf):
    """Let the twin make the passes of a fit; return the mistakes and the norm after each."""
    members = np.flatnonzero(twin.weight)
    batch = members.size if clf.batch_size == "all" else clf.batch_size
    order = "cyclic" if clf.batch_size == "all" else clf.order
    next_pass = make_order(order, np.arange(members.size), twin.target[members], 0.0, generator(SEED))
    mistakes, norms = [], []
    for _ in range(clf.n_iter_):
        rows = [twin.worst_row(members)] if order == "worst" else members[next_pass()[0]]
        mistakes.append(twin.one_pass(rows, batch))
        norms.append(twin.norm())
    return mistakes, norms


@pytest.mark.parametrize("form", [pytest.param(f, marks=plain_only if f in RARE else ()) for f in FORMS])
@pytest.mark.parametrize("kernel", EXACT)
@examples
@given(data=st.data())
@pytest.mark.plain_python
def test_equals_its_twin_step_by_step(kernel, form, data):
    X, target, weight = whole_numbers(np.random.default_rng(data.draw(st.integers(0, 10**6))), form)
    parameters, function = EXACT[kernel]
    clf = KernelPerceptron(**parameters, **data.draw(sensible_choices(form))).fit(X, target, weight)
    twin = DualTwin(X, target, function, form=form, intercept=clf.fit_intercept, weight=weight)
    mistakes, norms = same_passes(twin, clf)
    assert clf.history_["mistakes"].tolist() == mistakes
    assert np.allclose(clf.history_["norm"], norms, rtol=1e-12)
    alpha = np.zeros_like(twin.alpha)
    alpha[:, clf.support_] = clf.dual_coef_
    if clf.keep == "last":
        assert np.array_equal(alpha, twin.alpha)
        assert np.array_equal(clf.intercept_, twin.b)
    else:
        assert np.allclose(alpha, twin.total / twin.seen)
        assert np.allclose(clf.intercept_, twin.total_b / twin.seen)
    if clf.keep == "vote":
        assert np.allclose(clf.decision_function(X), twin.vote())


@pytest.mark.parametrize("form", ["binary", "worst"])
@examples
@given(data=st.data())
def test_budget_equals_its_twin(form, data):
    X, target, weight = whole_numbers(np.random.default_rng(data.draw(st.integers(0, 10**6))), form)
    batch = data.draw(st.sampled_from((1, 3)))
    budget = data.draw(st.integers(batch, 8))
    order = data.draw(st.sampled_from(("cyclic", "shuffle", "random")))
    clf = KernelPerceptron(
        "linear", keep="last", budget=budget, order=order, batch_size=batch, max_iter=4, random_state=SEED
    ).fit(X, target, weight)
    rng = generator(SEED).spawn(1)[0]
    twin = DualTwin(X, target, EXACT["linear"][1], form=form, weight=weight, budget=budget, rng=rng)
    mistakes, norms = same_passes(twin, clf)
    assert clf.history_["mistakes"].tolist() == mistakes
    assert np.allclose(clf.history_["norm"], norms, rtol=1e-12)
    assert len(clf.support_) <= budget
    assert np.array_equal(clf.dual_coef_, twin.alpha[:, clf.support_])
    assert np.count_nonzero(twin.alpha.any(axis=0)) == len(clf.support_)


def same_fit(primal, dual):
    for name in set(primal.history_) - {"seconds"}:
        assert np.array_equal(primal.history_[name], dual.history_[name]), name
    assert (primal.stop_reason_, primal.n_iter_) == (dual.stop_reason_, dual.n_iter_)
    assert (primal.n_mistakes_, primal.n_errors_) == (dual.n_mistakes_, dual.n_errors_)
    assert np.allclose(primal.coef_, dual.dual_coef_ @ dual.support_vectors_)
    assert np.allclose(primal.intercept_, dual.intercept_)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("batch", [1, 7, 300, "all"])
@pytest.mark.parametrize("order", ORDERS)
def test_linear_kernel_is_the_primal_perceptron(order, batch, keep, classes):
    if (batch == "all" and order != "cyclic") or (order == "worst" and batch != 1):
        pytest.skip("refused")
    rng = np.random.default_rng(classes)
    X = rng.integers(-3, 4, (2 * BLOCK + 30, 3)).astype(float)
    y = rng.integers(0, classes, len(X))
    weight = rng.integers(0, 3, len(X)).astype(float)
    choices = {"order": order, "batch_size": batch, "keep": keep, "max_iter": 3, "random_state": 1, "history": "full"}
    primal = Perceptron(intercept_scaling="radius", **choices).fit(X, y, weight)
    dual = KernelPerceptron("linear", **choices).fit(X, y, weight)
    same_fit(primal, dual)
    assert np.allclose(primal.decision_function(X), dual.decision_function(X))
    assert np.allclose(primal.signed_distance(X), dual.signed_distance(X))
    if keep == "last":
        assert np.array_equal(primal.coef_, dual.dual_coef_ @ dual.support_vectors_)


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("batch", [1, 4, "all"])
def test_streams_are_those_of_the_primal_perceptron(batch, keep):
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, (80, 3)).astype(float), rng.integers(0, 3, 80)
    weight = rng.integers(0, 3, 80).astype(float)
    primal = Perceptron(intercept_scaling="radius", keep=keep, batch_size=batch, history="full")
    dual, short, csr = (KernelPerceptron("linear", keep=keep, batch_size=batch, history="full") for _ in range(3))
    for part in (slice(20), slice(20, 21), slice(21, 80)):
        for learner, convert in (
            (primal, np.asarray),
            (dual, np.asarray),
            (short, np.float32),
            (csr, sparse.csr_array),
        ):
            learner.partial_fit(convert(X[part]), y[part], classes=[0, 1, 2], sample_weight=weight[part])
    same_fit(primal, dual)
    assert np.allclose(primal.decision_function(X), dual.decision_function(X))
    assert np.all(np.diff(dual.support_) > 0)
    assert np.array_equal(X[dual.support_], dual.support_vectors_)
    for other in (short, csr):
        assert other.history_["norm"].tolist() == dual.history_["norm"].tolist()
        assert np.allclose(other.dual_coef_, dual.dual_coef_)
    if keep != "vote":  # new classes, after a fit too
        for learner in (primal, dual):
            learner.set_params(max_iter=2, order="cyclic").fit(X, y > 0)
            learner.partial_fit(X[:30], np.where(np.arange(30) < 9, 7, y[:30] > 0), extend_classes=True)
        same_fit(primal, dual)


def test_formats_may_change_in_a_stream():
    formats = (np.asarray, sparse.csr_array, np.asarray), (sparse.csr_array, np.asarray, sparse.csr_array)
    coefs = []
    for kinds in formats:
        clf = KernelPerceptron(keep="last")
        for convert, part in zip(kinds, (slice(0, 150, 3), slice(1, 150, 3), slice(2, 150, 3)), strict=True):
            clf.partial_fit(convert(IRIS[part]), SPECIES[part], classes=[0, 1, 2])
        coefs.append(clf.dual_coef_)
    assert np.array_equal(*coefs)


def test_stops_are_those_of_the_primal_perceptron():
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (60, 3)).astype(float)
    for y, order in ((X[:, 0] > 0, "cyclic"), (X[:, 0] > 0, "random"), (rng.integers(0, 2, 60), "cyclic")):
        choices = {"order": order, "keep": "last", "max_iter": 500, "random_state": 0}
        primal, dual = Perceptron(intercept_scaling="radius", **choices), KernelPerceptron("linear", **choices)
        same_fit(primal.fit(X, y), dual.fit(X, y))
        assert dual.stop_reason_ != "budget"
        same_fit(primal.set_params(tol=30.0).fit(X, y), dual.set_params(tol=30.0).fit(X, y))
    lean = KernelPerceptron("linear", keep="last", budget=60, max_iter=500, order="cyclic", tol=30.0).fit(X, y)
    assert (lean.stop_reason_, lean.n_iter_) == (dual.stop_reason_, dual.n_iter_)
    assert KernelPerceptron(time_limit=1e-9, max_iter=10**6).fit(X, y).stop_reason_ == "time"
    early = KernelPerceptron(early_stopping=True, max_iter=1000, random_state=0).fit(X, y)
    assert early.stop_reason_ == "no_improvement"
    assert len(early.support_) <= 54
    assert early.history_["held_out_score"].size == early.n_iter_


# Kernels


def test_gamma_is_that_of_svc():
    assert make_kernel("rbf", 3, "scale", 0, IRIS).gamma == 1 / (4 * IRIS.var())
    assert make_kernel("rbf", 3, "scale", 0, sparse.csr_array(IRIS)).gamma == pytest.approx(1 / (4 * IRIS.var()))
    assert make_kernel("rbf", 3, "auto", 0, IRIS).gamma == 0.25
    assert make_kernel("rbf", 3, "scale", 0, np.ones((3, 2))).gamma == 1


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_a_weight_is_a_repetition_also_for_the_scale(convert, rng):
    weight = rng.integers(0, 4, len(SPECIES))
    choices = {"batch_size": "all", "keep": "last", "max_iter": 3, "fit_intercept": False}
    repeated = np.repeat(IRIS, weight, axis=0), np.repeat(SPECIES, weight)
    streams = {"classes": [0, 1, 2]}
    for fit, more in ((KernelPerceptron.fit, {}), (KernelPerceptron.partial_fit, streams)):
        one = fit(KernelPerceptron(**choices), convert(IRIS), SPECIES, sample_weight=weight, **more)
        other = fit(KernelPerceptron(**choices), convert(repeated[0]), repeated[1], **more)
        np.testing.assert_allclose(one.decision_function(IRIS), other.decision_function(IRIS), rtol=1e-9, atol=1e-9)


def test_all_ways_to_say_the_same_kernel():
    fits = [
        (KernelPerceptron(gamma=0.5), IRIS, IRIS),
        (KernelPerceptron(gamma=0.5), sparse.csr_array(IRIS), sparse.csr_array(IRIS)),
        (KernelPerceptron(lambda A, B: rbf_kernel(A, B, gamma=0.5)), IRIS, IRIS),
        (KernelPerceptron("precomputed"), rbf_kernel(IRIS, gamma=0.5), rbf_kernel(IRIS, gamma=0.5)),
        (KernelPerceptron("precomputed"), *[sparse.csr_array(rbf_kernel(IRIS, gamma=0.5))] * 2),
    ]
    for keep in KEEPS:
        scores = [clf.set_params(keep=keep, random_state=0).fit(X, SPECIES).decision_function(Z) for clf, X, Z in fits]
        for score in scores[1:]:
            assert np.allclose(score, scores[0])
    assert fits[3][0].support_vectors_.shape == (len(fits[3][0].support_), 0)
    grid = GridSearchCV(KernelPerceptron("precomputed"), {"keep": ["last", "average"]}, cv=3)
    assert grid.fit(fits[3][1], SPECIES).best_score_ > 0.8


@pytest.mark.parametrize("budget", [None, 40])
def test_memory_changes_nothing_but_speed(budget):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(BLOCK + 20, 5)), rng.integers(0, 3, BLOCK + 20)
    choices = {"max_iter": 4, "random_state": 0, "budget": budget, "keep": "last" if budget else "average"}
    one, two, three = (KernelPerceptron(cache_size=size, **choices).fit(X, y) for size in (0, 0.1, 100))
    for other in (two, three):
        assert one.history_["mistakes"].tolist() == other.history_["mistakes"].tolist()
        assert np.allclose(one.decision_function(X), other.decision_function(X))


def test_rows_of_weight_zero_are_not_there():
    weight = np.where(np.arange(150) % 5 == 0, 0.0, 1.0)
    clf = KernelPerceptron(random_state=0).fit(IRIS, SPECIES, weight)
    removed = KernelPerceptron(random_state=0).fit(IRIS[weight > 0], SPECIES[weight > 0])
    assert np.array_equal(clf.dual_coef_, removed.dual_coef_)
    assert np.array_equal(clf.support_, np.flatnonzero(weight)[removed.support_])
    assert np.array_equal(clf.support_vectors_, IRIS[clf.support_])


# What it is good for


def test_separates_what_no_line_can():
    X, y = make_circles(200, noise=0.05, factor=0.5, random_state=0)
    clf = KernelPerceptron(keep="last", max_iter=100, random_state=0).fit(X, y)
    assert (clf.stop_reason_, clf.n_errors_) == ("separated", 0)
    assert Perceptron(keep="average", max_iter=20).fit(X, y).score(X, y) < 0.7
    assert cross_val_score(KernelPerceptron(random_state=0), X, y).mean() > 0.95
    assert cross_val_score(KernelPerceptron(random_state=0), IRIS, SPECIES).mean() > 0.9


def test_mistakes_are_within_novikoffs_bound_in_feature_space():
    X, y = make_circles(100, factor=0.3, noise=0.02, random_state=0)
    clf = KernelPerceptron(keep="last", max_iter=10**4, order="cyclic").fit(X, y)
    assert clf.stop_reason_ == "separated"
    norm = clf.history_["norm"][-1]  # of any weights that separate, with the bias
    margin = np.min(np.where(y == 1, 1, -1) * clf.decision_function(X)) / norm
    assert clf.n_mistakes_ <= 2 / margin**2  # k(x, x) + R^2 = 2


def test_budget_learns_from_a_stream():
    X, y = make_circles(3000, noise=0.1, factor=0.4, random_state=0)
    clf = KernelPerceptron(keep="last", budget=20, random_state=0)
    again = clone(clf)
    for part in np.array_split(np.arange(2500), 40):
        clf.partial_fit(X[part], y[part], classes=[0, 1])
        assert len(clf.support_) <= 20
    for part in np.array_split(np.arange(2500), 40):
        again.partial_fit(X[part], y[part], classes=[0, 1])
        again = pickle.loads(pickle.dumps(again))
    assert np.array_equal(clf.support_, again.support_)
    assert clf.n_mistakes_ > 4 * len(clf.support_)
    assert clf.score(X[2500:], y[2500:]) > 0.9
    kernel, points = clf._learned.rows[:2]
    assert np.isclose(clf._learned.rows.square[0], square_of(kernel, clf._learned.state.weights, points))


# What a fit says


def test_votes_keep_the_longest_survivors():
    X, y = make_circles(120, noise=0.2, factor=0.5, random_state=0)
    clf = KernelPerceptron(gamma=0.5, order="shuffle", keep="vote", max_votes=7, random_state=SEED).fit(X, y)
    twin = DualTwin(X, y, lambda x, z: np.exp(-0.5 * (x - z) @ (x - z)))
    assert same_passes(twin, clf)[0] == clf.history_["mistakes"].tolist()
    assert np.allclose(clf.decision_function(X), twin.vote(7))
    assert np.array_equal(np.sort(clf.votes_.tenure), sorted(survived for *_, survived in twin.voters)[-7:])


def test_pickle_callbacks_and_curves():
    monitor = ScoringMonitor(scoring="accuracy")
    for keep in KEEPS:
        clf = KernelPerceptron(keep=keep, random_state=0).set_callbacks(monitor).fit(IRIS, SPECIES)
        again = pickle.loads(pickle.dumps(clf))
        assert np.array_equal(again.decision_function(IRIS), clf.decision_function(IRIS))
        log = [entry for entry in monitor.get_logs().data if entry["task_name"] == "pass"]
        assert log[-1]["accuracy"] == clf.score(IRIS, SPECIES) == 1 - clf.n_errors_ / 150
    curve = passes_curve(KernelPerceptron(random_state=0), IRIS, SPECIES, passes=3)
    assert curve.held_out_scores[-1].mean() > 0.9
    assert trace(KernelPerceptron(random_state=0), IRIS, SPECIES).complete


def test_warns_of_last_weights_only():
    y = np.arange(150) % 2
    with pytest.warns(UserWarning, match=r"max_iter=2 allows.*\d+ of 150 training rows.*keep='average'"):
        KernelPerceptron(keep="last", max_iter=2).fit(IRIS, y)
    KernelPerceptron(max_iter=2).fit(IRIS, y)


def bad_kernel(A, B):
    return np.full((len(A), len(B)), np.nan)


@pytest.mark.parametrize(
    ("parameters", "X", "error", "text"),
    [
        ({"kernel": bad_kernel}, IRIS, ValueError, "returned nan.*row 0 of the training data"),
        ({"kernel": lambda A, B: np.ones(3)}, IRIS, ValueError, r"shape \(3,\)"),
        ({"kernel": "precomputed"}, IRIS, ValueError, r"square matrix.*\(150, 4\)"),
        ({"kernel": "poly", "coef0": -1e3, "gamma": 1.0}, IRIS, ValueError, r"k\(x, x\) is -.* in row"),
        ({"kernel": "linear"}, IRIS * 1e200, OverflowError, r"k\(x, x\) is inf in row 0.*Scale"),
        ({"kernel": "rbf", "gamma": 1.0}, IRIS * 1e200, OverflowError, "squared norm of row 0.*Scale"),
        ({"kernel": "rbf"}, IRIS * 1e200, OverflowError, "gamma='scale'.*Scale"),
        ({"budget": 10, "keep": "average"}, IRIS, ValueError, "keep='last'"),
        ({"budget": 10, "keep": "last", "batch_size": 11}, IRIS, ValueError, "budget=10"),
        ({"budget": 10, "keep": "last", "batch_size": "all"}, IRIS, ValueError, "budget=10"),
        ({"gamma": 0.0}, IRIS, ValueError, "gamma"),
        ({"kernel": "cosine"}, IRIS, ValueError, "kernel"),
        ({}, np.where(np.isin(IRIS, IRIS[3, 2]), np.nan, IRIS), ValueError, "row 3, column 2"),
    ],
)
def test_refusals_name_the_cause(parameters, X, error, text):
    clf = KernelPerceptron(**parameters)
    with np.errstate(all="ignore"), pytest.raises(error, match=text):
        clf.fit(X, SPECIES)
    assert not hasattr(clf, "dual_coef_")


def test_streams_refuse_what_cannot_go_on():
    assert not hasattr(KernelPerceptron("precomputed"), "partial_fit")
    clf = KernelPerceptron(keep="last", budget=10).partial_fit(IRIS, SPECIES, classes=[0, 1, 2])
    for name, value in (("kernel", "linear"), ("gamma", 2.0), ("degree", 2), ("coef0", 1.0), ("budget", 20)):
        before = getattr(clf, name)
        with pytest.raises(ValueError, match=f"{name} cannot change"):
            clf.set_params(**{name: value}).partial_fit(IRIS, SPECIES)
        clf.set_params(**{name: before}).partial_fit(IRIS[:5], SPECIES[:5])


def test_huge_and_tiny_scales():
    for scale in (1e-100, 1e100):
        clf = KernelPerceptron(random_state=0).fit(IRIS * scale, SPECIES)
        same = KernelPerceptron(random_state=0).fit(IRIS, SPECIES)
        assert clf.history_["mistakes"].tolist() == same.history_["mistakes"].tolist()
        assert np.allclose(clf.decision_function(IRIS * scale), same.decision_function(IRIS), rtol=1e-6)


def test_any_number_of_threads_gives_the_same_bits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3 * BLOCK, 40))
    y = X[:, 0] * X[:, 1] > 0
    fits = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            fits.append(KernelPerceptron(random_state=0).fit(X, y))
    assert np.array_equal(fits[0].dual_coef_, fits[1].dual_coef_)
    assert fits[0].history_["norm"].tolist() == fits[1].history_["norm"].tolist()
