"""The perceptron."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from .advice import not_separated
from .classifier import LinearClassifier

if TYPE_CHECKING:
    from ..loop import Outcome
    from ..problem import Problem


class Perceptron(LinearClassifier):
    """The perceptron, complete: every order, batch size, keep and multi-class form, and the truth about how it ended.

    On a mistake, ``y (w.x + b) <= 0``, the weights move by ``w <- w + eta y x`` (Rosenblatt 1958); a tie is a mistake.
    If weights exist that separate the classes, the online perceptron finds some after finitely many mistakes
    (Novikoff 1962), and ``stop_reason_`` is then "separated".

    Choose it when classes are separable or nearly so, when training must be fast or online, with ``keep="average"`` as
    a strong and cheap first classifier.  Do not choose it when you need probabilities (use logistic regression) or the
    largest margin (use a support vector machine), or when columns differ much in scale and you will not scale them.

    Parameters
    ----------
    eta : float, default=1.0
        Step.  From zero weights it changes their length only, not any answer.
    order : {"auto", "cyclic", "shuffle", "blocks", "random", "alternate", "worst"}, default="auto"
        Which sample comes next.  "cyclic": as the data lie; "shuffle": a new uniform permutation every pass; "blocks":
        blocks of consecutive rows in random order, rows permuted inside a cache-sized window (fastest on large data, not
        a uniform permutation); "random": with replacement; "alternate": one of each class in turn; "worst": the row with
        the smallest margin after every update, each look at all rows counting as a pass.  "auto" is "random" for the
        keeps "run" and "ratchet", "cyclic" for batch "all", else "shuffle".
    batch_size : int or "all", default=1
        Samples scored before the weights move.
    keep : {"last", "average", "vote", "pocket", "run", "ratchet"}, default="last"
        Which weights are handed back.  "average": the mean of the weights after every sample; "vote": all weight vectors
        vote, each with the number of samples it survived; "pocket": the weights with the fewest training errors, counted
        after every update (slow); "run": those with the longest run of right answers; "ratchet": a longer run and fewer
        training errors.
    max_votes : int or None, default=100
        With ``keep="vote"``: only the longest survivors vote; None keeps all, whatever memory that takes.
    multiclass : {"worst", "all", "uniform", "ovr"}, default="worst"
        For three and more classes: the true class gains and the highest rival loses; or all rivals that score at least
        as high lose; or they share the loss; or one class against the rest, each on its own.
    init : {"zeros", "ones", "random"} or array, default="zeros"
        First weights: an array of shape (outputs, features), or (outputs, features + 1) with the intercept last.
    max_iter : int, default=1000
        Largest number of passes.
    tol : float or None, default=None
        Stop when the weights moved less than this over a pass.
    time_limit : float or None, default=None
        Stop after this many seconds.
    fit_intercept : bool, default=True
        Whether to learn a bias.
    intercept_scaling : float or "radius", default=1.0
        The constant feature whose weight is the bias; "radius": the largest norm of a row, so that on a mistake
        ``b <- b + eta y R^2``.
    early_stopping : bool, default=False
        Hold out ``validation_fraction`` of the rows and stop when their score has not improved for ``n_iter_no_change``
        passes.
    validation_fraction : float, default=0.1
        Share of the rows held out.
    n_iter_no_change : int, default=5
        Passes to wait for a better held-out score.
    class_weight : dict, "balanced" or None, default=None
        Factors of the sample weights by class.
    history : {"basic", "full"}, default="basic"
        Whether to look at all rows after every pass and note errors, loss and smallest margin.
    warm_start : bool, default=False
        Start from the weights the last fit handed back.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    n_iter_ : int
        Passes made.
    n_mistakes_ : int
        Mistakes that moved the weights, over all passes.
    n_errors_ : int or None
        Training rows that ``predict`` gets wrong with the weights handed back; None after ``partial_fit``.  (Where a score
        is zero but for rounding, ``predict`` may differ from the pass that ended a fit.)
    stop_reason_ : str or None
        "separated", "stable", "cycle", "no_improvement", "budget", "time", "callback" or "interrupted"; None after
        ``partial_fit``.
    history_ : dict of ndarrays
        One entry a pass.
    cycle_ : Cycle
        Only if ``stop_reason_`` is "cycle": the steps of one round, and whether they prove the classes inseparable.
    votes_ : Votes
        Only with ``keep="vote"``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X had string column names.

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

    def _advise(self, X: Any, problem: Problem, order: str, outcome: Outcome) -> None:
        from ..cycles import read_cycle

        if outcome.cycle is not None:
            self.cycle_ = read_cycle(outcome.cycle, X, problem.target, self._form, self.fit_intercept)
        if outcome.reason in ("budget", "time", "cycle"):
            warnings.warn(not_separated(self, X, problem, order, outcome), ConvergenceWarning, stacklevel=7)
