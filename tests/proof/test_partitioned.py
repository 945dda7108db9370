"""Separability of rows that are read a part at a time is that of all rows together, and its proof holds of the parts."""

from dataclasses import replace
from fractions import Fraction
from operator import add

import numpy as np
import pytest
from scipy import sparse

from common import seeded
from novikoff import Perceptron, separability
from novikoff.proof.check.certificate import Certificate
from novikoff.proof.partitions import row_queries
from novikoff.proof.partitions.partitioned_proof import holds, prove
from novikoff.proof.partitions.row_queries import ClassSetting, Labelled, RowQueries, both_samples, drawn
from novikoff.proof.problem.coordinates import Weights
from novikoff.rows.partitions import OnDemand
from novikoff.rows.store.blocks import Column, Schema, TableBlock
from novikoff.rows.store.row_store import Store
from novikoff.system.clock import Clock, Room
from novikoff.tables.check_table import queries_of
from problems import small_problem


def in_blocks(X, target, cuts, convert=np.asarray, fit_intercept=True):
    """The rows, cut before these places, to be asked; some parts are perhaps empty."""
    classes = np.unique(target)
    parts = zip(np.split(X, cuts), np.split(target, cuts), strict=True)
    parts = OnDemand([Labelled(convert(part), labels) for part, labels in parts])
    sample = parts.fold(some_rows, both_samples, classes.size)
    return RowQueries(parts, ClassSetting(classes, fit_intercept), sample)


def some_rows(number, rows, n_classes):
    return drawn(number, rows.target, n_classes, lambda few: (rows.X[few], rows.target[few]))


def proof_of(queries, **options):
    return prove(queries, None, Clock(), **options)


@pytest.fixture
def few_at_first(monkeypatch):
    """Many rounds, also of small problems."""
    monkeypatch.setattr(row_queries, "FIRST", 3)
    monkeypatch.setattr(row_queries, "FIRST_OF_EACH", 2)
    monkeypatch.setattr(row_queries, "MOST_OF_EACH", 2)


@pytest.mark.usefixtures("few_at_first")
@pytest.mark.parametrize("start", range(0, 80, 40))
def test_the_verdict_is_that_of_all_rows_together(start):
    for seed in range(start, start + 40):
        X, target, _, fit_intercept = small_problem(seed)
        rng = np.random.default_rng(seed)
        cuts = np.sort(rng.integers(0, len(X) + 1, rng.integers(0, 5)))
        convert = sparse.csr_array if seed % 2 else np.asarray
        check(X, target, in_blocks(X, target, cuts, convert, fit_intercept))


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
        convert = sparse.csr_array if seed % 2 else np.asarray
        kinds.add(check(X, target, in_blocks(X, target, np.arange(size, count, size), convert, bool(seed % 5))))
    assert kinds == {"complete", "quasi-complete", "overlap"}


def check(X, target, queries):
    """Hold a proof in parts against that of all rows."""
    whole = separability(X, target, fit_intercept=queries.frame.fit_intercept)
    proof = proof_of(queries)
    assert proof.kind == whole.kind
    assert proof.rounds == queries.rounds > 0
    assert proof.verify(X, target)
    assert holds(proof, queries)
    assert holds(whole, queries)
    assert proof.rows.tolist() == whole.rows.tolist()
    assert proof.directions == whole.directions
    assert (proof.coef is None) == (whole.coef is None)
    assert (proof.margin is None) == (whole.margin is None)
    return proof.kind


CLOUD = seeded("cloud").standard_normal((20_000, 8))
NORMAL = np.arange(1.0, 9.0)
BLOCKED = np.arange(1000, 20_000, 1000)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_many_rows_with_one_that_is_wrong(convert):
    target = (CLOUD @ NORMAL > 0).astype(int)
    right = in_blocks(CLOUD, target, BLOCKED, convert)
    proof = proof_of(right)
    assert proof.kind == "complete"
    assert holds(proof, right)
    assert len(proof._rows_held) < 8000
    wrong = target.copy()
    far = int(np.argmax(CLOUD @ NORMAL))
    wrong[far] = 0
    queries = in_blocks(CLOUD, wrong, BLOCKED, convert)
    proof = proof_of(queries)
    assert proof.kind == "overlap"
    assert far in proof.witness.rows
    assert holds(proof, queries)
    assert not holds(proof, right)


def test_weights_that_were_learned_are_tried_first():
    target = (CLOUD @ NORMAL > 0).astype(int)
    keep = np.abs(CLOUD @ NORMAL) > 2
    X, target = CLOUD[keep], target[keep]
    learner = Perceptron(random_state=0).fit(X, target)
    queries = in_blocks(X, target, [5000])
    learned = np.column_stack([learner.coef_, learner.intercept_])
    proof = proof_of(queries, guess=Weights(learned))
    assert (proof.kind, proof.rounds) == ("complete", 2)
    assert np.array_equal(proof.coef, learner.coef_)
    assert holds(proof, queries)
    nearly = learned.copy()
    nearly[0, -1] += np.sort(np.abs(X @ learner.coef_[0] + learner.intercept_))[4]  # a few rows contradict it
    for guess in (np.zeros((1, 9)), np.full((1, 9), np.nan), -learned, nearly, np.ones((3, 2))):
        proof = proof_of(queries, guess=Weights(guess))
        assert proof.kind == "complete"
        assert holds(proof, queries)


