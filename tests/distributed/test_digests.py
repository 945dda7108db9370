"""Digests: equal bytes have the same, and any change another."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.distributed.blocks_given import P1, P2, digest_of, of_all, read_block, stir, unchanged


def test_any_change_shows(rng):
    X, y, weight = rng.normal(size=(9, 3)), np.array(list("abcabcabc")), rng.random(9)
    bit = X.copy()
    bit.view(np.uint64)[4, 1] ^= 1
    less = sparse.csr_array(X * (rng.random((9, 3)) < 0.5))
    moved = less.copy()
    moved.indices = (moved.indices + 1) % 3
    columns = [X, bit, X.reshape(3, 9), X.astype(np.float32), X[::-1], less, moved, less.toarray()]
    assert len({digest_of(column) for column in columns}) == len(columns)
    assert digest_of(X) == digest_of(np.asfortranarray(X)) == digest_of(X.copy())
    labels = [y, y[::-1], y.astype(object), y.astype("U2")]
    assert len({digest_of(X, column, weight) for column in labels}) == len(labels)
    assert digest_of(y.astype(object)) == digest_of(np.array(y.tolist(), dtype=object))  # other objects, equal text
    assert of_all({0: (1, 2), 1: (3, 4)}) == of_all({1: (3, 4), 0: (1, 2)}) != of_all({0: (3, 4), 1: (1, 2)})


@pytest.mark.plain_python
@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 9, 100])
def test_words_are_stirred_as_in_whole_numbers(rng, count):
    words, lanes = rng.integers(0, 2**64, count, dtype=np.uint64), np.arange(4, dtype=np.uint64)
    slow = lanes.tolist()
    for place, word in enumerate(words.tolist()):
        mixed = (slow[place % 4] + word * int(P2)) % 2**64
        slow[place % 4] = (mixed << 31 | mixed >> 33) * int(P1) % 2**64
    with np.errstate(over="ignore"):
        stir(words, lanes)
    assert lanes.tolist() == slow


def test_a_changed_partition_is_named(rng):
    X = rng.normal(size=(5, 2))
    block, other = (read_block(3, (X + shift, np.arange(5) % 2), False) for shift in (0, 1))
    assert unchanged(3, block, {3: block.digest}) is block
    with pytest.raises(
        ValueError, match=r"Partition 3 has changed: it was read again.*Read from files that do not change"
    ):
        unchanged(3, other, {3: block.digest})
