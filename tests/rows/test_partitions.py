"""Folds: each answer once, merged by a tree that the numbers of the partitions fix."""

from operator import add

import dask
import numpy as np
import pytest
from threadpoolctl import threadpool_info

from novikoff.rows.dask_engine import ONE_STAGE, DaskPartitions
from novikoff.rows.partitions import FAN_IN, Here, Reshuffle


def say(number, partition, state):
    return None if partition is None else f"{number}{partition}{state}"


def joined(one, other):
    return f"({one} {other})"


def test_answers_are_merged_in_the_order_of_their_numbers():
    assert Here(["a", None, "b", "c"]).fold(say, joined, "!") == "((0a! 2b!) 3c!)"
    assert Here([None, None]).fold(say, joined, "!") is None


def test_groups_are_merged_first():
    merged = Here(["p"] * (FAN_IN + 1)).fold(say, joined, "")
    assert merged.endswith(f") {FAN_IN}p)")
    assert merged.count("(") == FAN_IN


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_nothing(threads):
    partitions = [chr(97 + number) if number % 4 else None for number in range(20)]
    assert Here(partitions, threads).fold(say, joined, "") == Here(partitions).fold(say, joined, "")


def test_map_keeps_the_numbers():
    shouted = Here(["a", "b"]).map(lambda number, partition, state: partition * state, 2)
    assert shouted.fold(say, joined, "") == "(0aa 1bb)"


def listed(number, partition, state):
    return [(number, partition.tolist())]


BY_LAST_DIGIT = Reshuffle(
    lambda number, partition, count: partition % count, lambda partition, rows: partition[rows], np.concatenate
)


@pytest.mark.parametrize("count", [1, 3, 40, 50])
def test_dealing_in_two_stages_is_dealing(count, rng):
    """Rows lie as if each new partition had gone through all old ones, whatever the way they took."""
    partitions = [rng.integers(0, 1000, rng.integers(0, 30)) for _ in range(count)]
    wanted = [
        (new, [row for part in partitions for row in part.tolist() if row % count == new]) for new in range(count)
    ]
    assert Here(partitions).reshuffle(BY_LAST_DIGIT).fold(listed, add, None) == wanted
    with dask.config.set(scheduler="synchronous"):
        on_dask = DaskPartitions([dask.delayed(part) for part in partitions]).reshuffle(BY_LAST_DIGIT)
        assert on_dask.fold(listed, add, None) == wanted
        pieces = [key for key in on_dask._graph.tasks if str(key[0]).startswith("piece")]
    assert len(pieces) <= 2 * count * (count**0.5 + 1) ** (1 if count > ONE_STAGE else 2)


def threads_now(number, partition, state):
    return max([library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"], default=1)


def test_products_take_one_thread():
    engines = Here([0, 1]), DaskPartitions([dask.delayed(0), dask.delayed(1)])
    assert [engine.fold(threads_now, max, None) for engine in engines] == [1, 1]
