"""Margins, bounds, reports, errors and limits of ``separability``, and its parts against slow definitions."""

import inspect
import logging
import pickle
import re
import tracemalloc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from novikoff import Perceptron, separability
from novikoff.proof.answer.proofs import Proof
from novikoff.proof.arithmetic import exact
from novikoff.proof.check.certificate import Witness
from novikoff.proof.problem import pairs
from novikoff.proof.problem.coordinates import Weights
from novikoff.proof.search import nearest_point as nearest
from novikoff.proof.search.single_feature import single_feature
from novikoff.system.clock import Clock
from problems import small_problem

# Margins and Novikoff's bound


def exact_margin(proof, X, y):
    """min y (w.x + b) / |w| of the proof's exact weights: numerator exactly, squared norm exactly."""
    *w, b = proof.exact_weights[0]
    leads = [
        (1 if label == proof.classes[1] else -1) * (sum((a * Fraction(v) for a, v in zip(w, row, strict=True)), b))
        for row, label in zip(np.asarray(X, dtype=float).tolist(), y, strict=True)
    ]
    return min(leads), sum(a * a for a in w)


@pytest.mark.parametrize("seed", range(60))
def test_the_margin_is_never_overstated_and_the_enclosure_holds(seed):
    X, y, n_classes, fit_intercept = small_problem(seed)
    proof = separability(X, y, fit_intercept=fit_intercept, max_margin=True)
    if proof.kind != "complete":
        assert proof.margin is proof.margin_bounds is proof.mistake_bound is None
        return
    low, high = proof.margin_bounds
    assert 0 <= low == proof.margin <= high
    assert proof.verify(X, y)
    if n_classes == 2 and np.abs(X).max() < 1e100:
        lead, square = exact_margin(proof, X, y)
        assert lead > 0
        assert Fraction(low) ** 2 * square <= lead**2 <= Fraction(high) ** 2 * square


def test_the_largest_margin_of_two_points_is_half_their_distance():
    proof = separability([[0.0, 0.0], [3.0, 4.0]], [0, 1], max_margin=True)
    assert proof.margin_bounds == pytest.approx((2.5, 2.5), rel=1e-14)
    assert proof.margin_bounds[0] <= 2.5 <= proof.margin_bounds[1]
    assert np.allclose(proof.coef / np.linalg.norm(proof.coef), [[0.6, 0.8]])


def test_margins_scale_with_the_data():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    margin = separability(X, y, max_margin=True).margin
    assert separability(X * 1024, y, max_margin=True).margin == pytest.approx(1024 * margin, rel=1e-13)
    assert separability(X + 4096, y, max_margin=True).margin == pytest.approx(margin, rel=1e-6)


@pytest.mark.parametrize("standardise", [False, True])
def test_enclosures_of_real_data_are_narrow(standardise):
    for load, classes in ((load_breast_cancer, 2), (load_wine, 3)):
        X, y = load(return_X_y=True)
        X = StandardScaler().fit_transform(X) if standardise else X
        low, high = separability(X, y, max_margin=True).margin_bounds
        assert low <= high <= low * (1 + 1e-12), classes


def test_the_mistake_bound_does_not_depend_on_the_unit():
    X = np.array([[100.0, 3.0], [102.0, 2.0]])
    bounds = {
        separability(X * 2.0**k, [0, 1], max_margin=True, intercept_scaling=2.0**k).mistake_bound
        for k in (-500, -20, 0, 20, 500)
    }
    assert bounds == {37810}


def test_no_perceptron_exceeds_the_mistake_bound():
    X, y = np.array([[100.0], [102.0]]), [0, 1]
    bound = separability(X, y, max_margin=True).mistake_bound
    learner = Perceptron(order="cyclic", max_iter=100_000).fit(X, y)
    assert learner.n_mistakes_ == 20_303
    assert 20_303 <= bound == 106_151_810
    for constant in (100.0, "radius"):
        bound = separability(X, y, max_margin=True, intercept_scaling=constant).mistake_bound
        assert Perceptron(order="cyclic", intercept_scaling=constant).fit(X, y).n_mistakes_ <= bound < 106_151_810


