"""Folds: each answer once, merged by a tree that the numbers of the partitions fix."""

import pytest

from novikoff.distributed.folding import FAN_IN, Local


def say(number, partition, state):
    return None if partition is None else f"{number}{partition}{state}"


def joined(one, other):
    return f"({one} {other})"


def test_answers_are_merged_in_the_order_of_their_numbers():
    assert Local(["a", None, "b", "c"]).fold(say, joined, "!") == "((0a! 2b!) 3c!)"
    assert Local([None, None]).fold(say, joined, "!") is None


def test_groups_are_merged_first():
    merged = Local(["p"] * (FAN_IN + 1)).fold(say, joined, "")
    assert merged.endswith(f") {FAN_IN}p)")
    assert merged.count("(") == FAN_IN


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_nothing(threads):
    partitions = [chr(97 + number) if number % 4 else None for number in range(20)]
    assert Local(partitions, threads).fold(say, joined, "") == Local(partitions).fold(say, joined, "")


def test_map_and_deal_keep_the_numbers():
    shouted = Local(["a", "b"]).map(lambda number, partition, state: partition * state, 2)
    assert shouted.fold(say, joined, "") == "(0aa 1bb)"
    dealt = shouted.deal(lambda number, partition, count: [f"{partition}{place}" for place in range(count)], "".join)
    assert dealt.fold(say, joined, "") == "(0aa0bb0 1aa1bb1)"
