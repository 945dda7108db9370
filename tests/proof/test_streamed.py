"""Separability of rows that come block by block is that of all rows together, and its proof holds of the stream."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from common import seeded
from novikoff import Perceptron, separability
from novikoff.inputs.clock import Room
from novikoff.proof.check.certificate import Certificate
from novikoff.proof.problem.coordinates import Weights
from novikoff.proof.stream import streamed_proof
from novikoff.proof.stream.streamed_proof import streamed_separability
from novikoff.rows.store.blocks import Column, Schema, TableBlock
from novikoff.rows.store.row_store import Store
from novikoff.workflow.proving import labelled_rows, prove_store
from problems import small_problem


def in_blocks(X, target, cuts, names=None, convert=np.asarray):
    """The stream of these rows, cut before these places."""
    names = np.arange(len(X)) if names is None else names

    def blocks():
        for part in np.split(np.arange(len(X)), cuts):
            if part.size:
                yield convert(X[part]), target[part], names[part]

    return blocks


@pytest.fixture
def few_at_first(monkeypatch):
    """Many rounds, also of small problems."""
    monkeypatch.setattr(streamed_proof, "FIRST", 3)
    monkeypatch.setattr(streamed_proof, "MOST_A_BLOCK", 2)


@pytest.mark.usefixtures("few_at_first")
@pytest.mark.parametrize("start", range(0, 120, 40))
def test_the_verdict_is_that_of_all_rows_together(start):
    for seed in range(start, start + 40):
        X, target, n_classes, fit_intercept = small_problem(seed)
        rng = np.random.default_rng(seed)
        cuts = np.sort(rng.integers(0, len(X) + 1, rng.integers(0, 5)))
        names = rng.permutation(10**6)[: len(X)]
        convert = sparse.csr_array if seed % 2 else np.asarray
        check(X, target, n_classes, in_blocks(X, target, cuts, names, convert), names, fit_intercept)


@pytest.mark.usefixtures("few_at_first")
@pytest.mark.parametrize("start", range(0, 80, 40))
def test_whole_numbers_of_all_kinds(start):
    kinds = set()
    for seed in range(start, start + 40):
        rng = np.random.default_rng(seed)
        n_classes, count = int(rng.integers(2, 4)), int(rng.integers(20, 60))
        X = rng.integers(-3, 4, (count, 3)).astype(float)
        scores = X @ rng.integers(-2, 3, (3, n_classes))
        target = scores.argmax(axis=1)
        if seed % 3 == 0:
            X = X + (np.arange(n_classes)[target] * 2 - 2)[:, None] * (rng.random(3) < 0.5)
        if seed % 3 == 1:
            target[rng.integers(count)] = rng.integers(n_classes)
        target[:n_classes] = np.arange(n_classes)
        order = np.argsort(target, kind="stable") if seed % 4 == 0 else np.arange(count)
        X, target = X[order], target[order]
        size = int(rng.integers(1, 51))
        convert = sparse.csr_matrix if seed % 2 else np.asarray
        blocks = in_blocks(X, target, np.arange(size, count, size), convert=convert)
        kinds.add(check(X, target, n_classes, blocks, np.arange(count), bool(seed % 5)))
    assert kinds == {"complete", "quasi-complete", "overlap"}


def check(X, target, n_classes, blocks, names, fit_intercept):
    """Hold a streamed proof against that of all rows."""
    classes = np.arange(n_classes)
    whole = separability(X, target, fit_intercept=fit_intercept)
    proof = streamed_separability(blocks, classes=classes, fit_intercept=fit_intercept)
    assert proof.kind == whole.kind
    assert proof.separable == whole.separable
    assert proof.verify(blocks)
    assert proof.rows_looked_at >= len(X) * proof.rounds > 0
    assert (proof.coef is None) == (whole.coef is None)
    for witness in (proof.witness, proof.spanning):
        assert witness is None or set(witness.rows.tolist()) <= set(names.tolist())
    return proof.kind


CLOUD = seeded("cloud").standard_normal((20_000, 8))
NORMAL = np.arange(1.0, 9.0)
BLOCKED = np.arange(1000, 20_000, 1000)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_many_rows_with_one_that_is_wrong(convert):
    target = (CLOUD @ NORMAL > 0).astype(int)
    blocks = in_blocks(CLOUD, target, BLOCKED, convert=convert)
    proof = streamed_separability(blocks, classes=["a", "b"])
    assert proof.kind == "complete"
    assert proof.verify(blocks)
    assert proof.working_rows < 4000
    told = []
    wrong = target.copy()
    far = int(np.argmax(CLOUD @ NORMAL))
    wrong[far] = 0
    blocks = in_blocks(CLOUD, wrong, BLOCKED, convert=convert)
    proof = streamed_separability(blocks, classes=["a", "b"], progress=told.append)
    assert proof.kind == "overlap"
    assert far in proof.witness.rows
    assert proof.verify(blocks)
    assert told == [1000] * (20 * proof.rounds)
    assert not proof.verify(in_blocks(CLOUD, target, BLOCKED, convert=convert))


def test_weights_that_were_learned_are_tried_first():
    target = (CLOUD @ NORMAL > 0).astype(int)
    keep = np.abs(CLOUD @ NORMAL) > 2
    X, target = CLOUD[keep], target[keep]
    learner = Perceptron(random_state=0).fit(X, target)
    blocks = in_blocks(X, target, [5000])
    proof = streamed_separability(blocks, classes=[0, 1], guess=(learner.coef_, learner.intercept_))
    assert (proof.kind, proof.rounds, proof.working_rows) == ("complete", 1, 0)
    assert np.array_equal(proof.coef, learner.coef_)
    assert proof.verify(blocks)
    for guess in (np.zeros((1, 8)), np.full((1, 8), np.nan), -learner.coef_):
        proof = streamed_separability(blocks, classes=[0, 1], guess=(guess, np.zeros(1)))
        assert proof.kind == "complete"
        assert proof.verify(blocks)
    three = np.digitize(X @ NORMAL, [-9, 9])
    learner = Perceptron(random_state=0, max_iter=3).fit(X, three)
    blocks = in_blocks(X, three, [5000])
    proof = streamed_separability(blocks, classes=[0, 1, 2], guess=(learner.coef_, learner.intercept_))
    assert proof.kind == "complete"
    assert proof.coef.shape == (3, 8)
    assert proof.verify(blocks)


def test_no_time_no_verdict():
    blocks = in_blocks(CLOUD, (CLOUD @ NORMAL > 0).astype(int), BLOCKED)
    proof = streamed_separability(blocks, classes=[0, 1], time_limit=1e-9)
    assert proof.kind is None
    assert proof.separable is None
    assert not proof.verify(blocks)


def test_one_row_at_the_end_turns_overlap_into_quasi_complete_separation():
    X = np.array([[0.0, 0], [1, 0], [0, 0], [1, 0], [5, 1]])
    target = np.array([0, 1, 1, 0, 1])
    proof = streamed_separability(in_blocks(X[:4], target[:4], [2]), classes=[0, 1])
    assert proof.kind == "overlap"
    blocks = in_blocks(X, target, [4])
    proof = streamed_separability(blocks, classes=[0, 1])
    assert proof.kind == "quasi-complete"
    assert proof.rounds == 2
    assert proof.verify(blocks)
    assert proof.exact_weights[0][1] > 0
    assert proof.exact_weights[0][0] == 0


def test_what_is_not_true_is_not_verified():
    X, target = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    blocks = in_blocks(X, target, [1, 3])
    proof = streamed_separability(blocks, classes=[0, 1])
    assert proof.kind == "overlap"
    claim, witness = proof.certificate, proof.witness
    wrong = [
        replace(claim, witness=replace(witness, weights=(Fraction(2), *witness.weights[1:]))),
        replace(claim, witness=replace(witness, rows=witness.rows + 1)),
        replace(claim, spanning=None),
        replace(claim, kind="quasi-complete", weights=Weights(np.zeros((1, 3))), spanning=None),
        Certificate("complete", Weights(np.ones((1, 3)))),
        Certificate("complete"),
        Certificate(None),
    ]
    for each in wrong:
        assert not replace(proof, certificate=each).verify(blocks)
    assert replace(proof, certificate=Certificate(None, witness=witness)).verify(blocks)
    wider = in_blocks(np.vstack([X, [[2, 2]]]), np.append(target, 1), [1, 3])
    assert proof.verify(wider)  # the plane is spanned


def test_rows_that_change_or_share_a_number_are_found_out():
    target = (CLOUD[:50] @ NORMAL > 0).astype(int)
    with pytest.raises(ValueError, match="no rows"):
        streamed_separability(lambda: iter(()), classes=[0, 1])
    looks = []

    def turning():
        looks.append(1)
        yield CLOUD[:50], target if len(looks) % 2 else 1 - target, np.arange(50)

    with pytest.raises(ValueError, match="same"):
        streamed_separability(turning, classes=[0, 1])


@pytest.mark.parametrize("limit", [0, 10**9])
def test_rows_of_a_store(limit):
    class Plain:
        def encode(self, block, schema, overwrite=False):
            return block.numbers.copy()

    schema = Schema((Column("a", "number"), Column("b", "number")), "y", labels=["x", "or", "never"])
    X, target = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0], dtype=np.int32)
    with Store(limit) as store:
        for part in np.split(np.arange(4), [1]):
            store.add(TableBlock(X[part], np.empty((len(part), 0), np.int32), target[part], part + 7))
        proof = prove_store(store, schema, Plain())
        assert proof.kind == "overlap"
        assert proof.classes.tolist() == ["or", "x"]
        assert sorted(proof.witness.rows.tolist()) == [7, 8, 9, 10]
        assert proof.verify(labelled_rows(store, schema, Plain())[1])
        assert prove_store(store, schema, Plain(), lambda rows: rows < 10).kind == "complete"


def test_a_working_set_that_there_is_no_room_for_is_undecided():
    parts = [np.array([[0.0], [1.0]]), np.array([[2.0], [3.0]])], [np.array([0, 1]), np.array([0, 1])]

    def blocks():
        return [(X, target, 2 * place + np.arange(2)) for place, (X, target) in enumerate(zip(*parts, strict=True))]

    room = Room(10)
    assert streamed_separability(blocks, classes=np.arange(2)).kind == "overlap"
    assert streamed_separability(blocks, classes=np.arange(2), room=room).kind is None
    assert room.lacked > 0
