"""``separability`` is right, and its proofs hold: compared with an exact oracle on problems of every awkward sort.

``NOVIKOFF_PROBLEMS=10000 python -m pytest tests/proof/test_separable.py`` compares on that many.
"""

import os
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpz_mat
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from novikoff import separability
from novikoff.course.plain import can_be_positive, kesler_rows, kind_of, separated_rows
from novikoff.proof.arithmetic.exact import PRIME
from novikoff.proof.check.margin_of_rows import margin_of
from novikoff.proof.problem.coordinates import Weights, to_user
from novikoff.proof.problem.read_rows import read
from novikoff.proof.search.decide import decide
from novikoff.system.clock import Clock
from problems import small_problem

PROBLEMS = int(os.environ.get("NOVIKOFF_PROBLEMS", "250"))
BATCH = 50
BREAST_CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)


def judge(X, target, n_classes, fit_intercept):
    """The oracle's kind, and for every row whether all its pairs are separated."""
    separated = separated_rows(kesler_rows(X.tolist(), target, n_classes, fit_intercept))
    return kind_of(separated), np.array(separated).reshape(len(target), n_classes - 1).all(axis=1)


def check(X, target, n_classes, fit_intercept):
    kind, rows = judge(X, target, n_classes, fit_intercept)
    proof = separability(X, target, fit_intercept=fit_intercept)
    assert proof.kind == kind
    assert proof.separable == (kind == "complete")
    assert np.array_equal(proof.rows == "separated", rows)
    assert proof.verify(X, target)
    assert not tampered(proof).verify(X, target)
    dim = (n_classes - 1) * (X.shape[1] + fit_intercept)
    if kind != "complete":
        assert len(proof.witness) <= dim + 1
        assert sums_to_zero(proof.witness, X, target, n_classes, fit_intercept)
        assert proof.spanning is None or len(proof.spanning) <= 2 * dim
    return proof


def sums_to_zero(witness, X, target, n_classes, fit_intercept):
    """The definition, in fractions, apart from the package."""
    sums = np.zeros((n_classes, X.shape[1] + fit_intercept), dtype=object)
    rivals = 1 - target[witness.rows] if witness.rivals is None else witness.rivals
    for row, rival, weight in zip(witness.rows, rivals, witness.weights, strict=True):
        z = np.array([Fraction(value) for value in X[row].tolist()] + [Fraction(1)] * fit_intercept)
        sums[target[row]] += weight * z
        sums[rival] -= weight * z
    return not sums.any() and min(witness.weights) > 0


def tampered(proof):
    """The same proof with a small lie in it."""
    certificate = proof.certificate
    if proof.kind == "complete":
        weights = certificate.weights
        return replace(proof, certificate=replace(certificate, weights=Weights(-weights.floats)))
    witness = proof.witness
    changed = replace(witness, weights=(witness.weights[0] + Fraction(1, 10**30), *witness.weights[1:]))
    if len(witness) == 1:  # a row of zeros: any positive weight is right
        changed = replace(witness, weights=(Fraction(0),))
    return replace(proof, certificate=replace(certificate, witness=changed))


@pytest.mark.parametrize("first", range(0, PROBLEMS, BATCH))
def test_verdicts_are_those_of_the_oracle(first):
    for seed in range(first, first + BATCH):
        check(*small_problem(seed))


@settings(max_examples=150)
@given(
    st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.integers(0, 1)), min_size=2, max_size=9),
    st.booleans(),
)
def test_lattice_points(points, fit_intercept):
    X = np.array([point[:2] for point in points], dtype=float)
    target = np.array([point[2] for point in points])
    target[:2] = 0, 1
    check(X, target, 2, fit_intercept)


@pytest.mark.parametrize("seed", range(40))
def test_nothing_depends_on_scale_place_or_form(seed):
    X, target, _, fit_intercept = small_problem(seed)
    rng = np.random.default_rng(seed)
    kind = separability(X, target, fit_intercept=fit_intercept).kind
    again = rng.integers(len(X), size=3)
    forms = {
        "powers of two": X * 2.0 ** rng.integers(-330, 331, size=X.shape[1]),
        "a column twice": np.column_stack([X, X[:, 0]]),
        "a column of zeros": np.column_stack([X, np.zeros(len(X))]),
        "CSR": sparse.csr_array(X),
        "Fortran": np.asfortranarray(X),
    }
    for name, form in forms.items():
        proof = separability(form, target, fit_intercept=fit_intercept)
        assert proof.kind == kind, name
        assert proof.verify(form, target), name
    rows, labels = np.vstack([X, X[again]]), np.append(target, target[again])
    assert separability(rows, labels, fit_intercept=fit_intercept).kind == kind
    order = rng.permutation(len(X))
    assert separability(X[order], target[order], fit_intercept=fit_intercept).kind == kind


