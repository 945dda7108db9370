"""What must hold whatever the data: bounds, proofs, equalities, and the truth about how a fit ended."""

import json
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from common import JIT_OFF
from novikoff import Perceptron
from novikoff.learn.orders import make_order

pytestmark = pytest.mark.plain_python

ORDERS = ("cyclic", "shuffle", "blocks", "random", "alternate", "worst")
XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
examples = settings(max_examples=60)


def stacked(clf):
    """The weights handed back, the intercept as last column."""
    return np.column_stack([clf.coef_, clf.intercept_])


def noise(seed, n=24, d=3, classes=2):
    """Whole numbers with labels that have nothing to do with them."""
    rng = np.random.default_rng(seed)
    return rng.integers(-3, 4, (n, d)).astype(float), rng.permutation(n) % classes


def blobs(seed, n=2000, d=5):
    """Two clouds that overlap a little, all rows of one class before all rows of the other."""
    rng = np.random.default_rng(seed)
    target = np.arange(n) * 2 // n
    return rng.normal(size=(n, d)) + np.where(target, 1, -1)[:, None], target


def constant(X, scaling):
    return np.sqrt(np.square(X).sum(axis=1).max()) if scaling == "radius" else float(scaling)


def augmented(X, c):
    return np.column_stack([X, np.full(len(X), c)])


# Mistake bounds


