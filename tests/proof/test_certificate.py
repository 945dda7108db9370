"""``Proof.verify`` says True of what is true, in every form of the same numbers, and False, never an error, of all else."""

import copy
import pickle
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris

from novikoff import distributed, separability
from novikoff.distributed.cluster_proof import verify
from novikoff.proof.check.certificate import Certificate, Witness
from novikoff.proof.problem.coordinates import Weights
from problems import small_problem

LINE = np.array([[0.0], [1.0], [1.0], [2.0]])
DATA = {  # a proof of every kind: rows, labels
    "complete": (LINE, np.array([0, 0, 0, 1])),
    "quasi-complete": (LINE, np.array([0, 0, 1, 1])),
    "overlap": (LINE, np.array([0, 1, 0, 0])),
    "three classes": (LINE, np.array(["a", "b", "b", "c"])),
    "three mixed classes": (LINE, np.array(["a", "b", "c", "a"])),
}
KINDS = list(DATA)
PROOFS = {name: separability(X, y, max_margin=True) for name, (X, y) in DATA.items()}
ONE = Fraction(1)
WITNESS = Witness(np.array([1, 2]), None, (ONE, ONE))
PARTS = {
    "weights": (Weights(np.array([[1.0, -1.0]])), Weights(np.zeros((1, 2)))),
    "witness": (WITNESS, PROOFS["three mixed classes"].witness),
    "spanning": (WITNESS, PROOFS["overlap"].spanning),
    "boundary": (np.array([False, True, True, False]), np.zeros(4, dtype=bool)),
}
NUMBERS = {
    "margin": 0.0,
    "margin_bounds": (0.0, 1.0),
    "support": WITNESS,
    "mistake_bound": 10**9,
    "_ideal": PROOFS["complete"]._ideal,
}
HUGE = 10**5000
NONSENSE = [float("nan"), "text", True, -1, [], {}, object(), np.array([]), np.array([[1, 2]]), (None, None), b"", HUGE]


def with_part(proof, **parts):
    return replace(proof, certificate=replace(proof.certificate, **parts))


def lies_about(proof, X, y):
    verified = proof.verify(X, y)
    assert isinstance(verified, bool | np.bool_)
    return not verified


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_carried_that_is_not_claimed(kind):
    (X, y), proof = DATA[kind], PROOFS[kind]
    assert proof.verify(X, y)
    for part, others in PARTS.items():
        if getattr(proof.certificate, part) is None:
            assert all(lies_about(with_part(proof, **{part: other}), X, y) for other in others), part
    for name, number in NUMBERS.items():
        if getattr(proof, name) is None:
            assert lies_about(replace(proof, **{name: number}), X, y), name
    assert lies_about(replace(proof, violation=0.5), X, y)


@pytest.mark.parametrize("kind", KINDS)
def test_no_part_of_a_proof_can_be_anything(kind):
    """Whatever stands in place of a part, there is an answer, and it is False."""
    (X, y), proof = DATA[kind], PROOFS[kind]
    for part in (each.name for each in fields(Certificate)):
        assert all(lies_about(with_part(proof, **{part: thing}), X, y) for thing in NONSENSE), part
    for name in ("margin", "margin_bounds", "support", "mistake_bound", "_ideal", "violation", "classes", "_names"):
        for thing in NONSENSE:
            true = name == "mistake_bound" and kind in ("complete", "three classes") and thing is HUGE
            assert lies_about(replace(proof, **{name: thing}), X, y) != true, (name, thing)


@pytest.mark.parametrize("kind", ["quasi-complete", "overlap", "three mixed classes"])
@pytest.mark.parametrize("part", ["witness", "spanning"])
def test_witnesses_name_rows_by_whole_numbers_each_once(kind, part):
    (X, y), proof = DATA[kind], PROOFS[kind]
    true = getattr(proof.certificate, part)
    rows, weights = true.rows, true.weights
    assert proof.verify(X, y)
    for wrong in (
        rows.astype(float),
        rows.astype(bool),
        rows.astype(object),
        rows.astype(str),
        rows.astype(complex),
        rows.tolist(),
        rows[:, None],
        rows[:-1],
        rows[:0],
        rows - len(X),
        rows + len(X),
        np.full_like(rows, rows[0]),
        np.where(rows == rows[0], 2**62, rows),
        np.where(rows == rows[0], np.uint64(2**64 - 1), rows.astype(np.uint64)),
    ):
        assert lies_about(with_part(proof, **{part: replace(true, rows=wrong)}), X, y), wrong
    for wrong in (
        tuple(map(float, weights)),
        tuple(map(int, weights)),
        list(weights),
        np.array(weights),
        weights[:-1],
        (*weights, ONE),
        (),
        tuple(-weight for weight in weights),
        (Fraction(0), *weights[1:]),
        (Fraction(10) ** 9999, *weights[1:]),
        (float("nan"), *weights[1:]),
        ("1", *weights[1:]),
    ):
        assert lies_about(with_part(proof, **{part: replace(true, weights=wrong)}), X, y), wrong
    twice = replace(true, rows=np.append(rows, rows), weights=weights + weights)
    assert lies_about(with_part(proof, **{part: twice}), X, y)
    for kind_of_int in (np.int8, np.uint8, np.int32, np.uint64):
        assert with_part(proof, **{part: replace(true, rows=rows.astype(kind_of_int))}).verify(X, y)


