"""The plain functions are what the lectures say, and the fast learners go the same way step by step."""

from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from common import ROOT, SEED, stacked
from novikoff import (
    Adaline,
    HingeSGD,
    KernelPerceptron,
    KernelSVM,
    LinearSVM,
    LogisticNeuron,
    PassiveAggressiveClassifier,
    Perceptron,
    separability,
    theory,
)
from novikoff.checks.arrays import generator
from novikoff.course import plain
from novikoff.learn.orders import make_order

LECTURE = [[1, 1], [1, 3], [2, 1], [2, 2], [-1, -1], [-1, -3], [-2, -1], [-2, -2]]
LABELS = [1] * 4 + [-1] * 4
TEXTBOOK = {"keep": "last", "min_progress": None, "order": "cyclic"}
SLOPE = 1e-6


def problem(rng, n=12, d=3, classes=2):
    X = rng.integers(-4, 5, (n, d))
    y = np.append(np.arange(classes), rng.integers(0, classes, n - classes))
    return X, y


def signed(y):
    return [2 * int(label) - 1 for label in y]


def as_lists(X):
    return plain.with_one(np.asarray(X).tolist())


def drawn(X, y, passes):
    """The samples that a fit with order "random" draws."""
    next_pass = make_order("random", np.arange(len(X)), np.asarray(y), 1.0, generator(SEED))
    return [int(i) for _ in range(passes) for i in next_pass()[0]]


@pytest.fixture(params=range(4))
def rng(request):
    return np.random.default_rng(request.param)


# The perceptron


@pytest.mark.parametrize("batch", [1, 5, "all"])
def test_the_perceptron_is_the_fast_one(rng, batch):
    X, y = problem(rng)
    clf = Perceptron(
        eta=2.0, batch_size=batch, max_iter=4, **(TEXTBOOK if batch != "all" else {**TEXTBOOK, "order": "auto"})
    ).fit(X, y)
    rows, labels = as_lists(X), signed(y)
    if batch == 1:
        path = plain.perceptron(rows, labels, eta=2, passes=4)
        assert len(path) - 1 == clf.n_mistakes_
    else:
        path = plain.mini_batch_perceptron(rows, labels, len(rows) if batch == "all" else batch, eta=2, passes=4)
    assert stacked(clf)[0].tolist() == path[-1]


def test_both_forms_go_the_same_way(rng):
    X, y = problem(rng)
    start = rng.integers(-3, 4, 4).tolist()
    one = plain.perceptron(as_lists(X), signed(y), start, 2, 20)
    assert plain.perceptron_by_outputs(as_lists(X), signed(y), start, 1, 20) == one
    assert plain.perceptron_by_outputs(as_lists(X), signed(y), start, Fraction(2, 2), 20) == one


def test_the_last_lecture_s_form_is_the_first_s(rng):
    X, y = problem(rng)
    b, w = plain.perceptron_train(list(zip(X.tolist(), signed(y), strict=True)), 7)
    assert [*w, b] == plain.perceptron(as_lists(X), signed(y), passes=7)[-1]
    assert plain.perceptron_test(b, w, X[0].tolist()) == plain.predict([*w, b], as_lists(X)[0])


def test_the_lectures_example_is_separated():
    for start, eta in (([-1, 0], 1), ([0, -5], 1), ([-3, 2], Fraction(1, 3))):
        path = plain.perceptron(LECTURE, LABELS, start, eta)
        assert plain.misclassified(path[-1], LECTURE, LABELS) == []
        assert plain.count_errors(path[-1], LECTURE, LABELS) == 0
    assert plain.batch_perceptron(LECTURE, LABELS, [-1, 0])[-1] == plain.batch_update([-1, 0], LECTURE, LABELS)
    assert plain.stochastic_perceptron(LECTURE, LABELS, [0, 4])[-1] == [1, 1]


