"""Digests of partitions: one that is read anew, since its worker was lost, must have the bytes that it had.

A digest has four numbers of 64 bits for each array: every fourth word goes into each, by the round of xxHash64 (Collet 2012), which
is as quick as memory.  Whatever is left, shapes, types and text go into a CRC-32.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from ..compiled.jit import helper, in_place

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
            f"Partition {number} has changed: it was read once more, since a worker was lost or nobody keeps it in memory, "
            "and its rows are not those of the first time. Learning from both would be learning from no data that there ever "
            "were. Read from files that nobody writes to, without chance in the reading, and fit again."
        )
    return block
