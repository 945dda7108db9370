"""One clock tells learners, provers and machines how much time is left."""

from math import inf

import pytest

from novikoff.system import clock as clocks
from novikoff.system.clock import LEAST, Clock, OutOfTime, check_limit


@pytest.fixture
def now(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(clocks, "perf_counter", lambda: now[0])
    return now


def test_without_a_limit_time_is_never_over(now):
    clock = Clock()
    now[0] += 1e9
    clock.tick()
    clock.allow(1e9)
    assert (clock.seconds, clock.left, clock.over, clock.part(0.5)) == (1e9, inf, False, None)


def test_seconds_spent_before_count(now):
    clock = Clock(10, spent=4.0)
    assert (clock.seconds, clock.left, clock.over) == (4.0, 6.0, False)
    now[0] += 6
    assert clock.over


def test_time_is_over_when_the_limit_is_reached(now):
    clock = Clock(2)
    now[0] += 2 - 2**-10
    clock.tick()
    now[0] += 2**-10
    with pytest.raises(OutOfTime):
        clock.tick()


def test_work_that_would_end_too_late_does_not_begin(now):
    clock = Clock(2)
    clock.allow(2)
    with pytest.raises(OutOfTime):
        clock.allow(2.5)
    clock.reserved = 1.0
    with pytest.raises(OutOfTime):
        clock.allow(2)


def test_a_part_of_the_time_left_is_a_limit_of_its_own(now):
    clock = Clock(4)
    assert clock.part(0.5) == 2
    now[0] += 5
    assert clock.part(0.5) == LEAST


@pytest.mark.parametrize("limit", [0, -1.0, "1", float("nan")])
def test_what_is_no_limit_is_refused(limit):
    with pytest.raises(ValueError, match="time_limit"):
        check_limit(limit)
    assert check_limit(None) is None
    assert check_limit(3) == 3.0


def test_progress_is_logged_once_a_second_at_most(caplog):
    caplog.set_level("INFO", "novikoff.progress")
    Clock().note("newton", 1, 0.5)  # nothing in the first second
    late = Clock(spent=3.0)
    late.note("newton", 7, 0.25)
    late.note("newton", 8, 0.125)
    assert [record.getMessage() for record in caplog.records] == ["newton: gap about 0.25 after 7 steps and 3 s"]
