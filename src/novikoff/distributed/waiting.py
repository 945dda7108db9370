"""Waiting for a cluster: as long as it works, however slowly; not for one that is gone.  And its failures, in words."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from time import monotonic
from typing import Any

import dask
from dask.utils import parse_timedelta
from distributed import KilledWorker

FIRST_LOOK, LONGEST_LOOK = 1.0, 60.0  # seconds between two looks whether there are workers
NO_WORKERS = 300.0  # seconds without a worker after which nobody waits any longer, unless Dask is told otherwise

NO_SCHEDULER = "The connection to the scheduler was lost: it was stopped, or cannot be reached. Connect to a running cluster, and fit again."


class ClusterLost(RuntimeError):
    """A cluster that cannot go on; the message says why, and what to do."""


def result_of(client: Any, future: Any) -> Any:
    """The result of a future."""
    pause, alone_since = FIRST_LOOK, None
    with said_in_words():
        while True:
            try:
                return future.result(timeout=pause)
            except TimeoutError:
                if future.status != "pending" and future.status != "finished":
                    raise  # of the task
            if (
                client.status != "running"
            ):  # all that the cluster had is lost, even if the client finds a scheduler again
                raise ClusterLost(NO_SCHEDULER)
            now, trouble = monotonic(), nobody_works(client.scheduler_info()["workers"])
            alone_since = (alone_since or now) if trouble else None
            if alone_since is not None and now - alone_since >= most_patient():
                raise ClusterLost(
                    f"For {now - alone_since:.0f} seconds {trouble}, and fit again. (How long to wait: Dask's setting "
                    "distributed.scheduler.no-workers-timeout.)"
                )
            pause = min(2 * pause, LONGEST_LOOK, most_patient() if alone_since else LONGEST_LOOK)


def nobody_works(workers: dict[str, Any]) -> str:
    """Why nobody can work, and what to do; empty: somebody can."""
    if not workers:
        return "the cluster has had no workers: they were stopped, or lost. Start workers"
    if all(worker.get("status") == "paused" for worker in workers.values()):
        return (
            f"all {len(workers)} workers of the cluster have been paused, since they are short of memory. Use more workers, workers "
            "with more memory (memory_limit), or smaller partitions"
        )
    return ""


def most_patient() -> float:
    """Seconds that a cluster may be without workers."""
    told = dask.config.get("distributed.scheduler.no-workers-timeout", None)
    return NO_WORKERS if told is None else float(parse_timedelta(told))


@contextmanager
def said_in_words() -> Iterator[None]:
    """Within it, what Dask says of a cluster in trouble is said in words that a user can act on."""
    try:
        yield
    except KilledWorker as error:
        raise ClusterLost(
            f"{work_of(error.task)} was given up after {error.allowed_failures + 1} workers were lost while they worked on it, "
            f"the last of them {error.last_worker.address}. Most often they ran out of memory: use more and smaller "
            "partitions, fewer threads a worker, or workers with more memory (memory_limit). The workers' logs say more."
        ) from error
    except CancelledError as error:
        if getattr(error, "reason", "") == "scheduler-connection-lost":
            raise ClusterLost(NO_SCHEDULER) from error
        raise ClusterLost(
            f"The cluster gave up its work ({error or 'cancelled'}). Rows that lie only in the memory of a worker are lost with "
            "it: hand in rows that can be read again, and fit again."
        ) from error


def work_of(key: Any) -> str:
    """What a task is for."""
    if isinstance(key, tuple) and len(key) == 2 and not str(key[0]).startswith(("merge", "state")):
        return f"Partition {key[1]} ({str(key[0]).rpartition('-')[0]})"
    return f"The task {key!r}"
