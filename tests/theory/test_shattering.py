"""Which labelings are separable, how many, and what networks do with the others: compared with trying them all."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy import sparse

from novikoff import Perceptron, separability, theory, trace
from novikoff.course.plain import separable_labelings
from novikoff.theory import boolean_network, can_shatter, capacity, cover_fraction, dichotomies, gap

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
ON_A_LINE = np.array([[0, 0], [1, 1], [2, 2], [3, 3]])

# Cover's theorem


def test_cover_counts_by_its_recurrence():
    counts = {(1, d): 2 for d in range(12)}  # C(N + 1, d) = C(N, d) + C(N, d - 1), C(N, 0) = 2 (d = 0: signs of b)
    for N in range(1, 25):
        for d in range(12):
            counts[N + 1, d] = counts[N, d] + (counts[N, d - 1] if d else 0)
    for (N, d), count in counts.items():
        assert cover_fraction(N, d) * 2**N == count


def test_cover_at_its_landmarks():
    for d in (0, 1, 2, 7, 100):
        assert cover_fraction(d + 1, d) == 1
        assert cover_fraction(d + 2, d) == 1 - Fraction(2, 2 ** (d + 2))
        assert cover_fraction(capacity(d), d) == Fraction(1, 2)
        assert capacity(d) == 2 * (d + 1)
    assert cover_fraction(10_000, 3) == Fraction(2 * sum(comb(9999, i) for i in range(4)), 2**10_000)
    assert float(cover_fraction(10_000, 4_999)) == 0.5


@pytest.mark.parametrize(("N", "d"), [(0, 1), (3, -1), (2.5, 1), (True, 1), ("3", 1)])
def test_numbers_that_cover_refuses(N, d):
    with pytest.raises(ValueError, match="must be a whole number"):
        cover_fraction(N, d)


# Dichotomies


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_dichotomies_are_those_of_trying_all(seed, fit_intercept):
    rng = np.random.default_rng(seed)
    d = 1 + seed % 3
    X = rng.integers(-1, 2, (6, d))  # equal, collinear, coplanar points and zeros
    found = dichotomies(X, fit_intercept)
    expected = separable_labelings(X.tolist(), fit_intercept)
    assert found.count == len(expected) <= found.cover
    assert found.labelings.tolist() == [list(signs) for signs in expected]
    assert found.fraction == Fraction(len(expected), 64)


@pytest.mark.parametrize(("N", "d"), [(12, 2), (16, 3), (9, 5), (7, 6), (20, 1)])
def test_points_in_general_position_follow_cover(N, d):
    X = np.random.default_rng(N).normal(size=(N, d))
    found = dichotomies(X)
    assert found.count == found.cover == cover_fraction(N, d) * 2**N
    assert len(found.labelings) == found.count
    assert len(np.unique(found.labelings, axis=0)) == found.count
    some = found.labelings[:: max(1, found.count // 8)]
    assert all(separability(X, signs).separable for signs in some if abs(signs.sum()) < N)


def test_labelings_hold_and_the_rest_do_not():
    X = np.random.default_rng(1).normal(size=(7, 2))
    X[5], X[6] = (X[0] + X[1]) / 2, X[2]
    found = {tuple(signs) for signs in dichotomies(X).labelings.tolist()}
    for signs in product((-1, 1), repeat=7):
        if len(set(signs)) == 2:
            assert separability(X, signs).separable == (signs in found)


def test_the_scale_of_points_does_not_matter():
    X = np.random.default_rng(2).normal(size=(8, 2))
    count = dichotomies(X).count
    for form in (X * 2.0**300, X * 2.0**-300, X + 2.0**20, sparse.csr_array(X), X.astype(np.float32)):
        assert dichotomies(form).count == count


def test_the_lectures_points():
    assert (dichotomies(CORNERS).count, dichotomies(ON_A_LINE).count) == (14, 8)
    separable = set(map(tuple, dichotomies(CORNERS).labelings.tolist()))
    assert set(product((-1, 1), repeat=4)) - separable == {(-1, 1, 1, -1), (1, -1, -1, 1)}  # XOR and its opposite
    between = [-1, 1, 1, -1]  # {a, b} | {c, d} with a, b between c and d on one line
    assert between not in dichotomies(ON_A_LINE).labelings.tolist()
    assert not separability(ON_A_LINE, between).separable


def test_too_much_to_count_is_refused():
    with pytest.raises(ValueError, match="too many labelings"):
        dichotomies(np.random.default_rng(0).normal(size=(60, 30)))
    with pytest.raises(ValueError, match="NaN"):
        dichotomies([[np.nan]])
    with pytest.raises(ValueError, match="0 sample"):
        dichotomies(np.empty((0, 2)))


# Shattering


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_shattered_means_every_labeling(seed, fit_intercept):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, (int(rng.integers(1, 6)), int(rng.integers(1, 4))))
    assert can_shatter(X, fit_intercept) == (len(separable_labelings(X.tolist(), fit_intercept)) == 2 ** len(X))


def test_the_dimension_of_hyperplanes():
    for d in (1, 2, 3, 10, 50):
        simplex = np.vstack([np.zeros(d), np.eye(d)])
        assert can_shatter(simplex)  # d + 1 points
        assert not can_shatter(np.vstack([simplex, np.ones(d) * 0.7]))  # d + 2 never
        nearly = np.vstack([np.zeros(d), 2.0**-600 * np.eye(d)])
        assert can_shatter(nearly)
    assert can_shatter(sparse.csr_array(np.eye(3)), fit_intercept=False)
    assert not can_shatter([[0, 0], [1, 1], [2, 2]])


# Boolean functions


@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_function_of_few_bits(n):
    inputs = list(product((0, 1), repeat=n))
    single = 0
    for table in product([0], *[(0, 1)] * (2**n - 1)):  # the others are the opposites of these
        network = boolean_network(table)
        assert tuple(network.predict(inputs)) == table
        single += network.n_units == 1
        assert network.n_units <= 1 + n
    assert single == {1: 2, 2: 7, 3: 52}[n]  # half of all threshold functions of n variables


def threshold_tables(n):
    """Every function of n <= 3 bits that one unit computes: weights up to 2 are enough."""
    inputs = np.array(list(product((0, 1), repeat=n)))
    sums = inputs @ np.array(list(product(range(-2, 3), repeat=n))).T
    return {tuple((column > bias).astype(int).tolist()) for column in sums.T for bias in range(-7, 7)}


@pytest.mark.parametrize("n", [2, 3])
def test_no_network_of_few_bits_has_fewer_units(n):
    one, last = sorted(threshold_tables(n)), threshold_tables(2)
    assert len(one) == {2: 14, 3: 104}[n]
    fewest = dict.fromkeys(one, 1)
    for first in one:  # every network of two hidden units and a last one
        for second in one:
            for table in last:
                fewest.setdefault(tuple(table[2 * a + b] for a, b in zip(first, second, strict=True)), 3)
    found = {table: boolean_network(table).n_units for table in product((0, 1), repeat=2**n)}
    assert {table: min(units, 4) for table, units in found.items()} == {table: fewest.get(table, 4) for table in found}
    assert Counter(found.values()) == {2: {1: 14, 3: 2}, 3: {1: 104, 3: 150, 4: 2}}[n]


@pytest.mark.parametrize("n", [4, 7, 10])
def test_functions_of_more_bits(n):
    rng = np.random.default_rng(n)
    inputs = np.array(list(product((0, 1), repeat=n)))
    parity = boolean_network(lambda *bits: sum(bits) % 2, n)
    assert parity.n_units == n + 1
    assert np.array_equal(parity.predict(inputs), inputs.sum(axis=1) % 2)
    table = rng.integers(0, 2, 2**n)
    assert np.array_equal(boolean_network(table, n).predict(inputs), table)
    majority = boolean_network(lambda *bits: sum(bits) > n / 2, n)
    assert majority.n_units == 1
    assert len(set(np.ravel(majority.layers[0][0]))) == 1
    few = boolean_network(lambda *bits: (bits[0] and bits[1]) or (bits[2] and not bits[3]), n)
    assert few.n_units == 3
    many = boolean_network(lambda *bits: (bits[0] or bits[1]) and (bits[2] or not bits[3]), n)
    assert (many.n_units, many.output) == (3, "AND")


@pytest.mark.parametrize("n", [3, 4, 6])
def test_functions_of_the_number_of_ones_take_a_unit_for_each_change(n):
    inputs = np.array(list(product((0, 1), repeat=n)))
    for by_count in product((0, 1), repeat=n + 1):
        network = boolean_network(np.array(by_count)[inputs.sum(axis=1)])
        changes = np.count_nonzero(np.diff(by_count))
        assert network.n_units <= max(changes, 1) + (changes > 1)


def test_constant_functions_and_a_bit():
    assert boolean_network([1, 1]).predict([[0], [1]]).tolist() == [1, 1]
    assert str(boolean_network([0] * 8)) == "BooleanNetwork of one perceptron\n  y = [-1 > 0]"
    assert str(boolean_network([1, 0])) == "BooleanNetwork of one perceptron\n  y = [-2 x1 + 1 > 0]"
    assert "... 20 more" in repr(boolean_network(lambda *bits: bits[0] & (sum(bits) % 2), 7))


def test_tables_that_are_none():
    for f, n, words in [
        ([0, 1, 1], None, "2, 4, 8"),
        ([0, 1, 2, 0], None, "zeros and ones"),
        (["a", "b"], None, "zeros and ones"),
        ([0, 1, 1, 0], 3, "8 values"),
        (lambda a: a, None, "Pass n"),
        (lambda a: 0.5, 1, "zeros and ones"),
        ([0, 1], 17, "from 1 to 16"),
        ([[0, 1], [1, 0]], None, "in one row"),
    ]:
        with pytest.raises(ValueError, match=words):
            boolean_network(f, n)
    with pytest.raises(ValueError, match="rows of 2 inputs"):
        boolean_network([0, 1, 1, 0]).predict([[1, 0, 1]])
    with pytest.raises(ValueError, match="zeros and ones"):
        boolean_network([0, 1, 1, 0]).predict([[0.5, 1]])


# Pictures and documents


def test_pictures():
    plt = pytest.importorskip("matplotlib.pyplot")
    ax = theory.plot_cover((1, 2, 30))
    assert [line.get_label() for line in ax.get_lines()][:3] == ["d = 1", "d = 2", "d = 30"]
    halves = [line.get_ydata()[2 * (d + 1) - 1] for line, d in zip(ax.get_lines(), (1, 2, 30), strict=False)]
    assert halves == [0.5] * 3
    X, y = CORNERS, [0, 1, 1, 1]
    fall = gap(trace(Perceptron(order="cyclic"), X, y), X, y)
    ax = theory.plot_gap(fall, plt.subplots()[1])
    promised, real = ax.get_lines()[:2]
    assert promised.get_xdata()[1] >= real.get_xdata()[-1]
    assert "after 9 of at most 27 mistakes" in ax.get_title()
    plt.close("all")


@pytest.mark.parametrize("name", theory.__all__)
def test_every_name_is_documented(name):
    thing = getattr(theory, name)
    doc = inspect.getdoc(thing)
    if inspect.isclass(thing):
        listed = re.findall(r"\w+", " ".join(re.findall(r"^([\w, ]+) : ", doc[doc.index("Attributes\n") :], re.M)))
        assert listed == [field for field in thing.__dataclass_fields__ if not field.startswith("_")]
        return
    for section in ("Parameters\n---", "Returns\n---", "References\n---", "Examples\n---"):
        assert section in doc, section
    documented = re.findall(r"^(\w+) : ", doc[doc.index("Parameters\n") : doc.index("Returns\n")], re.M)
    assert documented == list(inspect.signature(thing).parameters)
