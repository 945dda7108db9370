"""Arrays and a text in one file of the safetensors format.

Eight bytes: the length of the header, little-endian.  The header: JSON, for each array its type, its shape and where its
bytes begin and end; under ``__metadata__`` texts.  Then the bytes of all arrays, without gaps.  Reading believes nothing: sizes
are checked against the file's own length before anything is made of them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .kinds import TYPE_NAMES, TYPES, Unreadable

LARGEST_HEADER = 100_000_000  # bytes, as in other readers of this format
TEXT, CHECKSUM = "novikoff", "sha256"


def file_chunks(text: str, arrays: Mapping[str, np.ndarray]) -> Iterator[bytes | memoryview]:
    """The file's bytes, piece by piece."""
    names = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))  # so that all of them are aligned
    table, place = {}, 0
    for name in names:
        array = arrays[name]
        table[name] = {
            "dtype": TYPE_NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [place, place + array.nbytes],
        }
        place += array.nbytes
    parts = [arrays[name].reshape(-1).view(np.uint8).data for name in names]
    metadata = {TEXT: text, CHECKSUM: _checksum(text, table, parts)}
    header = json.dumps({"__metadata__": metadata, **table}).encode()
    header += b" " * (-len(header) % 8)
    yield len(header).to_bytes(8, "little") + header
    yield from parts


def read_file(path: str | os.PathLike) -> tuple[str, dict[str, np.ndarray]]:
    """The text and the arrays, each a view of memory that nobody may write to."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, LARGEST_HEADER):
            raise Unreadable("it is no model file, or its end is missing")
        header = parsed(file.read(length))
        body = file.read()
    if not isinstance(header, dict) or not isinstance(header.get("__metadata__"), dict):
        raise Unreadable("it is no model file")
    metadata = header.pop("__metadata__")
    text, checksum = metadata.get(TEXT), metadata.get(CHECKSUM)
    if not isinstance(text, str):
        raise Unreadable("it holds no model of this library")
    spans = _spans(header, len(body))
    _refuse_newer(text)
    if checksum != _checksum(text, header, [memoryview(body)]):
        raise Unreadable("its checksum is wrong: it was damaged or changed")
    return text, {name: _array(body, *span) for name, span in spans.items()}


def parsed(text: str | bytes) -> Any:
    """JSON without NaN and infinity, whatever bytes come."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise Unreadable("its header is no JSON") from None


def _refuse_constant(word: str) -> Any:
    raise ValueError(word)


def _refuse_newer(text: str) -> None:
    """Say so if the format is of a later version, before anything else is found wrong with it."""
    from .files import FORMAT

    header = parsed(text)
    version = header.get("format") if isinstance(header, dict) else None
    if type(version) is int and version > FORMAT:
        raise Unreadable(
            f"it has format {version}, and this version of novikoff reads formats up to {FORMAT}: update it"
        )


def _checksum(text: str, table: Mapping[str, Any], parts: list[memoryview]) -> str:
    """SHA-256 of the text, of the table of arrays (JSON with sorted keys, no spaces) and of the arrays' bytes."""
    digest = hashlib.sha256(text.encode(errors="surrogatepass"))
    digest.update(json.dumps(table, sort_keys=True, separators=(",", ":")).encode())
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


Span = tuple[str, tuple[int, ...], int]


def _spans(table: dict[str, Any], size: int) -> dict[str, Span]:
    """Type, shape and first byte of every array, which must fill the file exactly, one after the other."""
    found: dict[str, Span] = {}
    place = 0
    for name, entry in sorted(table.items(), key=lambda item: _begin(item[1])):
        if (
            not isinstance(entry, dict)
            or entry.get("dtype") not in list(TYPES)
            or not isinstance(entry.get("shape"), list)
        ):
            raise Unreadable(f"array {name!r} is described wrongly")
        shape = entry["shape"]
        if len(shape) > 4 or not all(type(n) is int and 0 <= n < 2**48 for n in shape):
            raise Unreadable(f"array {name!r} has no usable shape")
        count = 1
        for n in shape:
            count *= n
        end = place + count * np.dtype(TYPES[entry["dtype"]]).itemsize
        if entry.get("data_offsets") != [place, end] or end > size:
            raise Unreadable(f"array {name!r} is not where the header says")
        found[name] = entry["dtype"], tuple(shape), place
        place = end
    if place != size:
        raise Unreadable("it holds bytes that belong to nothing")
    return found


def _begin(entry: Any) -> tuple[int, int]:
    offsets = entry.get("data_offsets") if isinstance(entry, dict) else None
    if not (isinstance(offsets, list) and len(offsets) == 2 and all(type(n) is int for n in offsets)):
        raise Unreadable("an array has no place in it")
    return offsets[0], offsets[1]


def _array(body: bytes, dtype: str, shape: tuple[int, ...], begin: int) -> np.ndarray:
    count = 1
    for n in shape:
        count *= n
    array = np.frombuffer(body, TYPES[dtype], count, begin) if count else np.empty(0, TYPES[dtype])
    if dtype == "BOOL" and array.size and array.view(np.uint8).max() > 1:
        raise Unreadable("it has truth values that are neither true nor false")
    return array.reshape(shape)
