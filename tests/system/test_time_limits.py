"""Every long call keeps its time limit and can be interrupted.

The clock is the tests' own: it moves by a second whenever somebody looks at it.  So a limit of n seconds ends at the n-th
look, and a call that keeps it looks hardly ever again.  How much may be done between two looks is a law of its own: the parts
that could take long are cut into steps of bounded work.
"""

import json
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from typer.testing import CliRunner

from common import seeded
from novikoff import Perceptron, distributed, passes_curve, separability
from novikoff.cli.main import program
from novikoff.estimators.learners import LEARNERS
from novikoff.proof.arithmetic import exact, lifting
from novikoff.proof.search import nearest_point
from novikoff.system import clock
from novikoff.theory import novikoff_bound, radius

AFTER = 25  # looks that a call may still take once its time is over: at the records of what it found


class Looks:
    """A second passes with every look; the look with the number ``last`` is interrupted."""

    def __init__(self):
        self.count, self.last = 0, np.inf

    def perf_counter(self):
        self.count += 1
        if self.count >= self.last:
            raise KeyboardInterrupt
        return float(self.count)


@pytest.fixture
def looks(monkeypatch):
    looks = Looks()
    monkeypatch.setattr(clock, "perf_counter", looks.perf_counter)
    return looks


def rows(n=300, d=12, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.integers(n_classes, size=n)


def apart(n=200, d=8, n_classes=2):
    """Rows that weights separate, with a small margin."""
    X, _ = rows(n, d)
    return X, np.argmax(X @ np.random.default_rng(1).normal(size=(d, n_classes)), axis=1)


def half_apart():
    """Quasi-complete: one feature separates all rows but a few."""
    X, y = rows(120, 10)
    X[:, 0] = np.where(y == 1, 1, -1)
    X[:20, 0] = 0
    return X, y


def of_proof(name, X, y, **choices):
    """A property of a proof that is worked out when asked for."""

    def prepare():
        proof = separability(X, y, **choices)
        assert proof.certificate  # worked out when first asked for: not the part whose limit is tested
        return lambda limit: getattr(replace(proof, time_limit=limit), name)

    return prepare


def of_pairwise():
    """Three pairs of classes, each with the limit to itself."""
    proof = separability(*rows(60, 2, 3))
    return lambda limit: proof.pairwise(time_limit=limit / 3)


def at_once(call):
    return lambda: call


def bound(limit):
    with suppress(ValueError):  # that it could not be decided in time
        novikoff_bound(*apart(), time_limit=limit)


def blocks():
    X, y = rows(400, 6)
    return [(X[start : start + 50], y[start : start + 50]) for start in range(0, 400, 50)]


WIDE = sparse.random_array((60, 2100), density=0.01, rng=seeded("wide"), format="csr")
PROOFS = {
    "overlap": at_once(lambda limit: separability(*rows(), time_limit=limit)),
    "many classes": at_once(lambda limit: separability(*rows(200, 2, 40), time_limit=limit)),
    "many classes, apart": at_once(lambda limit: separability(*apart(300, 30, 9), time_limit=limit)),
    "sparse and wide": at_once(lambda limit: separability(WIDE, np.arange(60) % 2, time_limit=limit)),
    "largest margin": at_once(lambda limit: separability(*apart(), max_margin=True, time_limit=limit)),
    "largest margin, classes": at_once(lambda limit: separability(*apart(90, 4, 3), max_margin=True, time_limit=limit)),
    "directions": of_proof("directions", *half_apart()),
    "directions, complete": of_proof("directions", *apart()),
    "directions, classes": of_proof("directions", *apart(90, 5, 4)),
    "suspects": of_proof("suspects", *rows(900, 60)),
    "pairwise": of_pairwise,
    "in partitions": at_once(lambda limit: distributed.separability(blocks(), time_limit=limit)),
    "radius": at_once(lambda limit: radius(rows(300, 30)[0], time_limit=limit)),
    "radius, exact": at_once(lambda limit: radius(rows(300, 5)[0], time_limit=limit)),
    "novikoff_bound": at_once(bound),
}


def fit(learner, limit):
    """A learner on rows that it never separates."""
    X, y = rows(200, 5)
    return learner.make(max_iter=10**9, time_limit=limit, random_state=0).fit(X, y)


def learners():
    """All that go through rows.  (LinearSVM and KernelSVM have solvers of their own: they may be enrolled here.)"""
    for learner in LEARNERS:
        if {"max_iter", "time_limit"} <= set(learner.make().get_params()):
            yield learner.name, at_once(lambda limit, learner=learner: fit(learner, limit))


FITS = dict(learners())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("limit", [1.0, 4.0, 15.0, 60.0])
@pytest.mark.parametrize("name", [*PROOFS, *FITS])
def test_a_limit_is_kept(name, limit, looks):
    call = {**PROOFS, **FITS}[name]()
    looks.count = 0
    call(limit)
    assert looks.count <= limit + AFTER


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("look", [2, 9, 40])
@pytest.mark.parametrize("name", [*PROOFS, *FITS])
def test_an_interrupt_comes_through(name, look, looks):
    call = {**PROOFS, **FITS}[name]()
    looks.count = 0
    looks.last = look
    try:
        call(1e9)
    except KeyboardInterrupt:
        return
    assert looks.count < look  # it ended before


def test_every_proof_above_looks_at_the_clock_many_times(looks):
    for name, prepare in PROOFS.items():
        call = prepare()
        looks.count = 0
        call(1e9)
        assert looks.count > 4, name


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_curve_keeps_the_limit_of_its_learner_in_every_fold(looks):
    curve = passes_curve(Perceptron(time_limit=5.0), *rows(100, 3), passes=1000, cv=3, random_state=0)
    assert {stop.reason for stop in curve.stopped} == {"time"}
    assert looks.count <= 3 * (5 + AFTER)


@pytest.mark.parametrize("limit", ["1", "20", "80"])
def test_check_keeps_its_limit(limit, looks, tmp_path):
    X, y = half_apart()
    path = tmp_path / "rows.csv"
    lines = [",".join([*map(repr, row), "ab"[label]]) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    path.write_text("\n".join([",".join([*(f"f{j}" for j in range(10)), "y"]), *lines]))
    done = CliRunner().invoke(program(), ["check", str(path), "-t", "y", "--time-limit", limit, "--json"])
    found = json.loads(done.stdout)
    assert looks.count <= int(limit) + 2 * AFTER
    assert found["kind"] in (None, "quasi-complete")


# Work between two looks


@pytest.mark.parametrize(("size", "count"), [(40, 40), (60, 35), (7, 1)])
def test_a_decomposition_looks_at_the_clock_between_panels(size, count, monkeypatch):
    monkeypatch.setattr(nearest_point, "AT_ONCE", 5 * size * count)  # five columns at a time
    A, looked = np.random.default_rng(0).normal(size=(size, count)), []
    Q, R = np.empty((size, count)), np.empty((count, count))
    nearest_point.by_panels(lambda first, last: A[:, first:last], Q, R, lambda: looked.append(1))
    assert len(looked) == -(-count // 5) - 1
    assert np.allclose(Q @ R, A, atol=1e-12)
    assert np.allclose(Q.T @ Q, np.eye(count), atol=1e-12)
    assert np.allclose(R, np.triu(R))


@pytest.mark.parametrize("seed", range(8))
def test_large_systems_are_solved_exactly_step_by_step(seed):
    rng = np.random.default_rng(seed)
    size, columns, bits = int(rng.integers(1, 12)), int(rng.integers(1, 4)), int(rng.integers(1, 80))
    A = np.array(
        [[int(v) << int(rng.integers(bits)) for v in row] for row in rng.integers(-9, 10, (size, size))], dtype=object
    )
    A += np.eye(size, dtype=int).astype(object) * 10**30
    right = rng.integers(-(2**40), 2**40, (size, columns)).astype(object)
    looked = []
    numerators, denominator = lifting.lifted(A, right, exact.PRIME, lambda: looked.append(1))
    assert np.array_equal(A @ numerators, denominator * right)
    assert len(looked) > size  # at every digit of the solution, and while fractions are found


def test_a_system_that_is_singular_modulo_a_prime_is_not_solved_with_it(monkeypatch):
    prime = exact.PRIME
    A, right = np.array([[prime, 0], [0, 1]], dtype=object), np.array([[1], [1]], dtype=object)
    assert lifting.lifted(A, right, prime, clock.never) is None
    monkeypatch.setattr(exact, "LARGE", 1)
    numerators, denominator = exact.solve(A, right)
    assert numerators.ravel().tolist() == [denominator // prime, denominator]
