"""Which cluster is meant: workers on this machine, a scheduler by its address, or a client that is there already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from logging import CRITICAL
from typing import Any

from ..inputs.shell import installing
from .partitions import Here, Partitions

SECONDS = 5  # that a scheduler has to answer in
NEEDED = f"Dask is needed for this: {installing('dask')}"
WAYS = "'local:4' (four worker processes on this machine) or the address of a scheduler, such as 'tcp://10.0.0.1:8786'"

Engine = Callable[[Sequence[Any]], Partitions]


@contextmanager
def engines_on(where: Any) -> Iterator[Engine]:
    """What makes an engine of partitions, in memory or delayed, on the cluster that is meant.

    None stands for the client in use or, if there is none, for this process; a number of workers is started, and stopped at the
    end; ``Here`` works on partitions in this process, without Dask.
    """
    if where is Here:
        yield Here
    elif not isinstance(where, str):
        yield on_client(where)
    elif where.startswith("local:"):
        with workers_here(where) as client:
            yield on_client(client)
    else:
        client = client_at(where)
        try:
            yield on_client(client)
        finally:
            client.close()


def on_client(client: Any) -> Engine:
    """Engines of this client; None: of the one in use, if there is one."""
    try:
        from dask import delayed

        from .dask_engine import DaskPartitions, running_client  # Dask, which other partitions do without
    except ImportError:
        raise ImportError(NEEDED) from None
    if client is not None and not hasattr(client, "persist"):
        raise TypeError(f"dask is {WAYS}, or a distributed.Client; got {client!r}.")
    used = client or running_client()

    def make(partitions: Sequence[Any]) -> Partitions:
        lazy = [part if hasattr(part, "__dask_graph__") else delayed(part, traverse=False) for part in partitions]
        return DaskPartitions(lazy, used)

    return make


@contextmanager
def workers_here(where: str) -> Iterator[Any]:
    """Worker processes on this machine, of one thread each."""
    count = where.removeprefix("local:")
    if not count.isdecimal() or not int(count):
        raise ValueError(f"dask={where!r} names no number of workers: it is {WAYS}.")
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ImportError(NEEDED) from None
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0", "silence_logs": CRITICAL}
    with LocalCluster(n_workers=int(count), **options) as cluster, Client(cluster) as client:
        yield client


def client_at(address: str) -> Any:
    """The client of the scheduler at an address."""
    try:
        from distributed import Client
    except ImportError:
        raise ImportError(NEEDED) from None
    try:
        client = Client(address, timeout=SECONDS)
    except ValueError as error:
        raise ValueError(f"dask={address!r} is no address of a scheduler ({error}): it is {WAYS}.") from None
    except (OSError, TimeoutError):
        raise OSError(
            f"No Dask scheduler answers at {address} within {SECONDS} seconds. Is it running, and is the address right? "
            "dask='local:4' starts workers on this machine instead."
        ) from None
    if not client.scheduler_info()["workers"]:
        client.close()
        raise OSError(f"The Dask scheduler at {address} has no workers. Start some: dask worker {address}")
    return client
