"""The logistic neuron."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from ..inputs.sklearn_parts import Interval, StrOptions
from ..learn import rules
from ..learn.learning import Outcome
from ..learn.schedule import Schedule
from ..learn.sources import InMemory, Source
from .classifier import LinearClassifier
from .docs import documented
from .rates import safe_schedule

# The largest second derivative of the loss by the scores, for slope 1.  With q = |d - phi|: of cross-entropy q (1 - q); of
# the squared error q^2 (1 - q) |2 - 3 q|; of softmax the largest eigenvalue of diag(p) - p p^T.
CURVATURE = {"cross_entropy": 0.25, "squared": 0.0771, "softmax": 0.5}


@documented
class LogisticNeuron(LinearClassifier):
    """The logistic neuron ``phi(w.x + b)``, ``phi(a) = 1 / (1 + exp(-s a))``, trained by gradient descent.

    With d = 1 for ``classes_[1]`` and 0 for ``classes_[0]``, every row moves the weights.  Cross-entropy,
    ``-d log phi - (1 - d) log(1 - phi)``: ``w <- w + eta s (d - phi) x``, which is maximum likelihood, as in logistic
    regression.  Squared error, ``(d - phi)^2 / 2``: ``w <- w + eta (d - phi) phi' x``, ``phi' = s phi (1 - phi)``, which
    forgives rows that are far on the wrong side.  Several classes: softmax, ``w_k <- w_k + eta s ([k = c] - p_k) x``.

    Choose it when you need probabilities, from a stream or from data too large for a second-order method; squared error
    when labels are wrong here and there.  Do not choose it for an exact maximum likelihood fit of a table of moderate
    size: scikit-learn's ``LogisticRegression(C=np.inf)`` gets there faster.  If classes are separated, neither loss has
    a minimum and weights grow for ever: ``on_separation`` says what to do then.

    Parameters
    ----------
    eta : float or "auto", default="auto"
        Step.  "auto" is 1 / L, where the gradient of a batch's loss is L-Lipschitz: cross-entropy 4 / (s R)^2, softmax
        2 / (s R)^2, R the largest norm of a row with its constant feature (for batches, see ``Adaline``).
    loss : {"cross_entropy", "squared"}, default="cross_entropy"
        What is descended on.
    slope : float, default=1.0
        The slope s of phi.
    on_separation : {"warn", "raise", "ignore"}, default="warn"
        What to do about classes that are separated, completely or quasi-completely: then the loss has no minimum and the
        weights grow for ever.  "warn": say so where the weights found prove it or ``separability`` decides it at little
        cost (up to a million numbers and 50 weights).  "raise": always ask ``separability`` before learning (for no longer
        than ``time_limit``), and raise ``SeparationError`` with its ``proof``.  Where X has numbers that float64 cannot hold,
        both say that instead.
    {parameters}

    Attributes
    ----------
    {attributes}
    eta_ : float
        The step.

    References
    ----------
    D. R. Cox, The regression analysis of binary sequences, 1958.
    D. E. Rumelhart, G. E. Hinton, R. J. Williams, Learning representations by back-propagating errors, 1986.
    J. S. Bridle, Probabilistic interpretation of feedforward classification network outputs, 1990.
    A. Albert, J. A. Anderson, On the existence of maximum likelihood estimates in logistic regression models, 1984.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novikoff import LogisticNeuron
    >>> X, y = load_iris(return_X_y=True)
    >>> neuron = LogisticNeuron(keep="average", random_state=0).fit(X[50:], y[50:])
    >>> neuron.predict_proba(X[[70, 149]]).round(1).tolist()
    [[0.4, 0.6], [0.1, 0.9]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearClassifier._parameter_constraints,
        "eta": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "loss": [StrOptions({"cross_entropy", "squared"})],
        "slope": [Interval(Real, 0, None, closed="neither")],
        "keep": [StrOptions({"auto", "last", "average", "pocket"})],
        "multiclass": [StrOptions({"auto", "softmax", "ovr"})],
        "on_separation": [StrOptions({"warn", "raise", "ignore"})],
    }

    def __init__(
        self,
        eta: float | str = "auto",
        *,
        loss: str = "cross_entropy",
        slope: float = 1.0,
        on_separation: str = "warn",
        order: str = "auto",
        batch_size: int | str = 1,
        keep: str = "auto",
        multiclass: str = "auto",
        init: Any = "zeros",
        max_iter: int = 100,
        tol: float | None = None,
        min_progress: float | None = 1e-3,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float | str = 1.0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        history: str = "basic",
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self.eta = eta
        self.loss = loss
        self.slope = slope
        self.on_separation = on_separation
        self.order = order
        self.batch_size = batch_size
        self.keep = keep
        self.multiclass = multiclass
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.min_progress = min_progress
        self.time_limit = time_limit
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.history = history
        self.warm_start = warm_start
        self.random_state = random_state

    @property
    def _form(self) -> str:  # type: ignore[override]
        if len(self.classes_) <= 2:
            return "binary"
        if self.multiclass == "auto":
            return "softmax" if self.loss == "cross_entropy" else "ovr"
        return self.multiclass

    def _refuse(self) -> None:
        if self.loss == "squared" and self.multiclass == "softmax":
            raise ValueError(
                "loss='squared' has one neuron for each class: use multiclass='ovr' or 'auto', not 'softmax'."
            )

    def _rule(self) -> Any:
        rule = rules.CrossEntropy if self.loss == "cross_entropy" else rules.SquaredNeuron
        return rule(float(self.slope))

    def _schedule(self, source: Source) -> Schedule:
        kind = "softmax" if self._form == "softmax" else self.loss
        return safe_schedule(self, source, CURVATURE[kind] * self.slope**2)

    def _needs_all_rows(self) -> str:
        if self.on_separation == "raise":
            return "on_separation='raise' proves that no weights separate the classes before it learns, which takes all rows"
        return ""

    def _inspect(self, source: InMemory) -> None:
        if self.on_separation == "raise" and len(self.classes_) > 1:
            from .separation import refuse_separated  # and the prover, which not every fit needs

            refuse_separated(self, source)

    def _advise(self, source: InMemory, outcome: Outcome) -> None:
        super()._advise(source, outcome)
        if self.on_separation == "warn" and len(self.classes_) > 1:
            from .separation import warn_of_separated  # likewise

            warn_of_separated(self, source)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class, in the order of ``classes_``; with one-vs-rest, made to add up to 1."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of ``predict_proba``, also where that is too small to be a number."""
        from scipy.special import log_expit, log_softmax

        scores = self.decision_function(X)
        with np.errstate(over="ignore"):
            if self._form == "softmax":
                return log_softmax(self.slope * (scores - scores.max(axis=1, keepdims=True)), axis=1)
            most = np.finfo(scores.dtype).max
            scores = np.clip(self.slope * scores, -most, most)
        if scores.ndim == 1:
            return np.column_stack([log_expit(-scores), log_expit(scores)])[:, : len(self.classes_)]
        return log_softmax(log_expit(scores), axis=1)
