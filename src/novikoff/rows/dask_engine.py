"""All that is Dask's: folds as its graphs, its collections as partitions, and waiting for its clusters.

There is one graph a fold, nothing is pinned to a worker, and there are no other messages.

A worker that is lost takes nothing with it: Dask makes its partitions again from where they came from.
"""

from __future__ import annotations

import logging
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from math import ceil, isqrt
from operator import getitem
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple
from uuid import uuid4

import dask
import numpy as np
from dask import delayed
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph
from dask.task_spec import DataNode, List, Task, TaskRef
from dask.utils import parse_timedelta

from .partitions import Function, Merge, Reshuffle, applied, cut, groups, merged

ONE_STAGE = 32  # partitions whose rows are reshuffled at once; n of them make n^2 pieces


def running_client() -> Any:
    """The client of the cluster in use; None if there is none."""
    try:
        from distributed import get_client

        return get_client()
    except (ImportError, ValueError):
        return None


class DaskPartitions:
    """Delayed partitions, or tuples of what lies side by side in each.  With a client they are kept on its workers; without one they are
    read again in every fold.

    What ``map`` asks for is done in the graph of the next fold, all of it in one task a partition.
    """

    def __init__(self, partitions: Sequence[Any], client: Any = None) -> None:
        self._client = client
        whole = not any(isinstance(partition, tuple) for partition in partitions)
        parts = [(partition,) for partition in partitions] if whole else partitions
        refs = [[TaskRef(part.key) for part in own] for own in parts]
        self._graph = Graph(HighLevelGraph.merge(*(part.__dask_graph__() for own in parts for part in own)).to_dict())
        self._partitions: list[Any] = [own[0] if whole else List(*own) for own in refs]
        # What partitions have yet to take: parts of one first lie side by side, in the task that reads them.
        self._steps: tuple[tuple[Function, Any], ...] = () if whole else ((as_given, None),)
        if client is not None:
            compare_workers(client)

    def fold(self, function: Function, merge: Merge, state: Any) -> Any:
        """See ``Partitions``."""
        graph = self._graph.copy()
        made = self._made(graph)
        name = graph.name(name_of(function))
        given = graph.put((f"state-{name}", 0), state)  # one task, which every worker that needs it asks for
        answers = [
            graph.add((name, number), applied, function, number, partition, given)
            for number, partition in enumerate(made)
        ]
        level = 0
        while len(answers) > 1:
            above, level = f"merge{level}-{name}", level + 1
            answers = [
                graph.add((above, number), merged, merge, *group) for number, group in enumerate(groups(answers))
            ]
        if self._client is None:
            return dask.compute(Delayed(answers[0].key, graph.tasks))[0]
        keep = (
            [ref.key for ref in made] if self._graph.tasks or self._steps else []
        )  # from now on these are on the workers
        *kept, future = self._client.get(graph.tasks, [*keep, answers[0].key], sync=False)
        if keep:
            self._partitions, self._steps, self._graph = kept, (), Graph()
        try:
            return result_of(self._client, future)
        except BaseException:  # Ctrl-C, too
            future.cancel()
            raise

    def map(self, function: Function, state: Any) -> DaskPartitions:
        """See ``Partitions``."""
        return self._with(self._graph, self._partitions, (*self._steps, (function, state)))

    def reshuffle(self, how: Reshuffle) -> DaskPartitions:
        """See ``Partitions``.

        Of many partitions in two stages, so that n partitions make 2 n sqrt(n) pieces rather than n^2: written as two digits,
        partition (a, b) sends its rows for (c, d) by way of (a, d).  So rows lie as they do after one stage.
        """
        graph, count = self._graph.copy(), len(self._partitions)
        made = self._made(graph)
        width = count if count <= ONE_STAGE else isqrt(count - 1) + 1  # of a row of partitions
        rows = ceil(count / width)
        sent, gathered = graph.name("send"), graph.name("join")
        cuts = [
            graph.add((sent, number), first_cut, how, number, partition, count, width)
            for number, partition in enumerate(made)
        ]
        between = [
            graph.add((gathered, a * width + d), joined, how, *graph.pieces(cuts[a * width : (a + 1) * width], d))
            for a in range(rows)
            for d in range(width)
        ]
        if rows > 1:
            sent_on, gathered = graph.name("send"), graph.name("join")
            cuts = [
                graph.add((sent_on, number), second_cut, how, rows, width, block)
                for number, block in enumerate(between)
            ]
            between = [
                graph.add(
                    (gathered, number), joined, how, *graph.pieces(cuts[number % width :: width], number // width)
                )
                for number in range(count)
            ]
        reshuffled = graph.name("reshuffled")
        blocks = [graph.add((reshuffled, number), getitem, block, 0) for number, block in enumerate(between)]
        if self._client is None:
            return self._with(graph, blocks)
        return self._with(Graph(), self._client.get(graph.tasks, [ref.key for ref in blocks], sync=False))

    def _made(self, graph: Graph) -> list[Any]:
        """The partitions after their steps."""
        if not self._steps:
            return self._partitions
        functions = [function for function, _ in self._steps]
        name = graph.name(name_of(functions[-1]))
        states = [graph.put((f"state-{name}", place), state) for place, (_, state) in enumerate(self._steps)]
        return [
            graph.add((name, number), made_of, number, partition, functions, *states)
            for number, partition in enumerate(self._partitions)
        ]

    def _with(
        self, graph: Graph, partitions: list[Any], steps: tuple[tuple[Function, Any], ...] = ()
    ) -> DaskPartitions:
        """An engine with other partitions, or steps."""
        engine = object.__new__(DaskPartitions)
        engine._client, engine._graph, engine._partitions, engine._steps = self._client, graph, partitions, steps
        return engine


def as_given(number: int, partition: Any, state: None) -> Any:
    """The partition itself."""
    return partition


def name_of(function: Function) -> str:
    """What a function is called; one with some arguments given, as it is without them."""
    name: str = getattr(function, "func", function).__name__
    return name


def made_of(number: int, partition: Any, functions: list[Function], *states: Any) -> Any:
    """What functions make of a partition, one after the other."""
    for function, state in zip(functions, states, strict=True):
        partition = applied(function, number, partition, state)
    return partition


class Graph:
    """Tasks by their names; a name that ends in a number has a partition's."""

    def __init__(self, tasks: dict[Any, Any] | None = None) -> None:
        self.tasks = dict(tasks or {})

    def copy(self) -> Graph:
        """A graph with the same tasks, to which more are added."""
        return Graph(self.tasks)

    @staticmethod
    def name(kind: str) -> str:
        """A new name for tasks of a kind."""
        return f"{kind}-{uuid4().hex}"

    def add(self, key: tuple[str, int], function: Callable[..., Any], *inputs: Any) -> TaskRef:
        """A task: a function of values, futures and other tasks."""
        self.tasks[key] = Task(key, function, *inputs)
        return TaskRef(key)

    def put(self, key: tuple[str, int], value: Any) -> TaskRef:
        """A value that tasks share."""
        self.tasks[key] = DataNode(key, value)
        return TaskRef(key)

    def pieces(self, cuts: list[TaskRef], place: int) -> list[TaskRef]:
        """One piece of each."""
        name = self.name("piece")
        return [self.add((name, number), getitem, pieces, place) for number, pieces in enumerate(cuts)]


Placed = tuple[Any, np.ndarray]  # rows, and the partition that each goes to


def first_cut(how: Reshuffle, number: int, block: Any, count: int, width: int) -> list[Placed]:
    """The rows of a partition by the last digit of where they go."""
    return cut_placed(how, (block, how.places(number, block, count)), width, lambda places: places % width)


def second_cut(how: Reshuffle, rows: int, width: int, placed: Placed) -> list[Placed]:
    """Rows on their way, by the first digit."""
    return cut_placed(how, placed, rows, lambda places: places // width)


def cut_placed(how: Reshuffle, placed: Placed, count: int, digit: Callable[[np.ndarray], np.ndarray]) -> list[Placed]:
    """Rows, and where they go, by a digit of that."""

    def taken(placed: Placed, rows: np.ndarray) -> Placed:
        return how.taken(placed[0], rows), placed[1][rows]

    return cut(taken, placed, digit(placed[1]), count)


def joined(how: Reshuffle, *pieces: Placed) -> Placed:
    """Rows from several partitions."""
    return how.join([block for block, _ in pieces]), np.concatenate([places for _, places in pieces])


# Whether the workers of a cluster are such that results are those of this machine: versions of packages, and processors

PACKAGES = ("novikoff", "numpy", "numba")
MOST_NAMED = 3  # workers that a message names

Found = dict[str, str]  # version by package, and the processor


def what_is_here() -> Callable[[], Found]:
    """A function that looks around where it is called.  It is sent as source, since a worker may lack this package."""
    packages = PACKAGES

    def look() -> dict[str, str]:
        from importlib import import_module

        found = {}
        for package in packages:
            try:
                found[package] = str(import_module(package).__version__)
            except ImportError:
                found[package] = "missing"
        try:
            found["processor"] = str(import_module("llvmlite.binding").get_host_cpu_name())
        except ImportError:
            found["processor"] = "unknown"
        return found

    return look


def compare_workers(client: Any) -> None:
    """Refuse workers with other versions than this process has; warn if their processors are of several types."""
    look = what_is_here()
    # in a thread: the call would wait without end for a worker that hangs
    answers = waited_for(client, in_thread(lambda: client.run(look, on_error="return")))
    judge({worker: found for worker, found in answers.items() if isinstance(found, dict)}, look())


def judge(workers: dict[str, Found], here: Found) -> None:
    """The same of what was found."""
    for package in PACKAGES:
        others = {worker: found[package] for worker, found in workers.items() if found[package] != here[package]}
        if others:
            some = ", ".join(f"{version} on {worker}" for worker, version in list(others.items())[:MOST_NAMED])
            raise RuntimeError(
                f"{len(others)} of {len(workers)} workers have another {package} than this process, which has "
                f"{here[package]}: {some}. Results would depend on which worker did what. Install {package}=={here[package]} "
                "there, or the workers' version here, and restart the workers."
            )
    kinds = Counter(found["processor"] for found in workers.values())
    if len(kinds) > 1:
        some = ", ".join(f"{count} of {kind}" for kind, count in kinds.most_common(MOST_NAMED))
        warnings.warn(
            f"The workers have processors of several types ({some}), which may round differently: the last bits of results "
            "may depend on which worker did what. Use workers of one type where that matters.",
            UserWarning,
            stacklevel=2,
        )


# Waiting for a cluster: as long as it works, however slowly; not for one that is gone or stands still.  And its failures, in words.
#
# While work is waited for, the workers are looked at.  If none of them can work, the log says why after ``SAY_AFTER`` seconds, and
# the wait ends with an error after ``most_patient()`` seconds.  A worker that no longer answers is named in the log; Dask itself drops
# it after a while (``distributed.scheduler.worker-ttl``), and others do its work.

FIRST_LOOK, LONGEST_LOOK = 1.0, 15.0  # seconds between two looks at the workers
SAY_AFTER = 10.0  # seconds in which no worker can work after which the log says so; workers that start take a few
# seconds without news of a worker after which the log names it: Dask's workers report every few seconds
SILENT_AFTER = 30.0
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


def waited_for(client: Any, ready: Ready) -> Any:
    """An answer, once it is there; ``ClusterLost`` if it cannot come."""
    from distributed.scheduler import NoWorkerError

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
    from distributed import KilledWorker

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


# Dask collections as partitions: X, y and weights of the same rows in one task


def delayed_blocks(X: Any, y: Any, sample_weight: Any) -> list[Any]:
    """``(X, y)`` or ``(X, y, weight)`` for each partition of the rows of X: of frames one delayed value, of arrays several."""
    columns = {"X": X, "y": y} | ({} if sample_weight is None else {"sample_weight": sample_weight})
    if all(hasattr(one, "divisions") for one in columns.values()):
        return blocks_of_frames(columns)
    X = whole_rows(columns.pop("X"))
    blocks = [row_blocks(X), *(beside(name, values, X) for name, values in columns.items())]
    return list(zip(*blocks, strict=True))


def whole_rows(X: Any) -> Any:
    """The same collection, cut between rows only."""
    return X.rechunk({1: -1}) if hasattr(X, "numblocks") and X.ndim == 2 and X.numblocks[1] > 1 else X


def side_by_side(*blocks: Any) -> tuple[Any, ...]:
    """The X, y and weights of a partition."""
    return blocks


def blocks_of_frames(columns: dict[str, Any]) -> list[Any]:
    """Of data frames and series: as one expression, which Dask optimises as a whole.  Each by itself, the columns of one Parquet file
    may be read in other partitions: Dask reads more rows at once where it reads fewer columns."""
    import dask.dataframe as dd  # and pandas

    X = columns["X"]
    for name, values in columns.items():
        known = None not in (*X.divisions, *values.divisions)
        if values.npartitions != X.npartitions or (known and values.divisions != X.divisions):
            raise ValueError(
                f"X has {X.npartitions} partitions, and {name} has {values.npartitions}, or others: take both from one data frame, as "
                "in frame[columns] and frame['y'], after all filters."
            )
    whole = dd.map_partitions(
        side_by_side, *columns.values(), meta=X._meta, enforce_metadata=False, align_dataframes=False
    )
    return list(whole.to_delayed())


def row_blocks(collection: Any) -> list[Any]:
    """The blocks of rows, delayed."""
    return list(np.ravel(np.array(collection.to_delayed(), dtype=object)))


def beside(name: str, values: Any, X: Any) -> list[Any]:
    """The values of the rows of each block of X.  Where sizes are not known, and are needed to bring both together, rows are counted."""
    blocks, lazy = row_blocks(X), hasattr(values, "__dask_graph__")
    sizes, own = known_sizes(X), known_sizes(values) if lazy else (len(values),)
    if sizes is own is None and len(row_blocks(values)) == len(blocks):
        return row_blocks(values)
    sizes = sizes or counted(blocks)
    own = own or counted(row_blocks(values))
    if sum(own) != sum(sizes):
        raise ValueError(f"X has {sum(sizes)} rows, and {name} has {sum(own)}.")
    if not lazy:
        return [delayed(own, traverse=False) for own in np.split(np.asarray(values), np.cumsum(sizes)[:-1])]
    if known_sizes(values) is None:
        import dask.array as da  # which frames and files do without

        parts = zip(row_blocks(values), own, strict=True)
        values = da.concatenate([da.from_delayed(block, (size,), dtype=values.dtype) for block, size in parts])
    return row_blocks(values.rechunk({0: sizes}))


def counted(blocks: list[Any]) -> tuple[int, ...]:
    """How many rows each block has."""
    return tuple(dask.compute(*(delayed(len)(block) for block in blocks)))


def known_sizes(collection: Any) -> tuple[int, ...] | None:
    """How many rows each block of an array has; None if that is not known."""
    sizes = collection.chunks[0] if hasattr(collection, "chunks") else (np.nan,)
    return None if np.isnan(sizes).any() else tuple(map(int, sizes))
