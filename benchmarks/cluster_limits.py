"""``python -m benchmarks.cluster_limits``: what tasks, merges, bytes and rows cost here, and what follows for larger clusters.

A round over P partitions on W workers of one thread takes about

    a  +  1.14 P (t + u / W)  +  m ceil(log_8 P)  +  (3 + log_2 W + log_8 P) s b  +  N r / W

where t is the time that client and scheduler take for a task (one process handles them all, one after the other; a merge for every
seven partitions is a task, too), u the time that a worker takes for it, m what a level of merging takes, s the bytes of a state, b
the seconds a byte takes on its way, N the rows and r the seconds a row takes; a is what a round takes that has one partition.  The
state comes by client, scheduler and one worker, from which others get it, each from one that has it.  Times of t and u are those of
the processor, the others by the clock, the best of several.
"""

from __future__ import annotations

import warnings
from math import ceil, log, log2
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from dask import delayed
from sklearn.exceptions import ConvergenceWarning

from novikoff import Perceptron
from novikoff.rows.dask_engine import DaskPartitions

from .cluster import empty_partition, nothing
from .cluster_run import cluster, planted_block
from .measure import show_time, timed

COLUMNS = 50
ROW_BYTES = 8 * COLUMNS
STATE = 2 * 8 * (COLUMNS + 1)  # weights and the sums of an average
PARTITION_BYTES = 1e9  # what a worker can hold beside its work
WORKERS = (1, 10, 100, 1_000)
ROWS = (10**6, 10**8, 10**10)
SIZES = (16, 128)  # partitions
REPEATS = 12
LONG = 1_000_000  # numbers of a state that is all bytes


class Costs(NamedTuple):
    """Seconds of each, on this machine."""

    round: float
    task: float  # of client and scheduler
    workers_task: float
    merge: float
    byte: float
    row: float


def first(one: Any, other: Any) -> Any:
    return one


def measured() -> Costs:
    times, processor = {}, {}
    with cluster() as client:
        for partitions in (1, *SIZES):
            engine = DaskPartitions(
                [delayed(empty_partition, pure=False)(number) for number in range(partitions)], client
            )
            before = used(client)
            times[partitions] = best(lambda engine=engine: engine.fold(nothing, first, None))
            processor[partitions] = (used(client) - before) / (REPEATS + 1)
            if partitions == 1:
                long = best(lambda engine=engine: engine.fold(nothing, first, np.zeros(LONG)))
    few, many = SIZES
    task, workers_task = ((processor[many] - processor[few]) / (tasks(many) - tasks(few))).tolist()
    merge = (times[few] - times[1] - (task + workers_task / 2) * (tasks(few) - 1)) / levels(few)
    byte = (long - times[1]) / (4 * 8 * LONG)  # to the scheduler, to a worker, and the same way back
    X, y = planted_block(0, 200_000, COLUMNS)
    one, three = (best(lambda n=n: Perceptron(keep="average", max_iter=n, min_progress=None).fit(X, y)) for n in (1, 3))
    return Costs(times[1], task, workers_task, max(0.0, merge), max(0.0, byte), (three - one) / 2 / len(y))


def used(client: Any) -> np.ndarray:
    """Seconds of the processor so far: of client and scheduler, and of all workers together."""
    return np.array([process_time(), sum(client.run(process_time).values())])


def best(run: Any) -> float:
    run()
    return min(timed(run) for _ in range(REPEATS))


def tasks(partitions: int) -> float:
    return partitions * (1 + 1 / 7)


def levels(partitions: int) -> int:
    return ceil(log(partitions, 8) - 1e-9)


def parts(costs: Costs, workers: int, partitions: int, rows: int) -> dict[str, float]:
    """The seconds of a round, by what takes them."""
    return {
        "start": costs.round,
        "scheduler": costs.task * tasks(partitions),
        "workers' tasks": costs.workers_task * tasks(partitions) / workers,
        "merging": costs.merge * levels(partitions),
        "bytes": (3 + log2(workers) + levels(partitions)) * STATE * costs.byte,
        "rows": rows * costs.row / workers,
    }


def fewest_partitions(workers: int, rows: int) -> int:
    return max(workers, ceil(rows * ROW_BYTES / PARTITION_BYTES))


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    costs = measured()
    named = {name: show_time(seconds) for name, seconds in costs._asdict().items()}
    print(", ".join(f"{name.replace('_', ' ')} {seconds}" for name, seconds in named.items()) + "\n")
    print("| rows | workers | partitions | a round | of it rows | of it the scheduler | against one worker |")
    print("|---|---|---|---|---|---|---|")
    for rows in ROWS:
        alone = rows * costs.row
        for workers in WORKERS:
            partitions = fewest_partitions(workers, rows)
            found = parts(costs, workers, partitions, rows)
            total = sum(found.values())
            shares = " | ".join(f"{found[name] / total:.0%}" for name in ("rows", "scheduler"))
            print(
                f"| 10^{log(rows, 10):.0f} | {workers:,} | {partitions:,} | {show_time(total)} | {shares} | {alone / total:.2g}x |"
            )


if __name__ == "__main__":
    main()
