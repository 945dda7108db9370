"""Separability over partitions is that of all rows together: verdicts against an oracle, proofs checked on the gathered rows."""

import pickle
from dataclasses import replace
from operator import add

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from scipy import sparse

from novikoff import Perceptron, check_certificate, distributed, separability
from novikoff.course.plain import kesler_rows, kind_of, separated_rows
from novikoff.distributed.blocks_given import BY_HASH, Block, before_reshuffle
from novikoff.proof.partitions import row_queries
from novikoff.proof.partitions.partitioned_proof import PartitionedProof
from novikoff.proof.problem.coordinates import Weights
from novikoff.rows.partitions import Here
from problems import small_problem

NAMES = ["age", "dose", "weight"]
LABELS = np.array(["ash", "birch", "cedar", "dogwood"])


@pytest.fixture
def few_at_once(monkeypatch):
    """Many rounds, also of small problems."""
    monkeypatch.setattr(row_queries, "FIRST", 2)
    monkeypatch.setattr(row_queries, "FIRST_OF_EACH", 1)
    monkeypatch.setattr(row_queries, "MOST_OF_EACH", 1)


def in_blocks(X, y, cuts, convert=(np.asarray,)):
    """Partitions that begin at these places, some of them perhaps empty, turned into other types by turns."""
    parts = zip(np.split(X, cuts), np.split(y, cuts), strict=True)
    return [(convert[number % len(convert)](part), labels) for number, (part, labels) in enumerate(parts)]


def cuts_of(rng, rows, most=6):
    return np.sort(rng.integers(0, rows + 1, rng.integers(0, most)))


def same(one, other):
    """Bit for bit."""
    assert (one.kind, one.rounds, one.margin) == (other.kind, other.rounds, other.margin)
    assert one.exact_weights == other.exact_weights
    for a, b in ((one.witness, other.witness), (one.spanning, other.spanning)):
        assert (a is None) == (b is None)
        if a is not None:
            assert a.rows.tolist() == b.rows.tolist()
            assert a.weights == b.weights


@pytest.mark.usefixtures("few_at_once")
@pytest.mark.parametrize("start", range(0, 120, 40))
def test_verdicts_rows_and_directions_are_those_of_all_rows_together(start):
    kinds = set()
    for seed in range(start, start + 40):
        X, target, n_classes, fit_intercept = small_problem(seed)
        rng, y = np.random.default_rng(seed), LABELS[target] if seed % 2 else target
        convert = [(np.asarray,), (sparse.csr_array,), (sparse.csr_array, np.asarray)][seed % 3]
        proof = distributed.separability(in_blocks(X, y, cuts_of(rng, len(X)), convert), fit_intercept=fit_intercept)
        whole = separability(X, y, fit_intercept=fit_intercept)
        assert proof.kind == kind_of(separated_rows(kesler_rows(X.tolist(), target, n_classes, fit_intercept))), seed
        assert proof.verify(X, y)
        assert check_certificate(proof.to_dict(), X, y).kind == proof.kind
        assert proof.rows.tolist() == whole.rows.tolist()
        assert proof.directions == whole.directions
        assert (proof.margin is None) == (whole.margin is None)
        kinds.add(proof.kind)
    assert kinds == {"complete", "quasi-complete", "overlap"}


CLOUD = np.random.default_rng(1).standard_normal((6000, 4))
APART = CLOUD @ [1.0, -2.0, 0.5, 1.0] > 0.2


def test_many_rows_take_few_rounds():
    blocks = in_blocks(CLOUD, APART, np.arange(500, 6000, 500))
    proof = distributed.separability(blocks)
    assert (proof.kind, proof.verify(CLOUD, APART)) == ("complete", True)
    assert 0 < proof.margin <= separability(CLOUD, APART, max_margin=True).margin_bounds[1]
    assert proof.rounds <= 6
    turned = APART.copy()
    turned[np.argmax(CLOUD @ [1.0, -2.0, 0.5, 1.0])] ^= True
    proof = distributed.separability(in_blocks(CLOUD, turned, np.arange(500, 6000, 500)))
    assert (proof.kind, proof.verify(CLOUD, turned)) == ("overlap", True)
    assert proof.rounds <= 4


def test_partitions_of_one_class_or_none_and_unequal_ones():
    order = np.argsort(APART, kind="stable")
    X, y = CLOUD[order], np.where(APART[order], "yes", "no")
    proof = distributed.separability(in_blocks(X, y, [0, 1, 1, 4000, 6000]))
    assert (proof.kind, proof.verify(X, y)) == ("complete", True)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_equal_rows_of_two_classes_in_different_partitions(kind):
    X = np.vstack([CLOUD, CLOUD[:1]]).astype(kind)
    y = np.append(APART, not APART[0])
    proof = distributed.separability(in_blocks(X, y, [3000]))
    assert not proof.separable
    assert proof.verify(X, y)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Dask may say what it likes of its ports
