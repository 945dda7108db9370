"""Rounds on a cluster of two worker processes on this machine: what they cost, what they send, and what mixing loses."""

from __future__ import annotations

import warnings
from functools import partial
from statistics import median
from time import perf_counter, sleep
from typing import Any

import numpy as np
from dask import delayed
from scipy import sparse
from sklearn.linear_model import SGDClassifier

from novikoff import Perceptron
from novikoff.distributed import fit
from novikoff.rows.dask_engine import DaskPartitions

from . import data
from .cluster_run import Counted, cluster, count_writes, on_workers, planted_arrays, planted_block, written
from .measure import Benchmark, Result, Settings, at_least, at_most, race, show_time

PARTITIONS = 16
averaged = partial(Perceptron, keep="average", min_progress=None, random_state=0)


def against_incremental(settings: Settings) -> Result:
    """One pass of the averaged perceptron over 1M x 50 in the workers' memory, and the same rule of dask-ml."""
    rows = settings.size(1_000_000, 100_000) // PARTITIONS
    test = planted_block(10_000, 100_000, 50)
    scores: dict[str, float] = {}
    with cluster() as client:
        X, y = on_workers(client, *planted_arrays(PARTITIONS, rows, 50))

        def ours() -> None:
            scores["ours"] = fit(averaged(max_iter=1), X, y, client=client).score(*test)

        def six() -> None:
            fit(averaged(max_iter=6), X, y, client=client)

        runners = {"ours": ours, "six": six}
        try:
            from dask_ml.wrappers import Incremental
        except ImportError:
            best = race(runners, settings.size(5, 2))
            return Result(
                show_time(best["ours"]), "no dask-ml", float("nan"), f"{scores['ours']:.4f} right; {more(best)}"
            )

        def peer() -> None:
            rule = SGDClassifier(loss="perceptron", average=True, penalty=None, random_state=0)
            scores["peer"] = Incremental(rule).fit(X, y, classes=[0, 1]).estimator_.score(*test)

        best = race(runners | {"peer": peer}, settings.size(5, 2))
    ratio = best["peer"] / best["ours"] if scores["ours"] >= scores["peer"] else 0.0
    remark = f"{scores['ours']:.4f} and {scores['peer']:.4f} of fresh rows right; {more(best)}"
    return Result(show_time(best["ours"]), show_time(best["peer"]), ratio, remark)


def more(best: dict[str, float]) -> str:
    return f"one more pass {show_time((best['six'] - best['ours']) / 5)}"


def in_partitions(X: Any, y: np.ndarray, count: int) -> list[Any]:
    return [(X[part], y[part]) for part in np.array_split(np.arange(len(y)), count)]


def lost_points(settings: Settings, by_class: bool) -> Result:
    """Test accuracy of one machine less that of partitions, in points, the same number of passes; the worst of all cases.  Of the
    digits, which have more weights than a partition has rows, the remark says it."""
    rows = settings.size(200_000, 50_000)
    found = {
        (name, partitions, passes): points
        for name, make in (("planted", data.make_dense), ("noisy", data.make_noisy))
        for (partitions, passes), points in lost(cut_off(name, *make(rows + 50_000, 50), rows), by_class).items()
    }
    digits = lost(data.digits_split(settings), by_class)
    (name, partitions, passes), worst = max(found.items(), key=lambda item: item[1])
    remark = f"worst: {name}, {partitions} partitions, {passes} passes; mean {sum(found.values()) / len(found):+.2f}; digits: "
    remark += ", ".join(
        f"{points:+.1f} ({partitions} partitions, {passes})" for (partitions, passes), points in digits.items()
    )
    return Result(f"{worst:+.2f}", "one machine", worst, remark)


def cut_off(name: str, X: Any, y: np.ndarray, rows: int) -> data.Split:
    return data.Split(name, data.Data(X[:rows], y[:rows]), data.Data(X[rows:], y[rows:]))


def lost(split: data.Split, by_class: bool) -> dict[tuple[int, int], float]:
    """Points lost, by the number of partitions and passes."""
    X, y = split.train
    order = np.argsort(y, kind="stable") if by_class else np.random.default_rng(0).permutation(len(y))
    found = {}
    for passes in (5, 10):
        one = averaged(max_iter=passes).fit(X, y).score(*split.test)
        for partitions in (16, 64, 256):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that the partitions are sorted
                mixed = fit(averaged(max_iter=passes), in_partitions(X[order], y[order], partitions))
            found[partitions, passes] = 100 * (one - mixed.score(*split.test))
    return found


