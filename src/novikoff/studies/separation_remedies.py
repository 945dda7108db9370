"""What to do when a logistic regression has no estimates: each remedy with lines of code."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..proof.answer.reasons import ModelNames, Reason, about_reference

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
    found = [
        Remedy(
            "look",
            "Is a column a consequence of the response, or a rare level of a factor? Then leave it out or merge levels, and "
            "say so. But do not drop a strong predictor only because it separates.",
            _look(reasons[0]) if reasons else f"# the model without {column}",
        )
    ]
    about = [advice for reason in reasons if (advice := about_reference(reason, model)) is not None]
    found += [Remedy("relevel", why, how) for why, how in about]
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
    column = columns[0] if columns else "the column"
    found = [
        Remedy(
            "look",
            "Is a level of a factor rare, or a column a consequence of the response? Then merge levels or leave the column out, and say so.",
            _look(reasons[0]) if reasons else f"# the model without {column}",
        )
    ]
    about = [advice for reason in reasons if (advice := about_reference(reason, model)) is not None]
    found += [Remedy("relevel", why, how) for why, how in about]
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


def _look(reason: Reason) -> str:
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
