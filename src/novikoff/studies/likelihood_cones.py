"""Models of counts and of ordered categories as questions of separation.

A maximum likelihood estimate fails to exist exactly if some direction of the parameters lowers no row's likelihood and raises some row's
(for log-concave likelihoods).  Each model says what that asks of a row; here every condition becomes a labelled row of ``separability``,
for which label 1 asks for a score >= 0, label 0 for one <= 0, and both for 0:

    counts, log link (S. Correia, P. Guimaraes, T. Zylkin, Verifying the existence of maximum likelihood estimates for generalized
        linear models, 2019): g.x <= 0 where the count is 0, g.x = 0 elsewhere
    successes of several trials: g.x <= 0 without a success, g.x >= 0 without a failure, g.x = 0 with both
    ordered categories, cumulative models with log-concave densities (S. J. Haberman, discussion of McCullagh 1980): with thresholds t, category j asks for
        g.x - t_j <= 0 unless it is the last, and g.x - t_(j-1) >= 0 unless it is the first
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

FAMILIES = ("binomial", "poisson", "negative binomial", "multinomial", "ordered")


class Cone(NamedTuple):
    """Labelled rows, and the row of the user's data that each comes from: first those rows in their order, then some of them again."""

    X: np.ndarray
    y: np.ndarray
    names: list[str]
    intercept: bool
    places: np.ndarray
    outcomes: tuple[str, str]  # what label 0 and label 1 mean


def counts_cone(
    X: np.ndarray, names: Sequence[str], intercept: bool, none: np.ndarray, all_: np.ndarray, outcomes: tuple[str, str]
) -> Cone:
    """Of rows that have no success, only successes (``all_``; of counts without a limit no row has), or both."""
    both = np.flatnonzero(~none & ~all_)
    places = np.append(np.arange(len(X)), both)
    labels = np.append((~none).astype(int), np.zeros(both.size, dtype=int))
    if np.unique(labels).size < 2:
        said = outcomes[int(labels[0])]
        raise ValueError(
            f"All rows have {said}: no estimate exists, whatever the columns. Use data with other outcomes, too."
        )
    return Cone(X[places], labels, list(names), intercept, places, outcomes)


def poisson_cone(X: np.ndarray, names: Sequence[str], intercept: bool, counts: Any, response: str) -> Cone:
    """Of counts, whole or not, at least 0."""
    given = np.asarray(counts, dtype=float)
    wrong = np.flatnonzero(~(np.isfinite(given) & (given >= 0)))
    if wrong.size:
        raise ValueError(
            f"{response} is {given[wrong[0]]} in row {wrong[0]}: a count is 0 or more. Correct that row, or leave it out."
        )
    return counts_cone(
        X, names, intercept, given == 0, np.zeros(len(given), dtype=bool), (f"{response} = 0", f"{response} > 0")
    )


def trials_cone(
    X: np.ndarray, names: Sequence[str], intercept: bool, successes: Any, failures: Any, response: str
) -> Cone:
    """Of successes and failures; rows of neither say nothing, and are refused."""
    good, bad = np.asarray(successes, dtype=float), np.asarray(failures, dtype=float)
    wrong = np.flatnonzero(~(np.isfinite(good) & np.isfinite(bad) & (good >= 0) & (bad >= 0) & (good + bad > 0)))
    if wrong.size:
        row = wrong[0]
        raise ValueError(
            f"{response} is {good[row]:g} successes and {bad[row]:g} failures in row {row}: counts are 0 or more, not both 0. "
            "Correct that row, or leave it out."
        )
    return counts_cone(
        X, names, intercept, good == 0, bad == 0, (f"no success ({response})", f"no failure ({response})")
    )


def ordered_cone(X: np.ndarray, names: Sequence[str], codes: np.ndarray, levels: Sequence[Any], response: str) -> Cone:
    """Of categories by their number in the order; those without a row are dropped first.  The thresholds are columns, so there is no intercept."""
    present, codes = np.unique(codes, return_inverse=True)
    if present.size < 2:
        raise ValueError(f"{response} has one category only: there is nothing to separate. Use data with two or more.")
    last = present.size - 1
    thresholds = [f"{levels[low]}/{levels[high]}" for low, high in pairwise(present)]
    above = np.flatnonzero(codes > 0)
    first = np.where(
        codes < last, codes, codes - 1
    )  # each row asks about its upper threshold, the last category about its lower
    again = above[codes[above] < last]
    places = np.append(np.arange(len(X)), again)
    which = np.append(first, codes[again] - 1)
    labels = np.append((codes == last).astype(int), np.ones(again.size, dtype=int))
    steps = np.zeros((places.size, last))
    steps[np.arange(places.size), which] = -1.0
    columns = [*names, *(name if name not in names else f"threshold {name}" for name in thresholds)]
    return Cone(
        np.hstack([X[places], steps]), labels, columns, False, places, ("below a threshold", "above a threshold")
    )
