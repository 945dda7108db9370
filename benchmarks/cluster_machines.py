"""Machines and logistic regression over partitions, on two worker processes of this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from novikoff import LinearSVM, LogisticNeuron, distributed

from .data import Data, make_noisy
from .measure import Benchmark, Result, Settings, at_least, at_most, race, say, show_time, timed

PARTITIONS = 16
GAP = 1e-6
FLAT = 1e-4  # of the gradient's norm at zero weights
PEERS = ("newton", "lbfgs", "gradient_descent")
TOLERANCES = (1e-2, 1e-4, 1e-6)
PATIENCE = 60.0  # seconds of a peer's solver


@contextmanager
def on_workers(data: Data) -> Iterator[tuple[Any, Any]]:
    """The rows as Dask arrays in the memory of two worker processes of one thread each."""
    import dask.array as da
    from distributed import Client, LocalCluster, wait

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "memory_limit": 0}
    with LocalCluster(processes=True, **options) as cluster, Client(cluster) as client:
        rows = -(-len(data.y) // PARTITIONS)
        arrays = da.from_array(data.X, chunks=(rows, data.X.shape[1])), da.from_array(data.y, chunks=rows)
        arrays = client.persist([array.map_blocks(np.array) for array in arrays])  # as if workers had read them
        wait(arrays)
        yield arrays[0], arrays[1]


def machine_rounds(settings: Settings) -> Result:
    """``LinearSVM`` to a proved gap, over partitions and on one machine: time against time."""
    data = make_noisy(settings.size(1_000_000, 50_000), 50)
    with on_workers(data) as (X, y):
        mine, one = (LinearSVM(loss="hinge", tol=GAP, random_state=0) for _ in range(2))
        times = race({"ours": lambda: mine.fit(X, y), "one": lambda: one.fit(*data)}, settings.size(3, 1))
    remark = f"{mine.n_iter_} rounds, gap {mine.duality_gap_:.1e}; one machine {one.duality_gap_:.1e}"
    return Result(show_time(times["ours"]), show_time(times["one"]), times["ours"] / times["one"], remark)


def logistic_rounds(settings: Settings) -> Result:
    """``LogisticNeuron`` against the quickest solver of dask-ml's ``LogisticRegression`` that gets as far."""
    data = make_noisy(settings.size(1_000_000, 50_000), 50)
    learner = LogisticNeuron(solver="newton", l2=1.0)
    with on_workers(data) as (X, y):
        runners = {"ours": lambda: distributed.fit(learner, X, y)}
        runners["ours"]()  # compiles
        left = flatness(data, learner.coef_[0], float(learner.intercept_[0]))
        remark = f"gradient {left:.0e} of that at zero, {learner.n_iter_} steps"
        name, quickest, reached = quickest_peer(data, X, y) if find_spec("dask_ml") else ("", None, np.nan)
        times = race(runners | ({"peer": quickest} if quickest else {}), settings.size(5, 1))
    if not quickest:
        return Result(show_time(times["ours"]), "-", float("nan"), f"{remark}; no solver of dask-ml gets as far")
    ratio = times["peer"] / times["ours"]
    return Result(
        show_time(times["ours"]), show_time(times["peer"]), ratio, f"{remark}; dask-ml's {name} {reached:.0e}"
    )


def quickest_peer(data: Data, X: Any, y: Any) -> tuple[str, Any, float]:
    """The peer's solver that is soonest flat enough, what runs it, and how flat it is there."""
    from dask_ml.linear_model import LogisticRegression  # not every machine has it

    found: list[tuple[float, str, Any, float]] = []
    for solver in PEERS:
        spent = 0.0
        for tolerance in TOLERANCES:
            peer = LogisticRegression(solver=solver, tol=tolerance, C=1.0)
            run = partial(peer.fit, X, y)
            try:
                seconds = timed(run)
            except Exception as error:  # a solver that does not run with the versions at hand
                say(f"  dask-ml, {solver}: {error!r}")
                break
            left = flatness(data, np.asarray(peer.coef_), float(peer.intercept_))
            say(f"  dask-ml, {solver}, tol={tolerance:.0e}: {show_time(seconds)}, gradient {left:.1e}")
            spent += seconds
            if left <= FLAT:
                found.append((seconds, solver, run, left))
                break
            if spent > PATIENCE:
                break
    return min(found, key=lambda one: one[0])[1:] if found else ("", None, float("nan"))


def flatness(data: Data, w: np.ndarray, b: float) -> float:
    """The norm of the gradient of the loss, relative to that at zero weights."""

    def gradient(chance: Any) -> float:
        rest = chance - data.y
        return float(np.linalg.norm(np.append(rest @ data.X, rest.sum())))

    return gradient(1 / (1 + np.exp(-(data.X @ w + b)))) / gradient(np.full(len(data.y), 0.5))


def cluster_machine_rows() -> tuple[Benchmark, ...]:
    """The rows of the table."""
    return (
        Benchmark(
            "cluster-svm",
            f"`LinearSVM`, hinge, 1M x 50 in {PARTITIONS} partitions on 2 workers, to a proved gap of 1e-6, against one machine",
            at_most(1.2, 0.6),
            machine_rounds,
        ),
        Benchmark(
            "cluster-logistic",
            f"`LogisticNeuron`, 1M x 50 in {PARTITIONS} partitions on 2 workers, to a gradient of 1e-4, against dask-ml",
            at_least(5, 20),
            logistic_rounds,
        ),
    )
