"""The rows of a partition as they were given, read and checked in place; and what is known of all partitions together."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import assert_all_finite, column_or_1d

from ..checks.arrays import DTYPES, class_numbers, distinct_labels, read_weights, refuse_not_finite
from ..checks.rounding import first_rounded
from ..compiled.jit import helper, in_place
from ..rows.partitions import Here, Partitions, Reshuffle, scrambled, stacked


def engine_of(X: Any, y: Any, sample_weight: Any, client: Any) -> Partitions:
    """What has the partitions, as they were given."""
    if hasattr(X, "fold"):  # it is one
        engine: Partitions = X
        return engine
    if is_lazy(X):
        # and Dask, which other partitions do without
        from ..rows.dask_engine import DaskPartitions, delayed_blocks, running_client

        if y is None:
            raise ValueError("y is missing: pass the targets of the rows.")
        return DaskPartitions(delayed_blocks(X, y, sample_weight), client or running_client())
    if not isinstance(X, list | tuple) or not X:
        raise TypeError(f"X must be a Dask collection or a list of partitions, not {type(X).__name__}.")
    columns = [column for column in (X, y, sample_weight) if column is not None]
    blocks = list(X) if y is None else list(zip(*columns, strict=True))
    lazy = any(is_lazy(block) or any(map(is_lazy, block)) for block in blocks)
    if client is None and not lazy:
        return Here(blocks)
    from dask import delayed

    from ..rows.dask_engine import DaskPartitions, running_client  # as above

    return DaskPartitions([delayed(block) for block in blocks], client or running_client())


def is_lazy(value: Any) -> bool:
    """Whether it is a Dask collection, a delayed value included."""
    return hasattr(value, "__dask_graph__")


class Block(NamedTuple):
    """Rows of a partition."""

    X: Any  # C-ordered array or CSR
    y: np.ndarray
    weight: np.ndarray  # empty: all are 1
    names: list[Any]  # of the columns; empty: they have none
    rounded: bool = False  # whether float64 cannot hold some numbers of X, so that nothing is proved of them
    digest: Digest = ()  # of X, y and weights as they were read


def read_block(number: int, given: Any, numbers: bool) -> Block:
    """X, y and perhaps weights as anybody has them, checked; ``numbers``: y are numbers, not labels."""
    X, y, weight = (*given, None)[:3]
    names = list(getattr(X, "columns", []))
    rounded = not numbers and first_rounded(X) is not None
    X = aligned(X) if isinstance(X, np.ndarray) else X  # first: all that follows is slow where it is not
    try:
        X = check_array(
            X,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=list(DTYPES),
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=0,
        )
        refuse_not_finite(X, names or None)
        y = column_or_1d(np.asarray(y))
        if (
            y.dtype == object and (plain := np.array(y.tolist())).dtype.kind in "biuf"
        ):  # as Dask hands out a column of text == "yes"
            y = plain
        if y.size != X.shape[0]:
            raise ValueError(
                f"X has {X.shape[0]} rows, and y has {y.size}. Take both from one data frame, as in frame[columns] and frame['y'], or "
                "make the sizes of blocks known first: array.compute_chunk_sizes()."
            )
        if y.dtype.kind == "f":
            assert_all_finite(y, input_name="y")
        y = y.astype(np.float64) if numbers else y
        weight = read_weights(np.asarray(weight) if weight is not None and y.size else None, X)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Partition {number}: {error}") from None
    X, y, weight = aligned(X), aligned(y), aligned(weight)
    return Block(X, y, weight, names, rounded, digest_of(X, y, weight))


def aligned(array: Any) -> Any:
    """The same numbers at addresses that are multiples of their size.  Arrays that come over a wire may begin anywhere, and NumPy adds
    up the products of those in another order."""
    if not sparse.issparse(array):
        return np.require(array, requirements="A")
    parts = array.data, array.indices, array.indptr
    if all(part.flags.aligned for part in parts):
        return array
    return type(array)(tuple(map(aligned, parts)), shape=array.shape)


class Census(NamedTuple):
    """What partitions hold."""

    rows: int  # that weigh something
    columns: int
    names: list[Any]  # of the columns; empty: they have none
    dtype: np.dtype[Any]  # of X; of no rows the narrowest
    sparse: bool
    labels: np.ndarray  # sorted; of numbers none
    counts: dict[int, dict[Any, tuple[int, float]]]  # of each partition and label: its rows, and their weight
    rounded: bool  # whether some numbers were
    digests: dict[int, Digest]  # of each partition

    def of_classes(self, classes: np.ndarray) -> np.ndarray:
        """The rows of each class, and their weight, (classes, 2)."""
        sums = {label: np.zeros(2) for label in classes.tolist()}
        for counts in self.counts.values():
            for label, both in counts.items():
                sums[label] += both
        return np.array(list(sums.values()))


def look(number: int, block: Block, numbers: bool) -> Census:
    """What one partition holds."""
    X, y, weight, names, rounded, digest = block
    digests = {number: digest}
    dtype = X.dtype if y.size else np.dtype(np.float32)
    if weight.size:
        y, weight = y[weight > 0], weight[weight > 0]
    if numbers or not y.size:
        return Census(y.size, X.shape[1], names, dtype, sparse.issparse(X), y[:0], {}, rounded, digests)
    labels = distinct_labels(y)
    own = np.zeros(y.size, np.int32) if labels.size == 1 else class_numbers(y, labels)
    rows = np.bincount(own, minlength=labels.size)
    sums = np.bincount(own, weight, labels.size) if weight.size else rows.astype(float)
    counts = dict(zip(labels.tolist(), zip(rows.tolist(), sums.tolist(), strict=True), strict=True))
    return Census(y.size, X.shape[1], names, dtype, sparse.issparse(X), labels, {number: counts}, rounded, digests)


def both_censuses(one: Census, other: Census) -> Census:
    """What the partitions of two censuses hold."""
    if one.columns != other.columns:
        raise ValueError(f"Partitions must have the same columns, but some have {one.columns}, some {other.columns}.")
    if one.names != other.names:
        raise ValueError(f"Partitions must have the same columns, but some have {one.names}, some {other.names}.")
    return Census(
        one.rows + other.rows,
        one.columns,
        one.names,
        np.promote_types(one.dtype, other.dtype),
        one.sparse or other.sparse,
        all_labels(one.labels, other.labels),
        one.counts | other.counts,
        one.rounded or other.rounded,
        one.digests | other.digests,
    )


def sizes_of(census: Census) -> dict[int, int]:
    """How many rows each partition has that has any."""
    return {number: sum(rows for rows, _ in counts.values()) for number, counts in census.counts.items()}


def all_labels(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The sorted labels of both."""
    if not (one.size and other.size):
        return one if one.size else other
    if is_text(one) != is_text(other):
        raise ValueError("Labels are text in some partitions, and not in others.")
    return np.unique(np.concatenate([one, other]))


