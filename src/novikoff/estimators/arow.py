"""Adaptive regularisation of weights."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from ..checks.sklearn_parts import Interval, StrOptions
from ..learn import rules
from ..learn.learning import RowSource
from ..learn.schedule import Schedule
from .adagrad import SingleRows, for_single_rows
from .classifier import LinearClassifier
from .docs import documented


@documented
class AROWClassifier(SingleRows, LinearClassifier):
    """Adaptive regularisation of weights: every weight has a variance, and weights that are still unsure move farther.

    Where ``l = max(0, 1 - y (w.x + b))`` is positive, with variances ``S_j``, 1 at first: ``v = sum_j S_j x_j^2``,
    ``w_j <- w_j + y l / (v + r) S_j x_j``, and then ``1 / S_j <- 1 / S_j + x_j^2 / r`` (Crammer, Kulesza and Dredze 2009, diagonal).
    Several classes: the true class and its highest rival, whose v are added.

    Choose it for streams of sparse rows, such as words, where rare features matter, also if some labels are wrong.  Do not choose it for
    columns of very different scales (``AdaGradClassifier``), or if you need probabilities.

    Parameters
    ----------
    r : float, default=1.0
        The larger, the smaller the steps, and the slower variances shrink.
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    K. Crammer, A. Kulesza, M. Dredze, Adaptive regularization of weight vectors, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novikoff import AROWClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> AROWClassifier(random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    r: float
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **for_single_rows(LinearClassifier),
        "r": [Interval(Real, 0, None, closed="neither")],
        "multiclass": [StrOptions({"worst", "ovr"})],
    }

    def __init__(
        self,
        r: float = 1.0,
        *,
        order: str = "auto",
        keep: str = "auto",
        multiclass: str = "worst",
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
        return rules.AROW(float(self.r))

    _rate_from_rows = False

    def _schedule(self, source: RowSource) -> Schedule:
        return Schedule(1.0)
