"""Many fits in a row, as users make them: searches for C, and cross-validation of small data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from .data import Data, iris
from .defaults.pairs import PAIRS, PLAIN, Pair, seeded
from .fits import Source
from .measure import Benchmark, Result, Settings, at_least, race, show_time

VALUES = 20  # of C, from 0.001 to 1000
FOLDS = 5
REPEAT = 5  # cross-validations that are timed as one
SEARCHED = {"LinearSVM": "linear", "KernelSVM": "kernel"}
AS_FAST = at_least(1, 2)


def standardised(load: Callable[..., Any]) -> Source:
    """A set of scikit-learn; in a quick run, some hundred rows of it."""

    def source(settings: Settings) -> Data:
        X, y = (part[: settings.size(len(part), 300)] for part in load(return_X_y=True))
        return Data(StandardScaler().fit_transform(X), y)

    return source


def search_rows() -> Iterator[Benchmark]:
    """The rows of all searches, and of the cross-validation of every learner."""
    for pair in PAIRS:
        for name, load in (("cancer", load_breast_cancer), ("digits", load_digits)) if pair.name in SEARCHED else ():
            yield Benchmark(
                f"grid-{SEARCHED[pair.name]}-{name}",
                f"`GridSearchCV`, {VALUES} values of C, {FOLDS} folds, {name}: `{pair.name}()`, `{pair.peer_text}`",
                AS_FAST,
                search(pair, standardised(load)),
            )
    for kind, peer in (("svm", "LinearSVC"), ("logistic", "LogisticRegression")):
        for name, load in (("cancer", load_breast_cancer), ("digits", load_digits)):
            work = f"`{kind}_path`, {VALUES} values of C, {name}: every point with its proved gap; `{peer}`, one fit for each C"
            yield Benchmark(f"path-{kind}-{name}", work, AS_FAST, path(kind, standardised(load)))
    for pair in PAIRS:
        if not pair.name.endswith(PLAIN):
            yield Benchmark(
                f"cv-{pair.name}",
                f"`cross_val_score`, {FOLDS} folds, iris: `{pair.name}`, `{pair.peer_text}`",
                AS_FAST,
                cross_validation(pair),
            )


def search(pair: Pair, data: Source) -> Callable[[Settings], Result]:
    """A whole search, the last fit included; the remark has the best scores."""

    def measure(settings: Settings) -> Result:
        X, y = data(settings)
        grid = {"C": np.logspace(-3, 3, settings.size(VALUES, 4))}
        searches = {side: GridSearchCV(seeded(make, 0), grid, cv=FOLDS) for side, make in sides(pair).items()}
        times = race({side: lambda each=each: each.fit(X, y) for side, each in searches.items()}, settings.size(3, 1))
        best = ", ".join(f"{each.best_score_:.2%} at C={each.best_params_['C']:.3g}" for each in searches.values())
        return compared(times, f"best: {best}")

    return measure


def path(kind: str, data: Source) -> Callable[[Settings], Result]:
    """All values of C for the same rows, from one to the next; scikit-learn's logistic regression starts from the last weights, too."""

    def measure(settings: Settings) -> Result:
        import novikoff

        X, y = data(settings)
        values = np.logspace(-3, 3, settings.size(VALUES, 4))
        found: list[Any] = []

        def ours() -> None:
            found[:] = [getattr(novikoff, f"{kind}_path")(X, y, values)]

        def theirs() -> None:
            peer = LinearSVC() if kind == "svm" else LogisticRegression(warm_start=True, max_iter=1000)
            for C in values.tolist():
                peer.set_params(C=C).fit(X, y)

        times = race({"ours": ours, "peer": theirs}, settings.size(3, 1))
        return compared(times, f"largest gap {found[0].duality_gap.max():.1e}")

    return measure


def cross_validation(pair: Pair) -> Callable[[Settings], Result]:
    """Times are those of one call; the remark has the mean scores."""

    def measure(settings: Settings) -> Result:
        X, y = iris(settings)
        scores: dict[str, float] = {}

        def run(side: str, make: Callable[[], Any]) -> None:
            for _ in range(REPEAT):
                scores[side] = cross_val_score(seeded(make, 0), X, y, cv=FOLDS).mean()

        makers = sides(pair)
        times = race({side: lambda side=side: run(side, makers[side]) for side in makers}, settings.rounds)
        means = ", ".join(f"{score:.2%}" for score in scores.values())
        return compared({side: seconds / REPEAT for side, seconds in times.items()}, f"accuracy {means}")

    return measure


def sides(pair: Pair) -> dict[str, Callable[[], Any]]:
    return {"ours": pair.ours, "peer": pair.peer}


def compared(times: dict[str, float], remark: str) -> Result:
    return Result(show_time(times["ours"]), show_time(times["peer"]), times["peer"] / times["ours"], remark)
