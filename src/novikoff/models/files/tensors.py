"""Arrays and a text in one file of the safetensors format, with a checksum of both.

A file is opened once, and no more of it is read than its header promises, which must be all of it.  The safetensors package
checks that sizes and places agree before anything is made of them, and nothing in a file of this format can be executed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

from ...inputs.shell import installing
from .value_kinds import TYPE_NAMES, TYPES, Unreadable

FORMAT = 2  # of the text; 1: without packed lists
TEXT, CHECKSUM = "novikoff", "sha256"
LONGEST_HEADER = 100_000_000  # bytes, as the safetensors package has it
MOST_VALUES = 2_000_000  # of a header: each takes a few bytes in a file, and in memory a hundred


def file_bytes(text: str, arrays: Mapping[str, np.ndarray]) -> bytes:
    """The whole file."""
    _require_safetensors()
    from safetensors.numpy import save

    return save(dict(arrays), {TEXT: text, CHECKSUM: _checksum(text, arrays)})


def read_file(path: str | os.PathLike[str]) -> tuple[str, dict[str, np.ndarray]]:
    """The text and the arrays, each a view of memory that nobody may write to."""
    _require_safetensors()
    from safetensors import SafetensorError, deserialize

    with open(path, "rb") as file:
        header, data = _promised(file)
    try:
        entries = deserialize(data)  # type: ignore[no-untyped-call,unused-ignore]
    except SafetensorError:
        raise Unreadable(DAMAGED) from None
    metadata = header.get("__metadata__") or {}
    text, checksum = metadata.get(TEXT), metadata.get(CHECKSUM)
    if text is None:
        raise Unreadable("it holds no model of this library")
    _refuse_newer(text)
    arrays = {name: _array(name, entry) for name, entry in entries}
    if checksum != _checksum(text, arrays):
        raise Unreadable("its checksum is wrong: it was damaged or changed")
    return text, arrays


DAMAGED = "it is no model file, or it is damaged"


def _promised(file: IO[bytes]) -> tuple[dict[str, Any], bytes]:
    """The header, and the whole file, if that is as long as the header says."""
    size, start = os.fstat(file.fileno()).st_size, file.read(8)
    length = int.from_bytes(start, "little")
    if len(start) < 8 or length > min(LONGEST_HEADER, size - 8):
        raise Unreadable(DAMAGED)
    text = file.read(length)
    if sum(text.count(mark) for mark in (b",", b":", b"[", b"{")) > MOST_VALUES:
        raise Unreadable(f"its header has more than {MOST_VALUES:,} values")
    header = parsed(text)
    if not isinstance(header, dict):
        raise Unreadable(DAMAGED)
    end = 0
    for name, entry in header.items():
        if name != "__metadata__":
            match entry:
                case {"data_offsets": [int(), int(last)]}:
                    end = max(end, last)
                case _:
                    raise Unreadable(DAMAGED)
    if size != 8 + length + end:
        raise Unreadable(DAMAGED)
    return header, start + text + file.read(end)


def _require_safetensors() -> None:
    try:
        import safetensors  # noqa: F401
    except ImportError:
        raise ImportError(f"Model files need safetensors: {installing('cli')}") from None


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
    header = parsed(text)
    version = header.get("format") if isinstance(header, dict) else None
    if type(version) is int and version > FORMAT:
        raise Unreadable(
            f"it has format {version}, and this version of novikoff reads formats up to {FORMAT}: update it"
        )


def _checksum(text: str, arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 of the text and, by name, of each array's name, type and shape (as JSON) and bytes."""
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(json.dumps([name, TYPE_NAMES[array.dtype], list(array.shape)]).encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _array(name: str, entry: dict[str, Any]) -> np.ndarray:
    if entry["dtype"] not in TYPES:
        raise Unreadable(f"array {name!r} has the unknown type {entry['dtype']}")
    try:
        array = np.frombuffer(entry["data"], TYPES[entry["dtype"]]).reshape(entry["shape"])
    except ValueError:
        raise Unreadable(f"array {name!r} has no usable shape") from None
    if array.dtype == bool and array.size and array.view(np.uint8).max() > 1:
        raise Unreadable("it has truth values that are neither true nor false")
    array.flags.writeable = False
    return array
