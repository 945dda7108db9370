"""What several tests need: data in every format, and a twin that goes through the passes of a fit."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import numba
import numpy as np
import pytest
from scipy import sparse

from novikoff.checks.arrays import generator
from novikoff.learn.orders import make_order

ROOT = Path(__file__).parents[2]
SEED = 7
JIT_OFF = bool(numba.config.DISABLE_JIT)
overflows = pytest.mark.filterwarnings("ignore:.*encountered in", "ignore:overflow")  # said by plain Python
plain_only = pytest.mark.skipif(not JIT_OFF, reason="needs kernels of its own, each a compilation of some seconds")


def seeded(name):
    """A generator that depends on the name and on nothing else, but for ``NOVIKOFF_SEED``."""
    return np.random.default_rng([int(os.environ.get("NOVIKOFF_SEED", "0")), zlib.crc32(name.encode())])


def as_kind(X, kind):
    """X as dense or CSR, float32 or float64, with indices of 32 or ("long") 64 bits."""
    X = np.asarray(X, dtype=np.float32 if "32" in kind else np.float64)
    if kind.startswith("dense"):
        return X
    X = sparse.csr_array(X)
    index = np.int64 if kind.endswith("long") else np.int32
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return X


def stacked(learner):
    """The weights handed back, one row for each output, the intercept as last column."""
    return np.column_stack([np.atleast_2d(learner.coef_), learner.intercept_])


def outputs_of(form, target):
    return 1 if form in ("binary", "real") else int(target.max()) + 1


def members_of(X, weight):
    return np.arange(X.shape[0]) if weight is None else np.flatnonzero(weight)


def constant2(X, members, fit_intercept, intercept_scaling):
    if not fit_intercept:
        return 0.0
    if intercept_scaling == "radius":
        return float(max(np.square(X[members]).sum(axis=1))) or 1.0
    return intercept_scaling**2


def same_passes(twin, learner):
    """Let the twin make the passes of a fit; return the mistakes of each."""
    members = np.flatnonzero(twin.weight)
    batch = members.size if learner.batch_size == "all" else learner.batch_size
    order = "cyclic" if learner.batch_size == "all" else learner.order
    next_pass = make_order(order, members, twin.target, 1.0, generator(SEED))
    return [
        twin.one_pass([twin.worst_row(members)] if order == "worst" else next_pass()[0], batch)
        for _ in range(learner.n_iter_)
    ]
