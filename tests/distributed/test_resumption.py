"""Checkpoints of rounds: a fit that is cut short and resumed has the bits of one that was not; others are refused."""

import numpy as np
import pytest
from sklearn.base import clone

import novikoff
from novikoff import Adaline, AdalineRegressor, LinearSVM, LogisticNeuron, Perceptron
from novikoff.distributed import fit
from novikoff.distributed.rounds import Rounds

LEARNERS = [
    Perceptron(max_iter=6, min_progress=None),
    Perceptron(max_iter=6, min_progress=None, keep="pocket"),
    Perceptron(max_iter=6, min_progress=None, keep="last", order="cyclic", intercept_scaling="radius"),
    Perceptron(max_iter=30, early_stopping=True, class_weight="balanced"),
    LogisticNeuron(max_iter=6, batch_size="all", solver="steps", l2=0.1, history="full"),
    Adaline(max_iter=40, solver="steps"),
    AdalineRegressor(max_iter=6, solver="steps", early_stopping=True, n_iter_no_change=2),
]


@pytest.fixture
def blocks(rng):
    X = rng.normal(size=(300, 4))
    y = (X @ rng.normal(size=(4, 3)) + rng.normal(size=(300, 3))).argmax(axis=1)
    return [(X[:50], y[:50]), (X[50:51], y[50:51]), (X[:0], y[:0]), (X[51:], y[51:])]


class PowerCut(Exception):
    pass


def cut_short(monkeypatch, before, learner, blocks, path):
    """A fit that ends in the middle of a round."""
    make_pass = Rounds.make_pass

    def cut(self, machine, number, clock, watch):
        if number == before:
            raise PowerCut
        return make_pass(self, machine, number, clock, watch)

    with monkeypatch.context() as patched:
        patched.setattr(Rounds, "make_pass", cut)
        with pytest.raises(PowerCut) as caught:
            fit(learner, blocks, checkpoint=path)
    return caught.value


def same(one, other):
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    assert (one.stop_reason_, one.n_iter_, one.keep_) == (other.stop_reason_, other.n_iter_, other.keep_)
    assert one.history_.keys() == other.history_.keys()
    for name in one.history_.keys() - {"seconds"}:
        np.testing.assert_array_equal(one.history_[name], other.history_[name])


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_resumed_is_as_if_nothing_had_happened(blocks, learner, monkeypatch, tmp_path):
    path = tmp_path / "rounds.checkpoint"
    learner = clone(learner).set_params(random_state=5)
    whole = fit(clone(learner), blocks)
    for before in (1, 2):
        error = cut_short(monkeypatch, before, clone(learner), blocks, path)
        assert error.__notes__ == [f"What was learned is in {path}: the same call goes on from there."]
    resumed = fit(clone(learner), blocks, checkpoint=path)
    same(resumed, whole)
    assert getattr(resumed, "n_errors_", None) == getattr(whole, "n_errors_", None)
    same(fit(clone(learner), blocks, checkpoint=path), whole)  # nothing is left to do


def test_what_was_made_from_something_else_is_refused(blocks, monkeypatch, tmp_path):
    path, learner = tmp_path / "rounds.checkpoint", Perceptron(random_state=5)
    cut_short(monkeypatch, 1, clone(learner), blocks, path)
    one_number = blocks[0][0].copy()
    one_number[7, 2] = np.nextafter(one_number[7, 2], 9)
    others = [
        ([(one_number, blocks[0][1]), *blocks[1:]], learner, "checksum of the partitions was"),
        ([(blocks[0][0], blocks[0][1][::-1]), *blocks[1:]], learner, "checksum of the partitions was"),
        ([blocks[1], blocks[0], *blocks[2:]], learner, "checksum of the partitions was"),
        (blocks[:2] + blocks[3:], learner, "partitions was 4 and is 3 now"),
        (blocks, clone(learner).set_params(eta=2.0), "eta was '1.0' and is '2.0' now"),
        (blocks, clone(learner).set_params(random_state=6), "random_state was '5' and is '6'"),
        (blocks, Adaline(random_state=5, solver="steps"), "learner was 'Perceptron' and is 'Adaline' now"),
    ]
    for given, asked, what in others:
        with pytest.raises(ValueError, match=f"learned from something else.*{what}"):
            fit(clone(asked), given, checkpoint=path)
    with pytest.raises(ValueError, match="dealt was False and is True"):
        fit(clone(learner), blocks, checkpoint=path, reshuffle=True)
    with pytest.raises(ValueError, match=r"Adaline solves for all rows at once: use solver=\"steps\""):
        fit(Adaline(random_state=5), blocks, checkpoint=path)
    with pytest.raises(ValueError, match=r"LinearSVM solves for all rows at once\."):
        fit(LinearSVM(random_state=5), blocks, checkpoint=path)
    with pytest.raises(ValueError, match="needs a whole number as random_state, not None"):
        fit(Perceptron(), blocks, checkpoint=path)
    novikoff.save(fit(clone(learner), blocks), path)
    with pytest.raises(ValueError, match="this is a finished model"):
        fit(clone(learner), blocks, checkpoint=path)


def test_a_fit_that_fails_leaves_the_learner_as_it_was(blocks, monkeypatch, tmp_path):
    learner = Perceptron(random_state=5)
    cut_short(monkeypatch, 2, learner, blocks, tmp_path / "rounds.checkpoint")
    assert not hasattr(learner, "coef_")