@pytest.mark.parametrize("seed", range(20))
def test_mistakes_of_any_order_stay_within_the_bound(seed):
    rng = np.random.default_rng(seed)
    n_classes, fit_intercept = 2 + seed % 3, bool(seed % 2)
    X = rng.normal(size=(40, 3)) * rng.integers(1, 20, size=3)
    y = np.argmax(X @ rng.normal(size=(3, n_classes)) + fit_intercept * rng.normal(size=n_classes), axis=1)
    proof = separability(X, y, fit_intercept=fit_intercept, max_margin=True)
    assert proof.separable
    for order in ("cyclic", "shuffle"):
        learner = Perceptron(order=order, fit_intercept=fit_intercept, max_iter=200, random_state=seed).fit(X, y)
        assert 0 < learner.n_mistakes_ <= proof.mistake_bound


# Sparse rows of very many features


def wide_problem(seed, twins):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((300, 5000), density=0.004, rng=rng, format="csr")
    y = (X @ rng.normal(size=5000) > 0).astype(int)
    again = rng.choice(300, twins, replace=False)
    return sparse.vstack([X, X[again]], format="csr"), np.append(y, 1 - y[again])


@pytest.mark.parametrize("twins", [0, 1, 5])
def test_wide_sparse_rows(twins):
    X, y = wide_problem(twins, twins)
    proof = separability(X, y)
    assert proof.kind == ("quasi-complete" if twins else "complete")
    assert proof.verify(X, y)
    assert not proof.verify(X, 1 - y)
    if twins:
        assert np.count_nonzero(proof.rows == "boundary") == 2 * twins
        assert separability(X.toarray(), y).kind == "quasi-complete"
        assert f"{300 - twins} rows are separated, {2 * twins} always stay on the boundary" in str(proof)


def test_wide_rows_that_only_one_sided_columns_separate(monkeypatch):
    from novikoff.proof.search import decide, wide_rows

    monkeypatch.setattr(decide, "learned_direction", lambda *args, **choices: None)
    X, y = wide_problem(3, 0)
    proof = separability(X, y)
    assert proof.kind == "complete"
    assert proof.verify(X, y)
    assert X.shape[1] > wide_rows.WIDE


def chain(length, factor, twin, width=2500):
    """Rows that only one column after another separates: each column is one-sided when the row before it has gone."""
    rows, columns, values = [], [], []
    y = [i % 2 for i in range(length)] + [1]
    for i in range(length):
        sign = 1.0 if i % 2 else -1.0
        rows, columns, values = [*rows, i], [*columns, i], [*values, sign / factor]
        if i:
            rows, columns, values = [*rows, i], [*columns, i - 1], [*values, -sign]
    filled = list(range(length, width - 1))
    rows, columns, values = rows + [length] * len(filled), columns + filled, values + [1.0] * len(filled)
    if twin:
        rows, columns, values = [*rows, length + 1, length + 2], [*columns, width - 1, width - 1], [*values, 1.0, 1.0]
        y += [0, 1]
    places = np.array([rows, columns], np.int32)
    return sparse.csr_array((values, tuple(places)), shape=(len(y), width)), np.array(y)