@pytest.mark.parametrize("seed", range(40))
def test_a_sum_of_columns_changes_nothing(seed):
    """Of whole numbers, whose sums no rounding changes."""
    X, target, _, fit_intercept = small_problem(seed)
    X = np.rint(1000 * X / np.maximum(np.abs(X).max(axis=0), 5e-324))
    longer = np.column_stack([X, X.sum(axis=1)])
    proof = separability(longer, target, fit_intercept=fit_intercept)
    assert proof.kind == separability(X, target, fit_intercept=fit_intercept).kind
    assert proof.verify(longer, target)


@pytest.mark.parametrize("shift", [2.0**20, -(2.0**40)])
def test_an_exact_shift_changes_nothing_with_an_intercept(shift):
    X = np.round(np.random.default_rng(0).normal(size=(60, 3)) * 64) / 64
    for seed in range(10):
        y = (X @ np.random.default_rng(seed).normal(size=3) > 0.2 * seed - 1).astype(int)
        y[: seed // 3] = 1 - y[: seed // 3]
        assert separability(X + shift, y).kind == separability(X, y).kind


def test_extreme_scales_and_values():
    X = np.array([[1e-300, 1e300], [2e-300, 1e300], [3e-300, -1e300], [5e-324, 1e308]])
    for target in ([0, 1, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]):
        check(X, np.array(target), 2, True)
        check(X, np.array(target), 2, False)


def test_float32_gets_the_verdict_of_the_numbers_as_stored():
    tenth = np.float32(0.1)
    X = np.array([[tenth], [0.1]], dtype=np.float32)
    assert separability(X, [0, 1]).kind == "overlap"
    assert separability(np.array([[float(tenth)], [0.1]]), [0, 1]).kind == "complete"


def test_equal_rows_of_two_classes_are_a_witness_of_two_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    y = (X[:, 0] > 0).astype(int)
    closest = int(np.argmin(np.abs(X[:, 0])))
    X, y = np.vstack([X, X[closest]]), np.append(y, 1 - y[closest])
    proof = separability(X, y)
    assert proof.witness.rows.tolist() == [closest, 500]
    assert proof.witness.weights == (1, 1)
    assert proof.kind == "quasi-complete"
    assert np.flatnonzero(proof.rows == "boundary").tolist() == [closest, 500]


@pytest.mark.parametrize("exponent", range(-14, 0, 2))
def test_margins_far_below_the_tolerance_of_any_solver(exponent):
    rng = np.random.default_rng(-exponent)
    w = rng.normal(size=5)
    P = rng.normal(size=(40, 5))
    P -= np.outer(P @ w, w) / (w @ w)
    X = np.vstack([P + 10.0**exponent * w, P - 10.0**exponent * w])
    y = np.repeat([1, 0], 40)
    proof = separability(X, y, fit_intercept=False)
    assert proof.verify(X, y)
    if exponent > -14:
        assert proof.kind == "complete"
    assert separability(np.vstack([X, w]), np.append(y, 0), fit_intercept=False).kind == "overlap"


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (
            [
                [-0.370463217013971, -0.37046321701397106, -0.37046321701397106],
                [-0.2258980368378873, -0.22589803683788726, -0.22589803683788726],
                [1.4881286269831215] * 3,
                [-0.7013882290329967, -0.7013882290329968, -0.7013882290329968],
            ],
            [0, 1, 1, 1],
        ),
        ([[999999999999999.8], [999999999999999.6], [999999999999999.9], [999999999999999.9]], [0, 1, 2, 1]),
        ([[9.755464219737476e142], [-1.0806454419566534e-224], [-2.06e-230], [-1.661534994731145e35]], [0, 0, 2, 1]),
        ([[0.0, 5e-324], [1.0, 0.0], [2.0, 1e-323]], [0, 1, 2]),
        ([[999998.8031159875], [999999.5280692547], [1000000.8256058762]], [0, 1, 2]),
    ],
)
@pytest.mark.parametrize("form", [np.array, sparse.csr_array])
def test_nearly_dependent_columns_and_mixed_scales(X, y, form):
    """Floats alone would take the rows for dependent, or the columns, or the margins for zero."""
    dense, y = np.array(X), np.array(y)
    check(dense, y, int(y.max()) + 1, True)
    proof = separability(form(dense), y, max_margin=True)
    assert proof.verify(form(dense), y)
    assert (proof.margin is not None) == proof.separable
    assert not proof.separable or proof.margin >= 0


