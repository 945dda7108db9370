"""Kernels run before they are compiled, and are compiled once that pays."""

import numpy as np
import pytest

from novikoff.compiled import jit


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
