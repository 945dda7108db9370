"""Machines with a kernel for several classes: pairs of classes are machines of their own, and vote."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, load_wine, make_classification
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from novikoff import KernelSVM, svm_kkt
from novikoff.solvers import smo
from novikoff.solvers.kernel_scores import votes_of

IRIS, SPECIES = load_iris(return_X_y=True)
WINE, GRAPE = load_wine(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[SPECIES]
OVERLAP = make_classification(
    240, 6, n_informative=4, n_redundant=0, n_classes=5, n_clusters_per_class=1, random_state=3
)
KERNELS = [{"kernel": "rbf", "gamma": 0.3}, {"kernel": "poly", "gamma": 0.1, "coef0": 1.0}, {"kernel": "linear"}]


def pairs(machine):
    return list(itertools.combinations(range(len(machine.classes_)), 2))


def of_pair(machine, y, a, b):
    """What the rows of a pair give it, from published attributes."""
    own = np.searchsorted(machine.classes_, y)[machine.support_]
    shares = np.zeros(len(y))
    shares[machine.support_] = np.where(
        own == a, machine.dual_coef_[b - 1], np.where(own == b, machine.dual_coef_[a], 0.0)
    )
    return shares


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("many", [False, True])
def test_a_pair_is_a_machine_of_two_classes(kernel, many, monkeypatch):
    X, y = OVERLAP
    monkeypatch.setattr(smo, "WHOLE", 0 if many else 5000)
    machine = KernelSVM(tol=1e-10, **kernel).fit(X, y)
    scores, objective = machine.pair_scores(X), 0.0
    assert scores.shape == (240, 10)
    assert machine.dual_coef_.shape == (4, machine.support_.size)
    assert machine.intercept_.shape == (10,)
    for p, (a, b) in enumerate(pairs(machine)):
        some = np.flatnonzero((y == a) | (y == b))
        alone = KernelSVM(tol=1e-10, **kernel).fit(X[some], y[some])
        shares = np.zeros(240)
        shares[some[alone.support_]] = alone.dual_coef_[0]
        np.testing.assert_allclose(of_pair(machine, y, a, b), shares, atol=1e-3)
        np.testing.assert_allclose(scores[:, p], alone.decision_function(X), atol=1e-3)
        assert machine.intercept_[p] == pytest.approx(alone.intercept_[0], abs=1e-3)
        objective += alone.objective_
    assert machine.objective_ == pytest.approx(objective, rel=1e-9)
    assert machine.duality_gap_ <= 1e-10
    assert machine.stop_reason_ == "solved"


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize(
    "data", [(scale(IRIS), SPECIES), (scale(WINE), GRAPE), OVERLAP], ids=["iris", "wine", "overlap"]
)
def test_pairs_score_as_those_of_libsvm(kernel, data):
    X, y = data
    ours = KernelSVM(tol=1e-9, **kernel).fit(X, y)
    theirs = SVC(tol=1e-9, decision_function_shape="ovo", break_ties=False, **kernel).fit(X, y)
    there = theirs.decision_function(X)  # positive for the first class of a pair
    np.testing.assert_allclose(-ours.pair_scores(X), there, rtol=1e-2, atol=1e-2)
    theirs.set_params(decision_function_shape="ovr", break_ties=True)
    clear = np.abs(there).min(axis=1) > 0.02
    assert clear.mean() > 0.5
    np.testing.assert_array_equal(ours.predict(X)[clear], theirs.predict(X)[clear])
    np.testing.assert_allclose(
        ours.decision_function(X)[clear], theirs.decision_function(X)[clear], rtol=1e-2, atol=1e-2
    )


def test_the_first_largest_score_is_the_answer():
    X, y = OVERLAP
    machine = KernelSVM().fit(X, y)
    scores = machine.decision_function(X)
    assert scores.shape == (240, 5)
    np.testing.assert_array_equal(machine.predict(X), machine.classes_[scores.argmax(axis=1)])
    votes = np.rint(scores)
    assert np.abs(scores - votes).max() < 0.5
    np.testing.assert_array_equal(votes.sum(axis=1), 10)
    named = KernelSVM().fit(IRIS, NAMES)
    assert np.mean(named.predict(IRIS) == NAMES) > 0.9


def test_votes():
    scores = np.array([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [1.0, -1.0, 1.0]])  # of (0, 1), (0, 2), (1, 2)
    expected = []
    for one, two, three in scores.tolist():
        sums = [-one - two, one - three, two + three]
        won = [(one <= 0) + (two <= 0), (one > 0) + (three <= 0), (two > 0) + (three > 0)]
        expected.append([v + s / (3 * (abs(s) + 1)) for v, s in zip(won, sums, strict=True)])
    np.testing.assert_allclose(votes_of(scores, 3), expected)
    assert votes_of(scores, 3).argmax(axis=1).tolist() == [
        0,
        0,
        0,
    ]  # 0, as a tie is for the first; of one vote each, all lead by 0


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("form", ["pairs", "ovr"])
@pytest.mark.parametrize("most", [5000, 100, 0])
def test_what_is_proved_holds(kernel, form, most, monkeypatch, rng):
    """All kernel values at once, those of two classes, or lines of them."""
    monkeypatch.setattr(smo, "WHOLE", most)
    X, y = OVERLAP
    weight = rng.choice([0.0, 0.5, 2.0], len(y))
    for given, rows in ((None, X), (weight, sparse.csr_array(X))):
        machine = KernelSVM(3.0, tol=1e-5, multiclass=form, **kernel).fit(rows, y, given)
        assert machine.stop_reason_ == "solved"
        missed = svm_kkt(machine, rows, y, given)
        assert missed.bounds <= 1e-12
        assert missed.weights + missed.slackness <= machine.duality_gap_ + 1e-10
        assert missed.holds(machine.duality_gap_ + 1e-9)
    machine.dual_coef_ = machine.dual_coef_ * 1.2
    assert not svm_kkt(machine, rows, y, weight).holds(1e-3)


def test_kinds_of_rows_agree():
    X, y = OVERLAP
    values = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))
    plain = KernelSVM(gamma=0.3, tol=1e-8).fit(X, y)
    for machine, rows in (
        (KernelSVM(kernel="precomputed", tol=1e-8), values),
        (KernelSVM(gamma=0.3, tol=1e-8), sparse.csr_array(X)),
        (KernelSVM(gamma=0.3, tol=1e-8, cache_size=0), X),
        (KernelSVM(gamma=0.3, tol=1e-8), X + 2.0**20),
    ):
        scores = machine.fit(rows, y).pair_scores(rows)
        np.testing.assert_allclose(scores, plain.pair_scores(X), atol=2e-3)


def test_one_against_the_rest_is_one_fit_each():
    machine = KernelSVM(gamma=0.3, tol=1e-8, multiclass="ovr").fit(*OVERLAP)
    X, y = OVERLAP
    assert machine.dual_coef_.shape == (5, machine.support_.size)
    assert np.all(np.diff(machine.support_) > 0)
    for k in range(5):
        alone = KernelSVM(gamma=0.3, tol=1e-8).fit(X, y == k)
        np.testing.assert_allclose(machine.decision_function(X)[:, k], alone.decision_function(X), atol=1e-4)
    with pytest.raises(ValueError, match="no pairs: fit it with multiclass='pairs'"):
        machine.pair_scores(X)
    machine.set_params(multiclass="pairs").fit(X, y).set_params(multiclass="ovr").fit(X, y)
    assert not hasattr(machine, "n_support_")


def test_support_is_sorted_by_class():
    X, y = OVERLAP
    machine = KernelSVM().fit(X, y)
    assert machine.n_support_.sum() == machine.support_.size
    np.testing.assert_array_equal(y[machine.support_], np.repeat(np.arange(5), machine.n_support_))
    np.testing.assert_array_equal(machine.support_vectors_, X[machine.support_])


def test_time_ends_pairs_with_what_is_proved():
    X, y = load_digits(return_X_y=True)
    for limit in (1e-6, 0.02):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            machine = KernelSVM(C=100.0, tol=1e-9, time_limit=limit).fit(X, y)
        assert machine.stop_reason_ in ("time", "solved")
        assert np.isfinite(machine.objective_)
        assert machine.duality_gap_ <= 1
        assert machine.predict(X[:20]).shape == (20,)


def test_several_classes_are_told_apart_better_by_pairs():
    X, y = load_digits(return_X_y=True)
    score = {form: KernelSVM(multiclass=form).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) for form in ("pairs", "ovr")}
    assert score["pairs"] >= score["ovr"] - 0.005
    assert score["pairs"] >= SVC().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) - 0.005
