"""The fewest rows that must go: equal to what exhaustive search finds, proved from both sides, and the same on every run."""

import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from benchmarks.certificates import problem
from scipy import sparse
from sklearn.datasets import load_iris

from novikoff import check_certificate, fewest_errors, separability, theory
from novikoff.proof.answer.fewest import in_words
from novikoff.proof.check import plain_fewest
from novikoff.proof.problem.pairs import Pairs
from novikoff.proof.search.circuits import Circuits
from novikoff.proof.search.fewest_rows import DistinctRows, FewestRows
from novikoff.proof.search.fractional_cover import Cover
from novikoff.system.clock import Clock

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])


def cancel(vectors):
    """Whether some of these vectors cancel, with weights that are not all 0: the simplex method in fractions, R. G. Bland's rule (1977), on
    the least sum of what keeps sum_i l_i v_i = 0, sum_i l_i = 1 from being so."""
    rows = [*map(list, zip(*vectors, strict=True)), [Fraction(1)] * len(vectors)] if vectors else []
    table = [[*row, Fraction(i == len(rows) - 1)] for i, row in enumerate(rows)]
    basis: list[int | None] = [None] * len(rows)
    while True:
        left = [row for row, name in zip(table, basis, strict=True) if name is None]
        if not sum(row[-1] for row in left):
            return len(vectors) > 0
        entering = next((j for j in range(len(vectors)) if j not in basis and sum(row[j] for row in left) > 0), None)
        if entering is None:
            return False
        can = [
            (row[-1] / row[entering], -1 if basis[i] is None else basis[i], i)
            for i, row in enumerate(table)
            if row[entering] > 0
        ]
        leaving = min(can)[2]
        pivot = [value / table[leaving][entering] for value in table[leaving]]
        table = [
            pivot if i == leaving else [a - row[entering] * b for a, b in zip(row, pivot, strict=True)]
            for i, row in enumerate(table)
        ]
        basis[leaving] = entering


def pair_vectors(X, target, n_classes, intercept):
    """The vectors of every row, as fractions."""
    found = []
    for x, own in zip(X.tolist(), target.tolist(), strict=True):
        z = [*map(Fraction, x), *[Fraction(1)] * intercept]
        rivals = [k for k in range(n_classes) if k != own]
        found.append([[((c == own) - (c == k)) * v for c in range(1, n_classes) for v in z] for k in rivals])
    return found


def exhaustive(X, target, n_classes, intercept, costs):
    """The smallest cost, and all sets of rows that have it."""
    vectors, rows = pair_vectors(X, target, n_classes, intercept), range(len(X))
    least, sets = None, set()
    every = sorted((sum(costs[i] for i in some), some) for r in range(len(X) + 1) for some in combinations(rows, r))
    for cost, gone in every:
        if least is not None and cost > least:
            break
        if not cancel([v for i in rows if i not in gone for v in vectors[i]]):
            least = cost
            sets.add(gone)
    return least, sets


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("sort", ["rows", "whole", "any"])
def test_it_is_the_minimum_of_exhaustive_search(several, sort, rng):
    for _ in range(3):
        X, y = problem(rng, several)
        X, y = X[:6, :2], rng.permutation(y)[:6]
        if len(np.unique(y)) < 2:
            continue
        costs = {"rows": None, "whole": rng.integers(0, 4, len(y)), "any": rng.random(len(y))}[sort]
        intercept = bool(rng.integers(2))
        answer = fewest_errors(X, y, sample_weight=costs, fit_intercept=intercept)
        exact = [Fraction(1)] * len(y) if costs is None else [Fraction(float(cost)) for cost in costs]
        some = [i for i in range(len(y)) if exact[i]]
        classes, target = np.unique(y, return_inverse=True)
        least, sets = exhaustive(X[some], target[some], len(classes), intercept, [exact[i] for i in some])
        assert answer.lower == answer.upper == least
        found = answer.alternatives(1000, None)
        assert found.complete
        assert {tuple(each.tolist()) for each in found.sets} == {tuple(some[i] for i in each) for each in sets}
        document = json.loads(json.dumps(answer.to_dict()))
        plain_fewest.check(document, X.tolist(), [str(label) for label in y.tolist()])
        checked = check_certificate(document, X, y)
        assert (checked.errors_at_least, checked.errors_at_most) == (least, least)


def test_known_minima():
    X, y = load_iris(return_X_y=True)
    X, y = X[y > 0], y[y > 0]
    all_of_it, petal, sepal = fewest_errors(X, y), fewest_errors(X[:, 2:], y), fewest_errors(X[:, :2], y)
    assert [answer.upper for answer in (all_of_it, petal, sepal)] == [1, 3, 25]
    assert all(answer.solved for answer in (all_of_it, petal, sepal))
    assert sorted(str(all_of_it).split(": ")[1].split(" or ")) == ["33", "83"]
    assert sepal.errors == len(sepal.rows) == 25
    assert sepal.verify(X[:, :2], y)
    assert not sepal.verify(X[:, :2], 3 - y)


