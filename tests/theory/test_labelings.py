"""Many labelings of the same rows."""

import numpy as np
import pytest

from novikoff import separability, theory
from novikoff.theory.labelings import wilson


def plain(X, labels, fit_intercept):
    if len(set(labels.tolist())) == 1:
        return None
    return separability(X, labels, fit_intercept=fit_intercept).separable


@pytest.mark.parametrize("seed", range(12))
def test_every_labeling_has_the_verdict_of_separability(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 5))
    n = int(rng.integers(d + 1, 3 * d + 6))
    X = rng.normal(size=(n, d)) if seed % 3 else rng.integers(-2, 3, size=(n, d)).astype(float)
    if seed % 4 == 1:
        X = np.column_stack([X, X[:, 0] + 1, np.ones(n)])  # columns that depend on others
    if seed % 4 == 2:
        X = X * 10.0 ** rng.integers(-8, 9, size=d) + 1e6
    fit_intercept = bool(seed % 2)
    found = theory.separable(X, 40, fit_intercept=fit_intercept, random_state=seed)
    for labels, verdict in zip(found.labelings, found.separable, strict=True):
        expected = plain(X, labels, fit_intercept)
        assert expected is None or verdict == expected


def test_all_labelings_of_points_are_as_many_as_the_theory_counts():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 2]])
    every = np.array([[number >> bit & 1 for bit in range(5)] for number in range(32)])
    assert theory.separable(X, every).separable.sum() == theory.dichotomies(X).count
    assert (
        theory.separable(X, every, fit_intercept=False).separable.sum()
        == theory.dichotomies(X, fit_intercept=False).count
    )


def test_groups_share_a_label_and_threads_change_nothing():
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(60, 8)), np.repeat(np.arange(12), 5)
    one = theory.separable(X, 150, groups=groups, balanced=True, random_state=3)
    two = theory.separable(X, 150, groups=groups, balanced=True, random_state=3, n_jobs=3)
    assert one.labelings.shape == (150, 12)
    assert not one.labelings.sum(axis=1).any()
    assert np.array_equal(one.separable, two.separable)
    assert np.array_equal(one.labelings, two.labelings)
    for number in (0, 7):
        proof = one.proof(number)
        assert proof.separable == one.separable[number]
        assert proof.verify(X, one.labelings[number][groups])
    again = theory.separable(X, one.labelings, groups=groups)
    assert np.array_equal(again.separable, one.separable)


def test_more_features_than_rows_separate_everything():
    X = np.random.default_rng(0).normal(size=(10, 30))
    assert theory.separable(X, 50, random_state=0).separable.all()


def test_capacity_of_points_is_two_and_of_groups_is_less():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(40, 40))
    measured = theory.measured_capacity(points, labelings=200, random_state=0)
    low, high = measured.interval
    assert low <= measured.capacity <= high
    assert 1.8 < measured.capacity < 2.2
    clouds = np.repeat(rng.normal(size=(20, 40)), 4, axis=0) + 0.5 * rng.normal(size=(80, 40))
    groups = np.repeat(np.arange(20), 4)
    assert theory.measured_capacity(clouds, groups, labelings=100, random_state=0).capacity < measured.capacity
    pytest.importorskip("matplotlib")
    assert len(theory.plot_capacity(measured).get_lines()) >= 2


def test_shattering_counts_all_balanced_labelings_where_they_are_few():
    square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    found = theory.shattering_dimensionality(square)
    assert found.exhaustive
    assert found.separable.sum() == 2
    assert found.interval == (2 / 3, 2 / 3)
    many = theory.shattering_dimensionality(np.random.default_rng(0).normal(size=(30, 5)), labelings=50, random_state=0)
    assert not many.exhaustive
    assert len(many) == 50
    assert many.interval[0] < many.interval[1]
    odd = theory.shattering_dimensionality([[0], [1], [2]])
    assert len(odd) == 3
    assert odd.separable.sum() == 2


def test_wilson():
    low, high = wilson(10, 20)
    assert low == pytest.approx(0.2993, abs=1e-4)
    assert high == pytest.approx(0.7007, abs=1e-4)
    assert wilson(0, 5)[0] == 0
    assert wilson(5, 5)[1] == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"labelings": 0}, "at least 1"),
        ({"labelings": [[0, 1]]}, "one for each row"),
        ({"labelings": [[0, 1, 2, 0]]}, "two different values"),
        ({"groups": [1, 2]}, "one value for each of the 4 rows"),
        ({"n_jobs": 0}, "threads"),
        ({"fit_intercept": 1}, "fit_intercept"),
    ],
)
def test_errors_say_what_to_do(given, words):
    with pytest.raises(ValueError, match=words):
        theory.separable([[0, 0], [0, 1], [1, 0], [1, 1]], **given)