def test_dask_has_the_bits_of_this_process():
    turned, three = APART.copy(), (CLOUD[:, 0] > 0).astype(int) + APART
    turned[7] ^= True
    cuts = [700, 2000, 2100]
    rows = da.from_array(CLOUD, chunks=((700, 1300, 100, 3900), 3))
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster):
        for y in (APART, turned, three):
            lazy = da.from_array(y, chunks=rows.chunks[0])
            proof = separability(rows, lazy)
            here = distributed.separability(in_blocks(CLOUD, y, cuts))
            same(proof, here)
            assert proof.directions == here.directions
            assert proof.verify(CLOUD, y)
            assert proof.verify(rows, lazy)
            assert here.verify(rows, lazy)
            assert separability(CLOUD, y).verify(rows, lazy)
            assert not proof.verify(rows, ~lazy if y.dtype == bool else (lazy + 1) % 3)


def test_other_collections_and_their_names():
    X, y = CLOUD[:300, :3].copy(), np.where(CLOUD[:300, 0] > 0, "yes", "no")
    X[:, 2] = np.abs(X[:, 2])
    frame = dd.from_pandas(pd.DataFrame(X, columns=NAMES).assign(y=y), npartitions=4)
    proof, whole = separability(frame[NAMES], frame["y"]), separability(pd.DataFrame(X, columns=NAMES), y)
    assert proof.directions == whole.directions
    assert proof.feature_names == tuple(NAMES)
    assert proof.verify(frame[NAMES], frame["y"])
    assert str(proof).splitlines()[0] == str(whole).splitlines()[0]
    wanted = "age", "height", "weight"
    assert tuple(separability(frame[NAMES], frame["y"], feature_names=wanted).directions) == ("intercept", *wanted)
    some = frame[frame["age"] > -1]  # of unknown sizes
    assert separability(some[NAMES], some["y"]).verify(X[X[:, 0] > -1], y[X[:, 0] > -1])
    blocks = [dask.delayed((sparse.csr_array(part), labels)) for part, labels in in_blocks(X, y, [10, 10, 200])]
    proof = distributed.separability(blocks)
    assert proof.verify(X, y)


def test_quasi_complete_separation_over_partitions(tmp_path):
    X = np.column_stack([np.repeat([0.0, 0.0, 1.0], 100), CLOUD[:300, 0], np.ones(300)])
    y = np.repeat(["no", "yes", "yes"], 100)
    X[100:110, :2] = X[:10, :2]
    proof = distributed.separability(in_blocks(X, y, [50, 150, 299]))
    whole = separability(X, y)
    assert proof.kind == whole.kind == "quasi-complete"
    assert proof.rows.tolist() == whole.rows.tolist()
    assert proof.directions == whole.directions
    assert proof.suspects is None
    assert "200 always stay on the boundary" in str(proof)
    proof.save(tmp_path / "proof.json")
    assert check_certificate(tmp_path / "proof.json", X, y).kind == "quasi-complete"
    again = pickle.loads(pickle.dumps(distributed.separability(in_blocks(X, y, [50]))))
    assert again.verify(X, y)
    assert again.rows is None  # there is nobody to ask
    assert again.directions is None
    with pytest.raises(ValueError, match="plot\\(\\) needs all rows"):
        proof.plot()
    with pytest.raises(ValueError, match="pairwise\\(\\) needs all rows"):
        proof.pairwise()
    with pytest.raises(ValueError, match="are in partitions"):
        proof.save(tmp_path / "proof.json", rows=tmp_path / "rows.csv")


def test_tampered_proofs_do_not_hold_where_rows_lie():
    lazy = da.from_array(CLOUD, chunks=(1000, 4)), da.from_array(APART, chunks=1000)
    proof = separability(*lazy)
    moved = proof.certificate.weights.floats.copy()
    moved[0, -1] += 10.0
    wrong = replace(proof, certificate=replace(proof.certificate, weights=Weights(moved)))
    assert not wrong.verify(*lazy)
    assert not replace(proof, margin=10.0).verify(*lazy)
    turned = APART.copy()
    turned[5] ^= True
    lazy = lazy[0], da.from_array(turned, chunks=1000)
    proof = separability(*lazy)
    witness = proof.witness
    other = replace(witness, rows=(witness.rows + 1) % 6000)
    assert not replace(proof, certificate=replace(proof.certificate, witness=other)).verify(*lazy)