def planted(seed, classes=2):
    """Rows separated by known weights with a clear margin: rows, classes, those weights with the bias last."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (30, int(rng.integers(1, 4)))).astype(float)
    answer = rng.normal(size=(classes, X.shape[1] + 1))
    scores = augmented(X, 1) @ answer.T
    ranked = np.sort(scores, axis=1)
    clear = ranked[:, -1] - ranked[:, -2] > 0.5
    target = scores.argmax(axis=1)[clear]
    assume(len(np.unique(target)) == classes)
    return X[clear], target, answer if classes > 2 else answer[1:] - answer[:1]


def novikoff_bound(start, answer, gamma, radius2, eta):
    """The largest k with (w0.w*/eta + k gamma)^2 <= |w0|^2/eta^2 + k R^2."""
    a, b = np.sum(start * answer) / eta, np.sum(start * start) / eta**2
    half = (radius2 - 2 * a * gamma) / (2 * gamma**2)
    return half + np.sqrt(half**2 + (b - a**2) / gamma**2) + 1e-6


@pytest.mark.parametrize("form", ["binary", "worst", "uniform"])
@examples
@given(
    seed=st.integers(0, 10**6),
    order=st.sampled_from(ORDERS),
    batch=st.sampled_from((1, 3, "all")),
    eta=st.sampled_from((0.5, 1.0, 3.0)),
    scaling=st.sampled_from((1, 2, "radius")),
    from_zero=st.booleans(),
)
def test_mistakes_stay_within_the_bound(form, seed, order, batch, eta, scaling, from_zero):
    X, target, answer = planted(seed, 2 if form == "binary" else 3)
    order = "auto" if batch == "all" else order
    batch = 1 if order == "worst" else batch
    start = np.random.default_rng(seed).integers(-3, 4, answer.shape) * float(not from_zero)
    clf = Perceptron(eta, order=order, batch_size=batch, intercept_scaling=scaling, init=start, random_state=0)
    clf.set_params(multiclass="worst" if form == "binary" else form, max_iter=10**6).fit(X, target)
    assert clf.stop_reason_ == "separated"
    assert clf.n_errors_ == 0
    c = constant(X, scaling)
    start[:, -1] /= c  # the bias is c times the weight of the constant feature
    answer[:, -1] /= c
    answer /= np.linalg.norm(answer)
    rows = augmented(X, c)
    gamma = least_lead(rows @ answer.T, target)
    together = len(X) if batch == "all" else batch
    radius2 = (1 if form == "binary" else 2) * together * np.square(rows).sum(axis=1).max()
    bound = novikoff_bound(start, answer, gamma, radius2, eta)
    assert clf.n_mistakes_ <= bound
    if from_zero:
        assert bound == pytest.approx(radius2 / gamma**2)


def least_lead(scores, target):
    """The smallest lead of the right class over any rival; with one output the smallest y a."""
    if scores.shape[1] == 1:
        return (np.where(target == 1, 1, -1) * scores[:, 0]).min()
    own = scores[np.arange(len(target)), target]
    rivals = np.where(np.arange(scores.shape[1]) == target[:, None], -np.inf, scores)
    return (own - rivals.max(axis=1)).min()


def test_two_points_far_from_the_origin_take_20303_mistakes():
    clf = Perceptron(order="cyclic", max_iter=20_000).fit([[100.0], [102.0]], [0, 1])
    assert (clf.stop_reason_, clf.n_mistakes_) == ("separated", 20_303)


# Keeps


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random", "alternate"])
def test_pocket_is_never_worse_than_the_last_weights(order, classes):
    for seed in range(10):
        X, y = noise(seed, classes=classes)
        pocket, last = (
            Perceptron(keep=k, order=order, max_iter=4, random_state=seed).fit(X, y) for k in ("pocket", "last")
        )
        assert pocket.n_errors_ <= last.n_errors_
        assert pocket.n_mistakes_ == last.n_mistakes_


@pytest.mark.parametrize("keep", ["pocket", "ratchet"])
def test_pockets_never_get_worse_with_more_passes(keep):
    X, y = noise(1, n=40)
    errors = [Perceptron(keep=keep, max_iter=n, random_state=0).fit(X, y).n_errors_ for n in (1, 2, 4, 8, 16)]
    first = np.count_nonzero(y == 1)  # zero weights name class 0
    assert sorted(errors, reverse=True) == errors
    assert errors[0] <= first


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("classes", [2, 3])
def test_average_and_vote_agree(batch, classes):
    X, y = noise(2, classes=classes)
    clf = Perceptron(batch_size=batch, max_iter=5, max_votes=None, random_state=3)
    average = clf.set_params(keep="average").fit(X, y)
    means = stacked(average)
    vote = clf.set_params(keep="vote").fit(X, y)
    np.testing.assert_allclose(stacked(vote), means, rtol=1e-12, atol=1e-12)
    assert vote.votes_.tenure.sum() == 5 * len(X)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_decision_is_the_vote(classes):
    X, y = noise(2, classes=classes)
    vote = Perceptron(keep="vote", max_iter=5, max_votes=None, random_state=3).fit(X, y)
    ballots = np.zeros((len(X), classes))
    for coef, intercept, tenure in zip(*vote.votes_, strict=True):
        scores = X @ coef.T + intercept
        chosen = scores.argmax(axis=1) if classes > 2 else (scores[:, 0] > 0).astype(int)
        ballots[np.arange(len(X)), chosen] += tenure / vote.votes_.tenure.sum()
    expected = ballots if classes > 2 else ballots[:, 1] - ballots[:, 0]
    np.testing.assert_allclose(vote.decision_function(X), expected, rtol=0, atol=1e-12)


def test_nobody_votes_twice_when_time_runs_out():
    X, y = np.array([[1.0], [2.0], [-1.0], [3.0]]), np.array([1, 1, 0, 0])  # the first weights survive three rows
    clf = Perceptron(keep="vote", order="cyclic", init=[[1.0, 0.0]], time_limit=1e-9).fit(X, y)
    assert clf.stop_reason_ == "time"
    assert clf.votes_.tenure.tolist() == [3]


# Several classes


@pytest.mark.parametrize("form", ["worst", "uniform"])
def test_regions_are_convex(form):
    """Between two points of a class lie points of that class: exactly, since whole numbers and their halves are exact."""
    X, y = noise(4, n=30, d=2, classes=4)
    clf = Perceptron(6.0, multiclass=form, keep="pocket", max_iter=3, random_state=0).fit(X, y)
    rng = np.random.default_rng(0)
    ends = rng.integers(-20, 21, (2, 3000, 2)).astype(float)
    named = [clf.predict(points) for points in ends]
    same = named[0] == named[1]
    assert len(np.unique(named[0][same])) > 2
    for part in (0.25, 0.5, 0.875):
        between = clf.predict(part * ends[0] + (1 - part) * ends[1])
        np.testing.assert_array_equal(between[same], named[0][same])


# Bits

FITS = """
import json
import warnings

import numpy as np