def test_weights_are_exact_and_wrong_on_the_rows_only(rng):
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    y[:3] = [0, 1, 2]
    answer = fewest_errors(X, y, max_work=1e7)
    scores = [
        [sum(a * Fraction(b) for a, b in zip(line, [*x, 1], strict=True)) for line in answer.weights]
        for x in X.tolist()
    ]
    led = [all(s[own] > s[k] for k in range(3) if k != own) for s, own in zip(scores, y.tolist(), strict=True)]
    assert np.flatnonzero(~np.array(led)).tolist() == sorted(answer.rows.tolist())
    assert answer.errors <= len(answer.rows) == answer.upper
    assert np.allclose(answer.coef, np.array(answer.weights, dtype=float)[:, :-1])


@pytest.mark.parametrize("work", [1.0, 1e5, 1e6])
def test_with_little_work_both_bounds_hold_and_no_row_can_go_back(work, rng):
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
    y[:2] = [0, 1]
    little, more = fewest_errors(X, y, max_work=work), fewest_errors(X, y, max_work=1e8)
    assert little.lower <= more.lower <= more.upper <= little.upper
    assert little.verify(X, y)
    if work > 1:
        for row in little.rows.tolist():
            rest = np.setdiff1d(np.arange(60), np.setdiff1d(little.rows, [row]))
            assert not separability(X[rest], y[rest]).separable
    again = fewest_errors(X, y, max_work=work)
    assert (again.lower, again.rows.tolist(), again.weights) == (little.lower, little.rows.tolist(), little.weights)


def test_equal_rows_go_together_and_costs_add_up():
    X, y = np.repeat(XOR[0], 3, axis=0), np.repeat(XOR[1], 3)
    assert fewest_errors(X, y).upper == 3
    costs = np.array([1, 1, 1, 9, 9, 9, 0.5, 0.25, 0, 9, 9, 9])
    answer = fewest_errors(X, y, sample_weight=costs)
    assert answer.lower == answer.upper == Fraction(3, 4)
    assert sorted(answer.rows.tolist()) == [6, 7]
    assert answer.verify(X, y)


def test_rows_of_zeros_must_go_without_an_intercept():
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]]), np.array([1, 1, 0])
    answer = fewest_errors(X, y, fit_intercept=False)
    assert (answer.lower, answer.upper, answer.rows.tolist()) == (1, 1, [0])
    nothing = fewest_errors(np.zeros((3, 2)), y, fit_intercept=False)
    assert nothing.lower == nothing.upper == 3
    assert nothing.verify(np.zeros((3, 2)), y)
    free = fewest_errors(X, y, sample_weight=[0, 0, 0])
    assert (free.lower, free.upper, free.rows.size) == (0, 0, 0)
    assert free.verify(X, y)


def test_sparse_rows_and_any_scale(rng):
    X, y = rng.integers(-2, 3, size=(12, 3)).astype(float), rng.integers(0, 2, 12)
    y[:2] = [0, 1]
    dense = fewest_errors(X, y)
    given = sparse.csr_array(X)
    answer = fewest_errors(given, y)
    assert (answer.lower, answer.upper) == (dense.lower, dense.upper)
    assert answer.verify(given, y)
    far = fewest_errors(X * [2.0**-300, 1.0, 2.0**300], y)
    assert (far.lower, far.upper) == (dense.lower, dense.upper)


def test_what_is_asked_for_must_make_sense():
    for choices in (
        {"max_work": 0},
        {"max_work": "much"},
        {"time_limit": -1},
        {"fit_intercept": 1},
        {"sample_weight": [1, -1, 1, 1]},
    ):
        with pytest.raises(ValueError, match=next(iter(choices)) if "sample_weight" not in choices else "egative"):
            fewest_errors(*XOR, **choices)
    with pytest.raises(ValueError, match="not known"):
        fewest_errors(np.random.default_rng(0).normal(size=(60, 5)), np.arange(60) % 2, max_work=1e4).alternatives()


@pytest.mark.parametrize("several", [False, True])
def test_what_is_no_witness_is_forgotten(several, rng):
    """Rows that do not cancel are put in as witnesses, and the answer is the minimum nevertheless."""
    X, y = rng.integers(-3, 4, size=(24, 3)).astype(float), rng.integers(0, 2 + several, 24)
    y[:3] = [0, 1, 1 + several]
    pairs = Pairs(X, y, 2 + several, True)
    truth, search = (FewestRows(DistinctRows(pairs, [1] * 24), Clock(), 1e9) for _ in range(2))
    search._begin()
    for row in range(len(search.costs)):
        search._add([row * pairs.n_rivals], {})
    search._begin = lambda: None
    truth.run()
    search.run()
    assert (search.lower, search.upper) == (truth.lower, truth.upper)
    assert truth.lower == truth.upper < 12
    assert not search.cover.active.all()
    nodes = [search.root]
    for node in nodes:  # which grows
        assert all(search.witnesses[j].relation for j in node.packing)
        nodes += node.children


