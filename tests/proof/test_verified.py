"""Overlap proved in floating point: never where it is not so, and nearly always where it is."""

from fractions import Fraction

import numpy as np
import pytest

from novikoff import separability
from novikoff.proof.answer.certify import certify
from novikoff.proof.check.verified import NearlyOrthonormal
from novikoff.proof.problem.pairs import Pairs
from novikoff.proof.search.decide import decide
from novikoff.proof.search.squared_hinge import least_squared_hinge
from novikoff.system.clock import Clock


def hard_problem(seed):
    """Rows of all scales: random, of a lattice, on a boundary or a rounding away from it, nearly dependent, subnormal."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 6))
    n, how = int(rng.integers(d + 2, 5 * d + 8)), seed % 6
    X, y = rng.normal(size=(n, d)), rng.integers(0, 2, n)
    if how in (1, 2):
        X = rng.integers(-3, 4, size=(n, d)).astype(float)
        scores = X @ rng.integers(-2, 3, size=d)
        y = np.where(scores == 0, y, scores > 0).astype(int)
        if how == 2:
            X = X + rng.choice([0, 0, 0, 1, -1], size=X.shape) * 2.0 ** -int(rng.integers(30, 60))
    if how == 3:
        w = rng.normal(size=d)
        scores = X @ w
        y, X = (scores > 0).astype(int), X - np.outer(scores / (w @ w) * (1 - 10.0 ** -int(rng.integers(5, 17))), w)
    if how == 4:
        X = np.ldexp(rng.integers(-3, 4, size=(n, d)).astype(float), rng.integers(-1074, 1000, size=d))
    if how == 5 and d > 1:
        X[:, 0] = X[:, 1] * (1 + rng.choice([0, 1, -1], size=n) * 2.0**-52)
    if rng.random() < 0.3:
        X = X + 10.0 ** rng.integers(0, 9, size=d)
    y[:2] = 0, 1
    return np.ascontiguousarray(X), y.astype(np.intp), bool(rng.integers(0, 2))


@pytest.mark.parametrize("seed", range(120))
def test_floats_never_contradict_exact_arithmetic(seed):
    X, y, fit_intercept = hard_problem(seed)
    pairs = Pairs(X, y, 2, fit_intercept)
    exact = decide(pairs, Clock())
    quick = decide(pairs, Clock(), quick=True)
    assert np.array_equal(quick.boundary, exact.boundary)
    if quick.in_floats:
        assert certify(pairs, np.array([0, 1]), exact).kind == "overlap"


@pytest.mark.parametrize("seed", range(20))
def test_a_proof_in_floats_is_certified_when_asked_for(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
    proof = separability(X, y)
    assert (proof.kind, proof.method) == ("overlap", "floating point")
    assert "certificate" not in vars(vars(proof)["_given_certificate"])
    assert proof.separable is False
    assert len(proof.witness) <= 6
    assert proof.witness.weights[0] > 0
    assert proof.verify(X, y)
    assert not proof.verify(X, np.where(X[:, 0] > 0, 1, 0))


def test_methods_are_named():
    X = [[0.0], [1.0], [2.0], [3.0]]
    assert separability(X, [0, 0, 1, 1]).method == "floating point"
    quasi = separability([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1])
    assert (quasi.kind, quasi.method) == ("quasi-complete", "exact arithmetic")


@pytest.mark.parametrize("seed", range(40))
def test_the_least_singular_value_is_not_overstated(seed):
    """Against fractions: G_A' G_A less the claimed square has no negative pivot."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 5))
    Z = rng.normal(size=(4 * size, size))
    Z[:, 0] = Z[:, 0] * 10.0 ** -int(rng.integers(0, 12)) + (Z[:, -1] if seed % 2 else 0)
    frame = NearlyOrthonormal(Z)
    if not frame.regular:
        return
    active = np.ones(len(Z), dtype=bool)
    active[rng.choice(len(Z), int(rng.integers(0, 3 * size - 1)), replace=False)] = False
    claimed = frame._least(active)
    if claimed <= 0:
        return
    rows = [[Fraction(number) for number in row] for row in frame.G[active].tolist()]
    M = [
        [sum(row[i] * row[j] for row in rows) - (Fraction(claimed) ** 2 if i == j else 0) for j in range(size)]
        for i in range(size)
    ]
    for k in range(size):  # Gauss' elimination
        assert M[k][k] >= 0
        for i in range(k + 1, size):
            for j in range(size) if M[k][k] else ():
                M[i][j] -= M[i][k] * M[k][j] / M[k][k] if j > k else 0
            M[i][k] = Fraction(0)


def test_wrong_weights_prove_nothing():
    X = np.array([[1.0, 1.0], [2.0, 1.0], [-1.0, 1.0], [-3.0, 1.0]])
    frame = NearlyOrthonormal(X)
    separable, overlapping = np.array([1.0, 1, -1, -1]), np.array([1.0, -1, 1, -1])
    assert least_squared_hinge(frame, separable)[0] == "apart"
    for weights in (np.ones(4), np.full(4, np.nan), np.zeros(4), np.full(4, np.inf), np.array([1, 1, 1e-30, 1.0])):
        assert not frame.overlap(separable, weights)
    how, scores = least_squared_hinge(frame, overlapping)
    losses = np.maximum(1 - overlapping * scores, 0)
    assert how == "overlap"
    assert frame.overlap(overlapping, losses)
