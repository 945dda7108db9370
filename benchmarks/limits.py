"""How far calls with a time limit run beyond it: seconds over, less a tenth of the limit; the worst of several calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse

from novikoff import KernelPerceptron, Perceptron, separability
from novikoff.theory import novikoff_bound, radius

from .measure import Result, Settings, say, show_time

SHARE = 0.1  # of the limit that it may be exceeded by


def overrun(settings: Settings) -> Result:
    """The longest overrun, and the call that has it.  Nearly every call would take longer than its limit."""
    limit, over = settings.size(4, 1) / 2, {}
    for name, call in calls().items():
        call(1e-3)  # compiled code, if any, is ready
        began = perf_counter()
        call(limit)
        over[name] = perf_counter() - began - limit
        say(f"  {name}: {show_time(over[name])} over {limit:g} s")
    worst = max(over, key=over.__getitem__)
    return Result(show_time(over[worst]), "-", over[worst] - SHARE * limit, f"{worst}, limit {limit:g} s")


def calls() -> dict[str, Callable[[float], Any]]:
    """Long calls, each given its limit."""
    rng = np.random.default_rng(0)

    def rows(n: int, d: int, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
        return rng.standard_normal((n, d)), rng.integers(n_classes, size=n)

    overlap, wide, many, fit = rows(20_000, 300), rows(3000, 2000), rows(3000, 10, 300), rows(5000, 200)
    fit = np.vstack([fit[0], fit[0]]), np.append(fit[1], 1 - fit[1])
    text = sparse.random_array((4000, 2500), density=0.05, rng=rng, format="csr"), rng.integers(2, size=4000)
    apart = rng.standard_normal((20_000, 400)), np.zeros(20_000, dtype=int)
    apart[1][:] = apart[0] @ rng.standard_normal(400) > 0
    half = rows(1500, 120)
    half[0][:, :60] = np.where(half[1] == 1, 1, -1)[:, None] * rng.random((1500, 60))
    half[0][:500, :60] = 0
    quasi, never = separability(*half), {"max_iter": 10**9, "min_progress": None, "random_state": 0}
    undecided = separability(*many, time_limit=1e-3)
    return {
        "separability, 20k x 300": lambda limit: separability(*overlap, time_limit=limit),
        "separability, 3000 x 2000": lambda limit: separability(*wide, time_limit=limit),
        "separability, 300 classes": lambda limit: separability(*many, time_limit=limit),
        "separability, CSR": lambda limit: separability(*text, time_limit=limit),
        "largest margin": lambda limit: separability(*apart, max_margin=True, time_limit=limit),
        "directions": lambda limit: replace(quasi, time_limit=limit).directions,
        "suspects": lambda limit: replace(undecided, time_limit=limit).suspects,
        "radius": lambda limit: radius(wide[0], time_limit=limit),
        "novikoff_bound": lambda limit: _bound(apart, limit),
        "Perceptron": lambda limit: Perceptron(time_limit=limit, **never).fit(*fit),
        "KernelPerceptron": lambda limit: KernelPerceptron(time_limit=limit, **never).fit(*fit),
    }


def _bound(data: tuple[np.ndarray, np.ndarray], limit: float) -> int | None:
    try:
        return novikoff_bound(*data, time_limit=limit)
    except ValueError:  # not decided in time
        return None
