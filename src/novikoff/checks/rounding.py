"""Numbers that float64 cannot hold, found in what users pass before a common type is made of it.

A proof is about X as it was passed.  Whole numbers beyond 2^53, long doubles, fractions and dates may change when they
become float64, and a column of floats beside a column of whole numbers is enough for that.  So every column is looked at as
it is, and what would change is named.

A text such as 0.1 is the float64 nearest to it, as in every program that reads numbers.  From 2^53 on, where floats are whole
numbers with gaps between them, a number that is written out stands for itself, as an id or a count does; one with an exponent
is a float if that float, written with as many digits, is the same text: 1e23 is, 9.007199254740993e15 is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

EXACT = 2**53  # whole numbers up to here are floats
DOUBLE = 8  # bytes of a float64
REMEDY = "Leave the column out if it is an id, or subtract a constant from it while its numbers are still exact"
SHOWN = 40  # characters of a number that a message shows


class Rounded(NamedTuple):
    """A number that float64 cannot hold, and where it stands; rows and columns count from 0."""

    value: Any
    row: int
    column: int
    name: Any = None  # the column's, if it has one

    def __str__(self) -> str:
        name = "" if self.name is None else f" ({self.name!r})"
        where = f"row {self.row}, column {self.column}{name}"
        return f"{shown(self.value)} in {where}, which float64 cannot hold exactly"


def refuse_rounded(X: Any) -> None:
    """Raise an error if a proof would be about rounded numbers."""
    found = first_rounded(X)
    if found is not None:
        raise ValueError(
            f"X has {found}: a proof would be about rounded numbers. {REMEDY}; if you want the rounded numbers, convert X to "
            "float64 first."
        )


def refuse_rounded_labels(y: Any) -> None:
    """Raise where labels in a list become equal, since a float among them makes floats of all."""
    labels = _as_array(y)
    if hasattr(y, "dtype") or labels.dtype.kind != "f":
        return
    for place in _places(labels, y):
        raise ValueError(
            f"y has the label {shown(_objects(y)[place])} in row {place[0]}, which float64 cannot hold exactly, and other labels "
            "are floats: use only whole numbers, or texts."
        )


def first_rounded(X: Any) -> Rounded | None:
    """A number of a table that changes when it becomes a float64; None if there is none, or X is no table of numbers."""
    if sparse.issparse(X):
        return _first_of_sparse(X)
    columns = _columns(X)
    if columns is None:
        values = _as_array(X)
        place = next(_places(values, X), None) if values.ndim == 2 else None
        return None if place is None else Rounded(_objects(X)[place], *place)
    for number, name, values in columns:
        for (row,) in _places(values, values):
            return Rounded(values[row], row, number, name)
    return None


def rounded_text(text: str, value: float) -> bool:
    """Whether a text stands for another number than this float, the nearest to it.

    Below 2^53 none does.  From there on a number that is written out must be the float; one with an exponent must be what the
    float is written as, with as many digits.
    """
    if not abs(value) >= EXACT:
        return False
    try:
        number = Decimal(text)
    except InvalidOperation:  # who wrote it so may know what it means, but it is not seen to be exact
        return True
    if number == value or "e" not in text.lower():
        return number != value
    return Decimal(f"{value:.{len(number.as_tuple().digits) - 1}e}") != number


def rounded_whole(values: np.ndarray) -> np.ndarray:
    """Which of these 64-bit whole numbers float64 cannot hold: those of more than 53 digits of two, zeros at the end left out."""
    rounded = (values > EXACT) | (values < -EXACT)
    large = values[rounded]
    size = np.where(large < 0, ~large, large).astype(np.uint64) + (large < 0).astype(np.uint64)
    rounded[rounded] = size // (size & (~size + np.uint64(1))) >= EXACT
    return rounded


def shown(value: Any) -> str:
    """A number short enough for a message."""
    try:
        text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
    except ValueError:  # Python writes no whole number of more than some thousand digits
        return f"of {value.bit_length()} binary digits"
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}... ({len(text)} characters)"


def _columns(X: Any) -> list[tuple[int, Any, np.ndarray]] | None:
    """Number, name and values of every column of a data frame that may be rounded; None of what is no data frame."""
    if hasattr(X, "iloc") and hasattr(X, "dtypes") and hasattr(X, "columns"):  # pandas
        names = list(X.columns)
        columns = [X.iloc[:, j] if _may_change(kind) else None for j, kind in enumerate(X.dtypes)]
    elif hasattr(X, "get_columns"):  # polars
        names, columns = list(X.columns), X.get_columns()
    elif hasattr(X, "itercolumns") and hasattr(X, "column_names"):  # Arrow
        names, columns = list(X.column_names), list(X.itercolumns())
    else:
        return None
    found = [(j, names[j], _values(column)) for j, column in enumerate(columns) if column is not None]
    dates = {values.dtype for _, _, values in found if values.dtype.kind in "mM"}
    if len({kind.kind for kind in dates}) != 1:
        return found
    finest = np.result_type(*dates)  # what dates and times of several units become
    return [(j, name, values.astype(finest) if values.dtype in dates else values) for j, name, values in found]


def _values(column: Any) -> np.ndarray:
    """A column as an array of its own type."""
    try:
        return np.asarray(column)
    except Exception:  # such as whole numbers of 128 bits, for which every library has a different error
        return np.array(column.to_list(), dtype=object)


def _as_array(X: Any) -> np.ndarray:
    """Numbers in the type that NumPy gives them; none of what is no array, which is refused elsewhere."""
    try:
        return np.asarray(X)
    except (TypeError, ValueError):
        return np.empty(0)


def _objects(X: Any) -> np.ndarray:
    """Numbers as they were given, also where they stand in lists."""
    return np.asarray(X) if hasattr(X, "dtype") else np.array(X, dtype=object)


def _may_change(kind: Any) -> bool:
    """Whether numbers of this type may change when they become float64."""
    if not isinstance(kind, np.dtype):
        return True
    return not (kind.kind == "b" or (kind.kind == "f" and kind.itemsize <= DOUBLE) or kind.itemsize < DOUBLE)


def _places(values: np.ndarray, given: Any) -> Iterator[tuple[int, ...]]:
    """The places of numbers that float64 cannot hold.  ``given`` is what became ``values``: where that is a list, whole
    numbers may have changed already on their way into an array of floats or of texts."""
    kind = values.dtype.kind
    if not hasattr(given, "dtype") and (kind in "USO" or (kind == "f" and values.dtype.itemsize <= DOUBLE)):
        large = np.abs(values) >= EXACT if kind == "f" else np.ones(values.shape, dtype=bool)
        values = _objects(given) if large.any() else values
        rounded = large
        if large.any():
            rounded[large] = [_is_rounded(value) for value in values[large]]
    elif not _may_change(values.dtype):
        return
    elif kind in "iu":
        rounded = rounded_whole(values)
    elif kind in "mM":
        rounded = rounded_whole(values.view(np.int64)) | np.isnat(values)
    elif kind == "f":
        with np.errstate(over="ignore"):
            rounded = (values.astype(np.float64) != values) & ~np.isnan(values)
    elif kind in "USTO":
        rounded = np.array([_is_rounded(value) for value in values.ravel()], dtype=bool).reshape(values.shape)
    else:
        return
    yield from map(tuple, np.argwhere(rounded).tolist())


def _is_rounded(value: Any) -> bool:
    """Whether one object changes when it becomes a float; what is no number is refused elsewhere."""
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    elif isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value)) or _is_rounded(int(value.astype(np.int64)))
    elif isinstance(value, Integral):
        value = int(value)  # which Python compares with floats exactly
    try:
        number = float(value)
        if isinstance(value, str):
            return rounded_text(value.strip(), number)
        return bool(value != number) and number == number
    except OverflowError:
        return True
    except (TypeError, ValueError):
        return False


def _first_of_sparse(X: Any) -> Rounded | None:
    """The same of a sparse matrix, whose entries for one place are added up."""
    if not _may_change(X.dtype) and X.format in ("csr", "csc", "bsr") and X.has_canonical_format:
        return None
    entries = X.tocoo()
    places = np.stack([entries.row, entries.col], axis=1)
    for (entry,) in _places(entries.data, entries.data):
        return Rounded(entries.data[entry], *places[entry].tolist())
    if entries.tocsr().nnz == entries.nnz:  # which adds up entries for one place
        return None
    order = np.lexsort((entries.col, entries.row))
    same = np.all(places[order[1:]] == places[order[:-1]], axis=1)
    sums: dict[tuple[int, ...], Fraction] = {}
    for entry in order[np.append(same, False) | np.append(False, same)].tolist():
        if np.isfinite(value := entries.data[entry]):
            place = tuple(places[entry].tolist())
            sums[place] = sums.get(place, Fraction(0)) + Fraction(int(value) if X.dtype.kind in "iub" else float(value))
    return next((Rounded(total, *place) for place, total in sums.items() if _is_rounded(total)), None)
