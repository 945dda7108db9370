"""Passive-aggressive learning, for labels and for numbers."""

from __future__ import annotations

from numbers import Integral, Real
from operator import add
from typing import Any, ClassVar

import numpy as np

from ..checks.sklearn_parts import Interval, StrOptions
from ..learn import rules
from ..learn.learning import RowSource, weight_of_part
from ..learn.schedule import Schedule
from .classifier import LinearClassifier
from .docs import documented
from .regressor import LinearRegressor


class Aggression:
    """What both learners share: the limit of a step, and batches whose steps are averaged."""

    _constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "variant": [StrOptions({"PA", "PA-I", "PA-II"})],
    }

    def _caps(self) -> tuple[float, float]:
        """``cap`` and ``soft`` of the rule."""
        C = float(self.C)  # type: ignore[attr-defined]
        return {"PA": (np.inf, 0.0), "PA-I": (C, 0.0), "PA-II": (np.inf, 1 / (2 * C))}[self.variant]  # type: ignore[attr-defined]

    def _explain_overflow(self, source: RowSource, row: int) -> OverflowError:
        return OverflowError(
            f"The score of row {row}, or the square of its length, is out of range: the values of X, or the resulting "
            "weights, are too large. Scale the columns, e.g. with StandardScaler or MaxAbsScaler."
        )

    @property
    def _rate_from_rows(self) -> bool:
        return bool(self.batch_size == "all")  # type: ignore[attr-defined]

    def _schedule(self, source: RowSource) -> Schedule:
        if self.batch_size == "all":  # type: ignore[attr-defined]
            weight = source.fold(weight_of_part, add) or 0.0
            return Schedule(1 / max(weight, np.finfo(float).tiny))  # so that a weight of 2 counts as two rows
        return Schedule(1.0, mean=True)


@documented
class PassiveAggressiveClassifier(Aggression, LinearClassifier):
    """Passive-aggressive classification: the smallest step that gives a row a margin of 1, or as much of it as C allows.

    With the loss ``l = max(0, 1 - y (w.x + b))``, the weights change by ``w <- w + tau y x`` (Crammer et al. 2006), where the
    bias is the weight of one more constant feature c, which is part of ``|x|^2``.  PA: ``tau = l / |x|^2``; PA-I:
    ``tau = min(C, l / |x|^2)``; PA-II: ``tau = l / (|x|^2 + 1 / (2 C))``.  Several classes: ``l = max(0, 1 - (s_c - s_r))``
    for the true class c and its highest rival r, ``w_c <- w_c + tau x``, ``w_r <- w_r - tau x``, with ``2 |x|^2``
    instead of ``|x|^2``.  The steps of a batch are averaged.

    Choose it for streams, especially of sparse rows, with no learning rate to tune.  Do not choose it if some labels are
    wrong, unless C is small (PA fits every wrong label fully), or if you need probabilities (``LogisticNeuron``).  For the
    differences from scikit-learn's class of the same name, see the migration page of the documentation.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness.  PA-I: the largest step; PA-II: a larger C allows larger steps.  PA does not use it: it is PA-I with
        an infinite C.
    variant : {"PA", "PA-I", "PA-II"}, default="PA-I"
        Which of the three steps to use.
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
        self._take(locals())

    def _rule(self) -> Any:
        return rules.PassiveAggressive(*self._caps())


@documented
class PassiveAggressiveRegressor(Aggression, LinearRegressor):
    """Passive-aggressive regression: the smallest step that brings the error of a row down to epsilon, or as far as C allows.

    With the loss ``l = max(0, |d - w.x - b| - epsilon)``, the weights change by ``w <- w + sign(d - w.x - b) tau x`` (Crammer
    et al. 2006), with tau as in ``PassiveAggressiveClassifier``.

    Choose it for regression on a stream, with no learning rate to tune (with ``keep="last"`` if the relation changes over
    time).  Do not choose it for least squares (use ``AdalineRegressor``): errors up to epsilon do not count, and large
    errors count in proportion to their size, not to their square.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness.  PA-I: the largest step; PA-II: a larger C allows larger steps.  PA does not use it: it is PA-I with
        an infinite C.
    epsilon : float, default=0.1
        Errors up to this size have no loss.
    variant : {"PA", "PA-I", "PA-II"}, default="PA-I"
        Which of the three steps to use.
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

    epsilon: float
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
        self._take(locals())

    def _rule(self) -> Any:
        return rules.PassiveAggressiveReal(*self._caps(), float(self.epsilon))
