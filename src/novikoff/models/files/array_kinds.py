"""Kinds of arrays in model files: plain, sparse, and labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ...rows.store.blocks import LONGEST_LABELS
from .value_kinds import Kind, Maybe, Out, Several, Source, Text, Unreadable, Unstorable, Whole


class Array(Kind):
    """An array.  ``kinds`` are NumPy's letters of its type; of its shape numbers are fixed, names are bound when first met,
    None is any; without a shape, all are right."""

    def __init__(self, kinds: str, *shape: int | str | None, finite: bool = True, low: float | None = None) -> None:
        self._kinds, self._shape, self._finite, self._low = kinds, shape, finite, low

    def pack(self, value: Any, name: str, out: Out) -> Any:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in self._kinds:
            raise Unstorable(f"{name} is not an array that can be stored")
        return out.put(value, name)

    def unpack(self, stored: Any, name: str, source: Source) -> np.ndarray:
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


def agree_on_shape(shape: tuple[int, ...], wanted: tuple[int | str | None, ...], name: str, source: Source) -> None:
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

    def unpack(self, stored: Any, name: str, source: Source) -> Any:
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

    def unpack(self, stored: Any, name: str, source: Source) -> np.ndarray:
        if isinstance(stored, dict) and set(stored) == {"texts", "width"}:
            texts = Several(Text()).unpack(stored["texts"], name, source)
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
