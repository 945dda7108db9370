"""A cycle of the perceptron as a proof that no weights separate the classes.

On data that are not separable the weights of a cyclic perceptron come back to where they were, if the arithmetic is
exact.  The steps in between add up to zero: sum_i g_i (x_i, c) = 0.  With two classes g_i = lambda_i y_i, lambda_i >= 0,
not all zero; had some w, b separated the rows, then 0 = sum_i lambda_i y_i (w.x_i + b) > 0.  So the per-row counts are a
proof, provided that the sum is exactly zero: they are a witness, checked as any other (``certificate.py``) and never assumed.
What is proved is "not complete"; whether classes overlap or are quasi-complete, a cycle does not say.

One against the rest (``multiclass="ovr"``) each output is a two-class problem, and a cycle proves no more than that its class
cannot be separated from all others together.  Where all rivals lose at once (``multiclass="all"``) a row's steps are no sum
of (row, rival) pairs, and weights may cycle on classes that are separable: x = -2, 0, 3, -3, 2, a class each.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from ...report.html import notebook_view
from ...report.sections import NOTEBOOK, Section, Table, shortened
from ...report.words import listed

if TYPE_CHECKING:
    from .certificate import Witness

MOST_PRODUCTS = 20_000_000  # of whole numbers, about ten seconds
ONE_AND_REST = np.array([False, True])  # the classes of one class against all others


@dataclass(frozen=True)
class Cycle:
    """A cycle: the weights of a fit returned to earlier values.

    ``rows``: numbers of the rows with mistakes in the cycle.  ``steps``: what each of them added to the weights of
    each output, as multiples of the row, shape (rows, outputs).  ``proves_inseparable``: whether these steps add up to
    exactly zero and thereby prove that no weights separate the classes (with ``fit_intercept=False``: no weights without
    an intercept).  ``against_rest``: with ``multiclass="ovr"``, numbers of the classes that are proved not to be separable from
    all others together; all classes at once may still be separable.  The proof is about the training rows as they were used,
    in float64 or float32.  False, or no class, means that nothing was proved: sums were rounded or too long to
    check, X had numbers that float64 cannot hold, or ``multiclass="all"`` was used, which never gives a proof.

    ``witness`` is the proof, as ``separability`` has it; ``save`` writes it as a certificate.
    """

    rows: np.ndarray
    steps: np.ndarray
    proves_inseparable: bool
    against_rest: np.ndarray
    classes: np.ndarray
    fit_intercept: bool

    @property
    def witness(self) -> Witness | None:
        """Rows and weights that prove that no weights separate the classes; None if that is not proved."""
        return _witness(self.rows, self.steps, self.classes) if self.proves_inseparable else None

    def witness_against_rest(self, label: Any) -> Witness | None:
        """The same of one class, with the label ``True``, and all others; None if that is not proved."""
        place = self._place(label)
        if place is None:
            return None
        taking = np.flatnonzero(self.steps[:, place])
        return _witness(self.rows[taking], self.steps[taking][:, [place]], ONE_AND_REST)

    def save(self, path: str | PathLike[str], *, against_rest: Any = None) -> None:
        """Write what the cycle proves as a certificate, a JSON file.

        ``novikoff.check_certificate`` and ``plain.py`` check it (docs/trust.md).

        Parameters
        ----------
        path : path
            The file.
        against_rest : label, default=None
            With ``multiclass="ovr"``: which class is proved not to be separable from all others.  The certificate is then about
            the labels ``y == against_rest``.
        """
        from .written import document, witness_entries, write  # with exact arithmetic, which most fits do without

        all_classes, place = against_rest is None, self._place(against_rest)
        witness = self.witness if all_classes else self.witness_against_rest(against_rest)
        if witness is None:
            raise ValueError(self._why_not(against_rest))
        steps = self.steps if place is None else self.steps[:, [place]]
        own = np.zeros(int(self.rows.max()) + 1, dtype=np.intp)  # the class number of every row that took a step
        own[self.rows] = _class_of_steps(steps)
        classes = self.classes if all_classes else ONE_AND_REST
        claims = [{"claim": "not complete", "witness": witness_entries(witness, classes, own)}]
        write(path, document(classes, self.fit_intercept, None, claims))

    def _repr_html_(self) -> str:
        own = list(map(str, self.classes.tolist())) if self.steps.shape[1] > 1 else [""]
        rows = [
            [str(row), *(f"{step:.6g}" for step in steps)]
            for row, steps in zip(self.rows.tolist(), self.steps.tolist(), strict=True)
        ]
        heads = ["row", *(f"steps of {name}" if name else "steps" for name in own)]
        more, table = shortened(Table(heads, rows, "l" + "r" * len(own)), NOTEBOOK.rows, "row")
        line = "These steps bring the weights back to where they were."
        if self.proves_inseparable:
            line += " They add up to exactly zero: no weights separate the classes."
        elif self.against_rest.size:
            line += f" They prove that no weights separate from all others together: {listed(self.classes[self.against_rest].tolist())}."
        return notebook_view([Section("A cycle of the perceptron", [line], [table], more)])

    def _place(self, label: Any) -> int | None:
        """The number of a class that is proved not to be separable from all others."""
        return next((k for k in self.against_rest.tolist() if self.classes[k] == label), None)

    def _why_not(self, label: Any) -> str:
        found = self.classes[self.against_rest].tolist()
        if label is None and found:
            return f"This cycle only proves something about one class and all others: name the class with against_rest, one of {found}."
        what = "the classes" if label is None else f"class {label!r} and all others"
        return f"This cycle does not prove that {what} are inseparable, so there is nothing to save: use separability(X, y)."


def read_cycle(
    tally: np.ndarray,
    X: Any,
    target: np.ndarray,
    form: str,
    fit_intercept: bool,
    classes: np.ndarray | None = None,
) -> Cycle:
    """Make a ``Cycle`` of each row's added steps, checking in exact arithmetic what it proves; ``classes`` are labels, numbers if
    None."""
    rows = np.flatnonzero(np.any(tally != 0, axis=1))
    steps = tally[rows]
    labels = np.arange(max(2, tally.shape[1])) if classes is None else classes
    proves, against_rest = False, []
    if rows.size == 0 or _too_many(steps, X) or not _finite(X[rows]):  # steps too small to move anything prove nothing
        pass
    elif form == "binary":
        proves = _proved(steps, X[rows], target[rows], labels, fit_intercept)
    elif form == "ovr":
        for k in range(steps.shape[1]):
            taking = np.flatnonzero(steps[:, k])
            own = (target[rows[taking]] == k).astype(np.intp)
            if taking.size and _proved(steps[taking][:, [k]], X[rows[taking]], own, ONE_AND_REST, fit_intercept):
                against_rest.append(k)
    elif all(sum(_integers(row[row != 0])) == 0 for row in steps):  # what a row's class gains is what its rivals lose
        proves = _proved(steps, X[rows], target[rows], labels, fit_intercept)
    return Cycle(rows, steps, proves, np.array(against_rest, dtype=np.int64), labels, fit_intercept)


def _proved(steps: np.ndarray, X: Any, target: np.ndarray, classes: np.ndarray, fit_intercept: bool) -> bool:
    """Whether the steps of these rows are a witness."""
    from ..problem.pairs import Pairs  # with exact arithmetic, which most fits do without
    from ..problem.read_rows import one_entry_each  # likewise
    from .certificate import Certificate  # likewise

    if not np.array_equal(_class_of_steps(steps), target):
        return False
    pairs = Pairs(one_entry_each(X), target.astype(np.intp), len(classes), fit_intercept)
    numbers = np.arange(len(classes))
    return bool(Certificate(None, witness=_witness(np.arange(len(steps)), steps, numbers)).holds(pairs, numbers))


def _class_of_steps(steps: np.ndarray) -> np.ndarray:
    """The class that each row's steps speak for; -1 where they are not those of mistakes."""
    if steps.shape[1] == 1:
        return (steps[:, 0] > 0).astype(np.intp)
    one = (steps > 0).sum(axis=1) == 1
    return np.where(one, np.argmax(steps, axis=1), -1)


