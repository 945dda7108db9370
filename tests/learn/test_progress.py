"""Stops for lack of progress, proofs that no progress can be made, and which weights are handed back then."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from novikoff import (
    ALMAClassifier,
    HingeSGD,
    KernelPerceptron,
    PassiveAggressiveClassifier,
    Perceptron,
    passes_curve,
    separability,
)
from novikoff.compiled.jit import compiling
from novikoff.learn.keeps import Auto, Average, Last, meant
from novikoff.learn.learning import Learning, LoopState
from novikoff.learn.stops import ENOUGH_WORK, WORK_OF_A_PASS, NoProgress

MARGINS = 0.1, 0.03, 0.01


def planted(margin, seed, shift=0.0):
    """200 rows of 5 features, each at least ``margin`` away from a plane through the origin, all moved by ``shift``."""
    rng = np.random.default_rng([seed, int(1000 * margin)])
    w = rng.normal(size=5)
    w /= np.linalg.norm(w)
    X = rng.normal(size=(2000, 5))
    X = X[np.abs(X @ w) >= margin][:200]
    return X + shift * rng.normal(size=5), X @ w > 0


def overlapping(rng, rows=300, features=4, classes=2):
    return rng.normal(size=(rows, features)), np.arange(rows) % classes


@pytest.mark.parametrize("margin", MARGINS)
def test_separable_rows_are_separated(margin):
    """However few mistakes fewer a pass makes: where no progress is seen, a proof says that mistakes will end."""
    for seed in range(4):
        assert Perceptron(random_state=seed).fit(*planted(margin, seed)).stop_reason_ == "separated"


@pytest.mark.parametrize("margin", MARGINS)
def test_no_separable_rows_are_left_unseparated_silently(margin):
    for seed in range(3):
        X, y = planted(margin, seed, shift=10.0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            clf = Perceptron(max_iter=300, random_state=seed).fit(X, y)
        assert (clf.stop_reason_ == "separated") != bool(caught)
        if hasattr(clf, "proof_") and caught:
            assert clf.proof_.separable
            assert "Some weights do separate" in str(caught[0].message)


@pytest.mark.parametrize("form", ["worst", "uniform", "ovr"])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_inseparable_comes_with_its_proof(form, convert, rng):
    X, y = overlapping(rng, rows=60, features=2, classes=3 if form != "worst" else 2)
    with pytest.warns(ConvergenceWarning, match=r"see proof_"):
        clf = Perceptron(multiclass=form, random_state=0).fit(convert(X), y)
    assert (clf.stop_reason_, clf.keep_, clf.proof_.separable) == ("inseparable", "average", False)
    if form != "ovr":
        assert clf.proof_.verify(X, y)
        assert clf.proof_.kind == separability(X, y).kind
    else:
        assert any(clf.proof_.verify(X, y == k) for k in range(3))


def test_all_has_no_theorem_and_asks_for_no_proof(rng):
    X, y = overlapping(rng, rows=60, features=2, classes=3)
    clf = Perceptron(multiclass="all", random_state=0).fit(X, y)
    assert clf.stop_reason_ == "no_progress"
    assert not hasattr(clf, "proof_")


def test_rounded_numbers_prove_nothing(rng):
    X, y = overlapping(rng, rows=60, features=2)
    X = X.astype(object)
    X[0, 0] = 2**53 + 1
    clf = Perceptron(random_state=0).fit(X, y)
    assert clf.stop_reason_ == "no_progress"
    assert not hasattr(clf, "proof_")


def test_many_rows_are_not_asked_about(rng):
    clf = Perceptron(random_state=0).fit(*overlapping(rng, rows=2000, features=30))
    assert clf.stop_reason_ == "no_progress"
    assert clf.n_iter_ < 100


def test_none_is_the_algorithm_as_written(rng):
    X, y = overlapping(rng)
    clf = Perceptron(min_progress=None, max_iter=150, random_state=0).fit(X, y)
    assert (clf.stop_reason_, clf.n_iter_) == ("budget", 150)


@pytest.mark.parametrize(
    "learner", [Perceptron, PassiveAggressiveClassifier, HingeSGD, ALMAClassifier, KernelPerceptron]
)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_progress_has_no_scale(learner, scale, rng):
    """Neither has the share of mistakes, nor that of a loss; where a learner has a scale, it is asked of its own rows twice."""
    X, y = overlapping(rng)
    choice = {"intercept_scaling": scale} if learner is Perceptron else {}
    fits = [learner(max_iter=300, random_state=0, **choice).fit(X * scale, y) for _ in range(2)]
    assert np.array_equal(fits[0].intercept_, fits[1].intercept_)
    if learner is Perceptron:
        one = Perceptron(max_iter=300, random_state=0).fit(X, y)
        assert (one.n_iter_, one.n_mistakes_) == (fits[0].n_iter_, fits[0].n_mistakes_)


class Bare:
    """As much of a learning as a stop looks at."""

    def __init__(self, work):
        self.history, self._work = {}, work
        self.machine = self
        self.work, self.rows = 0.0, 1.0
        self.form, self.by_loss = None, True

    def passed(self, stop, value):
        self.work += self._work
        stop.note(self, {"progressive_loss": [value]})
        return stop.applies(self)


def twin(values, least, patience):
    """The pass after which none of the last ``patience`` ones was better than the last that was better, by that share."""
    since, best = 0, np.inf
    for number, value in enumerate(values):
        better = value < best * (1 - least)
        since, best = (0, value) if better else (since + 1, best)
        if since >= patience and value <= values[0]:  # else it leads away
            return number
    return None


@given(st.lists(st.floats(0.1, 2.0), max_size=30), st.sampled_from([1e-3, 0.1]), st.integers(1, 4), st.integers(0, 30))
def test_no_progress_is_its_twin_and_goes_on_from_a_history(values, least, patience, cut):
    """The same pass ends learning that was interrupted after some passes."""
    applied = []
    for first in (0, min(cut, len(values))):
        stop, learning = NoProgress(least, patience), Bare(ENOUGH_WORK)
        learning.history = {"progressive_loss": values[:first]}
        stop.begin(learning)
        later = range(first, len(values))
        applied.append(next((n for n in later if learning.passed(stop, values[n])), None))
    expected = twin(values, least, patience)
    assert applied[0] == expected
    if expected is None or expected >= min(cut, len(values)):
        assert applied[1] == expected


def test_tiny_passes_must_add_up():
    stop, learning = NoProgress(1e-3, 2), Bare(0.0)
    stop.begin(learning)
    assert not learning.passed(stop, 1.0)
    passes = 1
    while not learning.passed(stop, 1.0):
        passes += 1
    assert passes == ENOUGH_WORK / WORK_OF_A_PASS  # since the first, which is better than none


def test_early_stopping_has_its_own_patience(rng):
    X, y = overlapping(rng)
    clf = Perceptron(early_stopping=True, n_iter_no_change=40, max_iter=40, random_state=0).fit(X, y)
    assert (clf.stop_reason_, clf.n_iter_) == ("budget", 40)


def test_order_worst_counts_looks(rng):
    """A pass is one row there: as many as there are rows count as one."""
    X, y = overlapping(rng, rows=10, features=2)
    clf = Perceptron(order="worst", max_iter=10_000, n_iter_no_change=3).fit(X, y)
    assert clf.stop_reason_ == "inseparable"
    assert clf.n_iter_ >= 10 * (3 + 1)


# Which weights are handed back


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("learner", [Perceptron, PassiveAggressiveClassifier, ALMAClassifier, KernelPerceptron])
def test_auto_is_the_average_unless_it_separates(learner, classes, convert, rng):
    X, y = overlapping(rng, classes=classes)
    for rows in (X, X + 20 * np.eye(4)[y]):
        auto = learner(max_iter=30, random_state=0).fit(convert(rows), y)
        assert auto.keep_ == ("last" if auto.stop_reason_ == "separated" else "average")
        same = learner(keep=auto.keep_, max_iter=30, random_state=0).fit(convert(rows), y)
        assert auto.stop_reason_ == same.stop_reason_
        assert np.array_equal(auto.decision_function(rows), same.decision_function(rows))
        assert auto.n_errors_ == same.n_errors_
    assert auto.keep_ == "last" or learner is not Perceptron


@pytest.mark.parametrize("learner", [Perceptron, PassiveAggressiveClassifier, HingeSGD, KernelPerceptron])
def test_auto_averages_a_stream(learner, rng):
    X, y = overlapping(rng)
    auto, average = learner(), learner(keep="average")
    for rows in np.array_split(np.arange(300), 7):
        for clf in (auto, average):
            clf.partial_fit(X[rows], y[rows], classes=[0, 1])
    assert (auto.keep_, auto.stop_reason_) == ("average", None)
    assert np.array_equal(auto.decision_function(X), average.decision_function(X))


def test_auto_hands_back_the_last_weights_of_whole_batches(rng):
    X, y = overlapping(rng)
    auto, last = (Perceptron(keep=keep, batch_size="all", max_iter=7).fit(X, y) for keep in ("auto", "last"))
    assert auto.keep_ == "last"
    assert np.array_equal(auto.coef_, last.coef_)


def test_early_stopping_judges_the_average(rng):
    X, y = overlapping(rng)
    auto, average = (
        Perceptron(keep=keep, early_stopping=True, max_iter=12, random_state=0).fit(X, y)
        for keep in ("auto", "average")
    )
    assert np.array_equal(auto.history_["held_out_score"], average.history_["held_out_score"])
    auto = Perceptron(early_stopping=True, max_iter=50, random_state=0).fit(X + 20 * np.eye(4)[y], y)
    assert (auto.stop_reason_, auto.keep_) == ("separated", "last")


def test_a_bounded_support_has_no_average(rng):
    clf = KernelPerceptron(budget=10, max_iter=2, random_state=0).fit(*overlapping(rng))
    assert clf.keep_ == "last"


def test_which_keep_is_meant():
    keep = Auto(1)
    for ended in ("separated", "stable", "solved"):
        assert type(meant(keep, ended)) is Last
    for ended in ("", "budget", "time", "callback", "interrupted", "cycle", "no_progress", "inseparable"):
        assert type(meant(keep, ended)) is Average
    assert type(meant(Auto("all"), "budget")) is Last
    assert meant(average := Average(), "separated") is average


def test_curves_make_all_their_passes(rng):
    curve = passes_curve(Perceptron(), *overlapping(rng, rows=1000, features=40), passes=60, random_state=0)
    assert {stop.reason for stop in curve.stopped} == {"budget"}


def test_rows_that_take_no_part_are_not_proved_about(rng):
    """A proof would name rows by other numbers."""
    X, y = overlapping(rng, rows=60, features=2)
    clf = Perceptron(random_state=0).fit(X, y, sample_weight=np.arange(60) > 0)
    assert clf.stop_reason_ == "no_progress"
    assert not hasattr(clf, "proof_")


# Several passes in one call of a kernel


def told(learner, X, y, **fit):
    """Weights, history without seconds, and the random numbers that come next."""
    generator = np.random.RandomState(7)
    clf = learner.set_params(random_state=generator)
    try:
        clf.fit(X, y, **fit)
    except OverflowError as error:
        return str(error)
    history = {name: list(values) for name, values in clf.history_.items() if name != "seconds"}
    return (
        clf.coef_.tolist(),
        clf.intercept_.tolist(),
        history,
        clf.n_iter_,
        clf.stop_reason_,
        clf.keep_,
        generator.rand(),
    )


# Not all pairs of rule and rows: each is a compilation of some seconds.
MADE_AT_ONCE = [
    (Perceptron, np.float64, np.asarray),
    (HingeSGD, np.float32, np.asarray),
    (PassiveAggressiveClassifier, np.float64, sparse.csr_array),
]


@given(st.data())
def test_passes_made_at_once_are_single_passes(data):
    """With a time limit, however long, passes are made one by one."""
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    classes = data.draw(st.sampled_from([2, 3]))
    X = rng.normal(size=(data.draw(st.integers(4, 40)), data.draw(st.integers(1, 4))))
    y = rng.integers(0, classes, len(X)) if data.draw(st.booleans()) else (X[:, 0] > 0).astype(int)
    y[:classes] = range(classes)
    kind, dtype, convert = data.draw(st.sampled_from(MADE_AT_ONCE))
    choices = {
        "keep": data.draw(st.sampled_from(["auto", "last", "average"])),
        "max_iter": data.draw(st.integers(1, 200)),
        "batch_size": data.draw(st.sampled_from([1, 3])),
    }
    weight = {"sample_weight": rng.uniform(0.5, 2.0, len(X))} if data.draw(st.booleans()) else {}
    X = convert(
        (X * data.draw(st.sampled_from([1.0, 1e25]))).astype(dtype)
    )  # squares of the larger overflow as float32
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = [told(kind(**choices, time_limit=limit), X, y, **weight) for limit in (None, 1e6)]
    assert results[0] == results[1]


def test_many_passes_are_made_at_once(monkeypatch, rng):
    """Else the test above would compare nothing."""
    made = []
    whole = Learning.make_passes
    monkeypatch.setattr(Learning, "make_passes", lambda self, most: (made.append(most), whole(self, most)))
    X, y = overlapping(rng)
    with compiling():
        HingeSGD(max_iter=1).fit(X, y)  # while there is no machine code, the first calls are of one pass
        made.clear()
        clf = HingeSGD(max_iter=100, min_progress=None, random_state=0).fit(X, y)
    assert clf.n_iter_ == 100
    assert made == [100]


def test_an_interrupted_call_keeps_its_passes(monkeypatch, rng):
    """Ctrl-C while a kernel runs is heard when it returns."""
    whole = LoopState.passes

    def interrupted(self, order, records):
        whole(self, order, records)
        raise KeyboardInterrupt

    monkeypatch.setattr(LoopState, "passes", interrupted)
    clf = HingeSGD(max_iter=50, min_progress=None, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(*overlapping(rng))
    assert (clf.n_iter_, clf.stop_reason_, len(clf.history_["norm"])) == (50, "interrupted", 50)
