"""The perceptron."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..checks.rounding import REMEDY
from ..checks.sklearn_parts import Interval, StrOptions
from ..learn import rules
from ..learn.keeps import KEEPS
from ..learn.learning import Outcome, RowSource
from ..system.clock import Countdown
from .advice import not_separated, warn
from .base import rounded_number
from .classifier import LinearClassifier
from .docs import documented

if TYPE_CHECKING:
    from ..proof.answer.proofs import Proof

LITTLE_WORK = 16_000  # numbers of all pairs (row, rival), times their dimensions: a proof takes some milliseconds
LOOKS = 2_000  # at the clock; such proofs take fewer than a tenth of them


@documented
class Perceptron(LinearClassifier):
    """The perceptron, with many choices (order, batch size, kept weights, multi-class form) and a clear reason why a fit ended.

    On a mistake, ``y (w.x + b) <= 0``, the weights change by ``w <- w + eta y x`` (Rosenblatt 1958); a tie is a mistake.
    If the classes are separable, the perceptron finds separating weights after finitely many mistakes (Novikoff 1962), if it
    has enough passes (``max_iter``, ``min_progress=None``) and apart from rounding; ``stop_reason_`` is then "separated".
    For several classes this holds for the forms "worst" and "uniform", and for "ovr" if each class can be separated from
    all others together.

    The fit stops when more passes do not make fewer mistakes.  On small data it first looks for a proof: if no weights
    separate the classes, ``stop_reason_`` is "inseparable" and ``proof_`` has the proof; if some weights do, the fit goes on.
    After a stop without separation, the model keeps the average of all weights during the fit.
    ``keep="last", min_progress=None`` is the algorithm as textbooks have it.

    Choose it if the classes are separable or nearly separable, if training must be fast or online, or as a fast and accurate
    first classifier.  Do not choose it if you need probabilities (use logistic regression) or the largest margin (use a
    support vector machine), or if the columns differ much in scale and you will not scale them.

    Parameters
    ----------
    eta : float, default=1.0
        The learning rate.  If the weights start at zero, it changes only their length and no prediction.  With floats this is
        exact for powers of two; sums of other steps, such as 0.1, are rounded, and ties may then be decided differently.
    {parameters}

    Attributes
    ----------
    {attributes}
    cycle_ : Cycle
        Only if ``stop_reason_`` is "cycle": ``rows`` and ``steps`` of one cycle; ``proves_inseparable``: whether they prove that
        no weights separate the classes; ``against_rest``: with ``multiclass="ovr"``, the classes that are proved not to be
        separable from all others together; ``witness``: the proof; ``save``: writes it to a file.
    proof_ : Proof
        Only if the fit decided whether the classes are separable: the result of ``separability``.  With ``multiclass="ovr"``,
        for one class, ``proof_.against_rest``, against the rest.
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

    _share_of_lead = 1.0  # a mistake of two classes moves both outputs of the multi-class rule by a whole step
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearClassifier._parameter_constraints,
        "eta": [Interval(Real, 0, None, closed="neither")],
        "keep": [StrOptions(set(KEEPS))],
        "max_votes": [Interval(Integral, 1, None, closed="left"), None],
        "multiclass": [StrOptions({"worst", "all", "uniform", "ovr"})],
    }

    def __init__(
        self,
        eta: float = 1.0,
        *,
        order: str = "auto",
        batch_size: int | str = 1,
        keep: str = "auto",
        max_votes: int | None = 100,
        multiclass: str = "worst",
        init: Any = "zeros",
        max_iter: int = 1000,
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
        return rules.Perceptron()

    def _confirm_cycle(self, source: RowSource) -> Callable[[np.ndarray], bool] | None:
        if source.X is None:
            return None
        if self._form != "all":
            return lambda steps: True
        from ..proof.check.cycles import goes_round  # with exact arithmetic, which most fits do without

        return lambda steps: goes_round(steps, source.X, self.fit_intercept)

    def _prover(self, source: RowSource) -> Callable[[], Any] | None:
        if self._form == "all":  # of which no theorem says that mistakes end
            return None
        return source.prove if source.X is None else lambda: found_proof(self, source)

    def _advise(self, source: RowSource, outcome: Outcome) -> None:
        X, problem = source.X, source.problem
        if X is None:
            super()._advise(source, outcome)
            return
        if outcome.cycle is not None:
            from ..proof.check.cycles import read_cycle  # likewise

            cycle = read_cycle(outcome.cycle, X, problem.target, self._form, self.fit_intercept, self.classes_)
            self.cycle_, proves = cycle, cycle.proves_inseparable or cycle.against_rest.size > 0
            if proves and (rounded := rounded_number(self, source)) is not None:
                self.cycle_ = replace(cycle, proves_inseparable=False, against_rest=cycle.against_rest[:0])
                warn(
                    f"X has {rounded}: the fit has learned from rounded numbers, so the cycle of its weights proves nothing. "
                    f"{REMEDY}."
                )
        if outcome.reason in ("budget", "time", "cycle", "no_progress", "inseparable"):
            warn(not_separated(self, X, problem, source.plan.order, outcome))


def found_proof(learner: LinearClassifier, source: RowSource) -> Proof | None:
    """Whether rows can be separated that a perceptron makes no progress on, asked where that costs about as much as the fit itself:
    the proof that classes, or one class and the rest, are not separable; else that they are; None where it is not found,
    would take long, would be of rounded numbers, or would name rows by other numbers, since some take no part."""
    # The work is counted, not timed, so that the same rows give the same answer everywhere.
    X, problem = source.X, source.problem
    rivals = 1 if learner._form in ("binary", "ovr") else learner._n_outputs - 1
    work = problem.members.size * ((X.shape[1] + 1) * rivals) ** 2
    if work > LITTLE_WORK or problem.members.size < X.shape[0] or rounded_number(learner, source) is not None:
        return None
    from .separation import proofs, rows_of  # with exact arithmetic, which most fits do without

    clock, proof = Countdown(LOOKS), None
    for _, proof in proofs(learner, *rows_of(X, problem), clock):  # copies: a model keeps no data of its user alive
        if not proof.separable:
            return proof if proof.separable is False else None
    return proof
