"""Newton's method over partitions begins at the solution for some rows: fewer rounds, the same answer."""

from collections import Counter

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from novikoff import LogisticNeuron
from novikoff.distributed import cluster_likelihood, fit
from novikoff.distributed.cluster_likelihood import stride
from novikoff.rows.partitions import Here


class Counted(Here):
    """Counts its folds, by function; of those of the loss, the ones with a matrix, too."""

    def __init__(self, *given):
        super().__init__(*given)
        self.folds = Counter()

    def map(self, function, state):
        made = super().map(function, state)
        found = Counted(made._partitions)
        found.folds = self.folds
        return found

    def fold(self, function, merge, state):
        name = getattr(function, "func", function).__name__
        self.folds[f"{name}, matrix" if name == "loss_sums" and state.matrix else name] += 1
        return super().fold(function, merge, state)


def noisy(rng, rows, classes=2):
    X = rng.normal(size=(rows, 4)) * [1.0, 0.2, 3.0, 1.0] + [10.0, 0.0, 0.0, -2.0]
    scores = (X - [10.0, 0.0, 0.0, -2.0]) @ rng.normal(size=(4, classes)) + rng.gumbel(size=(rows, classes))
    return X, scores.argmax(axis=1)


def in_parts(X, y, *weight, count=5):
    return [(X[k::count], y[k::count], *(part[k::count] for part in weight)) for k in range(count)]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("choice", [{}, {"l2": 0.0}, {"fit_intercept": False}, {"multiclass": "ovr"}, {"multiclass": "softmax"}])  # fmt: skip
def test_the_answer_is_that_of_one_machine(kind, choice, rng):
    X, y = noisy(rng, 4000, classes=3 if "multiclass" in choice else 2)
    weight = rng.integers(0, 3, len(y)).astype(float)
    learner = LogisticNeuron(**{"solver": "newton", "l2": 1.0, "tol": 1e-8, **choice})
    one, parts = clone(learner).fit(kind(X), y, weight), fit(learner, in_parts(kind(X), y, weight))
    assert parts.stop_reason_ == "solved"
    np.testing.assert_allclose(parts.predict_proba(X), one.predict_proba(X), atol=1e-4)


def test_rounds_and_matrices_are_few(rng):
    X, y = noisy(rng, 20_000)
    engine = Counted(in_parts(X, y))
    parts = fit(LogisticNeuron(solver="newton", l2=1.0), engine)
    assert engine.folds == {
        "look": 1,
        "look_of": 1,
        "loss_sums": 2,
        "loss_sums, matrix": 1,
        "gap_sums": 1,
    }
    assert not hasattr(parts, "eta_")


