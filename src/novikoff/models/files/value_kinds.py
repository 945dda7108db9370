"""What model files hold, kind by kind: each knows how a value is written, and what must hold when it is read.

A value is written as JSON, its arrays apart, under names that say where they belong.  Reading builds nothing but what these
kinds describe: numbers in their range, texts, and (``arrays.py``) arrays of the shape that the rest of the model asks for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from ...rows.store.blocks import LONGEST_LABELS

MOST = 2**53  # whole numbers that floats can tell apart


TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "|u1",
    "BOOL": "|b1",
}  # of arrays: the file's words and NumPy's
TYPE_NAMES = {np.dtype(code): name for name, code in TYPES.items()}


class Unreadable(ValueError):
    """Something in a model file is not as it must be."""


class Unstorable(TypeError, ValueError):
    """Something in a model that no model file can hold: its type, or its size."""


class Out:
    """Arrays to be written.  One that is met again is written once."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self._known: dict[int, tuple[Any, np.ndarray]] = {}

    def put(self, array: np.ndarray, name: str) -> Any:
        """Take an array; returns how it is referred to."""
        if array.dtype not in TYPE_NAMES:
            raise Unstorable(f"{name} has values of the type {array.dtype}, which cannot be stored")
        if id(array) not in self._known:
            turned = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
            self.arrays[name] = np.ascontiguousarray(array.T if turned else array).reshape(
                array.shape[::-1] if turned else array.shape
            )
            self._known[id(array)] = {"transposed": name} if turned else name, array
        return self._known[id(array)][0]


class ReadArrays:
    """Arrays that were read, the sizes that their shapes must agree on, and the learner that is being built."""

    def __init__(self, arrays: dict[str, np.ndarray]) -> None:
        self._arrays = arrays
        self._taken: dict[tuple[str, bool], np.ndarray] = {}
        self.sizes: dict[str, int] = {}
        self.learner: Any = None

    def take(self, stored: Any, name: str) -> np.ndarray:
        """The array that is referred to, as a copy."""
        turned = isinstance(stored, dict) and list(stored) == ["transposed"]
        key = stored["transposed"] if turned else stored
        if not isinstance(key, str) or key not in self._arrays:
            raise Unreadable(f"{name} refers to an array that is not there")
        if (key, turned) not in self._taken:
            array = self._arrays[key].copy()
            self._taken[key, turned] = array.T if turned else array
        return self._taken[key, turned]


class Kind:
    """A kind of value."""

    def pack(self, value: Any, name: str, out: Out) -> Any:
        """The value as JSON."""
        return value

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> Any:
        """The value again, or ``Unreadable``."""
        raise NotImplementedError


class Whole(Kind):
    """A whole number in a range."""

    def __init__(self, low: int = 0, high: int = MOST) -> None:
        self._low, self._high = low, high

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return int(value)

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> int:
        if type(stored) is not int or not self._low <= stored <= self._high:
            raise Unreadable(f"{name} is no whole number from {self._low} to {self._high}")
        return stored


class Float(Kind):
    """A number, finite unless told.  Those that are not finite are written as texts."""

    def __init__(self, low: float = -math.inf, finite: bool = True) -> None:
        self._low, self._finite = low, finite

    def pack(self, value: Any, name: str, out: Out) -> Any:
        value = float(value)
        return value if math.isfinite(value) else repr(value)

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> float:
        if not self._finite and stored in ("inf", "-inf", "nan"):
            return float(stored)
        if type(stored) is not float or not math.isfinite(stored) or stored < self._low:
            raise Unreadable(f"{name} is no number that can stand there")
        return stored


class Flag(Kind):
    """True or false."""

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return bool(value)

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> bool:
        if type(stored) is not bool:
            raise Unreadable(f"{name} is neither true nor false")
        return stored


class String(Kind):
    """A text."""

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> str:
        if type(stored) is not str or not is_unicode(stored):
            raise Unreadable(f"{name} is no text")
        return stored


def is_unicode(text: str) -> bool:
    """Whether it is a text that can be written."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class Maybe(Kind):
    """A value or None."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return None if value is None else self._kind.pack(value, name, out)

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> Any:
        return None if stored is None else self._kind.unpack(stored, name, source)


