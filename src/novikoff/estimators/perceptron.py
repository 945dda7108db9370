"""The perceptron."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from ..rounding import REMEDY
from .advice import not_separated, remark
from .classifier import LinearClassifier
from .docs import documented

if TYPE_CHECKING:
    from ..loop import Choices, Machine, Outcome
    from ..problem import Problem


@documented
class Perceptron(LinearClassifier):
    """The perceptron, complete: every order, batch size, keep and multi-class form, and the truth about how it ended.

    On a mistake, ``y (w.x + b) <= 0``, the weights move by ``w <- w + eta y x`` (Rosenblatt 1958); a tie is a mistake.
    If weights exist that separate the classes, the perceptron finds some after finitely many mistakes (Novikoff 1962), given
    time and but for rounding, and ``stop_reason_`` is then "separated".  Of the multi-class forms that holds for "worst" and
    "uniform", and for "ovr" if each class can be separated from all others together.

    Choose it when classes are separable or nearly so, when training must be fast or online, with ``keep="average"`` as
    a strong and cheap first classifier.  Do not choose it when you need probabilities (use logistic regression) or the
    largest margin (use a support vector machine), or when columns differ much in scale and you will not scale them.

    Parameters
    ----------
    eta : float, default=1.0
        Step.  From zero weights, without rounding, it changes their length only, not any answer.  In floats that holds for
        powers of two; sums of other steps, such as 0.1, are rounded, and ties may then fall the other way.
    {parameters}

    Attributes
    ----------
    {attributes}
    cycle_ : Cycle
        Only if ``stop_reason_`` is "cycle": ``rows`` and ``steps`` of one round; ``proves_inseparable``: whether they prove that no
        weights separate the classes; ``against_rest``: of ``multiclass="ovr"``, the classes that they prove not to be separable
        from all others together.
    votes_ : Votes
        Only with ``keep="vote"``.

    References
    ----------
    F. Rosenblatt, The perceptron: a probabilistic model for information storage and organization in the brain, 1958.
    A. B. J. Novikoff, On convergence proofs on perceptrons, 1962.
    S. I. Gallant, Perceptron-based learning algorithms, 1990.
    Y. Freund, R. E. Schapire, Large margin classification using the perceptron algorithm, 1999.
    K. Crammer, Y. Singer, Ultraconservative online algorithms for multiclass problems, 2003.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]
    >>> clf = Perceptron(order="cyclic").fit(X, y)
    >>> clf.stop_reason_, clf.n_mistakes_, clf.n_errors_
    ('separated', 18, 0)
    >>> clf.predict([[1, 1], [1, 0]]).tolist()
    ['yes', 'no']
    """

    _cycle_proves = True
    _share_of_lead = 1.0  # a mistake of two classes moves both outputs of the multi-class rule by a whole step
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearClassifier._parameter_constraints,
        "eta": [Interval(Real, 0, None, closed="neither")],
        "keep": [StrOptions({"last", "average", "vote", "pocket", "run", "ratchet"})],
        "max_votes": [Interval(Integral, 1, None, closed="left"), None],
        "multiclass": [StrOptions({"worst", "all", "uniform", "ovr"})],
    }

    def __init__(
        self,
        eta: float = 1.0,
        *,
        order: str = "auto",
        batch_size: int | str = 1,
        keep: str = "last",
        max_votes: int | None = 100,
        multiclass: str = "worst",
        init: Any = "zeros",
        max_iter: int = 1000,
        tol: float | None = None,
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
        self._store(locals())

    def _rule(self) -> Any:
        from .. import rules

        return rules.Perceptron()

    def _solve(self, X: Any, machine: Machine, choices: Choices) -> Outcome:
        if self._form == "all":
            from ..cycles import goes_round

            choices = choices._replace(goes_round=lambda tally: goes_round(tally, X, self.fit_intercept))
        return super()._solve(X, machine, choices)

    def _advise(self, X: Any, problem: Problem, order: str, outcome: Outcome) -> None:
        from ..cycles import read_cycle

        if outcome.cycle is not None:
            self.cycle_ = read_cycle(outcome.cycle, X, problem.target, self._form, self.fit_intercept)
            if self.cycle_.proves_inseparable and self._rounded is not None:
                self.cycle_ = replace(self.cycle_, proves_inseparable=False)
                remark(
                    f"X has {self._rounded}: the fit has learned from rounded numbers, so the cycle of its weights proves nothing. "
                    f"{REMEDY}."
                )
        if outcome.reason in ("budget", "time", "cycle"):
            remark(not_separated(self, X, problem, order, outcome))
