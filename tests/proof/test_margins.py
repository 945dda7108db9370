"""The largest margin and Novikoff's bound: against fractions, of every awkward sort of rows."""

from fractions import Fraction
from math import floor, inf, nextafter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_wine

from novikoff import separability
from novikoff.proof.check.margin_of_rows import upper_bound
from novikoff.proof.check.mistakes import largest_square
from novikoff.proof.margins.widest_margin import point_near
from novikoff.proof.problem.pairs import Pairs
from novikoff.report.words import at_most
from novikoff.theory import margin, novikoff_bound
from oracle import squared_augmented_margin, squared_margin
from problems import small_problem

TINY, LARGEST = nextafter(0.0, 1.0), nextafter(inf, 0.0)


def check(X, target, n_classes, fit_intercept, constant=1.0):
    """A margin enclosed as narrowly as floats can, and the very bound of the theorem; whether the classes are separable."""
    proof = separability(X, target, fit_intercept=fit_intercept, max_margin=True, intercept_scaling=constant)
    if proof.kind != "complete":
        return False
    low, high = proof.margin_bounds
    square = squared_margin(X, target, n_classes, fit_intercept)
    assert Fraction(low) ** 2 <= square
    assert square <= Fraction(high) ** 2 if high < inf else square > Fraction(LARGEST) ** 2  # which no float is above
    assert high <= max(low * (1 + 2e-12), nextafter(low, inf))
    constant2 = constant * constant if fit_intercept else 0.0
    radius = max(sum(Fraction(value) ** 2 for value in row) for row in X.tolist()) + Fraction(constant2)
    times = 1 if n_classes == 2 else 2
    least = squared_augmented_margin(X, target, n_classes, constant2)
    assert proof.mistake_bound == floor(times * radius / least)
    assert proof.verify(X, target)
    return True


@pytest.mark.parametrize("first", range(0, 120, 30))
def test_margin_and_bound_are_those_of_fractions(first):
    assert sum(few_rows(seed) for seed in range(first, first + 30)) > 5


def few_rows(seed):
    X, target, n_classes, fit_intercept = small_problem(seed)
    few = {2: 6, 3: 4}.get(n_classes, 0)
    return few > 0 and check(X[:few], target[:few], n_classes, fit_intercept, (1.0, 0.1, 300.0)[seed % 3])


@settings(max_examples=100)
@given(
    st.lists(st.tuples(*[st.integers(-2, 2)] * 3, st.integers(0, 1)), min_size=2, max_size=7, unique=True),
    st.booleans(),
)
def test_margins_of_lattice_points(points, fit_intercept):
    target = np.array([point[3] for point in points])
    target[:2] = 0, 1
    check(np.array([point[:3] for point in points], dtype=float), target, 2, fit_intercept)


EXTREMES = [0.0, TINY, 1e-310, 1e-160, 1 / 3, 1.0, 2.0**53 - 1, 2.0**53, 1e160, 1e308, np.finfo(float).max]


@settings(max_examples=100)
@given(
    st.lists(
        st.tuples(*[st.sampled_from(EXTREMES + [-value for value in EXTREMES])] * 2, st.integers(0, 1)),
        min_size=2,
        max_size=5,
    ),
    st.booleans(),
)
def test_margins_at_the_ends_of_the_floats(points, fit_intercept):
    """Weights, leads and squares are beyond all floats, or below: nothing overflows, is lost, or warns."""
    target = np.array([point[2] for point in points])
    target[:2] = 0, 1
    check(np.array([point[:2] for point in points]), target, 2, fit_intercept)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    "X",
    [
        [[0, 1], [1e-8, 0]],
        [[1.0], [-1.0]],
        [[1e-300, 1.0], [0, 1e-200]],
        [[3e-324, 1e300], [1e-310, -1e300]],
        [[2.0**53, 0.0], [1 - 2.0**53, 1.7976931348623157e308]],
    ],
)
def test_enclosures_of_two_rows_are_never_infinite(X, fit_intercept):
    X, y = np.array(X, dtype=float), np.array([0, 1])
    check(X, y, 2, fit_intercept)


