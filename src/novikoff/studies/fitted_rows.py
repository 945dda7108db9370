"""The rows that a regression of classes, counts or ordered categories was fitted to: read from results of statsmodels, or given with a fit of
scikit-learn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..proof.answer.reasons import ModelNames, Variable
from .likelihood_cones import ordered_cone, poisson_cone
from .model_formula import INTERCEPT, model_terms

LINKS = (
    "Logit",
    "Probit",
    "CLogLog",
    "LogLog",
)  # of which the likelihood is log-concave: separation decides (Silvapulle 1981)
DISCRETE = ("Logit", "Probit", "MNLogit")
COUNTS = ("Poisson", "NegativeBinomial", "NegativeBinomialP")  # with log link; the dispersion is held fixed
ORDERED = "OrderedModel"
LOG_CONCAVE = ("norm", "logistic", "gumbel_r", "gumbel_l")  # densities of ordered models, as SciPy calls them


@dataclass(frozen=True)
class FittedRows:
    """Rows with their labels, and what they are called."""

    X: np.ndarray
    y: np.ndarray
    names: list[str]  # of the columns of X
    intercept: bool
    places: np.ndarray  # the row of the user's data that each row comes from, as that names it
    fitted: str  # what was fitted, in words
    response: str
    penalised: bool
    code: (
        str  # Python that gives X and y of a fit with an intercept or without; "" where rows are counts or have weights
    )
    model: ModelNames  # what it calls its parts
    family: str = "classes"  # or "counts", "ordered"


def rows_of_fit(result: Any, X: Any, y: Any, sample_weight: Any) -> FittedRows:
    """What a result was fitted to; a model of statsmodels that is not fitted yet will do."""
    model = getattr(result, "model", result)
    if hasattr(model, "exog_names") and hasattr(model, "endog_names"):
        if X is not None or y is not None or sample_weight is not None:
            raise ValueError("A result of statsmodels has its data and weights: leave X, y and sample_weight out.")
        return _of_statsmodels(result, model)
    if hasattr(result, "fit") and hasattr(result, "get_params"):
        return _of_sklearn(result, X, y, sample_weight)
    raise TypeError(
        f"explain_separation takes results of statsmodels (Logit, Probit, MNLogit, Poisson, NegativeBinomial, OrderedModel, GLM) or fits of scikit-learn "
        f"with their X and y; got {type(result).__name__}."
    )


def _of_statsmodels(result: Any, model: Any) -> FittedRows:
    if model.exog is None or model.endog is None:
        raise ValueError("This result has no data any more (remove_data was called): fit it again.")
    kind = type(model).__name__
    if kind == "GLM" and type(model.family).__name__ in COUNTS:
        return _of_cone(result, model, _counts_family(model.family))
    if kind in COUNTS or kind == ORDERED:
        return _of_cone(result, model, kind)
    if kind == "GLM":
        kind = _binomial(model.family)
    elif kind not in DISCRETE:
        raise ValueError(
            f"explain_separation explains {', '.join([*DISCRETE, *COUNTS, ORDERED])}, and GLM with a Binomial, Poisson or NegativeBinomial "
            f"family; got {kind}."
        )
    exog, names = np.asarray(model.exog, dtype=float), list(map(str, model.exog_names))
    places, labels = _outcomes(model)
    constant = _constant(exog)
    kept = [j for j in range(len(names)) if j != constant]
    labelled = getattr(model.data, "row_labels", None)
    numbers = np.arange(len(exog)) if labelled is None else np.asarray(labelled)
    names_of = model.endog_names if isinstance(model.endog_names, list) else [str(model.endog_names)]
    return FittedRows(
        X=exog[places][:, kept],
        y=labels,
        names=[names[j] for j in kept],
        intercept=constant is not None,
        places=numbers[places],
        fitted=f"{kind} (statsmodels)",
        response=" / ".join(names_of),
        penalised="L1" in type(result).__name__ or "Regularized" in type(result).__name__,
        code=_code(model, constant, "model" if result is model else "result.model"),
        model=ModelNames(
            intercept=INTERCEPT if constant is None else names[constant],
            outcomes=tuple(_outcome(label, names_of) for label in np.unique(labels)),
            terms=_terms(model, exog[places][:, kept], [names[j] for j in kept], places),
            places=places,
            relevel="C({factor}, Treatment(reference={level!r}))",
        ),
    )


def _constant(exog: np.ndarray) -> int | None:
    """The column that is the intercept: equal numbers above 0, so that its coefficient has the intercept's sign."""
    return next((j for j, column in enumerate(exog.T) if column[0] > 0 and np.all(column == column[0])), None)


