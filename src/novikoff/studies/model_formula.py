"""``separability_from_formula``: the question of ``separability`` for the columns that a formula makes of a data frame."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..proof.answer.proofs import Proof
from ..proof.answer.reasons import ModelNames, Variable
from ..proof.answer.separable import separability
from ..report.words import installing
from .likelihood_cones import FAMILIES, Cone, ordered_cone, poisson_cone, trials_cone

INTERCEPT = "Intercept"  # what formulaic calls it
RELEVEL = "C({factor}, contr.treatment(base={level!r}))"  # as formulaic writes it
AS_FACTOR = re.compile(r"C\(\s*(\w+|`[^`]+`)\s*(?:,.*)?\)")
RANDOM_EFFECT = re.compile(r"(?<![\w.])\([^()|]*\|\|?([^()|]*)\)")  # (1 | g) of lme4
COUNTS = re.compile(r"\s*cbind\((.*),(.*)\)\s*~(.*)")
ESCAPES = re.compile(r"\x1b\[[0-9;]*m|[⧛⧚]")  # with which formulaic colours a part of a formula


def separability_from_formula(
    formula: str,
    data: Any,
    *,
    family: str | None = None,
    max_margin: bool = False,
    time_limit: float | None = None,
) -> Proof:
    """Tell whether the classes of a model formula are linearly separable, and prove it: ``separability`` with a formula.

    Factors become indicators of their levels, compared with the first (treatment coding), and ``directions`` names levels and
    interactions as the columns of the model matrix are named, such as ``C(g)[T.b]`` and ``a:C(g)[T.b]``.  So the verdict is about the model
    that a logistic regression with this formula fits.  Needs formulaic: ``pip install ".[formula]"`` in a copy of the
    repository.

    Parameters
    ----------
    formula : str
        The response, ``~``, and the terms: ``"y ~ a*b + C(g)"``.  All other columns: ``"y ~ ."``.  Without an intercept:
        ``"y ~ a - 1"``.  An offset, ``offset(x)``, changes no answer.  Random effects are refused.
    data : data frame
        The table (pandas).  Missing values in a column that is used are an error, so that row numbers are those of the table.
    family : {"binomial", "poisson", "negative binomial", "multinomial", "ordered"}, default=None
        The model whose estimates are asked about (log link of counts; negative binomial at fixed dispersion; cumulative logit or probit of ordered categories).  "binomial" also takes counts,
        ``cbind(successes, failures) ~ ...``.  None: a model of classes; of an ordered factor (an ordered categorical of pandas) with three levels or more, "ordered".
    max_margin : bool, default=False
        As in ``separability``.
    time_limit : float, default=None
        As in ``separability``.

    Returns
    -------
    Proof
        As from ``separability``.  To verify it elsewhere, use the model matrix that the formula makes.  Estimates exist exactly if ``kind`` is
        "overlap"; ``directions`` says which do not.  For counts and ordered categories a row whose score must be 0, or lies between two thresholds, is
        two rows: row numbers are those of the table first, and the second ones follow.  Thresholds are columns, such as ``low/high``.

    Examples
    --------
    >>> import pandas as pd
    >>> from novikoff import separability_from_formula
    >>> table = pd.DataFrame({"dose": [1, 2, 3, 4, 5, 6], "sex": list("mfmfmf"), "died": list("nnnyyy")})
    >>> separability_from_formula("died ~ dose + sex", table).kind  # doctest: +SKIP
    'complete'
    """
    if family is not None and family not in FAMILIES:
        raise ValueError(f"family is one of {', '.join(FAMILIES)}, or None; got {family!r}.")
    counts = COUNTS.match(formula) if family == "binomial" and isinstance(formula, str) else None
    if counts is not None:
        formula = f"{' + '.join(_written(part) for part in counts.groups()[:2])} ~ {counts[3].replace('^', '**')}"
    found = model_columns(
        formula, data, any_response=family not in (None, "multinomial") and (family != "binomial" or counts is not None)
    )
    levels = _ordered_levels(data, found.response, family)
    if counts is not None or levels is not None or family in ("poisson", "negative binomial"):
        cone = _cone(found, counts is not None, levels, data)
        proof = separability(
            cone.X,
            cone.y,
            fit_intercept=cone.intercept,
            max_margin=max_margin,
            time_limit=time_limit,
            feature_names=cone.names,
        )
        terms = partial(model_terms, found.spec, data.iloc[cone.places], cone.X, cone.names)
        if levels is not None:
            terms = partial(iter, ())  # rows of thresholds have no outcome that a variable could explain
        names = ModelNames(INTERCEPT, cone.outcomes, terms, places=cone.places, relevel=RELEVEL)
        regression = "model of ordered categories" if levels is not None else f"{family} regression"
        return replace(proof, _model=names._replace(regression=regression))
    proof = separability(
        found.X,
        found.y,
        fit_intercept=found.intercept,
        max_margin=max_margin,
        time_limit=time_limit,
        feature_names=found.names,
    )
    outcomes = tuple(f"{found.response} = {label}" for label in proof.classes)
    terms = partial(model_terms, found.spec, data, found.X, found.names)
    return replace(proof, _model=ModelNames(INTERCEPT, outcomes, terms, relevel=RELEVEL))


def _written(part: str) -> str:
    """A part of ``cbind`` as formulaic reads it."""
    return part.strip() if part.strip().isidentifier() else f"I({part.strip()})"


def _ordered_levels(data: Any, response: str, family: str | None) -> list[Any] | None:
    """The categories of an ordered model, in order; None of another model."""
    values = data.get(response)
    ordered = bool(getattr(getattr(values, "dtype", None), "ordered", False))
    if ordered and family in (None, "ordered"):
        levels = list(values.cat.categories)
        return levels if family == "ordered" or values.nunique() > 2 else None
    if family != "ordered":
        return None
    if values is None or values.dtype.kind not in "iufb":
        raise ValueError(
            f'The order of the categories of {response!r} is not known: make it an ordered categorical, data["{response}"] = '
            f'pd.Categorical(data["{response}"], ["low", "high"], ordered=True), with the categories in their order, or numbers.'
        )
    return sorted(values.unique().tolist())


def _cone(found: ModelColumns, is_trials: bool, levels: list[Any] | None, data: Any) -> Cone:
    if levels is not None:
        codes = np.array([levels.index(value) for value in data[found.response].tolist()])
        return ordered_cone(found.X, found.names, codes, levels, found.response)
    values = np.asarray(found.y, dtype=float)
    if is_trials:
        if values.shape[1:] != (2,):
            raise ValueError("cbind needs two columns of counts that are not the same: successes, failures.")
        return trials_cone(found.X, found.names, found.intercept, values[:, 0], values[:, 1], found.response)
    if values.ndim != 1:
        raise ValueError(f"{found.response} must be one column of counts.")
    return poisson_cone(found.X, found.names, found.intercept, values, found.response)


class ModelColumns(NamedTuple):
    """What a formula makes of a table."""

    y: np.ndarray  # labels
    X: np.ndarray  # the columns of the model matrix without the intercept and offsets
    names: list[str]  # of these columns
    intercept: bool  # whether there is one
    response: str  # its name
    spec: Any  # of formulaic: the terms


def model_columns(formula: str, data: Any, any_response: bool = False) -> ModelColumns:
    """Labels and columns, as formulaic makes them; offsets are read and left out, as they change no verdict.  ``any_response``: its
    columns as they are."""
    try:
        from formulaic import model_matrix
        from formulaic.errors import FormulaicError
    except ImportError as missing:
        raise ImportError(f"Formulas need formulaic: {installing('formula')}") from missing
    if not isinstance(formula, str) or formula.count("~") != 1 or not formula.split("~")[0].strip():
        raise ValueError(f'A formula has a response, "~" and terms, such as "y ~ a + C(g)"; got {formula!r}.')
    _refuse_other_models(formula)
    try:
        both = model_matrix(formula, data, context={"offset": _offset}, na_action="raise")
    except (FormulaicError, ValueError, TypeError) as error:
        lacking = " Leave rows with missing values out first: data.dropna()." if "null" in str(error).lower() else ""
        lacking += " Write C(g) for R's factor(g)." if "'factor' is not defined" in str(error) else ""
        reason = ESCAPES.sub("", str(error)).split("\n")[0].rstrip(".")
        raise ValueError(f"The formula {formula!r} cannot be used with these data: {reason}.{lacking}") from error
    if not hasattr(both.rhs, "columns"):
        raise ValueError(
            f"The formula {formula!r} has several parts, divided by |. Give one part: the response, ~ and terms."
        )
    columns, spec = list(both.rhs.columns), both.rhs.model_spec
    offsets = [name for term in spec.terms for name in _offset_columns(term, columns[spec.term_slices[term]], formula)]
    for name in offsets:
        _refuse_not_finite(name, np.asarray(both.rhs[name], dtype=float))
    kept = [name for name in columns if name != INTERCEPT and name not in offsets]
    if not kept:
        raise ValueError(
            f"The formula {formula!r} has no terms except the intercept: there is nothing to separate rows by. Add a term."
        )
    X = np.asarray(both.rhs[kept], dtype=float)
    response = formula.split("~")[0].strip()
    y = np.squeeze(np.asarray(both.lhs)) if any_response else labels_of(both.lhs, formula)
    return ModelColumns(y, X, kept, INTERCEPT in columns, response, spec)


def _refuse_other_models(formula: str) -> None:
    """Raise where a formula asks for a model of another kind, which formulas of R may."""
    random = RANDOM_EFFECT.search(formula)
    if random is not None:
        group = random[1].strip()
        fixed = f"C({group})" if group.isidentifier() else "the groups"
        raise ValueError(
            f"The formula {formula!r} has a random effect, {random[0]}. Random effects are not supported: whether their estimates exist is "
            f"another question. Leave it out, or make the groups a factor: write {fixed} in its place."
        )
    counts = COUNTS.match(formula)
    if counts is not None:
        asked = f"{' + '.join(_written(part) for part in counts.groups()[:2])} ~ {counts[3].strip().replace('^', '**')}"
        raise ValueError(
            f'The formula {formula!r} has counts as its response: a row is then several observations. Ask with family="binomial", or with a model of '
            f'statsmodels: explain_separation(smf.glm("{asked}", data, family=sm.families.Binomial())).'
        )


def _offset(values: Any) -> Any:
    """What ``offset(x)`` in a formula is: x."""
    return values


def _offset_columns(term: Any, columns: list[str], formula: str) -> list[str]:
    """The columns of a term, if it is an offset."""
    codes = [factor.expr for factor in term.factors]
    if not any(code.startswith("offset(") for code in codes):
        return []
    if len(codes) > 1:
        raise ValueError(f"The formula {formula!r} multiplies an offset, in {term}. Add it as a term: ... + offset(x).")
    return columns


def _refuse_not_finite(name: str, values: np.ndarray) -> None:
    wrong = np.flatnonzero(~np.isfinite(values))
    if wrong.size:
        raise ValueError(f"{name} is {values[wrong[0]]} in row {wrong[0]}. Correct that row, or leave it out.")


def model_terms(spec: Any, data: Any, X: np.ndarray, names: Sequence[str]) -> Iterator[tuple[Variable, ...]]:
    """The terms of a formula (of formulaic or patsy), each with its variables; those that cannot be read from the data are left
    out."""
    if hasattr(spec, "factor_infos"):  # patsy
        terms = [[factor.name() for factor in term.factors] for term in spec.terms]
        kinds = {factor.name(): info.type for factor, info in spec.factor_infos.items()}
        factors = {code for code, kind in kinds.items() if kind == "categorical"}
    else:
        terms = [[factor.expr for factor in term.factors] for term in spec.terms]
        factors = set(map(str, spec.factor_contrasts))
    for codes in terms:
        variables = [_variable(code, code in factors, data, X, list(names)) for code in codes]
        known = tuple(variable for variable in variables if variable is not None)
        if known and len(known) == len(codes):
            yield known


def _variable(code: str, is_factor: bool, data: Any, X: np.ndarray, names: list[str]) -> Variable | None:
    """A factor of a term, such as ``g``, ``C(g, Sum)`` or ``log(x)``; None if it is neither a column of the data nor of X."""
    written = AS_FACTOR.fullmatch(code)
    column = code if written is None else written[1].strip("`")
    if is_factor:
        return Variable(column, data[column].astype(object).to_numpy()) if column in data else None
    if column in data:
        return Variable.of_numbers(column, np.asarray(data[column], dtype=float))
    return Variable.of_numbers(code, X[:, names.index(code)]) if code in names else None


def labels_of(response: Any, formula: str) -> np.ndarray:
    """The labels: one column of numbers, or the indicators of a factor's levels, put together again."""
    names = list(map(str, response.columns))
    if len(names) == 1:
        return np.asarray(response.iloc[:, 0])
    stems = {name.split("[")[0] for name in names if name.endswith("]")}
    values = np.asarray(response, dtype=float)
    if len(stems) != 1 or not all(name.endswith("]") for name in names) or not np.all(values.sum(axis=1) == 1):
        raise ValueError(f"The response of {formula!r} must be one column of labels; it gives the columns {names}.")
    levels = np.array([name[name.index("[") + 1 : -1] for name in names])
    return levels[values.argmax(axis=1)]
