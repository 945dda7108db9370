"""The linear support vector machine, with a proof of how close it is."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from ..checks.arrays import DTYPES
from ..checks.sklearn_parts import Interval, StrOptions
from ..system.clock import Clock
from .classifier import LinearAnswers
from .svm_base import SupportVectorMachine, SVMRows, conclude


class LinearSVM(LinearAnswers, SupportVectorMachine):
    """The linear support vector machine, with a proof of how close the result is to the optimum.

    It minimises ``1/2 |w|^2 + C sum_i max(0, 1 - y_i (w.x_i + b))^2``, with the squares of the slacks, or with ``loss="hinge"``
    the slacks themselves (Cortes & Vapnik 1995); the bias is not penalised.  A fit ends when the duality gap proves that the
    relative distance of the objective from its minimum is at most ``tol``, for columns of any scale, at any distance from zero,
    as long as float64 can hold an answer that is so exact: as a rule, up to C times the square of the longest row of about 1e16.
    Beyond, as with a column of nanoseconds, a fit may stop before; then ``stop_reason_`` says so, and the reported gap is still true for the weights in
    ``coef_``, including all rounding.  ``C=inf`` is the hard margin: the fit
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
        "newton": Newton's method, with the method of multipliers for the hinge, all classes in one batch; "descent": dual coordinate
        descent, for many columns, and Newton's method where sweeps get slow; "interior": the method for high precision,
        which is "newton" as well, except with "crammer_singer"; "auto": one of them by the shape of X, and others if it gets no
        further.
    time_limit : float or None, default=None
        Stop after this many seconds.
    warm_start : bool, default=False
        Whether to start from the result of the last fit.
    random_state : int, RandomState instance or None, default=None
        The seed of all random choices: the order of rows.  None is 0: a fit without a seed is repeatable, too.

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
        Steps (Newton's method) and sweeps (descent), over all problems; of Dask collections the
        rounds, in which all problems take part.
    history_ : dict of ndarrays
        ``seconds`` since the start, and the largest relative ``gap`` proved until then, after each method that was tried.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X had string column names.

    References
    ----------
    C. Cortes, V. Vapnik, Support-vector networks, 1995.
    R. T. Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm in convex programming, 1976.
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

    def _not_in_partitions(self) -> str:
        if np.isinf(self.C):
            return "C=inf asks for a proof that the classes are separable; choose a finite C"
        if self.multiclass == "crammer_singer":
            return "multiclass='crammer_singer' solves for all classes at once; use 'ovr'"
        if self.solver != "auto":
            return f"solver={self.solver!r} keeps a number for every row in one place; use 'auto'"
        return ""

    def _solve(self, rows: SVMRows, clock: Clock) -> None:
        if self.multiclass == "crammer_singer" and self.loss == "squared_hinge":
            raise ValueError(
                "multiclass='crammer_singer' works only with the hinge loss: use loss='hinge', or multiclass='ovr'."
            )
        if self.solver == "newton" and self.multiclass == "crammer_singer":
            raise ValueError("solver='newton' works only with multiclass='ovr': use that, or solver='auto'.")
        self.loss_ = self.loss
        if self.loss == "auto":
            self.loss_ = "hinge" if self.multiclass == "crammer_singer" else "squared_hinge"
        joint = self.multiclass == "crammer_singer" and len(self.classes_) > 2
        if np.isinf(self.C):
            self._solve_hard(rows, clock, joint)
        else:
            self._solve_soft(rows, clock, joint)

    def _solve_soft(self, rows: SVMRows, clock: Clock, joint: bool) -> None:
        """Two classes, one against the rest, or all classes at once."""
        from ..solvers.audit import Fit  # with exact arithmetic: not to predict
        from ..solvers.choose import all_classes_methods, machine_methods  # likewise
        from ..solvers.machines import solve  # likewise
        from ..solvers.objectives import CrammerSinger, Hinge, SquaredHinge  # likewise

        X, bounds, classes = rows.X, self.C * rows.weight, len(self.classes_)
        loss: Any
        if joint:
            loss, methods = CrammerSinger(rows.target, bounds, classes), all_classes_methods(X, classes, self.solver)
        else:
            signs, _ = self._one_against_rest(rows.target)
            loss = (SquaredHinge if self.loss_ == "squared_hinge" else Hinge)(signs, bounds)
            methods = machine_methods(X, self.solver)
        start = self._start(rows, loss)
        seed = 0 if self.random_state is None else self.random_state
        solved = solve(loss, Fit(X, self.fit_intercept, 1.0), self.tol, methods, clock, seed, start)
        self.solver_ = solved.solver
        self._hand_back(rows, solved.proof, np.maximum(0.0, 1.0 - loss_margins([loss], solved.proof.scores)))
        self._remember(solved.proof.shares, joint)
        gaps = solved.gaps
        reason = "solved" if gaps.max() <= self.tol else "time" if clock.over else "stalled"
        conclude(self, solved.proof.gap.primal.tolist(), gaps.tolist(), int(solved.steps.sum()), solved.history, reason)

    def _solve_hard(self, rows: SVMRows, clock: Clock, joint: bool) -> None:
        """No slack at all."""
        from ..solvers.audit import Fit, GapBounds, GapProof  # likewise
        from ..solvers.hard_margin import hard_margin  # likewise
        from ..solvers.objectives import CrammerSinger, Hinge  # likewise

        fit, bounds = Fit(rows.X.astype(float, copy=False), self.fit_intercept, 1.0), self.C * rows.weight
        signs, names = self._one_against_rest(rows.target)
        losses: list[Any] = [Hinge(line[None], bounds) for line in signs]
        if joint:
            losses, names = [CrammerSinger(rows.target, bounds, len(self.classes_))], [""]
        proofs = [hard_margin(loss, fit, clock, name) for loss, name in zip(losses, names, strict=True)]
        gaps = [proof.gap.relative for proof in proofs]
        primal, dual = (np.concatenate([proof.gap[side] for proof in proofs]) for side in (0, 1))
        proof = GapProof(
            np.concatenate([proof.coef for proof in proofs]),
            np.concatenate([proof.bias for proof in proofs]),
            GapBounds(primal, dual, 0.0),
            np.concatenate([proof.shares for proof in proofs], axis=1),
            np.concatenate([proof.scores for proof in proofs], axis=1),
        )
        margins = loss_margins(losses, proof.scores)
        self.solver_ = "separability"
        self._hand_back(rows, proof, np.maximum(0.0, 1.0 - margins))
        self._remember(proof.shares, joint)
        reason = "solved" if max(gaps) <= self.tol else "time" if clock.over else "stalled"
        history = [(clock.seconds, gap) for gap in gaps]
        conclude(self, primal.tolist(), gaps, len(gaps), history, reason)

    def _remember(self, shares: np.ndarray, joint: bool) -> None:
        """The dual point, for warm starts: alpha, (outputs, rows), or (1, rows, classes) of all classes at once."""
        self._last = np.maximum(-shares, 0.0)[None] if joint else np.abs(shares.T), self.C

    def _start(self, rows: SVMRows, loss: Any) -> Any:
        """What the last fit found: its dual point, for this C, if it was of the same rows; of others only the weights."""
        from ..solvers.audit import Candidate  # likewise

        alphas, C = getattr(self, "_last", (np.empty((0, 0)), 1.0))
        outputs = loss.outputs if loss.joint else len(loss.signs)
        if not self.warm_start or not alphas.size or self.coef_.shape != (outputs, rows.X.shape[1]):
            return None
        shares = None
        if np.isfinite(C) and alphas.shape == ((1, rows.target.size, outputs) if loss.joint else loss.signs.shape):
            alphas = alphas * (self.C / C)
            from ..solvers.crammer_singer import signed  # likewise

            shares = signed(rows.target, alphas[0]) if loss.joint else (alphas * loss.signs).T
        return Candidate(self.coef_, self.intercept_, np.zeros(outputs, np.int64), shares)

    def _hand_back(self, rows: SVMRows, proof: Any, slack: np.ndarray) -> None:
        """Set what users see of both points, and of the slacks."""
        self.coef_, self.intercept_ = proof.coef, proof.bias
        lengths = over_norms(self.coef_ if len(proof.gap.primal) == len(self.coef_) else self.coef_.reshape(1, -1))
        self.margin_ = lengths if len(lengths) > 1 else float(lengths[0])
        held = np.flatnonzero(proof.shares.any(axis=1))
        self.support_, self.dual_coef_ = rows.members[held], proof.shares[held].T
        everywhere = np.zeros((rows.total, len(slack)))
        everywhere[rows.members] = slack.T
        self.slack_ = everywhere if len(slack) > 1 else everywhere[:, 0]


def loss_margins(losses: list[Any], scores: np.ndarray) -> np.ndarray:
    """The margins of all rows in every problem."""
    if losses[0].joint:
        return losses[0].margins(scores, np.zeros_like(scores))[0]
    return np.concatenate([loss.signs for loss in losses]) * scores.T


def over_norms(coef: np.ndarray) -> np.ndarray:
    """One over the norm of each row of weights; zero weights have an infinite margin."""
    norms = np.linalg.norm(coef, axis=1)
    return np.divide(1.0, norms, out=np.full(len(norms), np.inf), where=norms > 0)


def forget_rows(machine: LinearSVM) -> None:
    """Forget what an earlier fit knew of every row."""
    for name in ("support_", "dual_coef_", "slack_", "_last"):
        machine.__dict__.pop(name, None)
