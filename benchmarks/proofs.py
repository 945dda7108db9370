"""``separability`` against the linear programme that is usually solved for it, on all rows.

The programme asks for w, b with y (w.x + b) >= 1 for every row and minimises nothing; HiGHS, through SciPy, by its dual
simplex and its interior point method, whichever is faster, even where its answer is wrong.  Ours includes the exact check.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer

from novikoff import separability, theory

from .data import Data
from .measure import Result, Settings, race, say, show_time

PEER_LIMIT = 600.0  # seconds after which the peer's time so far is a lower bound
QUICK = 20.0  # seconds; what takes longer runs once
METHODS = ("highs-ds", "highs-ipm")


def proves(make: Callable[[Settings], Data], kind: str) -> Callable[[Settings], Result]:
    """Time of a proof over the time of the faster linear programme."""

    def measure(settings: Settings) -> Result:
        X, y = make(settings)
        A, b = programme(X, y)
        answers: dict[str, Any] = {}
        runners: dict[str, Callable[[], object]] = {"ours": lambda: answers.update(ours=separability(X, y))}
        for method in METHODS:
            runners[method] = partial(lambda how: answers.update({how: solve(A, b, how)}), method)
        runners["ours"]()  # compiled code, if any, is ready
        times = race(runners, 1, warm_up=False)
        quick = {name: run for name, run in runners.items() if times[name] < QUICK}
        more = race(quick, settings.size(3, 1), warm_up=False)
        times |= {name: min(times[name], more[name]) for name in quick}
        proof = answers.pop("ours")
        if proof.kind != kind or not proof.verify(X, y):
            raise RuntimeError(f"{proof} where {kind} was expected")
        said = {how: ANSWERS.get(answer.status, answer.message) for how, answer in answers.items()}
        remark = ", ".join(f"{how}: {show_time(times[how])}, {said[how]}" for how in METHODS)
        peer = min(times[how] for how in METHODS)
        return Result(show_time(times["ours"]), show_time(peer), peer / times["ours"], f"{kind}; {remark}")

    return measure


ANSWERS = {0: "separable", 1: "not ended", 2: "not separable", 4: "numerical trouble"}


def programme(X: Any, y: np.ndarray) -> tuple[Any, np.ndarray]:
    """A and b of A (w, b) <= b: y (w.x + b) >= 1 for every row."""
    signs = np.where(y == 1, 1.0, -1.0)
    if sparse.issparse(X):
        A = sparse.hstack([X.multiply(-signs[:, None]), sparse.csr_array(-signs[:, None])], format="csr")
    else:
        A = np.column_stack([X, np.ones(len(X))]) * -signs[:, None]
    return A, np.full(A.shape[0], -1.0)


def solve(A: Any, b: np.ndarray, method: str) -> Any:
    nothing = np.zeros(A.shape[1])
    return linprog(nothing, A, b, bounds=(None, None), method=method, options={"time_limit": PEER_LIMIT})


def labelings(rows: int, columns: int, count: int, peers: int) -> Callable[[Settings], Result]:
    """Time of so many random labelings of the same normal rows over that of HiGHS, one at a time (some of them), in processor time."""

    def measure(settings: Settings) -> Result:
        X = np.random.default_rng(0).standard_normal((rows, columns))
        theory.separable(X, 2, random_state=1)
        began = process_time()
        found = theory.separable(X, settings.size(count, count // 10), random_state=0)
        mine, theirs = (process_time() - began) / len(found), []
        for y, verdict in zip(found.labelings[:peers], found.separable, strict=False):
            A, b = programme(X, y)
            began = process_time()
            answer = linprog(np.zeros(A.shape[1]), A, b, bounds=(None, None), method="highs")
            theirs.append(process_time() - began)
            if (answer.status == 0) != verdict:
                raise RuntimeError(f"HiGHS says {answer.message}, we say {verdict}")
        peer = float(np.mean(theirs))
        in_floats = int(np.count_nonzero(found.methods == "floating point"))
        remark = f"{int(found.separable.sum())} of {len(found)} separable, {in_floats} proved in floating point, none undecided"
        return Result(show_time(mine), show_time(peer), peer / mine, remark)

    return measure


def warm_time(make: Callable[[Settings], Data], kind: str) -> Callable[[Settings], Result]:
    """Milliseconds of one call in a warm process."""

    def measure(settings: Settings) -> Result:
        X, y = make(settings)
        mine = race({"ours": lambda: separability(X, y)}, settings.size(20, 3))["ours"]
        proof = separability(X, y)
        if proof.kind != kind or not proof.verify(X, y):
            raise RuntimeError(f"{proof} where {kind} was expected")
        return Result(show_time(mine), "-", 1000 * mine, f"{kind}, verified")

    return measure


def growth_with_rows(settings: Settings) -> Result:
    """Seconds a row over a hundredfold range of rows: largest over smallest."""
    costs = []
    for rows in (settings.size(size, size // 10) for size in (20_000, 200_000, 2_000_000)):
        X, y = make_apart(rows, 20, 1e-3)
        seconds = race({"ours": partial(separability, X, y)}, settings.size(3, 1))["ours"]
        say(f"  {rows} rows: {show_time(seconds)}")
        costs.append(seconds / rows)
    shown = " / ".join(show_time(cost) for cost in costs)
    return Result(shown, "-", max(costs) / min(costs), "falls with the rows" if costs[-1] <= costs[0] else "")


# Data


def apart(rows: int, columns: int, margin: float) -> Callable[[Settings], Data]:
    return lambda settings: make_apart(settings.size(rows, rows // 10), columns, margin)


def one_turned(rows: int, columns: int, margin: float) -> Callable[[Settings], Data]:
    """One row far from the boundary has the wrong label."""

    def make(settings: Settings) -> Data:
        X, y = make_apart(settings.size(rows, rows // 10), columns, margin)
        far = int(np.argmax(np.where(y == 1, X[:, 0], -np.inf)))
        y[far] = 0
        return Data(X, y)

    return make


def make_apart(rows: int, columns: int, margin: float) -> Data:
    """Normal rows on both sides of a hyperplane, none closer than ``margin``; some stand opposite each other at just that
    distance, so that no hyperplane has a larger margin."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    w = rng.standard_normal(columns)
    w /= np.linalg.norm(w)
    y = (X @ w > 0).astype(int)
    X += np.outer(np.where(y == 1, margin, -margin), w)
    feet = rng.standard_normal((3 * columns, columns))
    feet -= np.outer(feet @ w, w)
    X[: 3 * columns], y[: 3 * columns] = feet + margin * w, 1
    X[3 * columns : 6 * columns], y[3 * columns : 6 * columns] = feet - margin * w, 0
    return Data(X, y)


def words(rows: int, twins: int) -> Callable[[Settings], Data]:
    """Rows of 75 draws from 50 000 words by Zipf's law; some rows once more with the other label."""

    def make(settings: Settings) -> Data:
        count, columns, draws = settings.size(rows, rows // 10), 50_000, 75
        rng = np.random.default_rng(0)
        chance = 1 / np.arange(1, columns + 1)
        steps = np.cumsum(chance / chance.sum())
        drawn = np.searchsorted(steps, rng.random(count * draws)).clip(max=columns - 1)
        starts = np.arange(0, count * draws + 1, draws)
        X = sparse.csr_array((rng.random(drawn.size) + 0.5, drawn, starts), shape=(count, columns))
        X.sum_duplicates()
        scores = X @ rng.standard_normal(columns)
        y = (scores > np.median(scores)).astype(int)
        again = rng.choice(count, twins, replace=False)
        return Data(sparse.vstack([X, X[again]], format="csr"), np.append(y, 1 - y[again]))

    return make


def breast_cancer(_: Settings) -> Data:
    return Data(*load_breast_cancer(return_X_y=True))