@pytest.mark.parametrize("prime", [PRIME, PRIME * 0x68DAA51968C976B7, 3 * PRIME])
@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_rows_that_are_dependent_modulo_a_prime_only(prime, size, fit_intercept):
    """Rows made for the prime that independence is looked at with (or for two): in whole numbers they are independent."""
    X = independent_but_modulo(prime, size)
    above = np.column_stack([X, np.arange(size) % 2])
    for rows in (X, above):
        tied = rows[0] - rows[1]
        for seed in range(3):
            y = np.random.default_rng(seed).integers(2, size=size)
            y[:2] = 0, 1
            check(rows, y, 2, fit_intercept)
            check(np.vstack([rows, rows]), np.append(y, 1 - y), 2, fit_intercept)
            check(np.vstack([rows, -rows, tied]), np.append(np.append(y, y), 0), 2, fit_intercept)
            check(np.vstack([rows, rows, -rows[:1]]), np.append(np.append(y, 1 - y), 1), 2, fit_intercept)


def independent_but_modulo(number, size):
    """A square matrix whose determinant is a multiple of this number, but not 0: short vectors of a lattice (A. K. Lenstra,
    H. W. Lenstra, L. Lovasz 1982) that has only ``size - 1`` dimensions modulo it."""
    rng = np.random.default_rng(size)
    some = rng.integers(-(2**40), 2**40, size=(size - 1, size)).tolist()
    multiples = [[number * int(i == j) for j in range(size)] for i in range(size)]
    short = fmpz_mat(some + multiples).lll()
    rows = [[int(number) for number in row] for row in short.tolist() if any(row)][:size]
    determinant = int(fmpz_mat(rows).det())
    assert determinant != 0
    assert determinant % number == 0
    X = np.array(rows, dtype=float)
    assert X.astype(int).tolist() == rows
    return X