class Several(Kind):
    """A tuple of values of one kind."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return [self._kind.pack(each, f"{name}.{place}", out) for place, each in enumerate(value)]

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> tuple[Any, ...]:
        if not isinstance(stored, list):
            raise Unreadable(f"{name} is no list")
        return tuple(self._kind.unpack(each, f"{name}.{place}", source) for place, each in enumerate(stored))


class Named(Kind):
    """A dict of values of one kind, by text."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return {key: self._kind.pack(each, f"{name}.{key}", out) for key, each in value.items()}

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> dict[str, Any]:
        if not isinstance(stored, dict):
            raise Unreadable(f"{name} is no mapping")
        return {
            String().unpack(key, name, source): self._kind.unpack(each, f"{name}.{key}", source)
            for key, each in stored.items()
        }


class Record(Kind):
    """Named values of different kinds, from which ``make`` builds one thing; ``read`` says them of it, attributes if None."""

    def __init__(
        self, make: Callable[..., Any], fields: dict[str, Kind], read: Callable[[Any], dict[str, Any]] | None = None
    ) -> None:
        self._make, self._fields, self._read = make, fields, read

    def pack(self, value: Any, name: str, out: Out) -> Any:
        parts = self._read(value) if self._read else {field: getattr(value, field) for field in self._fields}
        return {field: kind.pack(parts[field], f"{name}.{field}", out) for field, kind in self._fields.items()}

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> Any:
        if not isinstance(stored, dict) or set(stored) != set(self._fields):
            raise Unreadable(f"{name} lacks something, or has something unknown")
        parts = {field: kind.unpack(stored[field], f"{name}.{field}", source) for field, kind in self._fields.items()}
        return self._make(**parts)


class Free(Kind):
    """What parameters may be: None, truth values, numbers, texts, and lists, tuples, dicts and arrays of them."""

    def pack(self, value: Any, name: str, out: Out) -> Any:
        value = value.item() if isinstance(value, np.generic) else value
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"number": repr(value)}
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            return {"array": out.put(value, name)}
        if isinstance(value, list | tuple):
            return {type(value).__name__: [self.pack(each, f"{name}.{i}", out) for i, each in enumerate(value)]}
        if isinstance(value, dict):
            items = enumerate(value.items())
            return {"dict": [[self.pack(part, f"{name}.{i}", out) for part in item] for i, item in items]}
        remedy = "use a whole number" if name.endswith("random_state") else "nothing but data can be"
        raise Unstorable(f"{name} is a {type(value).__name__}, which cannot be stored: {remedy}")

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> Any:
        if not isinstance(stored, dict | list):
            return String().unpack(stored, name, source) if isinstance(stored, str) else stored
        if not isinstance(stored, dict) or len(stored) != 1:
            raise Unreadable(f"{name} is nothing that a parameter can be")
        ((tag, value),) = stored.items()
        if tag == "number":
            return Float(finite=False).unpack(value, name, source)
        if tag == "array":
            return source.take(value, name)
        if tag not in ("list", "tuple", "dict") or not isinstance(value, list):
            raise Unreadable(f"{name} is nothing that a parameter can be")
        if tag == "dict":
            return dict(self._item(each, name, source) for each in value)
        parts = [self.unpack(each, name, source) for each in value]
        return parts if tag == "list" else tuple(parts)

    def _item(self, stored: Any, name: str, source: ReadArrays) -> Any:
        if not isinstance(stored, list) or len(stored) != 2 or isinstance(stored[0], dict | list):
            raise Unreadable(f"{name} is nothing that a parameter can be")
        return tuple(self.unpack(each, name, source) for each in stored)


# Kinds of arrays in model files: plain, sparse, and labels.


class Array(Kind):
    """An array.  ``kinds`` are NumPy's letters of its type; of its shape numbers are fixed, names are bound when first met,
    None is any; without a shape, all are right."""

    def __init__(self, kinds: str, *shape: int | str | None, finite: bool = True, low: float | None = None) -> None:
        self._kinds, self._shape, self._finite, self._low = kinds, shape, finite, low

    def pack(self, value: Any, name: str, out: Out) -> Any:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in self._kinds:
            raise Unstorable(f"{name} is not an array that can be stored")
        return out.put(value, name)

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> np.ndarray:
        array = source.take(stored, name)
        if array.dtype.kind not in self._kinds or array.dtype.itemsize < (4 if array.dtype.kind in "fiu" else 1):
            raise Unreadable(f"{name} is an array of the type {array.dtype}, which is not allowed there")
        if self._shape:
            agree_on_shape(array.shape, self._shape, name, source)
        if self._finite and array.dtype.kind == "f" and not np.isfinite(array).all():
            raise Unreadable(f"{name} has values that are not finite")
        if self._low is not None and array.size and not array.min() >= self._low:
            raise Unreadable(f"{name} has values below {self._low}")
        return array


