"""What a fit says of itself: history, losses, norms, held-out scores, and that it never mixes two fits."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from novikoff import Perceptron

RNG = np.random.default_rng(3)
X = RNG.normal(size=(80, 3))
Y = RNG.permutation(80) % 4


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
def test_full_history(form, convert):
    target = Y % 2 if form == "binary" else Y
    weight = RNG.integers(1, 4, 80).astype(float)
    multiclass = "worst" if form == "binary" else form
    clf = Perceptron(multiclass=multiclass, history="full", max_iter=1, order="cyclic", intercept_scaling=2.0)
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
    clf = Perceptron(order="shuffle", intercept_scaling=10.0, max_iter=1, init=[[0.0, 150.0]], tol=tol)
    clf.fit([[0.0], [0.0]], [0, 1])  # one mistake: the bias moves by c^2 = 100, which is c = 10 of its feature's weight
    assert clf.intercept_.tolist() == [50.0]
    assert clf.stop_reason_ == reason


def test_held_out_scores_are_weighted():
    weight = np.where(Y == 0, 50.0, 1.0)
    seen = []

    class Spy(Perceptron):
        def _split(self, members, target, rng):
            learn, held_out = super()._split(members, target, rng)
            seen.append(held_out)
            return learn, held_out

    clf = Spy(early_stopping=True, validation_fraction=0.3, max_iter=1, random_state=0).fit(X, Y, sample_weight=weight)
    apart = seen[0]
    right = clf.predict(X[apart]) == Y[apart]
    assert np.isclose(clf.history_["held_out_score"][0], weight[apart] @ right / weight[apart].sum())
    everyone = np.setdiff1d(np.arange(80), apart)
    assert clf.n_errors_ == np.count_nonzero(clf.predict(X[everyone]) != Y[everyone])


@pytest.mark.parametrize(
    "choice", [{"early_stopping": True}, {"time_limit": 1e-9}, {"order": "random"}, {"batch_size": 7}]
)
@pytest.mark.parametrize("row", [0, 40, 79])
def test_no_bad_value_hides(choice, row):
    for value in (np.nan, np.inf):
        bad = X.copy()
        bad[row, 1] = value
        for convert in (np.asarray, sparse.csr_array):
            with pytest.raises(ValueError, match=f"row {row}, column 1"):
                Perceptron(random_state=0, **choice).fit(convert(bad), Y)
        with pytest.raises(ValueError, match=f"row {row}, column 1"):
            Perceptron().fit(bad, Y, sample_weight=np.where(np.arange(80) == row, 0.0, 1.0))


def test_ovr_cycle_proves_that_one_class_cannot_be_told_from_the_rest():
    square = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1], [5, 5]])
    clf = Perceptron(order="cyclic", multiclass="ovr").fit(square, [0, 1, 1, 0, 2])
    assert clf.stop_reason_ == "cycle"
    assert clf.cycle_.proves_inseparable


def test_a_failing_fit_leaves_nothing_of_the_one_before():
    clf = Perceptron(random_state=0).fit(X, X[:, 0] > 0)
    bad = np.full((80, 5), np.nan)
    with pytest.raises(ValueError, match="NaN"):
        clf.fit(bad, Y)
    assert not hasattr(clf, "coef_")
    assert not hasattr(clf, "stop_reason_")
    clf.fit(X, X[:, 0] > 0)
    assert clf.stop_reason_ == "separated"


def test_what_was_handed_back_stays():
    clf = Perceptron().partial_fit(X, Y, classes=range(4))
    coef, intercept = clf.coef_, clf.intercept_
    copies = coef.copy(), intercept.copy()
    clf.partial_fit(X, Y)
    assert np.array_equal(coef, copies[0])
    assert np.array_equal(intercept, copies[1])


def test_parameters_changed_in_a_stream_are_checked():
    clf = Perceptron().partial_fit(X, Y, classes=range(4))
    with pytest.raises(ValueError, match="eta"):
        clf.set_params(eta=-1.0).partial_fit(X, Y)
    with pytest.raises(ValueError, match="keep cannot change"):
        clf.set_params(eta=1.0, keep="vote").partial_fit(X, Y)
    with pytest.raises(ValueError, match="fit_intercept cannot change"):
        clf.set_params(keep="last", fit_intercept=False).partial_fit(X, Y)
    clf.set_params(fit_intercept=True, eta=0.5).partial_fit(X, Y)


def test_radius_is_fixed_at_the_first_call():
    clf = Perceptron(intercept_scaling="radius").partial_fit([[3.0, 4.0]], [1], classes=[0, 1])
    assert clf.intercept_.tolist() == [25.0]
    clf.partial_fit([[-30.0, -40.0]], [1])
    assert clf.intercept_.tolist() == [50.0]


def test_overflow_in_a_stream_keeps_the_counts_together():
    clf = Perceptron().partial_fit(X, Y, classes=range(4))
    with pytest.raises(OverflowError):
        clf.partial_fit(np.vstack([X, X * 1e300]), np.tile(Y, 2))
    assert clf.history_["mistakes"].sum() == clf.n_mistakes_


@pytest.mark.parametrize("weights", [{0: 0, 1: 0, 2: 0, 3: 0}, {0: 0, 1: 0, 2: 0}])
def test_class_weights_must_leave_two_classes(weights):
    with pytest.raises(ValueError, match="two classes"):
        Perceptron(class_weight=weights).fit(X, Y)


def test_advice_names_only_what_helps():
    def said(**choice):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            Perceptron(random_state=0, **choice).fit(X, Y)
        return "".join(str(w.message) for w in caught if w.category is ConvergenceWarning)

    assert "keep='ratchet'" in said(max_iter=2)
    assert "keep='ratchet'" not in said(max_iter=2, keep="average")
    assert "time_limit" not in said(max_iter=2)
    order = np.argsort(Y, kind="stable")
    with pytest.warns(ConvergenceWarning) as caught:
        Perceptron(max_iter=2, order="shuffle").fit(X[order], Y[order])
    assert "sorted" not in str(caught[0].message)


def test_a_rule_without_a_margin_is_named():
    from novikoff.jit import by_type

    @by_type
    def weigh(thing):
        """Chosen by type."""

    with pytest.raises(TypeError, match=r"int has no weigh: register one with @weigh.of\(int\)"):
        weigh(3)
