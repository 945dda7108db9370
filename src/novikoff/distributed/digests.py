"""Digests of partitions: one that is read anew, since its worker was lost, must have the bytes that it had.

A digest is a CRC-32 of the bytes of X, y and weights, each with its shape and type: quick, and blind to one accidental change in
four thousand million.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any

import numpy as np
from scipy import sparse

Digest = tuple[int, ...]


def digest_of(*columns: Any) -> Digest:
    """Of the arrays or CSR matrices of a partition."""
    return tuple(map(_checksum, columns))


def _checksum(column: Any) -> int:
    parts = [column.data, column.indices, column.indptr] if sparse.issparse(column) else [column]
    total = zlib.crc32(f"{column.shape} {column.dtype}".encode())
    for part in parts:
        total = zlib.crc32(_bytes(part), total)
    return total


def _bytes(array: np.ndarray) -> Any:
    """What an array holds; of text and other objects, as Python writes it."""
    if array.dtype.hasobject or array.dtype.kind == "T":
        return str(array.tolist()).encode()
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


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
