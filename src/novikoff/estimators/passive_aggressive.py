"""Passive-aggressive learning, for labels and for numbers."""

from __future__ import annotations

from numbers import Integral, Real
from operator import add
from typing import Any, ClassVar

import numpy as np

from ..inputs.sklearn_parts import Interval, StrOptions
from ..learn import rules
from ..learn.schedule import Schedule
from ..learn.sources import Source, weight_of_part
from .classifier import LinearClassifier
from .docs import documented
from .regressor import LinearRegressor


class Aggression:
    """What both learners share: the step's cap, and batches whose steps are averaged."""

    _constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "variant": [StrOptions({"PA", "PA-I", "PA-II"})],
    }

    def _caps(self) -> tuple[float, float]:
        """``cap`` and ``soft`` of the rule."""
        C = float(self.C)  # type: ignore[attr-defined]
        return {"PA": (np.inf, 0.0), "PA-I": (C, 0.0), "PA-II": (np.inf, 1 / (2 * C))}[self.variant]  # type: ignore[attr-defined]

    def _explain_overflow(self, source: Source, row: int) -> OverflowError:
        return OverflowError(
            f"The score of row {row}, or the square of its length, is out of range: the values of X, or the weights they led "
            "to, are too large. Scale the columns, e.g. with StandardScaler or MaxAbsScaler."
        )

    def _schedule(self, source: Source) -> Schedule:
        if self.batch_size == "all":  # type: ignore[attr-defined]
            weight = source.fold(weight_of_part, add) or 0.0
            return Schedule(1 / max(weight, np.finfo(float).tiny))  # so that a weight of 2 counts as two rows
        return Schedule(1.0, mean=True)


@documented
class PassiveAggressiveClassifier(Aggression, LinearClassifier):
    """Passive-aggressive learning: each row that lacks a margin of 1 gets it, or as much of it as C allows, by the smallest step.

    With the loss ``l = max(0, 1 - y (w.x + b))``, the weights move by ``w <- w + tau y x`` (Crammer et al. 2006), where the
    bias is the weight of one more constant feature c, and ``|x|^2`` counts it: PA: ``tau = l / |x|^2``; PA-I:
    ``tau = min(C, l / |x|^2)``; PA-II: ``tau = l / (|x|^2 + 1 / (2 C))``.  Several classes: ``l = max(0, 1 - (s_c - s_r))``
    for the true class c and its highest rival r, ``w_c <- w_c + tau x``, ``w_r <- w_r - tau x``, with ``2 |x|^2`` in the
    place of ``|x|^2``.  The steps of a batch are averaged.

    Choose it for streams, above all of sparse rows, where no rate wants to be tuned.  Do not choose it when labels are
    wrong here and there, unless C is small (each wrong label is believed fully by PA), or when you need probabilities
    (``LogisticNeuron``).  Coming from scikit-learn's class of this name, see the migration page of the documentation.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness: the largest step of PA-I; the larger, the less soft PA-II.  It has no part in PA, which is PA-I with
        an infinite C.
    variant : {"PA", "PA-I", "PA-II"}, default="PA-I"
        Which of the three steps.
    {parameters}

    Attributes
    ----------
    {attributes}
    votes_ : Votes
        Only with ``keep="vote"``.

    References
    ----------
    K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer, Online passive-aggressive algorithms, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novikoff import PassiveAggressiveClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = PassiveAggressiveClassifier(keep="average", max_iter=20, random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.95
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearClassifier._parameter_constraints,
        **Aggression._constraints,
        "keep": [StrOptions({"auto", "last", "average", "vote", "pocket"})],
        "max_votes": [Interval(Integral, 1, None, closed="left"), None],
        "multiclass": [StrOptions({"worst", "ovr"})],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        variant: str = "PA-I",
        order: str = "auto",
        batch_size: int | str = 1,
        keep: str = "auto",
        max_votes: int | None = 100,
        multiclass: str = "worst",
        init: Any = "zeros",
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
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.variant = variant
        self.order = order
        self.batch_size = batch_size
        self.keep = keep
        self.max_votes = max_votes
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

    def _rule(self) -> Any:
        return rules.PassiveAggressive(*self._caps())


@documented
class PassiveAggressiveRegressor(Aggression, LinearRegressor):
    """Passive-aggressive regression: a row missed by more than epsilon is met to epsilon, as far as C allows, by the smallest step.

    With the loss ``l = max(0, |d - w.x - b| - epsilon)``, the weights move by ``w <- w + sign(d - w.x - b) tau x`` (Crammer
    et al. 2006), tau as of ``PassiveAggressiveClassifier``.

    Choose it to follow a stream of numbers without a rate to tune (with ``keep="last"``, if its law drifts).  Do not choose it for least squares
    (``AdalineRegressor``): it looks for a tube of width epsilon about the numbers, not for their mean.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness: the largest step of PA-I; the larger, the less soft PA-II.  It has no part in PA, which is PA-I with
        an infinite C.
    epsilon : float, default=0.1
        Errors up to this are no loss.
    variant : {"PA", "PA-I", "PA-II"}, default="PA-I"
        Which of the three steps.
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer, Online passive-aggressive algorithms, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import PassiveAggressiveRegressor
    >>> X = np.arange(6.0)[:, None]
    >>> line = PassiveAggressiveRegressor(epsilon=0.01, keep="last", order="cyclic").fit(X, 3 * X[:, 0] - 1)
    >>> bool(np.abs(line.predict(X) - 3 * X[:, 0] + 1).max() < 0.011)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearRegressor._parameter_constraints,
        **Aggression._constraints,
        "epsilon": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        epsilon: float = 0.1,
        variant: str = "PA-I",
        order: str = "auto",
        batch_size: int | str = 1,
        keep: str = "auto",
        init: Any = "zeros",
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
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.variant = variant
        self.order = order
        self.batch_size = batch_size
        self.keep = keep
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
        self.history = history
        self.warm_start = warm_start
        self.random_state = random_state

    def _rule(self) -> Any:
        return rules.PassiveAggressiveReal(*self._caps(), float(self.epsilon))
