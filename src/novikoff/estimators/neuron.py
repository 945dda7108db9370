"""The logistic neuron."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from ..checks.arrays import refuse_bad_values
from ..checks.sklearn_parts import Interval, StrOptions
from ..learn import rules
from ..learn.learning import Learning, Outcome, RowSource, Solution
from ..learn.rows import public
from ..learn.schedule import Schedule
from ..solvers.choose import likelihood_method, long_likelihood
from ..solvers.lbfgs import Minimum, maximise
from ..solvers.lbfgs import SmoothProblem as Likelihood
from ..solvers.products import FEW_COLUMNS
from ..system.backends import on_backend
from ..system.threads import one_thread
from .classifier import CountedMistakes, LinearClassifier
from .docs import documented
from .rates import refuse_out_of_range, safe_schedule
from .solver_or_steps import asks_for_steps, decay, gap_asked, iterations, penalty

# The largest second derivative of the loss by the scores, for slope 1.  With q = |d - phi|: of cross-entropy q (1 - q); of
# the squared error q^2 (1 - q) |2 - 3 q|; of softmax the largest eigenvalue of diag(p) - p p^T.
CURVATURE = {"cross_entropy": 0.25, "squared": 0.0771, "softmax": 0.5}


def problem_of(learner: Any, learning: Learning) -> Likelihood:
    """What is to be solved for all outputs, except for the rows."""
    state, none = learning.machine.state, np.empty(0)
    intercept, outputs, kind = learning.source.problem.constant2 > 0, state.bias.size, state.weights.dtype
    return Likelihood(None, none, none, intercept, float(learner.slope), learner.l2_, outputs, kind)


def likelihood_here(learner: Any, learning: Learning) -> tuple[str, Callable[[], list[Minimum]]] | None:
    """The solver for rows in memory, and what finds by it the weights of the largest likelihood, less the penalty, of all outputs together or of one after
    the other; None: steps are the better choice, as they are for rows that come part by part."""
    if learning.source.X is None:
        return None
    part, state, whole = next(learning.source.looks()), learning.machine.state, problem_of(learner, learning)
    X, problem, *_ = part
    outputs, joint = whole.outputs, learner._form == "softmax"
    method = learner.solver if learner.solver != "auto" else likelihood_method(X, outputs, joint and outputs > 1)
    if method == "steps":
        return None
    refuse_bad_values(learner, X)
    refuse_out_of_range(learner, part)
    members = problem.members
    X = X if members.size == X.shape[0] else X[members]
    target, weight = problem.target[members], problem.weight[members] if problem.weight.size else problem.weight
    whole = whole._replace(X=X, target=target, weight=weight)
    each = [whole] if joint or outputs == 1 else [whole._replace(target=target == k, outputs=1) for k in range(outputs)]
    start = np.column_stack([public(problem.rows, state.weights), state.bias]).astype(float)
    starts: list[Any] = [None] * len(each) if not start.any() else np.split(start, len(each))

    def find() -> list[Minimum]:
        most, tol = iterations(learner), gap_asked(learner)
        with one_thread():
            found = [
                maximise(one, method, most, learning.clock, tol, begin) for one, begin in zip(each, starts, strict=True)
            ]
        if not learner.l2_ and any(one.reason in ("no_minimum", "solved") for one in found):
            from .separation import overlapping  # and the prover, which not every fit needs

            overlap = overlapping(learner, X, problem, target)  # None: not decided
            wrong = {True: ("no_minimum", "stalled"), False: ("solved", "no_minimum"), None: ("", "")}[overlap]
            found = [one._replace(reason=wrong[1]) if one.reason == wrong[0] else one for one in found]
        if len(found) == 1 and (proof := found[0].proof) is not None:
            learner._counted = CountedMistakes.of(proof.leads, proof.lead_errors, members)
        return found

    return method, find


def combined(learner: Any, found: list[Minimum]) -> Solution:
    """What was found of all outputs, or of one after the other; the first reason that is not "solved" goes for all, and the largest gap."""
    if learner.l2_:
        learner.duality_gap_ = max(one.gap for one in found)
    coef, bias = np.concatenate([one.coef for one in found]), np.concatenate([one.bias for one in found])
    reason = next((one.reason for one in found if one.reason != "solved"), "solved")
    return Solution(coef, bias, reason, max(one.steps for one in found))


@documented
class LogisticNeuron(LinearClassifier):
    """The logistic neuron ``phi(w.x + b)``, ``phi(a) = 1 / (1 + exp(-s a))``, for probabilities: logistic regression.

    With d = 1 for ``classes_[1]`` and 0 for ``classes_[0]``, every row changes the weights.  Cross-entropy,
    ``-d log phi - (1 - d) log(1 - phi)``: ``w <- w + eta s (d - phi) x``, which is maximum likelihood, as in logistic
    regression.  Squared error, ``(d - phi)^2 / 2``: ``w <- w + eta (d - phi) phi' x``, ``phi' = s phi (1 - phi)``, which
    gives little weight to rows that are far on the wrong side.  Several classes: softmax, ``w_k <- w_k + eta s ([k = c] - p_k) x``.

    Choose it if you need probabilities, from a table or from a stream.  Choose the squared error if some labels are wrong.
    Do not choose it for an L1 penalty (use scikit-learn's ``LogisticRegression``).  If the classes are separated, neither
    loss has a minimum without a penalty, and the weights grow without limit: ``on_separation`` says what to do then.

    Parameters
    ----------
    eta : float or "auto", default="auto"
        The learning rate.  "auto" is 1 / L, where the gradient of the loss of a batch is L-Lipschitz: for cross-entropy
        4 / (s R)^2, for softmax 2 / (s R)^2, with R the largest norm of a row with its constant feature (for batches, see
        ``Adaline``).
    loss : {"cross_entropy", "squared"}, default="cross_entropy"
        The loss that is minimised.
    slope : float, default=1.0
        The slope s of phi.
    solver : {"auto", "steps", "newton", "lbfgs"}, default="auto"
        "steps": gradient descent, row after row.  The others minimise the cross-entropy plus the penalty over all rows;
        each of their iterations uses all rows.  They end when the duality gap proves that the objective is above its minimum
        by no more than ``tol`` of it, all rounding included.  "newton": Newton's method, whose matrix has one column for each
        weight, for softmax the weights of all classes.  "lbfgs": L-BFGS, which begins with the inverse of the diagonal of
        that matrix, later of its blocks, in float32 where that is quicker.  Without a penalty there is no such proof: both
        end with a step of Newton's method that changes no score by more than 0.01, so that the remaining error is of the
        order of 0.0001, and where a proof by ``separability`` is cheap (see ``on_separation``), it has the last word; "lbfgs"
        goes over to Newton's method for that, but with more than 1000 weights it ends as
        "stalled", when its directions promise less than 3e-8 per row.  "auto": "steps" if you ask for steps, for
        the squared error, and above about 1e13 multiplications (minutes); "newton" for at most 1000 rows and 100
        weights (softmax: 60); else "lbfgs".
        {wanted}
    on_separation : {"warn", "raise", "ignore"}, default="warn"
        What to do if the classes are separated, completely or quasi-completely: then the loss has no minimum without a
        penalty, and the weights grow without limit.  "warn": without a penalty (``l2_ == 0``), warn if the learned weights
        prove it, or if ``separability`` can decide it quickly (up to a million numbers and 50 weights); there is no warning if
        a solver has found a minimum.  "raise": always call ``separability`` before learning (for at most ``time_limit``), and
        raise ``SeparationError`` with its ``proof``.  If X has numbers that float64 cannot hold, both warn about that instead.
    {parameters}

    Attributes
    ----------
    {attributes}
    eta_ : float
        The learning rate, if steps were taken.
    solver_ : str
        "steps", "newton" or "lbfgs".
    l2_ : float
        The L2 regularisation that was used.
    duality_gap_ : float
        Of a solver with a penalty: the proved relative duality gap, all rounding included.  The objective is above its minimum by no more than
        this part of it, or, if that is larger, of 1e-16 times the objective of zero weights with the best bias; of one-vs-rest, the
        largest gap of all problems.

    References
    ----------
    D. R. Cox, The regression analysis of binary sequences, 1958.
    D. E. Rumelhart, G. E. Hinton, R. J. Williams, Learning representations by back-propagating errors, 1986.
    J. S. Bridle, Probabilistic interpretation of feedforward classification network outputs, 1990.
    D. Bohning, Multinomial logistic regression algorithm, 1992.
    D. C. Liu, J. Nocedal, On the limited memory BFGS method for large scale optimization, 1989.
    A. Albert, J. A. Anderson, On the existence of maximum likelihood estimates in logistic regression models, 1984.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import LogisticNeuron
    >>> X, y = load_iris(return_X_y=True)
    >>> X = scale(X)
    >>> neuron = LogisticNeuron().fit(X[50:], y[50:])
    >>> neuron.predict_proba(X[[70, 149]]).round(1).tolist()
    [[0.5, 0.5], [0.3, 0.7]]
    >>> neuron.solver_, neuron.l2_, neuron.stop_reason_
    ('newton', 1.0, 'solved')
    >>> steps = LogisticNeuron(solver="steps", l2=1, batch_size="all", max_iter=1000).fit(X[50:], y[50:])
    >>> bool(abs(steps.predict_proba(X) - neuron.predict_proba(X)).max() < 0.01)
    True
    """

    loss: str
    slope: float
    solver: str
    on_separation: str
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearClassifier._parameter_constraints,
        "eta": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "loss": [StrOptions({"cross_entropy", "squared"})],
        "slope": [Interval(Real, 0, None, closed="neither")],
        "solver": [StrOptions({"auto", "steps", "newton", "lbfgs"})],
        "max_iter": [*LinearClassifier._parameter_constraints["max_iter"], None],
        "l2": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
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
        solver: str = "auto",
        on_separation: str = "warn",
        l2: float | str = "auto",
        order: str = "auto",
        batch_size: int | str = 1,
        keep: str = "auto",
        multiclass: str = "auto",
        init: Any = "zeros",
        max_iter: int | None = None,
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
                "loss='squared' needs one neuron for each class: use multiclass='ovr' or 'auto', not 'softmax'."
            )
        if self.loss == "squared" and self.solver in ("newton", "lbfgs"):
            raise ValueError(
                f"loss='squared' is not convex, so solver={self.solver!r} cannot solve it: use solver='steps' or 'auto'."
            )

    def _rule(self) -> Any:
        rule = rules.CrossEntropy if self.loss == "cross_entropy" else rules.SquaredNeuron
        return rule(float(self.slope))

    def _curvature(self) -> float:
        kind = "softmax" if self._form == "softmax" else self.loss
        return CURVATURE[kind] * float(self.slope) ** 2

    def _schedule(self, source: RowSource) -> Schedule:
        if source.once:  # partial_fit takes steps
            self.solver_, self.l2_ = "steps", penalty(self, steps=True)
        return safe_schedule(self, source, self._curvature(), decay(self, source, self.l2_))

    def _solve(self, learning: Learning) -> Outcome:
        steps = asks_for_steps(self) or learning.watched or len(self.classes_) < 2
        self.l2_ = penalty(self, steps)
        found = None if steps else (learning.source.likelihood or likelihood_here)(self, learning)
        self.solver_ = "steps" if found is None else found[0]
        return learning.run() if found is None else learning.solve(lambda: combined(self, found[1]()))

    def _is_quick(self, shape: tuple[int, int], compressed: bool, outputs: int) -> bool:
        wide = compressed and shape[1] > FEW_COLUMNS
        return not wide and not long_likelihood(shape, None, outputs)

    def _needs_all_rows(self) -> str:
        if self.solver in ("newton", "lbfgs"):
            return f"solver={self.solver!r} solves for all rows at once"
        if self.on_separation == "raise":
            return "on_separation='raise' first needs a proof about all rows"
        return ""

    def _inspect(self, source: RowSource) -> None:
        if self.on_separation == "raise" and len(self.classes_) > 1:
            from .separation import refuse_separated  # and the prover, which not every fit needs

            refuse_separated(self, source)

    def _advise(self, source: RowSource, outcome: Outcome) -> None:
        super()._advise(source, outcome)
        found = outcome.reason == "solved"  # a minimum, so nothing separates the classes
        if self.on_separation == "warn" and len(self.classes_) > 1 and not (self.l2_ or found):
            from .separation import warn_of_separated  # likewise

            warn_of_separated(self, source, outcome)

    @on_backend
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class, in the order of ``classes_``; with one-vs-rest, scaled so that they add up to 1.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        return np.exp(self.predict_log_proba(X))

    @on_backend
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of ``predict_proba``, also if the probability is too small for a float.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of probabilities.
        """
        return log_probabilities(self.decision_function(X), self.slope, self._form, len(self.classes_))


def log_probabilities(scores: np.ndarray, slope: float, form: str, classes: int) -> np.ndarray:
    """Logarithms of the probabilities of all classes: their softmax or, one against the rest, scaled to add up to 1."""
    from scipy.special import log_expit, log_softmax

    with np.errstate(over="ignore"):
        if form == "softmax" and scores.ndim == 2:
            return log_softmax(slope * (scores - scores.max(axis=1, keepdims=True)), axis=1)
        most = np.finfo(scores.dtype).max
        scores = np.clip(slope * scores, -most, most)
    if scores.ndim == 1:
        return np.column_stack([log_expit(-scores), log_expit(scores)])[:, :classes]
    return log_softmax(log_expit(scores), axis=1)