def test_no_time_no_verdict():
    queries = in_blocks(CLOUD, (CLOUD @ NORMAL > 0).astype(int), BLOCKED)
    proof = prove(queries, None, Clock(1e-9))
    assert proof.kind is None
    assert proof.separable is None
    assert not holds(proof, queries)


@pytest.mark.usefixtures("few_at_first")
def test_one_row_at_the_end_turns_overlap_into_quasi_complete_separation():
    X = np.array([[0.0, 0], [1, 0], [0, 0], [1, 0], [5, 1]])
    target = np.array([0, 1, 1, 0, 1])
    assert proof_of(in_blocks(X[:4], target[:4], [2])).kind == "overlap"
    queries = in_blocks(X, target, [4])
    proof = proof_of(queries)
    assert proof.kind == "quasi-complete"
    assert holds(proof, queries)
    assert proof.exact_weights[0][1] > 0
    assert proof.exact_weights[0][0] == 0


def test_what_is_not_true_is_not_verified():
    X, target = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    queries = in_blocks(X, target, [1, 3])
    proof = proof_of(queries)
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
        assert not holds(replace(proof, certificate=each), queries)
    assert holds(replace(proof, certificate=Certificate(None, witness=witness)), queries)


def test_rows_that_the_proof_does_not_know_prove_nothing():
    X, target = np.array([[0.0], [2], [1], [1], [0], [2]]), np.array([0, 0, 1, 1, 1, 0])
    proof = proof_of(in_blocks(X[:4], target[:4], [2]))
    other = replace(proof.witness, rows=np.array([0, 1, 5, 4]))
    other = replace(proof, certificate=Certificate(None, witness=other))
    assert not holds(other, in_blocks(X, target, [2]))


def test_rows_that_change_are_found_out():
    target = (CLOUD[:50] @ NORMAL > 0).astype(int)
    queries = in_blocks(CLOUD[:50], target, [25])
    turned = in_blocks(CLOUD[:50], 1 - target, [25])
    turned.sample = queries.sample
    with pytest.raises(ValueError, match="same"):
        proof_of(turned)


class Plain:
    def encode(self, block, schema, overwrite=False):
        return block.numbers.copy()


SCHEMA = Schema((Column("a", "number"), Column("b", "number")), "y", labels=["x", "or", "never"])


@pytest.mark.parametrize("limit", [0, 10**9])
def test_rows_of_a_store(limit):
    X, target = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0], dtype=np.int32)
    told = []
    with Store(limit) as store:
        for part in np.split(np.arange(4), [1]):
            store.add(TableBlock(X[part], np.empty((len(part), 0), np.int32), target[part], part + 7))
        queries = queries_of(store, SCHEMA, Plain(), told.append)
        proof = proof_of(queries)
        assert proof.kind == "overlap"
        assert proof.classes.tolist() == ["or", "x"]
        assert sorted(proof.witness.rows.tolist()) == [0, 1, 2, 3]
        assert proof.verify(X, np.array(["x", "or"])[target])
        assert holds(proof, queries)
        assert told == [1, 3] * (queries.rounds - 1)  # the sample does not look at all rows


def test_a_working_set_that_there_is_no_room_for_is_undecided(monkeypatch):
    monkeypatch.setattr(row_queries, "FIRST", 1)
    X, target, room = np.arange(4.0)[:, None], np.array([0, 1, 0, 1]), Room(10)
    assert proof_of(in_blocks(X, target, [2])).kind == "overlap"
    assert prove(in_blocks(X, target, [2]), None, Clock(room=room)).kind is None
    assert room.lacked > 0


def test_of_wide_rows_fewer_are_sent(monkeypatch, rng):
    X, target = rng.standard_normal((400, 40)), np.arange(400) % 2
    X[:, 0] = 2 * target - 1
    monkeypatch.setattr(row_queries, "NUMBERS", 1000)
    queries = in_blocks(X, target, np.arange(50, 400, 50))
    assert len(queries.sample.rows) <= 25
    proof = proof_of(queries)
    assert (proof.kind, holds(proof, queries)) == ("complete", True)


def test_every_fold_reads_the_parts_again_one_at_a_time():
    read = []

    class Parts(list):
        def __getitem__(self, number):
            read.append(number)
            return super().__getitem__(number)

    lazy = OnDemand(Parts([1, 2, 3])).map(lambda number, part, state: part * state, 10)
    assert read == []
    assert [lazy.fold(lambda number, part, state: part, add, None) for _ in range(2)] == [60, 60]
    assert read == [0, 1, 2] * 2