def test_swaps_find_smaller_sets_than_lines(monkeypatch):
    """Random labels of 80 rows in 20 columns: 9 rows fewer in four problems, before any case is looked at."""

    def found():
        for seed in range(4):
            rng = np.random.default_rng(seed)
            X, y = rng.normal(size=(80, 20)), rng.integers(0, 2, 80)
            search = FewestRows(DistinctRows(Pairs(X, y, 2, True), [1] * 80), Clock(), 1e12)
            search._begin()
            yield search.upper

    both = sum(found())
    monkeypatch.setattr(FewestRows, "_swaps", lambda _: None)
    assert both <= sum(found()) - 5


# The two simplex methods


def test_the_cover_is_the_best_one_whatever_is_fixed(rng):
    """Beside SciPy's linear programmes, with the packing as the dual solution."""
    from scipy.optimize import linprog

    cover, sets, costs = Cover(), [], rng.integers(1, 4, 12).astype(float)
    for _ in range(25):
        rows = np.sort(rng.choice(12, size=int(rng.integers(1, 5)), replace=False))
        sets.append(rows)
        cover.add(rows.tolist(), costs[rows].tolist())
        removed = [row for row in cover.rows if rng.random() < 0.1]
        kept = [row for row in cover.rows if row not in removed and rng.random() < 0.1]
        cover.fix(removed, kept)
        inside = cover.kept_witness()
        assert (inside is not None) == any({*s.tolist()} <= {*kept} for s in sets)
        if inside is not None:
            continue
        A = np.array([np.isin(np.arange(12), s) for s in sets], dtype=float)
        bounds = [(1, 1) if i in removed else (0, 0) if i in kept else (0, 1) for i in range(12)]
        peer = linprog(costs, A_ub=-A, b_ub=-np.ones(len(A)), bounds=bounds)
        x = np.zeros(12)
        x[cover.rows] = cover.solve()
        assert np.all(A @ x > 1 - 1e-6)
        assert costs @ x == pytest.approx(peer.fun, abs=1e-3)
        u = np.zeros(len(sets))
        u[list(cover.packing())] = list(cover.packing().values())
        load = u @ A
        bound = (
            u.sum()
            + sum((costs - load)[removed])
            + np.minimum(costs - load, 0)[[i for i in range(12) if i not in removed and i not in kept]].sum()
        )
        assert bound == pytest.approx(peer.fun, abs=1e-3)


def test_walks_reach_the_cheapest_relation(rng):
    from scipy.optimize import linprog

    A = rng.normal(size=(30, 3))
    walk, cost = Circuits(A, np.random.default_rng(0), lambda: None), rng.random(30)
    assert walk.multipliers is None
    for w in walk.minimise(cost):  # noqa: B007
        support = walk.support()
        assert np.linalg.svd(A[support])[1].min() < 1e-8 * 30 or len(support) > 3
    unit = walk.unit
    peer = linprog(cost, A_eq=np.vstack([unit.T, np.ones(30)]), b_eq=[0, 0, 0, 1])
    assert (cost - unit @ w).min() == pytest.approx(peer.fun, abs=1e-7)


# Depth


def test_depth_is_the_fewest_rows_of_a_halfspace(rng):
    X = rng.normal(size=(25, 2))
    for point in (np.zeros(2), X[3], X.mean(axis=0), [9.0, 0.0]):
        found = theory.depth(point, X)
        lines = X - point
        angles = np.arctan2(lines[:, 1], lines[:, 0])
        turns = np.concatenate([angles + np.pi / 2, angles - np.pi / 2])
        turns = np.concatenate([turns - 1e-9, turns + 1e-9])
        counts = [np.count_nonzero(lines @ [np.cos(t), np.sin(t)] >= 0) for t in turns]
        assert found.depth == min(counts)
        inside = [
            sum(v * (Fraction(a) - Fraction(b)) for v, a, b in zip(found.direction, x, point, strict=True)) >= 0
            for x in X.tolist()
        ]
        assert np.flatnonzero(inside).tolist() == sorted(found.rows.tolist())


def test_depth_in_many_dimensions_and_at_the_corners(rng):
    cube = np.array(np.meshgrid(*[[0.0, 1.0]] * 4)).reshape(4, -1).T
    assert theory.depth([0.5] * 4, cube).depth == 8
    assert theory.depth([0.0] * 4, cube).depth == 1
    assert theory.depth([1.5] * 4, cube).depth == 0
    assert theory.depth([1.0, 2.0], [[1.0, 2.0]] * 3).depth == 3
    with pytest.raises(ValueError, match="3 numbers"):
        theory.depth([0.0] * 3, cube)


def test_where_classes_are_proved_not_to_be_separable_a_row_must_go(rng):
    X, y = rng.normal(size=(3000, 4)), np.arange(3000) % 2
    found = fewest_errors(X, y, time_limit=1e-6)
    assert found.lower == 0
    assert in_words(found, which=False).startswith("between 0 and ")
    assert in_words(found, which=False, least=1) == f"between 1 and {found.upper:,} rows must go"