from novikoff import Perceptron

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X, y = rng.normal(size=(300, 40)), rng.integers(0, 2, 300)
bits = []
for order, batch, keep in (("shuffle", 1, "average"), ("blocks", 7, "last"), ("random", 1, "ratchet"), ("auto", "all", "vote")):
    clf = Perceptron(0.1, order=order, batch_size=batch, keep=keep, init="random", max_iter=3, random_state=5).fit(X, y)
    bits.append([value.hex() for value in [*clf.coef_[0].tolist(), *clf.intercept_.tolist()]])
print(json.dumps(bits))
"""


@pytest.mark.skipif(JIT_OFF, reason="threads are those of compiled kernels")
def test_same_seed_same_bits_in_any_process():
    """Whatever the number of threads."""
    printed = []
    for threads in ("1", "2"):
        env = os.environ | {"NUMBA_NUM_THREADS": threads, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        run = subprocess.run([sys.executable, "-c", FITS], env=env, capture_output=True, text=True, check=True)
        printed.append(json.loads(run.stdout))
    assert printed[0] == printed[1]


@pytest.mark.parametrize("order", ORDERS)
def test_same_seed_same_bits(order):
    X, y = np.random.default_rng(0).normal(size=(50, 4)), np.arange(50) % 2
    first, again = (stacked(Perceptron(order=order, max_iter=5, random_state=9).fit(X, y)) for _ in range(2))
    assert first.tobytes() == again.tobytes()


SENSIBLE = [
    *((order, 1, keep) for order in ORDERS for keep in ("last", "average", "vote", "pocket")),
    *(("random", 1, keep) for keep in ("run", "ratchet")),
    *((order, 3, keep) for order in ORDERS[:-1] for keep in ("last", "average")),
    *(("auto", "all", keep) for keep in ("last", "average", "vote", "pocket")),
]


@pytest.mark.parametrize(("order", "batch", "keep"), SENSIBLE)
def test_weight_zero_is_as_if_not_there(order, batch, keep):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
    weight = np.where(rng.random(60) < 0.3, 0, rng.uniform(0.5, 2, 60))
    there = weight > 0
    X[~there] *= 100  # were they seen, they would show
    clf = Perceptron(order=order, batch_size=batch, keep=keep, intercept_scaling="radius", max_iter=4, random_state=1)
    with_them = clf.fit(X, y, weight)
    bits, told = stacked(with_them).tobytes(), (with_them.n_mistakes_, with_them.n_errors_, with_them.stop_reason_)
    without = clf.fit(X[there], y[there], weight[there])
    assert stacked(without).tobytes() == bits
    assert (without.n_mistakes_, without.n_errors_, without.stop_reason_) == told


def test_weight_zero_leaves_sparse_blocks_alone():
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.normal(size=(640, 600)))
    empty, y = sparse.csr_array((640, 600)), rng.integers(0, 2, 640)
    clf = Perceptron(order="blocks", max_iter=1, random_state=0)
    bits = stacked(clf.fit(X, y)).tobytes()
    weight = np.repeat([1.0, 0.0], 640)
    clf.fit(sparse.csr_array(sparse.vstack([X, empty])), np.concatenate([y, y]), weight)
    assert stacked(clf).tobytes() == bits


@pytest.mark.parametrize("keep", ["last", "average", "vote", "pocket"])
@pytest.mark.parametrize("classes", [2, 3])
def test_whole_weights_are_repetition_in_full_batches(classes, keep):
    X, y = noise(5, classes=classes)
    weight = np.random.default_rng(5).integers(1, 4, len(X))
    clf = Perceptron(batch_size="all", keep=keep, max_iter=6)
    weighted = stacked(clf.fit(X, y, weight))
    repeated = stacked(clf.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)))
    np.testing.assert_array_equal(weighted, repeated)


@pytest.mark.parametrize("order", ORDERS)
def test_dense_equals_sparse(order):
    X, y = noise(6)
    clf = Perceptron(order=order, keep="average", max_iter=5, random_state=2)
    dense, told = stacked(clf.fit(X, y)), clf.n_mistakes_
    np.testing.assert_array_equal(stacked(clf.fit(sparse.csr_array(X), y)), dense)
    assert clf.n_mistakes_ == told


# Cycles


def inseparable(seed, d=2):
    """Small whole numbers, a point of class 1 halfway between two of class 0."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(-2, 3, (2, d)) * 2.0
    others = rng.integers(-3, 4, (int(rng.integers(0, 5)), d)).astype(float)
    X = np.vstack([ends, ends.mean(axis=0), others])
    target = np.array([0, 0, 1, *rng.integers(0, 2, len(others))])
    mixed = rng.permutation(len(X))
    return X[mixed], target[mixed]


