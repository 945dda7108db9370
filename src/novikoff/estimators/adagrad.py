"""AdaGrad with normalised steps, for labels and for numbers."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from ..checks.sklearn_parts import Interval, StrOptions, available_if
from ..learn import rules
from ..system.backends import on_backend
from .base import LinearLearner
from .classifier import LinearClassifier
from .docs import documented
from .neuron import log_probabilities
from .passive_aggressive import Aggression
from .regressor import LinearRegressor


class SingleRows:
    """What learners share whose rules remember the rows before: each step depends on all others, from zero weights on.  So they have no
    batches, no first weights and no warm start."""

    batch_size = 1
    init = "zeros"
    warm_start = False
    _explain_overflow = Aggression._explain_overflow


def for_single_rows(learner: type[LinearLearner]) -> dict[str, list[Any]]:
    """What parameters of such a learner may be."""
    allowed = learner._parameter_constraints
    return {name: allowed[name] for name in allowed if name not in vars(SingleRows)}


def _has_probabilities(learner: Any) -> bool:
    if learner.loss != "logistic":
        raise AttributeError(f"loss={learner.loss!r} has no probabilities: use loss='logistic'.")
    return True


@documented
class AdaGradClassifier(SingleRows, LinearClassifier):
    """Online logistic regression with one step size for each feature, and no scaling of columns needed.

    With g the slope of the loss at the score, every row first has ``s_j``, the largest ``|x_j|`` so far, grow (``w_j`` is multiplied by
    the old one over the new), then ``G_j <- G_j + (g x_j)^2`` and ``w_j <- w_j + eta sqrt(t / N) g x_j / (s_j sqrt(G_j))``, where N is the
    sum of ``(x_j / s_j)^2`` over the features of all t rows so far (Duchi, Hazan and Singer 2011; normalised as in Ross, Mineiro and
    Langford 2013).  Multiplying a column by a number changes no prediction.

    Choose it for streams and for one pass over large data, sparse or dense, of columns with different scales.  Do not choose it for
    tables of moderate size, where ``LogisticNeuron`` finds the minimum and proves it.

    Parameters
    ----------
    eta : float, default=1.0
        The learning rate.  It rarely needs another value.
    loss : {"logistic", "hinge"}, default="logistic"
        What steps descend on; only "logistic" has ``predict_proba``.
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    J. Duchi, E. Hazan, Y. Singer, Adaptive subgradient methods for online learning and stochastic optimization, 2011.
    S. Ross, P. Mineiro, J. Langford, Normalized online learning, 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from novikoff import AdaGradClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AdaGradClassifier(random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    loss: str
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **for_single_rows(LinearClassifier),
        "eta": [Interval(Real, 0, None, closed="neither")],
        "loss": [StrOptions({"logistic", "hinge"})],
        "multiclass": [StrOptions({"two", "worst", "ovr"})],
    }

    def __init__(
        self,
        eta: float = 1.0,
        *,
        loss: str = "logistic",
        order: str = "auto",
        keep: str = "last",
        multiclass: str = "two",
        max_iter: int = 100,
        tol: float | None = None,
        min_progress: float | None = 0.05,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float | str = 1.0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        history: str = "basic",
        random_state: Any = None,
    ) -> None:
        self._take(locals())

    def _rule(self) -> Any:
        return rules.AdaGrad(rules.CrossEntropy(1.0) if self.loss == "logistic" else rules.Hinge())

    @available_if(_has_probabilities)
    @on_backend
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class, in the order of ``classes_``; of several classes, the softmax of their scores.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        form = "ovr" if self.multiclass == "ovr" else "softmax"
        return np.exp(log_probabilities(self.decision_function(X), 1.0, form, len(self.classes_)))


@documented
class AdaGradRegressor(SingleRows, LinearRegressor):
    """Online least squares with one step size for each feature, and no scaling of columns needed.

    The steps are those of ``AdaGradClassifier`` on the squared error: g is ``d - w.x - b``.

    Choose it for regression on a stream, or in one pass over large data, of columns with different scales.  Do not choose it for tables of
    moderate size, where ``AdalineRegressor`` finds the minimum.

    Parameters
    ----------
    eta : float, default=1.0
        The learning rate, in the unit of the target: the first steps change the prediction by about this much.
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    J. Duchi, E. Hazan, Y. Singer, Adaptive subgradient methods for online learning and stochastic optimization, 2011.
    S. Ross, P. Mineiro, J. Langford, Normalized online learning, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import AdaGradRegressor
    >>> X = np.arange(6.0)[:, None]
    >>> line = AdaGradRegressor(max_iter=500, random_state=0).fit(X, 3 * X[:, 0] - 1)
    >>> line.score(X, 3 * X[:, 0] - 1) > 0.99
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **for_single_rows(LinearRegressor),
        "eta": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        eta: float = 1.0,
        *,
        order: str = "auto",
        keep: str = "last",
        max_iter: int = 100,
        tol: float | None = None,
        min_progress: float | None = 0.05,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float | str = 1.0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        history: str = "basic",
        random_state: Any = None,
    ) -> None:
        self._take(locals())

    def _rule(self) -> Any:
        return rules.AdaGrad(rules.Delta())
