"""The prover's first guess is what ``Perceptron`` learns."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from novikoff import Perceptron
from novikoff.proof.problem.pairs import Pairs
from novikoff.proof.search.perceptron_guess import learned_direction


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_guess_is_what_a_perceptron_learns(average, n_classes, make, fit_intercept):
    rng = np.random.default_rng([average, n_classes, fit_intercept])
    X, y = rng.integers(-3, 4, size=(40, 5)).astype(float), np.arange(40) % n_classes
    pairs, rows = Pairs(make(X), y, n_classes, fit_intercept), np.arange(3, 40)
    learner = Perceptron(keep="average" if average else "last", max_iter=7, fit_intercept=fit_intercept, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.fit(pairs.moved(rows), y[rows])
    learned = np.hstack([learner.coef_, learner.intercept_[:, None]])[:, : 5 + fit_intercept]
    expected = (learned if n_classes == 2 else learned[1:] - learned[0]).ravel()
    guess = learned_direction(pairs, rows, average=average, passes=7, time_limit=None)
    assert np.array_equal(guess.floats, expected / np.abs(expected).max())


def test_rows_of_one_class_give_no_direction():
    X = np.arange(6.0).reshape(3, 2)
    assert (
        learned_direction(Pairs(X, np.zeros(3, int), 2, True), np.arange(3), average=False, passes=2, time_limit=None)
        is None
    )