def exact_sums(cycle, X):
    """sum_i g_i (x_i, 1) for every output, in fractions."""
    sums = []
    for output in cycle.steps.T.tolist():
        columns = [*X[cycle.rows].T.tolist(), [1.0] * len(cycle.rows)]
        sums += [sum(Fraction(g) * Fraction(v) for g, v in zip(output, column, strict=True)) for column in columns]
    return sums


@pytest.mark.parametrize("order", ["cyclic", "alternate"])
@pytest.mark.parametrize("batch", [1, 2])
def test_cycles_prove_inseparability(order, batch):
    for seed in range(25):
        X, y = inseparable(seed) if seed else XOR
        clf = Perceptron(order=order, batch_size=batch, max_iter=100_000, min_progress=None).fit(X, y)
        assert clf.stop_reason_ == "cycle"
        assert clf.cycle_.proves_inseparable
        assert np.all(clf.cycle_.steps[:, 0] * np.where(y[clf.cycle_.rows] == 1, 1, -1) > 0)
        assert len(clf.cycle_.rows) > 0
        assert not any(exact_sums(clf.cycle_, X))


@pytest.mark.parametrize("form", ["worst", "uniform"])
def test_cycles_of_several_classes_prove_inseparability(form):
    for seed in range(10):
        X, y = inseparable(seed)
        X, y = np.vstack([X, [[9.0, 9.0]]]), np.append(y, 2)
        clf = Perceptron(order="cyclic", multiclass=form, max_iter=100_000, min_progress=None).fit(X, y)
        cycle = clf.cycle_
        own = np.arange(3) == y[cycle.rows][:, None]
        assert clf.stop_reason_ == "cycle"
        assert cycle.proves_inseparable
        assert np.all(cycle.steps[~own] <= 0)
        assert np.all(cycle.steps[own] > 0)
        assert not np.any(cycle.steps.sum(axis=1))
        assert not any(exact_sums(cycle, X))


def test_weights_count_in_the_proof():
    X, y = XOR
    clf = Perceptron(order="cyclic", max_iter=100_000).fit(X, y, sample_weight=[1, 2, 3, 1])
    assert clf.cycle_.proves_inseparable
    assert not any(exact_sums(clf.cycle_, X))


def test_rounded_arithmetic_proves_only_what_is_exactly_zero():
    """Tenths are not exact: weights recur, but mostly the steps do not add up to zero."""
    claims = []
    for seed in range(60):
        X, y = inseparable(seed)
        X = X / 10
        clf = Perceptron(0.1, order="cyclic", max_iter=1000).fit(X, y)
        if clf.stop_reason_ == "cycle":
            claims.append(clf.cycle_.proves_inseparable)
            assert claims[-1] == (not any(exact_sums(clf.cycle_, X)))
    assert False in claims
    assert True in claims


def test_a_bias_that_does_not_add_up_proves_nothing():
    """Three times 0.1 is not 0.3, though the difference may be lost to rounding on the way."""
    X, y = np.zeros((3, 1)), np.array([1, 1, 0])
    clf = Perceptron(order="cyclic").fit(X, y, sample_weight=[0.1, 0.1, 0.3])
    assert clf.stop_reason_ == "cycle"
    assert any(exact_sums(clf.cycle_, X))
    assert not clf.cycle_.proves_inseparable


def test_steps_lost_to_rounding_prove_nothing():
    """Weights so large that a step does not change them recur at once, though the classes are separable."""
    clf = Perceptron(order="cyclic", init=[[1e20]], fit_intercept=False).fit([[1.0], [-1.0]], [0, 1])
    assert clf.stop_reason_ == "cycle"
    assert not clf.cycle_.proves_inseparable