def test_enclosures_of_lattices_are_never_infinite():
    """Degenerate: more rows lie on the margin than are needed to hold it."""
    for seed in range(150):
        rng = np.random.default_rng(seed)
        X = rng.integers(-2, 3, size=(10, 4)).astype(float)
        y = (X @ rng.normal(size=4) > 0).astype(int)
        y[:2] = 0, 1
        proof = separability(X, y, max_margin=True, fit_intercept=bool(seed % 2))
        assert proof.kind != "complete" or proof.margin_bounds[1] <= proof.margin * (1 + 2e-12)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    "X", [[[0.0], [7.1e131], [1.3e297]], [[0.0], [1e-200], [1.0]], [[-1e300], [0.0], [TINY]], [[1.0], [1.0], [2.0]]]
)
def test_margins_of_three_classes_whose_scales_differ(X, fit_intercept):
    X, y = np.array(X), np.array([0, 1, 2])
    separable = check(X, y, 3, fit_intercept)
    assert separable == (fit_intercept and len(np.unique(X)) == 3)


def test_a_margin_beyond_all_floats_is_the_only_one_without_a_bound():
    X, y = np.full((2, 2), 1.7e308) * [[1], [-1]], [0, 1]
    proof = separability(X, y, max_margin=True)
    assert proof.margin_bounds == (np.finfo(float).max, inf)
    assert proof.support is not None
    assert proof.verify(X, y)
    assert margin(X, y, [-1.0, -1.0]) == inf
    assert margin(X, y, [1.0, 1.0]) == -inf


@pytest.mark.parametrize("seed", range(30))
def test_any_weights_of_pairs_have_a_point_of_the_hull_near(seed):
    rng = np.random.default_rng(seed)
    n_classes = 2 + seed % 3
    target = np.append(np.arange(n_classes), rng.integers(n_classes, size=6))
    pairs = Pairs(rng.normal(size=(len(target), 3)), target, n_classes, bool(seed % 2))
    which = rng.choice(pairs.count, 4, replace=False)
    weights = [Fraction(int(number)) for number in rng.integers(0, 9, size=3)] + [Fraction(1)]
    support = point_near(pairs, which, weights, rng.normal(size=pairs.count))
    assert sum(support.values()) == 1
    assert min(support.values()) > 0
    assert upper_bound(pairs, support) < inf


@pytest.mark.parametrize("seed", range(20))
def test_the_largest_square_is_exact_in_every_form(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 4)) * 2.0 ** rng.integers(-600, 500, size=4) * (rng.random((30, 4)) < 0.7)
    X[1:3] = X[0]
    if seed % 2:
        X = np.sign(X)
    true = max(sum(Fraction(value) ** 2 for value in row) for row in X.tolist())
    assert largest_square(X) == largest_square(sparse.csr_array(X)) == true
    assert largest_square(np.zeros((3, 2))) == largest_square(sparse.csr_array((3, 2))) == 0


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_the_bound_does_not_depend_on_order_or_form(load):
    """It is the smallest that the theorem gives, so there is only one: floats on the way leave no trace."""
    X, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    bound = separability(X, y, max_margin=True).mistake_bound
    for rows, labels in ((X[order], y[order]), (X[:, ::-1], y), (sparse.csr_array(X), y)):
        assert separability(rows, labels, max_margin=True).mistake_bound == bound
    assert novikoff_bound(X, y) == bound


def test_bounds_are_shown_with_two_digits_never_below_the_truth():
    assert [at_most(bound) for bound in (0, 37_810, 10**6)] == ["0", "37,810", "1,000,000"]
    assert [at_most(bound) for bound in (10**6 + 1, 14_459_289_768_964_383)] == ["1.1e6", "1.5e16"]
    assert [at_most(bound) for bound in (99 * 10**9, 99 * 10**9 + 1, 10**40)] == ["9.9e10", "1.0e11", "1.0e40"]
    rng = np.random.default_rng(0)
    for bits in rng.integers(21, 4000, size=200).tolist():
        bound = int.from_bytes(rng.bytes(bits // 8 + 1), "big") + 10**6
        digits, power = at_most(bound).split("e")
        shown = Fraction(digits) * 10 ** int(power)
        assert bound <= shown <= bound + 10 ** (len(str(bound)) - 2)
