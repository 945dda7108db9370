"""What a fit says of itself: history, losses, norms, held-out scores, and that it never mixes two fits."""

import gc
import warnings
import weakref

import numpy as np
import pytest
from scipy import sparse
from sklearn.callback import ScoringMonitor
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from threadpoolctl import threadpool_limits

from common import JIT_OFF
from novikoff import Perceptron
from novikoff.learn.keeps import Votes
from novikoff.learn.learning import hold_out


@pytest.fixture
def X(rng):
    return rng.normal(size=(80, 3))


@pytest.fixture
def Y(rng):
    return rng.permutation(80) % 4


def own_loss(form, target, scores):
    """The loss of one sample, written from the definition of the rule."""
    if form == "binary":
        return max(0.0, -scores[0] if target == 1 else scores[0])
    leads = [s - scores[target] for k, s in enumerate(scores) if k != target and s >= scores[target]]
    if form == "ovr":
        return sum(max(0.0, -s if k == target else s) for k, s in enumerate(scores))
    if not leads:
        return 0.0
    return {"worst": max(leads), "all": sum(leads), "uniform": sum(leads) / len(leads)}[form]


def own_margin(form, target, scores):
    if form == "binary":
        return scores[0] if target == 1 else -scores[0]
    if form == "ovr":
        return min(s if k == target else -s for k, s in enumerate(scores))
    return scores[target] - max(s for k, s in enumerate(scores) if k != target)


@pytest.mark.parametrize("form", ["binary", "worst", "all", "uniform", "ovr"])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
@pytest.mark.plain_python
def test_full_history(form, convert, X, Y, rng):
    if convert is sparse.csr_array and form not in ("binary", "worst") and not JIT_OFF:
        pytest.skip("needs kernels of its own, each a compilation of some seconds")
    target = Y % 2 if form == "binary" else Y
    weight = rng.integers(1, 4, 80).astype(float)
    multiclass = "worst" if form == "binary" else form
    clf = Perceptron(
        multiclass=multiclass, history="full", keep="last", max_iter=1, order="cyclic", intercept_scaling=2.0
    )
    clf.fit(convert(X), target, sample_weight=weight)
    scores = np.atleast_2d(clf.decision_function(X).T).T
    losses = np.array([own_loss(form, t, s) for t, s in zip(target, scores, strict=True)])
    margins = [own_margin(form, t, s) for t, s in zip(target, scores, strict=True)]
    history = clf.history_
    assert np.isclose(history["loss"][0], weight @ losses / weight.sum())
    assert np.isclose(history["smallest_margin"][0], min(margins))
    assert history["errors"][0] == weight[clf.predict(X) != target].sum()
    assert clf.n_errors_ == np.count_nonzero(clf.predict(X) != target)
    assert np.isclose(history["norm"][0], np.hypot(np.linalg.norm(clf.coef_), np.linalg.norm(clf.intercept_ / 2.0)))
    assert len({len(values) for values in history.values()}) == 1


@pytest.mark.parametrize(("tol", "reason"), [(10.5, "stable"), (9.5, "budget")])
def test_stable_measures_the_bias_as_the_weight_of_its_feature(tol, reason):
    clf = Perceptron(keep="last", intercept_scaling=10.0, max_iter=1, init=[[0.0, 150.0]], tol=tol)
    clf.fit([[0.0], [0.0]], [0, 1])  # one mistake: the bias moves by c^2 = 100, which is c = 10 of its feature's weight
    assert clf.intercept_.tolist() == [50.0]
    assert clf.stop_reason_ == reason


def test_held_out_scores_are_weighted(X, Y, monkeypatch):
    weight = np.where(Y == 0, 50.0, 1.0)
    seen = []

    def spy(*given):
        learn, held_out = hold_out(*given)
        seen.append(held_out)
        return learn, held_out

    monkeypatch.setattr("novikoff.learn.learning.hold_out", spy)
    clf = Perceptron(early_stopping=True, validation_fraction=0.3, max_iter=1, random_state=0).fit(
        X, Y, sample_weight=weight
    )
    apart = seen[0]
    right = clf.predict(X[apart]) == Y[apart]
    assert np.isclose(clf.history_["held_out_score"][0], weight[apart] @ right / weight[apart].sum())
    everyone = np.setdiff1d(np.arange(80), apart)
    assert clf.n_errors_ == np.count_nonzero(clf.predict(X[everyone]) != Y[everyone])


@pytest.mark.parametrize(
    "choice", [{"early_stopping": True}, {"time_limit": 1e-9}, {"order": "random"}, {"batch_size": 7}]
)
@pytest.mark.parametrize("row", [0, 40, 79])
def test_no_bad_value_hides(choice, row, X, Y):
    for value in (np.nan, np.inf):
        bad = X.copy()
        bad[row, 1] = value
        for convert in (np.asarray, sparse.csr_array):
            with pytest.raises(ValueError, match=f"row {row}, column 1"):
                Perceptron(random_state=0, **choice).fit(convert(bad), Y)
        with pytest.raises(ValueError, match=f"row {row}, column 1"):
            Perceptron().fit(bad, Y, sample_weight=np.where(np.arange(80) == row, 0.0, 1.0))