def agree_on_shape(shape: tuple[int, ...], wanted: tuple[int | str | None, ...], name: str, source: ReadArrays) -> None:
    """Compare with what is known of sizes, and note what is new."""
    sizes = [source.sizes.setdefault(n, m) if isinstance(n, str) else n for n, m in zip(wanted, shape, strict=False)]
    if len(shape) != len(wanted) or any(n is not None and n != m for n, m in zip(sizes, shape, strict=True)):
        raise Unreadable(f"{name} has the shape {shape}, which does not fit the rest")


class Sparse(Kind):
    """A sparse matrix of compressed rows or columns, or an array in its place."""

    FORMS = {  # noqa: RUF012
        form.__name__: form for form in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array)
    }

    def __init__(self, *shape: int | str | None, dense: bool = True) -> None:
        self._shape, self._dense = shape, Array("f", *shape) if dense else None

    def pack(self, value: Any, name: str, out: Out) -> Any:
        if not sparse.issparse(value):
            return self._dense.pack(value, name, out)  # type: ignore[union-attr]
        form = type(value).__name__
        if form not in self.FORMS:
            raise Unstorable(f"{name} is a sparse matrix of the form {form}, which cannot be stored")
        parts = {part: out.put(getattr(value, part), f"{name}.{part}") for part in ("data", "indices", "indptr")}
        return {"form": form, "shape": list(value.shape), **parts}

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> Any:
        if not isinstance(stored, dict) or "form" not in stored:
            if self._dense is None:
                raise Unreadable(f"{name} is not a sparse matrix")
            return self._dense.unpack(stored, name, source)
        if set(stored) != {"form", "shape", "data", "indices", "indptr"} or stored["form"] not in list(self.FORMS):
            raise Unreadable(f"{name} is a sparse matrix of an unknown form")
        shape = Several(Whole(0, 2**48)).unpack(stored["shape"], f"{name}.shape", source)
        agree_on_shape(shape, self._shape, name, source)
        data = Array("f", None).unpack(stored["data"], f"{name}.data", source)
        indices, starts = (
            Array("i", None).unpack(stored[part], f"{name}.{part}", source) for part in ("indices", "indptr")
        )
        form = self.FORMS[stored["form"]]
        lines, width = shape if "csr" in stored["form"] else shape[::-1]
        fits = starts.size == lines + 1 and starts[0] == 0 and starts[-1] == data.size == indices.size
        if not fits or np.any(np.diff(starts) < 0) or (data.size and not 0 <= indices.min() <= indices.max() < width):
            raise Unreadable(f"{name} is a sparse matrix whose parts contradict each other")
        return form((data, indices, starts), shape=shape)


class Labels(Kind):
    """Sorted labels, all different: numbers, truth values or texts, of the type they had."""

    def __init__(self, size: str, ascending: bool = True) -> None:
        self._size, self._ascending = size, ascending

    def pack(self, value: Any, name: str, out: Out) -> Any:
        if value.dtype.kind in "biuf":
            return out.put(value, name)
        if value.dtype.kind not in "UO" or not all(type(each) is str for each in value.tolist()):
            raise Unstorable(f"{name} holds labels of the type {value.dtype}, and only numbers and texts can be stored")
        return {"texts": value.tolist(), "width": value.dtype.itemsize // 4 if value.dtype.kind == "U" else None}

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> np.ndarray:
        if isinstance(stored, dict) and set(stored) == {"texts", "width"}:
            texts = Several(String()).unpack(stored["texts"], name, source)
            width = Maybe(Whole(max(map(len, texts), default=0))).unpack(stored["width"], f"{name}.width", source)
            if (width or 0) * len(texts) > LONGEST_LABELS:
                raise Unreadable(f"{name} holds labels that are too long")
            labels = np.array(texts, dtype=object if width is None else f"<U{max(width, 1)}")
        else:
            labels = source.take(stored, name)
        agree_on_shape(labels.shape, (self._size,), name, source)
        if self._ascending and (labels.size == 0 or not np.all(labels[:-1] < labels[1:])):
            raise Unreadable(f"{name} holds labels that are not sorted, or some twice")
        return labels
