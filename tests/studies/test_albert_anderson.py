"""The three cases of Albert and Anderson (Biometrika 71, 1984): what separation does to the likelihood, without the prover's help.

Complete: the likelihood tends to 1.  Quasi-complete: it tends to that of the rows on the boundary, less than 1, and is never reached.
Overlap: along every line through any point it falls in the end, so that it has a maximum.
"""

import numpy as np
import pytest
from scipy.optimize import minimize

from novikoff import separability

FAR = 2.0**12


def log_likelihood(X, y, weights):
    scores = np.column_stack([X, np.ones(len(X))]) @ weights
    return -np.logaddexp(0, -np.where(y, 1, -1) * scores).sum()


def tables(rng, count):
    """Small tables of whole numbers, of all three kinds."""
    for _ in range(count):
        X = rng.integers(-2, 3, (7, 2)).astype(float)
        y = X @ rng.integers(-2, 3, 2) + rng.integers(-1, 2, 7) > 0
        if y.min() != y.max():
            yield X, y


@pytest.mark.parametrize(
    ("labels", "kind"),
    [([0, 0, 1, 1, 1, 1], "complete"), ([0, 0, 0, 1, 1, 1], "quasi-complete"), ([0, 1, 0, 1, 0, 1], "overlap")],
)
def test_the_cases_on_a_line(labels, kind):
    assert separability(np.array([[1.0], [2], [3], [3], [4], [5]]), labels).kind == kind


def test_the_likelihood_follows_the_verdict(rng):
    seen = set()
    for X, y in tables(rng, 60):
        proof = separability(X, y)
        seen.add(proof.kind)
        if proof.kind == "overlap":
            _has_a_maximum(X, y, proof)
            continue
        away = np.array([*proof.coef[0], *proof.intercept])
        away *= FAR / np.abs(away).max()
        boundary = proof.rows == "boundary"
        if proof.kind == "complete":
            assert not boundary.any()
            assert log_likelihood(X, y, away) > -1e-6
            continue
        inside = _largest(X[boundary], y[boundary])
        assert log_likelihood(X, y, inside + FAR * away) == pytest.approx(
            log_likelihood(X[boundary], y[boundary], inside), abs=1e-6
        )
        assert log_likelihood(X, y, _largest(X, y)) <= log_likelihood(X[boundary], y[boundary], inside) + 1e-6
        assert log_likelihood(X[boundary], y[boundary], inside) < -0.1
    assert seen == {"complete", "quasi-complete", "overlap"}


def _largest(X, y):
    """Weights of nearly the largest likelihood, by SciPy."""
    found = minimize(
        lambda weights: -log_likelihood(X, y, weights),
        np.zeros(X.shape[1] + 1),
        method="Nelder-Mead",
        options={"maxiter": 4000, "fatol": 1e-10},
    )
    return found.x


def _has_a_maximum(X, y, proof):
    """Directions that matter, drawn at random, all lead down in the end; others change no score."""
    rows = np.column_stack([X, np.ones(len(X))])
    for seed in range(20):
        direction = np.random.default_rng(seed).normal(size=rows.shape[1])
        if np.abs(rows @ direction).max() > 1e-9:
            assert log_likelihood(X, y, FAR * direction) < log_likelihood(X, y, np.zeros(rows.shape[1]))
