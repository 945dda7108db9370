"""Rows held out: equal shares of every class, drawn by the seed, whatever the memory and the blocks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.rows.store.blocks import Schema, TableBlock
from novikoff.rows.store.row_store import Store, count_targets
from novikoff.rows.store.splits import ROUNDS, folds, held_out, permuted

TARGETS = st.lists(st.integers(0, 4), min_size=2, max_size=80)


def stored(target, limit=10**9, block=7, rows=None):
    """A store and the schema of rows with these classes, or numbers, a few in each block."""
    target = np.asarray(target)
    numbers = target.dtype.kind == "f"
    rows = np.arange(len(target)) if rows is None else rows
    store = Store(limit)
    for first in range(0, len(target), block):
        some = slice(first, first + block)
        own = target[some] if numbers else target[some].astype(np.int32)
        store.add(TableBlock(np.zeros((len(own), 1)), np.zeros((len(own), 0), np.int32), own, rows[some]))
    labels = [] if numbers else [f"c{k}" for k in range(target.max() + 1)]
    return store, Schema(task="numbers" if numbers else "classes", labels=labels)


def cut(store, schema, k, seed):
    """The same store, and its rows cut into parts."""
    return store, folds(schema, count_targets(store, schema, None), k, seed)


def parts(store, splits, rows):
    """The part that each row is tested in; every row must be tested once, and learned from otherwise."""
    tested = np.array([split.test.among(store)(rows) for split in splits])
    assert np.array_equal(tested.sum(axis=0), np.ones(len(rows)))
    assert np.array_equal([~split.train.among(store)(rows) for split in splits], tested)
    return tested.argmax(axis=0)


def even(part, k):
    counts = np.bincount(part, minlength=k)
    return counts.max() - counts.min() <= 1


@given(TARGETS, st.data(), st.integers(0, 2**70))
def test_parts_are_equal_in_all_and_of_every_class(target, data, seed):
    k = data.draw(st.integers(2, len(target)))
    part = parts(*cut(*stored(target), k, seed), np.arange(len(target)))
    assert even(part, k)
    assert all(even(part[np.array(target) == own], k) for own in set(target))


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=80), st.data(), st.integers(0, 99))
def test_parts_of_numbers_are_equal(target, data, seed):
    k = data.draw(st.integers(2, len(target)))
    assert even(parts(*cut(*stored(target), k, seed), np.arange(len(target))), k)


@given(TARGETS, st.floats(0.01, 0.99), st.integers(0, 99))
def test_every_class_is_held_out_in_its_share(target, fraction, seed):
    target, n = np.array(target), len(target)
    wanted = round(fraction * n)
    store, schema = stored(target)
    counts = count_targets(store, schema, None)
    if not 0 < wanted < n:
        with pytest.raises(ValueError, match="holds out"):
            held_out(schema, counts, fraction, seed)
        return
    split = held_out(schema, counts, fraction, seed)
    held = split.test.among(store)(np.arange(n))
    assert np.array_equal(split.train.among(store)(np.arange(n)), ~held)
    assert held.sum() == wanted
    for own in set(target):
        assert abs(held[target == own].sum() - wanted / n * (target == own).sum()) < 1


@given(TARGETS, st.integers(0, 99), st.integers(1, 90), st.integers(0, 3))
def test_neither_memory_nor_blocks_nor_rows_left_out_change_a_part(target, seed, block, gap):
    n = len(target)
    rows = np.cumsum(np.random.default_rng(seed).integers(1, gap + 2, n))  # numbers of rows, some left out
    k = min(5, n)
    expected = parts(*cut(*stored(target), k, seed), np.arange(n))
    for limit in (0, 300, 10**9):
        store, schema = stored(target, limit, block, rows)
        with store:
            assert np.array_equal(parts(*cut(store, schema, k, seed), rows), expected)


def slow(rank, size, kind, seed):
    """The permutation as its docstring says it, with Python's whole numbers."""
    word, golden = 2**64, 0x9E3779B97F4A7C15

    def mix(z):
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % word
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % word
        return z ^ (z >> 31)

    key = mix((mix((seed + golden) % word) + kind) % word)
    half = next(bits for bits in range(1, 40) if 4**bits >= size)
    while True:
        upper, lower = divmod(rank, 2**half)
        for turn in range(1, ROUNDS + 1):
            step = mix((key + turn * golden) % word)
            upper, lower = lower, upper ^ mix((step + lower) % word) % 2**half
        rank = upper * 2**half + lower
        if rank < size:
            return rank


@given(st.integers(1, 300), st.integers(0, 9), st.integers(0, 2**64 - 1))
def test_the_order_is_a_permutation_and_that_of_its_twin(size, kind, seed):
    ranks = np.arange(size)
    found = permuted(ranks, np.full(size, size), np.full(size, kind), seed)
    assert sorted(found) == ranks.tolist()
    assert found[:5].tolist() == [slow(rank, size, kind, seed) for rank in range(min(5, size))]


@pytest.mark.parametrize("target", [np.arange(60) % 2, np.repeat([0, 1, 2], 20), np.arange(60) % 5, np.arange(60.0)])
def test_the_seed_draws_parts_evenly(target):
    """Over many seeds every row is in every part equally often, and any two rows share one as often as chance has it."""
    seeds, k, n = 400, 5, 60
    found = np.array([parts(*cut(*stored(target), k, seed), np.arange(n)) for seed in range(seeds)])
    often = np.array([(found == own).sum(axis=0) for own in range(k)])
    deviation = (seeds / k * (1 - 1 / k)) ** 0.5
    assert np.abs(often - seeds / k).max() < 5 * deviation
    together = (found[:, :, None] == found[:, None, :]).sum(axis=0)[np.triu_indices(n, 1)]
    assert abs(together.mean() / seeds - (n / k - 1) / (n - 1)) < 1e-12  # since parts are equal
    assert together.max() < seeds / k + 7 * deviation


def test_even_a_single_row_of_a_class_is_held_out_by_chance():
    store, schema = stored([0] * 9 + [1])
    splits = [held_out(schema, count_targets(store, schema, None), 0.3, seed) for seed in range(300)]
    held = [split.test.among(store)(np.arange(10)) for split in splits]
    assert 40 < np.sum(held, axis=0).min() <= np.sum(held, axis=0).max() < 140  # 90 on average, deviation 8


@pytest.mark.parametrize("k", [-1, 0, 1, 7])
def test_parts_that_rows_do_not_suffice_for_are_refused(k):
    with pytest.raises(ValueError, match="from 2 to 6 folds"):
        cut(*stored([0, 1, 0, 1, 0, 1]), k, 0)
