"""Support vector machines: every answer is proved, and agrees with other solvers, limits and identities."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import scale
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from common import seeded
from machines import hinge_svm
from novikoff import KernelSVM, LinearSVM, separability, svm_kkt, svm_path

IRIS, SPECIES = load_iris(return_X_y=True)
CANCER, MALIGN = load_breast_cancer(return_X_y=True)
WINE, GRAPE = load_wine(return_X_y=True)
WINE = scale(WINE)
TWO, TWO_LABELS = IRIS[SPECIES > 0], SPECIES[SPECIES > 0]  # they overlap


def noisy(rows, columns, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    right = X @ rng.normal(size=columns) > 0
    return X, np.where(rng.random(rows) < 0.2, ~right, right).astype(int)


BASE, LABELS = noisy(200, 3)
SPARSE = sparse.random_array(
    (300, 200), density=0.05, rng=seeded("sparse"), data_sampler=seeded("values").normal
).toarray()
COINS = seeded("coins").permutation(300) % 2
DATA = {
    "cancer": (CANCER, MALIGN),
    "cancer, scaled": (scale(CANCER), MALIGN),
    "overlap": (TWO, TWO_LABELS),
    "apart": (IRIS, (SPECIES == 0).astype(int)),
    "badly scaled": (BASE * [1e-4, 1, 1e4], LABELS),
    "far from zero": (BASE + 1000, LABELS),
    "tiny": (BASE * 1e-6, LABELS),
    "huge": (BASE * 1e5, LABELS),
    "wide": (SPARSE[:60], COINS[:60]),
    "sparse": (sparse.csr_array(SPARSE), COINS),
    "wide and sparse": (sparse.csr_array(SPARSE[:80]), COINS[:80]),
    "repeated": (np.repeat(seeded("repeated").integers(0, 2, (40, 4)), 5, axis=0).astype(float), COINS[:200]),
    "zeros": (np.zeros((20, 3)), np.arange(20) % 2),
    "few of one class": (noisy(500, 4)[0], (np.arange(500) < 3).astype(int)),
}


def dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def values(machine, X, y, C):
    """Both objectives, from published attributes alone."""
    X, signs = dense(X), np.where(y == machine.classes_[1], 1.0, -1.0)
    slack = np.maximum(0, 1 - signs * (X @ machine.coef_[0] + machine.intercept_[0]))
    alpha = np.zeros(len(y))
    alpha[machine.support_] = machine.dual_coef_[0] * signs[machine.support_]
    squared = machine.loss_ == "squared_hinge"
    w = X.T @ (alpha * signs)
    primal = 0.5 * machine.coef_[0] @ machine.coef_[0] + C * (slack**2 if squared else slack).sum()
    dual = alpha.sum() - 0.5 * w @ w - (alpha @ alpha / (4 * C) if squared else 0)
    assert alpha.min() >= 0
    assert squared or alpha.max() <= C * (1 + 1e-15)
    if machine.fit_intercept:
        assert abs(alpha @ signs) <= 1e-12 * max(alpha.sum(), 1e-300)
    return primal, dual


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("intercept", [True, False])
def test_every_fit_is_proved(name, loss, intercept):
    X, y = DATA[name]
    for C in (1e-6, 1e-2, 1.0, 1e3, 1e6):
        machine = hinge_svm(C, loss=loss, fit_intercept=intercept, random_state=0).fit(X, y)
        primal, dual = values(machine, X, y, C)
        assert dual <= primal * (1 + 1e-12)
        assert primal - dual <= 1.1e-6 * primal
        assert machine.stop_reason_ == "solved"
        assert machine.duality_gap_ <= 1e-6
        assert primal <= machine.objective_ * (1 + 1e-12)  # it has all that rounding may hide
        assert machine.objective_ - dual <= 1e-6 * machine.objective_ * (1 + 1e-9)
        assert machine.history_["gap"][-1] == machine.duality_gap_


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("name", ["overlap", "apart", "cancer, scaled"])
def test_coefficients_are_those_of_libsvm(name, C):
    X, y = DATA[name]
    X = np.round(8 * X) / 8  # LIBSVM keeps kernel values in single precision: these are exact
    ours = hinge_svm(C, tol=1e-10).fit(X, y)
    theirs = SVC(kernel="linear", C=C, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-5 * np.abs(theirs.coef_).max())
    assert ours.objective_ <= values_of(theirs, X, y, C) * (1 + 1e-9)


def values_of(theirs, X, y, C):
    signs = np.where(y == theirs.classes_[1], 1, -1)
    return 0.5 * float(np.sum(theirs.coef_**2)) + C * float(
        np.maximum(0, 1 - signs * theirs.decision_function(X)).sum()
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_general_solver_finds_the_same(seed, loss):
    X, y = noisy(25, 3, seed)
    signs, C = 2.0 * y - 1, 0.7
    squared = loss == "squared_hinge"

    def objective(v):
        return 0.5 * v[:3] @ v[:3] + C * (v[4:] @ v[4:] if squared else v[4:].sum())

    def slope(v):
        return np.concatenate([v[:3], [0.0], 2 * C * v[4:] if squared else np.full(25, C)])

    rows = np.column_stack([signs[:, None] * X, signs, np.eye(25)])
    constraint = {"type": "ineq", "fun": lambda v: rows @ v - 1, "jac": lambda v: rows}
    start = np.concatenate([np.zeros(4), np.ones(25)])
    bounds = [(None, None)] * 4 + [(0, None)] * 25
    options = {"ftol": 1e-14, "maxiter": 500}
    found = minimize(
        objective, start, jac=slope, constraints=[constraint], bounds=bounds, method="SLSQP", options=options
    )
    ours = hinge_svm(C, loss=loss, tol=1e-9).fit(X, y)
    assert ours.objective_ == pytest.approx(found.fun, rel=1e-7)
    np.testing.assert_allclose(ours.coef_[0], found.x[:3], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("solver", ["interior", "descent"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_solvers_agree(solver, intercept, loss):
    X, y = noisy(300, 6)
    sure = hinge_svm(loss=loss, fit_intercept=intercept, tol=1e-9).fit(X, y)
    for rows in (X, sparse.csr_array(X), X.astype(np.float32)):
        other = hinge_svm(loss=loss, fit_intercept=intercept, solver=solver, random_state=1).fit(rows, y)
        assert other.solver_ in ("newton" if solver == "interior" else solver, f"{solver}+newton")
        assert other.objective_ == pytest.approx(sure.objective_, rel=2e-6)
        assert svm_kkt(other, rows, y).holds(2e-3)


def test_many_rows_are_zoomed_in_on():
    X, y = noisy(20_000, 5)
    for intercept in (True, False):
        machine = hinge_svm(fit_intercept=intercept, tol=1e-8, random_state=0).fit(X, y)
        assert machine.duality_gap_ <= 1e-8
        assert svm_kkt(machine, X, y).holds(1e-3)


# The hard margin


@pytest.mark.parametrize("name", ["cancer", "apart"])
@pytest.mark.parametrize("intercept", [True, False])
def test_hard_margin_is_the_largest_and_the_limit(name, intercept):
    X, y = DATA[name]
    proof = separability(X, y, fit_intercept=intercept, max_margin=True)
    if not proof.separable:
        with pytest.raises(ValueError, match="hard margin"):
            hinge_svm(np.inf, fit_intercept=intercept).fit(X, y)
        return
    hard = hinge_svm(np.inf, fit_intercept=intercept).fit(X, y)
    assert hard.solver_ == "separability"
    assert hard.margin_ == pytest.approx(proof.margin, rel=1e-9)
    assert hard.duality_gap_ <= 1e-6
    assert hard.slack_.max() <= 1e-9
    large = hinge_svm(1e6 if name == "apart" else 1e10, fit_intercept=intercept).fit(X, y)
    assert large.margin_ == pytest.approx(hard.margin_, rel=1e-4)
    assert np.array_equal(large.predict(X), y)


def test_inseparable_rows_have_no_hard_margin():
    with pytest.raises(
        ValueError, match=r"no weights separate the classes(.|\n)*convex hulls of the classes meet: 6 rows"
    ):
        hinge_svm(np.inf).fit(TWO, TWO_LABELS)
    with pytest.raises(ValueError, match="of class 1 against the rest"):
        hinge_svm(np.inf).fit(IRIS, SPECIES)
    with pytest.raises(ValueError, match="hard margin"):
        hinge_svm(np.inf, multiclass="crammer_singer").fit(IRIS, SPECIES)


@pytest.mark.parametrize("form", ["ovr", "crammer_singer"])
def test_hard_margin_of_several_classes(form):
    hard = hinge_svm(np.inf, multiclass=form).fit(WINE, GRAPE)
    large = hinge_svm(1e6, multiclass=form, tol=1e-8).fit(WINE, GRAPE)
    np.testing.assert_allclose(hard.margin_, large.margin_, rtol=1e-4)
    assert hard.duality_gap_ <= 1e-6
    assert svm_kkt(hard, WINE, GRAPE).holds(1e-5)
    if form == "crammer_singer":
        proof = separability(WINE, GRAPE, max_margin=True)
        assert hard.margin_ == pytest.approx(proof.margin, rel=1e-6)


# Several classes


def test_one_against_the_rest_is_one_fit_each():
    machine = hinge_svm(tol=1e-9).fit(IRIS, SPECIES)
    for k in range(3):
        alone = hinge_svm(tol=1e-9).fit(IRIS, np.equal(SPECIES, k))
        np.testing.assert_allclose(machine.coef_[k], alone.coef_[0], rtol=1e-5, atol=1e-6)
        assert machine.margin_[k] == pytest.approx(alone.margin_, rel=1e-6)
        np.testing.assert_allclose(machine.slack_[:, k], alone.slack_, atol=1e-5)


@pytest.mark.parametrize("solver", ["interior", "descent"])
@pytest.mark.parametrize("C", [0.001, 0.1])
def test_crammer_singer_is_that_of_liblinear(solver, C):
    ours = hinge_svm(C, multiclass="crammer_singer", fit_intercept=False, solver=solver, random_state=0).fit(
        WINE, GRAPE
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = LinearSVC(
            C=C, multi_class="crammer_singer", fit_intercept=False, max_iter=100_000, tol=1e-9, random_state=0
        ).fit(WINE, GRAPE)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-2, atol=1e-3)
    assert ours.duality_gap_ <= 1e-6
    assert svm_kkt(ours, WINE, GRAPE).holds(2e-3)


@pytest.mark.parametrize("C", [1e-6, 1e-2, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("intercept", [True, False])
def test_crammer_singer_is_proved(C, intercept):
    for rows in (IRIS, sparse.csr_array(IRIS)):
        machine = hinge_svm(C, multiclass="crammer_singer", fit_intercept=intercept).fit(rows, SPECIES)
        assert machine.duality_gap_ <= 1e-6
        assert machine.slack_.shape == (150,)
        leads = machine.decision_function(rows)
        own = leads[np.arange(150), SPECIES].copy()
        leads[np.arange(150), SPECIES] = -np.inf
        slack = np.maximum(0, 1 - own + leads.max(axis=1))
        np.testing.assert_allclose(machine.slack_, slack, atol=1e-12)  # (its own scores are rounded less)


def test_crammer_singer_of_two_classes_is_the_binary_machine():
    joint = hinge_svm(multiclass="crammer_singer").fit(TWO, TWO_LABELS)
    assert np.array_equal(joint.coef_, hinge_svm().fit(TWO, TWO_LABELS).coef_)


def test_crammer_singer_of_many_features():
    X, y = load_digits(return_X_y=True)
    joint = hinge_svm(0.01, multiclass="crammer_singer", solver="descent", tol=1e-2, random_state=0).fit(X, y)
    assert joint.duality_gap_ <= 1e-2
    assert joint.score(X, y) > 0.97


# Weights of rows and classes


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_a_weight_is_a_repetition_and_zero_is_no_row(loss, convert, rng):
    weight = rng.integers(0, 4, len(TWO))
    weighted = hinge_svm(loss=loss, tol=1e-9).fit(convert(TWO), TWO_LABELS, sample_weight=weight)
    repeated = hinge_svm(loss=loss, tol=1e-9).fit(
        convert(np.repeat(TWO, weight, axis=0)), np.repeat(TWO_LABELS, weight)
    )
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-4, atol=1e-6)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-8)
    assert weighted.slack_.shape == (100,)
    assert not np.isin(weighted.support_, np.flatnonzero(weight == 0)).any()
    assert svm_kkt(weighted, TWO, TWO_LABELS, weight).holds()


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("choices", [{}, {"kernel": "poly", "degree": 2}, {"class_weight": "balanced"}], ids=str)
@pytest.mark.parametrize("several", [False, True])
def test_a_weight_is_a_repetition_also_for_the_scale_of_a_kernel(several, choices, convert, rng):
    X, y = (IRIS[::3], SPECIES[::3]) if several else (TWO, TWO_LABELS)
    weight = rng.integers(0, 4, len(y))
    weighted = KernelSVM(tol=1e-8, **choices).fit(convert(X), y, sample_weight=weight)
    repeated = KernelSVM(tol=1e-8, **choices).fit(convert(np.repeat(X, weight, axis=0)), np.repeat(y, weight))
    assert weighted._kernel.gamma == pytest.approx(repeated._kernel.gamma, rel=1e-12)
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-3, atol=1e-3)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-7)
    assert svm_kkt(weighted, convert(X), y, weight).holds()


def test_class_weights_leave_the_scale_of_a_kernel_as_it_is():
    machine = KernelSVM(class_weight={1: 5.0, 2: 0.5}).fit(TWO, TWO_LABELS)
    assert machine._kernel.gamma == 1 / (TWO.shape[1] * TWO.var())


def test_class_weight():
    given = hinge_svm(class_weight={1: 2.0, 2: 0.5}).fit(TWO, TWO_LABELS)
    same = hinge_svm().fit(TWO, TWO_LABELS, np.where(TWO_LABELS == 1, 2.0, 0.5))
    np.testing.assert_allclose(given.coef_, same.coef_)
    uneven = np.r_[0:50, 50:60]
    balanced = hinge_svm(class_weight="balanced").fit(TWO[uneven], TWO_LABELS[uneven])
    plain = SVC(kernel="linear", class_weight="balanced", tol=1e-8).fit(TWO[uneven], TWO_LABELS[uneven])
    np.testing.assert_allclose(balanced.coef_, plain.coef_, rtol=1e-3, atol=1e-3)


# Running out of time, starting warm, the path


def test_time_limit_reports_the_gap():
    X, y = noisy(3000, 30)
    with pytest.warns(ConvergenceWarning, match=r"time_limit=1e-05 ended the fit at a relative duality gap of"):
        machine = hinge_svm(time_limit=1e-5).fit(X, y)
    assert machine.stop_reason_ == "time"
    assert machine.duality_gap_ > 1e-6
    assert np.isfinite(machine.coef_).all()


def test_what_floats_cannot_reach_is_said():
    with pytest.warns(ConvergenceWarning, match="no method could make the gap smaller"):
        machine = hinge_svm(1e6, tol=1e-300).fit(CANCER, MALIGN)
    assert machine.stop_reason_ == "stalled"


@pytest.mark.parametrize("solver", ["auto", "descent"])
def test_warm_start(solver):
    machine = hinge_svm(solver=solver, warm_start=True, random_state=0).fit(TWO, TWO_LABELS)
    machine.fit(TWO, TWO_LABELS)
    assert machine.n_iter_ == 0
    assert machine.duality_gap_ <= 1e-6
    for C in (2.0, 0.1):
        warm = machine.set_params(C=C).fit(TWO, TWO_LABELS)
        cold = hinge_svm(C).fit(TWO, TWO_LABELS)
        assert warm.objective_ == pytest.approx(cold.objective_, rel=3e-6)
    machine.fit(TWO[:80], TWO_LABELS[:80])
    assert machine.duality_gap_ <= 1e-6


def test_warm_start_of_all_classes_at_once():
    machine = hinge_svm(multiclass="crammer_singer", warm_start=True).fit(IRIS, SPECIES)
    assert machine.fit(IRIS, SPECIES).n_iter_ == 0
    assert machine.set_params(C=3.0).fit(IRIS, SPECIES).duality_gap_ <= 1e-6
    assert machine.set_params(multiclass="ovr").fit(IRIS, SPECIES).duality_gap_ <= 1e-6
    assert machine.set_params(multiclass="crammer_singer").fit(IRIS[:90], SPECIES[:90]).coef_.shape == (1, 4)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_newton_needs_no_matrix_of_very_many_columns(loss):
    wide = sparse.eye_array(4000, format="csr")
    machine = hinge_svm(loss=loss, solver="newton").fit(wide, np.arange(4000) % 2)
    assert (machine.solver_, machine.stop_reason_) == ("newton", "solved")


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_path(loss):
    path = svm_path(TWO, TWO_LABELS, C=[0.01, 0.1, 1, 10], loss=loss, tol=1e-8)
    assert path.coef.shape == (4, 1, 4)
    assert path.duality_gap.max() <= 1e-8
    assert np.all(np.diff(path.n_support) <= 0)
    for C, coef in zip(path.C, path.coef, strict=True):
        np.testing.assert_allclose(
            coef, hinge_svm(C, loss=loss, tol=1e-8).fit(TWO, TWO_LABELS).coef_, rtol=1e-3, atol=1e-4
        )
    assert svm_path(TWO, TWO_LABELS).C.size == 13


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_a_start_that_is_good_enough_is_kept(loss):
    """It is proved for the new C, and ``solver_`` has a word that ``solver`` takes."""
    machine = hinge_svm(loss=loss, tol=1e-3, warm_start=True).fit(TWO, TWO_LABELS)
    used = machine.solver_
    machine.set_params(C=1.0001).fit(TWO, TWO_LABELS)
    assert (machine.n_iter_, machine.solver_, machine.stop_reason_) == (0, used, "solved")
    assert 0 < machine.duality_gap_ <= 1e-3


# Evidence and messages


@pytest.mark.parametrize(
    "machine",
    [
        hinge_svm(),
        hinge_svm(loss="squared_hinge"),
        hinge_svm(multiclass="crammer_singer", tol=1e-8),
        hinge_svm(fit_intercept=False),
        KernelSVM(tol=1e-7),
    ],
    ids=repr,
)
def test_kkt_conditions_hold_and_notice(machine):
    fitted = clone(machine).fit(IRIS, SPECIES)
    assert svm_kkt(fitted, IRIS, SPECIES).holds(1e-3)
    assert set(svm_kkt(fitted, IRIS, SPECIES)._fields) == {"weights", "bounds", "balance", "slackness"}
    fitted.dual_coef_ = fitted.dual_coef_ * 1.5
    assert not svm_kkt(fitted, IRIS, SPECIES).holds(1e-3)


def test_support_vectors_are_those_on_or_beyond_the_margin():
    machine = hinge_svm().fit(TWO, TWO_LABELS)
    margins = np.where(TWO_LABELS == 2, 1, -1) * machine.decision_function(TWO)
    assert np.array_equal(np.flatnonzero(margins < 1 + 1e-6), machine.support_)
    np.testing.assert_allclose(machine.dual_coef_ @ TWO[machine.support_], machine.coef_, rtol=1e-6)
    np.testing.assert_allclose(machine.signed_distance(TWO) / machine.margin_, machine.decision_function(TWO))


@pytest.mark.parametrize("machine", [hinge_svm(), KernelSVM()])
def test_probabilities_come_from_calibration(machine):
    machine.fit(TWO, TWO_LABELS)
    assert not hasattr(machine, "predict_proba")
    with pytest.raises(AttributeError, match="CalibratedClassifierCV"):
        machine.predict_proba(TWO)
    calibrated = CalibratedClassifierCV(clone(machine), cv=3).fit(TWO, TWO_LABELS)
    assert calibrated.predict_proba(TWO).shape == (100, 2)


def test_clear_errors():
    for parameters, message in (
        ({"C": 0}, "C"),
        ({"C": -1.0}, "C"),
        ({"C": np.nan}, "C"),
        ({"loss": "logistic"}, "loss"),
        ({"multiclass": "crammer_singer", "loss": "squared_hinge"}, "only with the hinge loss"),
        ({"solver": "magic"}, "solver"),
        ({"tol": 0}, "tol"),
    ):
        with pytest.raises(ValueError, match=message):
            hinge_svm(**parameters).fit(IRIS, SPECIES)
    bad = TWO.copy()
    bad[7, 1] = np.nan
    for machine in (hinge_svm(), KernelSVM()):
        with pytest.raises(ValueError, match="row 7, column 1"):
            machine.fit(bad, TWO_LABELS)
        with pytest.raises(ValueError, match="only one class"):
            machine.fit(TWO, np.ones(100))
        with pytest.raises(ValueError, match="without rows"):
            clone(machine).set_params(class_weight={1: 0.0, 2: 1.0}).fit(TWO, TWO_LABELS)
        with pytest.raises(OverflowError, match="Scale the columns"):
            machine.fit(TWO * 1e200, TWO_LABELS)
    with pytest.raises(ValueError, match="square matrix"):
        KernelSVM(kernel="precomputed").fit(TWO, TWO_LABELS)


def test_a_refused_fit_changes_nothing():
    machine = hinge_svm().fit(TWO, TWO_LABELS)
    before = machine.coef_.copy(), machine.classes_.copy()
    with pytest.raises(ValueError, match="NaN"):
        machine.fit(np.full((4, 4), np.nan), [0, 1, 0, 1])
    assert np.array_equal(machine.coef_, before[0])
    assert np.array_equal(machine.classes_, before[1])


# Kernels


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("kernel", [{"kernel": "rbf"}, {"kernel": "poly", "coef0": 1.0}, {"kernel": "linear"}])
def test_kernel_machine_is_that_of_libsvm(C, kernel):
    ours = KernelSVM(C, tol=1e-9, **kernel).fit(TWO, TWO_LABELS)
    theirs = SVC(C=C, tol=1e-9, **kernel).fit(TWO, TWO_LABELS)
    np.testing.assert_allclose(ours.decision_function(IRIS), theirs.decision_function(IRIS), rtol=1e-2, atol=1e-2)
    assert ours.duality_gap_ <= 1e-9


def test_kernels_agree():
    gram = rbf_kernel(IRIS, gamma=0.5)
    plain = KernelSVM(gamma=0.5, tol=1e-8).fit(IRIS, SPECIES)
    for machine, rows in (
        (KernelSVM(kernel="precomputed", tol=1e-8), gram),
        (KernelSVM(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.5), tol=1e-8), IRIS),
        (KernelSVM(gamma=0.5, tol=1e-8), sparse.csr_array(IRIS)),
        (KernelSVM(gamma=0.5, tol=1e-8, cache_size=0), IRIS),
    ):
        fitted = machine.fit(rows, SPECIES)
        np.testing.assert_allclose(fitted.decision_function(rows), plain.decision_function(IRIS), atol=1e-3)
    linear = KernelSVM(kernel="linear", tol=1e-9).fit(TWO, TWO_LABELS)
    primal = hinge_svm(tol=1e-9).fit(TWO, TWO_LABELS)
    assert linear.objective_ == pytest.approx(primal.objective_, rel=1e-8)
    np.testing.assert_allclose(linear.dual_coef_ @ linear.support_vectors_, primal.coef_, rtol=1e-3, atol=1e-4)


def test_kernel_machine_of_more_rows_than_fit_in_its_cache():
    X, y = noisy(1500, 5)
    small = KernelSVM(cache_size=0.1).fit(X, y)
    assert small.duality_gap_ <= 1e-4
    assert small.objective_ == pytest.approx(KernelSVM(tol=1e-7).fit(X, y).objective_, rel=2e-4)


def test_picture():
    plt = pytest.importorskip("matplotlib.pyplot")
    from novikoff.plots import plot_svm

    X, y = TWO[:, 2:], TWO_LABELS
    for machine in (hinge_svm(), KernelSVM()):
        ax = plot_svm(machine.fit(X, y), X, y)
        labels = ax.get_legend_handles_labels()[1]
        assert "support vectors" in labels
        assert any(label.startswith("slacks") for label in labels) == hasattr(machine, "slack_")
        rings = ax.collections[-1].get_offsets()
        np.testing.assert_array_equal(np.asarray(rings), X[machine.support_])
        plt.close(ax.figure)
    with pytest.raises(ValueError, match="two classes"):
        plot_svm(hinge_svm().fit(IRIS[:, 2:], SPECIES), IRIS[:, 2:], SPECIES)


# scikit-learn

ABOUT = "answers of different rows differ within tol"
INEXACT = {
    "check_sample_weight_equivalence_on_dense_data": ABOUT,
    "check_sample_weight_equivalence_on_sparse_data": ABOUT,
}
MACHINES = [
    (LinearSVM(), {}),
    (LinearSVM(loss="hinge", tol=1e-6), {}),
    (LinearSVM(multiclass="crammer_singer", tol=1e-6), INEXACT),
    (KernelSVM(tol=1e-9), {}),
    (KernelSVM(multiclass="ovr", tol=1e-9), {}),
]


# The last word on an answer


def exact_values(machine, X, y):
    """P and D of two classes in fractions, from the published attributes."""
    rows = [[Fraction(value) for value in row] for row in X.tolist()]
    signs = [1 if label == machine.classes_[1] else -1 for label in y]
    w, b = [Fraction(value) for value in machine.coef_[0].tolist()], Fraction(machine.intercept_[0])
    slacks = [max(0, 1 - sign * (dot(w, row) + b)) for sign, row in zip(signs, rows, strict=True)]
    primal = dot(w, w) / 2 + Fraction(machine.C) * sum(slacks)
    shares = [Fraction(value) for value in machine.dual_coef_[0].tolist()]
    made = [dot(shares, [rows[i][j] for i in machine.support_]) for j in range(X.shape[1])]
    return primal, sum(map(abs, shares)) - dot(made, made) / 2


def dot(one, other):
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


@pytest.mark.parametrize("size", [1.0, 1e3, 1e7])
@pytest.mark.parametrize("tol", [1e-6, 1e-8])
def test_no_gap_is_claimed_that_rounding_hides(size, tol):
    """A slack as small as a rounding error, times a large C, may exceed the whole objective."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        rows, columns = rng.choice([4, 10, 30]), rng.choice([2, 5, 30])
        X = rng.normal(size=(rows, columns)) * size
        y = (X[:, 0] > 0).astype(int)
        y[:2], X[:2, 0] = (0, 1), (-size, size)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine = hinge_svm(C=1e6, tol=tol, random_state=0).fit(X, y)
        primal, dual = exact_values(machine, X, y)
        assert primal <= Fraction(machine.objective_)
        assert float((primal - dual) / primal) <= machine.duality_gap_ + 1e-15
        assert (machine.duality_gap_ <= tol) == (machine.stop_reason_ == "solved")


