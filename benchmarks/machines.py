"""Support vector machines: time until the gap is proved, against LIBLINEAR and LIBSVM."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.svm import SVC, LinearSVC

from novikoff import KernelSVM, LinearSVM

from .data import curved
from .fits import Source
from .measure import Result, Settings, race, say, show_time, timed

PATIENCE = 10  # times our own time that the peer is given, or more
TOLERANCES = 10.0 ** -np.arange(0.5, 9, 0.5)


def until_gap(data: Source, gap: float) -> Callable[[Settings], Result]:
    """A fit until the relative gap is proved, against LIBLINEAR, its tolerance tightened until its objective is
    within the same gap of the optimum; a lower bound where that takes too long."""

    def measure(settings: Settings) -> Result:
        X, y = data(settings)
        mine = race({"ours": lambda: ours(gap).fit(X, y)}, settings.size(3, 1))["ours"]
        exact = ours(gap / 100).fit(X, y)
        enough = exact.objective_ * (1 - exact.duality_gap_) * (1 + gap)
        passes, seconds, value = tightened(X, y, enough, PATIENCE * mine)
        above = value / exact.objective_ - 1
        remark = (
            f"gap {ours(gap).fit(X, y).duality_gap_:.1e}; LIBLINEAR {above:.1e} above the optimum after {passes} passes"
        )
        bound = ">= " if value > enough else ""
        return Result(show_time(mine), bound + show_time(seconds), seconds / mine, remark)

    return measure


def ours(gap: float) -> LinearSVM:
    return LinearSVM(loss="hinge", tol=gap, fit_intercept=False, random_state=0)


def tightened(X: Any, y: np.ndarray, enough: float, limit: float) -> tuple[int, float, float]:
    """The peer's passes to an objective, their seconds, and the objective; or what it had after ``limit`` seconds."""
    most = 10
    for tolerance in TOLERANCES:
        while True:
            passes, seconds, value = peer_fit(X, y, tolerance, most)
            say(
                f"  LIBLINEAR, tol={tolerance:.0e}, {passes} passes: {show_time(seconds)}, {value / enough - 1:.1e} above enough"
            )
            if value <= enough or seconds > limit:
                return passes, seconds, value
            if passes < most:
                break
            most *= 3
    return passes, seconds, value


def peer_fit(X: Any, y: np.ndarray, tolerance: float, most: int) -> tuple[int, float, float]:
    """Passes, seconds and objective of a fit."""
    peer = LinearSVC(loss="hinge", fit_intercept=False, tol=tolerance, max_iter=most, random_state=0)
    seconds = timed(lambda: peer.fit(X, y))
    w = peer.coef_[0]
    slack = np.maximum(0, 1 - np.where(y == peer.classes_[1], 1, -1) * (X @ w))
    return int(peer.n_iter_), seconds, 0.5 * float(w @ w) + float(slack.sum())


def against_svc(settings: Settings) -> Result:
    """``KernelSVM`` to the gap that ``SVC`` ends at, both with its tolerance, kernel and cache."""
    X, y = (part[: settings.size(10_000, 1_500)] for part in curved(settings).train)
    peer = SVC().fit(X, y)
    gap = gap_of(peer, X, y)
    mine = KernelSVM(tol=gap, cache_size=peer.cache_size)
    times = race({"ours": lambda: mine.fit(X, y), "peer": lambda: peer.fit(X, y)}, settings.size(3, 1))
    remark = f"gap {mine.duality_gap_:.1e}, {gap:.1e}; {mine.support_.size} support vectors, {peer.support_.size}"
    return Result(show_time(times["ours"]), show_time(times["peer"]), times["peer"] / times["ours"], remark)


def gap_of(peer: SVC, X: np.ndarray, y: np.ndarray) -> float:
    """The relative duality gap of a fitted peer, with the best bias for its weights."""
    from novikoff.solvers.audit import relative_gap
    from novikoff.solvers.objectives import Hinge

    loss = Hinge(np.where(y == peer.classes_[1], 1.0, -1.0)[None], np.ones(len(y)))
    scores = peer.decision_function(X) - peer.intercept_[0]
    square = float(peer.dual_coef_[0] @ scores[peer.support_])
    slack = np.maximum(0, 1 - loss.signs[0] * (scores + loss.best_bias(scores[:, None], np.zeros(1))))
    return relative_gap(0.5 * square + float(slack.sum()), float(np.abs(peer.dual_coef_).sum()) - 0.5 * square, 0.0)