@pytest.mark.parametrize("twin", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize(("length", "factor"), [(20, 2.0**60), (600, 1.0)])
def test_long_chains_of_one_sided_columns(length, factor, twin, fit_intercept):
    """The first column must outweigh the last by more than any float holds."""
    X, y = chain(length, factor, twin)
    proof = separability(X, y, fit_intercept=fit_intercept)
    assert proof.kind == ("quasi-complete" if twin else "complete")
    assert proof.verify(X, y)


@pytest.mark.parametrize("seed", range(8))
def test_wide_rows_of_few_samples_are_decided_for_several_classes(seed):
    rng = np.random.default_rng(seed)
    core = rng.integers(-2, 3, size=(9, 2)).astype(float)
    y = np.append(np.arange(3), rng.integers(3, size=6))
    X = sparse.hstack([sparse.csr_array(core), sparse.csr_array((9, 2500))], format="lil")
    X[0, 2:] = 1.0
    X[1, 2:] = 1.0
    dense = np.column_stack([core, (np.arange(9) < 2).astype(float)])
    assert separability(X.tocsr(), y).kind == separability(dense, y).kind


def test_sparse_forms_of_the_same_rows_agree():
    X = sparse.csr_array(
        ([1.0, 2.0, 3.0, 0.0, 1.0], [1, 1, 0, 0, 0], [0, 2, 4, 5]), shape=(3, 2)
    )  # an entry twice, a zero
    dense = X.toarray()
    for y in ([0, 1, 1], [0, 1, 0], [0, 0, 1]):
        for fit_intercept in (True, False):
            kind = separability(dense, y, fit_intercept=fit_intercept).kind
            assert separability(X, y, fit_intercept=fit_intercept).kind == kind


# What users see


def test_print_repr_and_pickle():
    X, y = load_iris(return_X_y=True, as_frame=True)
    two = y < 2
    proof = separability(X[two], y[two], max_margin=True)
    assert str(proof).startswith("Linear separability: separable (100 rows, 4 features")
    assert "mistakes" in str(proof)
    assert repr(proof) == "Proof(kind='complete', separable=True)"
    assert list(proof.directions) == ["intercept", *X.columns]
    for rows, word in ((y > 0, "overlap"), (y >= 0, "quasi-complete")):
        proof = separability(X[rows], y[rows])
        assert word in str(proof)
        again = pickle.loads(pickle.dumps(proof))
        assert again.verify(X[rows], y[rows])
        assert str(again) == str(proof)


def test_columns_have_the_names_they_are_given():
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 0, 1, 1]
    proof = separability(X, y, feature_names=["height", "width"])
    assert proof.feature_names == ("height", "width")
    assert proof.directions == {"intercept": "-inf", "height": "+inf", "width": "either"}
    frame = pd.DataFrame(X, columns=["a", "b"])
    assert separability(frame, y).feature_names == ("a", "b")
    assert separability(frame, y, feature_names=["c", "d"]).feature_names == ("c", "d")
    several = separability(X, [0, 0, 1, 2], feature_names=["height", "width"])
    assert [part.feature_names for part in several.pairwise().values()] == 3 * [("height", "width")]
    for names, message in ((["one"], "1 names for 2 columns"), (["a", "a"], "'a' twice"), ("ab", "a list of names")):
        with pytest.raises(ValueError, match=message):
            separability(X, y, feature_names=names)


def test_plots():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y = load_iris(return_X_y=True)
    for rows in (y < 2, y > 0, y >= 0):
        ax = separability(X[rows][:, :2], y[rows]).plot()
        assert ax.get_title()
        matplotlib.pyplot.close(ax.figure)
    assert "projection of 4 features" in separability(X, y).plot().get_title()
    matplotlib.pyplot.close("all")


def test_progress_is_logged(caplog):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    with caplog.at_level(logging.INFO, logger="novikoff.proof"):
        separability(X, X[:, 0] > 0)
    assert "complete after" in caplog.text


def test_out_of_time_is_undecided_never_wrong():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 30))
    y = (X @ rng.normal(size=30) > 0).astype(int)
    y[0] = 1 - y[0]
    proof = separability(X, y, time_limit=1e-9)
    assert proof.kind is proof.separable is proof.coef is proof.directions is None
    assert not proof.verify(X, y)
    assert "undecided" in str(proof)
    X, y = np.vstack([X, X[:1]]), np.append(y, 1 - y[0])
    proof = separability(X, y, time_limit=1e-9)
    assert proof.kind is None
    assert proof.separable is False
    assert proof.verify(X, y)
    assert "not complete" in str(proof)


