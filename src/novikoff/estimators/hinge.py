"""The support vector machine, learned online."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from ..checks.sklearn_parts import Interval, StrOptions
from ..learn import rules
from ..learn.learning import RowSource
from ..learn.schedule import Schedule
from .classifier import LinearClassifier
from .docs import documented
from .rates import usual_reach


@documented
class HingeSGD(LinearClassifier):
    """A linear support vector machine trained by stochastic gradient descent: hinge loss and an L2 penalty on the weights.

    It minimises ``lam / 2 |w|^2 + mean of max(0, 1 - y (w.x + b))``.  Step t computes the score, then
    ``w <- (1 - eta lam) w``, and if ``y (w.x + b)`` was less than 1, ``w <- w + eta y x`` and ``b <- b + eta y``; the bias is
    not penalised.  The steps of a batch are added, after one decay, so ``lam`` then applies to the sum of the
    losses of a batch.  Several classes: the lead over the highest rival replaces ``y (w.x + b)`` (Crammer and Singer
    2001).  ``lam = 1 / (C N)`` matches the support vector machine with parameter C on N rows.

    Choose it for a large margin on data that are too large for an exact solver, or arrive as a stream.  Do not choose it
    for tables of moderate size, where ``LinearSVM`` also proves how close it is to the optimum, or if you need
    probabilities (``LogisticNeuron``).

    Parameters
    ----------
    lam : float, default=0.0001
        The strength of the L2 regularisation.
    eta : float, "auto" or "inverse", default="auto"
        The learning rate: a constant, at most ``1 / lam``; or "inverse", ``1 / (lam t)`` at step t = 1, 2, ... (Shalev-Shwartz et al.
        2007); or "auto", ``h / (1 + h lam t)`` (Bottou 2010), which ends like "inverse" but begins with
        h = 1 / R^2 instead of ``1 / lam``, where R is the mean norm of the rows with their constant feature.  The bias does
        not decay, so huge first steps would stay in it for long.  In a stream, R is the largest such mean of all calls.
    {parameters}

    Attributes
    ----------
    {attributes}
    eta_ : float
        The first learning rate.

    References
    ----------
    S. Shalev-Shwartz, Y. Singer, N. Srebro, Pegasos: primal estimated sub-gradient solver for SVM, 2007.
    K. Crammer, Y. Singer, On the algorithmic implementation of multiclass kernel-based vector machines, 2001.
    L. Bottou, Large-scale machine learning with stochastic gradient descent, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from novikoff import HingeSGD
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> svm = make_pipeline(StandardScaler(), HingeSGD(lam=0.01, random_state=0)).fit(X, y)
    >>> svm.score(X, y) > 0.97
    True
    """

    lam: float
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearClassifier._parameter_constraints,
        "lam": [Interval(Real, 0, None, closed="neither")],
        "eta": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto", "inverse"})],
        "multiclass": [StrOptions({"worst", "ovr"})],
    }

    def __init__(
        self,
        lam: float = 1e-4,
        *,
        eta: float | str = "auto",
        order: str = "auto",
        batch_size: int | str = 1,
        keep: str = "auto",
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
        return rules.Hinge()

    def _schedule(self, source: RowSource) -> Schedule:
        lam = float(self.lam)
        if self.eta == "inverse":
            self.eta_ = 1 / lam
            return Schedule(self.eta_, slowing=1.0, lam=lam)
        if self.eta == "auto":
            learned = self._learned
            learned.reach = max(learned.reach, usual_reach(self, source))
            self.eta_ = 1 / max(learned.reach, lam)
            return Schedule(self.eta_, slowing=self.eta_ * lam, lam=lam)
        eta = float(self.eta)
        if eta * lam > 1:
            raise ValueError(
                f"eta={self.eta} times lam={self.lam} is more than 1, so the weights would change sign in every step: "
                f"use an eta of at most {1 / lam:.6g}, or eta='auto'."
            )
        self.eta_ = eta
        return Schedule(eta, lam=lam)
