"""The answer of ``separability``: the verdict, its proof, and what both mean for a user; and how it is made."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import inf
from os import PathLike
from typing import Any

import numpy as np

from ...report.html import drawn, notebook_view
from ...system.backends import backend_of
from ...system.clock import Clock, Room, check_limit
from ..check.certificate import Certificate, Witness, as_witness, read_witness
from ..check.margin_of_rows import has_margin, margin_of, upper_bound
from ..check.mistakes import Ideal, as_ideal, constant_square, is_well_formed_ideal, mistake_bound
from ..check.quick import check_document
from ..check.written import document, label_texts, table_of, verdict_claims, weight_lines, witness_entries, write
from ..margins.widest_margin import ideal_weights, largest_margin, simple_ideal
from ..problem.coordinates import Weights, to_moved
from ..problem.pairs import Pairs
from ..problem.read_rows import read_again
from ..search.decide import decide
from ..search.finding import Finding
from .certify import certify, simplified
from .coefficient_limits import coefficient_limits
from .describe import class_names, describe, proof_sections
from .fewest import FewestErrors, find
from .reasons import PLAIN, ModelNames, Reason, reasons

log = logging.getLogger(__name__)


FLOATING, EXACT = "floating point", "exact arithmetic"
SOON = 100  # dimensions in which exact weights of a witness take a fraction of a second

QUICK = 2e8  # multiplications for the fewest rows that must go, about: a fraction of a second, and counted, so that every machine says the same


@dataclass
class Later:
    """A certificate of overlap that floats have proved: worked out exactly when it is asked for."""

    pairs: Pairs
    classes: np.ndarray
    limit: float | None
    room: Room

    @cached_property
    def certificate(self) -> Certificate:
        found = certify(self.pairs, self.classes, decide(self.pairs, Clock(self.limit, room=self.room)))
        return found if found.kind is not None else Certificate("overlap", witness=found.witness)


class _Stored:
    """Hands out the certificate that a proof was given, or its work if that is to be done later."""

    def __get__(self, proof: Any, of: Any) -> Certificate:
        given = proof.__dict__["_given_certificate"]
        return given.certificate if isinstance(given, Later) else given

    def __set__(self, proof: Any, given: Certificate | Later) -> None:
        proof.__dict__["_given_certificate"] = given


@dataclass(frozen=True, eq=False, repr=False)
class Proof:
    """Whether classes are linearly separable, and what proves it.  Made by ``separability``, which describes it.

    It refers to X, not to a copy: what is worked out when asked for is about X as it is then.  ``against_rest`` is the class that the
    question is about, if it is one against the rest, the label True of ``classes``; else None.
    """

    certificate: Certificate  # see ``_Stored``
    classes: np.ndarray
    _pairs: Pairs
    _names: np.ndarray | None = None
    margin: float | None = None
    margin_bounds: tuple[float, float] | None = None
    support: Witness | None = None
    mistake_bound: int | None = None
    violation: float | None = None
    seconds: float = 0.0
    time_limit: float | None = None
    _ideal: Ideal | None = None
    against_rest: Any = None
    _model: ModelNames = PLAIN

    @property
    def kind(self) -> str | None:
        """ "complete", "quasi-complete", "overlap", or None: undecided, or only "not complete"."""
        given = self.__dict__["_given_certificate"]
        return "overlap" if isinstance(given, Later) else given.kind

    @property
    def separable(self) -> bool | None:
        """True, False, or None: undecided."""
        if self.kind is None:
            return None if self.witness is None else False
        return self.kind == "complete"

    @property
    def coef(self) -> np.ndarray | None:
        """Weights, of several classes those of the first zero."""
        weights = self._floats()
        return None if weights is None else weights[:, :-1]

    @property
    def intercept(self) -> np.ndarray | None:
        """The intercepts that belong to ``coef``."""
        weights = self._floats()
        return None if weights is None else weights[:, -1]

    @property
    def exact_weights(self) -> tuple[tuple[Fraction, ...], ...] | None:
        """``coef`` and ``intercept`` row by row as exact fractions: what is verified."""
        weights = self.certificate.weights
        if weights is None:
            return None
        rows = weights.fractions()
        return rows if len(self.classes) == 2 else ((Fraction(0),) * len(rows[0]), *rows)

    @property
    def witness(self) -> Witness | None:
        """Rows that no weights separate."""
        return self.certificate.witness

    @property
    def spanning(self) -> Witness | None:
        """A witness whose rows span the others: all of overlap, those on the boundary of quasi-complete separation."""
        return self.certificate.spanning

    def _floats(self) -> np.ndarray | None:
        weights = self.certificate.weights
        if weights is None:
            return None
        floats = weights.floats
        return floats if len(self.classes) == 2 else np.vstack([np.zeros((1, floats.shape[1])), floats])

    @cached_property
    def method(self) -> str | None:
        """How the verdict was proved: in "floating point", every rounding error bounded, or in "exact arithmetic", where that did not
        decide; None where nothing was decided.  Fractions, ``verify`` and certificates are exact in any case."""
        if self.separable is None:
            return None
        given = self.__dict__["_given_certificate"]
        if isinstance(given, Later):
            return FLOATING
        if self.kind != "complete" or given.weights is None:
            return EXACT
        leads, bound = self._pairs.leads(to_moved(self._pairs, given.weights))
        return FLOATING if leads.min() > bound else EXACT

    @property
    def _exact_at_hand(self) -> bool:
        """Whether weights of a witness, if there is one, are worked out, or soon would be."""
        given = self.__dict__["_given_certificate"]
        return not isinstance(given, Later) or "certificate" in vars(given) or self._pairs.dim <= SOON

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """The columns' names; x0, x1, ... where X had none."""
        names = [f"x{j}" for j in range(self._pairs.n_features)] if self._names is None else self._names
        return tuple(map(str, names))

    @property
    def fit_intercept(self) -> bool:
        """Whether there is a bias."""
        return self._pairs.fit_intercept

    @property
    def rows(self) -> np.ndarray | None:
        """For every row, whether some weights that no row contradicts have it strictly on its side, "separated", or none,
        "boundary"; None if that is not settled."""
        if self.kind in ("complete", "overlap"):
            word = "separated" if self.kind == "complete" else "boundary"
            return np.full(self._count, word, dtype="<U9")
        boundary = self._boundary
        return None if boundary is None else np.where(boundary, "boundary", "separated")

    @property
    def _count(self) -> int:
        """How many rows there are."""
        return self._pairs.n_rows

    @property
    def _boundary(self) -> np.ndarray | None:
        """Which rows always stay on the boundary; None if that is not known."""
        return self.certificate.boundary

    @property
    def _target(self) -> Any:
        """What has the class numbers of rows by their numbers."""
        return self._pairs.target

    def _given(self, rows: np.ndarray) -> Any:
        """The rows of X with these numbers."""
        return self._pairs.X[rows]

    @cached_property
    def directions(self) -> dict[str, Any] | None:
        """For the intercept and every feature, what becomes of its coefficient in a logistic regression; None if that is not known."""
        if self.kind is None:
            return None
        limits = self._limits(self.kind, Clock(self.time_limit))
        if limits is None:
            return None
        if len(self.classes) == 2:
            return dict(zip(self._coefficient_names, self._intercept_first(limits)[0].tolist(), strict=True))
        labels = self.classes[1:].tolist()
        columns = self._intercept_first(limits).T.tolist()
        return {
            name: dict(zip(labels, column, strict=True))
            for name, column in zip(self._coefficient_names, columns, strict=True)
        }

    @property
    def _coefficient_names(self) -> tuple[str, ...]:
        """What the coefficients are called, the intercept first; in brackets if a feature has its name."""
        intercept = self._model.intercept
        while intercept in self.feature_names:
            intercept = f"({intercept})"
        return (*([intercept] if self.fit_intercept else []), *self.feature_names)

    def _intercept_first(self, limits: np.ndarray) -> np.ndarray:
        """What becomes of coefficients, in the order of their names."""
        return np.roll(limits, 1, axis=1) if self.fit_intercept else limits

    @property
    def reasons(self) -> list[str]:
        """Which levels have one class only, and which numbers have one class above and another below: where rows are separated by one
        variable.  Empty where it takes several together."""
        return [reason.text for reason in self._reasons]

    @cached_property
    def _reasons(self) -> list[Reason]:
        rows = self.rows
        if self.kind not in ("complete", "quasi-complete") or rows is None:
            return []
        names = class_names(self)
        outcomes = (
            [f"class {name}" for name in names] if self.against_rest is None else ["another class", f"class {names[1]}"]
        )
        model = self._model if self._model.outcomes is not None else self._model._replace(outcomes=tuple(outcomes))
        return reasons(self._pairs.X, self._pairs.target, self.feature_names, rows == "separated", model)

    def _limits(self, kind: str, clock: Clock, tell: Callable[[int], None] = lambda done: None) -> np.ndarray | None:
        """What becomes of coefficients; ``tell`` is told how many more are known."""
        return coefficient_limits(self._pairs, kind, clock, tell, order=self._model.order)

    @cached_property
    def suspects(self) -> np.ndarray | None:
        """The numbers of the rows that stand in the way of separation, the worst first: without them the rest is separable, and none
        of them can go back."""
        return np.empty(0, dtype=np.intp) if self.separable else self._fewest.rows

    @cached_property
    def _fewest(self) -> FewestErrors:
        return self.fewest(Clock(self.time_limit))

    def fewest(self, clock: Clock) -> FewestErrors:
        """How many rows must go, as far as quick work tells."""
        return find(self._pairs, self.classes, self._names, None, clock, QUICK)

    def verify(self, X: Any, y: Any) -> bool:
        """Whether the verdict, its proof, ``rows``, ``margin``, ``margin_bounds``, ``support`` and ``mistake_bound`` are true of
        these data, in exact arithmetic and without the solver, and nothing else is carried.

        ``directions``, ``reasons``, ``suspects``, ``pairwise`` and ``plot`` are no part of the proof: they are worked out from the rows
        that ``separability`` saw, when asked for.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows, in the order in which ``separability`` saw them; dense or sparse, whatever those were, or a Dask collection.
        y : array-like of shape (n_samples,)
            Their labels; with ``against_rest``, those of all classes, or ``y == against_rest``.

        Returns
        -------
        bool
            False also where nothing is claimed because nothing was decided, and where a claim is malformed.
        """
        y = self._asked_labels(y)
        backend = backend_of(X)
        if backend is not None:
            return backend.verify(self, X, y)
        pairs = read_again(X, y, self.classes, self._pairs.n_features, self.fit_intercept)
        if pairs is None or not self._is_of(pairs) or not self._named_well(pairs):
            return False
        if not self.certificate.holds(pairs, self.classes) or not self._carries_numbers_of_its_kind():
            return False
        return self._margins_hold(pairs) and self._mistakes_hold(pairs)

    def _asked_labels(self, y: Any) -> Any:
        """The labels as the proof has them: of one class against the rest, whether they are that class."""
        if self.against_rest is None:
            return y
        labels = y if hasattr(y, "dtype") else np.asarray(y)
        return labels if labels.dtype == bool else labels == self.against_rest

    def _is_of(self, pairs: Pairs) -> bool:
        """Whether these rows have the labels that rows had."""
        return np.array_equal(pairs.target, self._pairs.target)

    def _named_well(self, pairs: Pairs) -> bool:
        """Whether classes and names are such, as many as there are."""
        names = self._names
        names_fit = names is None or (isinstance(names, np.ndarray) and names.shape == (pairs.n_features,))
        return names_fit and isinstance(self.classes, np.ndarray)

    def _carries_numbers_of_its_kind(self) -> bool:
        """Whether there are numbers only where the kind has them, and of the right sort."""
        of_separation = (self.margin, self.margin_bounds, self.support, self.mistake_bound, self._ideal)
        if self.kind != "complete" and any(number is not None for number in of_separation):
            return False
        return self.violation is None or (self.kind is None and isinstance(self.violation, float))

    def _margins_hold(self, pairs: Pairs) -> bool:
        weights = self.certificate.weights
        if self.margin is None:
            return self.margin_bounds is None and self.support is None
        if not isinstance(self.margin, float) or weights is None or not has_margin(pairs, weights, self.margin):
            return False
        if self.margin_bounds is None or self.support is None:
            return self.margin_bounds is None and self.support is None
        support = read_witness(pairs, self.classes, self.support)
        if support is None or sum(self.support.weights) != 1 or not _is_range(self.margin_bounds):
            return False
        return self.margin_bounds[0] == self.margin and upper_bound(pairs, support) <= self.margin_bounds[1]

    def _mistakes_hold(self, pairs: Pairs) -> bool:
        bound, claimed = self.mistake_bound, self._ideal
        if bound is None:
            return claimed is None
        if not isinstance(bound, int) or isinstance(bound, bool) or not is_well_formed_ideal(claimed, pairs):
            return False
        ideal = as_ideal(pairs, claimed.weights, claimed.constant2)
        same = (ideal.lead, ideal.square) == (claimed.lead, claimed.square)
        return same and ideal.lead > 0 and mistake_bound(pairs, ideal) <= bound

    def to_dict(self) -> dict[str, Any]:
        """The certificate: everything that is claimed and proved, as ``save`` writes it and ``check_certificate`` reads it.

        Returns
        -------
        dict
            Of nothing but what JSON holds; docs/trust.md describes it.
        """
        if self.separable is None:
            raise ValueError("Nothing was decided, so there is nothing to certify: allow a longer time_limit.")
        if self.kind == "overlap" and self.witness is None:
            raise ValueError(
                "The overlap is proved, but time_limit ended before its fractions were worked out: allow a longer one."
            )
        pairs, target = self._pairs, self._target
        claims = verdict_claims(self.certificate, self.classes, target, pairs.fit_intercept, self.margin)
        if self.support is not None and self.margin_bounds is not None and self.margin_bounds[1] < inf:
            witness = witness_entries(self.support, self.classes, target)
            claims.append({"claim": "margin at most", "margin": self.margin_bounds[1], "witness": witness})
        if self.mistake_bound is not None and self._ideal is not None:
            parts = {"mistakes": self.mistake_bound, "constant_squared": self._ideal.constant2}
            lines = weight_lines(self._ideal.weights, pairs.fit_intercept)
            claims.append({"claim": "mistakes at most", **parts, "weights": lines})
        return document(self.classes, pairs.fit_intercept, self._count, claims)

    def save(self, path: str | PathLike[str], *, rows: str | PathLike[str] | None = None) -> None:
        """Write the certificate as a JSON file, and on request the rows it is about as a CSV file.

        ``novikoff.check_certificate`` checks it, and so does ``plain.py``, which needs nothing but Python (docs/trust.md).  What is
        written has been checked before.

        Parameters
        ----------
        path : path
            The file of the certificate.
        rows : path, default=None
            A file for the rows, exactly as they were checked: a line of names, then a line for each row, the label last.
            Sparse rows are written in full.
        """
        given, X = self.to_dict(), self._pairs.X
        labels = label_texts(self.classes[self._pairs.target])
        check_document(json.loads(json.dumps(given)), X, labels)
        write(path, given, rows, table_of(X, labels, self.feature_names))

    def pairwise(self, time_limit: float | None = None) -> dict[tuple[Any, Any], Proof]:
        """The same question for every two of several classes.

        Parameters
        ----------
        time_limit : float, default=None
            Seconds for each pair.

        Returns
        -------
        dict
            A ``Proof`` for every pair of labels, in order.
        """
        limit, labels, pairs = check_limit(time_limit), self.classes.tolist(), self._pairs
        found = {}
        for first, second in combinations(range(len(labels)), 2):
            rows = np.flatnonzero(np.isin(pairs.target, (first, second)))
            part = Pairs(pairs.X[rows], (pairs.target[rows] == second).astype(np.intp), 2, pairs.fit_intercept)
            found[labels[first], labels[second]] = prove(part, self.classes[[first, second]], self._names, Clock(limit))
        return found

    def plot(
        self, ax: Any = None, *, features: Sequence[str | int] | None = None, palette: Sequence[Any] | None = None
    ) -> Any:
        """Draw the rows and why a hyperplane separates their classes, or why none does; see ``novikoff.plots.plot_proof``.

        More than two features are drawn as a projection, which the title names.  For two of several classes:
        ``proof.pairwise()["a", "b"].plot()``.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        features : two names or column numbers, default=None
            The features to draw, across and up.  None: the plane in which the proof is seen best.
        palette : sequence of labels, default=None
            Labels in the order of colours and markers, so that a class looks the same in several pictures; None: the proof's classes.

        Returns
        -------
        matplotlib Axes
        """
        from ...plots.proof_picture import plot_proof

        return plot_proof(self, self._pairs.X, self.classes[self._pairs.target], ax, features, palette)

    def _repr_html_(self) -> str:
        return notebook_view(proof_sections(self), drawn(self.plot))

    def __repr__(self) -> str:
        of = "" if self.against_rest is None else f", against_rest={self.against_rest!r}"
        return f"Proof(kind={self.kind!r}, separable={self.separable}{of})"

    def __str__(self) -> str:
        return describe(self, self._pairs)


