"""``fewest_errors``: how many rows must go before a hyperplane separates the rest?  Bounds from below and above, both proved."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from numbers import Real
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from ...checks.arrays import read_weights
from ...report.html import notebook_view
from ...report.sections import Section
from ...system.clock import Clock, check_limit
from ..check.certificate import Certificate, Witness, make_witness
from ..check.quick import CertificateError, check_certificate, check_document
from ..check.written import document, exact_number, label_texts, table_of, weight_lines, witness_entries, write
from ..problem.coordinates import Weights, to_moved
from ..problem.pairs import Pairs
from ..problem.read_rows import check_intercept, read
from ..search.fewest_rows import UNITS, DistinctRows, FewestRows, exact_packing, smallest_sets
from .certify import simplified

SIMPLE_UNITS = (1, 2, 3, 4, 6, 12, 60, 840, UNITS)  # denominators of a packing, tried in this order
LISTED = 12  # rows in a line
SETS = 20  # that are counted
SETS_NAMED = 3  # that are named, if they have no more rows than
FEW = 3
WORK_OF_SETS = 1e8  # multiplications for all smallest sets, about: a tenth of a second


class Leaf(NamedTuple):
    """A case that is settled: witnesses by number, and how much of each, so that no row has more than it costs."""

    packing: tuple[tuple[int, Fraction], ...]


class Branch(NamedTuple):
    """Two cases: ``row`` is removed, or it is kept.  ``removed`` and ``kept`` are places in the tree."""

    row: int
    removed: int
    kept: int


@dataclass(frozen=True)
class LowerBound:
    """What proves that rows of some cost must go: witnesses, each of which must lose a row, and a tree of cases, the first of them the root.
    A tree of one leaf is a packing."""

    witnesses: tuple[Witness, ...]
    tree: tuple[Leaf | Branch, ...]

    @property
    def leaves(self) -> int:
        """How many cases there are."""
        return sum(isinstance(node, Leaf) for node in self.tree)


class Alternatives(NamedTuple):
    """Sets of rows, each of the smallest cost; whether they are ``complete``: all that there are."""

    sets: list[np.ndarray]
    complete: bool


@dataclass(frozen=True, eq=False, repr=False)
class FewestErrors:
    """How many rows must go before a hyperplane separates the rest.  Made by ``fewest_errors``, which describes it."""

    lower: int | Fraction
    upper: int | Fraction
    rows: np.ndarray
    proof: LowerBound
    errors: int
    classes: np.ndarray
    fit_intercept: bool
    history: tuple[tuple[float, int | Fraction, int | Fraction], ...]
    work: int
    seconds: float
    _weights: Weights
    _costs: tuple[int | Fraction, ...] | None
    _pairs: Pairs
    _names: np.ndarray | None
    _search: FewestRows

    @property
    def solved(self) -> bool:
        """Whether both bounds are equal."""
        return self.lower == self.upper

    @property
    def weights(self) -> tuple[tuple[Fraction, ...], ...]:
        """Weights that give all other rows their classes: ``coef`` and ``intercept`` row by row, as exact fractions."""
        rows = self._weights.fractions()
        return rows if len(self.classes) == 2 else ((Fraction(0),) * len(rows[0]), *rows)

    @property
    def coef(self) -> np.ndarray:
        """The same as floats, in scikit-learn's shape."""
        return self._floats()[:, :-1]

    @property
    def intercept(self) -> np.ndarray:
        """The intercepts that belong to ``coef``."""
        return self._floats()[:, -1]

    def _floats(self) -> np.ndarray:
        floats = self._weights.floats
        return floats if len(self.classes) == 2 else np.vstack([np.zeros((1, floats.shape[1])), floats])

    def alternatives(self, most: int = SETS, max_work: float | None = WORK_OF_SETS) -> Alternatives:
        """All sets of rows of the smallest cost; of an answer that is solved.

        Parameters
        ----------
        most : int, default=20
            How many sets are listed at most.
        max_work : float, default=1e8
            After about so many multiplications, what is found by then; None: no limit.

        Returns
        -------
        Alternatives
            ``sets``: arrays of row numbers, ``rows`` itself first.  ``complete``: whether these are all.
        """
        if not self.solved:
            raise ValueError(
                f"The fewest are not known: {self.lower} to {self.upper}. Allow a longer time_limit or more max_work."
            )
        search, own = self._search, self._search.wrong
        search.clock, search.max_work = Clock(), inf if max_work is None else search.work + max_work
        found, complete = smallest_sets(search, most)
        sets = [own, *(rows for rows in found if rows != own)][:most]
        return Alternatives([search.problem.all_equal(rows) for rows in sets], complete)

    def to_dict(self) -> dict[str, Any]:
        """The certificate: both bounds and what proves them, as ``save`` writes it and ``check_certificate`` reads it.

        Returns
        -------
        dict
            Of nothing but what JSON holds; docs/trust.md describes it.
        """
        target, free = (
            self._pairs.target,
            [] if self._costs is None else [i for i, c in enumerate(self._costs) if not c],
        )
        claim: dict[str, Any] = {
            "claim": "fewest errors",
            "at_least": exact_number(Fraction(self.lower)),
            "at_most": exact_number(Fraction(self.upper)),
            "costs": None if self._costs is None else [exact_number(Fraction(cost)) for cost in self._costs],
            "rows": sorted({*self.rows.tolist(), *free}),
            "weights": weight_lines(self._weights, self.fit_intercept),
            "witnesses": [witness_entries(witness, self.classes, target) for witness in self.proof.witnesses],
            "tree": [
                {"packing": [[j, exact_number(u)] for j, u in node.packing]}
                if isinstance(node, Leaf)
                else node._asdict()
                for node in self.proof.tree
            ],
        }
        if len(claim["rows"]) == self._pairs.n_rows:
            claim["weights"] = [[0] * len(line) for line in claim["weights"]]
        return document(self.classes, self.fit_intercept, self._pairs.n_rows, [claim])

    def verify(self, X: Any, y: Any) -> bool:
        """Whether both bounds are true of these data, in exact arithmetic and without the search.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows, in the order in which ``fewest_errors`` saw them.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        bool
        """
        try:
            check_certificate(json.loads(json.dumps(self.to_dict())), X, y)
        except CertificateError:
            return False
        return True

    def save(self, path: str | PathLike[str], *, rows: str | PathLike[str] | None = None) -> None:
        """Write the certificate as a JSON file, and on request the rows it is about as a CSV file.

        ``novikoff.check_certificate`` checks it, and so does ``plain_fewest.py``, which needs nothing but Python and ``plain.py``
        (docs/trust.md).  What is written has been checked before.

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
        names = [f"x{j}" for j in range(X.shape[1])] if self._names is None else list(map(str, self._names))
        write(path, given, rows, table_of(X, labels, names))

    def __repr__(self) -> str:
        return f"FewestErrors(lower={self.lower}, upper={self.upper})"

    def __str__(self) -> str:
        return in_words(self)

    def _repr_html_(self) -> str:
        lines = [in_words(self)[0].upper() + in_words(self)[1:] + "."]
        many = len(self.proof.witnesses)
        if many:
            lines.append(
                f"Proved by {many} witness{'es' * (many > 1)} in {self.proof.leaves} case{'s' * (self.proof.leaves > 1)}."
            )
        return notebook_view([Section("The fewest rows that must go", lines)])


def fewest_errors(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    max_work: float | None = None,
) -> FewestErrors:
    """Tell how many rows must go before the rest is completely separable, and prove it.

    With an intercept this is the smallest number of training errors of any linear classifier, also known as the minimum
    disagreement or the maximum feasible subsystem; of several classes, of any weights for all of them.  It is hard in general (D. S.
    Johnson and F. P. Preparata, The densest hemisphere problem, 1978): few errors, or few columns, are quick, and what is not solved in the
    time or work allowed has a proved lower and a proved upper bound.

    From above: rows, and exact weights that give all others their classes.  From below: witnesses (rows that cancel, see
    ``separability``), each of which must lose a row.  Numbers u_j >= 0 for them, so that those of the witnesses that have row i sum to no more than
    its cost, are a packing: rows must go that cost at least sum_j u_j.  Where that is not enough, a tree of cases, a row removed or
    kept, has a packing for every case.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows, read as ``separability`` reads them.
    y : array-like of shape (n_samples,)
        Their labels, of two or more classes.
    sample_weight : array-like of shape (n_samples,), default=None
        What it costs to lose a row; None: 1 for each.  Rows that cost nothing are left out.
    fit_intercept : bool, default=True
        Whether there is an intercept, or hyperplanes pass through the origin.
    time_limit : float, default=None
        Seconds after which the bounds that are known are returned.
    max_work : float, default=None
        The same as a number of multiplications, about 1e9 for a second: unlike seconds, it leads to the same answer on a slow
        machine.

    Returns
    -------
    FewestErrors
        ``lower``, ``upper``: what the rows that must go cost at least and at most (whole numbers, if costs are), equal if
        ``solved``.  ``rows``: the numbers of rows, the worst first, that cost ``upper`` and without which the rest is separable; none of them can go back
        (unless the time limit ended before that was found out, or there are more than 20 million numbers in X).  ``weights``: exact weights, as rows of ``coef`` and ``intercept``, that give all
        other rows their classes; ``errors``: how many rows these weights predict wrongly.  ``alternatives()``: all sets of the
        smallest cost.

        ``proof``: ``witnesses`` and the ``tree`` of cases that prove ``lower``.  ``verify(X, y)``: check both bounds exactly, without the search.
        ``save(path)``: write them as a certificate, which ``check_certificate`` checks, or two pages of plain Python
        (docs/trust.md); ``to_dict()``: the same, not written.

        ``history``: seconds, lower and upper bound whenever one changed.  ``work``, ``seconds``: how long it took.
        ``classes``, ``fit_intercept``: the labels in order, whether there is an intercept.

    Examples
    --------
    >>> from novikoff import fewest_errors
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> answer = fewest_errors(X, y)
    >>> print(answer)
    1 row must go (proved): 0 or 1 or 2 or 3
    >>> answer.lower, answer.upper, answer.errors, answer.verify(X, y)
    (1, 1, 1, True)
    """
    limit = check_limit(time_limit)
    check_intercept(fit_intercept)
    if max_work is not None and not (isinstance(max_work, Real) and max_work > 0):
        raise ValueError(f"max_work must be a positive number of multiplications or None; got {max_work!r}.")
    clock = Clock(limit)
    pairs, classes, names = read(X, y, bool(fit_intercept))
    given = read_weights(sample_weight, pairs.X)
    costs = None
    if given.size:
        whole = bool(np.all(given == np.rint(given)))
        costs = tuple(int(cost) if whole else Fraction(cost) for cost in given.tolist())
    return find(pairs, classes, names, costs, clock, inf if max_work is None else float(max_work))


def find(
    pairs: Pairs,
    classes: np.ndarray,
    names: np.ndarray | None,
    costs: tuple[int | Fraction, ...] | None,
    clock: Clock,
    max_work: float,
) -> FewestErrors:
    """The answer for rows that are read."""
    search = FewestRows(DistinctRows(pairs, [1] * pairs.n_rows if costs is None else costs), clock, max_work)
    search.run()
    rows = search.problem.all_equal(search.wrong)
    weights = search.weights
    free = rows if costs is None else np.union1d(rows, np.flatnonzero([not cost for cost in costs]))
    stay = np.setdiff1d(np.arange(pairs.n_rows), free)
    if stay.size:
        part = Pairs(pairs.X[stay], pairs.target[stay], len(classes), pairs.fit_intercept)
        weights = simplified(part, Certificate("complete", weights)).weights or weights
    signs = pairs.signs(to_moved(pairs, weights)).reshape(pairs.n_rows, pairs.n_rivals)
    before = np.arange(pairs.n_rivals) < pairs.target[:, None]  # of equal scores the first class is predicted
    errors = int(np.count_nonzero(((signs < 0) | ((signs == 0) & before)).any(axis=1)))
    leads = pairs.leads(to_moved(pairs, weights))[0].reshape(pairs.n_rows, pairs.n_rivals).min(axis=1)
    return FewestErrors(
        lower=search.lower,
        upper=search.upper,
        rows=rows[np.argsort(leads[rows], kind="stable")],
        proof=_lower_bound(search, classes),
        errors=errors,
        classes=classes,
        fit_intercept=pairs.fit_intercept,
        history=tuple(search.history),
        work=search.work,
        seconds=clock.seconds,
        _weights=weights,
        _costs=costs,
        _pairs=pairs,
        _names=names,
        _search=search,
    )


def _lower_bound(search: FewestRows, classes: np.ndarray) -> LowerBound:
    """The tree as far as the bound needs it, with packings of small numbers, and the witnesses that these have."""
    least, first = search.lower, search.problem.first
    nodes, leaves = [search.root], {}
    for node in nodes:  # which grows
        if node.bound < least:
            nodes += node.children
            continue
        rounded = {j: float(Fraction(number) / UNITS) for j, number in node.packing.items()}
        leaves[id(node)] = {j: Fraction(number) / UNITS for j, number in node.packing.items()}
        for units in SIMPLE_UNITS:
            bound, packing = exact_packing(search, node, rounded, units)
            if bound >= least:
                leaves[id(node)] = {j: Fraction(number) / units for j, number in packing.items()}
                break
    used = sorted({j for packing in leaves.values() for j in packing})
    place, number = {id(node): i for i, node in enumerate(nodes)}, {j: i for i, j in enumerate(used)}
    tree: list[Leaf | Branch] = []
    for node in nodes:
        if id(node) in leaves:
            tree.append(Leaf(tuple((number[j], u) for j, u in sorted(leaves[id(node)].items()))))
        else:
            assert node.row is not None
            tree.append(Branch(int(first[node.row]), *(place[id(child)] for child in node.children)))
    part = search.pairs
    witnesses = [make_witness(part, classes, search.witnesses[j].relation) for j in used]
    return LowerBound(tuple(Witness(first[w.rows], w.rivals, w.weights) for w in witnesses), tuple(tree))


def in_words(
    answer: FewestErrors, names: Callable[[list[int]], list[Any]] = list, which: bool = True, least: int = 0
) -> str:
    """How many rows must go, and ``which``, as ``names`` calls rows, all of them at once; else how many other sets of rows would do, too.
    ``least`` is known from elsewhere: 1 where it is proved that classes are not separable."""
    rows, lower, upper = answer.rows.tolist(), max(answer.lower, least), answer.upper

    def first() -> str:
        return ", ".join(map(str, names(rows[:LISTED]))) + (", ..." if len(rows) > LISTED else "")

    if answer._costs is None:
        many, some = f"{upper:,} row{'s' * (upper != 1)} must go", f"between {lower:,} and {upper:,} rows must go"
    else:
        many = f"rows that cost {float(upper):.6g} must go"
        some = f"rows that cost between {float(lower):.6g} and {float(upper):.6g} must go"
    if not answer.solved:
        return f"{some}; without {first()} the rest is separable" if which else some
    if not rows:
        return "no row must go: the classes are completely separable"
    found = answer.alternatives()
    named = found.complete and len(rows) <= FEW and len(found.sets) <= (LISTED if len(rows) == 1 else SETS_NAMED)
    if named and (which or len(found.sets) > 1):
        sorted_sets = [one.tolist() for one in sorted(found.sets, key=list)]
        every = sorted({row for one in sorted_sets for row in one})
        called = dict(zip(every, names(every), strict=True))
        sets = [_joined([called[row] for row in one]) for one in sorted_sets]
        return f"{many} (proved): {(' or ' if len(rows) == 1 else ', or ').join(sets)}"
    others, how_many = len(found.sets) - 1, "" if found.complete else "more than "
    more = (
        f"or one of {how_many}{others} other sets" if others > 1 else "or another set" if others else "and no other set"
    )
    if not found.complete and others == 0:
        return f"{many} (proved), for example {first()}" if which else f"{many} (proved)"
    return f"{many} (proved): {first()}, {more}" if which else f"{many} (proved): these, {more}"


def _joined(items: list[Any]) -> str:
    return str(items[0]) if len(items) == 1 else f"{', '.join(map(str, items[:-1]))} and {items[-1]}"