def test_steps_too_small_to_be_numbers_prove_nothing():
    X, y = np.array([[1.0], [2.0], [-1.0], [-2.0]], dtype=np.float32), [1, 1, 0, 0]
    clf = Perceptron(1e-60, order="cyclic").fit(X, y)
    assert not hasattr(clf, "cycle_") or not clf.cycle_.proves_inseparable


@examples
@given(seed=st.integers(0, 10**6), order=st.sampled_from(("cyclic", "alternate", "worst")))
def test_separable_data_never_cycle(seed, order):
    X, y, _ = planted(seed)
    clf = Perceptron(order=order, max_iter=10**6).fit(X, y)
    assert clf.stop_reason_ == "separated"
    assert not hasattr(clf, "cycle_")


# Stops

STOPS = {
    "separated": ({}, ([[0.0], [1.0]], [0, 1])),
    "stable": ({"eta": 1e-3, "tol": 1.0, "order": "shuffle"}, XOR),
    "cycle": ({"order": "cyclic"}, XOR),
    "no_improvement": ({"early_stopping": True, "validation_fraction": 0.3}, noise(0, n=60)),
    "budget": ({"max_iter": 3}, XOR),
    "time": ({"time_limit": 1e-9}, XOR),
}


@pytest.mark.parametrize("reason", STOPS)
def test_every_stop_is_reached(reason):
    choices, (X, y) = STOPS[reason]
    clf = Perceptron(**choices, random_state=0).fit(X, y)
    assert clf.stop_reason_ == reason
    assert clf.n_iter_ == len(clf.history_["mistakes"])


def test_stable_is_the_first_pass_that_moves_the_weights_less_than_tol():
    X, y = noise(0, n=20)
    stopped = Perceptron(0.1, tol=0.5, random_state=0).fit(X, y)
    assert stopped.stop_reason_ == "stable"
    path = [np.zeros((1, 4))]
    path += [stacked(Perceptron(0.1, max_iter=n + 1, random_state=0).fit(X, y)) for n in range(stopped.n_iter_)]
    moved = np.linalg.norm(np.diff(path, axis=0), axis=(1, 2))
    assert (moved < 0.5).tolist() == [False] * (stopped.n_iter_ - 1) + [True]


@pytest.mark.parametrize("patience", [1, 4])
def test_no_improvement_waits_as_long_as_told(patience):
    X, y = noise(0, n=60)
    clf = Perceptron(early_stopping=True, n_iter_no_change=patience, random_state=0).fit(X, y)
    scores = clf.history_["held_out_score"]
    assert clf.stop_reason_ == "no_improvement"
    assert len(scores) == np.argmax(scores) + 1 + patience


def test_separated_is_checked_where_rows_are_drawn_at_random():
    """One pass of three draws misses the bad row in eight of 27 cases."""
    X, y = [[1.0], [-1.0], [-2.0]], [1, 0, 1]
    runs = [Perceptron(order="random", init=[[1.0, 0.0]], max_iter=1, random_state=s).fit(X, y) for s in range(60)]
    assert any(clf.n_mistakes_ == 0 for clf in runs)
    assert all(clf.stop_reason_ == "budget" for clf in runs if clf.n_mistakes_ == 0)


@examples
@given(seed=st.integers(0, 10**6), order=st.sampled_from(ORDERS), classes=st.sampled_from((2, 3)))
def test_separated_means_that_every_row_is_clearly_right(seed, order, classes):
    X, y = noise(seed, n=2 * classes, d=2, classes=classes)
    clf = Perceptron(order=order, max_iter=50, random_state=0).fit(X, y)
    scores = X @ clf.coef_.T + clf.intercept_
    assert (least_lead(scores, y) > 0) >= (clf.stop_reason_ == "separated")


