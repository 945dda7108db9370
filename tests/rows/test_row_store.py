"""Blocks of rows in memory and in a file are the same."""

import errno

import numpy as np
import pytest

from novikoff.rows.store import row_store as storing
from novikoff.rows.store.blocks import SparseBlock, TableBlock
from novikoff.rows.store.row_store import Store


def table(rng, first, count):
    numbers, codes = rng.standard_normal((count, 3)), rng.integers(-1, 4, (count, 2), dtype=np.int32)
    return TableBlock(numbers, codes, rng.integers(0, 2, count, dtype=np.int32), np.arange(first, first + count))


def sparse_rows(rng, first, count):
    starts = np.append(0, np.cumsum(rng.integers(0, 5, count)))
    values, indices = rng.standard_normal(starts[-1]), np.zeros(starts[-1], dtype=np.int32)
    return SparseBlock(values, indices, starts, rng.standard_normal(count), np.arange(first, first + count))


@pytest.mark.parametrize("make", [table, sparse_rows])
@pytest.mark.parametrize("limit", [0, 1500, 10**9])
def test_what_goes_in_comes_out(make, limit, rng):
    given = [make(rng, first, count) for first, count in ((0, 10), (10, 0), (10, 33), (43, 7))]
    with Store(limit) as store:
        for count, block in enumerate(given, start=1):
            store.add(block)
            assert store.bytes_in_memory <= limit
            for before, after in zip(given, store.blocks, strict=False):
                assert type(before) is type(after)
                for one, other in zip(before, after, strict=True):
                    assert one.dtype == other.dtype
                    assert np.array_equal(one, other)
            assert len(store.blocks) == count
            store.release()
        assert store.n_rows == 50
        assert (store.bytes_in_file == 0) == (limit == 10**9)
        kept = store.blocks[2]
        if limit == 0:
            with pytest.raises(ValueError, match="read-only"):
                kept.target[0] = 1
    assert all(np.array_equal(*pair) for pair in zip(kept, given[2], strict=True))  # views outlive the store
    assert len(store.blocks) == 0


def test_nothing_is_left_in_the_folder(tmp_path, rng):
    with Store(0, str(tmp_path)) as store:
        store.add(table(rng, 0, 10))
        assert len(store.blocks[0].rows) == 10
        assert not any(tmp_path.iterdir())


def test_a_full_disk_says_what_to_do(tmp_path, monkeypatch, rng):
    def full(dir):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(storing.tempfile, "TemporaryFile", full)
    with Store(0, str(tmp_path)) as store, pytest.raises(OSError, match=r"memory=\.\.\..*TMPDIR") as caught:
        store.add(table(rng, 0, 10))
    assert caught.value.errno == errno.ENOSPC
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize("limit", [0, 10**9])
def test_pieces_become_one_array(limit, tmp_path, rng):
    pieces = [np.arange(5, dtype=np.uint8), np.empty(0, dtype=np.uint8), np.arange(9, dtype=np.uint8)]
    with Store(limit, str(tmp_path)) as store:
        store.add(table(rng, 0, 10))
        whole = store.once("key", lambda: iter(pieces))
        assert store.once("key", lambda: iter([])) is whole
        store.release()
        assert whole.tolist() == np.concatenate(pieces).tolist()
        assert not any(tmp_path.iterdir())
    assert whole.tolist() == np.concatenate(pieces).tolist()
