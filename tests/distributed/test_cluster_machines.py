"""Machines and second-order solvers over partitions: equal to one machine, with gaps that hold in fractions, the same bits on Dask."""

import pickle
import warnings
from fractions import Fraction

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import novikoff
from novikoff import Adaline, AdalineRegressor, KernelSVM, LinearSVM, LogisticNeuron, svm_path
from novikoff.distributed import cluster_solvers, fit, svm_rounds
from novikoff.distributed.active_rows import ActiveRows
from novikoff.distributed.svm_rounds import At, MultiplierUpdate, Which, answer_all, loss_of, merge_all, prove, sides
from novikoff.rows.partitions import Here
from novikoff.solvers import choose

KINDS = (np.asarray, sparse.csr_array)


def noisy(rng, rows, columns, classes=2, spread=2.0):
    X = rng.normal(size=(rows, columns))
    y = (X @ rng.normal(size=(columns, classes)) + spread * rng.gumbel(size=(rows, classes))).argmax(axis=1)
    y[:classes] = np.arange(classes)
    return X, y


def cut(X, y, count, weight=None):
    """Partitions: unequal, the second empty, the last of a single row."""
    places = [*np.linspace(0, len(y) - 1, count - 1).astype(int)[1:], len(y) - 1]
    places = [places[0], *places]
    parts = (X, y) if weight is None else (X, y, weight)
    starts, stops = [0, *places], [*places, len(y)]
    return [tuple(part[start:stop] for part in parts) for start, stop in zip(starts, stops, strict=True)]


# Support vector machines


