"""What a linear support vector machine hands back, audited in fractions: no number that it claims is better than the truth."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from machines import hinge_svm
from novikoff import KernelSVM, separability
from novikoff.solvers.audit import relative_gap
from novikoff.solvers.balance import balanced, circulating, circulation, flows_of
from novikoff.solvers.shifted_rows import far_centre, shifted


def fractions(values):
    return [Fraction(value) for value in np.asarray(values, dtype=float).ravel().tolist()]


def dot(one, other):
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


def exact_values(machine, X, y, weight=None):
    """P and D of every problem of a machine from its published attributes; P is None where a slack costs infinity."""
    rows = [fractions(row) for row in (X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=float))]
    target = np.searchsorted(machine.classes_, y)
    costs = machine.C * (np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float))
    shares = np.zeros((len(machine.coef_), len(y)))
    shares[:, machine.support_] = machine.dual_coef_
    if machine.fit_intercept:
        assert all(sum(fractions(row)) == 0 for row in shares)
    W, B, S = [fractions(w) for w in machine.coef_], fractions(machine.intercept_), [fractions(row) for row in shares]
    scores = [[dot(w, row) + b for w, b in zip(W, B, strict=True)] for row in rows]
    V = [[dot(share, column) for column in zip(*rows, strict=True)] for share in S]
    squares = [(dot(w, w) / 2, dot(v, v) / 2) for w, v in zip(W, V, strict=True)]
    if machine.multiclass == "crammer_singer" and len(W) > 1:
        slack = [
            1 - min(own[t] - own[k] for k in range(len(W)) if k != t) for own, t in zip(scores, target, strict=True)
        ]
        alpha = [[-S[k][i] for k in range(len(W)) if k != t] for i, t in enumerate(target)]
        assert min(min(row) for row in alpha) >= 0
        assert all(
            sum(row) == S[t][i] <= cost for i, (row, t, cost) in enumerate(zip(alpha, target, costs, strict=True))
        )
        primal = cost_of(slack, costs, False)
        norms, made = (sum(part) for part in zip(*squares, strict=True))
        return [(None if primal is None else norms + primal, sum(map(sum, alpha)) - made)]
    values, squared = [], machine.loss_ == "squared_hinge"
    for k, (norm, made) in enumerate(squares):
        signs = [1 if t == (k if len(W) > 1 else 1) else -1 for t in target]
        alpha = [sign * share for sign, share in zip(signs, S[k], strict=True)]
        assert min(alpha) >= 0
        assert squared or all(a <= cost for a, cost in zip(alpha, costs, strict=True))
        primal = cost_of([1 - sign * own[k] for sign, own in zip(signs, scores, strict=True)], costs, squared)
        less = sum(a * a / (4 * Fraction(cost)) for a, cost in zip(alpha, costs, strict=True)) if squared else 0
        values.append((None if primal is None else norm + primal, sum(alpha) - made - less))
    return values


def cost_of(slack, costs, squared):
    held = [(xi, cost) for xi, cost in zip(slack, costs.tolist(), strict=True) if xi > 0]
    if any(np.isinf(cost) for _, cost in held):
        return None
    return sum((Fraction(cost) * (xi * xi if squared else xi) for xi, cost in held), Fraction(0))


def audit(machine, X, y, weight=None):
    """Everything that is claimed is true."""
    values = exact_values(machine, X, y, weight)
    assert None not in [primal for primal, _ in values]
    assert sum(primal for primal, _ in values) <= Fraction(machine.objective_) * (1 + len(values) * Fraction(2) ** -52)
    gap = max(float((primal - dual) / primal) if primal else 0.0 for primal, dual in values)
    assert gap <= machine.duality_gap_ + 1e-15
    assert (machine.stop_reason_ == "solved") == (machine.duality_gap_ <= machine.tol)
    if np.isinf(machine.C):
        assert machine.score(X, y) == 1.0
        assert not machine.slack_.any()


def fitted(machine, X, y, weight=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return machine.fit(X, y, weight)


# The hard margin


@pytest.mark.parametrize("form", ["ovr", "crammer_singer"])
def test_a_hard_margin_that_floats_cannot_hold_is_refused(form):
    X, y = [[2.0**53 - 1], [2.0**53]], [0, 1]
    assert separability(X, y).separable
    with pytest.raises(ValueError, match="rounded to float64 do not: subtract its mean from each column"):
        hinge_svm(np.inf, multiclass=form).fit(X, y)


def test_three_classes_where_floats_hold_a_hard_margin_coarsely():
    X, y = np.array([[2.0**53 - 2], [2.0**53 - 1], [2.0**53]]), np.arange(3)
    machine = fitted(hinge_svm(np.inf, multiclass="crammer_singer"), X, y)
    audit(machine, X, y)
    assert machine.stop_reason_ == "stalled"  # shorter weights separate, but floats cannot hold them


@pytest.mark.parametrize("far", [1e8, 1e12, 2.0**52])
def test_a_hard_margin_far_from_zero_is_that_of_the_weights_handed_back(far):
    X, y = [[far], [far + 1]], [0, 1]
    machine = fitted(hinge_svm(np.inf), X, y)
    audit(machine, X, y)
    assert machine.objective_ >= 2.0
    assert machine.margin_ == 1 / abs(machine.coef_[0, 0])


kinds = st.sampled_from(["scales", "far", "alike", "close"])


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), kinds, st.sampled_from(["ovr", "crammer_singer"]), st.booleans())
def test_ill_conditioned_hard_margins_are_true_or_refused(seed, kind, form, intercept):
    rng = np.random.default_rng(seed)
    X, y = ill_conditioned(rng, kind)
    machine = hinge_svm(np.inf, multiclass=form, fit_intercept=intercept)
    try:
        fitted(machine, X, y)
    except ValueError as error:
        assert "C=inf asks for a hard margin" in str(error)  # noqa: PT017 (either is right)
        return
    audit(machine, X, y)


def ill_conditioned(rng, kind):
    rows, columns, classes = int(rng.integers(3, 12)), int(rng.integers(1, 5)), int(rng.integers(2, 5))
    X = rng.normal(size=(rows, columns))
    y = np.append([0, 1], (X @ rng.normal(size=(columns, classes))).argmax(axis=1)[2:])
    if kind == "scales":
        X = X * 10.0 ** rng.integers(-8, 9, columns)
    if kind == "far":
        X = X + rng.normal(size=columns) * 10.0 ** rng.integers(3, 16, columns)
    if kind == "alike":
        X = np.column_stack([X, X[:, 0] * (1 + 1e-9 * rng.normal(size=rows))])
    if kind == "close":
        X = np.round(X)
        X[:, 0] += y * 10.0 ** rng.integers(-15, -5)
    return X, y


# Finite C


@settings(max_examples=60)
@given(
    st.integers(0, 2**32 - 1),
    kinds,
    st.sampled_from([("hinge", "ovr"), ("squared_hinge", "ovr"), ("hinge", "crammer_singer")]),
    st.booleans(),
    st.integers(-3, 8),
)
def test_no_gap_is_smaller_than_the_truth(seed, kind, what, intercept, power):
    rng = np.random.default_rng(seed)
    X, y = ill_conditioned(rng, kind)
    weight = rng.choice([0.5, 1.0, 3.0], len(y))
    loss, form = what
    machine = hinge_svm(
        10.0**power, loss=loss, multiclass=form, fit_intercept=intercept, time_limit=5.0, random_state=0
    )
    fitted(machine, X, y, weight)
    if machine.stop_reason_ != "time":
        audit(machine, X, y, weight)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [1.0, 1e6, 1e8])
@pytest.mark.parametrize("seed", range(3))
def test_rows_far_from_zero_are_solved(loss, C, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] + rng.normal(size=40) > 0).astype(int)
    machine = hinge_svm(C, loss=loss, random_state=0).fit(X + 1e8, y)
    assert machine.stop_reason_ == "solved"
    audit(machine, X + 1e8, y)
    slack = np.maximum(0, 1 - np.where(y == 1, 1, -1) * [float(value) for value in exact_scores(machine, X + 1e8)])
    np.testing.assert_allclose(machine.slack_, slack, rtol=1e-12, atol=1e-12)


def exact_scores(machine, X):
    w, b = fractions(machine.coef_), Fraction(machine.intercept_[0])
    return [dot(w, fractions(row)) + b for row in X]


@settings(max_examples=100)
@given(st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)), min_size=1, max_size=6), st.floats(-1e9, 1e9))
def test_a_bias_is_shifted_with_one_rounding(terms, b):
    w, centre = np.array(terms).T
    assert shifted(w, b, centre, 1) == float(Fraction(b) + dot(fractions(w), fractions(centre)))
    assert shifted(w, b, None, 1) == b


def test_only_columns_far_from_zero_are_shifted():
    X = np.random.default_rng(0).normal([0.0, 1e6, 0.0], size=(50, 3))
    centre = far_centre(X)
    assert centre[0] == centre[2] == 0.0
    assert abs(centre[1] - 1e6) < 10
    assert far_centre(X - centre) is None
    assert far_centre(sparse.csr_array(X)) is None


# Dual points


@settings(max_examples=100)
@given(st.lists(st.tuples(st.floats(0, 1e10), st.booleans()), min_size=2, max_size=30))
def test_two_classes_are_balanced_exactly(rows):
    alpha = np.array([value for value, _ in rows])
    signs = np.array([1.0 if side else -1.0 for _, side in rows])
    found = balanced(alpha, signs)
    assert dot(fractions(found), fractions(signs)) == 0
    assert np.all((found >= 0) & (found <= alpha))
    lighter = min(alpha[signs > 0].sum(), alpha[signs < 0].sum())
    smallest = np.finfo(float).tiny  # what is below it may vanish
    assert found.sum() >= 2 * lighter - 1e-13 * alpha.sum() - len(rows) * smallest


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(3, 6))
def test_several_classes_are_balanced_exactly(seed, classes):
    rng = np.random.default_rng(seed)
    target = np.append(np.arange(classes), rng.integers(0, classes, 12))
    alpha = np.where(rng.random((target.size, classes)) < 0.5, rng.random((target.size, classes)), 0.0)
    alpha[np.arange(target.size), target] = 0.0
    found = circulating(alpha, target)
    flows = [[sum(fractions(found[target == k, rival])) for rival in range(classes)] for k in range(classes)]
    assert all(sum(flows[k]) == sum(row[k] for row in flows) for k in range(classes))
    assert np.all((found >= 0) & (found <= alpha))


def test_a_circulation_keeps_cycles_and_drops_paths():
    chain = np.diag([1.0, 1.0, 1.0], k=1)  # 0 gives 1, 1 gives 2, 2 gives 3: nobody gives back
    assert not circulation(chain).any()
    ring = chain.copy()
    ring[3, 0] = 0.25
    np.testing.assert_array_equal(circulation(ring), ring * [[0.25], [0.25], [0.25], [1.0]])
    target, alpha = np.arange(4), ring
    np.testing.assert_array_equal(flows_of(alpha, target), ring)


def test_four_classes_in_a_chain_are_proved():
    """Their best biases are farther apart than the longest row is long."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]]) * 1e4 + 1e6
    for C in (1e-6, 1.0, 1e4):
        machine = fitted(hinge_svm(C, multiclass="crammer_singer"), X, [0, 1, 2, 3])
        audit(machine, X, np.arange(4))
        assert machine.stop_reason_ == "solved"


