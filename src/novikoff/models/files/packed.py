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

from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from .value_kinds import MOST, Unreadable, Unstorable

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
