"""What a machine with a kernel says of its own gap, judged by exact arithmetic."""

import warnings
from math import fsum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer

from exact_machine import exact_gap
from novikoff import KernelSVM
from novikoff.solvers import kernel_proof, smo
from novikoff.solvers.balance import balanced

LONG = [kernel_proof.LONG, 0]  # long floats, and plain ones


def fitted(machine, X, y, weight=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a gap that is not reached is part of the answer
        return machine.fit(X, y, weight)


def check(machine, X, y, weight=None, room=1e-15):
    gap, objective = exact_gap(machine, X, y, weight)
    assert machine.duality_gap_ >= gap
    assert machine.objective_ >= objective * (1 - room)


def cloud(seed, rows, centre):
    rng = np.random.default_rng(seed)
    X = centre + rng.uniform(-1, 1, (rows, 2))
    return X, (X[:, 0] + 0.5 * rng.normal(size=rows) > centre).astype(int)


CANCER, MALIGN = (part[:60] for part in load_breast_cancer(return_X_y=True))
HARD = {
    "linear, far from zero": (KernelSVM(1.0, kernel="linear"), *cloud(0, 30, 1e7)),
    "rbf, far from zero": (KernelSVM(1e4), *cloud(1, 40, 1e6)),
    "large C": (KernelSVM(1e6, kernel="linear"), CANCER, MALIGN),
    "four rows": (KernelSVM(1e4, kernel="linear"), np.arange(1e5, 1e5 + 4)[:, None], np.array([0, 1, 0, 1])),
}


@pytest.mark.parametrize("name", HARD)
def test_machines_that_rounding_fooled_are_solved_and_proved(name):
    machine, X, y = HARD[name]
    check(fitted(machine, X, y), X, y)
    assert machine.stop_reason_ == "solved"


@settings(max_examples=60)
@given(st.data())
def test_no_gap_is_reported_below_the_true_one(data):
    seed = data.draw(st.integers(0, 10**6), label="seed")
    kernel = data.draw(st.sampled_from(["linear", "poly", "rbf", "precomputed"]), label="kernel")
    centre = data.draw(st.sampled_from([0.0, 3.0, 1e4, -1e8]), label="centre")
    C = 10.0 ** data.draw(st.integers(-4, 8), label="log C")
    classes = data.draw(st.integers(2, 3), label="classes")
    form = data.draw(st.sampled_from(["pairs", "ovr"]), label="form")
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(4, 16))
    X = centre + rng.normal(size=(rows, 2)) * [1.0, 10.0 ** rng.integers(-3, 4)]
    y = np.append(np.arange(classes), rng.integers(0, classes, rows - classes))
    weight = rng.choice([0.1, 0.3, 1.0, 2.0], rows) if data.draw(st.booleans(), label="weighted") else None
    values = X @ X.T if kernel == "precomputed" else X
    machine = KernelSVM(C, kernel=kernel, degree=2, coef0=0.3, multiclass=form, time_limit=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_proof, "LONG", data.draw(st.sampled_from(LONG), label="long"))
        whole = data.draw(st.sampled_from([0, 8, 5000]), label="most rows at once")
        patch.setattr(smo, "WHOLE", whole)
        seen = sparse.csr_array(values) if data.draw(st.booleans(), label="sparse") else values
        room = 1e-15 if whole == 5000 else 1e-5  # the objective of many rows is in part that of scores in float32
        check(fitted(machine, seen, y, weight), values, y, weight, room)


def test_scores_of_rows_far_from_zero_are_those_of_rows_near_it():
    """Shifted rows are another problem by their rounding only: their machine is the same but for the bias."""
    rng = np.random.default_rng(2)
    X = np.round(rng.uniform(-1, 1, (40, 2)) * 1024) / 1024  # rows that can be shifted without rounding
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    for kernel in ("linear", "rbf"):
        near = KernelSVM(10.0, kernel=kernel, gamma=1.0, tol=1e-8).fit(X, y)
        far = KernelSVM(10.0, kernel=kernel, gamma=1.0, tol=1e-8).fit(X + 2.0**26, y)
        np.testing.assert_allclose(far.decision_function(X + 2.0**26), near.decision_function(X), atol=1e-3)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30), st.integers(0, 2**30))
