"""What runs a fold changes no bit: neither the order of the parts, nor parts that are worked on twice or lost."""

import warnings

import numpy as np
import pytest

from careless_engine import careless
from novikoff import Adaline, AdalineRegressor, LinearSVM, LogisticNeuron, Perceptron, distributed

LEARNERS = [
    Perceptron(random_state=0, max_iter=5),
    Perceptron(random_state=0, max_iter=5, keep="average", early_stopping=True),
    Perceptron(random_state=0, max_iter=5, keep="pocket", order="random"),
    Adaline(),
    LogisticNeuron(),
    LinearSVM(),
    LinearSVM(loss="hinge"),
]


def blocks_of(rng, count=5, classes=3, by_class=False):
    X = np.round(rng.normal(size=(60 * count, 4)), 2)
    scores = X @ rng.normal(size=(4, classes)) + 0.3 * rng.normal(size=(len(X), classes))
    y = scores.argmax(axis=1)
    order = np.argsort(y, kind="stable") if by_class else np.arange(len(y))
    return [(X[rows], y[rows]) for rows in np.array_split(order, count)]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_a_fit_is_the_same_on_every_engine(learner, classes, rng):
    blocks = blocks_of(rng, classes=classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here = distributed.fit(learner, blocks)
        wanted = here.coef_.copy(), here.intercept_.copy(), here.n_iter_, here.stop_reason_
        engine = careless(blocks, int(rng.integers(2**32)))
        there = distributed.fit(learner, engine)
    assert np.array_equal(there.coef_, wanted[0])
    assert np.array_equal(there.intercept_, wanted[1])
    assert (there.n_iter_, there.stop_reason_) == wanted[2:]


def test_numbers_are_the_same_on_every_engine(rng):
    blocks = [(X, X @ [1.0, 2.0, -1.0, 0.5] + rng.normal(size=len(X))) for X, _ in blocks_of(rng)]
    here = distributed.fit(AdalineRegressor(), blocks).coef_.copy()
    assert np.array_equal(distributed.fit(AdalineRegressor(), careless(blocks)).coef_, here)


def test_rows_are_dealt_the_same_on_every_engine(rng):
    blocks = blocks_of(rng, by_class=True)
    learner = Perceptron(random_state=0, max_iter=3)
    here = distributed.fit(learner, blocks, reshuffle=True).coef_.copy()
    assert np.array_equal(distributed.fit(learner, careless(blocks), reshuffle=True).coef_, here)


@pytest.mark.parametrize("apart", [False, True])
def test_a_proof_is_the_same_on_every_engine(apart, rng):
    blocks = [(X, (X[:, 0] > 0.5).astype(int) if apart else y) for X, y in blocks_of(rng)]
    here, there = distributed.separability(blocks), distributed.separability(careless(blocks))
    assert here.kind == there.kind == ("complete" if apart else "overlap")
    assert {**here.to_dict(), "seconds": 0} == {**there.to_dict(), "seconds": 0}
    X, y = (np.concatenate(column) for column in zip(*blocks, strict=True))
    assert there.verify(X, y)


def test_what_a_part_raises_reaches_the_caller(rng):
    blocks = blocks_of(rng)
    blocks[3] = (blocks[3][0].copy(), blocks[3][1])
    blocks[3][0][7, 2] = np.nan
    with pytest.raises(ValueError, match=r"Partition 3: .*NaN"):
        distributed.fit(Perceptron(), careless(blocks))
