"""``separability`` over partitions, two worker processes of one thread each, against the same rows on one machine.

Partitions are made by the workers and in their memory before the time is taken, as the rows of one machine are in its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from novikoff import distributed, separability

from .data import Data
from .measure import Benchmark, Limit, Result, Settings, at_most, race, show_time

PARTITIONS, COLUMNS = 32, 20
ROWS = 4_000_000, 400_000  # and of a quick run
MARGIN = 1e-3
RUNS = 3


def block(kind: str, rows: int, number: int) -> Data:
    """Normal rows on both sides of a plane, none closer than ``MARGIN``; with "overlap" one row far from it, in the last partition,
    has the wrong label."""
    rng = np.random.default_rng(number)
    X = rng.standard_normal((rows // PARTITIONS, COLUMNS))
    w = np.ones(COLUMNS) / COLUMNS**0.5
    y = (X @ w > 0).astype(int)
    X += np.outer(np.where(y == 1, MARGIN, -MARGIN), w)
    if kind == "overlap" and number == PARTITIONS - 1:
        y[np.argmax(X @ w)] = 0
    return Data(X, y)


def blocks(kind: str, settings: Settings) -> list[Callable[[], Data]]:
    return [partial(block, kind, settings.size(*ROWS), number) for number in range(PARTITIONS)]


def rounds(kind: str, settings: Settings) -> Result:
    """How often all partitions are asked: the same on every engine."""
    made = [make() for make in blocks(kind, settings)]
    proof = distributed.separability([tuple(part) for part in made])
    whole = np.concatenate([part.X for part in made]), np.concatenate([part.y for part in made])
    if proof.kind != kind or not proof.verify(*whole):
        raise RuntimeError(f"{proof} where {kind} was expected")
    held = len(proof._pairs.target)
    return Result(f"{proof.rounds} rounds", "-", proof.rounds, f"{kind}, verified; {held} rows decided upon together")


def time(kind: str, settings: Settings) -> Result:
    """Time with two worker processes over that of one machine."""
    made = blocks(kind, settings)
    parts = [make() for make in made]
    X, y = np.concatenate([part.X for part in parts]), np.concatenate([part.y for part in parts])
    del parts
    with two_workers() as client:
        from dask import delayed

        here = client.persist([delayed(make, pure=False)() for make in made])
        runners: dict[str, Callable[[], Any]] = {
            "ours": lambda: distributed.separability(here, client=client),
            "one machine": lambda: separability(X, y),
        }
        times = race(runners, settings.size(RUNS, 1))
        proof = runners["ours"]()
    if proof.kind != kind or not proof.verify(X, y):
        raise RuntimeError(f"{proof} where {kind} was expected")
    ratio = times["ours"] / times["one machine"]
    return Result(show_time(times["ours"]), show_time(times["one machine"]), ratio, f"{proof.rounds} rounds, verified")


@contextmanager
def two_workers() -> Iterator[Any]:
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ports that are in use
        with LocalCluster(**options) as cluster, Client(cluster) as client:
            yield client


def cluster_proof_rows() -> list[Benchmark]:
    work = f"`separability`, 4M x {COLUMNS} in {PARTITIONS} partitions"
    turned = {"complete": "margin 1e-3", "overlap": "one far label turned over"}
    limits = {"complete": at_most(12, 6, ""), "overlap": at_most(4, 3, "")}
    found: list[tuple[str, str, Limit, Callable[..., Result]]] = []
    for kind, what in turned.items():
        found.append((f"cluster-separability-{kind}", f"{work}, {what}: time over one machine's", at_most(3, 1), time))
        found.append((f"cluster-separability-{kind}-rounds", f"{work}, {what}: rounds", limits[kind], rounds))
    return [Benchmark(name, text, limit, partial(run, name.split("-")[2])) for name, text, limit, run in found]