def test_rivals_are_classes_other_than_the_rows_own():
    (X, y), proof = DATA["three mixed classes"], PROOFS["three mixed classes"]
    true = proof.witness
    for wrong in (
        None,
        true.rivals.tolist(),
        true.rivals.astype(object),
        true.rivals[:-1],
        y[true.rows],
        np.full(len(true), "d"),
        np.arange(len(true)),
        np.array([object()] * len(true)),
    ):
        assert lies_about(with_part(proof, witness=replace(true, rivals=wrong)), X, y), wrong
    mixed = np.array(["a", 1, None], dtype=object)
    classes = replace(proof, classes=mixed)
    assert lies_about(classes, X, y)


@pytest.mark.parametrize("kind", ["complete", "quasi-complete", "three classes"])
def test_weights_are_floats_or_rounded_from_fractions(kind):
    (X, y), proof = DATA[kind], PROOFS[kind]
    floats = proof.certificate.weights.floats
    exact = tuple(tuple(map(Fraction, row)) for row in floats.tolist())
    assert replace(proof, certificate=replace(proof.certificate, weights=Weights(floats, exact))).verify(X, y)
    for wrong in (
        Weights(floats.tolist()),
        Weights(floats.astype(object)),
        Weights(floats.astype(np.float32)),
        Weights(floats.astype(complex)),
        Weights(floats[0]),
        Weights(floats[:, :-1]),
        Weights(np.where(floats == floats[0, 0], np.inf, floats)),
        Weights(floats, exact[:-1]),
        Weights(floats, tuple(row[:-1] for row in exact)),
        Weights(floats, [list(row) for row in exact]),
        Weights(floats, tuple(tuple(map(float, row)) for row in exact)),
        Weights(floats, tuple((*row[:-1], Fraction(10) ** 400) for row in exact)),
        Weights(floats, "exact"),
        Weights(floats, 5),
    ):
        assert lies_about(with_part(proof, weights=wrong), X, y), wrong


def test_numbers_are_of_their_kind():
    (X, y), proof = DATA["complete"], PROOFS["complete"]
    low, high = proof.margin_bounds
    support = proof.support
    half = replace(support, weights=tuple(weight / 2 for weight in support.weights))
    for lie in (
        {"margin": 1},
        {"margin": np.float32(low)},
        {"margin_bounds": (low, high, high)},
        {"margin_bounds": [low, high]},
        {"margin_bounds": (low, float("nan"))},
        {"margin_bounds": (low, np.nextafter(low, 0.0))},
        {"margin_bounds": (low, int(high + 1))},
        {"margin_bounds": None},
        {"support": None},
        {"support": half},
        {"margin": None},
        {"mistake_bound": float(proof.mistake_bound)},
        {"mistake_bound": np.int64(proof.mistake_bound)},
        {"mistake_bound": None},
        {"_ideal": replace(proof._ideal, lead=proof._ideal.lead * 2)},
        {"_ideal": replace(proof._ideal, square=proof._ideal.square / 2)},
        {"_ideal": replace(proof._ideal, constant2=float("nan"))},
        {"_ideal": replace(proof._ideal, constant2=0.0)},
        {"_ideal": replace(proof._ideal, weights=None)},
        {"_ideal": replace(proof._ideal, weights=Weights(np.zeros((1, 2))), lead=Fraction(0), square=Fraction(0))},
        {"classes": np.array([1, 0])},
        {"classes": np.array([0, 1, 1])},
        {"classes": np.array([0, 1, 2])},
        {"classes": [0, 1]},
    ):
        assert lies_about(replace(proof, **lie), X, y), lie


