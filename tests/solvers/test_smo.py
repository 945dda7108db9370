"""Steps on pairs of rows and the proof of their answers, against plain Python, compiled and not."""

import warnings
from fractions import Fraction
from math import fsum

import numpy as np
import pytest
from scipy import sparse

from exact_machine import exact_gap
from novikoff import KernelSVM
from novikoff.dual.kernels import RBF, Linear, Poly
from novikoff.solvers import kernel_proof, smo
from novikoff.solvers.kernel_proof import Flaws, KernelSums
from novikoff.system.clock import Clock

pytestmark = pytest.mark.plain_python

STRETCHES = [(0, 5, 0, 8, 13, 1, 8, 13), (0, 14, 0, 0, 0, 0, 3, 9)]  # rows of two classes; all rows


def sums_of(kernel, X, room=0.0):
    return KernelSums(kernel, kernel.points(X, np.arange(len(X))), Flaws(), room)


def problem_of(stretch, rng):
    X = rng.normal(size=(14, 3))
    first, end, _, second, last, _, positive, negative = stretch
    rows = np.r_[first:end, second:last]
    sign = np.where((rows >= positive) & (rows < negative), 1.0, -1.0)
    costs = rng.integers(1, 4, rows.size) / 2
    low, high = np.where(sign > 0, 0.0, -costs), np.where(sign > 0, costs, 0.0)
    return X, rows, sign, costs, low, high, end - first


@pytest.mark.parametrize("stretch", STRETCHES)
@pytest.mark.parametrize("enough", [1e-6, 0.0])
def test_steps_on_pairs(stretch, enough, rng):
    X, rows, sign, costs, low, high, size = problem_of(stretch, rng)
    gram = X @ X.T
    first, second = stretch[0], stretch[3]
    block = gram[np.ix_(rows, rows)]
    diagonal = np.diag(block).copy()
    beta, v = np.zeros(rows.size), sign.copy()
    for _ in range(30):
        twin_beta, twin_v = beta.copy(), v.copy()  # (from the same numbers: rounding decides ties)
        up, down = np.flatnonzero(twin_beta < high), np.flatnonzero(twin_beta > low)
        i, bottom = up[np.argmax(twin_v[up])], twin_v[down].min()
        b = 0.5 * (twin_v[i] + bottom)
        primal_less_dual = costs @ np.maximum(0, sign * (twin_v - b)) - twin_beta @ twin_v
        dual = twin_beta @ sign - 0.5 * twin_beta @ block @ twin_beta
        taken = smo.step_pairs(gram, first, second, size, sign, costs, low, high, diagonal, beta, v, enough, 1e-9, 1)
        if primal_less_dual <= enough * (dual + primal_less_dual) or not twin_v[i] - bottom > 1e-9:
            assert taken == 0
            break
        gains = {
            j: (twin_v[i] - twin_v[j]) ** 2 / max(block[i, i] + block[j, j] - 2 * block[i, j], 1e-12)
            for j in down
            if twin_v[j] < twin_v[i]
        }
        j = max(gains, key=gains.get)
        curvature = max(block[i, i] + block[j, j] - 2 * block[i, j], 1e-12)
        t = min((twin_v[i] - twin_v[j]) / curvature, high[i] - twin_beta[i], twin_beta[j] - low[j])
        twin_beta[i] += t
        twin_beta[j] -= t
        twin_v -= t * (block[i] - block[j])
        np.testing.assert_allclose(beta, twin_beta, atol=1e-12)
        np.testing.assert_allclose(v, twin_v, atol=1e-12)
    assert abs(beta.sum()) < 1e-12
    scores = np.empty(rows.size)
    assert smo.sum_lines(gram, first, second, size, beta, scores) == np.count_nonzero(beta)
    np.testing.assert_allclose(scores, block @ beta, atol=1e-12)


def test_problems_are_solved_in_their_stretches(rng):
    X = rng.normal(size=(14, 3))
    stretches, bounds = np.array(STRETCHES, dtype=np.int64), np.ones(14)
    sums = sums_of(RBF(0.3), X)
    gram = smo._gram(sums.kernel, sums.near, True, Clock())
    for tol in (1e-2, 1e-8):
        shares = np.zeros((2, 14))
        alone = [smo._whole(sums, gram, stretches[[p]], bounds, shares.copy(), tol, Clock())[0] for p in (0, 1)]
        (found,) = smo._whole(sums, gram, stretches[:1], bounds, shares, tol, Clock())
        assert found.answer.gap <= tol
        assert found.reason == alone[1].reason == "solved"
        assert not shares[0, 5:].any()
        assert not shares[1, :8].any()
        assert not shares[1, 13:].any()
        assert fsum(shares.ravel().tolist()) == 0
        assert found[:2] == alone[0][:2]