def test_a_start_that_is_worse_than_zero_weights_is_left(rng, monkeypatch):
    X, y = noisy(rng, 4000)
    guess = cluster_likelihood.guess
    monkeypatch.setattr(
        cluster_likelihood, "guess", lambda *given: (found := guess(*given))._replace(coef=-9 * found.coef)
    )
    engine = Counted(in_parts(X, y))
    parts = fit(LogisticNeuron(solver="newton", l2=1.0, tol=1e-12), engine)
    one = LogisticNeuron(solver="newton", l2=1.0, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(parts.predict_proba(X), one.predict_proba(X), atol=1e-6)
    assert engine.folds["loss_sums"] == 1


@pytest.mark.parametrize("l2", [0.0, 1.0])
def test_columns_that_some_rows_say_nothing_of(l2, rng):
    """In none of some rows is the last column other than 0: a matrix of theirs leads far away."""
    X, y = noisy(rng, 4000)
    X[:, 3] = (
        np.arange(4000) // 5 % 4 == 1
    )  # of five partitions, row 1 of each four rows; the first of them is one of some
    engine = Counted(in_parts(X, y))
    parts = fit(LogisticNeuron(solver="newton", l2=l2, tol=1e-8), engine)
    one = LogisticNeuron(solver="newton", l2=l2, tol=1e-8).fit(X, y)
    assert parts.stop_reason_ == "solved"
    np.testing.assert_allclose(parts.predict_proba(X), one.predict_proba(X), atol=1e-4)
    assert engine.folds["loss_sums"] + engine.folds["loss_sums, matrix"] <= 12  # not one for each of forty halvings


def test_separated_rows_begin_at_zero(rng):
    X = rng.normal(size=(4000, 4))
    y = (X[:, 0] > 0).astype(int)
    with pytest.warns(UserWarning, match="classify all 4000 training rows"):
        parts = fit(LogisticNeuron(solver="newton", l2=0.0), in_parts(X, y))
    assert parts.stop_reason_ in ("separated", "no_minimum")


@pytest.mark.parametrize("scale", [1e-170, 1e170])
@pytest.mark.parametrize("rows", [40, 4000])
def test_rows_out_of_range_are_refused(rows, scale, rng):
    X, y = noisy(rng, rows)
    with pytest.raises(OverflowError, match=r"Scale the columns|too large"):
        fit(LogisticNeuron(solver="newton", l2=1.0, fit_intercept=False), in_parts(X * scale, y))


def test_one_row_out_of_range_is_refused(rng):
    X, y = noisy(rng, 4000)
    X[1234] = 1e200
    with pytest.raises(OverflowError, match=r"Scale the columns|too large"):
        fit(LogisticNeuron(solver="newton", l2=1.0), in_parts(X, y))


def test_which_rows_are_some():
    assert stride(1_000_000, 50, 51) == 48
    assert stride(4000, 4, 5) == 4
    assert stride(300, 4, 5) == 0  # too few
    assert stride(10**6, 900, 901) == 0  # of many columns, too few rows are sent
    assert stride(10**9, 10, 11) == -(-(10**9) // ((1 << 20) // 10))


@pytest.mark.parametrize("size", [1e-6, 1e-12, 1e6])
def test_the_size_of_weights_does_not_matter(size, rng):
    X, y = noisy(rng, 4000)
    weight = np.full(4000, size)
    parts = fit(LogisticNeuron(solver="newton", l2=size, tol=1e-8), in_parts(X, y, weight))
    one = LogisticNeuron(solver="newton", l2=1.0, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(parts.predict_proba(X), one.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("number", [1.0, 1e6])
def test_a_column_that_no_row_of_some_has_may_have_no_best_weight(number, classes, rng):
    """One row has it, of one class: weights grow without limit, and nobody may call them solved."""
    X, y = noisy(rng, 8000, classes)
    X = np.column_stack([X, np.zeros(8000)])
    X[26, 4] = number  # of partition 1, the row 5, and some are rows 0, 4, 8, ...
    parts = fit(LogisticNeuron(solver="newton", l2=0.0), in_parts(X, y))
    assert parts.stop_reason_ == "no_minimum"


@pytest.mark.parametrize("rows", [123, 4001])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_constant_column_has_no_weight_worth_mentioning(kind, rows, rng):
    X, y = noisy(rng, rows)
    X = np.column_stack([X, np.full(rows, 1e8 / 3)])
    parts = fit(LogisticNeuron(solver="newton", l2=0.0), in_parts(kind(X), y))
    one = LogisticNeuron(solver="newton", l2=0.0).fit(X[:, :4], y)
    assert parts.coef_[0, 4] == 0
    np.testing.assert_allclose(parts.predict_proba(X), one.predict_proba(X[:, :4]), atol=1e-4)


def test_newtons_method_takes_over_from_lbfgs_without_a_penalty(rng):
    for classes in (2, 3):
        X, y = noisy(rng, 400, classes)
        parts = fit(LogisticNeuron(solver="lbfgs", l2=0.0), in_parts(X, y))
        assert parts.stop_reason_ == "solved"
        one = LogisticNeuron(solver="newton", l2=0.0).fit(X, y)
        np.testing.assert_allclose(parts.predict_proba(X), one.predict_proba(X), atol=1e-3)
