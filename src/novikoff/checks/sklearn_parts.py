"""What this package takes of scikit-learn that is not public, and the types that scikit-learn does not declare: all here.

``pyproject.toml`` therefore says below which version of scikit-learn these names are known to be there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar

from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils._param_validation import validate_parameter_constraints as check_values
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

if TYPE_CHECKING:
    Method = TypeVar("Method", bound=Callable[..., Any])

    def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Method], Method]:
        """Check parameters before ``fit``."""

    def available_if(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
        """Have a method only where ``check`` says so."""

    class BaseEstimator:
        """Parameters, and all that scikit-learn asks of an estimator."""

        n_features_in_: int

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **parameters: Any) -> Self: ...
        def _validate_params(self) -> None: ...
        def _html_repr(self) -> str: ...
        def __getstate__(self) -> dict[str, Any]: ...
        def __sklearn_tags__(self) -> Any: ...

    class ClassifierMixin:
        """Accuracy as the score."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...
        def __sklearn_tags__(self) -> Any: ...

    class RegressorMixin:
        """R squared as the score."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...
        def __sklearn_tags__(self) -> Any: ...

    class TransformerMixin:
        """``fit`` and ``transform`` in one."""

        def fit_transform(self, X: Any, y: Any = None, **parameters: Any) -> Any: ...

    class ClassNamePrefixFeaturesOutMixin:
        """Names of new features."""

        def get_feature_names_out(self, input_features: Any = None) -> Any: ...

    class CallbackSupportMixin:
        """Callbacks that hear of every pass."""

        def set_callbacks(self, *callbacks: Any) -> Self: ...
        def _init_callback_context(self, max_subtasks: int | None = None) -> Any: ...

else:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        ClassNamePrefixFeaturesOutMixin,
        RegressorMixin,
        TransformerMixin,
    )
    from sklearn.base import _fit_context as fit_context
    from sklearn.callback import CallbackSupportMixin
    from sklearn.utils.metaestimators import available_if

# Where an estimator has the callbacks to be told of a fit.  A pipeline hands on its own, if any; without one nobody listens there.
CALLBACKS = "_skl_callbacks"

__all__ = [
    "CALLBACKS",
    "BaseEstimator",
    "CallbackSupportMixin",
    "ClassNamePrefixFeaturesOutMixin",
    "ClassifierMixin",
    "Interval",
    "RegressorMixin",
    "StrOptions",
    "TransformerMixin",
    "available_if",
    "check_sample_weight",
    "check_values",
    "fit_context",
    "is_pipeline",
    "open_callbacks",
    "pipeline",
    "take_rows",
]


def pipeline(steps: Sequence[tuple[str, Any]]) -> Any:
    """A ``Pipeline`` of these steps."""
    from sklearn.pipeline import Pipeline  # when one is made: it brings SciPy's interpolation and optimisation

    return Pipeline(list(steps))


def is_pipeline(model: Any) -> bool:
    """Whether it is a ``Pipeline``; nobody has one before its module is imported."""
    module = sys.modules.get("sklearn.pipeline")
    return module is not None and isinstance(model, module.Pipeline)


def open_callbacks(estimator: CallbackSupportMixin, max_subtasks: int) -> Any:
    """The context through which an estimator tells its callbacks of a fit."""
    return estimator._init_callback_context(max_subtasks=max_subtasks)