def test_a_refused_fit_leaves_the_learner_as_it_was(X, Y):
    clf = Perceptron(random_state=0, warm_start=True).fit(X, X[:, 0] > 0)
    before = {name: value for name, value in vars(clf).items() if name.endswith("_")}
    for rows, labels in ((np.full((80, 5), np.nan), Y), (X, Y[:5]), (X * 1e200, Y), (X, np.zeros(80))):
        with pytest.raises((ValueError, OverflowError)):
            clf.set_params(warm_start=False).fit(rows, labels)
        assert {name: value for name, value in vars(clf).items() if name.endswith("_")} == before
    assert clf.predict(X).dtype == bool
    fresh = Perceptron()
    with pytest.raises(ValueError, match="NaN"):
        fresh.fit(np.full((80, 5), np.nan), Y)
    with pytest.raises(NotFittedError):
        fresh.predict(X)


def test_a_refused_stream_call_leaves_the_learner_as_it_was(X, Y):
    clf = Perceptron(class_weight={0: 1, 1: 1, 9: 2}).partial_fit(X, Y % 2, classes=[0, 1])
    answers = clf.predict(X)
    with pytest.raises(ValueError, match="class_weight"):
        clf.partial_fit(X, Y, extend_classes=True)
    broken = sparse.csr_array(X)
    broken.indices[3] = 1000
    with pytest.raises(ValueError, match="indices"):
        clf.set_params(class_weight=None).partial_fit(broken, Y, extend_classes=True)
    with pytest.raises(ValueError, match="text"):
        clf.partial_fit(X, np.array(list("abcd"))[Y], extend_classes=True)
    assert clf.classes_.tolist() == [0, 1]
    assert np.array_equal(clf.predict(X), answers)


def test_warm_start_needs_the_same_columns(X):
    clf = Perceptron(warm_start=True, random_state=0).fit(X[:, :2], X[:, 0] > 0)
    with pytest.raises(ValueError, match="set warm_start=False"):
        clf.fit(X, X[:, 0] > 0)


def test_warm_start_without_intercept_drops_the_old_one(X):
    clf = Perceptron(warm_start=True, random_state=0).fit(X, X[:, 0] > 0.5)
    assert clf.intercept_[0] != 0
    assert clf.set_params(fit_intercept=False, max_iter=2).fit(X, X[:, 0] > 0.5).intercept_[0] == 0


def test_a_model_does_not_keep_its_data_alive(X):
    rows = X.copy()
    gone = weakref.ref(rows)
    clf = Perceptron(random_state=0).fit(rows, X[:, 0] > 0)
    del rows
    gc.collect()
    assert gone() is None
    assert clf.stop_reason_ == "separated"


def test_votes_that_tie_are_for_the_first_class():
    votes = Votes(np.zeros((10, 1, 1)), np.array([[1], [1], [1], [1], [-1], [-1], [-1], [-1], [-1], [-1.0]]), TENURES)
    clf = Perceptron(keep="vote").fit([[0.0], [1.0]], [0, 1])
    clf.votes_ = votes
    assert TENURES[:4].sum() == TENURES[4:].sum()
    assert clf.decision_function([[0.0]])[0] == 0.0
    assert clf.predict([[0.0]]).tolist() == [0]


TENURES = np.array([1.0, 1, 4, 9, 1, 1, 3, 3, 2, 5])


def test_predict_goes_by_what_was_fitted(X, Y):
    plain = Perceptron(random_state=0, max_iter=5).fit(X, Y)
    assert np.array_equal(plain.predict(X), plain.set_params(keep="vote").predict(X))
    voted = Perceptron(keep="vote", random_state=0, max_iter=5).fit(X, Y)
    assert np.array_equal(voted.decision_function(X), voted.set_params(keep="last").decision_function(X))


def test_callbacks_hear_the_users_own_labels_and_weights(X, Y):
    monitor = ScoringMonitor(scoring="accuracy")
    clf = (
        Perceptron(class_weight={0: 1, 1: 50, 2: 1, 3: 1}, max_iter=3, random_state=0).set_callbacks(monitor).fit(X, Y)
    )
    log = [entry for entry in monitor.get_logs().data if entry["task_name"] == "pass"]
    assert log[-1]["accuracy"] == clf.score(X, Y)