def test_alpha_balances_without_rounding(parts, seed):
    rng = np.random.default_rng(seed)
    signs = np.where(np.arange(len(parts)) % 2 == 0, 1.0, -1.0)
    alpha = np.array(parts)
    for some in (signs > 0, signs < 0):  # balanced but for rounding, as steps on pairs leave it
        alpha[some] *= 0.3 / max(0.3, alpha[some].sum())
    lighter = min(alpha[signs > 0].sum(), alpha[signs < 0].sum())
    for some in (signs > 0, signs < 0):
        alpha[some] *= lighter / (alpha[some].sum() or 1.0)
    bounds = alpha * rng.choice([1.0, 2.0], alpha.size) + 1e-9
    exact = balanced(alpha, signs)
    assert fsum(exact * signs) == 0
    assert np.all((exact >= 0) & (exact <= bounds))
    np.testing.assert_allclose(exact, alpha, atol=1e-14)


# What is no kernel


def sigmoid(A, B):
    return np.tanh(A @ B.T - 1.0)


def test_what_is_seen_to_be_no_kernel_is_refused(monkeypatch):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    lopsided = X @ X.T
    lopsided[3, 5] += 1.0
    for whole in (kernel_proof.CHECKED, 30):  # a matrix of more rows is looked at in part
        monkeypatch.setattr(kernel_proof, "CHECKED", whole)
        with pytest.raises(ValueError, match=r"rows (3 and 5|5 and 3) is .* A kernel is symmetric"):
            KernelSVM(kernel="precomputed").fit(lopsided, y)
        with pytest.raises(ValueError, match=r"not a kernel.*(eigenvalue of -|with itself)"):
            KernelSVM(kernel="precomputed").fit(sigmoid(X, X), y)
        with pytest.raises(ValueError, match="not a kernel"):
            KernelSVM(kernel=sigmoid).fit(X, y)
        with pytest.raises(ValueError, match="not a kernel"):
            KernelSVM(kernel="poly", coef0=-5.0).fit(X, y)


def test_rows_of_no_weight_are_no_part_of_the_kernel():
    """Messages count the rows as they were given."""
    values = np.diag([1.0, 1.0, 1.0, -1.0])
    with pytest.raises(ValueError, match="row 3 with itself"):
        KernelSVM(kernel="precomputed").fit(values, [0, 1, 0, 1], sample_weight=[1, 1, 0, 1])
    values[3, 3], values[2, 2] = 1.0, -1.0
    KernelSVM(kernel="precomputed").fit(values, [0, 1, 0, 1], sample_weight=[1, 1, 0, 1])


def test_rounding_in_a_matrix_of_kernel_values_is_no_reason_to_refuse_it():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 3)).astype(np.float32)
    y = (X[:, 0] > 0).astype(int)
    values = np.asarray(X @ X.T, dtype=float)  # of single precision
    values[np.tril_indices(80)] *= 1 + 1e-8
    machine = KernelSVM(kernel="precomputed").fit(values, y)
    assert machine.duality_gap_ <= 1e-4
    assert machine.score(values, y) == KernelSVM(kernel="linear").fit(X, y).score(X, y)


def test_a_function_stands_for_its_values():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    by_function = KernelSVM(10.0, kernel=lambda A, B: (A @ B.T + 1) ** 2, tol=1e-6).fit(X, y)
    by_values = KernelSVM(10.0, kernel="precomputed", tol=1e-6).fit((X @ X.T + 1) ** 2, y)
    np.testing.assert_array_equal(by_function.dual_coef_, by_values.dual_coef_)
    assert by_function.duality_gap_ == by_values.duality_gap_


@pytest.mark.parametrize("form", ["pairs", "ovr"])
@pytest.mark.parametrize("most", [0, 8, 5000])
def test_where_nothing_can_be_proved_no_weights_are_the_answer(form, most, monkeypatch):
    """Kernel values of 1e32, whose rounding errors are larger than all that tells the classes apart."""
    monkeypatch.setattr(smo, "WHOLE", most)
    rng = np.random.default_rng(526348)
    X, y = -1e8 + rng.normal(size=(12, 2)), np.arange(12) % 3
    machine = fitted(KernelSVM(10.0, kernel="poly", degree=2, coef0=0.3, multiclass=form, time_limit=2), X, y)
    check(machine, X, y)
    assert machine.duality_gap_ <= 1


def test_steps_that_get_stuck_begin_anew():
    X, y = [[-437, 681], [464.5, 394], [-382, 699], [-682, -157]], [0, 1, 1, 0]
    machine = fitted(KernelSVM(C=100, kernel="poly", gamma=0.25, degree=2, coef0=1.0), X, y)
    assert machine.stop_reason_ == "solved"
    assert machine.duality_gap_ <= 1e-4


def test_values_that_are_all_zero_are_a_kernel():
    """Of images that are all zero: only the bias is left."""
    svm = KernelSVM(kernel="precomputed").fit(np.zeros((5, 5)), [0, 1, 1, 0, 1])
    assert svm.predict(np.zeros((1, 5))).tolist() == [1]
    assert svm.duality_gap_ <= svm.tol