def test_values_are_rounded_away_from_each_other():
    """The primal never below, the dual never above the truth: also of zero weights, and of a gap near one."""
    X = np.random.default_rng(1).standard_normal((1003, 2))
    y = np.arange(1003) % 2
    for machine in (hinge_svm(C=0.7, time_limit=1e-9), KernelSVM(C=0.7, kernel="linear", time_limit=1e-9)):
        objective = machine.fit(X, y).objective_
        assert Fraction(objective) >= 2 * 501 * Fraction(0.7)
    for primal, dual in ((3.0, 1.0), (1.0, 1e-17), (0.1, 0.09999999999999999), (7.0, -2.0)):
        gap = Fraction(relative_gap(primal, dual, 0.0))
        assert Fraction(primal) * (1 - gap) <= Fraction(dual)


def test_a_support_without_weights_is_solved():
    X = [[-0.0], [-20], [-40], [110.00000000000001], [-110.00000000000001], [80], [-50], [10], [-40]]
    machine = KernelSVM(C=0.04, kernel="linear").fit(X, [1, 0, 1, 1, 1, 0, 1, 0, 1])
    assert machine.stop_reason_ == "solved"


def test_numbers_beyond_the_solver_end_in_words():
    X = [[0, -3, 2], [-2, 3, -3], [2, -1, 1], [3, 2, -3], [-2, 3, -3], [3, 2, -3]]
    machine = hinge_svm(C=1e22, multiclass="crammer_singer", time_limit=20).fit(X, [2, 0, 1, 0, 1, 1])
    assert machine.stop_reason_ in ("solved", "stalled")


def test_no_hard_margin_without_an_intercept_says_so():
    with pytest.raises(ValueError, match=r"no weights without an intercept separate.*or fit_intercept=True"):
        hinge_svm(C=np.inf, fit_intercept=False).fit([[1.0], [2.0]], [0, 1])