def test_matrices_of_kernel_values_are_made_in_blocks(rng, monkeypatch):
    X = rng.normal(size=(23, 3))
    sums = sums_of(RBF(0.3), X)
    whole = sums.kernel.values(sums.near, sums.near)
    for block in (1, 7, 23, 100):
        monkeypatch.setattr(smo, "BLOCK", block)
        made = smo._gram(sums.kernel, sums.near, True, Clock())
        np.testing.assert_allclose(made, whole, rtol=1e-12)
        np.testing.assert_array_equal(made, made.T) if block < 23 else None


@pytest.mark.parametrize("limit", [0, 1e6])
def test_matrices_of_two_classes_share_what_is_within_a_class(limit, rng):
    X = rng.normal(size=(23, 3))
    sums, within = sums_of(RBF(0.3), X), {}
    for first, second in ((slice(0, 7), slice(7, 12)), (slice(0, 7), slice(12, 23)), (slice(7, 12), slice(12, 23))):
        made = smo._pair_gram(sums, first, second, within, limit, Clock())
        some = sums.points.take(np.r_[first, second])
        np.testing.assert_allclose(made, sums.kernel.values(some, some), rtol=1e-12)
    assert len(within) == (3 if limit else 0)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("room", ["few lines", "all lines"])
def test_lines_used_last_are_kept(kind, room, rng, monkeypatch):
    """Where all lines have room and there are many columns, the values with rows of other lines are copied from these."""
    monkeypatch.setattr(smo, "LEAST_SET", 4)
    monkeypatch.setattr(smo, "WIDE", 4)
    monkeypatch.setattr(smo, "MIRRORED", 3)
    X = rng.integers(-9, 10, (12, 4)).astype(float)
    lines = smo.KernelLines(sums_of(Linear(), X), 0 if room == "few lines" else 1e6, kind, Clock())
    for some in ([0, 1], [2, 3], [0, 4], [0, 1, 5, 7], [9, 10, 11]):
        rows = np.array(some)
        places = lines.places(rows)
        np.testing.assert_array_equal(lines.values[places], X[rows] @ X.T)
        block = np.empty((rows.size, rows.size))
        smo.take_block(lines.values, places, rows, block)
        np.testing.assert_array_equal(block, X[rows] @ X[rows].T)


@pytest.mark.parametrize("sized", [False, True])
def test_lines_are_added_up(sized, rng):
    lines = rng.integers(-9, 10, (7, 50)).astype(float)
    for count in range(7):
        scores, sizes = np.ones(50), np.full(50 if sized else 0, 2.0)
        change, places = rng.integers(-3, 4, count).astype(float), rng.permutation(7)[:count]
        smo.add_lines(scores, sizes, change, lines, places)
        np.testing.assert_array_equal(scores, 1 + change @ lines[places])
        np.testing.assert_array_equal(sizes, (2 + np.abs(change) @ lines[places])[: sizes.size])


@pytest.mark.parametrize("kernel", [Linear(), Poly(2, 0.5, 1.0), RBF(0.3)], ids=["linear", "poly", "rbf"])
@pytest.mark.parametrize("at_once", [3, 256])
@pytest.mark.parametrize("kind", [np.float64, np.longdouble])
def test_scores_are_summed_within_their_bounds(kernel, at_once, kind, rng, monkeypatch):
    """Of values that floats hold, exactly; "rbf" against long floats."""
    monkeypatch.setattr(kernel_proof, "AT_ONCE", at_once)
    X = rng.integers(-3, 4, (20, 3)) / 4
    sums, beta = sums_of(kernel, X), np.where(rng.random(20) < 0.3, 0.0, rng.integers(-50, 51, 20) / 7)
    beta[0] -= fsum(beta.tolist())
    scores, error, offset = (sums._linear if type(kernel) is Linear else sums._sums)(beta, kind)
    apart = ((X[:, None] - X) ** 2).sum(axis=2).astype(np.longdouble)
    values = np.exp(-kernel.gamma * apart) if isinstance(kernel, RBF) else kernel.values(sums.points, sums.points)
    true = [sum(Fraction(b) * exact(k) for b, k in zip(beta.tolist(), line, strict=True)) for line in values]
    room = Fraction(1, 2**50) if isinstance(kernel, RBF) else 0  # what the values err by
    assert all(abs(one - exact(made)) <= Fraction(e) + room for one, made, e in zip(true, scores, error, strict=True))
    assert offset == 0
    assert error.max() < 1e-10
    if type(kernel) is not Linear:
        some = rng.permutation(20)[:7]
        few, its, _ = sums._sums(beta, kind, some)
        np.testing.assert_array_equal(np.abs(few - scores[some]) <= its + error[some], True)


def exact(number):
    return Fraction(*number.as_integer_ratio())


