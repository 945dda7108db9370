"""``separability_from_formula``: the question of ``separability`` for the columns that a formula makes of a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..inputs.shell import installing
from ..proof.answer.proofs import Proof
from ..proof.answer.separable import separability

INTERCEPT = "Intercept"  # what formulaic calls it


def separability_from_formula(
    formula: str, data: Any, *, max_margin: bool = False, time_limit: float | None = None
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
        ``"y ~ a - 1"``.
    data : data frame
        The table (pandas).  Missing values in a column that is used are an error, so that row numbers are those of the table.
    max_margin : bool, default=False
        As in ``separability``.
    time_limit : float, default=None
        As in ``separability``.

    Returns
    -------
    Proof
        As from ``separability``.  To verify it elsewhere, use the model matrix that the formula makes.

    Examples
    --------
    >>> import pandas as pd
    >>> from novikoff import separability_from_formula
    >>> table = pd.DataFrame({"dose": [1, 2, 3, 4, 5, 6], "sex": list("mfmfmf"), "died": list("nnnyyy")})
    >>> separability_from_formula("died ~ dose + sex", table).kind  # doctest: +SKIP
    'complete'
    """
    y, X, names, intercept = model_columns(formula, data)
    return separability(
        X, y, fit_intercept=intercept, max_margin=max_margin, time_limit=time_limit, feature_names=names
    )


def model_columns(formula: str, data: Any) -> tuple[np.ndarray, np.ndarray, Sequence[str], bool]:
    """The labels, the columns of the model matrix but the intercept, their names, and whether there is an intercept."""
    try:
        from formulaic import model_matrix
        from formulaic.errors import FormulaicError
    except ImportError as missing:
        raise ImportError(f"Formulas need formulaic: {installing('formula')}") from missing
    if not isinstance(formula, str) or formula.count("~") != 1 or not formula.split("~")[0].strip():
        raise ValueError(f'A formula has a response, "~" and terms, such as "y ~ a + C(g)"; got {formula!r}.')
    try:
        both = model_matrix(formula, data, context={}, na_action="raise")
    except (FormulaicError, ValueError, TypeError) as error:
        lacking = " Leave rows with missing values out first: data.dropna()." if "null" in str(error).lower() else ""
        raise ValueError(f"The formula {formula!r} cannot be used with these data: {error}.{lacking}") from error
    columns = list(both.rhs.columns)
    kept = [name for name in columns if name != INTERCEPT]
    if not kept:
        raise ValueError(f"The formula {formula!r} has no terms but the intercept: there is nothing to separate by.")
    return labels_of(both.lhs, formula), np.asarray(both.rhs[kept], dtype=float), kept, INTERCEPT in columns


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