def _counts_family(family: Any) -> str:
    """The model in words, if its link is the logarithm."""
    link = type(family.link).__name__
    if link != "Log":
        raise ValueError(
            f"Separation decides whether estimates exist for {type(family).__name__} with the link Log; this model has {link}. Other links bound "
            "the means in another way."
        )
    return f"GLM, {type(family).__name__}, Log"


def _of_cone(result: Any, model: Any, kind: str) -> FittedRows:
    """A model of counts or of ordered categories: its rows as conditions on scores.  Offsets and exposures change no verdict."""
    exog, endog = np.asarray(model.exog, dtype=float), np.asarray(model.endog)
    names = list(map(str, model.exog_names))[: exog.shape[1]]
    weights = [(name, getattr(model, name, None)) for name in ("freq_weights", "var_weights")]
    there = [_positive(name, np.broadcast_to(given, endog.shape)) for name, given in weights if given is not None]
    counted = np.flatnonzero(np.all([np.ones(len(endog), dtype=bool), *there], axis=0))
    constant = _constant(exog)
    kept = [j for j in range(len(names)) if j != constant]
    X, columns, response = exog[counted][:, kept], [names[j] for j in kept], str(model.endog_names)
    is_ordered = kind == ORDERED
    if is_ordered:
        density = getattr(model.distr, "name", str(model.distr))
        if density not in LOG_CONCAVE:
            raise ValueError(
                f"Separation decides whether estimates exist for ordered models with a log-concave density ({', '.join(LOG_CONCAVE)}); this "
                f"one has {density}."
            )
        cone = ordered_cone(X, columns, endog[counted].astype(int), list(model.labels), response)
    else:
        cone = poisson_cone(X, columns, constant is not None, endog[counted], response)
    labelled = getattr(model.data, "row_labels", None)
    numbers = np.arange(len(exog)) if labelled is None else np.asarray(labelled)
    places = counted[cone.places]
    terms: Any = partial(iter, ()) if is_ordered else _terms(model, cone.X, cone.names, places)
    return FittedRows(
        X=cone.X,
        y=cone.y,
        names=cone.names,
        intercept=cone.intercept,
        places=numbers[places],
        fitted=f"{kind} (statsmodels)",
        response=response,
        penalised="L1" in type(result).__name__ or "Regularized" in type(result).__name__,
        code="",
        model=ModelNames(
            intercept=INTERCEPT if constant is None else names[constant],
            outcomes=cone.outcomes,
            terms=terms,
            places=places,
            relevel="C({factor}, Treatment(reference={level!r}))",
            regression="model of ordered categories" if is_ordered else "regression of counts",
        ),
        family="ordered" if is_ordered else "counts",
    )


def _outcome(label: Any, names: list[str]) -> str:
    """What a row with this label has: of two columns of counts no success, or no failure."""
    if len(names) == 1:
        return f"{names[0]} = {label}"
    levels = [re.fullmatch(r"(.+)\[(.+)\]", name) for name in names]  # the first column is that of successes
    own = levels[0 if label else 1]
    return f"{own[1]} = {own[2]}" if own is not None else f"{names[1 if label else 0]} = 0"


def _terms(model: Any, X: np.ndarray, names: list[str], places: np.ndarray) -> Any:
    """The terms of a model that was made by a formula, of these rows; None of others."""
    spec = getattr(model.data, "model_spec", getattr(model.data, "design_info", None))
    frame = getattr(model.data, "frame", None)
    if spec is None or frame is None:
        return None
    left_out = model.data.missing_row_idx
    frame = frame if left_out is None else frame.iloc[np.delete(np.arange(len(frame)), left_out)]
    return partial(model_terms, spec, frame.iloc[places], X, names) if len(frame) == len(model.exog) else None


def _code(model: Any, constant: int | None, name: str) -> str:
    """Python for the matrix of a model of this name without its constant column, and the labels."""
    if not np.isin(np.asarray(model.endog), np.arange(model.endog.max() + 1)).all():
        return ""
    X = f"{name}.exog" if constant is None else f"np.delete({name}.exog, {constant}, axis=1)"
    return f"{X}, {name}.endog"


def _binomial(family: Any) -> str:
    """The model in words, if separation decides about it."""
    link = type(family.link).__name__
    if type(family).__name__ != "Binomial" or link not in LINKS:
        raise ValueError(
            f"Separation decides whether estimates exist for a Binomial family with the link {', '.join(LINKS)}; this model has "
            f"{type(family).__name__} with {link}."
        )
    return f"GLM, Binomial, {link}"


