"""``explain_separation``: has this logistic regression estimates at all?  If not, which run to infinity, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap
from typing import Any

import numpy as np

from ..inputs.notebook_view import notebook_view
from ..inputs.sections import Section
from ..proof.answer.proof_sections import proof_sections
from ..proof.answer.proofs import Proof
from ..proof.answer.separable import separability
from ..proof.answer.verdict_sentences import words_for
from .fitted_rows import FittedRows, rows_of_fit
from .separation_remedies import Remedy, remedies

INFINITE = {"+inf": "runs to +infinity", "-inf": "runs to -infinity", "either": "may run to either infinity"}
LISTED = 8  # rows or columns
WIDTH = 120


@dataclass(frozen=True, repr=False)
class SeparationOfFit:
    """What separation does to a logistic regression.  Made by ``explain_separation``, which describes it."""

    proof: Proof
    _rows: FittedRows

    @property
    def kind(self) -> str | None:
        return self.proof.kind

    @property
    def separable(self) -> bool | None:
        return self.proof.separable

    @property
    def penalised(self) -> bool:
        return self._rows.penalised

    @cached_property
    def coefficients(self) -> dict[str, Any] | None:
        found = self.proof.directions
        if found is None or self._rows.intercept is None:
            return found
        return {self._rows.intercept: self._intercept_limit(found), **found}

    def _intercept_limit(self, found: dict[str, Any]) -> Any:
        """What becomes of the intercept: that of a column of ones, beside the columns that are no combinations of others."""
        classes = self.proof.classes.tolist()[1:]
        if self.kind == "overlap":
            return "finite" if len(classes) == 1 else dict.fromkeys(classes, "finite")
        aliased = [
            limit == "aliased" or (isinstance(limit, dict) and "aliased" in limit.values()) for limit in found.values()
        ]
        columns = np.column_stack([np.ones(len(self._rows.X)), self._rows.X[:, ~np.array(aliased)]])
        ones = separability(columns, self._rows.y, fit_intercept=False, time_limit=self.proof.time_limit).directions
        return None if ones is None else ones["x0"]

    @property
    def infinite(self) -> dict[str, Any]:
        """The coefficients that have no finite estimate, and where they go."""
        found = {}
        for name, limit in (self.coefficients or {}).items():
            if isinstance(limit, dict):
                endless: Any = {label: where for label, where in limit.items() if where in INFINITE}
            else:
                endless = limit if limit in INFINITE else None
            if endless:
                found[name] = endless
        return found

    @property
    def rows(self) -> list[Any]:
        """The rows of the user's data whose fitted probabilities go to 0 or 1, in order."""
        sides = self.proof.rows
        if sides is None:
            return []
        kept = set(self._rows.places[sides == "boundary"].tolist())
        return [place for place in dict.fromkeys(self._rows.places.tolist()) if place not in kept]

    @property
    def reasons(self) -> list[str]:
        """For columns of 0 and 1 that run to infinity: that all rows with 1 have the same label, where they do."""
        found = []
        for name in self.infinite:
            if name not in self._rows.names:
                continue
            column = self._rows.X[:, self._rows.names.index(name)]
            if not np.isin(column, (0, 1)).all():
                continue
            for value in (1, 0):
                labels = np.unique(self._rows.y[column == value])
                if labels.size == 1:
                    count = len(set(self._rows.places[column == value].tolist()))
                    every = f"all {count} rows" if count > 1 else "the only row"
                    found.append(
                        f"{every} with {name} = {value} ha{'ve' if count > 1 else 's'} {self._rows.response} = {labels[0]}"
                    )
                    break
        return found

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """What to do, where some estimates are not finite."""
        if not self.infinite:
            return ()
        columns = [name for name in self.infinite if name != self._rows.intercept]
        rows = self._rows
        return remedies(columns, rows.code, rows.intercept is not None, len(self.proof.classes) == 2)

    def __repr__(self) -> str:
        return f"SeparationOfFit(kind={self.kind!r}, infinite={self.infinite})"

    def __str__(self) -> str:
        words = words_for(self.kind, self.separable)
        lines = [
            f"{self._rows.model} of {self._rows.response}: {words.line}",
            f"  {words.sentence}",
            *self._consequences(),
        ]
        lines += [f"  {reason}" for reason in self.reasons[:LISTED]]
        for remedy in self.remedies:
            lines += wrap(f"{remedy.name}: {remedy.why}", WIDTH, initial_indent="  ", subsequent_indent="    ")
            lines += [f"      {line}" for line in remedy.code.splitlines()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        words = words_for(self.kind, self.separable)
        said = [line.strip() for line in self._consequences()]
        first = Section(
            f"{self._rows.model} of {self._rows.response}: {words.line}",
            [words.sentence, *said, *self.reasons[:LISTED]],
        )
        todo = [
            Section(f"Remedy: {remedy.name}", [remedy.why], commands=remedy.code.splitlines())
            for remedy in self.remedies
        ]
        return notebook_view([first, *todo, *proof_sections(self.proof)[1:]])

    def _consequences(self) -> list[str]:
        if self.coefficients is None:
            return ["  What becomes of each coefficient is not settled: allow more time, or fewer columns."]
        if not self.infinite:
            aliased = [name for name, limit in self.coefficients.items() if limit == "aliased"]
            without = (
                f"; {_few(aliased)} {'is' if len(aliased) == 1 else 'are'} determined by other columns"
                if aliased
                else ""
            )
            return [f"  All maximum likelihood estimates are finite{without}."]
        lines = [f"  coefficient of {name}: {_where(limit)}" for name, limit in list(self.infinite.items())[:LISTED]]
        if len(self.infinite) > LISTED:
            lines.append(f"  and {len(self.infinite) - LISTED} more coefficients")
        if self.rows:
            lines.append(f"  {len(self.rows)} rows get a fitted probability of 0 or 1 in the limit: {_few(self.rows)}")
        if self.penalised:
            lines.append(
                "  This fit is penalised, so its estimates are finite; how large they are is decided by the penalty, not by the data."
            )
        else:
            lines.append(
                "  What the program reports for these is where it stopped; their standard errors mean nothing."
            )
        return lines


def _few(items: list[Any]) -> str:
    return ", ".join(map(str, items[:LISTED])) + (", ..." if len(items) > LISTED else "")


def _where(limit: Any) -> str:
    if isinstance(limit, dict):
        return "; ".join(f"for {label} {INFINITE[where]}" for label, where in limit.items())
    return INFINITE[limit]


def explain_separation(
    result: Any, X: Any = None, y: Any = None, *, time_limit: float | None = None
) -> SeparationOfFit:
    """Say whether a logistic regression has estimates, with proof, and what to do if not.

    Parameters
    ----------
    result : result or model of statsmodels, or fitted classifier of scikit-learn
        Of statsmodels ``Logit``, ``Probit``, ``MNLogit`` or ``GLM`` with a ``Binomial`` family (also of counts), from formulas
        or arrays, fitted or not yet.  Of scikit-learn a ``LogisticRegression`` or another fit with ``coef_`` and
        ``predict_proba``, or a pipeline that ends in one.
    X : array-like or data frame, default=None
        The rows of a scikit-learn fit, which does not keep them; a pipeline transforms them first.
    y : array-like, default=None
        Their labels.
    time_limit : float, default=None
        As in ``separability``.

    Returns
    -------
    SeparationOfFit
        ``kind``: "complete", "quasi-complete", "overlap" or None (undecided), proved; ``proof``: the proof, of the model matrix without its
        constant column, where a row of counts is a success and a failure.  ``coefficients``: what becomes of each, by its name,
        the intercept included, as ``separability`` says: "+inf", "-inf", "finite", "either" or "aliased"; ``infinite``: those that
        are not finite.  ``rows``: the rows (as the data frame numbers them) whose fitted probabilities go to 0 or 1.  ``reasons``: which
        columns of 0 and 1 have only one label.  ``remedies``: what to do, each with lines of code.  ``penalised``:
        whether the fit had a penalty.  ``print`` shows all of it.

    References
    ----------
    A. Albert, J. A. Anderson, On the existence of maximum likelihood estimates in logistic regression models, Biometrika 71,
    1984.  M. J. Silvapulle, On the existence of maximum likelihood estimators for the binomial response models, Journal of the
    Royal Statistical Society B 43, 1981.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from novikoff import explain_separation
    >>> X, y = [[1.0], [2.0], [3.0], [3.0], [4.0]], [0, 0, 0, 1, 1]
    >>> found = explain_separation(LogisticRegression(C=np.inf).fit(X, y), X, y)
    >>> found.kind, found.infinite, found.rows
    ('quasi-complete', {'intercept': '-inf', 'x0': '+inf'}, [0, 1, 4])
    """
    rows = rows_of_fit(result, X, y)
    if rows.X.shape[1] == 0:
        raise ValueError("This model has no columns but the intercept: there is nothing to separate by.")
    proof = separability(
        rows.X, rows.y, fit_intercept=rows.intercept is not None, time_limit=time_limit, feature_names=rows.names
    )
    return SeparationOfFit(proof, rows)
