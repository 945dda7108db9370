"""Folds as Dask graphs: one graph a fold, nothing pinned to a worker, no other messages.

A worker that is lost takes nothing with it: Dask makes its partitions again from where they came from.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from math import ceil, isqrt
from operator import getitem
from typing import Any
from uuid import uuid4

import dask
import numpy as np
from dask.delayed import Delayed
from dask.task_spec import DataNode, Task, TaskRef

from .partitions import Dealing, Function, Merge, applied, cut, groups, merged

ONE_STAGE = 32  # partitions whose rows are dealt at once; n of them make n^2 pieces


def running_client() -> Any:
    """The client of the cluster in use; None if there is none."""
    try:
        from distributed import get_client

        return get_client()
    except (ImportError, ValueError):
        return None


class DaskPartitions:
    """Delayed partitions.  With a client they are kept on its workers; without one they are read anew in every fold.

    What ``map`` asks for is done in the graph of the next fold, all of it in one task a partition.
    """

    def __init__(self, partitions: Sequence[Any], client: Any = None) -> None:
        self._client, self._graph = client, Graph()
        self._steps: tuple[tuple[Function, Any], ...] = ()  # that partitions have yet to take
        if client is None:
            for partition in partitions:
                self._graph.tasks.update(partition.__dask_graph__())
            self._partitions = [TaskRef(partition.key) for partition in partitions]
            return
        compare_workers(client)
        self._partitions = client.compute(list(partitions))

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
        from .dask_waiting import result_of  # and the cluster's errors

        keep = [ref.key for ref in made] if self._steps else []
        *kept, future = self._client.get(graph.tasks, [*keep, answers[0].key], sync=False)
        if self._steps:
            self._partitions, self._steps, self._graph = kept, (), Graph()
        try:
            return result_of(self._client, future)
        except BaseException:  # Ctrl-C, too
            future.cancel()
            raise

    def map(self, function: Function, state: Any) -> DaskPartitions:
        """See ``Partitions``."""
        return self._with(self._graph, self._partitions, (*self._steps, (function, state)))

    def deal(self, how: Dealing) -> DaskPartitions:
        """See ``Partitions``.

        Of many partitions in two stages, so that n partitions make 2 n sqrt(n) pieces rather than n^2: written as two digits,
        partition (a, b) sends its rows for (c, d) by way of (a, d).  So rows lie as they do after one stage.
        """
        graph, count = self._graph.copy(), len(self._partitions)
        made = self._made(graph)
        width = count if count <= ONE_STAGE else isqrt(count - 1) + 1  # of a row of partitions
        rows = ceil(count / width)
        sent, gathered = graph.name("deal"), graph.name("join")
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
            sent_on, gathered = graph.name("deal"), graph.name("join")
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
        dealt = graph.name("dealt")
        blocks = [graph.add((dealt, number), getitem, block, 0) for number, block in enumerate(between)]
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


def first_cut(how: Dealing, number: int, block: Any, count: int, width: int) -> list[Placed]:
    """The rows of a partition by the last digit of where they go."""
    return cut_placed(how, (block, how.places(number, block, count)), width, lambda places: places % width)


def second_cut(how: Dealing, rows: int, width: int, placed: Placed) -> list[Placed]:
    """Rows on their way, by the first digit."""
    return cut_placed(how, placed, rows, lambda places: places // width)


def cut_placed(how: Dealing, placed: Placed, count: int, digit: Callable[[np.ndarray], np.ndarray]) -> list[Placed]:
    """Rows, and where they go, by a digit of that."""

    def taken(placed: Placed, rows: np.ndarray) -> Placed:
        return how.taken(placed[0], rows), placed[1][rows]

    return cut(taken, placed, digit(placed[1]), count)


def joined(how: Dealing, *pieces: Placed) -> Placed:
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
    from .dask_waiting import answer_of  # and the cluster's errors

    answers = answer_of(client, lambda: client.run(look, on_error="return"))
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
                "there, or the workers' version here, and start the workers anew."
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
