"""Waiting for a cluster: as long as it works, however slowly; not for one that is gone or stands still.  And its failures, in words.

While work is waited for, the workers are looked at.  If none of them can work, the log says why after ``SAY_AFTER`` seconds, and
the wait ends with an error after ``most_patient()`` seconds.  A worker that no longer answers is named in the log; Dask itself drops
it after a while (``distributed.scheduler.worker-ttl``), and others do its work.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple

import dask
from dask.utils import parse_timedelta
from distributed import KilledWorker
from distributed.scheduler import NoWorkerError

FIRST_LOOK, LONGEST_LOOK = 1.0, 15.0  # seconds between two looks at the workers
SAY_AFTER = 10.0  # seconds in which no worker can work after which the log says so; workers that start take a few
SILENT_AFTER = (
    30.0  # seconds without news of a worker after which the log names it: Dask's workers report every few seconds
)
SCHEDULER_SECONDS = 10.0  # that a scheduler has to tell of its workers
NO_WORKERS = 300.0  # seconds without a worker after which the wait ends, unless Dask is told otherwise

NO_SCHEDULER = "The connection to the scheduler was lost: it was stopped, or cannot be reached. Connect to a running cluster, and try again."

WORKING = ("running", "init")  # what Dask calls workers that work, or are about to
log = logging.getLogger(__name__)

Ready = Callable[[float], list[Any]]  # waits so many seconds for an answer: a list that has it, or an empty one


class ClusterLost(RuntimeError):
    """A cluster that cannot go on; the message says why, and what to do."""


class Trouble(NamedTuple):
    """Why no worker can work, and what to do."""

    why: str
    remedy: str


def result_of(client: Any, future: Any) -> Any:
    """The result of a future."""

    def ready(seconds: float) -> list[Any]:
        try:
            return [future.result(timeout=seconds)]
        except TimeoutError:
            if future.status not in ("pending", "finished"):
                raise  # of the task
            return []

    return waited_for(client, ready)


def answer_of(client: Any, ask: Callable[[], Any]) -> Any:
    """What a call to the cluster returns that would wait without end for a worker that hangs."""
    return waited_for(client, in_thread(ask))


def waited_for(client: Any, ready: Ready) -> Any:
    """An answer, once it is there; ``ClusterLost`` if it cannot come."""
    pause, since, told, news = FIRST_LOOK, None, False, News()
    with said_in_words():
        while True:
            try:
                if found := ready(pause):
                    return found[0]
            except NoWorkerError as error:  # which the scheduler may find before a look does
                raise given_up(error.timeout, look(client, news) or NONE) from error
            if (
                client.status != "running"
            ):  # all that the cluster had is lost, even if the client finds a scheduler again
                raise ClusterLost(NO_SCHEDULER)
            trouble, now, limit = look(client, news), monotonic(), most_patient()
            if trouble is None:
                pause, since, told = min(2 * pause, LONGEST_LOOK), None, False
                continue
            pause, since = FIRST_LOOK, since or now
            if now - since >= limit:
                raise given_up(now - since, trouble)
            if not told and now - since >= min(SAY_AFTER, limit / 2):
                told = True
                log.warning(
                    "Waiting for the cluster: %s. %s. The work goes on as soon as a worker can work; it is given up after %.0f seconds.",
                    *trouble,
                    limit,
                )


def given_up(seconds: float, trouble: Trouble) -> ClusterLost:
    """The error that ends a wait."""
    return ClusterLost(
        f"Given up after {seconds:.0f} seconds: {trouble.why}. {trouble.remedy}, and try again. (How long to wait: Dask's setting "
        "distributed.scheduler.no-workers-timeout.)"
    )


class News:
    """When each worker last reported, by the clock of this process: that of the scheduler may be another."""

    def __init__(self) -> None:
        self._heard: dict[str, tuple[Any, float]] = {}
        self._named: set[str] = set()

    def hear(self, workers: dict[str, Any]) -> None:
        """Name workers in the log that have not reported for long."""
        now = monotonic()
        self._heard = {
            address: (worker["last_seen"], now)
            if self._heard.get(address, (None,))[0] != worker["last_seen"]
            else self._heard[address]
            for address, worker in workers.items()
        }
        most = dask.config.get("distributed.scheduler.worker-ttl", None)
        then = f"Dask drops it after {most}, and other workers do its work" if most else "Dask is set never to drop it"
        silent = {address for address, (_, since) in self._heard.items() if now - since >= SILENT_AFTER}
        for address in silent - self._named:
            log.warning(
                "Worker %s has not reported for %.0f seconds: it hangs, is cut off, or is very busy. %s (setting "
                "distributed.scheduler.worker-ttl). Stop it to go on at once.",
                address,
                now - self._heard[address][1],
                then,
            )
        self._named = silent


NONE = Trouble("the cluster has no workers: they were stopped, or lost", "Start workers")


def look(client: Any, news: News) -> Trouble | None:
    """Why no worker can work; None: at least one can."""
    found = in_thread(lambda: client.scheduler_info(n_workers=-1)["workers"])(SCHEDULER_SECONDS)
    if not found:
        return Trouble("the scheduler does not answer", "Look at its log, start the cluster again")
    news.hear(found[0])
    return trouble_of(found[0])


def trouble_of(workers: dict[str, Any]) -> Trouble | None:
    """The same of what the scheduler tells of its workers."""
    if not workers:
        return NONE
    states = Counter(worker["status"] for worker in workers.values())
    if any(state in WORKING for state in states):
        return None
    if set(states) == {"paused"}:
        return Trouble(
            f"all {len(workers)} workers of the cluster are paused, since they are short of memory",
            "Use more workers, workers with more memory (memory_limit), or more and smaller partitions",
        )
    counted = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in states.most_common())
    return Trouble(f"no worker of the cluster takes work ({counted})", "Start workers")


def most_patient() -> float:
    """Seconds that a cluster may be without workers."""
    told = dask.config.get("distributed.scheduler.no-workers-timeout", None)
    return NO_WORKERS if told is None else float(parse_timedelta(told))


def in_thread(ask: Callable[[], Any]) -> Ready:
    """Call a function in a thread that nobody has to wait for, the end of the program included."""
    answers: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

    def call() -> None:
        try:
            answers.put((ask(), None))
        except BaseException as error:
            answers.put((None, error))

    def ready(seconds: float) -> list[Any]:
        try:
            answer, error = answers.get(timeout=seconds)
        except Empty:
            return []
        if error is not None:
            raise error
        return [answer]

    Thread(target=call, daemon=True).start()
    return ready


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