def test_many_equal_rows():
    """Every row of a small lattice many times, with both labels: all of them are twins."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(20_000, 4)).astype(float)
    y = rng.integers(2, size=20_000)
    for form in (X, sparse.csr_array(X)):
        proof = separability(form, y)
        assert proof.kind == "overlap"
        assert proof.verify(form, y)
        assert len(proof.witness) == 2
    y = np.where(X[:, 0] == 1, y, 0)  # quasi-complete: where x0 = 0 there is one label only
    proof = separability(X, y)
    assert proof.kind == "quasi-complete"
    assert np.array_equal(proof.rows == "separated", X[:, 0] == 0)


# Known data


def test_breast_cancer_is_separable_raw_and_standardised():
    X, y = BREAST_CANCER
    for form in (X, (X - X.mean(axis=0)) / X.std(axis=0), X.astype(np.float32)):
        proof = separability(form, y)
        assert proof.kind == "complete"
        assert proof.verify(form, y)
        scores = form.astype(float) @ proof.coef[0] + proof.intercept[0]
        assert np.array_equal(scores > 0, y == 1)


@pytest.mark.parametrize(("pair", "kind"), [((0, 1), "complete"), ((0, 2), "complete"), ((1, 2), "overlap")])
def test_iris_pairs(pair, kind):
    X, y = IRIS
    rows = np.isin(y, pair)
    assert separability(X[rows], y[rows]).kind == kind


def test_several_classes():
    X, y = IRIS
    proof = separability(X, y)
    assert proof.kind == "quasi-complete"
    assert np.array_equal(proof.rows == "separated", y == 0)
    assert proof.witness.rivals is not None
    pairwise = {names: part.kind for names, part in proof.pairwise().items()}
    assert pairwise == {(0, 1): "complete", (0, 2): "complete", (1, 2): "overlap"}
    for X, y in (load_wine(return_X_y=True), load_digits(return_X_y=True)):
        proof = separability(X, y)
        assert proof.kind == "complete"
        assert np.array_equal(np.argmax(X @ proof.coef.T + proof.intercept, axis=1), y)


def test_logic_and_lecture_sets():
    square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert separability(square, [0, 0, 0, 1]).kind == "complete"
    assert separability(square, [0, 1, 1, 1]).kind == "complete"
    xor = separability(square, [0, 1, 1, 0])
    assert xor.kind == "overlap"
    assert xor.witness.weights == (1, 1, 1, 1)
    points = np.array([[1, 1], [1, 3], [2, 1], [2, 2]])
    proof = separability(np.vstack([points, -points]), np.repeat([1, 0], 4), max_margin=True)
    assert proof.kind == "complete"
    assert proof.margin == pytest.approx(2**0.5)


def test_published_examples_of_separation_in_logistic_regression():
    """P. D. Allison, Convergence failures in logistic regression, SAS Global Forum 2008; and the textbook cases of UCLA's
    page on complete and quasi-complete separation."""
    x = np.array([-5, -4, -3, -2, -1, 1, 2, 3, 4, 5])[:, None]
    proof = separability(x, x[:, 0] > 0)
    assert (proof.kind, proof.directions) == ("complete", {"intercept": "either", "x0": "+inf"})
    proof = separability(np.vstack([x, [[0], [0]]]), np.append(x[:, 0] > 0, [False, True]))
    assert (proof.kind, proof.directions) == ("quasi-complete", {"intercept": "finite", "x0": "+inf"})
    assert np.flatnonzero(proof.rows == "boundary").tolist() == [10, 11]
    complete = [[1, 3], [2, 2], [3, -1], [3, -1], [5, 2], [6, 4], [10, 1], [11, 0]]
    proof = separability(complete, [0, 0, 0, 0, 1, 1, 1, 1])
    assert (proof.kind, proof.directions["x0"]) == ("complete", "+inf")
    quasi = [[1, 3], [2, 0], [3, -1], [3, 4], [3, 1], [4, 0], [5, 2], [6, 7], [10, 3], [11, 4]]
    proof = separability(quasi, [0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    assert (proof.kind, proof.directions) == ("quasi-complete", {"intercept": "-inf", "x0": "+inf", "x1": "finite"})
    assert np.flatnonzero(proof.rows == "boundary").tolist() == [2, 3, 4]


@pytest.mark.parametrize("digit", range(10))
def test_digits_one_against_the_rest(digit):
    X, y = load_digits(return_X_y=True)
    proof = separability(X, y == digit)
    assert proof.kind == ("quasi-complete" if digit in (8, 9) else "complete")
    assert proof.verify(X, y == digit)


# Diagnosis


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_limits_of_coefficients_are_those_of_the_oracle(first):
    for seed in range(first, first + 20):
        X, target, n_classes, fit_intercept = small_problem(seed)
        if n_classes > 2:
            continue
        signs = np.where(target == 1, 1, -1)
        limits = separability(X, target, fit_intercept=fit_intercept).directions
        names = [*["intercept"] * fit_intercept, *(f"x{j}" for j in range(X.shape[1]))]
        assert list(limits) == names
        columns = [[Fraction(1)] * len(X)] * fit_intercept + [[Fraction(x) for x in column] for column in X.T.tolist()]
        kept = first_independent(columns)
        assert [limits[name] == "aliased" for name in names] == [j not in kept for j in range(len(names))]
        vectors = [[int(sign) * columns[j][i] for j in kept] for i, sign in enumerate(signs)]
        for place, j in enumerate(kept):
            up, down = can_be_positive(vectors, place, 1), can_be_positive(vectors, place, -1)
            assert limits[names[j]] == {(1, 1): "either", (1, 0): "+inf", (0, 1): "-inf", (0, 0): "finite"}[up, down]


def first_independent(columns):
    """R's rule in fractions: the columns that are no combination of those before them."""
    kept, reduced = [], []  # the latter with the place of a number that is not zero
    for j, column in enumerate(columns):
        rest = column
        for place, other in reduced:
            rest = [a - rest[place] / other[place] * b for a, b in zip(rest, other, strict=True)]
        place = next((i for i, number in enumerate(rest) if number), None)
        if place is not None:
            kept.append(j)
            reduced.append((place, rest))
    return kept


def test_aliased_columns_are_named():
    X = np.array([[1.0, 5, 2, 0], [2, 5, 4, 0], [3, 5, 6, 0], [4, 5, 8, 0]])
    aliased = dict.fromkeys(["x1", "x2", "x3"], "aliased")
    assert separability(X, [0, 0, 1, 1]).directions == {"intercept": "-inf", "x0": "+inf", **aliased}
    assert separability(X, [0, 1, 0, 1]).directions == {"intercept": "finite", "x0": "finite", **aliased}
    assert separability(X, [0, 1, 0, 1], fit_intercept=False).directions["x1"] == "finite"
    assert separability(np.zeros((2, 1)), [0, 1], fit_intercept=False).directions == {"x0": "aliased"}


def test_the_later_of_dependent_columns_is_aliased_whatever_is_filled():
    """As R's glm does: of the columns of a factor's levels the last; of columns that depend on each other the last."""
    X = np.array([[1.0, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]])
    proof = separability(X, [0, 0, 1, 0, 1, 1], feature_names=["a", "b", "c"])
    assert proof.directions == {"intercept": "finite", "a": "-inf", "b": "finite", "c": "aliased"}
    dense = np.array([[1.0, 2, 1], [2, 3, 1], [3, 4, 1], [4, 6, 2]])  # the first is the second less the third
    assert separability(dense, [0, 1, 0, 1]).directions["x2"] == "aliased"
    assert separability(sparse.csr_array(dense), [0, 1, 0, 1]).directions["x2"] == "aliased"