@settings(max_examples=40)
@given(
    st.integers(0, 10**6), st.sampled_from(("hinge", "squared_hinge")), st.sampled_from((2, 2, 3)), st.integers(-3, 3)
)
def test_machines_agree_with_one_machine_within_the_proved_gap(seed, loss, classes, exponent):
    """Any rows: equal ones, sorted by class, of small numbers and large ones, weighted, sparse, of 32 bits."""
    rng = np.random.default_rng(seed)
    X, y = noisy(rng, int(rng.integers(8, 120)), int(rng.integers(1, 6)), classes)
    if rng.random() < 0.4:
        X = np.round(X)  # equal rows
    if rng.random() < 0.3:
        X = X * 10.0 ** rng.integers(-3, 4, X.shape[1])
    if rng.random() < 0.3:
        X = X + 1000 * rng.normal(size=X.shape[1])
    if rng.random() < 0.4:
        order = np.argsort(y, kind="stable")
        X, y = X[order], y[order]
    weight = rng.integers(0, 3, len(y)) * rng.random(len(y)) if rng.random() < 0.3 else None
    if weight is not None:
        weight[[np.flatnonzero(y == k)[0] for k in range(classes)]] = 1.0
    X = X.astype(rng.choice([np.float32, np.float64]))
    X = KINDS[int(rng.integers(2))](X)
    machine = LinearSVM(
        C=10.0**exponent,
        loss=loss,
        tol=1e-5,
        fit_intercept=bool(rng.random() < 0.8),
        class_weight="balanced" if rng.random() < 0.2 else None,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # what floats cannot hold is said, and the gap is true
        one = clone(machine).fit(X, y, weight)
        parts = fit(clone(machine), cut(X, y, 5, weight))
    assert_same_optimum(one, parts)


def assert_same_optimum(one, other):
    """Neither claims that the other is better than possible."""
    for a, b in ((one, other), (other, one)):
        assert a.objective_ * (1 - a.duality_gap_) <= b.objective_ * (1 + 1e-14)
    if other.stop_reason_ == "solved":
        assert other.duality_gap_ <= other.tol


def exact(values):
    return [Fraction(value) for value in np.asarray(values, dtype=float).ravel().tolist()]


def exact_objective(machine, X, y, weight):
    """Of two classes, in fractions."""
    w, b = exact(machine.coef_), Fraction(float(machine.intercept_[0]))
    cost = Fraction(0)
    for row, label, bound in zip(X, y, exact(machine.C * weight), strict=True):
        score = sum((a * x for a, x in zip(w, exact(row), strict=True)), b)
        slack = max(Fraction(0), 1 - (1 if label == machine.classes_[1] else -1) * score)
        cost += bound * (slack * slack if machine.loss_ == "squared_hinge" else slack)
    return sum(a * a for a in w) / 2 + cost


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(("hinge", "squared_hinge")))
def test_the_proved_gap_holds_in_fractions(seed, loss):
    rng = np.random.default_rng(seed)
    X, y = noisy(rng, int(rng.integers(6, 40)), int(rng.integers(1, 4)))
    X = X * 10.0 ** rng.integers(-2, 3) + rng.choice([0.0, 1e5])
    weight = rng.random(len(y)) + 0.1
    machine = LinearSVM(C=10.0 ** rng.integers(-2, 4), loss=loss, tol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        parts = fit(clone(machine), cut(X, y, 4, weight))
        better = clone(machine).set_params(tol=1e-10).fit(X, y, weight)
    mine, best = (exact_objective(one, X, y, weight) for one in (parts, better))
    assert mine <= Fraction(parts.objective_)
    assert Fraction(parts.objective_) * (1 - Fraction(parts.duality_gap_)) <= min(mine, best)


def slopes_of(X, signs, number, at):
    """The slopes of all rows: multipliers begin with a half, and become the slopes at every update before."""
    slopes = np.full(signs.size, 0.0 if at.which.squared else 0.5)
    for weights, stiff, known in (*at.before, (at.weights, at.stiff, {})):
        scores = X @ weights[: X.shape[1]] + (weights[-1] if at.which.intercept else 0.0)
        slopes = np.clip(slopes + stiff * (1 - signs * scores), 0.0, np.inf if at.which.squared else 1.0)
        if number in known:
            slopes[known[number][0]] = known[number][1]
    return slopes


@settings(max_examples=40)
@example(81, True, True)  # a bias that counts, and shares that do not add up to zero
@example(94, False, True)
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_bounds_of_partitions_hold_for_any_weights(seed, squared, intercept):
    """For weights that are no solution, too, and rows whose products cancel."""
    rng = np.random.default_rng(seed)
    columns = int(rng.integers(1, 4))
    rows = [
        ActiveRows(
            rng.normal(size=(n, columns)) * 10.0 ** rng.integers(-8, 9, columns),
            rng.integers(0, 2, n),
            rng.random(n) + 0.1,
        )
        for n in (7, 0, 1, 12)
    ]
    which = Which(1, 10.0 ** rng.integers(-3, 4), squared, intercept)
    weights = rng.normal(size=columns + intercept) * 10.0 ** rng.integers(-8, 3)
    before = (
        MultiplierUpdate(weights * rng.random(weights.size), 0.45, {3: (np.array([2, 5]), np.array([0.5, 1.0]))}),
    )
    at = At(which, weights, 2.0 if squared else 30.0, () if squared else before)
    kept = np.array([1.0, rng.random()])[:: rng.choice([1, -1])]
    [found] = Here(rows).fold(answer_all, merge_all, [(prove, at, kept)])
    proved = sides(at, found)
    w, b = exact(weights[:columns]), Fraction(float(weights[-1])) if intercept else Fraction(0)
    objective, dual, made, longest = sum(a * a for a in w) / 2, Fraction(0), [Fraction(0)] * columns, 0
    for number, part in enumerate(rows):
        if not part.target.size:
            continue
        [signs], bounds = loss_of(part, which).signs, which.C * part.weight
        alpha = bounds * slopes_of(part.X, signs, number, at) * np.where(signs > 0, kept[1], kept[0])
        for x, sign, bound, a in zip(part.X, signs, exact(bounds), exact(alpha), strict=True):
            x, sign = exact(x), int(sign)
            slack = max(Fraction(0), 1 - sign * sum((p * q for p, q in zip(w, x, strict=True)), b))
            objective += bound * (slack * slack if squared else slack)
            dual += a - (a * a / bound / 4 if squared else 0)
            made = [total + sign * a * value for total, value in zip(made, x, strict=True)]
            longest = max(longest, sum(value * value for value in x))
    dual -= sum(total * total for total in made) / 2
    assert objective <= Fraction(float(proved.primal[0]))
    assert Fraction(float(proved.dual[0])) <= dual
    assert objective - dual <= Fraction(proved.gap) * objective or not np.isfinite(proved.gap)
    assert longest <= Fraction(found.radius.value * (1 + 1e-9)) ** 2


def test_far_rows_and_warm_starts(rng):
    X, y = noisy(rng, 300, 3)
    far = X + np.array([1e7, -1e6, 0.0])
    machine = LinearSVM(loss="hinge", tol=1e-6, warm_start=True)
    parts = fit(machine, cut(far, y, 4))
    assert parts.stop_reason_ == "solved"
    assert_same_optimum(LinearSVM(loss="hinge", tol=1e-6).fit(far, y), parts)
    rounds = parts.n_iter_
    assert fit(machine, cut(far, y, 4)).n_iter_ <= rounds
    assert_same_optimum(LinearSVM(loss="hinge", tol=1e-6).fit(far, y), machine)


@pytest.mark.parametrize("seed", range(8))
def test_a_row_far_beyond_all_others(seed):
    """Steps that it makes far too long are cut short; and what is left, if anything, is said."""
    rng = np.random.default_rng(seed)
    X, y = noisy(rng, int(rng.integers(20, 120)), int(rng.integers(1, 6)))
    X[int(rng.integers(len(y)))] *= 1e7
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        parts = fit(LinearSVM(loss="hinge"), cut(X, y, 4))
        one = LinearSVM(loss="hinge").fit(X, y)
    assert parts.stop_reason_ in ("solved", "stalled")
    assert_same_optimum(one, parts)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_many_columns_by_conjugate_gradients(loss, rng, monkeypatch):
    monkeypatch.setattr(svm_rounds, "MOST_COLUMNS", 20)
    X = sparse.random_array((900, 60), density=0.1, rng=rng, format="csr")
    y = np.where(X @ rng.normal(size=60) + 0.5 * rng.normal(size=900) > 0, "b", "a")
    machine = LinearSVM(loss=loss, tol=1e-3)
    parts = fit(clone(machine), [(X[start::3], y[start::3]) for start in range(3)])
    assert parts.duality_gap_ <= 1e-3
    assert parts.solver_ == "newton"
    assert_same_optimum(machine.fit(X, y), parts)


@pytest.mark.parametrize("spread", [0.5, 2.0])
def test_few_rows_are_handed_over(spread, rng, monkeypatch):
    """The point of the hinge's rounds: most rows stay where they are, and rounds are few."""
    moved, over = [], svm_rounds.gather
    monkeypatch.setattr(svm_rounds, "gather", lambda *asked: moved.append(over(*asked)) or moved[-1])
    X, y = noisy(rng, 20_000, 5, spread=spread)
    machine = fit(LinearSVM(loss="hinge", tol=1e-6), cut(X, y, 6))
    assert machine.stop_reason_ == "solved"
    assert machine.n_iter_ <= 15
    assert sum(len(near.signs[0]) for near in moved) < 0.05 * len(y)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_one_row_far_from_all_others(loss, rng):
    """An outlier: fits end, and what they prove is so."""
    for _ in range(10):
        X, y = noisy(rng, 60, int(rng.integers(1, 4)))
        X[rng.integers(60)] *= 1e7
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            one = LinearSVM(loss=loss).fit(X, y)
            assert_same_optimum(one, fit(LinearSVM(loss=loss), cut(X, y, 4)))


def test_a_machine_is_an_ordinary_machine(rng, tmp_path):
    X, y = noisy(rng, 200, 3, classes=3)
    machine = fit(LinearSVM(), cut(X, np.array(["x", "y", "z"])[y], 3))
    novikoff.save(machine, tmp_path / "machine.novikoff")
    for other in pickle.loads(pickle.dumps(machine)), novikoff.load(tmp_path / "machine.novikoff"):
        np.testing.assert_array_equal(other.predict(X), machine.predict(X))
    assert machine.margin_.shape == (3,)
    assert machine.history_["gap"][-1] <= machine.tol
    before = machine.coef_
    with pytest.raises(ValueError, match="C times the weights"):
        fit(machine.set_params(C=1e99), cut(X, y, 3, np.full(200, 1e10)))
    np.testing.assert_array_equal(machine.coef_, before)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        assert fit(LinearSVM(time_limit=1e-9, tol=1e-12), cut(X, y, 3)).duality_gap_ > 0


def test_numbers_that_floats_cannot_hold_are_said():
    X = np.array([[2**53 + 1], [0], [3], [2**53 + 5]])
    with pytest.warns(ConvergenceWarning, match="for rounded numbers"):
        fit(LinearSVM(), cut(X, np.array([1, 0, 0, 1]), 3))


REFUSED = [
    (KernelSVM(), "every row beside every other"),
    (LinearSVM(C=np.inf), "choose a finite C"),
    (LinearSVM(multiclass="crammer_singer"), "use 'ovr'"),
    (LinearSVM(solver="descent"), "use 'auto'"),
    (LogisticNeuron(on_separation="raise"), "proof about all rows"),
]


@pytest.mark.parametrize(("learner", "why"), REFUSED, ids=[row[1] for row in REFUSED])
def test_what_cannot_be_is_refused_with_the_reason(learner, why, rng):
    with pytest.raises(ValueError, match=why):
        fit(learner, cut(*noisy(rng, 20, 2), 3))


# Logistic regression


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("choice", [{}, {"l2": 0.0}, {"multiclass": "ovr", "class_weight": "balanced"}, {"slope": 2.0, "fit_intercept": False}])  # fmt: skip
@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_neurons_are_those_of_one_machine(kind, choice, solver, rng):
    """The same method, its sums made elsewhere: the same minimum, with a gap that is proved, too."""
    X, y = noisy(rng, 400, 4, classes=2 if "l2" in choice else 3)
    X += np.array([100.0, 0.0, -3.0, 0.0])
    weight = rng.integers(0, 3, len(y)).astype(float)
    learner = LogisticNeuron(**{"solver": solver, "l2": 0.7, "tol": 1e-9, **choice})
    one = clone(learner).fit(kind(X), y, weight)
    parts = fit(learner, cut(kind(X), y, 5, weight), count_errors=True)
    assert (parts.solver_, parts.l2_, parts.stop_reason_) == (solver, one.l2_, "solved")
    if one.l2_:
        assert 0 <= parts.duality_gap_ <= 1e-9
    np.testing.assert_allclose(parts.predict_proba(X), one.predict_proba(X), atol=1e-4 if one.l2_ else 1e-3)
    assert parts.n_errors_ == one.n_errors_


def test_neurons_of_32_bits_and_a_single_class_each(rng):
    X, y = noisy(rng, 300, 3)
    X, order = X.astype(np.float32), np.argsort(y, kind="stable")
    parts = fit(LogisticNeuron(solver="newton", l2=1.0, tol=1e-7), cut(X[order], y[order], 4))
    assert parts.coef_.dtype == np.float32
    assert parts.duality_gap_ <= 1e-7
    np.testing.assert_allclose(
        parts.coef_, LogisticNeuron(solver="newton", l2=1.0, tol=1e-7).fit(X, y).coef_, atol=1e-3
    )


def test_auto_chooses_as_on_one_machine_but_for_what_a_round_costs(rng, monkeypatch):
    X, y = noisy(rng, 300, 3)
    auto = fit(LogisticNeuron(), cut(X, y, 3))
    assert (auto.solver_, auto.l2_) == ("newton", 1.0)
    assert fit(LogisticNeuron(max_iter=70, tol=1e-3, time_limit=60), cut(X, y, 3)).solver_ == "newton"
    assert fit(LogisticNeuron(keep="average"), cut(X, y, 3)).l2_ == 0
    assert fit(LogisticNeuron(loss="squared"), cut(X, y, 3)).solver_ == "steps"
    assert fit(Adaline(), cut(X, y, 3)).solver_ == "direct"
    assert fit(Adaline(order="cyclic"), cut(X, y, 3)).solver_ == "steps"
    monkeypatch.setattr(choose, "NEWTON_THERE", 2)
    assert fit(LogisticNeuron(), cut(X, y, 3)).solver_ == "lbfgs"
    monkeypatch.setattr(choose, "MOST_LIKELIHOOD", 10)
    monkeypatch.setattr(choose, "MOST_SQUARES", 10)
    for learner in (LogisticNeuron(), Adaline()):  # with the usual penalty, since nobody asked for steps
        assert (fit(learner, cut(X, y, 3)).solver_, learner.l2_) == ("steps", 1.0)
    monkeypatch.setattr(cluster_solvers, "FEW_COLUMNS", 2)
    with pytest.raises(ValueError, match="3 x 3 numbers"):
        fit(Adaline(solver="direct"), cut(X, y, 3))


def test_solved_learners_are_not_dealt_anew(rng):
    X, y = noisy(rng, 300, 3)
    order = np.argsort(y, kind="stable")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(LogisticNeuron(), cut(X[order], y[order], 4))


def test_separated_classes_are_said(rng):
    X = rng.normal(size=(100, 2))
    y = X[:, 0] > 0
    with pytest.warns(ConvergenceWarning, match="all 100 training rows correctly"):
        learner = fit(LogisticNeuron(l2=0), cut(X, y, 4))
    assert learner.stop_reason_ == "separated"


# Least squares


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("choice", [{"l2": 0}, {}, {"l2": 0.3}, {"l2": 0, "fit_intercept": False}])
def test_least_squares_are_those_of_one_machine(kind, choice, rng):
    """Columns far from zero, and some that depend on others: then the shortest solution."""
    X, y = noisy(rng, 200, 4, classes=3)
    X[:, 3] = X[:, 1] + X[:, 2]
    X[:, 0] += 1e4
    weight = rng.integers(0, 3, len(y)).astype(float)
    learner = Adaline(solver="direct", **choice)
    one, parts = clone(learner).fit(kind(X), y, weight), fit(learner, cut(kind(X), y, 5, weight))
    assert (parts.solver_, parts.stop_reason_) == ("direct", "solved")
    np.testing.assert_allclose(parts.coef_, one.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(parts.decision_function(X), one.decision_function(X), rtol=1e-6, atol=1e-7)


def test_numbers_and_few_rows(rng):
    X = rng.normal(size=(6, 9))
    y = X @ np.arange(9.0)
    one, parts = AdalineRegressor(solver="direct").fit(X, y), fit(AdalineRegressor(solver="direct"), cut(X, y, 4))
    np.testing.assert_allclose(parts.coef_, one.coef_)
    np.testing.assert_allclose(parts.predict(X), y)


# Dask


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Dask may say what it likes of ports and sockets
def test_workers_change_no_bit(rng):
    """One test has all that needs processes: they take some seconds to start."""
    X, y = noisy(rng, 1800, 4)
    learners = [
        LinearSVM(loss="hinge", tol=1e-6),
        LinearSVM(tol=1e-6),
        LogisticNeuron(solver="newton"),
        Adaline(solver="direct"),
    ]
    blocks = [(X[start : start + 200], y[start : start + 200]) for start in range(0, 1800, 200)]
    local = [fit(clone(learner), blocks) for learner in learners]
    arrays = da.from_array(X, chunks=(200, 4)), da.from_array(y, chunks=200)
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(n_workers=1, **options) as cluster, Client(cluster) as client:
        for workers, some in ((1, 1), (2, len(learners))):
            cluster.scale(workers)
            client.wait_for_workers(workers, timeout=60)
            for learner, here in zip(learners[:some], local, strict=False):
                there = clone(learner).fit(*arrays)
                np.testing.assert_array_equal(there.coef_, here.coef_)
                np.testing.assert_array_equal(there.intercept_, here.intercept_)
        assert local[0].score(*arrays) == local[0].score(X, y)
        path = svm_path(*arrays, C=[0.01, 1.0], loss="hinge", tol=1e-6)
    here = svm_path(X, y, C=[0.01, 1.0], loss="hinge", tol=1e-6)
    np.testing.assert_allclose(path.objective, here.objective, rtol=2e-6)
    assert path.coef.shape == here.coef.shape
    assert path.duality_gap.max() <= 1e-6
    assert path.n_support[0] > 0


def test_a_way_to_reshuffle_that_there_is_not_is_refused(rng):
    X = rng.normal(size=(20, 2))
    with pytest.raises(ValueError, match="reshuffle must be True, False or 'auto', not 'never'"):
        fit(LinearSVM(), [(X, X[:, 0] > 0)], reshuffle="never")