def is_text(labels: np.ndarray) -> bool:
    """Whether labels are text."""
    return isinstance(labels.tolist()[0], str)


# Digests of partitions: one that is read again, since its worker was lost, must have the bytes that it had.
#
# A digest has four numbers of 64 bits for each array: every fourth word goes into each, by the round of xxHash64 (Collet 2012), which
# is as quick as memory.  Whatever is left, shapes, types and text go into a CRC-32.

Digest = tuple[int, ...]

LANES, WORD = 4, 8
P1, P2 = np.uint64(11400714785074694791), np.uint64(14029467366897019727)  # the primes of xxHash64
LEFT, RIGHT = np.uint64(31), np.uint64(33)


def digest_of(*columns: Any) -> Digest:
    """Of the arrays or CSR matrices of a partition."""
    with np.errstate(over="ignore"):  # as plain Python: sums and products modulo 2^64
        return tuple(number for column in columns for number in _checksum(column))


def _checksum(column: Any) -> Iterator[int]:
    parts = [column.data, column.indices, column.indptr] if sparse.issparse(column) else [column]
    rest = zlib.crc32(f"{column.shape} {column.dtype}".encode())
    for part in parts:
        held = _bytes(part)
        words = held[: held.size // WORD * WORD].view(np.uint64)
        lanes = np.arange(LANES, dtype=np.uint64)
        stir(words, lanes)
        yield from lanes.tolist()
        rest = zlib.crc32(held[words.nbytes :].data, rest)
    yield rest


def _bytes(array: np.ndarray) -> np.ndarray:
    """What an array holds; of text and other objects, as Python writes it."""
    if array.dtype.hasobject or array.dtype.kind == "T":
        return np.frombuffer(str(array.tolist()).encode(), np.uint8)
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


@in_place
def stir(words, lanes):
    """Stir words into the lanes, one after the other: word i into lane i modulo 4."""
    a, b, c, d = lanes[0], lanes[1], lanes[2], lanes[3]
    whole = words.size // 4 * 4
    for i in range(0, whole, 4):
        a = stirred(a, words[i])
        b = stirred(b, words[i + 1])
        c = stirred(c, words[i + 2])
        d = stirred(d, words[i + 3])
    lanes[0], lanes[1], lanes[2], lanes[3] = a, b, c, d
    for i in range(whole, words.size):
        lanes[i - whole] = stirred(lanes[i - whole], words[i])


@helper
def stirred(lane, word):
    """lane <- rotl31(lane + word P2) P1, modulo 2^64."""
    mixed = lane + word * P2
    return ((mixed << LEFT) | (mixed >> RIGHT)) * P1


def of_all(digests: dict[int, Digest]) -> str:
    """One short text for the digests of all partitions."""
    return hashlib.sha256(json.dumps(sorted(digests.items())).encode()).hexdigest()[:16]


def unchanged(number: int, block: Any, digests: dict[int, Digest]) -> Any:
    """The partition, if its digest is the one that it had."""
    if block.digest != digests[number]:
        raise ValueError(
            f"Partition {number} has changed: it was read again, because a worker was lost or no cluster keeps it in memory, and its "
            "rows are not those of the first reading. Read from files that do not change, in an order that does not change; or "
            "keep rows in memory, as with frame = frame.persist() (a shuffle or merge may order rows differently each time)."
        )
    return block


# Partitions sorted by class ruin mixing, since each then learns that all rows are of its class: found by counting, and reshuffled.
#
# How sorted: let p be the shares of the classes among all rows, p_i those of partition i, and mu_i its share of the rows.  Rows are
# mixed if the distances |p_i - p|_1 / 2 are about those of rows in random partitions, about sqrt(p (1 - p) / (2 pi n_i)) for each class;
# where each partition has one class only, the mean distance is sum p (1 - p).  ``sortedness`` is 0 and 1 there.

TOO_SORTED = 0.3  # partitions of 65 % and 35 % of two classes, and the other way round


def sortedness(census: Census) -> float:
    """From 0 (about as at random) to 1 (each partition has one class)."""
    places = {label: place for place, label in enumerate(census.labels.tolist())}
    table = np.zeros((len(census.counts), len(places)))
    for line, counts in zip(table, census.counts.values(), strict=True):
        for label, (rows_of_label, _) in counts.items():
            line[places[label]] = rows_of_label
    rows = table.sum(axis=1)
    shares, share = table / rows[:, None], table.sum(axis=0) / rows.sum()
    spread = share * (1 - share)
    distance = np.abs(shares - share).sum(axis=1) / 2
    chance = np.sqrt(spread[None] / (2 * np.pi * rows[:, None])).sum(axis=1)
    beyond = np.maximum(distance - chance, 0.0)
    return float(rows / rows.sum() @ beyond / spread.sum()) if spread.any() else 0.0


def places(number: int, block: Block, count: int) -> np.ndarray:
    """Which new partition each row of a partition goes to."""
    return partition_of(number, block.y.size, count).astype(np.int32)


def partition_of(number: int, rows: int, count: int) -> np.ndarray:
    """Which new partition each row goes to."""
    return scrambled(number, rows) % np.uint64(count)


def before_reshuffle(sizes: list[int], partition: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The numbers that rows had among all before they were reshuffled, by their new partitions and places there; ``sizes`` are those of
    the partitions as they were."""
    found, begin = np.empty(partition.size, np.int64), 0
    passed = np.zeros(len(sizes), np.int64)  # rows of each new partition that earlier ones gave
    for number, size in enumerate(sizes):
        new = partition_of(number, size, len(sizes)).astype(np.intp)
        given = np.bincount(new, minlength=len(sizes))
        here = (place >= passed[partition]) & (place < (passed + given)[partition])
        first = np.cumsum(given) - given
        order = np.argsort(new, kind="stable")
        found[here] = begin + order[(first - passed)[partition[here]] + place[here]]
        passed, begin = passed + given, begin + size
    return found


def taken(block: Block, rows: np.ndarray) -> Block:
    """Some rows of a partition."""
    weight = block.weight[rows] if block.weight.size else block.weight
    return Block(block.X[rows], block.y[rows], weight, block.names)


def join(pieces: list[Block]) -> Block:
    """One partition of several."""
    some = [piece for piece in pieces if piece.y.size] or pieces[:1]
    weighted = any(piece.weight.size for piece in some)
    weights = [piece.weight if piece.weight.size or not weighted else np.ones(piece.y.size) for piece in some]
    X, y = stacked([piece.X for piece in some]), np.concatenate([piece.y for piece in some])
    return Block(X, y, np.concatenate(weights), some[0].names)


BY_HASH = Reshuffle(places, taken, join)
