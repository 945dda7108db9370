"""``svm_path`` and ``logistic_path``: the linear support vector machine, and logistic regression, for many values of C."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..distributed.cluster_fit import fit_machine_path
from ..estimators.linear_svm import LinearSVM
from ..estimators.neuron import LogisticNeuron
from ..report.html import notebook_view
from ..report.sections import Section, Table
from ..report.words import count, number, some
from ..system.backends import backend_of


class SVMPath(NamedTuple):
    """One entry for every C, in the given order."""

    C: np.ndarray
    coef: np.ndarray  # (values of C, outputs, features)
    intercept: np.ndarray  # (values of C, outputs)
    objective: np.ndarray
    duality_gap: np.ndarray
    n_support: np.ndarray

    def _repr_html_(self) -> str:
        rows = [
            [number(float(C)), number(float(objective), 6), f"{gap:.1e}", count(int(support)), number(float(norm))]
            for C, objective, gap, support, norm in zip(
                self.C,
                self.objective,
                self.duality_gap,
                self.n_support,
                np.linalg.norm(self.coef, axis=(1, 2)),
                strict=True,
            )
        ]
        table = Table(["C", "objective", "gap", "support vectors", "length of w"], rows, "rrrrr")
        line = f"{some(len(rows), 'fit')}; the gap bounds how far each objective is from its minimum, relatively."
        return notebook_view([Section("LinearSVM for many values of C", [line], [table])])


def svm_path(X: Any, y: Any, C: Any = None, *, sample_weight: Any = None, **parameters: Any) -> SVMPath:
    """Fit ``LinearSVM`` for many values of C, each starting from the result of the one before.

    Parameters
    ----------
    X : array-like, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        Training rows.  With a Dask collection all values of C share their rounds, and ``n_support`` of three or more classes is
        added up over the classes.
    y : array-like of shape (n_samples,)
        Labels.
    C : array-like, default=None
        Values of C; None: 13 values from 0.001 to 1000.  Ascending order is fastest.
    sample_weight : array-like of shape (n_samples,), default=None
        As in ``LinearSVM.fit``.
    **parameters
        Parameters of ``LinearSVM``.

    Returns
    -------
    SVMPath
        ``C``, ``coef``, ``intercept``, ``objective``, ``duality_gap``, ``n_support``: one entry for every C.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novikoff import svm_path
    >>> X, y = load_iris(return_X_y=True)
    >>> path = svm_path(X[y > 0], y[y > 0], C=[0.01, 1, 100], loss="hinge", tol=1e-6)
    >>> path.n_support.tolist(), path.coef.shape, bool(path.duality_gap.max() <= 1e-6)
    ([90, 23, 10], (3, 1, 4), True)
    """
    values = values_of(C)
    machine = LinearSVM(**{**parameters, "warm_start": True})
    supports = _in_memory if backend_of(X) is None else fit_machine_path
    fits = []
    for support in supports(machine, values.tolist(), X, y, sample_weight):
        fits.append((machine.coef_, machine.intercept_, machine.objective_, machine.duality_gap_, support))
    return SVMPath(values, *(np.array(part) for part in zip(*fits, strict=True)))


def _in_memory(machine: LinearSVM, values: list[float], X: Any, y: Any, sample_weight: Any) -> Iterator[int]:
    """Fit for one C after the other; after each the number of support vectors is handed out."""
    for value in values:
        machine.set_params(C=value).fit(X, y, sample_weight)
        yield machine.support_.size


def values_of(C: Any) -> np.ndarray:
    """The values of C that are asked for."""
    values = np.logspace(-3, 3, 13) if C is None else np.atleast_1d(np.asarray(C, dtype=float))
    if values.size == 0:
        raise ValueError("C is empty: give at least one value.")
    return values


class LogisticPath(NamedTuple):
    """One entry for every C, in the given order."""

    C: np.ndarray
    coef: np.ndarray  # (values of C, outputs, features)
    intercept: np.ndarray  # (values of C, outputs)
    duality_gap: np.ndarray
    n_iter: np.ndarray

    def _repr_html_(self) -> str:
        norms = np.linalg.norm(self.coef, axis=(1, 2))
        rows = [
            [number(float(C)), f"{gap:.1e}", count(int(steps)), number(float(norm))]
            for C, gap, steps, norm in zip(self.C, self.duality_gap, self.n_iter, norms, strict=True)
        ]
        table = Table(["C", "gap", "iterations", "length of w"], rows, "rrrr")
        line = f"{some(len(rows), 'fit')}; the gap bounds how far each objective is from its minimum, relatively."
        return notebook_view([Section("LogisticNeuron for many values of C", [line], [table])])


def logistic_path(X: Any, y: Any, C: Any = None, *, sample_weight: Any = None, **parameters: Any) -> LogisticPath:
    """Fit ``LogisticNeuron`` for many values of C, each starting from the result of the one before.

    C is scikit-learn's: what is minimised is ``C sum_i loss_i + 1/2 |w|^2``, so that ``l2 = 1 / C``.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        Training rows.
    y : array-like of shape (n_samples,)
        Labels.
    C : array-like, default=None
        Values of C; None: 13 values from 0.001 to 1000.  Ascending order is fastest.
    sample_weight : array-like of shape (n_samples,), default=None
        As in ``LogisticNeuron.fit``.
    **parameters
        Parameters of ``LogisticNeuron``, except ``l2`` and ``warm_start``.

    Returns
    -------
    LogisticPath
        ``C``, ``coef``, ``intercept``, ``duality_gap`` (infinite if there were so many rows that steps were taken), ``n_iter``: one entry for
        every C.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novikoff import logistic_path
    >>> X, y = load_iris(return_X_y=True)
    >>> path = logistic_path(X, y, C=[0.01, 1, 100])
    >>> path.coef.shape, bool(path.duality_gap.max() <= 1e-4)
    ((3, 3, 4), True)
    """
    values = values_of(C)
    if not np.all((values > 0) & np.isfinite(values)):
        raise ValueError(f"C must be positive and finite; got {C!r}.")
    neuron = LogisticNeuron(**{**parameters, "warm_start": True})
    if neuron.solver == "steps" or neuron.loss == "squared":
        raise ValueError("logistic_path solves for each C: leave solver and loss at their defaults, or name a solver.")
    fits = []
    for value in values.tolist():
        neuron.set_params(l2=1 / value).fit(X, y, sample_weight)
        fits.append((neuron.coef_, neuron.intercept_, getattr(neuron, "duality_gap_", np.inf), neuron.n_iter_))
    return LogisticPath(values, *(np.array(part) for part in zip(*fits, strict=True)))