SENSELESS = [
    ({"keep": "run", "order": "cyclic"}, "order='random' or 'auto'"),
    ({"keep": "ratchet", "order": "shuffle"}, "order='random' or 'auto'"),
    ({"keep": "run", "batch_size": 2}, "batch_size=1"),
    ({"keep": "ratchet", "batch_size": "all"}, "batch_size=1"),
    ({"batch_size": "all", "order": "shuffle"}, "order='auto' or 'cyclic'"),
    ({"batch_size": 2, "order": "worst"}, "batch_size=1"),
    ({"init": np.zeros((2, 2))}, "shape"),
    ({"init": [[np.nan, 0.0]]}, "NaN"),
    ({"init": [[0.0, 0.0, 1.0]], "fit_intercept": False}, "fit_intercept=False"),
    ({"class_weight": {0: -1.0, 1: 1.0}}, "negative"),
]


@pytest.mark.parametrize(("choices", "hint"), SENSELESS)
def test_senseless_choices_are_refused_with_a_reason(choices, hint):
    with pytest.raises(ValueError, match=hint):
        Perceptron(**choices).fit(*XOR)


@pytest.mark.parametrize("weight", [[1.0, 1.0, -1.0, 1.0], [0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]])
def test_senseless_weights_are_refused(weight):
    """Negative, all zero, or nothing left of a class."""
    with pytest.raises(ValueError, match=r"[Nn]egative|zero|one class"):
        Perceptron().fit(*XOR, weight)


@pytest.mark.parametrize("keep", ["pocket", "ratchet"])
def test_streams_refuse_keeps_that_need_all_rows(keep):
    clf = Perceptron(keep=keep).fit(*XOR)
    with pytest.raises((ValueError, AttributeError), match="partial_fit"):
        clf.partial_fit(*XOR)


# Orders


@settings(max_examples=40)
@given(
    name=st.sampled_from(ORDERS),
    labels=st.lists(st.integers(0, 3), min_size=1, max_size=300),
    row_bytes=st.sampled_from((0.0, 40.0, 1e4, 1e6)),
)
def test_orders_go_through_all_members(name, labels, row_bytes):
    target = np.array([*labels, 0], dtype=np.int32)
    members = np.flatnonzero(np.arange(len(target)) % 5 != 1)
    next_pass = make_order(name, members, target, row_bytes, np.random.default_rng(0))
    for _ in range(3):
        order, ahead = next_pass()
        assert order.size == members.size
        assert set(order) <= set(members)
        assert set(ahead) <= set(members)
        if name != "random":
            assert sorted(order) == members.tolist()
        if name == "cyclic":
            assert order.tolist() == members.tolist()
        if name == "alternate":
            assert order.tolist() == in_turn(members, target)


def in_turn(members, target):
    """Take the first row of each class that has any left, again and again."""
    queues = [[i for i in members if target[i] == k] for k in range(4)]
    order = []
    while any(queues):
        order += [queue.pop(0) for queue in queues if queue]
    return order


@pytest.mark.parametrize("name", ["shuffle", "blocks"])
def test_every_place_is_reached_from_every_place(name):
    """Over many passes each row comes at each place about equally often: a chi-square far from any alarm."""
    n, passes = 12, 6000
    next_pass = make_order(name, np.arange(n), np.zeros(n, dtype=np.int32), 1.0, np.random.default_rng(1))
    counts = np.zeros((n, n))
    for _ in range(passes):
        counts[np.arange(n), next_pass()[0]] += 1
    expected = passes / n
    assert np.square(counts - expected).sum() / expected < (n - 1) ** 2 + 6 * np.sqrt(2 * (n - 1) ** 2)


def test_blocks_mix_classes_that_lie_apart():
    """Rows sorted by class: in every stretch of a pass both classes come."""
    target = (np.arange(6400) >= 3200).astype(np.int32)
    next_pass = make_order("blocks", np.arange(6400), target, 80.0, np.random.default_rng(0))
    for _ in range(5):
        order, _ = next_pass()
        shares = target[order].reshape(-1, 1600).mean(axis=1)
        assert np.all((shares > 0.1) & (shares < 0.9))


@pytest.mark.skipif(JIT_OFF, reason="slow without compilation")
def test_blocks_learn_nearly_as_well_as_shuffles_on_sorted_classes():
    made = {}
    for order in ("shuffle", "blocks"):
        fits = [Perceptron(order=order, max_iter=10, random_state=s).fit(*blobs(s)) for s in range(8)]
        made[order] = sum(clf.n_mistakes_ for clf in fits)
    assert made["blocks"] <= 1.2 * made["shuffle"]
