"""Learning from a store, in the order of its rows, is what ``fit`` does with the same rows in memory."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from novikoff import (
    Adaline,
    AdalineRegressor,
    HingeSGD,
    LogisticNeuron,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    Perceptron,
)
from novikoff.models.files.checkpoint import Checkpoint
from novikoff.rows.store.blocks import Column, Schema, SparseBlock, TableBlock
from novikoff.rows.store.row_store import Store, cut_at_batches, gather_all, in_order
from novikoff.tables.training import learn

ROWS, SIZES = 300, (120, 1, 64, 115)
SEVENTHS = {"members": lambda rows: rows % 7 > 0}


class Plain:
    """Numbers as they are."""

    def encode(self, block, schema, overwrite=False):
        return block.numbers.copy()


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr("novikoff.rows.store.row_store.NUMBERS_AT_ONCE", 333)


@pytest.fixture
def rows(request):
    """Whole numbers, so that sums are exact in any order; the first classes overlap, others are separable."""
    rng = np.random.default_rng([ord(letter) for letter in request.node.name])
    X = rng.integers(-4, 5, (ROWS, 4)).astype(float)
    X[rng.random(X.shape) < 0.4] = 0
    scores = X @ [1, -2, 3, 1] + 0.5
    return X, {
        "two": ((scores < 0) ^ (rng.random(ROWS) < 0.1)).astype(np.int32),
        "apart": (scores < 0).astype(np.int32),
        "three": np.where(rng.random(ROWS) < 0.05, 1, np.digitize(scores, [-3, 4])).astype(np.int32),
        "numbers": np.round(scores + rng.normal(size=ROWS)),
    }


def stored(X, target, kind="table"):
    """A store of these rows, its schema and its encoder."""
    task = "classes" if target.dtype == np.int32 else "numbers"
    labels = ["c", "a", "b"][: target.max() + 1] if task == "classes" else []
    schema = Schema(tuple(Column(f"x{j}", "number") for j in range(4)), "y", task, labels=labels, n_features=4)
    store = Store(10**9)
    for part in np.split(np.arange(ROWS), np.cumsum(SIZES)[:-1]):
        if kind == "table":
            store.add(TableBlock(X[part], np.empty((len(part), 0), np.int32), target[part], part))
            continue
        starts = np.append(0, np.cumsum(np.count_nonzero(X[part], axis=1)))
        places = np.nonzero(X[part])
        store.add(SparseBlock(X[part][places], places[1].astype(np.int32), starts, target[part], part))
    return store, schema, Plain() if kind == "table" else None


def both(make, X, target, kind="table", members=None, **options):
    """The same learner after learning from a store and after ``fit``."""
    store, schema, encoder = stored(X, target, kind)
    with warnings.catch_warnings(), store:
        warnings.simplefilter("ignore")
        passing, fitted = make(), make()
        learn(passing, store, schema, encoder, passes=passing.max_iter, seed=0, members=members, **options)
        fitted.fit(*gather_all(store, schema, encoder, members))
    return passing, fitted


def assert_same(one, other, exactly=True):
    """The same weights, counts, reasons and histories."""
    equal = np.array_equal if exactly else lambda a, b: np.allclose(a, b, rtol=1e-12, atol=1e-13)
    assert equal(one.coef_, other.coef_)
    assert equal(one.intercept_, other.intercept_)
    assert (one.n_iter_, one.stop_reason_) == (other.n_iter_, other.stop_reason_)
    if hasattr(other, "classes_"):
        assert (one.n_mistakes_, one.n_errors_) == (other.n_mistakes_, other.n_errors_)
    assert list(one.history_) == list(other.history_)
    for name in set(one.history_) - {"seconds"}:
        assert equal(one.history_[name], other.history_[name]), name
    if hasattr(other, "votes_"):
        assert all(equal(mine, its) for mine, its in zip(one.votes_, other.votes_, strict=True))


CHOICES = {
    "plain": {},
    "mini-batch": {"batch_size": 7},
    "batch": {"batch_size": "all"},
    "tol": {"tol": 1e9},
    "early stopping": {"early_stopping": True, "n_iter_no_change": 2, "validation_fraction": 0.2},
    "full history": {"history": "full"},
    "radius": {"intercept_scaling": "radius"},
    "no intercept": {"fit_intercept": False},
    "weighted": {"class_weight": {"a": 3, "c": 0.5}},
    "start": {"init": "random", "random_state": 5},
    "everything": {
        "batch_size": 7,
        "tol": 1e-9,
        "early_stopping": True,
        "history": "full",
        "intercept_scaling": "radius",
        "class_weight": {"a": 3, "c": 0.5},
    },
}


@pytest.mark.parametrize("keep", ["last", "average", "vote"])
@pytest.mark.parametrize("choice", CHOICES)
def test_a_perceptron_in_order_is_that_of_fit(choice, keep, rows):
    X, targets = rows
    for kind, labels, some in (("table", "two", {}), ("sparse", "two", SEVENTHS), ("table", "apart", {})):
        options = {"order": "cyclic", "keep": keep, "max_iter": 9, "random_state": 0, **CHOICES[choice]}
        assert_same(*both(lambda: Perceptron(**options), X, targets[labels], kind, **some))  # noqa: B023


@pytest.mark.parametrize("choice", ["plain", "mini-batch", "batch", "full history", "radius"])
@pytest.mark.parametrize("form", ["worst", "uniform", "all", "ovr"])
def test_several_classes(form, choice, rows):
    X, targets = rows
    for keep in ("last", "average"):
        options = {"order": "cyclic", "multiclass": form, "keep": keep, "max_iter": 6, **CHOICES[choice]}
        assert_same(*both(lambda: Perceptron(**options), X, targets["three"]))  # noqa: B023


@pytest.mark.parametrize("batch", [1, 7, "all"])
@pytest.mark.parametrize("keep", ["last", "average"])
@pytest.mark.parametrize(
    "make",
    [Adaline, LogisticNeuron, HingeSGD, PassiveAggressiveClassifier, AdalineRegressor, PassiveAggressiveRegressor],
)
def test_every_learner_in_order_comes_to_the_weights_of_fit(make, keep, batch, rows):
    """Steps and rates chosen by the rows included; sums of fractions are rounded in another order."""
    X, targets = rows
    options = {"order": "cyclic", "keep": keep, "batch_size": batch, "max_iter": 6, "history": "full", "init": "ones"}
    for kind in ("table", "sparse"):
        target = targets["numbers" if make.__name__.endswith("Regressor") else "two"]
        assert_same(*both(lambda: make(**options), X, target, kind), exactly=False)


def test_a_cycle_ends_learning_from_files_too(rows):
    X, targets = rows
    passing, fitted = both(lambda: Perceptron(order="cyclic", max_iter=5000), X % 2, targets["two"])
    assert passing.stop_reason_ == fitted.stop_reason_ == "cycle"
    assert_same(passing, fitted)


def test_a_cycle_is_found_in_the_same_pass_after_an_interruption(rows, tmp_path):
    X, targets = rows
    whole = Perceptron(order="cyclic", max_iter=5000)
    fresh = Perceptron(**whole.get_params())
    checkpoint = Checkpoint(tmp_path / "half.novikoff", {})

    def stop(number, learner):
        checkpoint.write(learner, number + 1)
        if number + 1 == whole.n_iter_ // 2:
            raise SystemExit

    longest = 0
    for part in np.split(np.arange(ROWS), 20):  # few rows, of which the weights have room to wander
        some = {"members": lambda rows: np.isin(rows, part)}  # noqa: B023
        store, schema, encoder = stored(X % 3, targets["two"])
        if np.unique(targets["two"][part]).size < 2:
            continue
        with store:
            learn(whole, store, schema, encoder, passes=5000, seed=4, **some)
            if whole.stop_reason_ != "cycle" or whole.n_iter_ < 2:
                continue
            longest = max(longest, whole.n_iter_)
            learner = Perceptron(**fresh.get_params())
            with pytest.raises(SystemExit):
                learn(learner, store, schema, encoder, passes=5000, seed=4, after_pass=stop, **some)
            found = checkpoint.resume(fresh)
            learn(found.model, store, schema, encoder, passes=5000, seed=4, first_pass=found.next_pass, **some)
        assert_same(found.model, whole)
    assert longest > 8


def test_a_warm_start_goes_on_from_the_last_fit(rows):
    X, targets = rows
    start = Perceptron(order="cyclic", max_iter=2).fit(X, np.array(["c", "a"])[targets["two"]])
    coef, intercept = start.coef_.copy(), start.intercept_.copy()

    def make():
        learner = Perceptron(order="cyclic", max_iter=4, warm_start=True)
        learner.fit(X[:9], np.resize(["a", "c"], 9))
        learner.coef_, learner.intercept_ = coef.copy(), intercept.copy()
        return learner

    assert_same(*both(make, X, targets["two"]))
    cold, _ = both(lambda: make().set_params(warm_start=False), X, targets["two"])
    assert not np.array_equal(cold.coef_, both(make, X, targets["two"])[0].coef_)


def test_rows_held_out_are_neither_learned_from_nor_lost(rows):
    X, targets = rows
    store, schema, encoder = stored(X, targets["two"])
    seen = []
    with store:
        learner = Perceptron(early_stopping=True, validation_fraction=0.25, max_iter=2, random_state=3)
        learn(learner, store, schema, encoder, passes=2, seed=0, progress=seen.append)
        assert sum(seen) == 2 * 225
        assert len(learner.history_["held_out_score"]) == 2


@pytest.mark.parametrize("order", ["cyclic", "shuffle"])
@pytest.mark.parametrize("batch", [1, 7, "all"])
def test_resumed_with_everything_the_bits_are_the_same(batch, order, rows, tmp_path):
    X, targets = rows
    options = {"tol": 1e-9, "early_stopping": True, "n_iter_no_change": 3, "history": "full", "keep": "average"}
    fresh = Perceptron(
        order="auto" if batch == "all" else order, batch_size=batch, max_iter=9, random_state=1, **options
    )
    store, schema, encoder = stored(X, targets["two"])
    checkpoint = Checkpoint(tmp_path / "half.novikoff", {})

    def stop(number, learner):
        checkpoint.write(learner, number + 1)
        if number == 1:
            raise SystemExit

    with store, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = Perceptron(**fresh.get_params())
        learn(whole, store, schema, encoder, passes=9, seed=4)
        with pytest.raises(SystemExit):
            learn(Perceptron(**fresh.get_params()), store, schema, encoder, passes=9, seed=4, after_pass=stop)
        found = checkpoint.resume(fresh)
        learn(found.model, store, schema, encoder, passes=9, seed=4, first_pass=found.next_pass)
    assert_same(found.model, whole)


def test_blocks_are_cut_where_batches_end(rows):
    X, targets = rows
    for kind in ("table", "sparse"):
        store, _, _ = stored(X, targets["two"], kind)
        with store:
            for batch in (1, 7, 64, 1000):
                blocks = list(cut_at_batches(in_order(store), batch))
                assert all(len(block.rows) % batch == 0 for block in blocks[:-1])
                assert np.array_equal(np.concatenate([block.rows for block in blocks]), np.arange(ROWS))
                assert np.array_equal(np.concatenate([block.target for block in blocks]), targets["two"])
                if kind == "table":
                    assert np.array_equal(np.concatenate([block.numbers for block in blocks]), X)
                else:
                    assert np.array_equal(np.concatenate([block.values for block in blocks]), X[X != 0])


def test_a_fit_that_is_refused_leaves_the_learner_as_it_was(rows):
    X, targets = rows
    store, schema, encoder = stored(X, targets["two"])
    learner = Perceptron(order="cyclic", max_iter=2)
    with store:
        learn(learner, store, schema, encoder, passes=2, seed=0)
        before = {name: value for name, value in vars(learner).items() if name != "class_weight"}
        learner.set_params(class_weight={"a": 1, "c": 0})
        with pytest.raises(ValueError, match="rows of one class"):
            learn(learner, store, schema, encoder, passes=2, seed=0)
    after = {name: value for name, value in vars(learner).items() if name != "class_weight"}
    assert after.keys() == before.keys()
    assert all(after[name] is before[name] for name in after)


def test_callbacks_are_told_of_passes_over_files(rows):
    X, targets = rows
    told = []

    class Listener:
        def setup(self, estimator, context): ...

        def teardown(self, estimator, context): ...

        def on_fit_task_begin(self, estimator, context): ...

        def on_fit_task_end(self, estimator, context):
            told.append(context.task_name)
            return told.count("pass") == 3

    store, schema, encoder = stored(X, targets["two"])
    learner = Perceptron(max_iter=9).set_callbacks(Listener())
    with store:
        assert learn(learner, store, schema, encoder, passes=9, seed=0).reason == "callback"
    assert learner.n_iter_ == told.count("pass") == 3
