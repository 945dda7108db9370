"""The passes curve: training and held-out score against passes, to see under- and over-fitting.

Each fold is one fit.  After every pass the weights that a fit ending there would keep are scored, so that
averages, votes and pockets go on undisturbed and the rows come in the order of an ordinary fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state, indexable

from ..checks.sklearn_parts import take_rows
from ..estimators.advice import heard_warnings
from ..estimators.base import LinearLearner, check_parameters, fit_in_memory
from ..report.html import drawn, notebook_view
from ..report.sections import Section, Table


class FoldStop(NamedTuple):
    """When and why the fit of a fold ended."""

    pass_number: int  # its last pass
    reason: str  # its ``stop_reason_``; "budget": it made all passes


@dataclass(frozen=True, eq=False, repr=False)
class PassesCurve:
    """Scores after each pass, one column for each fold.

    Attributes
    ----------
    passes : ndarray of shape (n_passes,)
        1, 2, 3, ...
    train_scores, held_out_scores : ndarrays of shape (n_passes, n_folds)
        Score of the model after each pass, on the training rows of the fold and on its held-out rows.  A fit
        that ends early keeps its last score.
    stopped : tuple of Stop
        For each fold, the pass in which the fit ended, and why.
    """

    passes: np.ndarray
    train_scores: np.ndarray
    held_out_scores: np.ndarray
    stopped: tuple[FoldStop, ...]

    @property
    def standard_error(self) -> np.ndarray:
        """Standard error of the mean held-out score, for each pass; 0 with a single fold."""
        folds = self.held_out_scores.shape[1]
        return self.held_out_scores.std(axis=1, ddof=1) / folds**0.5 if folds > 1 else np.zeros(len(self.passes))

    @property
    def best_passes(self) -> int:
        """The fewest passes whose mean held-out score is within one standard error of the best."""
        mean = self.held_out_scores.mean(axis=1)
        best = int(mean.argmax())
        return int(self.passes[np.argmax(mean >= mean[best] - self.standard_error[best])])

    def plot(self, ax: Any = None) -> Any:
        """Draw the curve; see ``novikoff.plots.plot_passes_curve``."""
        from ..plots.study_pictures import plot_passes_curve

        return plot_passes_curve(self, ax)

    def __repr__(self) -> str:
        return f"<PassesCurve: passes={len(self.passes)}, folds={len(self.stopped)}, best_passes={self.best_passes}>"

    def __str__(self) -> str:
        lines = [f"{'passes':>6}  {'training':>8}  {'held out':>8}"]
        for n, train, held_out in self._lines():
            mark = "  <- best_passes" if n == self.best_passes else ""
            lines.append(f"{n:>6}  {train:>8.4f}  {held_out:>8.4f}{mark}")
        lines.append(self._ended())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [[str(n), f"{train:.4f}", f"{held_out:.4f}"] for n, train, held_out in self._lines()]
        best = f"best_passes = {self.best_passes}: the fewest whose mean held-out score is within one standard error of the best."
        table = Table(["passes", "training", "held out"], rows, "rrr")
        return notebook_view(
            [Section("Scores after each pass", [best], [table], [f"{self._ended()}."])], drawn(self.plot)
        )

    def _lines(self) -> list[tuple[int, float, float]]:
        """Some numbers of passes, with the mean scores after them."""
        train, held_out = self.train_scores.mean(axis=1), self.held_out_scores.mean(axis=1)
        shown = sorted({1, *(2**k for k in range(len(self.passes).bit_length())), self.best_passes, len(self.passes)})
        return [(n, float(train[n - 1]), float(held_out[n - 1])) for n in shown if n <= len(self.passes)]

    def _ended(self) -> str:
        return "folds ended: " + ", ".join(f"{stop.reason} in pass {stop.pass_number}" for stop in self.stopped)


def passes_curve(
    estimator: Any, X: Any, y: Any, *, passes: int = 30, cv: Any = 5, scoring: Any = None, random_state: Any = None
) -> PassesCurve:
    """Training and held-out score after 1, 2, ..., ``passes`` passes, cross-validated.

    Parameters
    ----------
    estimator : LinearLearner or Pipeline that ends in one
        The learner.  Clones of it are fitted with ``max_iter=passes`` and ``min_progress=None``, in steps.  The steps of a pipeline are
        fitted again in every fold.
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their labels; for a regressor, real numbers.
    passes : int, default=30
        The largest number of passes.
    cv : int, splitter or iterable of (train, test) indices, default=5
        An int is the number of shuffled folds; for a classifier, every fold has rows of every class.
    scoring : str, callable or None, default=None
        As in scikit-learn; None is accuracy, for a regressor R^2.
    random_state : int, RandomState instance or None, default=None
        The seed of the folds and, if the learner has no ``random_state``, of the fits.

    Returns
    -------
    PassesCurve

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novikoff import Perceptron, passes_curve
    >>> X, y = load_iris(return_X_y=True)
    >>> curve = passes_curve(Perceptron(keep="average"), X, y, passes=20, random_state=0)
    >>> curve.held_out_scores.shape
    (20, 5)
    >>> bool(curve.held_out_scores[-1].mean() > 0.9)
    True
    >>> curve.stopped[0]
    FoldStop(pass_number=20, reason='budget')
    """
    if not isinstance(passes, Integral) or passes < 1:
        raise ValueError(f"passes is {passes!r}; it must be a whole number, at least 1.")
    X, y = indexable(X, y)
    rng = check_random_state(random_state)
    train, held_out, stopped = [], [], []
    for learn, test in _folds(cv, X, y, is_classifier(estimator), rng):
        steps, learner = _apart(estimator, int(passes), rng)
        y_learn, y_test = take_rows(y, learn), take_rows(y, test)
        X_learn, X_test = take_rows(X, learn), take_rows(X, test)
        if steps is not None:
            X_learn = steps.fit_transform(X_learn, y_learn)
            X_test = steps.transform(X_test)
        on_both = _scores_after_every_pass(learner, (X_learn, y_learn), (X_test, y_test), scoring)
        stopped.append(FoldStop(len(on_both), learner.stop_reason_))
        on_both += [on_both[-1]] * (passes - len(on_both))
        train.append([scores[0] for scores in on_both])
        held_out.append([scores[1] for scores in on_both])
    return PassesCurve(np.arange(1, passes + 1), np.array(train).T, np.array(held_out).T, tuple(stopped))


def _folds(
    cv: Any, X: Any, y: Any, classes: bool, rng: np.random.RandomState
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    if isinstance(cv, Integral):
        kind = StratifiedKFold if classes else KFold
        cv = kind(int(cv), shuffle=True, random_state=rng.randint(2**31 - 1))
    yield from check_cv(cv, y, classifier=classes).split(X, y)


def _apart(estimator: Any, passes: int, rng: np.random.RandomState) -> tuple[Pipeline | None, LinearLearner]:
    """Clones of the steps before the learner, and of the learner, set up for this many passes."""
    steps, learner = None, clone(estimator)
    if isinstance(learner, Pipeline):
        steps, learner = (learner[:-1] if len(learner) > 1 else None), learner[-1]
    if not isinstance(learner, LinearLearner):
        raise TypeError(
            "passes_curve needs a learner of this package, such as Perceptron, or a pipeline that ends in one; "
            f"this is {type(learner).__name__}."
        )
    solver = getattr(learner, "solver", "steps")
    if solver not in ("auto", "steps"):
        raise ValueError(f"solver={solver!r} makes no passes, so there is no curve: use solver='steps'.")
    learner.set_params(max_iter=passes, min_progress=None)  # the second also asks for steps, where there is a choice
    if learner.random_state is None:
        learner.set_params(random_state=int(rng.randint(2**31 - 1)))
    return steps, learner


def _scores_after_every_pass(
    learner: LinearLearner, learn: tuple[Any, Any], test: tuple[Any, Any], scoring: Any
) -> list[tuple[float, float]]:
    """Fit once; for every pass, the scores that the model has then on both sets of rows."""
    scorer = check_scoring(learner, scoring)
    scores: list[tuple[float, float]] = []

    def note(learner: LinearLearner) -> bool:
        scores.append((scorer(learner, *learn), scorer(learner, *test)))
        return False

    check_parameters(learner)
    learner.set_callbacks()  # none
    with heard_warnings():  # and ignored: the number of passes is the question here, not a failure
        fit_in_memory(learner, *learn, None, on_pass=note)
    return scores
