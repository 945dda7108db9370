"""The linear support vector machine, with a proof of how close it is."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..inputs.arrays import DTYPES, generator
from ..inputs.clock import Clock
from ..inputs.sklearn_parts import Interval, StrOptions
from ..solvers.crammer_singer import Joint, JointAnswer, signed
from ..solvers.problem import Answer, Problem
from .answers import LinearAnswers
from .support import Rows, SupportVectorMachine

if TYPE_CHECKING:
    from ..solvers.solve import Outcome


class LinearSVM(LinearAnswers, SupportVectorMachine):
    """The linear support vector machine, with a proof of how close the result is to the optimum.

    It minimises ``1/2 |w|^2 + C sum_i max(0, 1 - y_i (w.x_i + b))^2``, with the squares of the slacks, or with ``loss="hinge"``
    the slacks themselves (Cortes & Vapnik 1995); the bias is not penalised.  A fit ends when the duality gap proves that the
    relative distance of the objective from its minimum is at most ``tol``, for any scale of the columns, any distance from
    zero and any C, if weights in float64 are exact enough for that.  If they are not, ``stop_reason_`` says so, and the
    reported gap is still true for the weights in ``coef_``, including all rounding.  ``C=inf`` is the hard margin: the fit
    raises an error with a proof if no weights separate the classes, and also if some weights do, but none in float64.

    Choose it for tables for which the result must be correct and repeatable.  Do not choose it for streams (``HingeSGD``), for
    probabilities (``LogisticNeuron``, or scikit-learn's ``CalibratedClassifierCV`` around it), or for classes that no line
    separates well (``KernelSVM``).

    Parameters
    ----------
    C : float, default=1.0
        The penalty for the slack of a row; ``inf`` allows no slack.
    loss : {"auto", "squared_hinge", "hinge"}, default="auto"
        "squared_hinge": the squares of the slacks, which predicts better if several classes overlap; "hinge": the slacks, as in
        the original machine, with fewer support vectors; "auto": "squared_hinge", but "hinge" with
        ``multiclass="crammer_singer"``, which has no other loss.
    tol : float, default=0.0001
        The largest relative duality gap.  A smaller one hardly ever changes a prediction.  The exception is ``loss="hinge"`` if
        the weights of one class against the rest are nearly zero, as may happen if several classes overlap much: use 1e-6
        then.
    fit_intercept : bool, default=True
        Whether to learn a bias.
    multiclass : {"ovr", "crammer_singer"}, default="ovr"
        How to learn three or more classes.  "ovr": one-vs-rest, a separate problem for each class.  "crammer_singer": all
        classes in one problem, where the slack of a row is what its class needs to lead every rival by 1 (Crammer & Singer
        2001), only with the hinge loss.
    class_weight : dict, "balanced" or None, default=None
        Factors of C for each class.
    solver : {"auto", "newton", "interior", "descent"}, default="auto"
        "newton": Newton's method for the squared hinge, for all classes at once, for rows that are dense or have few columns;
        "interior": a primal-dual interior point method, for a moderate number of columns or rows; "descent": dual coordinate
        descent, for many columns; "auto": one of them by the loss and the shape of X, and others if it gets no further.
    time_limit : float or None, default=None
        Stop after this many seconds.
    warm_start : bool, default=False
        Whether to start from the result of the last fit.
    random_state : int, RandomState instance or None, default=None
        The seed of all random choices: the order of rows, and samples of them.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        ``alpha_i y_i`` of the dual point: ``dual_coef_ @ X[support_]`` are its weights, which differ from ``coef_`` only by the gap.
    support_ : ndarray of shape (n_support,)
        Row numbers of the support vectors, ``alpha_i > 0``, ascending.
    slack_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        By how much each row falls short of its margin; 0 for rows that did not take part.
    margin_ : float or ndarray of shape (n_classes,)
        ``1 / |w|``, half the width of the band between the margin lines; with "crammer_singer" one over the norm of all
        weights.
    objective_ : float
        An upper bound of the objective of these weights (possible rounding errors are added); with one-vs-rest, the sum over all
        problems.
    duality_gap_ : float
        ``(P - D) / P`` from a feasible dual point; with one-vs-rest, the largest gap of all problems.
    loss_ : str
        The loss: "squared_hinge" or "hinge".
    solver_ : str
        The method, or methods, used: "newton", "interior", "descent" or "separability" (``C=inf``).  Fitted to Dask
        collections, a machine has no ``dual_coef_``, ``support_`` and ``slack_``, which have numbers for rows.
    stop_reason_ : str
        "solved" (the gap is at most ``tol``), "time" (``time_limit``) or "stalled" (the limits of float64).
    n_iter_ : int
        Steps (Newton's method), iterations (interior point) and sweeps (descent), over all problems; of Dask collections the
        rounds, in which all problems take part.
    history_ : dict of ndarrays
        ``seconds`` since the start, and the relative ``gap`` there as the method estimated it, over all problems; the last one of each
        problem is proved.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X had string column names.

    References
    ----------
    C. Cortes, V. Vapnik, Support-vector networks, 1995.
    M. Ferris, T. Munson, Interior-point methods for massive support vector machines, 2003.
    S. S. Keerthi, D. DeCoste, A modified finite Newton method for fast solution of large scale linear SVMs, 2005.
    C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan, A dual coordinate descent method for large-scale
    linear SVM, 2008.
    K. Crammer, Y. Singer, On the algorithmic implementation of multiclass kernel-based vector machines, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from novikoff import LinearSVM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = LinearSVM().fit(X, y)
    >>> clf.stop_reason_, clf.duality_gap_ <= 1e-6, round(clf.objective_, 2)
    ('solved', True, 55.36)
    >>> hard = LinearSVM(C=float("inf")).fit(X, y)  # these data are separable
    >>> round(hard.margin_, 10), hard.score(X, y)
    (4.13714e-05, 1.0)
    """

    _kinds: ClassVar[Any] = DTYPES
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SupportVectorMachine._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="right")],
        "loss": [StrOptions({"auto", "squared_hinge", "hinge"})],
        "fit_intercept": ["boolean"],
        "multiclass": [StrOptions({"ovr", "crammer_singer"})],
        "solver": [StrOptions({"auto", "newton", "interior", "descent"})],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: str = "auto",
        tol: float = 1e-4,
        fit_intercept: bool = True,
        multiclass: str = "ovr",
        class_weight: Any = None,
        solver: str = "auto",
        time_limit: float | None = None,
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.loss = loss
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.solver = solver
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.random_state = random_state

    def _solve(self, rows: Rows, clock: Clock) -> None:
        if self.multiclass == "crammer_singer" and self.loss == "squared_hinge":
            raise ValueError(
                "multiclass='crammer_singer' works only with the hinge loss: use loss='hinge', or multiclass='ovr'."
            )
        if self.solver == "newton" and (self.loss == "hinge" or self.multiclass == "crammer_singer"):
            raise ValueError(
                "solver='newton' works only with the squared hinge: use loss='squared_hinge' with multiclass='ovr', or solver='auto'."
            )
        self.loss_ = self.loss
        if self.loss == "auto":
            self.loss_ = "hinge" if self.multiclass == "crammer_singer" else "squared_hinge"
        joint = self.multiclass == "crammer_singer" and len(self.classes_) > 2
        outcomes = [self._solve_joint(rows, clock)] if joint else self._solve_each(rows, clock)
        self.solver_ = "+".join(dict.fromkeys(name for outcome in outcomes for name in outcome.solver.split("+")))
        self._report(outcomes)

    def _solve_each(self, rows: Rows, clock: Clock) -> list[Outcome]:
        """Two classes, or one against the rest."""
        from ..solvers.machines import descend_on, is_dense_enough, is_wide, newton_together  # not to predict
        from ..solvers.together import few, solve_together  # likewise

        signs, names = self._one_against_rest(rows.target)
        starts = self._starts(rows, len(signs))
        first = Problem(rows.X, signs[0], self.C * rows.weight, self.loss_ == "squared_hinge", self.fit_intercept)
        outcomes: list[Outcome] = []
        newton = first.squared and self.solver in ("auto", "newton")
        together, cold = (newton or self.solver == "auto") and np.isfinite(self.C), starts[0] is None
        if together and few(first) and (first.squared or cold):
            outcomes, slack = solve_together(first, signs, self.tol, clock, starts)
        elif together and newton and is_dense_enough(first.X):
            outcomes, slack = newton_together(first, signs, self.tol, clock, starts)
        first = first._replace(X=first.X.astype(float, copy=False))
        if together and not outcomes and cold and is_wide(first):
            outcomes, slack = descend_on(first, signs, self.tol, clock, generator(self.random_state))
        if not outcomes or any(outcome.reason != "solved" for outcome in outcomes):
            outcomes, slack = self._solve_one_by_one(first, signs, names, clock, starts, outcomes)
        answers = [outcome.answer for outcome in outcomes]
        self.coef_ = np.array([answer.w for answer in answers])
        self.intercept_ = np.array([answer.b for answer in answers])
        alphas = np.array([answer.alpha for answer in answers])
        self._hand_back(rows, alphas * signs, slack)
        self.margin_ = over_norms(self.coef_) if len(answers) > 1 else float(over_norms(self.coef_)[0])
        self._last = alphas, self.C
        return outcomes

    def _solve_one_by_one(
        self,
        first: Problem,
        signs: np.ndarray,
        names: list[str],
        clock: Clock,
        starts: list[Any],
        known: list[Outcome],
    ) -> tuple[list[Outcome], np.ndarray]:
        """The problems of many rows, each on its own, and what is left of those of few; their slacks."""
        from ..solvers.hard import hard_margin  # likewise
        from ..solvers.margin_audit import AuditRows  # likewise
        from ..solvers.solve import NO_START, after, given, solve  # likewise

        near = AuditRows(first)
        rng = generator(self.random_state)
        outcomes: list[Outcome] = []
        slack = np.empty(signs.shape)
        for k, name in enumerate(names):
            rows = near.of(first._replace(signs=signs[k]))
            if np.isinf(self.C):
                outcome = given(hard_margin(rows, clock, name), "separability", self.tol, clock)
            elif known and known[k].reason == "solved":
                outcome = known[k]
            else:
                start = known[k].answer if known and known[k].answer.gap < NO_START else starts[k]
                outcome = solve(rows, self.tol, self.solver, clock, rng, start)
                outcome = after(known[k], outcome) if known else outcome
            outcomes.append(outcome)
            slack[k] = rows.slacks(outcome.answer.w, outcome.answer.b)
        return outcomes, slack

    def _solve_joint(self, rows: Rows, clock: Clock) -> Outcome:
        """All classes at once."""
        from ..solvers.hard import joint_hard_margin  # likewise
        from ..solvers.margin_audit import AuditRows  # with exact arithmetic, which predicting does without
        from ..solvers.solve import given, solve_joint  # likewise

        X = rows.X.astype(float, copy=False)
        problem = Joint(X, rows.target, len(self.classes_), self.C * rows.weight, self.fit_intercept)
        near = AuditRows(problem)
        if np.isinf(self.C):
            outcome = given(joint_hard_margin(near, clock), "separability", self.tol, clock)
        else:
            rng = generator(self.random_state)
            outcome = solve_joint(near, self.tol, self.solver, clock, rng, self._joint_start(rows))
        answer = outcome.answer
        self.coef_, self.intercept_ = answer.w, answer.b
        self._hand_back(rows, signed(rows.target, answer.alpha).T, near.slacks(answer.w, answer.b)[None])
        self.margin_ = float(over_norms(answer.w.reshape(1, -1))[0])
        self._last = answer.alpha[None], self.C
        return outcome

    def _joint_start(self, rows: Rows) -> JointAnswer | None:
        """The answer of the last fit, if it was of the same rows: alpha for this C."""
        alphas, C = getattr(self, "_last", (np.empty((0, 0)), 1.0))
        shape = 1, rows.target.size, len(self.classes_)
        if not self.warm_start or alphas.shape != shape or self.coef_.shape[1] != rows.X.shape[1] or np.isinf(C):
            return None
        return JointAnswer(self.coef_, self.intercept_, alphas[0] * (self.C / C), 0.0, 0.0)

    def _starts(self, rows: Rows, problems: int) -> list[Any]:
        """The answers of the last fit: alpha, for this C, of the same rows; of others only the weights."""
        alphas, C = getattr(self, "_last", (np.empty((0, 0)), 1.0))
        if not self.warm_start or alphas.ndim != 2 or len(alphas) != problems or self.coef_.shape[1] != rows.X.shape[1]:
            return [None] * problems
        same = alphas.shape[1] == rows.target.size and np.isfinite(C) and np.isfinite(self.C)
        scaled = alphas * (self.C / C) if same else np.zeros((problems, rows.target.size))
        return [Answer(*parts, 0.0, 0.0) for parts in zip(self.coef_, self.intercept_.tolist(), scaled, strict=True)]

    def _hand_back(self, rows: Rows, shares: np.ndarray, slack: np.ndarray) -> None:
        """Set what users see of the dual point, and of the slacks."""
        held = np.flatnonzero(shares.any(axis=0))
        self.support_, self.dual_coef_ = rows.members[held], shares[:, held]
        everywhere = np.zeros((rows.total, len(slack)))
        everywhere[rows.members] = slack.T
        self.slack_ = everywhere if len(slack) > 1 else everywhere[:, 0]


def over_norms(coef: np.ndarray) -> np.ndarray:
    """One over the norm of each row of weights; zero weights have an infinite margin."""
    norms = np.linalg.norm(coef, axis=1)
    return np.divide(1.0, norms, out=np.full(len(norms), np.inf), where=norms > 0)
