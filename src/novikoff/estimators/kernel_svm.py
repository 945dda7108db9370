"""The support vector machine with kernels."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..checks.arrays import read_X
from ..checks.sklearn_parts import Interval, StrOptions
from ..dual.kernels import make_kernel
from ..system.clock import Clock
from .svm_base import SupportVectorMachine, SVMRows

MEGABYTE = 1e6


class KernelSVM(SupportVectorMachine):
    """The support vector machine with kernels: linear in the features of a kernel, without computing them.

    It is the same problem as ``LinearSVM(loss="hinge")`` with ``phi(x)`` in place of x.  Its dual needs only inner products of rows,
    ``max sum_i alpha_i - 1/2 sum_ij alpha_i alpha_j y_i y_j k(x_i, x_j)``, ``0 <= alpha_i <= C``, ``sum_i alpha_i y_i = 0``, and the
    score of a row is ``sum_i alpha_i y_i k(x_i, x) + b``.  It is solved by steps on pairs of rows (Platt 1998; Fan, Chen & Lin
    2005) until the duality gap proves that the relative distance of the objective from its minimum is at most ``tol``.

    Choose it if a straight boundary is not good enough and there are not more than some ten thousand rows.  Do not choose it
    for the linear kernel on data with more rows than columns (``LinearSVM`` does the same faster), and not for streams or
    very many rows (use ``KernelPerceptron``, or ``RadialBasis`` before a linear learner).

    Parameters
    ----------
    C : float, default=1.0
        The penalty for the slack of a row.
    kernel : {"linear", "poly", "rbf", "precomputed"} or function, default="rbf"
        "linear": ``x.z``; "poly": ``(gamma x.z + coef0)^degree``; "rbf": ``exp(-gamma |x - z|^2)``; "precomputed": X holds
        the kernel values themselves, of shape (n_samples, n_samples) to fit and (n_samples, n_training_samples) to
        predict; a function takes two arrays of rows and returns the values of all pairs.  The values of
        all pairs must be a symmetric matrix with no negative eigenvalue, else there is an error.  For more than 2000 rows,
        only 2000 of them are checked.  ("poly" with a negative coef0 may not be a kernel.)
    degree : int, default=3
        The degree of the kernel "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        The factor gamma of the kernels "poly" and "rbf".  "scale": ``1 / (n_features * X.var())``, where a row
        of sample weight 2 counts as two rows; "auto": ``1 / n_features``.
    coef0 : float, default=0.0
        The constant of the kernel "poly".
    tol : float, default=0.0001
        The largest relative duality gap.
    multiclass : {"pairs", "ovr"}, default="pairs"
        How to learn three or more classes.  "pairs": one machine for every pair of classes, trained on their rows only, and
        the machines vote (as in scikit-learn's ``SVC``).  "ovr": one machine for each class against the rest.  Pairs are
        better for classes that overlap, and are smaller problems.
    class_weight : dict, "balanced" or None, default=None
        Factors of C for each class.
    cache_size : float, default=200.0
        Memory for kernel values, in megabytes; for 128 lines of them there is room in any case.
    time_limit : float or None, default=None
        Stop after this many seconds.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Row numbers of the support vectors, those with an ``alpha_i > 0``, in ascending order; for pairs sorted by class first.
    n_support_ : ndarray of shape (n_classes,)
        For pairs only: the number of support vectors of each class.
    support_vectors_ : array or CSR matrix of shape (n_support, n_features)
        Those rows; without columns if the kernel is precomputed.
    dual_coef_ : ndarray of shape (1, n_support), (n_classes - 1, n_support) or (n_classes, n_support)
        ``alpha_i y_i``.  For pairs, a support vector of class c has one value for each other class: row k holds the value of the
        pair with class k if k < c, else with class k + 1; the second class of a pair is the positive one.  For "ovr", row k is
        class k against the rest.
    intercept_ : ndarray of shape (1,), (n_pairs,) or (n_classes,)
        The biases; for pairs in the order (0, 1), (0, 2), ... (1, 2), ...
    classes_ : ndarray of shape (n_classes,)
    objective_ : float
        The primal objective, the sum over all pairs or classes.  It is not below the truth, except for problems of more than 5000 rows,
        whose kernel values are in part float32.
    duality_gap_ : float
        ``(P - D) / P``, an upper bound of the relative distance of ``objective_`` from its minimum; for several problems the
        largest.  It holds for the fitted machine and the exact values of the kernel, and includes all rounding.  For
        precomputed values and functions it holds for the given values (for a function and at most 2000 rows, the values that
        it returns for all rows in one call).
    stop_reason_ : str
        "solved" (the gap is at most ``tol``), "time" (``time_limit``) or "stalled" (the limits of float64).
    n_iter_ : int
        Steps on pairs of rows, over all problems; the number of working sets, if the kernel values do not all fit into the cache.
    history_ : dict of ndarrays
        ``seconds`` since the start, and the relative ``gap`` there as the method estimated it, over all problems; the last one of each
        problem is proved.
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

    def _solve(self, rows: SVMRows, clock: Clock) -> None:
        from ..solvers.smo import machines_of, solve_kernel  # with exact arithmetic, which predicting does without

        if self.kernel == "precomputed" and rows.total != rows.X.shape[1]:
            raise ValueError(
                "kernel='precomputed' needs the kernel values of all pairs of rows, a square matrix, but X has the shape "
                f"{(rows.total, rows.X.shape[1])}."
            )
        kernel = make_kernel(self.kernel, self.degree, self.gamma, self.coef0, rows.X, rows.sample_weight)
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
        """Scores: for two classes one number for each row, positive for ``classes_[1]``; else one for each class.

        With ``multiclass="pairs"``, the score of a class is the number of pairs that it wins, plus ``s / (3 (|s| + 1))``, where s is the sum
        of its scores in all its pairs: less than half a vote, which decides between classes with equal votes.  (``SVC`` has the
        same scores, but its ``predict`` then takes the first of these classes.)  If the score of a pair is 0, its first class wins.

        With ``kernel="precomputed"``, X holds the kernel values of each row with all training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number for each row; for three or more classes, one for each row and class.
        """
        check_is_fitted(self, "dual_coef_")
        from ..solvers.kernel_scores import kernel_scores, votes_of  # likewise

        if hasattr(self, "n_support_"):
            return votes_of(self.pair_scores(X), len(self.classes_))
        X = read_X(self, X, reset=False, dtype=np.float64)
        scores = kernel_scores(self._kernel, self.dual_coef_, self._support, X, self.intercept_)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def pair_scores(self, X: Any) -> np.ndarray:
        """For ``multiclass="pairs"`` and three or more classes: the score of every row for every pair of classes.

        Pairs are in the order (0, 1), (0, 2), ... (1, 2), ...; a positive score is for the second class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_pairs)
            Scores.
        """
        check_is_fitted(self, "dual_coef_")
        if not hasattr(self, "n_support_"):
            raise ValueError("This machine has no pairs: fit it with multiclass='pairs' to three or more classes.")
        from ..solvers.kernel_scores import pair_scores  # likewise

        X = read_X(self, X, reset=False, dtype=np.float64)
        return pair_scores(self._kernel, self.dual_coef_, self.n_support_, self._support, X, self.intercept_)

    def predict(self, X: Any) -> np.ndarray:
        """The class of every row: ``classes_[1]`` for a positive score, ``classes_[0]`` otherwise, also for a tie.

        For several classes, the first class with the largest score.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        scores = self.decision_function(X)
        return self.classes_[self._answers(scores)]

    def _answers(self, scores: np.ndarray) -> np.ndarray:
        """Class numbers for scores."""
        return scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(np.intp)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
