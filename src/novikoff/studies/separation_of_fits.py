"""``explain_separation``: has this regression estimates at all?  If not, which run to infinity, and what to do, with lines of code."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any, NamedTuple

from ..proof.answer.describe import LISTED, first_few, proof_sections
from ..proof.answer.proofs import Proof
from ..proof.answer.reasons import ModelNames, Reason, about_reference
from ..proof.answer.separable import separability
from ..report.html import notebook_view
from ..report.sections import Section
from ..report.verdict_sections import VerdictWords, words_for
from ..report.words import some
from .fitted_rows import FittedRows, rows_of_fit

INFINITE = {"+inf": "runs to +infinity", "-inf": "runs to -infinity", "either": "may run to either infinity"}
VERDICTS = {  # of models whose rows are conditions on scores
    "overlap": VerdictWords(
        "estimates exist", "estimates exist", "No direction of the coefficients raises the likelihood without end."
    ),
    "quasi-complete": VerdictWords(
        "some estimates do not exist",
        "some estimates do not exist",
        "Along some direction of the coefficients the likelihood of no row falls and that of some rows rises without end.",
    ),
    "complete": VerdictWords(
        "no estimates exist",
        "no estimates exist",
        "Along some direction of the coefficients the likelihood of every row rises without end.",
    ),
}
LIMIT = {
    "classes": "a fitted probability of 0 or 1",
    "counts": "a fitted mean of 0",
    "ordered": "a fitted probability of 1 for their category",
}
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

    @property
    def coefficients(self) -> dict[str, Any] | None:
        return self.proof.directions

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
        """The rows of the user's data whose fitted probability of their own class goes to 1, or whose fitted mean goes to 0, in order."""
        sides = self.proof.rows
        if sides is None:
            return []
        kept = set(self._rows.places[sides == "boundary"].tolist())
        return [place for place in dict.fromkeys(self._rows.places.tolist()) if place not in kept]

    @property
    def reasons(self) -> list[str]:
        """What single variables separate: levels that have one outcome only, and numbers above which one outcome is and below which the
        other."""
        return self.proof.reasons

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """What to do, where some estimates are not finite."""
        if not self.infinite:
            return ()
        intercept = [rows.model.intercept] if (rows := self._rows).intercept else []
        columns = [name for name in self.infinite if name not in intercept]
        if rows.family != "classes":
            return remedies_of_cones(self.proof._reasons, rows.model, columns, rows.family)
        two_classes = len(self.proof.classes) == 2
        return remedies(self.proof._reasons, rows.model, columns, rows.code, rows.intercept, two_classes)

    @property
    def _words(self) -> VerdictWords:
        words = words_for(self.kind, self.separable)
        return words if self._rows.family == "classes" else VERDICTS.get(self.kind or "", words)

    def __repr__(self) -> str:
        return f"SeparationOfFit(kind={self.kind!r}, infinite={self.infinite})"

    def __str__(self) -> str:
        words = self._words
        lines = [
            f"{self._rows.fitted} of {self._rows.response}: {words.line}",
            *(f"  {each}" for each in re.split(r"(?<=\.) ", words.sentence)),
            *self._consequences(),
        ]
        lines += [
            line
            for reason in self._why()
            for line in wrap(reason, WIDTH, initial_indent="  ", subsequent_indent="    ")
        ]
        for remedy in self.remedies:
            lines += wrap(f"{remedy.name}: {remedy.why}", WIDTH, initial_indent="  ", subsequent_indent="    ")
            lines += [f"      {line}" for line in remedy.code.splitlines()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        words = self._words
        said = [line.strip() for line in self._consequences()]
        first = Section(
            f"{self._rows.fitted} of {self._rows.response}: {words.line}",
            [words.sentence, *said, *self._why()],
        )
        todo = [
            Section(f"Remedy: {remedy.name}", [remedy.why], commands=remedy.code.splitlines())
            for remedy in self.remedies
        ]
        return notebook_view([first, *todo, *proof_sections(self.proof, reasons=False)[1:]])

    def _consequences(self) -> list[str]:
        if self.coefficients is None:
            return [
                "  Which estimates are finite is not known: allow more time with time_limit=..., or leave columns out."
            ]
        if not self.infinite:
            aliased = [name for name, limit in self.coefficients.items() if limit == "aliased"]
            without = f", except for {first_few(aliased)}, which other columns determine (aliased)" if aliased else ""
            return [f"  All maximum likelihood estimates are finite{without}."]
        lines = [f"  coefficient of {name}: {_where(limit)}" for name, limit in list(self.infinite.items())[:LISTED]]
        if len(self.infinite) > LISTED:
            lines.append(f"  and {some(len(self.infinite) - LISTED, 'more coefficient')}")
        if self.rows:
            count = "1 row gets" if len(self.rows) == 1 else f"{len(self.rows)} rows get"
            several = self._rows.family == "classes" and len(self.proof.classes) > 2
            limit = "a fitted probability of 1 for their class" if several else LIMIT[self._rows.family]
            lines.append(f"  In the limit {count} {limit}: {first_few(self.rows)}")
        if self.penalised:
            lines.append(
                "  This fit has a penalty, so its estimates are finite; the penalty, not the data, decides how large these are."
            )
        else:
            lines.append(
                "  The estimates that the program reports for these only show where it stopped; their standard errors mean nothing."
            )
        return lines

    def _why(self) -> list[str]:
        """The first reasons; or that it takes several variables."""
        found = [f"{reason[0].upper()}{reason[1:]}." for reason in self.reasons[:LISTED]]
        left = len(self.reasons) - LISTED
        if not found and self.infinite and self._rows.family != "ordered":
            return ["No single variable separates these rows: it takes several together."]
        return found + [f"And {left} more such {'fact' if left == 1 else 'facts'}: reasons lists them."] * (left > 0)


def _where(limit: Any) -> str:
    if isinstance(limit, dict):
        return "; ".join(f"for {label} {INFINITE[where]}" for label, where in limit.items())
    return INFINITE[limit]


def explain_separation(
    result: Any, X: Any = None, y: Any = None, *, sample_weight: Any = None, time_limit: float | None = None
) -> SeparationOfFit:
    """Say whether a regression of classes, counts or ordered categories has estimates, with proof, and what to do if not.

    Parameters
    ----------
    result : result or model of statsmodels, or fitted classifier of scikit-learn
        Of statsmodels ``Logit``, ``Probit``, ``MNLogit``, ``Poisson``, ``NegativeBinomial`` (its dispersion held fixed), ``OrderedModel`` (logit or
        probit), or ``GLM`` with a ``Binomial`` family (also of counts), or a ``Poisson`` or ``NegativeBinomial`` family with log link, from formulas
        or arrays, fitted or not yet.  Of scikit-learn a ``LogisticRegression`` or another fit with ``coef_`` and
        ``predict_proba``, or a pipeline that ends in one.
    X : array-like or data frame, default=None
        The rows of a scikit-learn fit, which does not keep them; a pipeline transforms them first.
    y : array-like, default=None
        Their labels.
    sample_weight : array-like, default=None
        The weights of the rows of a scikit-learn fit, if it had any: rows of weight 0 do not count.  Results of statsmodels have
        their own.
    time_limit : float, default=None
        As in ``separability``.

    Returns
    -------
    SeparationOfFit
        ``kind``: "complete", "quasi-complete", "overlap" or None (undecided), proved; ``proof``: the proof, of the model matrix without its
        constant column, where a row of successes and failures is both; for counts, a row above 0 is a row of either label; for ordered categories a row stands
        on either side of its thresholds, which are columns.  ``coefficients``: what becomes of each, by its name,
        the intercept included, as ``separability`` says: "+inf", "-inf", "finite", "either" or "aliased"; ``infinite``: those that
        are not finite.  ``rows``: the rows (as the data frame numbers them) whose fitted probability of their own class goes to 1, or
        whose fitted mean goes to 0.  ``reasons``: which
        levels have only one label, or above which number all rows have one label and below which the other.  ``remedies``: what to do, each with lines of code.  ``penalised``:
        whether the fit had a penalty.  ``print`` shows all of it.

    References
    ----------
    A. Albert, J. A. Anderson, On the existence of maximum likelihood estimates in logistic regression models, Biometrika 71,
    1984.  M. J. Silvapulle, On the existence of maximum likelihood estimators for the binomial response models, Journal of the
    Royal Statistical Society B 43, 1981.  S. Correia, P. Guimaraes, T. Zylkin, Verifying the existence of maximum likelihood estimates for
    generalized linear models, 2019.

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
    rows = rows_of_fit(result, X, y, sample_weight)
    if rows.X.shape[1] == 0:
        raise ValueError("This model has no columns except the intercept: there is nothing to separate rows by.")
    proof = separability(rows.X, rows.y, fit_intercept=rows.intercept, time_limit=time_limit, feature_names=rows.names)
    return SeparationOfFit(replace(proof, _model=rows.model), rows)


PENALTIES = [0.01, 0.1, 1, 10, 100]  # to choose from


class Remedy(NamedTuple):
    """One way out."""

    name: str
    why: str
    code: str


def remedies(
    reasons: list[Reason], model: ModelNames, columns: list[str], code: str, intercept: bool, two_classes: bool
) -> tuple[Remedy, ...]:
    """What helps where the coefficients of these columns run to infinity for these reasons.  ``code``: Python for X and y; "" where rows
    are counts or have weights."""
    column = columns[0] if columns else "the column"
    choice = "" if intercept else "fit_intercept=False"
    found = _about_columns(
        "Is a column a consequence of the response, or a rare level of a factor? Then leave it out or merge levels, and "
        "say so. But do not drop a strong predictor only because it separates.",
        reasons,
        model,
        column,
    )
    if two_classes:
        python = f"from firthmodels import FirthLogisticRegression  # pip install firthmodels\nFirthLogisticRegression({choice}).fit({code})"
        found.append(
            Remedy(
                "Firth",
                "Bias-reduced estimates (Firth 1993) are finite whatever the data; intervals by profile likelihood (Heinze and "
                "Schemper 2002).",
                python
                if code
                else 'glm(cbind(successes, failures) ~ ..., family = binomial, method = "brglmFit")  # R, library(brglm2)',
            )
        )
    if code:
        found.append(
            Remedy(
                "penalise",
                "A penalty makes all estimates finite. They then depend on its size, chosen by cross-validation, and on the scale "
                "of the columns.",
                "from sklearn.model_selection import GridSearchCV\n"
                "from novikoff import LogisticNeuron\n"
                f'search = GridSearchCV(LogisticNeuron({choice}), {{"l2": {PENALTIES}}}, scoring="neg_log_loss")\n'
                f"search.fit({code}).best_estimator_",
            )
        )
    if two_classes:
        found.append(
            Remedy(
                "exact",
                "Exact conditional inference (Mehta and Patel 1995) needs no estimate; for few rows, and columns of few values.",
                f"proc logistic; model y(event='1') = ...; exact {sas_effect(column if not reasons else reasons[0].variable)} / estimate=both; run;  /* SAS */",
            )
        )
    return tuple(found)


def remedies_of_cones(reasons: list[Reason], model: ModelNames, columns: list[str], family: str) -> tuple[Remedy, ...]:
    """The same for models of counts and of ordered categories."""
    found = _about_columns(
        "Is a level of a factor rare, or a column a consequence of the response? Then merge levels or leave the column out, and say so.",
        reasons,
        model,
        columns[0] if columns else "the column",
    )
    if family == "counts":
        found.append(
            Remedy(
                "drop",
                "Without the rows whose fitted mean goes to 0, all other estimates are the same, and exist (Correia, Guimaraes and Zylkin 2019). "
                "Leave these rows out, and the columns that then depend on others.",
                "data.drop(explain_separation(result).rows)",
            )
        )
        bias, why = (
            'glm(..., family = poisson, method = "brglmFit")  # R, library(brglm2)',
            "Firth 1993; Kosmidis and Firth 2009",
        )
    else:
        found.append(
            Remedy(
                "merge categories",
                "Neighbouring categories that the columns tell apart may be merged: fewer thresholds have to be estimated.",
                "# the model with two neighbouring categories as one",
            )
        )
        bias, why = (
            "# R code accompanies I. Kosmidis, Improved estimation in cumulative link models, 2014",
            "Kosmidis 2014",
        )
    found.append(Remedy("bias reduction", f"Bias-reduced estimates ({why}) are finite.", bias))
    return tuple(found)


def _about_columns(question: str, reasons: list[Reason], model: ModelNames, column: str) -> list[Remedy]:
    """What to look at first, and which levels of factors to compare others with."""
    code = _without(reasons[0]) if reasons else f"# the model without {column}"
    about = [advice for reason in reasons if (advice := about_reference(reason, model)) is not None]
    return [Remedy("look", question, code), *(Remedy("relevel", why, how) for why, how in about)]


def _without(reason: Reason) -> str:
    """The model without what separates."""
    without = f"# the model without {reason.variable.replace(' = ', ', ')}"
    if reason.other is None:
        return without
    factor, merged = repr(reason.variable), f"{{{reason.level!r}: {reason.other!r}}}"
    return f"{without}, or with levels merged: data[{factor}] = data[{factor}].replace({merged})"


def sas_effect(column: str) -> str:
    """The effect that a column of a formula belongs to, as SAS writes it: ``drug[T.B]`` is of ``drug``, ``a:b`` is ``a*b``."""
    column = column.split(" = ")[0]  # of several columns the first
    factors = (re.sub(r"^C\((\w+).*\)$", r"\1", re.sub(r"\[[^]]*\]$", "", part)) for part in column.split(":"))
    return "*".join(factors)
