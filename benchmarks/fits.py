"""Times of fits against a peer's, in this process, compiled code ready.

Each function here returns a measurement: something that takes ``Settings`` and returns a ``Result``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .data import Data, Split
from .measure import Result, Settings, race, say, show_time, timed

Maker = Callable[..., Any]  # max_iter=... -> an estimator
Source = Callable[[Settings], Data]


def fits(
    data: Source, ours: Maker, peer: Maker, passes: int = 5, repeat: int = 1, rounds: int | None = None
) -> Callable[[Settings], Result]:
    """Whole fits of the same number of passes; the remark has one more pass, as the difference of two fits."""

    def measure(settings: Settings) -> Result:
        X, y = data(settings)
        times = race(
            {
                f"{side} {count}": fit(make, X, y, count, repeat)
                for count in sorted({1, passes, passes + 1})
                for side, make in (("ours", ours), ("peer", peer))
            },
            min(settings.rounds, rounds or settings.rounds),
        )
        times = {name: seconds / repeat for name, seconds in times.items()}
        mine, its = times[f"ours {passes}"], times[f"peer {passes}"]
        more = {side: (times[f"{side} {passes + 1}"] - times[f"{side} 1"]) / passes for side in ("ours", "peer")}
        remark = (
            f"one more pass: {show_time(more['ours'])}, {show_time(more['peer'])}: {more['peer'] / more['ours']:.1f}x"
        )
        return Result(show_time(mine), show_time(its), its / mine, remark)

    return measure


def fit(make: Maker, X: Any, y: np.ndarray, passes: int, repeat: int = 1) -> Callable[[], None]:
    """Something that fits, and makes sure that the fit took all its passes."""

    def run() -> None:
        for _ in range(repeat):
            estimator = make(max_iter=passes).fit(X, y)
        if estimator.n_iter_ != passes:
            raise RuntimeError(f"{estimator} made {estimator.n_iter_} passes, not {passes}: no fair comparison")

    return run


def pass_and_product(data: Source, make: Maker) -> Callable[[Settings], Result]:
    """One pass of the kernel, weights already learned in a first one, against ``X @ w``; the remark has the pass as the
    difference of two fits."""

    def measure(settings: Settings) -> Result:
        X, y = data(settings)
        w = np.random.default_rng(0).standard_normal(X.shape[1]).astype(X.dtype)
        runners = {
            "pass": another_pass(make, X, y),
            "product": lambda: X @ w,
            "one": fit(make, X, y, 1),
            "six": fit(make, X, y, 6),
        }
        times = race(runners, 2 * settings.rounds)
        more = (times["six"] - times["one"]) / 5
        remark = f"the pass as a difference of fits: {show_time(more)}, {more / times['product']:.2f}x"
        return Result(show_time(times["pass"]), show_time(times["product"]), times["pass"] / times["product"], remark)

    return measure


def another_pass(make: Maker, X: Any, y: np.ndarray) -> Callable[[], object]:
    """One more pass over the rows as they lie, going on from the weights of a fit of one pass."""
    from novikoff.learn.learning import AsGiven, Plan

    learner, none = make(max_iter=1).fit(X, y), np.empty(0)
    source = AsGiven(X, y, none)
    source.settle(Plan(learner._n_outputs, "cyclic", 1, False, learner.classes_, none, 0.0), None)
    machine, members = learner._go_on(source), source.problem.members
    return lambda: machine.one_pass(members, members[:0])


def time_to_accuracy(data: Callable[[Settings], Split], ours: Maker, peer: Maker) -> Callable[[Settings], Result]:
    """The peer's own fit to its end, and the shortest fit of ours that is at least as accurate on the test rows."""

    def measure(settings: Settings) -> Result:
        name, train, test = data(settings)
        first, estimator = timed_fit(peer(), train)
        wanted = estimator.score(*test)
        passes, accuracy = fewest_passes(ours, train, test, wanted)
        mine = race({"ours": fit(ours, *train, passes)}, settings.rounds)["ours"]
        its = first if settings.quick else min(first, timed_fit(peer(), train)[0])
        remark = f"{name}; test accuracy {accuracy:.2%} after {passes} pass(es), {wanted:.2%} after {estimator.n_iter_}"
        return Result(show_time(mine), show_time(its), its / mine, remark)

    return measure


def fits_and_accuracy(
    data: Callable[[Settings], Split], ours: Maker, peer: Maker, passes: int | None, rounds: int, tolerance: float = 0.0
) -> Callable[[Settings], Result]:
    """Whole fits, of the same number of passes if one is given; worth nothing if the accuracy on the test rows is lower by
    more than ``tolerance``."""

    def measure(settings: Settings) -> Result:
        name, train, test = data(settings)
        makers = {"ours": ours, "peer": peer}
        limit = {} if passes is None else {"max_iter": passes}
        accuracy: dict[str, float] = {}

        def run(side: str) -> None:
            estimator = makers[side](**limit).fit(*train)
            if side not in accuracy:  # in the first round, which is not timed
                accuracy[side] = estimator.score(*test)

        times = race({side: lambda side=side: run(side) for side in makers}, min(settings.rounds, rounds))
        good = accuracy["ours"] >= accuracy["peer"] - tolerance
        remark = f"{name}; test accuracy {accuracy['ours']:.2%}, {accuracy['peer']:.2%}"
        ratio = times["peer"] / times["ours"]
        return Result(show_time(times["ours"]), show_time(times["peer"]), ratio if good else float("nan"), remark)

    return measure


def timed_fit(estimator: Any, train: Data) -> tuple[float, Any]:
    return timed(lambda: estimator.fit(*train)), estimator


def fewest_passes(make: Maker, train: Data, test: Data, wanted: float, most: int = 50) -> tuple[int, float]:
    """The passes after which this accuracy is reached, and the accuracy there."""
    for passes in range(1, most + 1):
        accuracy = make(max_iter=passes).fit(*train).score(*test)
        if accuracy >= wanted:
            return passes, accuracy
        say(f"  {passes} pass(es): {accuracy:.2%}, wanted {wanted:.2%}")
    raise RuntimeError(f"{most} passes do not reach the accuracy {wanted:.2%}")


def one_by_one(data: Source, ours: Maker, peer: Maker) -> Callable[[Settings], Result]:
    """``partial_fit`` of one row at a time, the classes named in every call; in the remark, in the first call only."""

    def measure(settings: Settings) -> Result:
        X, y = data(settings)
        makers = {"ours": ours, "peer": peer}
        runners = {side: stream(make, X, y, every_call=True) for side, make in makers.items()}
        runners |= {f"{side} first": stream(make, X, y, every_call=False) for side, make in makers.items()}
        for make in makers.values():
            stream(make, X[:100], y[:100], every_call=True)()
        times = {side: seconds / len(y) for side, seconds in race(runners, settings.size(3, 1), warm_up=False).items()}
        mine, its = times["ours first"], times["peer first"]
        remark = f"a row; classes named in the first call only: {show_time(mine)}, {show_time(its)}: {its / mine:.1f}x"
        return Result(show_time(times["ours"]), show_time(times["peer"]), times["peer"] / times["ours"], remark)

    return measure


def stream(make: Maker, X: np.ndarray, y: np.ndarray, every_call: bool) -> Callable[[], None]:
    classes = np.unique(y)

    def run() -> None:
        learner = make().partial_fit(X[:1], y[:1], classes=classes)
        later = classes if every_call else None
        for i in range(1, len(y)):
            learner.partial_fit(X[i : i + 1], y[i : i + 1], classes=later)

    return run