def test_coefficients_that_time_does_not_suffice_for_are_not_guessed():
    X, y = load_breast_cancer(return_X_y=True)
    proof = separability(X, y)
    limits = replace(proof, time_limit=1e-9).directions
    assert set(limits.values()) == {None}
    early = replace(proof, time_limit=0.05).directions
    assert all(early[name] in (None, limit) for name, limit in proof.directions.items())


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [np.nan]], [0, 1], "first in row 1, column 0"),
        ([[1.0], [np.inf]], [0, 1], "first in row 1, column 0"),
        ([[1.0], [2.0]], [1, 1], "only one class"),
        (np.empty((0, 2)), [], "0 sample"),
        (np.array([[1], [2**60 + 1]]), [0, 1], "row 1, column 0, which float64 cannot hold"),
        ([[1.0], [2.0]], [0, 1, 1], "inconsistent"),
    ],
)
def test_errors_name_the_place(X, y, message):
    with pytest.raises(ValueError, match=message):
        separability(X, y)


@pytest.mark.parametrize(
    "choice",
    [
        {"time_limit": 0},
        {"time_limit": "1"},
        {"intercept_scaling": -1.0},
        {"intercept_scaling": [1.0, 2.0]},
        {"intercept_scaling": 1e200},
        {"fit_intercept": 2},
        {"fit_intercept": None},
    ],
)
def test_bad_choices(choice):
    with pytest.raises(ValueError, match=next(iter(choice))):
        separability([[1.0], [2.0]], [0, 1], max_margin=True, **choice)


@pytest.mark.parametrize(
    "X",
    [
        [[2**60 + 1], [2**60]],
        np.array([[2**60 + 1], [2**60]]),
        np.array([[2**60 + 1], [2**60]], dtype=object),
        pd.DataFrame({"a": [2**60 + 1, 2**60]}),
        sparse.csr_array(np.array([[2**60 + 1], [2**60]])),
        [[Fraction(1, 3)], [Fraction(1, 2)]],
    ],
)
def test_numbers_that_floats_cannot_hold_are_refused(X):
    with pytest.raises(ValueError, match=r"row 0, column 0( \('a'\))?, which float64 cannot hold exactly"):
        separability(X, [0, 1])
    assert separability([[2**60], [2**61]], [0, 1]).separable


def test_entries_of_csr_whose_sum_overflows_are_refused():
    X = sparse.csr_array(([1.7e308, 1.7e308, 1.0], [0, 0, 0], [0, 2, 3]), shape=(2, 1))
    with pytest.raises(ValueError, match="row 0, column 0"):
        separability(X, [0, 1])


@pytest.mark.parametrize("X", [[[1.79e308], [-1.79e308]], [[1.7e308] * 2, [-1.7e308] * 2], [[5e-324], [1e-323]]])
def test_the_ends_of_the_floats(X):
    proof = separability(X, [0, 1], max_margin=True)
    low, high = proof.margin_bounds
    assert 0 <= low <= high
    assert proof.verify(X, [0, 1])
    assert len(str(proof)) < 600


def test_pairs_of_classes_keep_labels_and_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = pd.Series(["setosa", "versicolor", "virginica"])[y].astype(object)
    parts = separability(X, names.to_numpy()).pairwise()
    assert list(parts) == [("setosa", "versicolor"), ("setosa", "virginica"), ("versicolor", "virginica")]
    part = parts["versicolor", "virginica"]
    assert part.feature_names == tuple(X.columns)
    assert part.classes.tolist() == ["versicolor", "virginica"]
    assert part.verify(X[50:], names[50:].to_numpy())


def test_verify_is_about_these_data():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    proof = separability(X, y)
    assert not proof.verify(X, 1 - y)
    assert not proof.verify(X, y + 5)
    assert not replace(proof, margin=proof.margin * 1.001).verify(X, y)
    with pytest.raises(ValueError, match="3 features"):
        proof.verify(X[:, :3], y)