def test_a_spanning_witness_that_proves_nothing_is_refused():
    X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    lazy = da.from_array(X, chunks=2), da.from_array(y, chunks=2)
    proof = separability(*lazy)
    assert proof.kind == "quasi-complete"
    assert proof.verify(*lazy)
    more = replace(proof, certificate=replace(proof.certificate, spanning=proof.witness))
    assert not more.verify(*lazy)
    assert not more.verify(X, y)


def test_wide_sparse_rows(rng):
    X = sparse.random_array((400, 3000), density=0.01, format="csr", rng=rng)
    y = X @ rng.normal(size=3000) > 0
    proof = distributed.separability([(X[first : first + 100], y[first : first + 100]) for first in range(0, 400, 100)])
    assert (proof.kind, proof.verify(X, y)) == ("complete", True)
    assert proof.directions is None


def test_time_that_ends_is_no_verdict():
    proof = distributed.separability(in_blocks(CLOUD, APART, [3000]), time_limit=1e-9)
    assert proof.kind is None
    assert proof.separable is None
    assert proof.rows is None
    assert proof.directions is None


def test_what_cannot_be_proved_is_refused_with_the_partition():
    X = CLOUD[:10]
    with pytest.raises(ValueError, match=r"Partition 1: .*NaN"):
        distributed.separability([(X, APART[:10]), (np.full((2, 4), np.nan), [0, 1])])
    with pytest.raises(ValueError, match="Partition 0: X has 9007199254740993"):
        distributed.separability([(np.array([[2**53 + 1], [1]]), [0, 1])])
    with pytest.raises(ValueError, match="some have 4, some 3"):
        distributed.separability([(X, APART[:10]), (X[:, :3], APART[:10])])
    with pytest.raises(ValueError, match="only one class"):
        distributed.separability([(X, np.zeros(10)), (X, np.zeros(10))])
    with pytest.raises(ValueError, match=r"each partition is \(X, y\): sample weights do not change the verdict"):
        distributed.separability([(X, APART[:10], np.ones(10))])
    with pytest.raises(ValueError, match="No partition has a row"):
        distributed.separability([(X[:0], APART[:0])])
    with pytest.raises(ValueError, match="max_margin=True needs all rows in memory"):
        separability(da.from_array(X, chunks=5), da.from_array(APART[:10], chunks=5), max_margin=True)


@pytest.mark.parametrize("multiclass", ["worst", "ovr"])
@pytest.mark.parametrize("by_class", [False, True])
@pytest.mark.filterwarnings("ignore:The partitions are sorted")
def test_a_fit_that_makes_no_progress_proves_that_nothing_separates(rng, by_class, multiclass):
    X = rng.normal(size=(2000, 3))
    y = LABELS[(X @ [1.0, 2.0, -1.0] + 0.3 * rng.normal(size=2000) > 0) + (X[:, 0] > 1.5).astype(int)]
    if by_class:
        order = np.argsort(y, kind="stable")
        X, y = X[order], y[order]
    learner = distributed.fit(
        Perceptron(multiclass=multiclass, random_state=0), in_blocks(X, y, [0, 300, 900, 1000, 2000])
    )
    assert learner.stop_reason_ == "inseparable"
    proof = learner.proof_
    assert isinstance(proof, PartitionedProof)
    if multiclass == "worst":
        assert proof.verify(X, y)
    else:
        assert any(proof.verify(X, y == label) for label in np.unique(y) if label in y)
    assert proof._queries is None


def test_no_proof_where_some_rows_take_no_part_or_numbers_were_rounded(rng):
    X = rng.integers(-5, 6, size=(600, 2))
    y = rng.integers(0, 2, size=600)
    weight = np.arange(600) % 2.0
    halves = [(X[:300], y[:300], weight[:300]), (X[300:], y[300:], weight[300:])]
    assert distributed.fit(Perceptron(random_state=0), halves).stop_reason_ == "no_progress"
    X[0, 0] = 2**53 + 1
    rounded = in_blocks(X, y, [300])
    assert distributed.fit(Perceptron(random_state=0), rounded).stop_reason_ != "inseparable"


def test_rows_are_traced_back_through_dealing(rng):
    sizes = [5, 0, 17, 1, 30]
    begins = np.cumsum([0, *sizes])
    numbered = [
        Block(np.arange(begin, begin + size)[:, None], np.zeros(size), np.empty(0), [])
        for begin, size in zip(begins, sizes, strict=False)
    ]
    reshuffled = Here(numbered).reshuffle(BY_HASH).fold(lambda number, block, state: [block.X[:, 0]], add, None)
    partition = np.repeat(np.arange(len(sizes)), [len(part) for part in reshuffled])
    place = np.concatenate([np.arange(len(part)) for part in reshuffled])
    assert before_reshuffle(sizes, partition, place).tolist() == np.concatenate(reshuffled).tolist()
