"""What is said of a cell, a pair on one set: the arithmetic, without any fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, inf, log, sqrt
from typing import NamedTuple

import numpy as np

from .measure import FOLDS, Trial
from .pairs import PLAIN

POINTS = 0.005  # by which an accuracy must at least be lower to count as lower
ERRORS = 3.0  # standard errors by which it must be lower, too
NEARLY = 2 / 3  # of both: such cells are measured again
SLOW = 0.8  # their time over ours, below which ours is slow
SHORT = 0.010  # seconds: a fit that the peer ends sooner may take us as long as this


def corrected_error(differences: Sequence[float], test_over_train: float) -> float:
    """The standard error of the mean of differences over k folds that share rows.

    Nadeau & Bengio 2003: sqrt((1/k + n_test / n_train) s^2), with s^2 the variance of the k differences.
    """
    k = len(differences)
    return sqrt((1 / k + test_over_train) * float(np.var(differences, ddof=1))) if k > 1 else inf


class Cell(NamedTuple):
    """The trials of a pair on a set: one, or two where the first was lower or nearly so."""

    trials: tuple[Trial, ...]

    @property
    def counts(self) -> bool:
        """Whether the peer converged, by its own account."""
        return all(trial.converged for trial in self.trials)

    def accuracy(self, side: str) -> float:
        return float(np.mean(values(self.trials, "accuracy", side)))

    def seconds(self, side: str) -> float:
        """Of one fit, the mean over all folds."""
        return float(np.mean(values(self.trials, "seconds", side)))

    @property
    def ratio(self) -> float:
        """Their time over ours."""
        return self.seconds("peer") / self.seconds("ours")

    @property
    def difference(self) -> tuple[float, float]:
        """Our accuracy less theirs, over the folds of all trials, and its standard error."""
        return difference(self.trials)

    def lower(self, share: float = 1.0) -> bool:
        """Whether ours is lower by as much as counts, or by this share of it."""
        return lower(*self.difference, share)

    @property
    def slow(self) -> bool:
        return slow(self.seconds("ours"), self.seconds("peer"))


def values(trials: Iterable[Trial], what: str, side: str) -> list[float]:
    return [value for trial in trials for value in getattr(trial, what)[side]]


def difference(trials: Sequence[Trial]) -> tuple[float, float]:
    """Our accuracy less theirs, and its standard error."""
    each = np.subtract(values(trials, "accuracy", "ours"), values(trials, "accuracy", "peer"))
    return float(each.mean()), corrected_error(each.tolist(), 1 / (FOLDS - 1))


def lower(mean: float, error: float, share: float = 1.0) -> bool:
    """Lower by more than half a point, and by more than three standard errors."""
    return mean < -share * POINTS and mean < -share * ERRORS * error


def slow(ours: float, peer: float) -> bool:
    """Slower by a quarter than a peer that takes a while; noticeable where the peer is not."""
    return ours > SHORT if peer < SHORT else peer / ours < SLOW


def by_cell(trials: Iterable[Trial]) -> dict[tuple[str, str, str], list[Trial]]:
    """Trials of the same pair, set and columns together."""
    found: dict[tuple[str, str, str], list[Trial]] = {}
    for trial in trials:
        found.setdefault(trial.place, []).append(trial)
    return found


def cells_of(trials: Iterable[Trial]) -> dict[tuple[str, str, str], Cell]:
    return {place: Cell(tuple(own)) for place, own in by_cell(trials).items()}


def verdict(cell: Cell, plain: Cell | None = None) -> str:
    """In words; ``plain`` is the cell of the peer without a penalty, if there is such a pair."""
    if not cell.counts:
        return "peer not converged"
    words = []
    if cell.lower():
        words.append("lower (penalty)" if plain and plain.counts and not plain.lower() else "lower")
    if cell.slow:
        words.append("slow")
    return ", ".join(words)


def plain_twin(place: tuple[str, str, str]) -> tuple[str, str, str]:
    return place[0] + PLAIN, *place[1:]


class Summary(NamedTuple):
    """A pair over all sets that count."""

    counted: int
    difference: float
    ratio: float
    lower: int
    penalty: int  # of those that are lower: not lower than the peer without its penalty
    slow: int
    not_counted: int


def summary(cells: Sequence[tuple[Cell, str]]) -> Summary:
    """Of cells and what was said of each."""
    counted = [(cell, text) for cell, text in cells if cell.counts]
    if not counted:
        return Summary(0, float("nan"), float("nan"), 0, 0, 0, len(cells))
    return Summary(
        len(counted),
        float(np.mean([cell.difference[0] for cell, _ in counted])),
        exp(float(np.mean([log(cell.ratio) for cell, _ in counted]))),
        sum("lower" in text for _, text in counted),
        sum("penalty" in text for _, text in counted),
        sum("slow" in text for _, text in counted),
        len(cells) - len(counted),
    )