@given(st.data())
@settings(max_examples=200)
def test_a_proof_with_a_part_of_another_is_a_lie_or_true(data):
    """Of the same rows under other labels: whatever verifies, is of the right kind."""
    name, other = data.draw(st.sampled_from(KINDS[:3])), data.draw(st.sampled_from(KINDS))
    names = [each.name for each in fields(Certificate)]
    taken = data.draw(st.lists(st.sampled_from(names), unique=True))
    parts = {part: getattr(PROOFS[other].certificate, part) for part in taken}
    mixture = with_part(PROOFS[name], **parts)
    if mixture.verify(*DATA[name]):
        assert mixture.kind in (name, None)
        assert mixture.separable == PROOFS[name].separable


# Forms


def forms(X):
    """The same numbers, stored otherwise."""
    csr = sparse.csr_array(X)
    twice = sparse.coo_array(
        (np.append(csr.data / 2, csr.data / 2), tuple(np.tile(each, 2) for each in csr.nonzero())), shape=X.shape
    )
    zeros = sparse.csr_array((X.ravel(), np.tile(np.arange(X.shape[1]), len(X)), np.arange(0, X.size + 1, X.shape[1])))
    wide = csr.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    yield from (np.array(X), np.asfortranarray(X), X.tolist(), pd.DataFrame(X), csr, sparse.csr_matrix(X), wide)
    yield from (sparse.csc_array(X), sparse.coo_array(X), sparse.lil_array(X), twice, zeros)
    with np.errstate(over="ignore"):
        short = np.array_equal(X.astype(np.float32), X)
    if short:
        yield X.astype(np.float32)
        yield sparse.csr_array(X.astype(np.float32))


@pytest.mark.parametrize("seed", range(40))
def test_a_proof_holds_in_every_form_of_the_same_numbers(seed):
    X, target, _, fit_intercept = small_problem(seed)
    X = np.where(np.abs(X) < 2.0**-900, 0.0, X)  # so that halves are exact
    if seed % 2:
        X = np.column_stack([X, np.full(len(X), 7.0)])
    for made in forms(X):
        proof = separability(made, target, fit_intercept=fit_intercept, max_margin=True)
        assert all(proof.verify(form, target) for form in forms(X))


def test_a_bound_of_sparse_rows_holds_of_dense_ones():
    """Many rows that compete for the margin, or for the largest norm: their order of summation must not matter."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 6)) * (rng.random((3000, 6)) < 0.5)
    X /= np.maximum(np.linalg.norm(X, axis=1), 1e-9)[:, None]
    y = (X[:, 0] > 0).astype(int)
    for made, checked in ((sparse.csr_array(X), X), (X, sparse.csr_array(X))):
        proof = separability(made, y, max_margin=True, intercept_scaling="radius")
        assert proof.kind == "complete"
        assert proof.verify(checked, y)


def test_other_rows_or_labels_are_no_error():
    X, y = load_iris(return_X_y=True)
    proof = separability(X[:100], y[:100])
    assert lies_about(proof, X, y)
    assert lies_about(proof, X[:90], y[:90])
    assert lies_about(proof, X[:50], y[:50])
    assert lies_about(proof, X[:100], np.array(["a", "b"])[y[:100]])
    assert lies_about(proof, X[:100], y[:100].astype(object).astype(str).astype(object))
    for again in (pickle.loads(pickle.dumps(proof)), copy.deepcopy(proof)):
        assert again.verify(X[:100], y[:100])


# Partitions


def test_a_proof_of_partitions_carries_nothing_else_either():
    for X, y in (DATA[kind] for kind in KINDS[:3]):
        parts = [(X[:2], y[:2]), (X[2:], y[2:])]
        proof = distributed.separability(parts)
        assert verify(proof, parts, None)
        for part, others in PARTS.items():
            if getattr(proof.certificate, part) is None:
                for thing in (*others, *NONSENSE):
                    assert not verify(with_part(proof, **{part: thing}), parts, None)
            else:
                for thing in NONSENSE:
                    assert not verify(with_part(proof, **{part: thing}), parts, None)
        for part in ("witness", "spanning"):
            true = getattr(proof.certificate, part)
            if true is not None:
                for rows in (true.rows.astype(float), true.rows - 4, true.rows[:, None], true.rows > 0):
                    assert not verify(with_part(proof, **{part: replace(true, rows=rows)}), parts, None)