def test_a_warm_start_leaves_no_intercept_behind():
    X, y = load_iris(return_X_y=True)
    machine = hinge_svm(multiclass="crammer_singer", warm_start=True, random_state=0).fit(X, y)
    machine.set_params(fit_intercept=False).fit(X, y)
    fresh = clone(machine).fit(X, y)
    assert not machine.intercept_.any()
    assert machine.objective_ == pytest.approx(fresh.objective_, rel=1e-5)


@pytest.mark.parametrize("form", ["ovr", "crammer_singer"])
def test_rows_of_zeros_without_an_intercept(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    X[:9] = 0.0
    machine = hinge_svm(fit_intercept=False, solver="descent", multiclass=form, random_state=0)
    machine.fit(sparse.csr_array(X), np.arange(60) % 3)
    assert machine.stop_reason_ == "solved"


def test_far_columns_of_all_classes_at_once():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = np.argmax(X[:, :3] + rng.normal(size=(200, 3)), axis=1)
    far = hinge_svm(C=100.0, multiclass="crammer_singer", random_state=0).fit(X + 1e6, y)
    assert far.stop_reason_ == "solved"
    near = hinge_svm(C=100.0, multiclass="crammer_singer", random_state=0).fit(X, y)
    assert far.objective_ == pytest.approx(near.objective_, rel=1e-5)


def test_what_cannot_be_computed_with_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="too small or too large to compute with"):
        hinge_svm().fit(X, y, sample_weight=np.full(150, 1e308))
    with pytest.raises(ValueError, match="too small or too large to compute with"):
        hinge_svm(C=1e-300).fit(X, y)
    with pytest.raises(ValueError, match="C is empty"):
        svm_path(X, y, C=[])
    with pytest.raises(ValueError, match="not a kernel"):
        KernelSVM(kernel=lambda A, B: -A @ B.T).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="gap of 1"):
        KernelSVM(time_limit=1e-6).fit(X, y)


@pytest.mark.parametrize("spoil", ["intercept_", "dual_coef_", "coef_"])
def test_kkt_conditions_are_not_fulfilled_by_nan(spoil):
    X, y = load_iris(return_X_y=True)
    machine = hinge_svm().fit(X, y)
    getattr(machine, spoil)[:] = np.nan
    assert not svm_kkt(machine, X, y).holds()


def test_kkt_conditions_do_not_trust_the_machines_own_objective():
    X, y = load_breast_cancer(return_X_y=True)
    machine = hinge_svm(C=1000.0).fit(scale(X), y)
    assert svm_kkt(machine, scale(X), y).holds()
    machine.objective_ *= 1e6
    machine.intercept_ += 0.1
    assert not svm_kkt(machine, scale(X), y).holds()


@parametrize_with_checks(
    [machine for machine, _ in MACHINES],
    expected_failed_checks=lambda machine: next(why for known, why in MACHINES if repr(known) == repr(machine)),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
