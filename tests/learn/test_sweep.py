"""The library against its slow twin: equal to the last bit where the arithmetic is exact, close where it is not."""

from itertools import product

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from common import SEED, as_kind, constant2, members_of, outputs_of, same_passes
from novikoff import Perceptron
from novikoff.learn import forms, rules
from novikoff.learn.orders import row_numbers
from novikoff.learn.rows import as_rows, natural, public
from novikoff.learn.schedule import Schedule
from novikoff.learn.state import MISTAKES, NEVER, RIGHT_RUN, SEEN, SURVIVED, Problem, new_state
from novikoff.learn.sweep import new_records, new_scratch, sweep
from twins import Twin, target_output_step

pytestmark = pytest.mark.plain_python

FORMS = ("binary", "worst", "all", "uniform", "ovr")
KEEPS = ("last", "average", "vote", "pocket", "run", "ratchet")
ORDERS = ("cyclic", "shuffle", "blocks", "random", "alternate", "worst")
KINDS = ("dense64", "dense32", "csr64", "csr64_long", "csr32", "csr32_long")
# Each pair is a compilation of some seconds: compiled, every form and every kind, but not all pairs of them.
COMPILED = (
    ("binary", "dense64"),
    ("binary", "dense32"),
    ("binary", "csr64"),
    ("worst", "dense64"),
    ("worst", "dense32"),
    ("worst", "csr64_long"),
    ("worst", "csr32"),
    ("all", "dense64"),
    ("uniform", "dense64"),
    ("ovr", "dense64"),
)
PAIRS = tuple(product(FORMS, KINDS)) if numba.config.DISABLE_JIT else COMPILED
examples = settings(max_examples=30 if numba.config.DISABLE_JIT else 80)


@st.composite
def integer_data(draw, form):
    """Whole numbers, small enough to be exact in float32 too: rows, classes, weights (or None), first weights."""
    classes = 2 if form == "binary" else draw(st.integers(3, 3 if form == "uniform" else 4))  # halves are exact
    n, d = draw(st.integers(classes, 12)), draw(st.integers(1, 4))
    X = draw(hnp.arrays(float, (n, d), elements=st.integers(-3, 3)))
    target = np.array(
        [*range(classes), *draw(st.lists(st.integers(0, classes - 1), min_size=n - classes, max_size=n - classes))]
    )
    weight = None
    if draw(st.booleans()):
        weight = draw(hnp.arrays(float, n, elements=st.integers(0, 3)))
        weight[:classes] += 1  # every class keeps a row
    mixed = draw(st.permutations(range(n)))
    first = draw(hnp.arrays(float, (outputs_of(form, target), d + 1), elements=st.integers(-2, 2)))
    return X[mixed], target[mixed], weight if weight is None else weight[mixed], first


@st.composite
def sensible_choices(draw, form, keeps=KEEPS):
    """Parameters of a Perceptron that do not contradict each other and keep whole numbers exact."""
    keep = draw(st.sampled_from(keeps))
    order = draw(st.sampled_from(ORDERS)) if keep not in ("run", "ratchet") else "random"
    batch = draw(st.sampled_from((1, 3, "all"))) if keep not in ("run", "ratchet") and order != "worst" else 1
    return {
        "keep": keep,
        "order": order if batch != "all" else "cyclic",
        "batch_size": batch,
        "eta": draw(st.sampled_from((0.75, 6.0))),  # can be divided by 1, 2 and 3 rivals
        "fit_intercept": draw(st.booleans()),
        "intercept_scaling": draw(st.sampled_from((1, 2, "radius"))),
        "multiclass": form if form != "binary" else "worst",
        "max_iter": draw(st.integers(1, 4)),
        "max_votes": None,
        "random_state": SEED,
    }


def twin_of(clf, X, target, weight, first):
    form = "binary" if outputs_of("", target) == 2 else clf.multiclass
    c2 = constant2(X, members_of(X, weight), clf.fit_intercept, clf.intercept_scaling)
    return Twin(X, target, first, form=form, eta=clf.eta, c2=c2, weight=weight, keep=clf.keep)


