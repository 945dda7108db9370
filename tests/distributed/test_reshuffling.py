"""Partitions sorted by class are found, and reshuffled: a warning says so if the caller did not ask for it."""

import warnings
from operator import add

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from novikoff import Perceptron
from novikoff.distributed import fit
from novikoff.distributed.blocks_given import BY_HASH, TOO_SORTED, Block, both_censuses, look, partition_of, sortedness
from novikoff.rows.partitions import Here


def how_sorted(*labels):
    blocks = [Block(np.zeros((len(part), 1)), np.asarray(part), np.empty(0), []) for part in labels]
    return sortedness(Here(blocks).fold(look, both_censuses, False))


def test_sortedness_is_1_where_each_partition_has_a_class_and_about_0_at_random(rng):
    assert 0.9 < how_sorted(["a"] * 500, ["b"] * 500, ["a"] * 500) <= 1
    assert how_sorted(*(rng.integers(0, 3, 300) for _ in range(8))) < 0.1
    assert how_sorted(*(rng.integers(0, 2, 4) for _ in range(50))) < TOO_SORTED  # few rows prove little
    assert how_sorted([0] * 80 + [1] * 20, [0] * 20 + [1] * 80) > TOO_SORTED


def test_dealing_keeps_every_row_once_and_is_even(rng):
    blocks = [
        Block(
            sparse.csr_array(rng.integers(0, 3, (rows, 2)).astype(float)),
            rng.integers(0, 9, rows),
            rng.random(rows),
            [],
        )
        for rows in (100, 0, 37)
    ]
    reshuffled = Here(blocks).reshuffle(BY_HASH).fold(lambda number, block, state: [block], add, None)

    def rows(parts):
        return sorted(map(tuple, np.vstack([np.column_stack([p.X.toarray(), p.y, p.weight]) for p in parts]).tolist()))

    assert rows(reshuffled) == rows(blocks)
    counts = np.bincount(partition_of(5, 100_000, 10).astype(int), minlength=10)
    assert np.all(np.abs(counts - 10_000) < 500)
    assert not np.array_equal(partition_of(5, 100, 10), partition_of(6, 100, 10))


@pytest.fixture
def sorted_blocks(rng):
    """Four classes that overlap, one of them larger, in partitions of 200 rows as they come."""
    centers = 0.5 * rng.normal(size=(4, 10)) + rng.normal(size=10)
    y = np.repeat(np.arange(4), [2200, 400, 400, 200])
    X = centers[y] + rng.normal(size=(3200, 10))
    return X, y, [(X[first : first + 200], y[first : first + 200]) for first in range(0, 3200, 200)]


def test_sorted_partitions_are_dealt_and_that_is_said(sorted_blocks):
    X, y, blocks = sorted_blocks
    with pytest.warns(ConvergenceWarning, match="16 of 16 have rows of one class only.*reshuffled"):
        reshuffled = fit(Perceptron(random_state=0), blocks)
    with pytest.warns(ConvergenceWarning, match="mixed from such partitions predict badly: use reshuffle=True"):
        sorted_by_class = fit(Perceptron(random_state=0), blocks, reshuffle=False)
    one = Perceptron(random_state=0).fit(X, y)
    assert reshuffled.score(X, y) > one.score(X, y) - 0.02
    assert sorted_by_class.score(X, y) < reshuffled.score(X, y)


def test_nothing_is_said_where_nothing_is_wrong(sorted_blocks):
    X, y, blocks = sorted_blocks
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(Perceptron(random_state=0), blocks, reshuffle=True)
        fit(Perceptron(random_state=0), [(X[start::8], y[start::8]) for start in range(8)])
        fit(Perceptron(batch_size="all"), blocks)  # a sum does not mind
        fit(Perceptron(random_state=0), [(X, y), (X[:0], y[:0])])  # nor does a single partition