def test_alternate_visits_every_sample_once(rng):
    y = signed(rng.integers(0, 2, 9))
    order = plain.alternate(y)
    assert sorted(order) == list(range(9))
    few = 2 * min(y.count(1), y.count(-1))
    assert [y[i] for i in order[:few]] == [1, -1] * (few // 2)


# Which weights are kept


@pytest.mark.parametrize(
    ("keep", "twin"),
    [
        ("pocket", plain.pocket),
        ("run", plain.gallant_pocket),
        ("ratchet", plain.ratchet_pocket),
        ("average", plain.average),
    ],
)
def test_pockets_and_averages_are_the_fast_ones(rng, keep, twin):
    X, y = problem(rng, n=15, d=2)
    clf = Perceptron(keep=keep, order="random", max_iter=3, min_progress=None, random_state=SEED).fit(X, y)
    assert clf.n_iter_ == 3
    np.testing.assert_allclose(stacked(clf)[0], twin(as_lists(X), signed(y), drawn(X, y, 3)), rtol=1e-12)


def test_votes_are_the_fast_ones(rng):
    X, y = problem(rng, n=15, d=2)
    clf = Perceptron(keep="vote", order="random", max_iter=3, min_progress=None, random_state=SEED).fit(X, y)
    voters = plain.survivors(as_lists(X), signed(y), drawn(X, y, 3))
    assert sum(survived for _, survived in voters) == 45
    assert [plain.vote(voters, x) for x in as_lists(X)] == signed(clf.predict(X))


# Rules that descend


def slope(loss, a, *choices):
    """Of loss(label, a, ...) in a."""
    first, *rest = choices
    return (loss(first, a + SLOPE, *rest) - loss(first, a - SLOPE, *rest)) / (2 * SLOPE)


@pytest.mark.parametrize("a", [-2.3, -0.4, 0.3, 0.9, 1.7])
def test_steps_are_minus_the_slopes_of_their_losses(a):
    for y in (-1, 1):
        assert slope(plain.perceptron_loss, a, y) == pytest.approx(-plain.perceptron_step(y, a))
        assert slope(plain.hinge_loss, a, y) == pytest.approx(-plain.hinge_step(y, a))
        assert slope(plain.squared_loss, a, y) == pytest.approx(-plain.delta_step(y, a), rel=1e-6)
        assert slope(plain.zero_one_loss, a, y) == 0
    for d, s in product((0, 1), (1, 2.5)):
        assert slope(plain.neuron_squared_loss, a, d, s) == pytest.approx(-plain.neuron_step(d, a, s), rel=1e-5)
        assert slope(plain.cross_entropy_loss, a, d, s) == pytest.approx(-plain.cross_entropy_step(d, a, s), rel=1e-5)
    assert slope(lambda s, z: plain.logistic(z, s), a, 2) == pytest.approx(plain.logistic_slope(a, 2), rel=1e-6)
    assert plain.hyperbolic(a) == pytest.approx(2 * plain.logistic(2 * a) - 1)
    assert plain.identity(a) == a
    assert plain.logistic(-1e6) == 0
    assert plain.logistic(1e6) == 1


def test_ties_of_activation_functions():
    assert (plain.sign(0), plain.mcculloch_pitts(0), plain.step(0), plain.step(1)) == (-1, 1, 0, 1)
    assert plain.largest([1, 3, 3]) == 1


def test_adaline_is_the_fast_one(rng):
    X, y = problem(rng)
    choices = {"solver": "steps", "keep": "last", "min_progress": None, "tol": None}
    clf = Adaline(0.01, order="cyclic", max_iter=3, **choices).fit(X, y)
    np.testing.assert_allclose(stacked(clf)[0], plain.adaline(as_lists(X), signed(y), 0.01, 3)[-1], rtol=1e-10)
    best = plain.adaline_directly(as_lists(X), signed(y))
    np.testing.assert_allclose(
        plain.batch_adaline(as_lists(X), signed(y), 0.003, 6000)[-1], [float(v) for v in best], atol=1e-6
    )
    np.testing.assert_allclose(
        stacked(Adaline(solver="direct", l2=0).fit(X, y))[0], [float(v) for v in best], atol=1e-9
    )
    with pytest.raises(ValueError, match="many solutions"):
        plain.adaline_directly([[1, 2], [2, 4]], [1, -1])


@pytest.mark.parametrize(
    ("loss", "step"), [("squared", plain.neuron_step), ("cross_entropy", plain.cross_entropy_step)]
)
def test_the_neuron_is_the_fast_one(rng, loss, step):
    X, y = problem(rng)
    choices = {"solver": "steps", "keep": "last", "min_progress": None, "tol": None, "on_separation": "ignore"}
    clf = LogisticNeuron(0.1, loss=loss, order="cyclic", max_iter=3, **choices).fit(X, y)
    np.testing.assert_allclose(stacked(clf)[0], plain.neuron(as_lists(X), y.tolist(), 0.1, 3, step=step)[-1], rtol=1e-9)


def test_the_online_svm_is_the_fast_one(rng):
    """The lecture's step is that of lam = 1 / gamma and eta = delta gamma."""
    X, y = problem(rng)
    gamma, delta = 4, 0.05
    clf = HingeSGD(lam=1 / gamma, eta=delta * gamma, max_iter=3, **TEXTBOOK).fit(X, y)
    a, b = plain.online_svm(X.tolist(), signed(y), gamma, delta, 3)[-1]
    np.testing.assert_allclose(stacked(clf)[0], [*a, b], rtol=1e-9)


@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
def test_passive_aggressive_is_the_fast_one(rng, variant):
    X, y = problem(rng)
    clf = PassiveAggressiveClassifier(C=0.1, variant=variant, max_iter=2, **TEXTBOOK).fit(X, y)
    np.testing.assert_allclose(
        stacked(clf)[0], plain.passive_aggressive(as_lists(X), signed(y), 2, variant, 0.1)[-1], rtol=1e-9
    )


# Objectives


def test_objectives(rng):
    X, y = problem(rng)
    rows, labels = as_lists(X), signed(y)
    w = rng.integers(-3, 4, 4).tolist()
    J = plain.perceptron_objective(w, rows, labels)
    assert J >= 0
    assert sum(-labels[i] * plain.dot(w, rows[i]) for i in plain.misclassified(w, rows, labels)) == J
    assert plain.target_output_objective(w, rows, labels) == 4 * J
    over_all = plain.objective_over_all_samples(w, rows, labels)
    assert plain.objective_over_all_samples(plain.times(2, w), rows, labels) == pytest.approx(2 * over_all)


# Several classes


@pytest.mark.parametrize("form", ["worst", "all", "uniform", "ovr"])
def test_several_classes_are_the_fast_ones(rng, form):
    X, y = problem(rng, classes=4)
    clf = Perceptron(multiclass=form, max_iter=3, **TEXTBOOK).fit(X, y)
    W = plain.multiclass_perceptron(as_lists(X), y.tolist(), 4, form, passes=3)[-1]
    np.testing.assert_allclose(stacked(clf), W, rtol=1e-12, atol=1e-12)
    assert [plain.largest([plain.dot(w, x) for w in W]) for x in as_lists(X)] == clf.predict(X).tolist()


def test_the_generalised_theorem_is_false():
    X, classes = plain.with_one([[-2], [0], [3], [-3], [2]]), [0, 1, 2, 3, 4]
    assert plain.separating_weights(plain.kesler_rows(X, classes, 5, intercept=False)) is not None
    assert plain.recurs(X, classes, 5, "all")
    assert not plain.recurs(X, classes, 5, "worst")
    assert len(plain.multiclass_perceptron(X, classes, 5, "worst")) - 1 == 77
    assert not plain.recurs(X, classes, 5, "all", passes=1)


def test_softmax_is_a_distribution():
    p = plain.softmax([1, 2, 900])
    assert sum(p) == pytest.approx(1)
    assert sum(plain.softmax_step([1, 2, 3], 1)) == pytest.approx(0)


# Dual form and maximum margin


def test_the_dual_is_the_primal_with_a_longer_constant(rng):
    X, y = problem(rng)
    rows, labels = X.tolist(), signed(y)
    alpha, b = plain.kernel_perceptron(rows, labels, passes=5)
    R2 = max(plain.square(x) for x in rows)
    clf = Perceptron(intercept_scaling="radius", max_iter=5, **TEXTBOOK).fit(X, y)
    np.testing.assert_allclose(stacked(clf)[0], [*plain.dual_weights(alpha, rows, labels), b], rtol=1e-12)
    assert b == R2 * sum(a * t for a, t in zip(alpha, labels, strict=True))


@pytest.mark.parametrize(
    ("kernel", "plain_kernel", "choices"),
    [
        ("poly", plain.polynomial_kernel, {"degree": 2, "gamma": 1.0, "coef0": 1.0}),
        ("rbf", plain.radial_kernel, {"gamma": 1.0}),
    ],
)
def test_kernels_are_the_fast_ones(rng, kernel, plain_kernel, choices):
    X, y = problem(rng, d=2)
    clf = KernelPerceptron(kernel=kernel, max_iter=4, keep="last", order="cyclic", min_progress=None, **choices).fit(
        X, y
    )
    alpha, b = plain.kernel_perceptron(X.tolist(), signed(y), plain_kernel, 4)
    scores = [plain.dual_score(alpha, b, X.tolist(), signed(y), x, plain_kernel) for x in X.tolist()]
    np.testing.assert_allclose(clf.decision_function(X), scores, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_the_svm_is_the_fast_one(rng, C):
    X, y = problem(rng)
    rows, labels = X.tolist(), signed(y)
    machine = plain.svm_dual(rows, labels, C, steps=10**6)
    assert abs(sum(a * t for a, t in zip(machine.alpha, labels, strict=True))) < 1e-9
    assert min(machine.alpha) >= 0
    assert max(machine.alpha) <= C + 1e-12
    w = plain.dual_weights(machine.alpha, rows, labels)
    value = plain.square(w) / 2 + C * sum(plain.slacks(w, machine.b, rows, labels))
    assert machine.gap == pytest.approx(value - sum(machine.alpha) + plain.square(w) / 2, abs=1e-9)
    assert 0 <= machine.gap + 1e-9 < 1e-5 * value
    clf = LinearSVM(C=C, loss="hinge", tol=1e-9).fit(X, y)
    np.testing.assert_allclose(w, clf.coef_[0], atol=1e-3)


def test_a_kernel_svm_is_the_fast_one(rng):
    X, y = problem(rng, d=2)
    X = X + 0.25 * rng.random(X.shape)
    machine = plain.svm_dual(X.tolist(), signed(y), 2.0, plain.radial_kernel, steps=10**5)
    scores = [
        plain.dual_score(machine.alpha, machine.b, X.tolist(), signed(y), x, plain.radial_kernel) for x in X.tolist()
    ]
    clf = KernelSVM(C=2.0, kernel="rbf", gamma=1.0, tol=1e-9).fit(X, y)
    assert machine.gap < 1e-6
    np.testing.assert_allclose(scores, clf.decision_function(X), atol=1e-3)


def test_hard_margins():
    machine = plain.svm_dual(LECTURE, LABELS)
    w = plain.dual_weights(machine.alpha, LECTURE, LABELS)
    best = separability(LECTURE, LABELS, max_margin=True)
    assert plain.margin(w, machine.b, LECTURE, LABELS) == pytest.approx(best.margin)
    assert plain.largest_margin_squared(LECTURE, LABELS) == 2
    assert machine.gap == pytest.approx(0, abs=1e-6)
    assert plain.signed_distance([3, 4], 5, [1, 3]) == 4
    with pytest.raises(ValueError, match="Two equal samples"):
        plain.svm_dual([[1, 1], [1, 1]], [1, -1])
    overlap = plain.svm_dual([[0], [1], [2], [3]], [1, -1, 1, -1], steps=50)
    assert overlap.gap == float("inf")


# What is true


def test_separability_is_that_of_the_prover(rng):
    for _ in range(10):
        X, y = problem(rng, n=6, d=2)
        rows, labels = X.tolist(), signed(y)
        for intercept in (True, False):
            vectors = plain.signed_rows(rows, labels, intercept)
            proof = separability(X, y, fit_intercept=intercept)
            separated = plain.separated_rows(vectors)
            assert plain.kind_of(separated) == proof.kind
            w, found = plain.separating_weights(vectors), plain.witness(vectors)
            assert (w is None) != (found is None)
            if w is None:
                assert plain.is_witness(vectors, found)
                assert sum(v > 0 for v in found) <= len(vectors[0]) + 1
                assert not plain.is_witness(vectors, [0] * 6)
            else:
                assert min(plain.dot(w, a) for a in vectors) > 0
                assert not plain.is_witness(vectors, [1, *[0] * 5])


def test_loops_are_witnesses(rng):
    seen = 0
    for _ in range(20):
        X, y = problem(rng, n=6, d=2)
        rows, labels = as_lists(X), signed(y)
        counts = plain.cycle(rows, labels)
        assert (counts is not None) == (plain.witness(plain.signed_rows(rows, labels, False)) is not None)
        if counts:
            seen += 1
            assert plain.is_witness(plain.signed_rows(rows, labels, False), counts)
    assert seen
    assert plain.cycle([[1], [1]], [1, -1], passes=1) is None


def test_theorems(rng):
    path = plain.perceptron(LECTURE, LABELS)
    w_star = path[-1]
    assert len(path) - 1 <= plain.novikoff_bound(LECTURE, LABELS, w_star)
    rho = plain.smallest_rho(LECTURE, LABELS, w_star, 10)
    path = plain.perceptron(LECTURE, LABELS, [-5, 3])
    for before, after in pairwise(path):
        assert plain.gap(after, w_star, rho) <= plain.gap(before, w_star, rho) - 10 + 1e-9
    for N, d in product(range(1, 12), range(5)):
        assert plain.cover_share(N, d) == theory.cover_fraction(N, d)
    points = [[0, 0], [3, 1], [1, 4], [5, 5], [-2, 7]]
    assert all(plain.circumcentre([[Fraction(v) for v in p] for p in three]) for three in combinations(points, 3))
    assert len(plain.separable_labelings(points)) == plain.cover_count(5, 2)
    assert plain.smallest_ball_squared([[0, 0], [2, 0], [1, 1], [1, 0]]) == 1
    for bits in product((0, 1), repeat=8):
        table = dict(zip(product((0, 1), repeat=3), bits, strict=True))
        hidden, output = plain.boolean_network(lambda *x, table=table: table[x], 3)
        assert [plain.run_network(hidden, output, x) for x in table] == list(bits)


def test_the_famous_case():
    assert len(plain.perceptron([[100, 1], [102, 1]], [-1, 1], passes=10**5)) - 1 == 20303


def test_plain_needs_nothing_but_python():
    """It is read by beginners: no NumPy, nothing else of the package."""
    for path in sorted((ROOT / "src" / "novikoff" / "course" / "plain").glob("*.py")):
        text = path.read_text(encoding="utf8")
        sources = [line.split()[1] for line in text.splitlines() if line.startswith(("from ", "import "))]
        assert all((name.startswith(".") and not name.startswith("..")) or name in STANDARD for name in sources), path
        assert len(text.splitlines()) < 260, path


STANDARD = {"__future__", "collections.abc", "fractions", "itertools", "math", "typing"}


def test_all_that_is_plain_is_listed():
    names = [name for name in dir(plain) if callable(getattr(plain, name)) and not name.startswith("_")]
    assert sorted(names) == sorted(plain.__all__)
    assert all(getattr(plain, name).__doc__ for name in names)