def assert_same_weights(clf, twin):
    """Equal to the last bit, but for a mean over a weight that is no power of two: that is rounded."""
    ours, theirs = np.column_stack([clf.coef_, clf.intercept_]), twin.handed_back()
    if clf.keep in ("average", "vote") and np.log2(twin.seen) % 1:
        size = max(np.abs(weights).max() for weights in twin.path)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=20 * np.finfo(clf.coef_.dtype).eps * size)
    else:
        np.testing.assert_array_equal(ours, theirs)
    if clf.keep == "vote":
        assert_same_votes(clf.votes_, twin.votes(clf.max_votes))


def assert_same_votes(votes, voters):
    np.testing.assert_array_equal(votes.tenure, [survived for _, survived in voters])
    for coef, intercept, (weights, _) in zip(votes.coef, votes.intercept, voters, strict=True):
        np.testing.assert_array_equal(np.column_stack([coef, intercept]), weights)


@pytest.mark.parametrize(("form", "kind"), PAIRS)
@examples
@given(st.data())
def test_fit_equals_twin(form, kind, data):
    X, target, weight, first = data.draw(integer_data(form))
    choices = data.draw(sensible_choices(form, KEEPS))
    first[:, -1] *= choices["fit_intercept"]
    clf = Perceptron(**choices, init=first).fit(as_kind(X, kind), target, weight)
    twin = twin_of(clf, X, target, weight, first)
    assert same_passes(twin, clf) == clf.history_["mistakes"].tolist()
    assert clf.n_mistakes_ == twin.mistakes
    assert clf.coef_.dtype == (np.float32 if "32" in kind else np.float64)
    assert_same_weights(clf, twin)


@pytest.mark.parametrize("form", ["binary", "uniform"])
def test_ratchet_equals_twin(form):
    for seed in range(40):
        X, target, weight = ratchet_data(seed, 2 if form == "binary" else 3)
        first = np.zeros((outputs_of(form, target), 3))
        clf = Perceptron(6.0, keep="ratchet", order="random", multiclass="uniform", max_iter=6, random_state=SEED)
        clf.fit(X, target, weight)
        twin = twin_of(clf, X, target, weight, first)
        assert same_passes(twin, clf) == clf.history_["mistakes"].tolist()
        assert_same_weights(clf, twin)


def ratchet_data(seed, classes):
    """Rows that no weights separate, so that runs come and go."""
    rng = np.random.default_rng(seed)
    target = rng.permutation(15) % classes
    X = rng.integers(-1, 2, (15, 2)) + 2.0 * np.column_stack([target == 0, target == 1])
    return X, target, rng.integers(1, 3, 15).astype(float)


@pytest.mark.parametrize("batch", [1, 3, "all"])
@pytest.mark.parametrize(("form", "kind"), PAIRS)
def test_kernel_equals_twin_step_by_step(form, kind, batch):
    rng = np.random.default_rng(SEED)
    classes = {"binary": 2, "uniform": 3}.get(form, 4)  # two rivals share halves, which are exact
    X = rng.integers(-3, 4, (13, 3)).astype(float)
    target = (rng.permutation(13) % classes).astype(np.int32)
    weight = rng.integers(1, 4, 13).astype(float)
    first = rng.integers(-2, 3, (outputs_of(form, target), 4)).astype(float)
    twin = Twin(X, target, first, form=form, eta=6.0, c2=4.0, weight=weight)

    rows = as_rows(as_kind(X, kind), len(first))
    problem = Problem(rows, target, weight, row_numbers(13), 4.0)
    dtype = rows.values.dtype
    state = new_state(NEVER, natural(rows, first[:, :-1].astype(dtype)), first[:, -1].astype(dtype), averages=True)
    scratch = new_scratch(state.bias, 13 if batch == "all" else batch)
    tally = np.zeros((13, len(first)))
    learning = forms.FORMS[form](rules.Perceptron()), Schedule(6.0)
    for _ in range(3):
        order = row_numbers(rng.permutation(13))
        place = 0
        while place < order.size:
            reached = sweep(
                *learning, problem, state, scratch, order, order[:0], place, 1, tally, new_records(state, 0)
            )
            assert reached == min(place + len(scratch.pending_row), order.size)
            twin.step(order[place:reached])
            place = reached
            running = np.column_stack([public(rows, state.weights), state.bias])
            np.testing.assert_array_equal(running, twin.weights)
            counts = [twin.mistakes, twin.seen, twin.voters[-1][1], twin.current_run]
            assert state.counts[[MISTAKES, SEEN, SURVIVED, RIGHT_RUN]].tolist() == counts
    overcount = np.column_stack([public(rows, state.overcount), state.bias_overcount])
    np.testing.assert_array_equal(twin.seen * twin.weights - overcount, twin.total)
    np.testing.assert_array_equal(twin.weights - first, tally.T @ np.column_stack([X, np.full(13, 4.0)]))


