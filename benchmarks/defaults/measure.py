"""Accuracy and time of a pair on a set: the same folds for both sides, fits that take turns."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import ceil
from time import process_time
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from ..data import Data
from ..measure import timed
from .pairs import Pair, seeded

FOLDS = 2
REPETITIONS = 5
SEEDS = (2026, 1962)  # of the folds: of the first measurement and, where it is repeated, of the second
PATIENCE = 20.0  # seconds of the processor after which no further repetition begins
SHORT = 0.1  # seconds that the fits of one fold are repeated for
MOST_ROUNDS = 5
COLUMNS = ("raw", "standardised")


@dataclass
class Trial:
    """What a pair did on the folds of one seed."""

    pair: str
    data: str
    columns: str
    seed: int
    shape: tuple[int, int, int]  # rows, features, classes
    accuracy: dict[str, list[float]] = field(default_factory=lambda: {"ours": [], "peer": []})
    seconds: dict[str, list[float]] = field(default_factory=lambda: {"ours": [], "peer": []})  # of the processor
    wall: dict[str, list[float]] = field(default_factory=lambda: {"ours": [], "peer": []})
    converged: bool = True  # the peer, by its own account, in all folds

    @property
    def place(self) -> tuple[str, str, str]:
        """What a further trial of the same cell shares."""
        return self.pair, self.data, self.columns


def kinds_of_columns(X: Any) -> tuple[str, ...]:
    """Sparse sets are words or answers, of one scale already."""
    return COLUMNS[:1] if sparse.issparse(X) else COLUMNS


def folds(data: Data, columns: str, seed: int, repetition: int) -> Iterator[tuple[Data, Data]]:
    """Halves of the rows, each once to learn from and once to judge by; scaled by what is learned from."""
    X, y = data
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed + repetition).split(y, y):
        parts = X[train], X[test]
        if columns == "standardised":
            scaler = StandardScaler().fit(parts[0])
            parts = scaler.transform(parts[0]), scaler.transform(parts[1])
        yield Data(parts[0], y[train]), Data(parts[1], y[test])


def measure(pair: Pair, name: str, data: Data, columns: str, seed: int, repetitions: int = REPETITIONS) -> Trial:
    """A trial: every repetition has its own folds, and none begins when patience is at its end."""
    trial = Trial(pair.name, name, columns, seed, (*data.X.shape, len(np.unique(data.y))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile_first(pair, data, columns)
        gc.freeze()  # what is imported by now need not be looked through before every fit
        began = process_time()
        for repetition in range(repetitions):
            for train, test in folds(data, columns, seed, repetition):
                one_fold(pair, trial, train, test)
            if process_time() - began > PATIENCE:
                break
    return trial


def compile_first(pair: Pair, data: Data, columns: str) -> None:
    train, _ = next(folds(data, columns, SEEDS[0], 0))
    seeded(pair.ours, 0).fit(*train)


def one_fold(pair: Pair, trial: Trial, train: Data, test: Data) -> None:
    """Fits of both sides in turn; the best time of each counts, and the accuracy of the first."""
    makers = {"ours": pair.ours, "peer": pair.peer}
    taken: dict[str, list[tuple[float, float]]] = {side: [] for side in makers}
    number = len(trial.accuracy["ours"])
    rounds, done = 1, 0
    while done < rounds:
        for side in sorted(makers, reverse=bool((number + done) % 2)):
            estimator, times, converged = one_fit(makers[side], number, train)
            taken[side].append(times)
            if not done:
                trial.accuracy[side].append(float(np.mean(estimator.predict(test.X) == test.y)))
                trial.converged &= converged or side == "ours"
        if not done:
            rounds = min(MOST_ROUNDS, ceil(SHORT / sum(times[0][0] for times in taken.values())))
        done += 1
    for side, times in taken.items():
        seconds, wall = (min(clock) for clock in zip(*times, strict=True))
        trial.seconds[side].append(seconds)
        trial.wall[side].append(wall)


def one_fit(make: Callable[[], Any], seed: int, train: Data) -> tuple[Any, tuple[float, float], bool]:
    """The fitted estimator, its seconds by the processor's clock and the wall's, and whether it did not complain of its
    convergence."""
    estimator = seeded(make, seed)
    spent = 0.0

    def run() -> None:
        nonlocal spent
        began = process_time()
        estimator.fit(*train)
        spent = process_time() - began

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        wall = timed(run)
    return estimator, (spent, wall), not any(issubclass(each.category, ConvergenceWarning) for each in heard)
