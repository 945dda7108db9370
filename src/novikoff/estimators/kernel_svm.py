"""The support vector machine with kernels."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..dual.kernels import make_kernel
from ..inputs.arrays import read_X
from ..inputs.clock import Clock
from ..inputs.sklearn_parts import Interval, StrOptions
from .support import Rows, SupportVectorMachine

MEGABYTE = 1e6


class KernelSVM(SupportVectorMachine):
    """The support vector machine with kernels: linear in the features of a kernel, never reckoning them.

    It is the same problem as ``LinearSVM(loss="hinge")`` with ``phi(x)`` in place of x.  Its dual contains the rows in inner products only,
    ``max sum_i alpha_i - 1/2 sum_ij alpha_i alpha_j y_i y_j k(x_i, x_j)``, ``0 <= alpha_i <= C``, ``sum_i alpha_i y_i = 0``, and the
    score of a row is ``sum_i alpha_i y_i k(x_i, x) + b``.  It is solved by steps on pairs of rows (Platt 1998; Fan, Chen & Lin
    2005) until the duality gap proves that the objective is within ``tol`` of the smallest one there is, relatively.

    Choose it when no straight boundary will do and the rows are some ten thousand at most.  Do not choose it for the linear
    kernel on data with more rows than columns (``LinearSVM`` does the same faster), nor for streams or very many rows
    (``KernelPerceptron``, or ``RadialBasis`` before a linear learner).

    Parameters
    ----------
    C : float, default=1.0
        What a row's slack costs.
    kernel : {"linear", "poly", "rbf", "precomputed"} or function, default="rbf"
        "linear": ``x.z``; "poly": ``(gamma x.z + coef0)^degree``; "rbf": ``exp(-gamma |x - z|^2)``; "precomputed": X holds
        the kernel values themselves, of shape (n_samples, n_samples) to fit and (n_samples, n_training_samples) to
        predict; a function takes two arrays of rows and returns the values of all pairs.  Values that are given must be
        those of a kernel: symmetric, with no negative eigenvalue.  What is seen to be none is refused: up to 2000 rows
        any such matrix is; of more rows 2000 are looked at, the others are taken on trust.  ("poly" with a negative coef0
        is such a case.)
    degree : int, default=3
        Of the kernel "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Of the kernels "poly" and "rbf"; "scale": ``1 / (n_features * X.var())``; "auto": ``1 / n_features``.
    coef0 : float, default=0.0
        Of the kernel "poly".
    tol : float, default=0.0001
        Largest relative duality gap.
    multiclass : {"pairs", "ovr"}, default="pairs"
        For three and more classes: "pairs", one machine for every two classes, from their rows alone, which vote (as in
        scikit-learn's ``SVC``); "ovr", one for each class against the rest.  Pairs tell classes that overlap apart better, and are
        small problems.
    class_weight : dict, "balanced" or None, default=None
        Factors of C by class.
    cache_size : float, default=200.0
        Memory for kernel values, in megabytes.
    time_limit : float or None, default=None
        Stop after this many seconds.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Row numbers of the support vectors, those with an ``alpha_i > 0``, ascending; of pairs class after class, ascending in each.
    n_support_ : ndarray of shape (n_classes,)
        Of pairs only: how many support vectors there are of each class.
    support_vectors_ : array or CSR matrix of shape (n_support, n_features)
        Those rows; without columns if the kernel is precomputed.
    dual_coef_ : ndarray of shape (1, n_support), (n_classes - 1, n_support) or (n_classes, n_support)
        ``alpha_i y_i``.  Of pairs, a support vector of class c has one in the pair with every other class: in line k that with class
        k where k < c, else with class k + 1; the second class of a pair is the positive one.  Of "ovr", line k is class k against the
        rest.
    intercept_ : ndarray of shape (1,), (n_pairs,) or (n_classes,)
        Biases; those of pairs in the order (0, 1), (0, 2), ... (1, 2), ...
    classes_ : ndarray of shape (n_classes,)
    objective_ : float
        The objective of the primal, added up over all pairs or classes.
    duality_gap_ : float
        ``(P - D) / P``, an upper bound of how far ``objective_`` is above the smallest one, relatively; of several problems the
        largest.  It is that of the machine as it is handed back, with the kernel's own values for the rows as they are, all
        rounding included; of given values, with those values (of a function and at most 2000 rows, those it returns
        for all of them at once).
    stop_reason_ : str
        "solved" (the gap is at most ``tol``), "time" or "stalled" (at the limits of float64).
    n_iter_ : int
        Steps on pairs of rows, over all problems; working sets of them, where kernel values do not all fit into the cache.
    history_ : dict of ndarrays
        ``seconds`` since the start, and the relative ``gap`` there as the method saw it, over all problems; the last of each
        problem is the proved one.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X had string column names.

    References
    ----------
    J. Platt, Fast training of support vector machines using sequential minimal optimization, 1998.
    R.-E. Fan, P.-H. Chen, C.-J. Lin, Working set selection using second order information for training SVM, 2005.
    T. Joachims, Making large-scale SVM learning practical, 1999.
    Z. Wen, J. Shi, Q. Li, B. He, J. Chen, ThunderSVM: a fast SVM library on GPUs and CPUs, 2018.

    Examples
    --------
    >>> from novikoff import KernelSVM
    >>> clf = KernelSVM(C=10, gamma=1).fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["same", "other", "other", "same"])
    >>> clf.predict([[1, 1], [1, 0]]).tolist(), clf.duality_gap_ <= 1e-4
    (['same', 'other'], True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SupportVectorMachine._parameter_constraints,
        "kernel": [StrOptions({"linear", "poly", "rbf", "precomputed"}), callable],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "multiclass": [StrOptions({"pairs", "ovr"})],
        "cache_size": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-4,
        multiclass: str = "pairs",
        class_weight: Any = None,
        cache_size: float = 200.0,
        time_limit: float | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.cache_size = cache_size
        self.time_limit = time_limit

    def _solve(self, rows: Rows, clock: Clock) -> None:
        from ..svm.kernel_solve import machines_of, solve_kernel  # with exact arithmetic, which predicting does without

        if self.kernel == "precomputed" and rows.total != rows.X.shape[1]:
            raise ValueError(
                "kernel='precomputed' needs the kernel values of all pairs of rows, a square matrix, but X has the shape "
                f"{(rows.total, rows.X.shape[1])}."
            )
        kernel = make_kernel(self.kernel, self.degree, self.gamma, self.coef0, rows.X)
        points = kernel.points(rows.X, rows.members.astype(np.intp))
        classes = len(self.classes_)
        several = classes > 2 and self.multiclass == "pairs"
        machines = machines_of(rows.target, classes, pairs=several or classes == 2)
        limit = self.cache_size * MEGABYTE
        outcomes, shares = solve_kernel(kernel, points, machines, self.C * rows.weight, self.tol, limit, clock)
        held = np.flatnonzero(shares.any(axis=0))
        self.__dict__.pop("n_support_", None)
        if several:
            held = held[np.argsort(rows.target[held], kind="stable")]
            self.n_support_ = np.bincount(rows.target[held], minlength=classes)
        support = points.take(held)
        if self.kernel == "precomputed":  # row numbers say everything
            support = support._replace(X=support.X[:, :0])
        self.support_, self.support_vectors_ = rows.members[held], support.X
        self.dual_coef_ = shares[:, held]
        self.intercept_ = np.array([outcome.answer.b for outcome in outcomes])
        self._kernel, self._support = kernel, support
        self._report(outcomes)

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores: ``(n_samples,)`` for two classes, positive for ``classes_[1]``; else ``(n_samples, n_classes)``.

        With ``multiclass="pairs"``, the score of a class is the number of pairs that it wins, plus ``s / (3 (|s| + 1))``, s being the sum
        of its scores in all its pairs: less than half a vote, which decides between classes of as many votes.  (So it is for
        ``SVC``, but that it decides for the first of them.)  A pair's score is 0: the first class wins.

        With ``kernel="precomputed"``, X holds the kernel values of each row with all training rows.
        """
        check_is_fitted(self, "dual_coef_")
        from ..svm.kernel_scores import kernel_scores, votes_of  # likewise

        if hasattr(self, "n_support_"):
            return votes_of(self.pair_scores(X), len(self.classes_))
        X = read_X(self, X, reset=False, dtype=np.float64)
        scores = kernel_scores(self._kernel, self.dual_coef_, self._support, X, self.intercept_)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def pair_scores(self, X: Any) -> np.ndarray:
        """Of ``multiclass="pairs"`` and three or more classes: the score of every row for every two classes, of shape (n_samples,
        n_pairs).  Pairs are in the order (0, 1), (0, 2), ... (1, 2), ...; a positive score is for the second class."""
        check_is_fitted(self, "dual_coef_")
        if not hasattr(self, "n_support_"):
            raise ValueError("This machine has no pairs: fit it with multiclass='pairs' to three or more classes.")
        from ..svm.kernel_scores import pair_scores  # likewise

        X = read_X(self, X, reset=False, dtype=np.float64)
        return pair_scores(self._kernel, self.dual_coef_, self.n_support_, self._support, X, self.intercept_)

    def predict(self, X: Any) -> np.ndarray:
        """The class of every row: ``classes_[1]`` for a positive score, ``classes_[0]`` otherwise, a tie included; of
        several classes the first with the largest score."""
        scores = self.decision_function(X)
        return self.classes_[scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