def _witness(rows: np.ndarray, steps: np.ndarray, classes: np.ndarray) -> Witness:
    """The pairs (row, rival) that steps are sums of: of Kesler's construction, what each rival loses."""
    from .certificate import Witness  # with exact arithmetic, which most fits do without

    if steps.shape[1] == 1:
        return Witness(rows, None, tuple(Fraction(abs(step)) for step in steps[:, 0].tolist()))
    places, rivals = np.nonzero(steps < 0)
    return Witness(rows[places], classes[rivals], tuple(map(Fraction, (-steps[places, rivals]).tolist())))


def goes_round(tally: np.ndarray, X: Any, fit_intercept: bool) -> bool:
    """Whether these steps, added up, change all classes alike, exactly: a cycle but for what is common to them."""
    rows = np.flatnonzero(np.any(tally != 0, axis=1))
    steps = tally[rows]
    return not _too_many(steps, X) and _finite(X[rows]) and _adds_up_alike(steps, X, rows, fit_intercept)


def _finite(X: Any) -> bool:
    return bool(np.isfinite(X.data if sparse.issparse(X) else X).all())


def _too_many(steps: np.ndarray, X: Any) -> bool:
    return np.count_nonzero(steps) * X.shape[1] > MOST_PRODUCTS


def _adds_up_alike(steps: np.ndarray, X: Any, rows: np.ndarray, fit_intercept: bool) -> bool:
    """Whether sum_i steps[i, k] (x_i, 1) is exactly the same for every output k."""
    whole = np.array(_integers(steps.ravel()), dtype=object).reshape(steps.shape)
    whole = whole - whole[:, :1]
    for k in range(steps.shape[1]):
        taking = np.flatnonzero(whole[:, k])
        weights = whole[taking, k].tolist()
        if fit_intercept and sum(weights) != 0:
            return False
        chosen = X[rows[taking]]
        columns = sparse.csc_array(chosen) if sparse.issparse(chosen) else chosen
        for j in range(chosen.shape[1]):
            if sparse.issparse(columns):
                part = slice(columns.indptr[j], columns.indptr[j + 1])
                values, partners = columns.data[part], [weights[i] for i in columns.indices[part]]
            else:
                values, partners = columns[:, j], weights
            if sum(w * v for w, v in zip(partners, _integers(values), strict=True)) != 0:
                return False
    return True


def _integers(values: np.ndarray) -> list[int]:
    """Floats times one common power of two, so that all of them are whole."""
    mantissas, exponents = np.frexp(values.astype(np.float64))
    whole = (mantissas * 2.0**53).astype(np.int64).tolist()
    shifts = exponents - exponents.min(initial=0)
    return [m << int(s) for m, s in zip(whole, shifts.tolist(), strict=True)]