@pytest.mark.parametrize("keep", ["last", "average", "vote", "run"])
@pytest.mark.parametrize("form", ["binary", "worst"])
def test_stream_equals_twin_after_every_call(form, keep):
    """Chunks of any length, dense and sparse by turns, some rows of weight 0; a batch is cut where a chunk ends."""
    rng = np.random.default_rng(SEED)
    classes = 2 if form == "binary" else 3
    batch = 1 if keep == "run" else 3
    X, target = rng.integers(-3, 4, (32, 4)).astype(float), rng.permutation(32) % classes
    weight = rng.integers(0, 3, 32).astype(float)
    weight[[0, 3, 11]] = 1, 0, 2  # chunks of one row
    clf = Perceptron(2.0, keep=keep, batch_size=batch, intercept_scaling=2, max_votes=None)
    twin = Twin(
        X, target, np.zeros((outputs_of(form, target), 5)), form=form, eta=2.0, c2=4.0, weight=weight, keep=keep
    )
    for number, chunk in enumerate(np.split(np.arange(32), [1, 3, 4, 11, 12, 20])):
        given = as_kind(X[chunk], ("dense64", "csr64" if form == "binary" else "csr64_long")[number % 2])
        clf.partial_fit(given, target[chunk], classes=range(classes), sample_weight=weight[chunk])
        twin.one_pass(chunk[weight[chunk] > 0], batch)
        assert clf.n_mistakes_ == twin.mistakes
        assert_same_weights(clf, twin)


@pytest.mark.parametrize("most", [1, 3, 10, None])
def test_only_the_longest_survivors_vote(most):
    rng = np.random.default_rng(SEED)
    X, target = rng.integers(-3, 4, (20, 3)).astype(float), rng.permutation(20) % 2
    clf = (
        Perceptron(keep="vote", max_votes=most, max_iter=5, random_state=SEED)
        .set_params(order="shuffle")
        .fit(X, target)
    )
    twin = twin_of(clf, X, target, None, np.zeros((1, 4)))
    same_passes(twin, clf)
    assert len(twin.votes()) > 10
    assert_same_votes(clf.votes_, twin.votes(most))


@pytest.mark.parametrize("keep", ["last", "average", "vote", "pocket", "run"])
@pytest.mark.parametrize(("form", "kind"), [pair for pair in PAIRS if "64" in pair[1]])
def test_real_numbers_come_close(form, kind, keep):
    rng = np.random.default_rng(SEED)
    classes = 2 if form == "binary" else 4
    X, target = rng.normal(size=(25, 5)), rng.permutation(25) % classes
    weight = rng.uniform(0.1, 2, 25)
    clf = Perceptron(0.3, multiclass=form if classes > 2 else "worst", keep=keep, max_iter=6, random_state=SEED)
    clf.set_params(order="random" if keep == "run" else "blocks", intercept_scaling=0.7, max_votes=None)
    clf.fit(as_kind(X, kind), target, weight)
    twin = twin_of(clf, X, target, weight, np.zeros((outputs_of(form, target), 6)))
    assert same_passes(twin, clf) == clf.history_["mistakes"].tolist()
    np.testing.assert_allclose(np.column_stack([clf.coef_, clf.intercept_]), twin.handed_back(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("batch", [1, 3, "all"])
def test_target_output_form_takes_the_same_path(batch):
    """w + eta/2 (t - o) x, with o = -t at a tie, moves as the rule that steps by eta y x on mistakes."""
    rng = np.random.default_rng(SEED)
    X, target = rng.integers(-3, 4, (10, 3)).astype(float), rng.permutation(10) % 2
    size = 10 if batch == "all" else batch
    clf = Perceptron(1.5, order="cyclic", keep="last", batch_size=batch)
    weights = np.zeros((1, 4))
    for _ in range(5):
        for start in range(0, 10, size):
            rows = np.arange(10)[start : start + size]
            weights = target_output_step(weights, X, target, rows, 1.5 / 2, 1.0)
            clf.partial_fit(X[rows], target[rows], classes=[0, 1])
            np.testing.assert_array_equal(np.column_stack([clf.coef_, clf.intercept_]), weights)
