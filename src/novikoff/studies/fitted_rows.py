"""The rows that a logistic regression was fitted to: read from results of statsmodels, or given with a fit of
scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

LINKS = (
    "Logit",
    "Probit",
    "CLogLog",
    "LogLog",
)  # of which the likelihood is log-concave: separation decides (Silvapulle 1981)
DISCRETE = ("Logit", "Probit", "MNLogit")


@dataclass(frozen=True)
class FittedRows:
    """Rows with their labels, and what they are called."""

    X: np.ndarray
    y: np.ndarray
    names: list[str]  # of the columns of X
    intercept: str | None  # its name; None: there is none
    places: np.ndarray  # the row of the user's data that each row comes from
    model: str  # what was fitted, in words
    response: str
    penalised: bool
    code: str  # Python that gives X and y of a fit with an intercept or without; "" where rows are counts


def rows_of_fit(result: Any, X: Any, y: Any) -> FittedRows:
    """What a result was fitted to; a model of statsmodels that is not fitted yet will do."""
    model = getattr(result, "model", result)
    if hasattr(model, "exog_names") and hasattr(model, "endog_names"):
        if X is not None or y is not None:
            raise ValueError("A result of statsmodels has its data: leave X and y out.")
        return _of_statsmodels(result, model)
    if hasattr(result, "fit") and hasattr(result, "get_params"):
        return _of_sklearn(result, X, y)
    raise TypeError(
        f"explain_separation takes results of statsmodels (Logit, Probit, MNLogit, GLM with a Binomial family) or fits of scikit-learn "
        f"with their X and y; got {type(result).__name__}."
    )


def _of_statsmodels(result: Any, model: Any) -> FittedRows:
    if model.exog is None or model.endog is None:
        raise ValueError("This result has no data any more (remove_data was called): fit it again.")
    kind = type(model).__name__
    if kind == "GLM":
        kind = _binomial(model.family)
    elif kind not in DISCRETE:
        raise ValueError(
            f"Separation is a matter of models of classes: {', '.join(DISCRETE)} or a Binomial GLM; got {kind}."
        )
    exog, names = np.asarray(model.exog, dtype=float), list(map(str, model.exog_names))
    places, labels = _outcomes(model)
    constant = next((j for j in range(len(names)) if exog[0, j] != 0 and np.all(exog[:, j] == exog[0, j])), None)
    kept = [j for j in range(len(names)) if j != constant]
    rows = getattr(model.data, "row_labels", None)
    numbers = np.arange(len(exog)) if rows is None else np.asarray(rows)
    return FittedRows(
        X=exog[places][:, kept],
        y=labels,
        names=[names[j] for j in kept],
        intercept=None if constant is None else names[constant],
        places=numbers[places],
        model=f"{kind} (statsmodels)",
        response=" / ".join(model.endog_names) if isinstance(model.endog_names, list) else str(model.endog_names),
        penalised="L1" in type(result).__name__ or "Regularized" in type(result).__name__,
        code=_code(model, constant, "model" if result is model else "result.model"),
    )


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
    weights = [
        np.broadcast_to(getattr(model, name, 1), endog.shape) for name in ("freq_weights", "var_weights", "n_trials")
    ]
    counted = np.flatnonzero(np.all(np.array(weights) > 0, axis=0))
    if type(model).__name__ == "MNLogit":
        texts = np.array([str(model._ynames_map[k]) for k in sorted(model._ynames_map)])
        return counted, texts[endog.astype(int)]
    successes, failures = counted[endog[counted] > 0], counted[endog[counted] < 1]
    places = np.concatenate([successes, failures])
    order = np.argsort(places, kind="stable")
    labels = np.concatenate([np.ones(successes.size, dtype=int), np.zeros(failures.size, dtype=int)])
    return places[order], labels[order]


def _of_sklearn(fitted: Any, X: Any, y: Any) -> FittedRows:
    if X is None or y is None:
        raise ValueError(
            "A fit of scikit-learn does not keep its data: pass X and y as well, explain_separation(fit, X, y)."
        )
    last, names = fitted, getattr(X, "columns", None)
    rows = getattr(X, "index", None) if names is not None else None  # of a data frame, not the method of a list
    code = "X, y"
    if hasattr(fitted, "steps"):
        last = fitted.steps[-1][1]
        if len(fitted.steps) > 1:
            X, code = fitted[:-1].transform(X), "fit[:-1].transform(X), y"
            names = _names_after(fitted[:-1])
    if not hasattr(last, "coef_") or not hasattr(last, "predict_proba"):
        raise ValueError(
            f"Separation is a matter of logistic regressions, fitted; {type(last).__name__} is none, or is not fitted yet."
        )
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=float)
    C, l2 = getattr(last, "C", None), getattr(last, "l2_", getattr(last, "l2", None))
    free = getattr(last, "penalty", "l2") in (None, "none") or (C is not None and not np.isfinite(C).all()) or l2 == 0
    return FittedRows(
        X=X,
        y=np.asarray(y),
        names=[f"x{j}" for j in range(X.shape[1])] if names is None else list(map(str, names)),
        intercept="intercept" if getattr(last, "fit_intercept", True) else None,
        places=np.arange(len(X)) if rows is None else np.asarray(rows),
        model=f"{type(last).__name__} (scikit-learn)",
        response=str(getattr(y, "name", None) or "y"),
        penalised=not free,
        code=code,
    )


def _names_after(steps: Any) -> Any:
    """The names of the columns that these steps make; None where a step does not tell."""
    try:
        return steps.get_feature_names_out()
    except (AttributeError, ValueError):
        return None
