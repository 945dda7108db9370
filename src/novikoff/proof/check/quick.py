"""``check_certificate``: the same check as ``plain.py``, quick for large data.

Floats judge leads where a rigorous error bound allows, exact arithmetic elsewhere; spans are found modulo a prime and confirmed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ...report.html import notebook_view
from ...report.sections import Section, Table
from ...report.words import listed
from ...system.files import atomic_write
from ..problem.coordinates import Weights, in_range, to_moved
from ..problem.equal_rows import equal_rows
from ..problem.pairs import Pairs
from ..problem.read_rows import read_labelled
from .certificate import Certificate, Witness
from .margin_of_rows import has_margin, hull_square
from .mistakes import as_ideal, mistake_bound
from .plain import CLAIMS, must, number
from .plain_fewest import prove_tree
from .written import FORMAT, Document, label_texts, table_of

ALL_CLAIMS = (*CLAIMS, "fewest errors")
PARTS = ["claims", "classes", "format", "intercept", "rows"]
SHOWN = 5  # classes that an error lists


class CertificateError(ValueError):
    """A certificate does not prove its claims about the given rows.  The message says which claim fails, and why.

    Examples
    --------
    >>> from novikoff import CertificateError, check_certificate
    >>> claim = {"claim": "complete", "margin": 0, "weights": [[0, 0], [1, -1]]}
    >>> certificate = {"format": "novikoff certificate 1", "classes": ["no", "yes"], "intercept": True, "rows": 2, "claims": [claim]}
    >>> try:
    ...     check_certificate(certificate, [[1.0], [2.0]], ["no", "yes"])
    ... except CertificateError as error:
    ...     print(error)
    The certificate does not hold: complete: row 0 of class 'no' does not lead class 'yes'.
    """


@dataclass(frozen=True)
class CheckedCertificate:
    """What a certificate proves.  Made by ``check_certificate``."""

    claims: tuple[str, ...]
    classes: tuple[str, ...]
    fit_intercept: bool
    margin: float | Fraction | None = None
    margin_at_most: float | Fraction | None = None
    mistakes_at_most: int | None = None
    errors_at_least: int | Fraction | None = None
    errors_at_most: int | Fraction | None = None

    @property
    def kind(self) -> str | None:
        """ "complete", "quasi-complete", "overlap", or None: no more than "not complete"."""
        return next((kind for kind in ("complete", "quasi-complete", "overlap") if kind in self.claims), None)

    @property
    def separable(self) -> bool | None:
        """Whether the classes are separable; None where no claim says so."""
        proved = {True: "complete", False: ("not complete", "quasi-complete", "overlap")}
        return next((answer for answer, names in proved.items() if any(name in names for name in self.claims)), None)

    def _repr_html_(self) -> str:
        numbers = {
            "complete": self.margin,
            "margin at most": self.margin_at_most,
            "mistakes at most": self.mistakes_at_most,
            "fewest errors": f"{self.errors_at_least} to {self.errors_at_most}",
        }
        rows = [[claim, "" if numbers.get(claim) is None else str(numbers[claim])] for claim in self.claims]
        line = f"Classes: {listed(self.classes)}; {'with' if self.fit_intercept else 'without'} an intercept."
        return notebook_view([Section("The certificate holds", [line], [Table(["claim", ""], rows, "ll")])])


def check_certificate(
    certificate: str | PathLike[str] | Document, X: Any, y: Any, *, rows: str | PathLike[str] | None = None
) -> CheckedCertificate:
    """Check a certificate of separability, in exact arithmetic and without the solver that found it.

    The certificate is a file written by the ``save`` method of a proof, or of what ``fewest_errors`` returns.  ``plain.py`` in ``novikoff/proof/check`` does the same check in less than 100
    lines that need only Python (with ``plain_fewest.py``, of the fewest errors); this function is fast on large data.

    Parameters
    ----------
    certificate : path or dict
        The file, or what it holds.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows, in the same order as for the proof.
    y : array-like of shape (n_samples,)
        Their labels.  Certificates name classes by text: 1 is "1".
    rows : path, default=None
        Where to write the rows as a CSV file that ``plain.py`` reads.

    Returns
    -------
    CheckedCertificate
        ``separable``, ``kind`` and ``claims``: what is proved.  ``margin``, ``margin_at_most``, ``mistakes_at_most``, ``errors_at_least``,
        ``errors_at_most``: numbers that are proved, or None.

    Raises
    ------
    CertificateError
        If a claim is not proved, or the certificate is malformed or about other rows.

    Examples
    --------
    >>> from novikoff import check_certificate, separability
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> certificate = separability(X, y).to_dict()
    >>> check_certificate(certificate, X, y).kind
    'overlap'
    """
    given = certificate if isinstance(certificate, dict) else _read(certificate)
    X, labels, known = read_labelled(X, y)
    texts = label_texts(labels)
    checked = check_document(given, X, texts)
    if rows is not None:
        names = [f"x{j}" for j in range(X.shape[1])] if known is None else list(map(str, known))
        atomic_write(rows, (text.encode("utf8") for text in table_of(X, texts, names)))
    return checked


def _read(path: str | PathLike[str]) -> Any:
    given = Path(path).read_bytes()
    try:
        return json.loads(given.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"{path} cannot be read as JSON: {error}.") from None


def check_document(given: Any, X: Any, labels: list[str]) -> CheckedCertificate:
    """The same of rows that are read, and labels that are texts."""
    try:
        return _checked(given, X, labels)
    except KeyError as lacking:
        raise CertificateError(f"The certificate does not hold: it lacks {lacking}.") from None
    except (ArithmeticError, AttributeError, IndexError, RecursionError, TypeError, ValueError) as error:
        raise CertificateError(f"The certificate does not hold: {error}.") from None


def _checked(given: Any, X: Any, labels: list[str]) -> CheckedCertificate:
    must(isinstance(given, dict), "it is no object with names and values")
    must(sorted(given) == PARTS, f"its parts are {sorted(given)} instead of {PARTS}")
    must(given["format"] == FORMAT, f"its format is {given['format']!r}; this version reads {FORMAT!r}")
    classes, intercept, claims = given["classes"], given["intercept"], given["claims"]
    must(type(intercept) is bool, "intercept is neither true nor false")
    must(type(classes) is list and type(claims) is list, "classes and claims must be lists")
    must(given["rows"] in (None, len(labels)), f"it is about {given['rows']} rows, and X has {len(labels)}")
    target = _class_numbers(classes, labels)
    must(len(claims) > 0, "it claims nothing")
    names = tuple(claim["claim"] for claim in claims)
    must(len(set(names)) == len(names), "it makes a claim twice: each may stand there once")
    must("fewest errors" not in names or len(names) == 1, "it makes other claims beside the fewest errors")
    pairs = Pairs(X, target, len(classes), intercept)
    found: dict[str, Any] = {}
    for claim in claims:
        _Claim({**claim}, classes, pairs).check(found)
    return CheckedCertificate(names, tuple(classes), intercept, **found)


def _class_numbers(classes: Any, labels: list[str]) -> np.ndarray:
    """The place of every label among the classes."""
    present = set(labels)
    must(len(classes) > 1 and len(set(classes)) == len(classes), "it needs two classes or more, each named once")
    unknown = sorted(present - set(classes))
    if unknown:
        row = labels.index(unknown[0])
        raise ValueError(f"row {row} has the label {unknown[0]!r}, which is none of its classes {_few(classes)}")
    lacking = [name for name in classes if name not in present]
    must(not lacking, f"no row has the label {_few(lacking)}")
    places = {name: place for place, name in enumerate(classes)}
    return np.array([places[label] for label in labels], dtype=np.intp)


def _few(names: Any) -> str:
    return ", ".join(map(repr, [*names][:SHOWN])) + (", ..." if len(names) > SHOWN else "")


class _Claim:
    """One claim; what is read of it is taken out, so that nothing is left unchecked."""

    def __init__(self, parts: Document, classes: list[str], pairs: Pairs) -> None:
        self.parts, self.names, self.pairs = parts, classes, pairs
        self.classes = np.arange(len(classes))
        self.name = parts.pop("claim")
        must(self.name in ALL_CLAIMS, f"it claims {self.name!r}; what can be claimed is {', '.join(ALL_CLAIMS)}")

    def check(self, found: dict[str, Any]) -> None:
        checks: dict[str, Callable[[dict[str, Any]], None]] = {
            "complete": self._complete,
            "not complete": self._not_complete,
            "quasi-complete": self._quasi_complete,
            "overlap": self._overlap,
            "margin at most": self._margin_at_most,
            "mistakes at most": self._mistakes_at_most,
            "fewest errors": self._fewest_errors,
        }
        checks[self.name](found)
        self._must(not self.parts, f"it has {[*self.parts]}, which is not checked")

    def _complete(self, found: dict[str, Any]) -> None:
        weights, margin = self._weights(), self._margin("margin", found)
        self._leads(weights, zero=False)
        self._must(margin >= 0 and has_margin(self.pairs, weights, margin), "some row has a smaller margin")

    def _not_complete(self, found: dict[str, Any]) -> None:
        self._witness_holds(self._witness(self.parts.pop("witness")))

    def _quasi_complete(self, found: dict[str, Any]) -> None:
        weights, witness, boundary = (
            self._weights(),
            self._witness(self.parts.pop("witness")),
            self.parts.pop("boundary"),
        )
        self._witness_holds(witness)
        signs = self._leads(weights, zero=True)
        self._must(signs.max() > 0, "no row leads a rival")
        if boundary is None:
            return
        at_zero = np.any((signs == 0).reshape(self.pairs.n_rows, self.pairs.n_rivals), axis=1)
        self._must(boundary == np.flatnonzero(at_zero).tolist(), "boundary does not name the rows with a lead of 0")
        claim = Certificate("quasi-complete", weights, witness, witness, at_zero)
        self._must(claim.holds(self.pairs, self.classes), "the witness does not span the rows of the boundary")

    def _overlap(self, found: dict[str, Any]) -> None:
        witness = self._witness(self.parts.pop("witness"))
        self._witness_holds(witness)
        claim = Certificate("overlap", witness=witness, spanning=witness)
        self._must(claim.holds(self.pairs, self.classes), "the witness does not span all rows")

    def _margin_at_most(self, found: dict[str, Any]) -> None:
        witness, margin = self._witness(self.parts.pop("witness")), self._margin("margin_at_most", found)
        self._must(sum(witness.weights) == 1, "the numbers of the witness do not sum to 1")
        own = self.pairs.target[witness.rows]
        rivals = 1 - own if witness.rivals is None else witness.rivals
        which = self.pairs.pair(witness.rows, rivals).tolist()
        square = hull_square(self.pairs, dict(zip(which, witness.weights, strict=True)))
        self._must(square is not None, "the constant features of the witness do not cancel")
        self._must(margin >= 0 and square is not None and square <= margin**2, "there may be larger margins")

    def _mistakes_at_most(self, found: dict[str, Any]) -> None:
        weights, bound = self._weights(), self.parts.pop("mistakes")
        constant2 = number(self.parts.pop("constant_squared"))
        self._leads(weights, zero=False)
        self._must(type(bound) is int and constant2 > 0, "mistakes is no whole number, or constant_squared not above 0")
        self._must(mistake_bound(self.pairs, as_ideal(self.pairs, weights, constant2)) <= bound, "there may be more")
        found["mistakes_at_most"] = bound

    def _fewest_errors(self, found: dict[str, Any]) -> None:
        """Weights that lead on all rows but some, and a tree of witnesses; ``plain_fewest.py`` says why that is a proof."""
        n, given = self.pairs.n_rows, self.parts.pop("costs")
        right = given is None or (type(given) is list and len(given) == n)
        self._must(right, "costs must have a number for each row")
        prices = [Fraction(1)] * n if given is None else list(map(number, given))
        self._must(min(prices) >= 0, "a cost is negative")
        least, most, gone = (
            number(self.parts.pop("at_least")),
            number(self.parts.pop("at_most")),
            self.parts.pop("rows"),
        )
        known = type(gone) is list and all(type(row) is int and 0 <= row < n for row in gone)
        self._must(known and len({*gone}) == len(gone), "rows must have the numbers of rows, each once")
        self._must(sum(prices[row] for row in gone) <= most, f"rows cost more than {most}")
        stay = np.ones(n, dtype=bool)
        stay[gone] = False
        if stay.any():
            self._leads(self._weights(), zero=False, rows=stay)
        else:
            width = self.pairs.n_features + self.pairs.fit_intercept
            self._must(self.parts.pop("weights") == [[0] * width] * len(self.names), "weights of no rows must be 0")
        numbers = equal_rows(self.pairs.X)
        keys = (np.arange(n) if numbers is None else numbers) * len(self.names) + self.pairs.target
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        same = first[inverse].tolist()
        costs = dict.fromkeys(same, Fraction(0))
        for row, price in zip(same, prices, strict=True):
            costs[row] += price
        sets = []
        for entries in self.parts.pop("witnesses"):
            witness = self._witness(entries)
            self._witness_holds(witness)
            sets.append({same[row] for row in witness.rows.tolist()})
        prove_tree(self.parts.pop("tree"), sets, costs, least)
        whole = [int(bound) if bound.denominator == 1 else bound for bound in (least, most)]
        found["errors_at_least"], found["errors_at_most"] = whole

    def _margin(self, name: str, found: dict[str, Any]) -> Fraction:
        """The margin, exactly; and as it stands there, a float if it is one."""
        given = self.parts.pop("margin")
        margin = number(given)
        found[name] = given if isinstance(given, float) else margin
        return margin

    def _weights(self) -> Weights:
        lines, pairs = self.parts.pop("weights"), self.pairs
        width, n_classes = pairs.n_features + pairs.fit_intercept, len(self.names)
        right = [type(line) is list and len(line) for line in lines] == [width] * n_classes
        self._must(right, f"each of {n_classes} classes must have {width} weights")
        constant = [] if pairs.fit_intercept else [0]
        if not any(map(number, lines[0])) and _are_floats(lines[1:]):
            return Weights(np.array([[*line, *constant] for line in lines[1:]], dtype=np.float64))
        first, *others = [[*map(number, line), *map(Fraction, constant)] for line in lines]
        return in_range([[a - b for a, b in zip(line, first, strict=True)] for line in others])

    def _witness(self, entries: Any) -> Witness:
        places = {name: place for place, name in enumerate(self.names)}
        found: dict[tuple[int, int], Fraction] = {}
        for row, rival, given in entries:
            known = type(row) is int and 0 <= row < self.pairs.n_rows
            self._must(known, f"there is no row {row!r}: rows are numbered from 0 to {self.pairs.n_rows - 1}")
            right = rival in places and places[rival] != self.pairs.target[row]
            self._must(right, f"row {row} cannot have the rival {rival!r}")
            self._must((row, places[rival]) not in found, f"row {row} has the rival {rival!r} twice")
            found[row, places[rival]] = number(given)
            self._must(found[row, places[rival]] > 0, f"the number of row {row} is not above 0")
        self._must(len(found) > 0, "the witness has no rows")
        rows, rivals = np.array([*found], dtype=np.intp).T
        return Witness(rows, None if len(self.names) == 2 else rivals, tuple(found.values()))

    def _witness_holds(self, witness: Witness) -> None:
        claim = Certificate(None, witness=witness)
        self._must(claim.holds(self.pairs, self.classes), "the witness does not sum to 0")

    def _leads(self, weights: Weights, zero: bool, rows: np.ndarray | None = None) -> np.ndarray:
        """The signs of all leads; a negative one, of these ``rows``, is an error, and unless they may be ``zero``, so is that."""
        signs = self.pairs.signs(to_moved(self.pairs, weights))
        asked = True if rows is None else np.repeat(rows, self.pairs.n_rivals)
        wrong = np.flatnonzero((signs < (not zero)) & asked)
        if wrong.size:
            (row,), (rival,) = self.pairs.rows_and_rivals(wrong[:1])
            own = self.names[self.pairs.target[row]]
            self._must(False, f"row {row} of class {own!r} does not lead class {self.names[rival]!r}")
        return signs

    def _must(self, true: bool | np.bool_, why: str) -> None:
        must(bool(true), f"{self.name}: {why}")


def _are_floats(lines: list[Any]) -> bool:
    """Whether all of these are floats that are numbers, or whole numbers that floats hold."""
    for line in lines:
        for value in line:
            if type(value) is int and abs(value) > 2**53:
                return False
            if type(value) not in (int, float) or value - value != 0:
                return False
    return True
