"""Long lists of a model's header as arrays beside it, so that a header stays small whatever a model has learned.

A list or mapping of more than ``MANY`` entries becomes ``{"packed": form}``, where a form is one of

``["texts", bytes, ends]``       texts: all their UTF-8 in a row, and where each one ends;
``["values", array]``            numbers, or truth values;
``["lists", sizes, form]``       lists: how long each is, and all their entries in a row;
``["tables", kinds, [[keys, forms], ...]]``  mappings: which of a few sets of keys each has, and the values of each key;
``["mapping", form, form]``      one mapping: its keys and its values;
``["plain", list]``              anything else, as it is.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from itertools import accumulate, pairwise
from typing import IO, Any

import numpy as np

from ...report.words import installing
from .value_kinds import MOST, TYPE_NAMES, TYPES, Unreadable, Unstorable

# Arrays and a text in one file of the safetensors format, with a checksum of both.
#
# A file is opened once, and no more of it is read than its header promises, which must be all of it.  The safetensors package
# checks that sizes and places agree before anything is made of them, and nothing in a file of this format can be executed.

FORMAT = 3  # of the text; 1: without packed lists; 2: without numbers that rules remember of each weight or column
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


MANY = 1000
KINDS = 16  # sets of keys that mappings of one list may have
LEAST = 16  # bytes that an entry of a table takes in the file, or a few bytes would become many mappings


def pack(tree: Any, arrays: dict[str, np.ndarray]) -> Any:
    """JSON with its long lists as references to arrays, which are added to ``arrays``."""
    if isinstance(tree, list | dict) and len(tree) > MANY:
        return {"packed": _form(tree, arrays)}
    if isinstance(tree, dict):
        return {key: pack(value, arrays) for key, value in tree.items()}
    return [pack(value, arrays) for value in tree] if isinstance(tree, list) else tree


def _form(tree: Any, arrays: dict[str, np.ndarray]) -> list[Any]:
    if isinstance(tree, dict):
        return ["mapping", _form(list(tree), arrays), _form(list(tree.values()), arrays)]
    types = set(map(type, tree))
    if types == {str}:
        return _texts(tree, arrays)
    if types in ({float}, {bool}) or (types == {int} and max(map(abs, tree)) <= MOST):
        return ["values", _put(np.array(tree), arrays)]
    if types == {list}:
        sizes = _put(np.array([len(part) for part in tree]), arrays)
        return ["lists", sizes, _form([each for part in tree for each in part], arrays)]
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for each in tree if types == {dict} else []:
        groups.setdefault(tuple(each), []).append(each)
    if not 0 < len(groups) <= KINDS or not all(map(_is_wide, groups.values())):
        return ["plain", [pack(each, arrays) for each in tree]]
    keys = list(groups)
    kinds = _put(np.array([keys.index(tuple(each)) for each in tree], np.int8), arrays)
    tables = [
        [list(some), [_form([each[key] for each in rows], arrays) for key in some]] for some, rows in groups.items()
    ]
    return ["tables", kinds, tables]


def _is_wide(rows: list[dict[str, Any]]) -> bool:
    """Whether mappings take ``LEAST`` bytes each: two values that are not single bytes."""
    return sum(type(value) is not bool for value in rows[0].values()) >= 2


def _texts(texts: list[str], arrays: dict[str, np.ndarray]) -> list[Any]:
    try:
        raw = [text.encode() for text in texts]
    except UnicodeEncodeError as error:
        raise Unstorable(f"{error.object!r} is not a text that can be written") from None
    ends = np.cumsum([len(part) for part in raw], dtype=np.int64)
    return ["texts", _put(np.frombuffer(b"".join(raw), np.uint8), arrays), _put(ends, arrays)]


def _put(array: np.ndarray, arrays: dict[str, np.ndarray]) -> str:
    name = f"packed.{len(arrays)}"
    arrays[name] = array
    return name


def unpack(tree: Any, arrays: dict[str, np.ndarray]) -> Any:
    """The JSON again.  An array is taken out of ``arrays`` when it is read: no file grows by naming one twice."""
    if isinstance(tree, dict):
        if list(tree) == ["packed"] and isinstance(tree["packed"], list):
            return _read(tree["packed"], arrays)[0]
        return {key: unpack(value, arrays) for key, value in tree.items()}
    return [unpack(value, arrays) for value in tree] if isinstance(tree, list) else tree


def _read(form: Any, arrays: dict[str, np.ndarray]) -> tuple[Any, int]:
    """What a form stands for, and the bytes it takes."""
    match form:
        case ["texts", data, ends]:
            return _read_texts(_take(data, "u", arrays), _take(ends, "i", arrays, 8))
        case ["values", name]:
            array = _take(name, "fib", arrays)
            return array.tolist(), array.nbytes
        case ["lists", name, inner]:
            sizes, (entries, size) = _take(name, "i", arrays, 8), _read(inner, arrays)
            return _cut(entries, sizes.tolist()), size + sizes.nbytes
        case ["tables", name, [*tables]]:
            return _read_tables(_take(name, "i", arrays), tables, arrays)
        case ["mapping", keys, values]:
            (names, some), (each, more) = _read(keys, arrays), _read(values, arrays)
            if _all_texts(names) and isinstance(each, list) and len(set(names)) == len(names) == len(each):
                return dict(zip(names, each, strict=True)), some + more
        case ["plain", [*entries]]:
            return [unpack(each, arrays) for each in entries], LEAST * len(entries)
    raise Unreadable("a list in its header is packed in an unknown way")


def _read_texts(data: np.ndarray, ends: np.ndarray) -> tuple[list[str], int]:
    raw, places = data.tobytes(), [0, *ends.tolist()]
    if data.dtype != np.uint8 or places[-1] != data.size or any(begin > end for begin, end in pairwise(places)):
        raise Unreadable("it has texts whose places contradict each other")
    try:
        texts = [raw[begin:end].decode() for begin, end in pairwise(places)]
    except UnicodeDecodeError:
        raise Unreadable("it has texts that are not UTF-8") from None
    return texts, data.nbytes + ends.nbytes


def _read_tables(
    kinds: np.ndarray, tables: list[Any], arrays: dict[str, np.ndarray]
) -> tuple[list[dict[str, Any]], int]:
    size, groups = kinds.nbytes, []
    for number, table in enumerate(tables):
        match table:
            case [[*keys], [*forms]] if _all_texts(keys) and len(set(keys)) == len(keys) == len(forms) > 0:
                found = [_read(form, arrays) for form in forms]
            case _:
                raise Unreadable("it has a table without columns")
        columns, bytes_, rows = [c for c, _ in found], sum(n for _, n in found), int(np.count_nonzero(kinds == number))
        if any(not isinstance(column, list) or len(column) != rows for column in columns) or LEAST * rows > bytes_:
            raise Unreadable("it has a table whose columns contradict each other")
        groups.append(_mappings(keys, columns))
        size += bytes_
    if kinds.size and not 0 <= kinds.min() <= kinds.max() < len(groups):
        raise Unreadable("it has rows of a table that is not there")
    return [next(groups[kind]) for kind in kinds.tolist()], size


def _mappings(keys: list[str], columns: list[list[Any]]) -> Iterator[dict[str, Any]]:
    for values in zip(*columns, strict=True):
        yield dict(zip(keys, values, strict=True))


def _cut(entries: Any, sizes: list[int]) -> list[list[Any]]:
    """One list after the other."""
    if not isinstance(entries, list) or sum(sizes) != len(entries) or min(sizes, default=0) < 0:
        raise Unreadable("it has lists whose sizes contradict each other")
    ends = accumulate(sizes)
    return [entries[end - size : end] for end, size in zip(ends, sizes, strict=True)]


def _all_texts(values: Any) -> bool:
    return isinstance(values, list) and all(type(each) is str for each in values)


def _take(name: Any, kinds: str, arrays: dict[str, np.ndarray], width: int = 1) -> np.ndarray:
    """An array of this kind, each entry of so many bytes at least."""
    array = arrays.pop(name, None) if isinstance(name, str) else None
    if array is None or array.ndim != 1 or array.dtype.kind not in kinds or array.itemsize < width:
        raise Unreadable("a list in its header refers to an array that is not there, or is used elsewhere")
    return array
