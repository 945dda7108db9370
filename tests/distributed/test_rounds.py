"""Rounds over partitions: McDonald's bound, and what they have in common with one machine."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from novikoff import (
    Adaline,
    AdalineRegressor,
    HingeSGD,
    LogisticNeuron,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    Perceptron,
)
from novikoff.distributed import fit
from novikoff.rows.partitions import Here


def cut(X, y, count, *more):
    """The rows in so many partitions, which differ in size by one at most."""
    return [tuple(column[start::count] for column in (X, y, *more)) for start in range(count)]


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from([1, 2, 4, 8]), st.sampled_from(["cyclic", "shuffle"]))
def test_mixing_keeps_mcdonalds_bound(seed, partitions, order):
    """Whole numbers and equal partitions, a power of two of them, so that shares are exact: (sum of mistakes) / partitions <=
    R^2 / gamma^2."""
    rng = np.random.default_rng(seed)
    u = rng.integers(-3, 4, 4)
    X = rng.integers(-4, 5, (400, 3)).astype(float)
    a = X @ u[:3] + u[3]
    X, a = X[a != 0], a[a != 0]
    rows = len(X) // partitions * partitions
    X, y = X[:rows], np.sign(a[:rows]).astype(int)
    if np.unique(y).size < 2:
        return
    learner = Perceptron(order=order, min_progress=None, max_iter=10_000, keep="last", random_state=seed)
    learner = fit(learner, cut(X, y, partitions), reshuffle=False, count_errors=True)
    radius2 = int((X**2).sum(axis=1).max()) + 1
    gamma2 = Fraction(int(np.abs(a).min()) ** 2, int(u @ u))
    assert learner.stop_reason_ == "separated"
    assert learner.n_errors_ == 0
    assert Fraction(learner.n_mistakes_, partitions) <= radius2 / gamma2


@pytest.mark.parametrize("order", ["cyclic", "alternate"])
@pytest.mark.parametrize("keep", ["last", "average"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_one_partition_is_one_machine(rng, order, keep, kind):
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 3, 300)
    learner = Perceptron(order=order, keep=keep, max_iter=4, min_progress=None)
    one, mixed = clone(learner).fit(kind(X), y), fit(learner, [(kind(X), y)], count_errors=True)
    same = np.testing.assert_array_equal if keep == "last" else np.testing.assert_allclose
    same(mixed.coef_, one.coef_)
    same(mixed.intercept_, one.intercept_)
    assert mixed.history_["mistakes"].tolist() == one.history_["mistakes"].tolist()
    assert mixed.n_errors_ == one.n_errors_


BATCH = [
    Perceptron(batch_size="all", keep="average"),
    Adaline(batch_size="all", solver="steps", l2=2.0),
    LogisticNeuron(batch_size="all", solver="steps", l2=0.5),
    HingeSGD(batch_size="all", eta=0.01),
    PassiveAggressiveClassifier(batch_size="all", intercept_scaling="radius"),
    AdalineRegressor(batch_size="all", solver="steps"),
    PassiveAggressiveRegressor(batch_size="all"),
]


@pytest.mark.parametrize("learner", BATCH, ids=lambda learner: type(learner).__name__)
def test_batch_rules_are_those_of_one_machine(rng, learner):
    X, weight = rng.normal(size=(200, 4)), rng.integers(0, 3, 200).astype(float)
    y = X @ rng.normal(size=4) + rng.normal(size=200)
    y = y if "Regressor" in type(learner).__name__ else np.digitize(y, [-1, 1])
    learner.set_params(max_iter=12, min_progress=None, history="full", tol=1e-12)
    one = clone(learner).fit(X, y, weight)
    summed = fit(clone(learner), cut(X, y, 7, weight))
    np.testing.assert_allclose(summed.coef_, one.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(summed.intercept_, one.intercept_, rtol=1e-8, atol=1e-10)
    assert summed.stop_reason_ == one.stop_reason_
    for name, values in one.history_.items():
        if name != "seconds":
            np.testing.assert_allclose(summed.history_[name], values, rtol=1e-6, atol=1e-9)


def test_averages_merge_as_sums(rng):
    """The average is the mean, by samples, of the averages that partitions make in a round from the same weights."""
    X, y = rng.normal(size=(90, 3)), rng.integers(0, 2, 90)
    sizes = [slice(0, 40), slice(40, 50), slice(50, 90)]
    learner = Perceptron(order="cyclic", keep="average", max_iter=1, min_progress=None)
    mixed = fit(clone(learner), [(X[part], y[part]) for part in sizes], reshuffle=False)
    alone = [clone(learner).fit(X[part], y[part]).coef_ for part in sizes]
    np.testing.assert_allclose(mixed.coef_, np.average(alone, axis=0, weights=[40, 10, 40]))
    last = fit(clone(learner).set_params(keep="last"), [(X[part], y[part]) for part in sizes], reshuffle=False)
    alone = [clone(learner).set_params(keep="last").fit(X[part], y[part]).coef_ for part in sizes]
    np.testing.assert_allclose(last.coef_, np.average(alone, axis=0, weights=[40, 10, 40]))


def test_the_averaged_perceptron_is_as_good_as_on_one_machine():
    rng = np.random.default_rng(3)
    u = rng.normal(size=20)

    def rows(count):
        X = rng.normal(size=(count, 20))
        return X, X @ u + 2 * rng.normal(size=count) > 0

    X, y = rows(16_000)
    test = rows(20_000)
    learner = Perceptron(random_state=0)
    one, mixed = clone(learner).fit(X, y).score(*test), fit(learner, cut(X, y, 16)).score(*test)
    assert mixed > one - 0.002


@pytest.mark.parametrize(
    "learner", [Perceptron(), Adaline(), LogisticNeuron(), HingeSGD(), PassiveAggressiveClassifier()]
)
def test_every_online_rule_learns(rng, learner):
    X = rng.normal(size=(1000, 6))
    y = np.where(X @ rng.normal(size=6) > 0, "yes", "no")
    assert fit(learner, cut(X, y, 5)).score(X, y) > 0.93


@pytest.mark.parametrize("batch", [1, 5, "all"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_what_tasks_share_is_not_written_into(rng, monkeypatch, batch, kind):
    """Tasks of one worker share the state and the partitions."""
    X, y = rng.normal(size=(200, 4)), rng.integers(0, 3, 200)
    learner = Perceptron(keep="average", batch_size=batch, max_iter=3, min_progress=None, random_state=0)
    fold, folds = Here.fold, []

    def watched(self, function, merge, state):
        before = [(array, array.copy()) for array in arrays_in([*self._partitions, state])]
        answer = fold(self, function, merge, state)
        for array, copy in before:
            np.testing.assert_array_equal(array, copy)
        folds.append(function)
        return answer

    monkeypatch.setattr(Here, "fold", watched)
    fit(learner, cut(kind(X), y, 4, np.ones(200)))
    assert len(folds) == 1 + 3  # one that reads, and one a pass
    fit(learner, cut(kind(X), y, 4, np.ones(200)), count_errors=True)
    assert len(folds) == 4 + 5


def arrays_in(value):
    if isinstance(value, np.ndarray):
        yield value
    elif sparse.issparse(value):
        yield from (value.data, value.indices, value.indptr)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from arrays_in(part)
