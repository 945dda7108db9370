"""Any result taken apart into leaves, each with the way to it: arrays, numbers and texts that can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

Leaf = np.ndarray | int | float | str | bytes | None
TIMES = ("seconds", "compiling")  # never the same twice


class Incomparable(Exception):
    """A case returned something that no rule here takes apart."""


def leaves(value: Any, way: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Leaf]]:
    """All leaves of a result, but for times."""
    if isinstance(value, np.generic):
        value = np.asarray(value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        value = value.tolist()
    if value is None or isinstance(value, np.ndarray | int | float | str | bytes):
        yield way, value
    elif isinstance(value, Fraction):
        yield way, str(value)
    else:
        for name, part in parts(value):
            if name not in TIMES:
                yield from leaves(part, (*way, name))


def parts(value: Any) -> Iterator[tuple[str, Any]]:
    """What a thing is made of, with names; an error for one that nobody can compare."""
    if isinstance(value, BaseEstimator):
        yield from fitted(value)
    elif sparse.issparse(value):
        csr = value.tocsr()
        yield from {"format": value.format, "data": csr.data, "indices": csr.indices, "indptr": csr.indptr}.items()
    elif isinstance(value, Mapping):
        yield from ((str(key), part) for key, part in value.items())
    elif hasattr(value, "_asdict"):
        yield from value._asdict().items()
    elif is_dataclass(value):
        yield from ((field.name, getattr(value, field.name)) for field in fields(value) if field.name[0] != "_")
    elif isinstance(value, list | tuple):
        yield from ((str(number), part) for number, part in enumerate(value))
    else:
        raise Incomparable(f"{type(value)} cannot be compared: return what matters of it")


def fitted(estimator: BaseEstimator) -> Iterator[tuple[str, Any]]:
    """The attributes that a fit leaves behind, ``coef_`` and the like."""
    for name in dir(estimator):
        if name.endswith("_") and not name.startswith("_") and hasattr(estimator, name):
            yield name, getattr(estimator, name)
