"""A certificate as a file: JSON that ``plain.py`` and ``check_certificate`` read.

    {"format": "novikoff certificate 1", "classes": ["0", "1"], "intercept": true, "rows": 4, "claims": [...]}

``rows`` is the number of rows, null where nothing is said of rows other than those that are named.  Every claim has its name
and what proves it (``plain.py`` says how), and stands there once:

    complete          weights; margin, which is not above the smallest distance of a row from the boundary
    not complete      witness
    quasi-complete    weights, witness; boundary, the rows that no weights without a negative lead separate, or null
    overlap           witness
    margin at most    margin; witness, whose numbers sum to 1
    mistakes at most  mistakes, weights, constant_squared

Weights are one line for each class, in the order of the classes, with a number for each column and, if there is an intercept, one
more.  A witness is a list of [row, rival class, number].  Rows count from 0.  A float is written so that reading gives the same
float; a fraction is a text, "2/3", and in hexadecimal, "0x2/0x3", where it has thousands of digits.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from io import StringIO
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse

from ...system.files import atomic_write, keep_apart
from ..problem.coordinates import Weights
from .certificate import Certificate, Witness

FORMAT = "novikoff certificate 1"
LONG = 4096  # bits, about 1200 digits: from here on in hexadecimal, since Python reads no more than 4300 decimal digits
ROWS_AT_ONCE = 1000

Document = dict[str, Any]


def label_texts(labels: np.ndarray) -> list[str]:
    """Labels as certificates and files of rows name them."""
    return [str(label) for label in labels.tolist()]


def document(classes: np.ndarray, intercept: bool, rows: int | None, claims: list[Document]) -> Document:
    """A whole certificate."""
    names = label_texts(classes)
    if len(set(names)) < len(names):
        raise ValueError(f"The labels {names} cannot be told apart as text: give the classes other names.")
    return {"format": FORMAT, "classes": names, "intercept": intercept, "rows": rows, "claims": claims}


def verdict_claims(
    certificate: Certificate, classes: np.ndarray, target: np.ndarray, intercept: bool, margin: float | None
) -> list[Document]:
    """What a certificate says, as claims; ``target`` has the class numbers of all rows."""
    kind, claims = certificate.kind, []
    if kind == "complete" and certificate.weights is not None:
        lines = weight_lines(certificate.weights, intercept)
        return [{"claim": "complete", "margin": margin or 0.0, "weights": lines}]
    spanning = certificate.spanning if certificate.spanning is not None else certificate.witness  # of nothing but zeros
    if certificate.witness is not None:
        witness = witness_entries(certificate.witness, classes, target)
        claims.append({"claim": "not complete", "witness": witness})
    if kind == "quasi-complete" and certificate.weights is not None and spanning is not None:
        boundary = None if certificate.boundary is None else np.flatnonzero(certificate.boundary).tolist()
        parts: Document = {"boundary": boundary, "weights": weight_lines(certificate.weights, intercept)}
        claims.append({"claim": kind, **parts, "witness": witness_entries(spanning, classes, target)})
    if kind == "overlap" and spanning is not None:
        claims.append({"claim": kind, "witness": witness_entries(spanning, classes, target)})
    return claims


def weight_lines(weights: Weights, intercept: bool) -> list[list[Any]]:
    """A line for each class, that of the first zero."""
    width = weights.floats.shape[1] - (not intercept)
    if weights.exact is None:
        lines: list[list[Any]] = weights.floats[:, :width].tolist()
    else:
        lines = [[exact_number(number) for number in line[:width]] for line in weights.exact]
    return [[0] * width, *lines]


def witness_entries(witness: Witness, classes: np.ndarray, target: np.ndarray) -> list[list[Any]]:
    """[row, rival class, number] for each pair of a witness."""
    rivals = classes[1 - target[witness.rows]] if witness.rivals is None else witness.rivals
    numbers = [exact_number(weight) for weight in witness.weights]
    return [list(entry) for entry in zip(witness.rows.tolist(), label_texts(rivals), numbers, strict=True)]


def exact_number(number: Fraction) -> int | str:
    """A whole number that every reader of JSON holds exactly, or a text: "2/3", in hexadecimal where it is long."""
    if number.denominator == 1 and abs(number.numerator) <= 2**53:
        return number.numerator
    show = hex if max(number.numerator.bit_length(), number.denominator.bit_length()) > LONG else str
    return show(number.numerator) if number.denominator == 1 else f"{show(number.numerator)}/{show(number.denominator)}"


def as_text(given: Document) -> str:
    """JSON for people: every claim, line of weights and entry of a witness begins a line."""
    return "\n".join(_laid_out(given, "")) + "\n"


def _laid_out(given: Any, indent: str) -> Iterator[str]:
    flat = not isinstance(given, dict | list) or not any(isinstance(each, dict | list) for each in _values(given))
    if flat and not isinstance(given, dict):
        yield indent + json.dumps(given, allow_nan=False)
        return
    opening, closing = "{}" if isinstance(given, dict) else "[]"
    names = [f"{json.dumps(name)}: " for name in given] if isinstance(given, dict) else [""] * len(given)
    yield indent + opening
    for place, (name, value) in enumerate(zip(names, _values(given), strict=True), 1):
        first, *others = _laid_out(value, indent + "  ")
        lines = [f"{indent}  {name}{first.lstrip()}", *others]
        lines[-1] += "," if place < len(names) else ""
        yield from lines
    yield indent + closing


def _values(given: Any) -> list[Any]:
    return list(given.values()) if isinstance(given, dict) else given


def write(
    path: str | PathLike[str],
    given: Document,
    rows: str | PathLike[str] | None = None,
    table: Iterable[str] = (),
) -> None:
    """Write a certificate and, if they are asked for, its rows."""
    keep_apart(rows, [path])
    if rows is not None:
        atomic_write(rows, (text.encode("utf8") for text in table))
    atomic_write(path, [as_text(given).encode("utf8")])


def table_of(X: Any, labels: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Rows as CSV: the first line has names; the last column is the label; floats are written so that reading gives the same."""
    yield _csv_lines([[*names, "label"]])
    for start in range(0, X.shape[0], ROWS_AT_ONCE):
        part = X[start : start + ROWS_AT_ONCE]
        part = (part.toarray() if sparse.issparse(part) else np.asarray(part)).astype(np.float64)
        some = labels[start : start + ROWS_AT_ONCE]
        yield _csv_lines([[*map(repr, row), label] for row, label in zip(part.tolist(), some, strict=True)])


def _csv_lines(lines: list[list[str]]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()
