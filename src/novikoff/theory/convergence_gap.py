"""The convergence proof at work: the distance of a perceptron's weights from a multiple of weights that separate."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any, Protocol

import numpy as np

from ..learn.rules import Perceptron
from ..report.html import drawn, notebook_view
from ..report.sections import NOTEBOOK, Section, Table, shortened
from ..report.words import count, number
from .comparison import Matrix, compare, fractions, without_mean

FORMS = ("worst", "uniform")


class TraceLike(Protocol):
    """What is asked of a trace (``novikoff.trace``)."""

    @property
    def estimator(self) -> Any: ...

    @property
    def rule(self) -> Any: ...

    @property
    def before(self) -> np.ndarray: ...

    @property
    def after(self) -> np.ndarray: ...

    @property
    def mistakes(self) -> np.ndarray: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class Gap:
    """The squared distance after every update of a trace, and the bound from the proof.  Made by ``gap``.

    Attributes
    ----------
    gap : ndarray of shape (updates + 1,)
        The squared distance before the first update and after each.
    bound : ndarray of shape (updates + 1,)
        Its upper bound: the first gap minus ``guaranteed`` for every mistake so far.
    decrease : ndarray of shape (updates,)
        By how much each update lowered it, computed exactly: the difference of two large gaps would be lost in rounding.
    mistakes : ndarray of shape (updates + 1,)
        The number of mistakes so far, for each entry of ``gap``.
    guaranteed : float
        2 eta rho - eta^2 G^2, the least decrease of one mistake, which is eta^2 G^2 for the usual ``rho``.
    rho : float
        The factor of w*, usually eta G^2.
    coef, intercept : ndarray
        The separating weights w*.
    """

    gap: np.ndarray
    bound: np.ndarray
    decrease: np.ndarray
    mistakes: np.ndarray
    guaranteed: float
    rho: float
    coef: np.ndarray
    intercept: np.ndarray

    def plot(self, ax: Any = None) -> Any:
        """Draw the gap and its bound; see ``novikoff.plots.plot_gap``.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None: a new figure.

        Returns
        -------
        matplotlib Axes
        """
        from ..plots.theory_pictures import plot_gap

        return plot_gap(self, ax)

    def _repr_html_(self) -> str:
        entries = list(zip(self.mistakes.tolist(), self.gap.tolist(), self.bound.tolist(), strict=True))
        rows = [[count(made), number(gap), number(max(bound, 0.0))] for made, gap, bound in entries]
        more, table = shortened(Table(["mistakes", "gap", "at most"], rows, "rrr"), NOTEBOOK.rows, "update")
        least, rho = number(self.guaranteed), number(self.rho)
        line = f"Every mistake lowers |w - rho w*|^2 by at least {least} (rho = {rho}), and it cannot fall below 0."
        return notebook_view([Section("The convergence proof along a trace", [line], [table], more)], drawn(self.plot))


def gap(trace: TraceLike, X: Any, y: Any, *, rho: float | None = None) -> Gap:
    """Follow the convergence proof along a trace: a distance that becomes smaller with every mistake.

    With rows z = (x, c), weights u = (w, b / c), G = max |z|, and separating weights w* scaled so that min y w*.z = 1,

        |u - rho w*|^2 ,    rho = eta G^2 ,

    decreases by at least eta^2 G^2 at every mistake, because y u.z <= 0 < 1 <= y w*.z there:

        |u + eta y z - rho w*|^2  <=  |u - rho w*|^2 - 2 eta rho + eta^2 G^2 .

    It cannot become negative, so mistakes must end.  (It need not reach zero: they end before.)  From zero weights the first
    gap is eta^2 G^4 |w*|^2, which allows at most G^2 |w*|^2 mistakes, Novikoff's bound.  From other first weights,
    ``novikoff_bound`` is never larger than the first gap over eta^2 G^2, and often smaller.  Batches of m rows have m G^2 in
    place of G^2, several classes 2 G^2, as in ``novikoff_bound``, which uses the same w*.

    Parameters
    ----------
    trace : Trace
        The trace of a ``Perceptron``, without sample or class weights; for several classes, with ``multiclass="worst"`` or
        "uniform".
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The rows of that fit.
    y : array-like of shape (n_samples,)
        Their labels.
    rho : float, default=None
        The multiple of w* to look at; None: eta G^2.  With eta G^2 / 2 or less the proof guarantees nothing: a mistake may
        increase the distance.

    Returns
    -------
    Gap
        ``gap``, ``bound`` and ``mistakes`` before the first update and after each; ``decrease`` of each; ``guaranteed``,
        ``rho``, and the separating weights ``coef`` and ``intercept``.

    References
    ----------
    A. B. J. Novikoff, On convergence proofs on perceptrons, 1962.
    R. O. Duda, P. E. Hart, Pattern Classification and Scene Analysis, 1973, section 5.5.2.

    Examples
    --------
    >>> from novikoff import Perceptron, trace
    >>> from novikoff.theory import gap
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> fall = gap(trace(Perceptron(order="cyclic"), X, y), X, y)
    >>> fall.gap.round(3).tolist()
    [81.0, 76.0, 70.0, 66.0, 59.0, 54.0, 50.0, 45.0, 41.0, 36.0]
    >>> bool(fall.decrease.min() >= fall.guaranteed)
    True
    """
    learner = trace.estimator
    _refuse_others(learner, trace)
    them = compare(X, y, learner.batch_size, learner.fit_intercept, learner.intercept_scaling)
    if len(trace) and trace.after.shape[2] != len(them.weights[0]):
        raise ValueError(f"X has {len(them.weights[0]) - 1} features, but the trace has {trace.after.shape[2] - 1}.")
    eta = Fraction(float(learner.eta))
    ideal = [[number / them.lead for number in row] for row in them.weights]
    if rho is not None and not 0 < rho < inf:
        raise ValueError(f"rho must be a positive number; got {rho!r}.")
    multiple = eta * them.step if rho is None else Fraction(float(rho))
    aim = [[multiple * number for number in row] for row in ideal]
    path = [*trace.before[:1], *trace.after]
    exact = [them.inner(away, away) for away in (_less(_centred(weights), aim) for weights in path)]
    guaranteed = 2 * eta * multiple - eta**2 * them.step
    mistakes = np.concatenate([[0], np.cumsum(trace.mistakes)])[: len(path)]
    return Gap(
        np.array([float(number) for number in exact]),
        np.array([float(exact[0] - int(count) * guaranteed) for count in mistakes]),
        np.array([float(a - b) for a, b in pairwise(exact)]),
        mistakes,
        float(guaranteed),
        float(multiple),
        np.array([[float(number) for number in row[:-1]] for row in ideal]),
        np.array([float(row[-1]) for row in ideal]),
    )


def _refuse_others(learner: Any, trace: TraceLike) -> None:
    if not isinstance(trace.rule, Perceptron):
        raise TypeError(f"The convergence proof is for the perceptron, but this trace is of {type(learner).__name__}.")
    if len(learner.classes_) > 2 and learner.multiclass not in FORMS:
        raise ValueError(
            f"No such proof is known for multiclass={learner.multiclass!r}: use {' or '.join(map(repr, FORMS))}."
        )
    if learner.class_weight is not None:
        raise ValueError("The steps of this trace have class weights: use class_weight=None.")
    if not len(trace):
        raise ValueError("The trace is empty: its first weights separate the classes already.")


def _centred(weights: np.ndarray) -> Matrix:
    exact = fractions(weights)
    return without_mean(exact) if len(exact) > 1 else exact


def _less(one: Matrix, other: Matrix) -> Matrix:
    return [[a - b for a, b in zip(row, aim, strict=True)] for row, aim in zip(one, other, strict=True)]
