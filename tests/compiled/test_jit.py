"""Kernels run before they are compiled, and are compiled once that pays; calls with arguments that are written down."""

from typing import NamedTuple

import numpy as np
import pytest

from novikoff.compiled import jit
from novikoff.compiled.arithmetic import run


@pytest.fixture
def total(monkeypatch, tmp_path):
    """A new kernel, nothing on disk."""
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(jit, "compiles_at_once", [])
    monkeypatch.setattr(jit, "A_CALL", 0.0)

    @jit.exact(lambda x: 10.0 * x.size, enough=100.0)
    def total(x):
        found = 0.0
        for value in x:
            found += value
        return found

    return total


def calls(kernel, *arrays):
    """Whether each call ran as plain Python."""
    plainly = []
    for x in arrays:
        assert kernel(x) == x.sum()
        plainly.append(kernel.plainly)
    return plainly


@pytest.mark.skipif(jit.JIT_OFF, reason="nothing is compiled")
def test_a_kernel_runs_as_it_stands_until_compiling_pays(total):
    four = np.arange(4.0)
    assert calls(total, four, four, four, four) == [True, True, False, False]
    assert calls(total, four.astype(np.float32)) == [True]  # other types: other machine code
    assert calls(total, np.arange(11, dtype=np.int32)) == [False]  # at once


@pytest.mark.skipif(jit.JIT_OFF, reason="nothing is compiled")
def test_nothing_runs_before_it_is_compiled_where_that_is_asked(total):
    with jit.compiling():
        assert calls(total, np.arange(4.0)) == [False]
    assert calls(total, np.arange(4)) == [True]


@jit.in_place
def grow(x, by, numbers):
    for j in range(x.size):
        x[j] += by.much * numbers.half
    return x.size if by.counts else 0


@jit.in_place
def twice(call, told):
    for turn in range(2):
        told[turn] = run(call)


@jit.in_place
def ignore(number):
    return 0


class By(NamedTuple):
    much: float
    counts: bool


class Numbers(NamedTuple):
    nothing: tuple[()]
    half: float
    lines: np.ndarray


@pytest.mark.parametrize("counts", [True, False])
def test_a_call_with_its_arguments_written_down_does_what_the_kernel_does(counts):
    """Arrays of any layout, numbers, tuples in tuples; one call in another."""
    lines = np.zeros((3, 8))
    numbers = Numbers((), 0.5, lines.T)
    for x in (np.zeros(5), lines[1, ::2], np.zeros(4, np.float32)):
        call, told = jit.bound(grow, x, By(3.0, counts), numbers), np.zeros(2)
        assert not x.any()
        assert call() == counts * x.size
        jit.bound(twice, call, told)()
        assert np.array_equal(x, np.full(x.size, 4.5))
        assert np.array_equal(told, np.full(2, counts * x.size))
    assert lines.sum() == 4 * 4.5


@pytest.mark.skipif(jit.JIT_OFF, reason="nothing is compiled")
def test_a_bound_call_is_of_arrays_and_numbers():
    with pytest.raises(TypeError, match="complex"):
        jit.bound(ignore, 1j)


@pytest.mark.skipif(jit.JIT_OFF, reason="nothing is compiled")
def test_a_bound_call_is_machine_code_as_soon_as_there_is_some(monkeypatch, tmp_path):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(jit, "compiles_at_once", [])
    monkeypatch.setattr(jit, "A_CALL", 0.0)

    @jit.exact(lambda x: 10.0 * x.size, makes_arrays=False, enough=100.0)
    def count_up(x):
        x[0] += 1
        return int(x[0])

    x, told, made = np.zeros(5), np.zeros(2), []
    inner = jit.bound(count_up, x)
    outer = jit.bound(twice, inner, told)
    outer.tell = made.append
    outer()
    assert (told.tolist(), made, inner.made) == ([1, 2], [], None)
    outer()
    assert told.tolist() == [3, 4]
    assert [type(call) for call in (inner.made, made[0])] == [jit.Bound, jit.Bound]
    made[0]()
    assert told.tolist() == [5, 6]