@pytest.mark.parametrize("scale", [0.1, 1.0, 5.0])
def test_kernel_values_in_float32_err_by_no_more_than_is_said(scale, rng):
    X = scale * rng.normal(size=(60, 30))
    sums = sums_of(RBF(0.03), X)
    lines = smo.KernelLines(sums, 1e6, np.float32, Clock())
    values = lines.values[lines.places(np.arange(60))].astype(float)
    true = np.exp(-0.03 * ((X[:, None] - X) ** 2).sum(axis=2))
    off = np.abs(values - true)
    assert np.all(off <= sums.single_errors()[:, None] * values + 1e-15)
    assert off.max() > 1e-9


@pytest.mark.parametrize(("C", "tol"), [(1.0, 1e-4), (1.0, 1e-5), (100.0, 1e-4)])
def test_rows_in_doubt_prove_what_all_rows_do(C, tol, rng, monkeypatch):
    """Scores in float32 prove a gap of 1e-4, and leave few rows in doubt for less; with a large C they leave many."""
    X = rng.normal(size=(300, 5))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=300) > 0).astype(int)
    monkeypatch.setattr(smo, "WHOLE", 0)
    monkeypatch.setattr(smo, "SET", 64)
    looked = []
    sums = KernelSums._sums

    def look(self, beta, kind, some=None):
        looked.append(None if some is None else some.size)
        return sums(self, beta, kind, some)

    monkeypatch.setattr(KernelSums, "_sums", look)
    machine = KernelSVM(C=C, tol=tol).fit(X, y)
    assert machine.stop_reason_ == "solved"
    if C == 1:
        assert len(looked) == (tol < 1e-4)
        assert all(rows < 150 for rows in looked)
    gap, objective = exact_gap(machine, X, y)
    assert machine.duality_gap_ >= gap
    assert machine.objective_ == pytest.approx(float(objective), rel=1e-4)


def test_working_sets_go_on_while_the_dual_rises(rng, monkeypatch):
    """With a large C the gap is near 1 for long, which is no limit of floats."""
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    for name, value in {"WHOLE": 0, "SET": 32, "LEAST_SET": 32, "PATIENCE": 20}.items():
        monkeypatch.setattr(smo, name, value)
    assert KernelSVM(C=1000, gamma=0.1, tol=1e-3).fit(X, y).stop_reason_ == "solved"


def fitted(machine, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a gap that is not reached is part of the answer
        return machine.fit(X, y)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_working_sets_end_where_all_rows_do(kernel, rng, monkeypatch):
    """Dense and sparse rows; all lines kept, and some; in float64 and, of which the first is not precise enough for this, in both floats."""
    X = rng.normal(size=(90, 6))
    y = (X[:, 0] + 0.5 * rng.normal(size=90) > 0).astype(int)
    options = {"kernel": kernel, "coef0": 1.0, "degree": 2, "gamma": 0.2}
    whole = KernelSVM(**options, tol=1e-7).fit(X, y)
    monkeypatch.setattr(smo, "WHOLE", 0)
    monkeypatch.setattr(smo, "SET", 20)
    monkeypatch.setattr(smo, "LEAST_SET", 8)
    for columns, size, single, tol in (
        (1, 1.0, 0.0, 1e-7),
        (100, 0.0, 1.0, 1e-7),
        (1, 0.04, 0.0, 1e-4),
        (100, 0.04, 1.0, 1e-4),
    ):
        monkeypatch.setattr(smo, "WIDE", columns)
        monkeypatch.setattr(smo, "SINGLE", single)
        for rows in (X, sparse.csr_array(X)):
            machine = KernelSVM(**options, tol=tol, cache_size=size).fit(rows, y)
            assert machine.stop_reason_ == "solved"
            assert machine.objective_ == pytest.approx(whole.objective_, rel=tol)


def test_every_fit_ends(rng):
    """Rows far from zero, where floats cannot hold what is asked for."""
    for centre in (1e5, 1e9):
        X, y = centre + rng.normal(size=(7, 2)), np.array([0, 1, 2, 0, 1, 2, 0])
        for multiclass in ("ovr", "pairs"):
            machine = fitted(KernelSVM(C=143, kernel="linear", multiclass=multiclass, tol=1e-14), X, y)
            assert machine.stop_reason_ in ("solved", "stalled")
            assert machine.duality_gap_ >= exact_gap(machine, X, y)[0]


def test_a_little_more_of_every_beta_makes_slacks_of_rounding_vanish():
    X, y = np.array([[-437, 681], [464.5, 394], [-382, 699], [-682, -157]]), np.array([0, 1, 1, 0])
    machine = KernelSVM(C=1e4, kernel="poly", gamma=0.25, degree=2, coef0=1.0, tol=1e-8).fit(X, y)
    assert machine.stop_reason_ == "solved"
    assert machine.duality_gap_ >= exact_gap(machine, X, y)[0]