def test_a_callback_that_fails_leaves_the_learner_as_it_was(X, Y):
    class Fails(ScoringMonitor):
        def on_fit_task_end(self, *told, **more):
            raise OSError("no space left")

    clf = Perceptron(random_state=0).fit(X, Y)
    before = {name: value for name, value in vars(clf).items() if name.endswith("_")}
    with pytest.raises(OSError, match="no space"):
        clf.set_callbacks(Fails(scoring="accuracy")).fit(X * 2, Y)
    assert {name: value for name, value in vars(clf).items() if name.endswith("_")} == before
    assert clf.set_callbacks().fit(X, Y).n_iter_ == before["n_iter_"]


@pytest.mark.parametrize("labels", [np.array([2**63 + 5, 2**63 + 6], np.uint64), np.array([-128, 127], np.int8)])
def test_extreme_labels(labels, X):
    assert np.array_equal(Perceptron(random_state=0).fit(X, labels[(X[:, 0] > 0).astype(int)]).classes_, labels)


@pytest.mark.parametrize("scaling", [1e200, 1e-200])
def test_intercept_scaling_out_of_range(scaling, X, Y):
    with pytest.raises(ValueError, match="out of range"):
        Perceptron(intercept_scaling=scaling).fit(X, Y)
    with pytest.raises(OverflowError, match="Scale the columns"):
        Perceptron(intercept_scaling="radius").fit(X * scaling, Y)


def test_what_was_handed_back_stays(X, Y):
    clf = Perceptron().partial_fit(X, Y, classes=range(4))
    coef, intercept = clf.coef_, clf.intercept_
    copies = coef.copy(), intercept.copy()
    clf.partial_fit(X, Y)
    assert np.array_equal(coef, copies[0])
    assert np.array_equal(intercept, copies[1])


def test_parameters_changed_in_a_stream_are_checked(X, Y):
    clf = Perceptron().partial_fit(X, Y, classes=range(4))
    with pytest.raises(ValueError, match="eta"):
        clf.set_params(eta=-1.0).partial_fit(X, Y)
    with pytest.raises(ValueError, match="keep cannot change"):
        clf.set_params(eta=1.0, keep="vote").partial_fit(X, Y)
    with pytest.raises(ValueError, match="fit_intercept cannot change"):
        clf.set_params(keep="auto", fit_intercept=False).partial_fit(X, Y)
    clf.set_params(fit_intercept=True, eta=0.5).partial_fit(X, Y)


def test_radius_is_fixed_at_the_first_call():
    clf = Perceptron(keep="last", intercept_scaling="radius").partial_fit([[3.0, 4.0]], [1], classes=[0, 1])
    assert clf.intercept_.tolist() == [25.0]
    clf.partial_fit([[-30.0, -40.0]], [1])
    assert clf.intercept_.tolist() == [50.0]


def test_overflow_in_a_stream_keeps_the_counts_together(X, Y):
    clf = Perceptron().partial_fit(X, Y, classes=range(4))
    with pytest.raises(OverflowError):
        clf.partial_fit(np.vstack([X, X * 1e300]), np.tile(Y, 2))
    assert clf.history_["mistakes"].sum() == clf.n_mistakes_


@pytest.mark.parametrize("weights", [{0: 0, 1: 0, 2: 0, 3: 0}, {0: 0, 1: 0, 2: 0}])
def test_class_weights_must_leave_two_classes(weights, X, Y):
    with pytest.raises(ValueError, match="two classes"):
        Perceptron(class_weight=weights).fit(X, Y)


def test_advice_names_only_what_helps(X, Y):
    def said(**choice):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            Perceptron(random_state=0, **choice).fit(X, Y)
        return "".join(str(w.message) for w in caught if w.category is ConvergenceWarning)

    assert "keep='ratchet'" in said(max_iter=2, keep="last")
    assert "keep='ratchet'" not in said(max_iter=2, keep="average")
    assert "time_limit" not in said(max_iter=2)
    order = np.argsort(Y, kind="stable")
    with pytest.warns(ConvergenceWarning) as caught:
        Perceptron(max_iter=2, order="shuffle").fit(X[order], Y[order])
    assert "sorted" not in str(caught[0].message)


def test_a_rule_without_a_margin_is_named():
    from novikoff.compiled.jit import by_type

    @by_type
    def weigh(thing):
        """Chosen by type."""

    with pytest.raises(TypeError, match=r"int has no weigh: register one with @weigh.of\(int\)"):
        weigh(3)


def test_the_norm_does_not_depend_on_threads():
    """Sums of BLAS are added up in parts, one for each thread."""
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(40, 50_000))
    labels = rng.integers(0, 2, 40)
    norms = []
    for threads in (1, 2, 4):
        with threadpool_limits(threads):
            clf = Perceptron(order="cyclic", keep="last", max_iter=3, tol=1e-9).fit(wide, labels)
            norms.append(clf.history_["norm"].tolist())
            length = np.append(clf.coef_, clf.intercept_)
            assert norms[-1][-1] == pytest.approx(np.linalg.norm(length), rel=1e-12)
    assert norms[0] == norms[1] == norms[2]