def test_a_proof_holds_for_the_same_numbers_in_another_form():
    """A constant column says nothing of dense rows, which are moved; of sparse ones it may have a weight."""
    X = np.array([[0.0, 1.0, -3.0], [-1.0, 0.0, -3.0], [-2.0, 0.5, -3.0]])
    for y in ([0, 1, 1], [0, 1, 0]):
        for made, checked in ((X, sparse.csr_array(X)), (sparse.csr_array(X), X), (X.astype(np.float32), X)):
            assert separability(made, y, max_margin=True).verify(checked, y)


LIES = {
    "no kind": {"kind": "nonsense"},
    "overlap": {"kind": "overlap"},
    "complete": {"kind": "complete"},
    "no witness": {"witness": None},
    "no weights": {"weights": None},
    "weights of zero": {"weights": Weights(np.zeros((1, 2)))},
    "not finite": {"weights": Weights(np.full((1, 2), np.nan))},
    "other shape": {"weights": Weights(np.ones((1, 3)))},
    "floats and fractions differ": {"weights": Weights(np.array([[1.0, -1.0]]), ((Fraction(1), Fraction(-2)),))},
    "a row less on the boundary": {"boundary": np.array([False, True, False, False])},
    "a row more on the boundary": {"boundary": np.array([False, True, True, True])},
    "spans too little": {"spanning": Witness(np.array([1]), None, (Fraction(1),))},
    "spanning, but of what": {"boundary": None},
    "negative": {"witness": Witness(np.array([1, 2]), None, (Fraction(-1), Fraction(-1)))},
    "zero": {"witness": Witness(np.array([1, 2]), None, (Fraction(0), Fraction(0)))},
    "a row twice": {"witness": Witness(np.array([1, 2, 1, 2]), None, (Fraction(1),) * 4)},
    "no such row": {"witness": Witness(np.array([1, 4]), None, (Fraction(1),) * 2)},
    "a rival of two classes": {"witness": Witness(np.array([1, 2]), np.array([1, 0]), (Fraction(1),) * 2)},
}


@pytest.mark.parametrize("lie", LIES)
def test_no_lie_verifies(lie):
    X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), [0, 0, 1, 1]
    proof = separability(X, y)
    assert proof.verify(X, y)
    assert not replace(proof, certificate=replace(proof.certificate, **LIES[lie])).verify(X, y)


def test_weights_of_a_constant_column_count_in_the_margin():
    X, y = np.array([[0.0, 5.0], [1.0, 5.0]]), [0, 1]
    proof = separability(X, y)
    weights = Weights(proof.certificate.weights.floats + np.array([[0.0, 1e6, -5e6]]))
    assert not replace(proof, certificate=replace(proof.certificate, weights=weights)).verify(X, y)
    assert replace(proof, margin=0.0, certificate=replace(proof.certificate, weights=weights)).verify(X, y)
    through_zero = separability([[-1.0], [1.0]], y, fit_intercept=False)
    moved = Weights(through_zero.certificate.weights.floats + np.array([[0.0, 0.1]]))
    lie = replace(through_zero, certificate=replace(through_zero.certificate, weights=moved))
    assert not lie.verify([[-1.0], [1.0]], y)


