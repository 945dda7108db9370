"""The approximate large margin algorithm."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

from ..checks.sklearn_parts import Interval, StrOptions
from ..learn import rules
from ..learn.learning import RowSource
from ..learn.schedule import Schedule
from .adagrad import SingleRows, for_single_rows
from .classifier import LinearClassifier
from .docs import documented


@documented
class ALMAClassifier(SingleRows, LinearClassifier):
    """Approximate large margin algorithm: steps on single rows, to at least ``1 - alpha`` times the largest margin.

    For update k = 1, 2, ..., a row with ``y (w.x + b) / |x| <= (1 - alpha) B / sqrt(k)`` changes the weights by
    ``w <- w + C / sqrt(k) y x / |x|``, and then ``w <- w / max(1, |w|)`` (Gentile 2001, with p = 2).  The bias is the weight
    of one more constant feature, which is part of ``|x|`` and ``|w|``.  If weights of length 1 exist that give every row of length 1
    a margin of at least g, there are at most ``2 / g^2 (2 / alpha - 1)^2 + 8 / alpha - 4`` updates, ``stop_reason_`` is then
    "separated", and every margin is more than ``(1 - alpha) g``; this holds for the default B and C.  Several
    classes are learned by one-vs-rest.

    Choose it for a large margin on separable classes, on data that are too large for an exact solver or arrive as a
    stream, with no learning rate to tune.  Do not choose it for tables of moderate size, where ``LinearSVM`` finds the
    largest margin and proves it.  Do not choose it if classes overlap much or sample weights differ by orders of magnitude
    (use ``HingeSGD``), or if you need probabilities (``LogisticNeuron``).

    Parameters
    ----------
    alpha : float, default=0.9
        The share of the largest margin that may be missed, in (0, 1]: a smaller alpha gives a wider margin and needs more
        updates.  With 1, only mistakes change the weights.
    B : float or "auto", default="auto"
        The first margin that rows must have; "auto": ``sqrt(8) / alpha``.
    C : float or "auto", default="auto"
        The length of the first step; "auto": ``sqrt(2)``.
    {parameters}

    Attributes
    ----------
    {attributes}
    votes_ : Votes
        Only with ``keep="vote"``.

    References
    ----------
    C. Gentile, A new approximate maximal margin classification algorithm, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novikoff import ALMAClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = ALMAClassifier(random_state=0).fit(X, y == 0)
    >>> clf.stop_reason_, clf.n_errors_
    ('separated', 0)
    """

    alpha: float
    B: float | str
    C: float | str
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **for_single_rows(LinearClassifier),
        "alpha": [Interval(Real, 0, 1, closed="right")],
        "B": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "C": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "keep": [StrOptions({"auto", "last", "average", "vote", "pocket"})],
        "max_votes": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        alpha: float = 0.9,
        *,
        B: float | str = "auto",
        C: float | str = "auto",
        order: str = "auto",
        keep: str = "auto",
        max_votes: int | None = 100,
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
        alpha = float(self.alpha)
        B, C = 8**0.5 / alpha if self.B == "auto" else self.B, 2**0.5 if self.C == "auto" else self.C
        return rules.ALMA(alpha, float(B), float(C))

    _rate_from_rows = False

    def _schedule(self, source: RowSource) -> Schedule:
        return Schedule(1.0)