def _outcomes(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rows and their labels: a row of counts, or a share of successes, is both if it has both.  Rows of weight 0 do not count."""
    endog = np.asarray(model.endog)
    names = ("freq_weights", "var_weights", "n_trials")
    weights = {name: np.broadcast_to(getattr(model, name, 1), endog.shape) for name in names}
    counted = np.flatnonzero(np.all([_positive(name, given) for name, given in weights.items()], axis=0))
    if type(model).__name__ == "MNLogit":
        texts = np.array([str(model._ynames_map[k]) for k in sorted(model._ynames_map)])
        return counted, texts[endog.astype(int)]
    successes, failures = counted[endog[counted] > 0], counted[endog[counted] < 1]
    places = np.concatenate([successes, failures])
    order = np.argsort(places, kind="stable")
    labels = np.concatenate([np.ones(successes.size, dtype=int), np.zeros(failures.size, dtype=int)])
    return places[order], labels[order]


def _positive(name: str, weights: np.ndarray) -> np.ndarray:
    """Which weights are positive; refused if one is below 0, or no finite number."""
    wrong = np.flatnonzero(~((weights >= 0) & np.isfinite(weights)))
    if wrong.size:
        raise ValueError(
            f"{name} is {weights[wrong[0]]} in row {wrong[0]}: a weight is 0 or a positive number. Correct it, or leave the row out "
            "and fit again."
        )
    return np.asarray(weights > 0)


def _of_sklearn(fitted: Any, X: Any, y: Any, sample_weight: Any) -> FittedRows:
    if X is None or y is None:
        raise ValueError(
            "A fit of scikit-learn does not keep its data: pass X and y as well, explain_separation(fit, X, y)."
        )
    last, names, given = fitted, getattr(X, "columns", None), X
    rows = getattr(X, "index", None) if names is not None else None  # of a data frame, not the method of a list
    code = "X, y"
    if hasattr(fitted, "steps"):
        last = fitted.steps[-1][1]
        if len(fitted.steps) > 1:
            X, code = fitted[:-1].transform(X), "fit[:-1].transform(X), y"
            names = _names_after(fitted[:-1])
    if not hasattr(last, "coef_") or not hasattr(last, "predict_proba"):
        raise ValueError(
            f"explain_separation explains fitted classifiers with coef_ and predict_proba, such as LogisticRegression; {type(last).__name__} is not "
            "one, or is not fitted yet."
        )
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=float)
    C, l2 = getattr(last, "C", None), getattr(last, "l2_", getattr(last, "l2", None))
    free = getattr(last, "penalty", "l2") in (None, "none") or (C is not None and not np.isfinite(C).all()) or l2 == 0
    labels, response = np.asarray(y), str(getattr(y, "name", None) or "y")
    places = np.arange(len(X))
    if sample_weight is not None:
        weights = np.asarray(sample_weight, dtype=float)
        if weights.shape != (len(X),):
            raise ValueError(
                f"sample_weight has the shape {weights.shape}: give one weight for each of the {len(X)} rows."
            )
        places = np.flatnonzero(_positive("sample_weight", weights))
    return FittedRows(
        X=X[places],
        y=labels[places],
        names=[f"x{j}" for j in range(X.shape[1])] if names is None else list(map(str, names)),
        intercept=bool(getattr(last, "fit_intercept", True)),
        places=places if rows is None else np.asarray(rows)[places],
        fitted=f"{type(last).__name__} (scikit-learn)",
        response=response,
        penalised=not free,
        code=code if sample_weight is None else "",
        model=ModelNames(
            outcomes=tuple(f"{response} = {label}" for label in np.unique(labels[places])),
            terms=partial(_columns, given.iloc[places]) if hasattr(given, "iloc") else None,
            relevel="OneHotEncoder(drop=[{level!r}])",
        ),
    )


def _columns(data: Any) -> Iterator[tuple[Variable, ...]]:
    """The columns of a data frame as variables."""
    for name in data.columns:
        values = data[name].to_numpy()
        is_number = values.dtype.kind in "iuf"
        yield (Variable.of_numbers(str(name), values) if is_number else Variable(str(name), values.astype(object)),)


def _names_after(steps: Any) -> Any:
    """The names of the columns that these steps make; None where a step does not tell."""
    try:
        return steps.get_feature_names_out()
    except (AttributeError, ValueError):
        return None
