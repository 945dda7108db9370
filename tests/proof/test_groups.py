"""Several classes decided a few at a time: the same verdicts as all at once, and proofs that hold."""

import numpy as np
import pytest
from scipy import sparse

from novikoff import separability
from novikoff.proof.check.certificate import surely_spanned
from novikoff.proof.problem.pairs import Pairs
from novikoff.proof.search import class_groups
from novikoff.proof.search import decide as deciding
from novikoff.proof.search.single_feature import single_feature
from novikoff.system.clock import Clock


def points(seed):
    """A few rows of each of several classes: many pairs of classes overlap, some do not."""
    rng = np.random.default_rng(seed)
    n_classes, d = int(rng.integers(3, 9)), int(rng.integers(1, 4))
    X = rng.normal(size=(int(rng.integers(2, 5)) * n_classes, d))
    if seed % 2:
        X = np.round(2 * X)
    if seed % 5 == 0:
        X = np.column_stack([X, X[:, 0] - 1])
    y = rng.integers(n_classes, size=len(X))
    if seed % 3 == 0:
        X[y == 0] += 4
    y[:n_classes] = np.arange(n_classes)
    return X, y, bool(seed % 4)


@pytest.mark.parametrize("seed", range(60))
def test_a_few_classes_at_a_time_say_what_all_at_once_say(seed, monkeypatch):
    X, y, fit_intercept = points(seed)
    found = separability(X, y, fit_intercept=fit_intercept)
    as_csr = separability(sparse.csr_array(X), y, fit_intercept=fit_intercept)
    monkeypatch.setattr(class_groups.Groups, "look", lambda self, finding: None)
    expected = separability(X, y, fit_intercept=fit_intercept)
    assert found.kind == as_csr.kind == expected.kind
    assert np.array_equal(found.rows, expected.rows)
    assert found.verify(X, y)
    assert as_csr.verify(X, y)


def test_the_problems_above_are_of_every_kind_and_join_classes():
    kinds, sets = set(), set()
    for seed in range(60):
        X, y, fit_intercept = points(seed)
        kinds.add(separability(X, y, fit_intercept=fit_intercept).kind)
        n_classes = y.max() + 1
        known = deciding.Finding()
        looked = class_groups.Groups(Pairs(X, y, n_classes, fit_intercept), Clock(), deciding._decide_group)
        looked.look(known)
        sets.add("all" if looked.firsts.size == 1 else "some" if looked.made else "none")
    assert kinds == {"complete", "quasi-complete", "overlap"}
    assert sets == {"all", "some", "none"}


@pytest.mark.parametrize("n_classes", [30, 100])
def test_many_classes_of_random_rows_are_solved_two_at_a_time(n_classes, monkeypatch):
    solved = []
    search = deciding.Search

    def counted(face, *rest, **more):
        solved.append(face.pairs.dim)
        return search(face, *rest, **more)

    monkeypatch.setattr(deciding, "Search", counted)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10 * n_classes, 5)), np.repeat(np.arange(n_classes), 10)
    proof = separability(X, y)
    assert proof.kind == "overlap"
    assert proof.verify(X, y)
    assert max(solved) < 60  # all classes at once have 6 (n_classes - 1) dimensions
    swapped = np.where(y == 0, 1, np.where(y == 1, 0, y))
    assert not proof.verify(X, swapped)


def test_two_classes_that_meet_suffice_for_not_complete():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2)) + 30 * np.repeat(np.arange(6), 10)[:, None]
    y = np.repeat(np.arange(6), 10)
    X[10], X[11], X[12] = X[0] + 1, X[0] - 1, X[1]
    proof = separability(X, y)
    assert proof.separable is False
    assert set(y[proof.witness.rows].tolist()) | set(proof.witness.rivals.tolist()) == {0, 1}
    assert len(proof.witness) <= 4
    assert proof.verify(X, y)


def test_one_feature_of_one_class_of_several_contradicts_no_row():
    X = np.array([[0.0, 1], [0, -1], [0, 2], [0, -2], [3, 0], [0, 0]])
    y = np.array([0, 0, 1, 1, 2, 2])
    for swap in ([0, 1, 2], [1, 2, 0], [2, 0, 1]):
        pairs = Pairs(X, np.array(swap)[y], 3, True)
        found = single_feature(pairs)
        signs = pairs.signs(found)
        assert signs.min() == 0
        assert signs.max() == 1
        assert np.flatnonzero(np.any(signs.reshape(6, 2) > 0, axis=1)).tolist() == [4]


@pytest.mark.parametrize("seed", range(20))
def test_what_a_support_spans_is_never_overstated(seed):
    rng = np.random.default_rng(seed)
    n_classes, width = int(rng.integers(3, 6)), int(rng.integers(1, 3))
    X = rng.integers(-2, 3, size=(12, width)).astype(float)
    y = rng.integers(n_classes, size=12)
    y[:n_classes] = np.arange(n_classes)
    pairs = Pairs(X, y, n_classes, True)
    every = np.arange(pairs.count)
    support = rng.choice(every, int(rng.integers(2, pairs.count)), replace=False)
    vectors = pairs.vectors(every)
    rank = np.linalg.matrix_rank(vectors[support])
    spanned = np.array([np.linalg.matrix_rank(vectors[[*support, each]]) == rank for each in every])
    said = surely_spanned(pairs, support, every)
    assert np.all(spanned[said])
    if rank == np.linalg.matrix_rank(vectors) and rank == (n_classes - 1) * np.linalg.matrix_rank(
        np.column_stack([X, np.ones(12)])
    ):
        assert said.all()