Proof.certificate = _Stored()  # type: ignore[assignment]


def _is_range(bounds: Any) -> bool:
    """Two floats in order."""
    if not isinstance(bounds, tuple) or len(bounds) != 2:
        return False
    return all(isinstance(bound, float) for bound in bounds) and bounds[0] <= bounds[1]


def prove(
    pairs: Pairs,
    classes: np.ndarray,
    names: np.ndarray | None,
    clock: Clock,
    max_margin: bool = False,
    constant: float | None = 1.0,
    guess: Weights | None = None,
) -> Proof:
    """The answer for rows that are read; ``constant`` is c, None the largest norm of a row.  Weights that are a guess are tried
    first: if they separate, nothing is looked for."""
    limit = None if clock.limit == inf else clock.limit
    certificate, finding = Certificate("complete", guess), Finding()
    if guess is None or not certificate.holds(pairs, classes):
        finding = decide(pairs, clock, quick=True)
        if finding.in_floats:
            log.info("overlap after %.3g s", clock.seconds)
            later: Any = Later(pairs, classes, limit, clock.room)
            return Proof(later, classes, pairs, names, seconds=clock.seconds, time_limit=limit)
        certificate = simplified(pairs, certify(pairs, classes, finding))
    margin = bounds = support = ideal = None
    if certificate.kind == "complete" and certificate.weights is not None:
        margin = margin_of(pairs, certificate.weights)
        if max_margin:
            constant2 = constant_square(pairs, constant)
            best = largest_margin(pairs, certificate.weights, clock)
            margin, bounds = best.lower, (best.lower, best.upper)
            support = as_witness(pairs, classes, best.support)
            ideal = simple_ideal(pairs, ideal_weights(pairs, [best.weights, certificate.weights], constant2, clock))
            certificate = replace(certificate, weights=best.weights)
    violation = finding.violation if certificate.kind is None and finding.violation < inf else None
    log.info("%s after %.3g s", certificate.kind or "undecided", clock.seconds)
    return Proof(
        certificate,
        classes,
        pairs,
        names,
        margin=margin,
        margin_bounds=bounds,
        support=support,
        mistake_bound=None if ideal is None else mistake_bound(pairs, ideal),
        _ideal=ideal,
        violation=violation,
        seconds=clock.seconds,
        time_limit=limit,
    )
