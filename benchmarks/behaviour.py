"""Counts and growth: mistakes of one order against another's, and cost a row as the rows become many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .data import Data, sorted_by_class
from .fits import Maker, Source, fit
from .measure import Result, Settings, race, say, show_time

SEEDS = 5


def mistakes(data: Source, ours: Maker, peer: Maker, passes: int) -> Callable[[Settings], Result]:
    """Mistakes of two learners on rows sorted by class, added up over some seeds."""

    def measure(settings: Settings) -> Result:
        rows = sorted_by_class(data(settings))
        mine, its = (
            sum(make(max_iter=passes, random_state=seed).fit(*rows).n_mistakes_ for seed in range(SEEDS))
            for make in (ours, peer)
        )
        return Result(f"{mine / SEEDS:.0f}", f"{its / SEEDS:.0f}", mine / its, f"mean of {SEEDS} seeds")

    return measure


def growth(make_data: Callable[[int], Data], ours: Maker, other: Maker, peer: Maker) -> Callable[[Settings], Result]:
    """Seconds of a fit for each stored value and pass, over a hundredfold range of rows: largest over smallest."""
    makers = {"ours": ours, "other": other, "peer": peer}

    def measure(settings: Settings) -> Result:
        costs: dict[str, list[float]] = {side: [] for side in makers}
        for rows in (settings.size(size, size // 10) for size in (10_000, 100_000, 1_000_000)):
            say(f"  {rows} rows")
            for side, cost in cost_a_row(make_data(rows), makers, settings).items():
                costs[side].append(cost)
        remark = f"{other.keywords['order']}: {show_costs(costs['other'])}, {spread(costs['other']):.2f}x"  # type: ignore
        peer_spread = f"{show_costs(costs['peer'])}, {spread(costs['peer']):.2f}x"
        return Result(show_costs(costs["ours"]), peer_spread, spread(costs["ours"]), remark)

    return measure


def cost_a_row(data: Data, makers: dict[str, Maker], settings: Settings, passes: int = 5) -> dict[str, float]:
    """Seconds a row and pass (dense), or a stored value and pass (CSR)."""
    units = data.X.nnz if hasattr(data.X, "nnz") else data.X.shape[0]
    times = race({side: fit(make, *data, passes) for side, make in makers.items()}, settings.size(3, 1))
    return {side: seconds / units / passes for side, seconds in times.items()}


def spread(costs: list[float]) -> float:
    return max(costs) / min(costs)


def show_costs(costs: list[float]) -> str:
    return " / ".join(show_time(cost) for cost in costs)


def peak_memory(estimator: Any, X: Any, y: np.ndarray) -> float:
    """The most memory that ``fit`` held at once beyond what was there before, as a fraction of the bytes of X."""
    import tracemalloc

    head = np.r_[np.flatnonzero(y == 0)[:50], np.flatnonzero(y == 1)[:50]]
    estimator.fit(X[head], y[head])  # compiles
    tracemalloc.start()
    estimator.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if hasattr(X, "indptr") else X.nbytes
    return peak / size
