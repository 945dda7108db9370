"""The second-order perceptron."""

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
class SecondOrderPerceptron(SingleRows, LinearClassifier):
    """The perceptron in coordinates that what was seen of each feature has rescaled: rare features get larger weights.

    A row is a mistake if ``y sum_j v_j x_j / (A_j + x_j^2) <= 0``; then ``v_j <- v_j + y x_j`` and ``A_j <- A_j + x_j^2``, where A_j is a at
    first; a row of weight s adds s times as much to both.  The weights are ``w_j = v_j / A_j`` (Cesa-Bianchi, Conconi and Gentile 2005,
    diagonal).  For rows of weight 1, every u of length 1 and every
    g > 0, the number m of mistakes obeys ``g m <= D + sqrt((a + sum_j u_j^2 S_j) sum_j ln(1 + S_j / a))``, where ``S_j`` is the sum of
    ``x_j^2`` and D that of ``max(0, g - y u.x)`` over the mistakes.

    Choose it in place of the perceptron if some features are much more common, or larger, than others.  Do not choose it for rows in
    partitions, where its weights cannot be mixed, or if you need probabilities (``AdaGradClassifier``).

    Parameters
    ----------
    a : float, default=1.0
        What ``A_j`` is at first.  The larger, the closer it is to the perceptron.
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    N. Cesa-Bianchi, A. Conconi, C. Gentile, A second-order perceptron algorithm, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novikoff import SecondOrderPerceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> SecondOrderPerceptron(random_state=0).fit(X, y == 0).stop_reason_
    'separated'
    """

    a: float
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **for_single_rows(LinearClassifier),
        "a": [Interval(Real, 0, None, closed="neither")],
        "multiclass": [StrOptions({"worst", "ovr"})],
    }

    def __init__(
        self,
        a: float = 1.0,
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
        return rules.SecondOrder(float(self.a))

    _rate_from_rows = False

    def _schedule(self, source: RowSource) -> Schedule:
        return Schedule(1.0)