@pytest.mark.parametrize("classes", [2, 3])
def test_verify_checks_both_bounds(classes):
    X, y = load_wine(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    proof = separability(X, y, max_margin=True)
    low, high = proof.margin_bounds
    assert proof.verify(X, y)
    assert sum(proof.support.weights) == 1
    for lie in (
        {"margin_bounds": (low, high * (1 - 1e-9))},
        {"margin_bounds": (low * (1 + 1e-9), high)},
        {"margin_bounds": (low * (1 + 1e-9), high), "margin": low * (1 + 1e-9)},
        {"support": replace(proof.support, weights=(-proof.support.weights[0], *proof.support.weights[1:]))},
        {"support": replace(proof.support, weights=(proof.support.weights[0] + 1, *proof.support.weights[1:]))},
        {"support": None},
        {"mistake_bound": proof.mistake_bound - 1},
    ):
        assert not replace(proof, **lie).verify(X, y), lie


def test_documented_parameters_equal_the_signature():
    doc = inspect.getdoc(separability)
    section = doc[doc.index("Parameters\n---") : doc.index("Returns\n---")]
    assert re.findall(r"^(\w+) : ", section, re.M) == list(inspect.signature(separability).parameters)
    for name in (name for name in vars(Proof) if not name.startswith("_")):
        assert f"``{name}" in doc or name == "certificate", name


# Parts


@pytest.mark.parametrize("seed", range(40))
def test_the_error_bound_of_leads_is_rigorous(seed):
    X, target, n_classes, fit_intercept = small_problem(seed)
    form = sparse.csr_array(X) if seed % 3 == 0 else X
    problem = pairs.Pairs(form, target, n_classes, fit_intercept)
    rng = np.random.default_rng(seed)
    for direction in (
        pairs.Direction(rng.normal(size=problem.dim)),
        pairs.Direction.of_whole([int(n) for n in rng.integers(-(2**62), 2**62, size=problem.dim)]),
    ):
        leads, bound = problem.leads(direction)
        for pair in range(problem.count):
            true = problem.smallest_lead(np.array([pair]), direction)
            assert abs(Fraction(float(leads[pair])) - true) <= Fraction(bound)


@pytest.mark.parametrize("spread", [0, 8, 70, 200, 900])
@pytest.mark.parametrize("bits", [3, 60, 150])
def test_products_of_many_rows_are_exact(spread, bits):
    rng = np.random.default_rng(bits)
    values = rng.normal(size=(exact.TALL, 3)) * 2.0 ** rng.integers(-spread, 1, size=(exact.TALL, 3))
    values[::2, 1], values[::2, 2] = values[::2, 0], 0.0
    values[::7, 2] = -(1 - 2.0**-53)
    shift = np.array([5, 5, -3])
    weights = np.array([[int(n) ** 7 >> 7 * 62 - bits for n in row] for row in rng.integers(-(2**62), 2**62, (3, 2))])
    weights = weights.astype(object)
    weights[1, 0] = -weights[0, 0]  # the product of every second row, nearly, is zero
    found, exponent = exact.product_of_floats(values, shift, weights)
    whole, same = exact.whole_numbers(values, shift)
    assert exponent == same
    assert np.array_equal(found, whole.astype(object) @ weights)
    assert np.count_nonzero(found[:, 0] == 0) >= exact.TALL // 3


@pytest.mark.parametrize("centre", [0.0, 1000.0])
def test_exact_work_on_many_rows_is_in_columns_with_weights_only(centre, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 8)), rng.integers(0, 2, size=3000)
    X[:, 2] = np.where(rng.random(3000) < 0.1, np.abs(X[:, 2]) * (2 * y - 1), 0.0)
    X[:, 5] = np.where(rng.random(3000) < 0.9, X[:, 4], X[:, 4] - (2 * y - 1))
    X += centre
    widths = []

    def watched(values, shift, weights):
        widths.append(values.shape[1] if len(values) > 1000 else 0)
        return exact.product_of_floats(values, shift, weights)

    monkeypatch.setattr(pairs, "product_of_floats", watched)
    proof = separability(X, y)
    assert proof.kind == "quasi-complete"
    assert np.flatnonzero(proof.coef).tolist() == [2, 4, 5]
    assert proof.verify(X, y)
    assert 0 < max(widths) <= np.count_nonzero(proof.coef) + 1


