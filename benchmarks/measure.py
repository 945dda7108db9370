"""What a benchmark is, how it is judged, and how times are taken."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple


class Settings(NamedTuple):
    """What the command line asks for."""

    quick: bool = False
    mnist: str | None = None

    def size(self, full: int, quick: int) -> int:
        """``full``, or ``quick`` for a trial run."""
        return quick if self.quick else full

    @property
    def rounds(self) -> int:
        """How often everything that takes less than a second or so is repeated."""
        return self.size(7, 2)


class Limit(NamedTuple):
    """What the figure must be, and should be: at least, or at most.  None: nothing is asked of it."""

    must: float | None
    aim: float | None
    at_least: bool
    unit: str = "x"

    def verdict(self, figure: float) -> str:
        for wanted, text in ((self.aim, "aim met"), (self.must, "must met")):
            if wanted is not None and (figure >= wanted if self.at_least else figure <= wanted):
                return text
        return "-" if self.must is None else "MISSED"

    def show(self, wanted: float | None) -> str:
        sign = "≥" if self.at_least else "≤"
        return "-" if wanted is None else f"{sign} {wanted:g}{self.unit}"


def at_least(must: float, aim: float, unit: str = "x") -> Limit:
    return Limit(must, aim, at_least=True, unit=unit)


def at_most(must: float, aim: float, unit: str = "x") -> Limit:
    return Limit(must, aim, at_least=False, unit=unit)


def no_limit(unit: str = "x") -> Limit:
    return Limit(None, None, at_least=False, unit=unit)


class Result(NamedTuple):
    """What a benchmark found."""

    ours: str
    peer: str
    figure: float  # the ratio, or whatever the limit is for
    remark: str = ""


class Benchmark(NamedTuple):
    """One row of the table."""

    name: str
    work: str
    limit: Limit
    measure: Callable[[Settings], Result]


def race(runners: dict[str, Callable[[], object]], rounds: int, warm_up: bool = True) -> dict[str, float]:
    """The best time of each runner.  They take turns: A, B, A, B, ..., so that a slow spell of the machine hits all."""
    best = dict.fromkeys(runners, float("inf"))
    for turn in range(-1 if warm_up else 0, rounds):
        for name, runner in runners.items():
            seconds = timed(runner)
            if turn >= 0:
                best[name] = min(best[name], seconds)
    return best


def timed(runner: Callable[[], object]) -> float:
    """Seconds of one call, with the garbage collector off."""
    gc.collect()
    gc.disable()
    try:
        began = perf_counter()
        runner()
        return perf_counter() - began
    finally:
        gc.enable()


def show_time(seconds: float) -> str:
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if abs(seconds) * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def say(text: str) -> None:
    """Progress."""
    print(text, file=sys.stderr, flush=True)
