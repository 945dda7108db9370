"""``model_weights``: the strongest weights of a model, by feature."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from .fitted_models import ClassWeights, model_of, strongest
from .results import FILE_OF_MODEL, ShownResult


@dataclass(frozen=True, kw_only=True, repr=False)
class WeightsResult(ShownResult):
    """The strongest weights of a model."""

    command: ClassVar[str] = "weights"
    model_file: str | None = field(metadata=FILE_OF_MODEL)
    learner: str
    features: int  # all of them
    weights: list[ClassWeights]


def model_weights(model: Any, top: int = 20) -> WeightsResult:
    """Show the strongest weights of a model, by feature.

    ``novikoff weights`` does the same in a shell.

    Parameters
    ----------
    model : path, result of fit_table, or fitted model
        The model: its file, the result of the fit, or the model itself.
    top : int, default=20
        How many of the strongest weights are listed for each class.

    Returns
    -------
    WeightsResult
        ``weights``: for every class (for two classes: the second) its ``intercept`` and the ``features`` with the largest weights,
        each with ``name`` and ``weight``.  ``print(result)`` shows it.

    Examples
    --------
    >>> import pandas as pd
    >>> from novikoff import fit_table, model_weights
    >>> table = pd.DataFrame({"x": range(2, 22), "class": ["low"] * 10 + ["high"] * 10})
    >>> result = model_weights(fit_table(table, "class", test=False))
    >>> [feature.name for feature in result.weights[0].features]
    ['x']
    """
    known = model_of(model)
    found, name = strongest(known.encoder, known.learner, top), type(known.learner).__name__
    if found is None:
        where = f"{known.file}: " if known.file else ""
        raise ValueError(f"{where}{name} has weights of rows, not of features: there are none to show.")
    return WeightsResult(model_file=known.file, learner=name, features=known.learner.n_features_in_, weights=found)