def test_whole_numbers_are_exact():
    rng = np.random.default_rng(0)
    for spread in (2, 60, 900):
        values = rng.normal(size=(5, 4)) * 2.0 ** rng.integers(-spread, spread, size=(5, 4))
        values[0, 0] = 0
        shift = rng.integers(-50, 50, size=4)
        whole, exponent = exact.whole_numbers(values, shift)
        for i, j in np.ndindex(values.shape):
            assert Fraction(int(whole[i, j])) * Fraction(2) ** exponent == Fraction(values[i, j]) / Fraction(2) ** int(
                shift[j]
            )


def nearest_points(A):
    """In floats and exactly, from no row."""
    tick = Clock().tick
    found = nearest.nearest_point(A.astype(float), 1 - 1e-10, [], np.empty(0), tick)
    return found, nearest.exact_nearest_point(
        nearest.ExactRows(A.astype(object)), [], np.empty(0), tick, to_the_end=True
    )


@pytest.mark.parametrize("seed", range(20))
def test_the_nearest_point_of_rows_around_the_origin_is_the_origin(seed):
    A = np.random.default_rng(seed).integers(-5, 6, size=(6, 3))
    found, precise = nearest_points(np.vstack([A, -A]))
    assert not any(precise.x)
    assert found.ended in ("near", "stuck")


@pytest.mark.parametrize("seed", range(20))
def test_the_nearest_point_is_optimal_in_floats_and_exactly(seed):
    rng = np.random.default_rng(seed)
    A = rng.integers(-5, 6, size=(12, 3)) + rng.permutation([6, *rng.integers(0, 8, size=2)])
    found, precise = nearest_points(A)
    square = sum(x * x for x in precise.x)
    assert square > 0
    scale = sum(float(w) * A[row] for w, row in zip(precise.weights, precise.corral, strict=True))
    assert np.allclose(found.x, scale, atol=1e-9)
    products = A.astype(object) @ np.array(precise.x, dtype=object)
    x = [
        sum(Fraction(int(w.p), int(w.q)) * int(a) for w, a in zip(precise.weights, column, strict=True))
        for column in A[precise.corral].T
    ]
    factor = next(Fraction(p) / q for p, q in zip(precise.x, x, strict=True) if q)
    assert factor > 0
    assert min(products) * factor >= square


@pytest.mark.parametrize("seed", range(60))
def test_one_feature_that_no_row_contradicts_is_found_if_there_is_one(seed):
    X, target, n_classes, fit_intercept = small_problem(seed)
    problem = pairs.Pairs(X, target, n_classes, fit_intercept)
    found = single_feature(problem)
    if found is not None:
        signs = problem.signs(found)
        assert signs.min() >= 0 < signs.max()
    elif n_classes == 2:
        y = np.where(target == 1, 1.0, -1.0)
        for column in X.T:
            for sign in (1.0, -1.0):
                for middle in column * sign if fit_intercept else [0.0]:
                    leads = y * (sign * column - middle)
                    assert not (leads.min() >= 0 < leads.max())
    assert (single_feature(pairs.Pairs(sparse.csr_array(X), target, n_classes, fit_intercept)) is None) == (
        found is None
    )


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_exact_leads_of_many_classes_take_little_memory_and_are_those_of_each_pair(rng, form):
    """Scores of all classes are worked out once for each row, some rows at a time: 300 rows of 400 classes are 120,000 pairs, and
    scores of all classes for each pair would take 380 MB."""
    X, target = rng.integers(-9, 10, (300, 2)).astype(float), rng.integers(0, 400, 300)
    problem = pairs.Pairs(form(X), target, 400, True)
    direction = pairs.Direction.of_whole(rng.integers(-3, 4, problem.n_rivals * problem.width).tolist())
    some = np.sort(rng.choice(problem.count, 100_000, replace=False))
    tracemalloc.start()
    signs = problem.exact_signs(some, direction)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6
    few = rng.choice(len(some), 40, replace=False)
    assert signs[few].tolist() == [int(problem.exact_signs(some[[i]], direction)[0]) for i in few]