def nothing(number: int, partition: Any, state: Any) -> Any:
    return state


def empty_partition(number: int) -> np.ndarray:
    return np.empty(0)


def empty_round(settings: Settings) -> Result:
    """A fold that does nothing, over 16 partitions."""
    with cluster() as client:
        engine = DaskPartitions([delayed(empty_partition, pure=False)(number) for number in range(PARTITIONS)], client)
        state = np.zeros(51)
        times = []
        for _ in range(settings.size(60, 10)):
            began = perf_counter()
            engine.fold(nothing, np.add, state)
            times.append(1e3 * (perf_counter() - began))
    middle = median(times)
    return Result(f"{middle:.0f} ms", "-", middle, f"median of {len(times)}; the best {min(times):.0f} ms")


def read_slowly(number: int) -> np.ndarray:
    sleep(1.0)
    return np.empty(0)


def sleep_a_second(number: int, partition: Any, state: Any) -> float:
    sleep(1.0)
    return 1.0


def efficiency(settings: Settings) -> Result:
    """Rounds over 128 partitions, whose tasks sleep for a second, on 32 workers: seconds slept for each of a worker's.  Reading a
    partition takes a second, too, so that no worker has read many before others have begun."""
    workers = settings.size(32, 8)
    partitions, times = 4 * workers, []
    with cluster(workers) as client:
        engine = DaskPartitions([delayed(read_slowly, pure=False)(number) for number in range(partitions)], client)
        engine.fold(sleep_a_second, np.add, None)  # now the scheduler knows how long that takes
        for _ in range(settings.size(10, 1)):
            began = perf_counter()
            engine.fold(sleep_a_second, np.add, None)
            times.append(perf_counter() - began)
    slept = partitions / workers * len(times)
    remark = (
        f"{workers} workers, {partitions} partitions, {len(times)} rounds of {min(times):.1f} to {max(times):.1f} s"
    )
    return Result(f"{sum(times):.1f} s", f"{slept:.0f} s of sleep", slept / sum(times), remark)


def sparse_block(number: int, rows: int) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(number)
    X = sparse.random_array((rows, WIDE), density=0.002, format="csr", rng=rng)
    return X, np.arange(rows) % 2


WIDE = 20_000


def bytes_a_round(settings: Settings) -> Result:
    """Bytes that all processes write in a fit of 10 rounds, over (state x partitions x rounds); no rows are asked for."""
    rounds = 10
    count_writes()
    with cluster() as client:
        client.register_plugin(Counted())
        blocks = on_workers(client, *(delayed(sparse_block, pure=False)(number, 500) for number in range(PARTITIONS)))
        before = written(client)
        learner = fit(averaged(max_iter=rounds), blocks, client=client)
        sent = written(client) - before
    state = learner._learned.state
    size = sum(part.nbytes for part in state[:5])
    least = size * PARTITIONS * rounds
    return Result(f"{sent / 1e6:.1f} MB", f"{least / 1e6:.1f} MB", sent / least, f"a state has {size / 1e3:.0f} kB")


def cluster_rows() -> tuple[Benchmark, ...]:
    return (
        Benchmark(
            "cluster-average",
            "2 workers, one pass over 1M x 50, averaged perceptron, against dask-ml's `Incremental(SGDClassifier)`",
            at_least(3, 10),
            against_incremental,
        ),
        Benchmark(
            "cluster-accuracy",
            "test accuracy lost by mixing, in points, equal passes, 16 to 256 partitions: the worst",
            at_most(0.2, 0.1, ""),
            partial(lost_points, by_class=False),
        ),
        Benchmark(
            "cluster-sorted",
            "the same of partitions sorted by class, dealt",
            at_most(1, 0.2, ""),
            partial(lost_points, by_class=True),
        ),
        Benchmark("cluster-round", "2 workers, an empty round over 16 partitions", at_most(60, 30, " ms"), empty_round),
        Benchmark(
            "cluster-efficiency",
            "32 workers whose tasks sleep for a second: share of their time",
            at_least(0.85, 0.95, ""),
            efficiency,
        ),
        Benchmark(
            "cluster-bytes",
            "2 workers, bytes over the wire of a fit of 10 rounds, over state x partitions x rounds",
            at_most(2, 1.2),
            bytes_a_round,
        ),
    )
