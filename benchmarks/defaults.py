"""What users meet: defaults on both sides, on tables of scikit-learn and made ones, as they are and standardised."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from .data import Data, census
from .measure import Result, Settings, race

WORSE = 0.005  # accuracy below the peer's by more than this, and by more than ERRORS standard errors, counts as worse
ERRORS = 3
SPLITS = 6
BRIEF = 0.01  # seconds: where the peer takes less, so should we, and ratios say little


def tables(settings: Settings) -> Iterator[tuple[str, Data]]:
    """Names and rows."""
    for name, load in (
        ("iris", load_iris),
        ("wine", load_wine),
        ("cancer", load_breast_cancer),
        ("digits", load_digits),
    ):
        yield name, Data(*load(return_X_y=True))
    rows = settings.size(5000, 1000)
    yield "overlap", Data(*make_classification(rows, 40, n_informative=10, flip_y=0.1, random_state=0))
    eight = make_classification(rows, 20, n_informative=10, n_classes=8, n_clusters_per_class=1, random_state=3)
    yield "eight classes", Data(*eight)
    yield "census", census(settings)


def defaults(ours: Any, peer: Any) -> Callable[[Settings], Result]:
    """The geometric mean of the peer's time over ours; 0 if an accuracy is worse."""

    def measure(settings: Settings) -> Result:
        ratios, slow, worse = [], [], []
        for name, (X, y) in tables(settings):
            scaler = MaxAbsScaler() if sparse.issparse(X) else StandardScaler()
            for rows, how in ((X, "raw"), (scaler.fit_transform(X), "scaled")):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    seconds = race(
                        {"ours": lambda: clone(ours).fit(rows, y), "peer": lambda: clone(peer).fit(rows, y)},  # noqa: B023
                        settings.rounds,
                    )
                    gain = gains(ours, peer, rows, y)
                ratios.append(seconds["peer"] / seconds["ours"])
                if seconds["ours"] > max(BRIEF, seconds["peer"] / 0.8):
                    slow.append(f"{name} {how} {ratios[-1]:.2g}x")
                if gain.mean() < -max(WORSE, ERRORS * gain.std(ddof=1) / len(gain) ** 0.5):
                    worse.append(f"{name} {how} {100 * gain.mean():+.2g} points")
        remark = "; ".join([*(f"slow: {each}" for each in slow), *(f"worse: {each}" for each in worse)])
        mean = float(np.exp(np.mean(np.log(ratios))))
        return Result(f"{min(ratios):.2g}x to {max(ratios):.2g}x", type(peer).__name__, 0.0 if worse else mean, remark)

    return measure


def gains(ours: Any, peer: Any, X: Any, y: np.ndarray) -> np.ndarray:
    """Our accuracy less the peer's, on rows held out."""
    splits = StratifiedShuffleSplit(SPLITS, test_size=0.3, random_state=0).split(X, y)
    scores = [
        [clone(each).fit(X[learn], y[learn]).score(X[test], y[test]) for each in (ours, peer)] for learn, test in splits
    ]
    return np.subtract(*np.array(scores).T)
