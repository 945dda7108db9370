"""A cluster on this machine to measure: worker processes, the bytes that they write to each other, and rows that lie on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask.array as da
import numpy as np
from dask import delayed
from distributed import Client, LocalCluster, WorkerPlugin, wait
from distributed.comm.tcp import TCP

from .data import NOISE


@contextmanager
def cluster(workers: int = 2, **options: Any) -> Iterator[Client]:
    """Processes of one thread each."""
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0", **options
        ) as made,
        Client(made) as client,
    ):
        client.wait_for_workers(workers, timeout=600)
        yield client


class Counted(WorkerPlugin):
    """Counts the bytes that a process writes to others."""

    name = "counted"

    def setup(self, worker: Any) -> None:
        count_writes()


def count_writes() -> None:
    """Count from now on, in this process."""
    if hasattr(TCP, "written"):
        return
    write = TCP.write
    TCP.written = 0

    async def counting(self: Any, *message: Any, **options: Any) -> Any:
        written = await write(self, *message, **options)
        TCP.written += written
        return written

    TCP.write = counting


def written(client: Client) -> int:
    """Bytes so far: each is written once, by a worker or in this process, where client and scheduler are."""
    return TCP.written + sum(client.run(lambda: TCP.written).values())


def planted_block(number: int, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal rows, the labels by a hyperplane, some turned over."""
    weights = np.random.default_rng(0).standard_normal(columns)
    rng = np.random.default_rng([1, number])
    X = rng.standard_normal((rows, columns))
    return X, ((X @ weights > 0) ^ (rng.random(rows) < NOISE)).astype(int)


def planted_arrays(partitions: int, rows: int, columns: int) -> tuple[Any, Any]:
    """The same as dask arrays."""
    blocks = [delayed(planted_block, nout=2, pure=False)(number, rows, columns) for number in range(partitions)]
    X = da.concatenate([da.from_delayed(X, (rows, columns), float) for X, _ in blocks])
    y = da.concatenate([da.from_delayed(y, (rows,), int) for _, y in blocks])
    return X, y


def on_workers(client: Client, *collections: Any) -> list[Any]:
    """The collections in the workers' memory."""
    kept = client.persist(list(collections))
    wait(kept)
    return list(kept)
