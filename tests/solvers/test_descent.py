"""Support vector machines take few sweeps where many used to be needed, look at the clock between short pieces of work, and
end soon after their time."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from machines import hinge_svm
from novikoff.solvers import crammer_singer, dual_descent, newton


def text(rows, columns, words, seed):
    """Rows of a few words each, the common ones in most of them, scaled to length 1; labels by a noisy rule."""
    rng = np.random.default_rng(seed)
    chance = 1 / np.arange(1, columns + 1)
    numbers = rng.choice(columns, size=(rows, words), p=chance / chance.sum())
    X = sparse.csr_array(
        (np.ones(rows * words), (np.repeat(np.arange(rows), words), numbers.ravel())), shape=(rows, columns)
    )
    X.sum_duplicates()
    X = sparse.csr_array(sparse.diags_array(1 / np.sqrt(X.multiply(X).sum(axis=1))) @ X)
    y = (X @ rng.normal(size=columns) + 0.3 * rng.normal(size=rows) > 0).astype(int)
    return X, y


@pytest.mark.parametrize(("rows", "C"), [(35, 1e3), (20, 1e4)])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_descent_needs_few_sweeps_on_one_column(rows, C, loss):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(rows, 1))
        y = (X[:, 0] + rng.normal(size=rows) > 0).astype(int)
        machine = hinge_svm(C, loss=loss, solver="descent", random_state=0).fit(X, y)
        assert machine.stop_reason_ == "solved"
        assert machine.n_iter_ <= 1000  # Newton's method goes on where sweeps get slow


@pytest.mark.parametrize("C", [1.0, 10.0, 100.0])
def test_a_smaller_gap_takes_not_many_more_sweeps(C):
    X, y = text(800, 3000, 8, 0)
    sweeps = []
    for tol in (1e-4, 1e-8):
        machine = hinge_svm(C, tol=tol, solver="descent", random_state=0).fit(X, y)
        assert machine.stop_reason_ == "solved"
        sweeps.append(machine.n_iter_)
    assert sweeps[1] <= 10 * sweeps[0]


# The clock


def counting(monkeypatch):
    """A clock by which every look takes a second."""
    looks = itertools.count()
    monkeypatch.setattr("novikoff.system.clock.perf_counter", lambda: float(next(looks)))
    return looks


SHAPES = {
    "columns": ((120, 40), {"solver": "interior"}),
    "few columns": ((500, 3), {"solver": "interior"}),
    "rows": ((40, 120), {"solver": "interior"}),
    "sparse rows": ((40, 120), {"solver": "interior"}),
    "descent": ((120, 40), {"solver": "descent"}),
    "squared": ((120, 40), {"solver": "descent", "loss": "squared_hinge"}),
    "joint": ((90, 20), {"solver": "interior", "multiclass": "crammer_singer"}),
    "joint descent": ((90, 20), {"solver": "descent", "multiclass": "crammer_singer"}),
    "by shape": ((120, 40), {}),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("limit", [5, 50])
def test_machines_end_soon_after_their_time(name, limit, monkeypatch, rng):
    shape, parameters = SHAPES[name]
    X = sparse.random_array(shape, density=0.2, rng=rng, format="csr") if "sparse" in name else rng.normal(size=shape)
    y = np.arange(X.shape[0]) % (3 if "joint" in name else 2)
    for module in (newton, crammer_singer):
        monkeypatch.setattr(module, "AT_ONCE", 2000)
    for module in (dual_descent, crammer_singer):
        monkeypatch.setattr(module, "PORTION", 200)
    looks = counting(monkeypatch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine = hinge_svm(100.0, tol=1e-13, time_limit=float(limit), random_state=0, **parameters).fit(X, y)
    done = limit == 50 and machine.stop_reason_ == "stalled"  # Newton's method gets no further before
    assert machine.stop_reason_ == "time" or done
    assert next(looks) <= limit + 10
    assert machine.duality_gap_ <= 1.0