def test_the_intercept_is_that_of_the_columns_as_given():
    """A column far from zero is moved before anything is solved: the intercept is said of the column as it was."""
    x, y = np.array([[-2.0], [-1], [0], [0], [1], [2]]), [0, 0, 0, 1, 1, 1]
    assert separability(x, y).directions == {"intercept": "finite", "x0": "+inf"}
    assert separability(x + 1e6, y).directions == {"intercept": "-inf", "x0": "+inf"}
    assert separability(x - 1e6, y).directions == {"intercept": "+inf", "x0": "+inf"}
    assert separability(x, y, feature_names=["intercept"]).directions == {"(intercept)": "finite", "intercept": "+inf"}


def test_suspects_are_the_turned_labels_first():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    scores = X @ [1.0, 2.0, 3.0]
    y = (scores > 0).astype(int)
    turned = np.argsort(np.abs(scores))[-3:]
    y[turned] = 1 - y[turned]
    proof = separability(X, y)
    assert set(proof.suspects[:3].tolist()) == set(turned.tolist())
    left = np.delete(np.arange(400), proof.suspects)
    assert separability(X[left], y[left]).kind == "complete"
    assert separability(X, (scores > 0)).suspects.size == 0


def test_few_turned_labels_among_many_rows_are_found():
    """More pairs than one linear programme takes: a perceptron tells which are close."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30_000, 6))
    scores = X @ rng.normal(size=6)
    y = (scores > 0).astype(int)
    turned = np.argsort(np.abs(scores))[-4:]
    y[turned] = 1 - y[turned]
    suspects = separability(X, y).suspects
    assert set(suspects[:4].tolist()) == set(turned.tolist())
    assert len(suspects) < 20
    left = np.delete(np.arange(30_000), suspects)
    assert separability(X[left], y[left]).kind == "complete"


def test_only_rows_on_the_boundary_are_suspects():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int)
    nearest = np.argsort(np.abs(X[:, 0]))[:1]
    X, y = np.vstack([X, X[nearest]]), np.append(y, 1 - y[nearest])
    proof = separability(X, y)
    assert proof.kind == "quasi-complete"
    assert len(proof.suspects) == 1
    assert proof.suspects[0] in (200, nearest[0])


# Simple numbers


def few_bits(numbers):
    """Whether floats have at most 16 bits."""
    mantissas = np.frexp(np.ravel(numbers))[0] * 2.0**16
    return np.array_equal(mantissas, np.rint(mantissas))


@pytest.mark.parametrize("max_margin", [False, True])
@pytest.mark.parametrize("scale", [1.0, 2.0**40, 2.0**-300])
def test_weights_are_simple_where_simple_ones_prove_as_much(max_margin, scale):
    half = scale * np.array([[1, 1], [1, 3], [2, 1], [2, 2]])
    X, y = np.vstack([half, -half]), np.repeat([1, 0], 4)
    proof = separability(X, y, max_margin=max_margin)
    assert proof.verify(X, y)
    assert proof.intercept.tolist() == [0.0]
    assert few_bits(proof.coef)
    assert proof.coef[0, 0] == proof.coef[0, 1]
    if max_margin:
        assert proof.support.weights == (Fraction(1, 2), Fraction(1, 2))
        assert few_bits(proof._ideal.weights.floats)


def test_simple_weights_lose_next_to_nothing(rng):
    X = rng.normal(size=(60, 3))
    y = (X @ [1, 2, 3] > 0.1).astype(int)
    pairs = read(X, y, True)[0]
    found = decide(pairs, Clock(None)).direction
    proof = separability(X, y)
    assert proof.margin >= 0.99 * margin_of(pairs, to_user(pairs, found))
    assert proof.verify(X, y)


def test_simple_weights_that_no_row_contradicts(rng):
    """Of quasi-complete separation: the same rows stay on the boundary."""
    X = np.vstack([rng.integers(-3, 4, size=(40, 2)), [[0, 0], [0, 0]]]).astype(float)
    X[:, 1] = np.where(X[:, 0] == 0, 0.0, X[:, 1])
    y = np.append(X[:40, 0] > 0, [True, False]).astype(int)
    proof = separability(X, y)
    assert proof.kind == "quasi-complete"
    assert few_bits(proof.coef)
    assert proof.verify(X, y)
