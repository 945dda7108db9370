"""Learning pass by pass from a store: the order, the bits, the stops, and what is found on rows afterwards."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import confusion_matrix, r2_score

from common import overflows, seeded
from novikoff import Adaline, AdalineRegressor, HingeSGD, KernelPerceptron, LinearSVM, LogisticNeuron, Perceptron, save
from novikoff.estimators.base import needs_all_rows
from novikoff.models.files.checkpoint import Checkpoint
from novikoff.rows.store import row_store as gathering
from novikoff.rows.store.blocks import Column, DataError, Schema, SparseBlock, TableBlock
from novikoff.rows.store.row_store import (
    Gatherer,
    Store,
    as_matrix,
    count_targets,
    cut_into_runs,
    gather_all,
    labels_of,
    shuffled,
)
from novikoff.rows.store.splits import folds
from novikoff.tables.evaluation import MOST_BINS, Bins, evaluate
from novikoff.tables.training import learn

ROWS, SIZES = 700, (300, 1, 64, 335)


def drawn(rng):
    """Rows, of which many numbers are zero, their scores, and labels: texts and codes."""
    X = rng.integers(-4, 5, (ROWS, 4)) * (rng.random((ROWS, 4)) < 0.6)
    scores = X @ [1, -2, 3, 1] + 0.5
    noisy = (scores < 0) ^ (rng.random(ROWS) < 0.1)
    labels = {
        "two": (["yes", "no"], (scores < 0).astype(np.int32)),
        "noisy": (["yes", "no"], noisy.astype(np.int32)),
        "three": (["c", "a", "b"], np.digitize(scores, [-3, 4]).astype(np.int32)),
    }
    return X.astype(float), scores, labels


X, SCORES, LABELS = drawn(seeded("passes"))
AT_ONCE = ROWS * (gathering.BESIDE + X.shape[1]) // (1 + X.shape[1])  # numbers: a fifth of the rows, about


class Plain:
    """Numbers as they are."""

    def encode(self, block, schema, overwrite=False):
        return block.numbers.copy()


def made(kind="table", labels="two", limit=10**9, sizes=SIZES):
    """A store, its schema and its encoder."""
    texts, target = LABELS.get(labels, ([], SCORES))
    task = "classes" if texts else "numbers"
    schema = Schema(tuple(Column(f"x{j}", "number") for j in range(4)), "y", task, labels=texts, n_features=4)
    store, rows = Store(limit), np.arange(ROWS)
    STORES.append(store)
    for part in np.split(rows, np.cumsum(sizes)[:-1]):
        if kind == "table":
            store.add(TableBlock(X[part], np.empty((len(part), 0), np.int32), target[part], part))
            continue
        starts = np.append(0, np.cumsum(np.count_nonzero(X[part], axis=1)))
        places = np.nonzero(X[part])
        store.add(SparseBlock(X[part][places], places[1].astype(np.int32), starts, target[part], part))
    return store, schema, Plain() if kind == "table" else None


STORES: list[Store] = []


@pytest.fixture(autouse=True)
def closed():
    yield
    while STORES:
        STORES.pop().close()


def weights(learner):
    return np.append(learner.coef_, learner.intercept_)


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(gathering, "NUMBERS_AT_ONCE", AT_ONCE)


@pytest.mark.parametrize("kind", ["table", "sparse"])
def test_a_pass_reads_every_row_once(kind):
    store, schema, encoder = made(kind)
    runs = cut_into_runs(store.blocks)
    assert runs.rows.sum() == ROWS
    assert runs.numbers.sum() == gathering.BESIDE * ROWS + (X.size if kind == "table" else np.count_nonzero(X))
    gather, rng = Gatherer(store, runs, lambda rows: rows % 5 > 0), np.random.default_rng(0)
    seen, batches, room = [], 0, {}
    for batch in shuffled(runs, rng, AT_ONCE):
        block = gather(batch, room)
        dense = np.asarray(as_matrix(block, schema, encoder).todense() if encoder is None else block.numbers)
        assert np.array_equal(dense, X[block.rows])
        assert np.array_equal(block.target, LABELS["two"][1][block.rows])
        seen.append(block.rows.copy())
        batches += 1
    assert batches > 3
    seen = np.concatenate(seen)
    assert np.array_equal(np.sort(seen), np.flatnonzero(np.arange(ROWS) % 5))
    assert np.abs(np.diff(seen)).mean() > ROWS / 8  # shuffled


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("kind", ["table", "sparse"])
@pytest.mark.parametrize("labels", ["noisy", "three"])
def test_memory_or_file_and_resumed_or_not_the_bits_are_the_same(kind, labels):
    learners = []
    for limit in (0, 5000, 10**9):
        store, schema, encoder = made(kind, labels, limit)
        learner = Perceptron(keep="average")
        ending = learn(learner, store, schema, encoder, passes=4, seed=5)
        learners.append(learner)
        assert (ending.reason, ending.passes, ending.rows) == ("budget", 4, ROWS)
    halves = Perceptron(keep="average")
    learn(halves, store, schema, encoder, passes=2, seed=5)
    assert learn(halves, store, schema, encoder, passes=4, seed=5, first_pass=2).mistakes == ending.mistakes
    for learner in [*learners, halves]:
        assert np.array_equal(weights(learner), weights(learners[0]))
        assert learner.n_mistakes_ == sum(ending.mistakes)
        assert learner.history_["mistakes"].tolist() == ending.mistakes
        assert len(learner.history_["norm"]) == len(learner.history_["seconds"]) == learner.n_iter_ == 4
        assert learner.n_errors_ == np.sum(learner.predict(X) != np.array(schema.labels)[LABELS[labels][1]])
    other = Perceptron(keep="average")
    learn(other, store, schema, encoder, passes=4, seed=6)
    assert not np.array_equal(weights(other), weights(learners[0]))


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("labels", ["noisy", "three"])
@pytest.mark.parametrize("keep", ["average", "vote"])
def test_it_does_what_partial_fit_does_with_texts(labels, keep):
    store, schema, encoder = made("table", labels)
    learner, twin = Perceptron(keep=keep), Perceptron(keep=keep)
    learn(learner, store, schema, encoder, passes=2, seed=5)
    runs = cut_into_runs(store.blocks)
    gather = Gatherer(store, runs, None)
    for number in range(2):
        for batch in shuffled(runs, np.random.default_rng([5, number]), AT_ONCE):
            block = gather(batch, {})
            twin.partial_fit(block.numbers, labels_of(block, schema), classes=sorted(schema.labels))
    assert learner.classes_.tolist() == twin.classes_.tolist() == sorted(schema.labels)
    assert np.array_equal(weights(learner), weights(twin))
    for each in (learner, twin):
        each.partial_fit(X[:9], np.array(schema.labels)[LABELS[labels][1]][:9])
    assert np.array_equal(weights(learner), weights(twin))
    assert learner.n_mistakes_ == twin.n_mistakes_


def test_it_stops_when_a_whole_pass_was_right():
    store, schema, encoder = made()
    learner, after = Perceptron(), []
    ending = learn(
        learner,
        store,
        schema,
        encoder,
        passes=1000,
        seed=0,
        after_pass=lambda number, clf: after.append((number, clf.stop_reason_)),
    )
    assert ending.reason == learner.stop_reason_ == "separated"
    assert ending.mistakes[-1] == learner.n_errors_ == 0
    assert min(ending.mistakes[:-1]) > 0
    assert ending.progressive_errors == ending.mistakes[0]
    assert after == [(number, None) for number in range(ending.passes - 1)] + [(ending.passes - 1, "separated")]
    before = weights(learner)
    again = learn(learner, store, schema, encoder, passes=2000, seed=0, first_pass=ending.passes)
    assert (again.reason, again.passes) == ("separated", ending.passes)
    assert np.array_equal(weights(learner), before)


def test_decaying_weights_are_never_at_rest():
    store, schema, encoder = made()
    assert learn(HingeSGD(lam=1e-6), store, schema, encoder, passes=3, seed=0).reason == "budget"


@pytest.mark.usefixtures("small_batches")
def test_time_and_interruption():
    store, schema, encoder = made("table", "noisy")
    learner, seen = Perceptron(time_limit=1e-9), []
    assert learn(learner, store, schema, encoder, passes=9, seed=0, progress=seen.append).reason == "time"
    assert len(seen) == 1
    assert learner.n_iter_ == 1

    def interrupt(rows):
        seen.append(rows)
        if len(seen) == 9:
            raise KeyboardInterrupt

    seen, learner = [], Perceptron(keep="average")
    ending = learn(learner, store, schema, encoder, passes=9, seed=0, progress=interrupt)
    assert ending.interrupted
    assert ending.reason == learner.stop_reason_ == "interrupted"
    assert ending.passes == 2
    assert len(ending.mistakes) == 2
    assert learner.n_errors_ is None
    assert learner.predict(X).shape == (ROWS,)
    assert learner.partial_fit(X[:1], ["yes"]).n_mistakes_ >= sum(ending.mistakes)


def test_an_interrupted_checkpoint_is_an_interruption_too():
    store, schema, encoder = made("table", "noisy")

    def interrupt(number, learner):
        if number == 2:
            raise KeyboardInterrupt

    learner = Perceptron()
    ending = learn(learner, store, schema, encoder, passes=9, seed=0, after_pass=interrupt)
    assert (ending.reason, ending.passes, len(ending.mistakes)) == ("interrupted", 3, 3)
    with pytest.raises(KeyboardInterrupt):
        learn(Perceptron(), store, schema, CutOff(), passes=9, seed=0)


class CutOff:
    def encode(self, block, schema, overwrite=False):
        raise KeyboardInterrupt


@pytest.mark.parametrize("class_weight", ["balanced", {"yes": 3.0, "no": 0.5}])
def test_class_weights_are_those_of_fit(class_weight):
    store, schema, encoder = made("table", "noisy")
    target = LABELS["noisy"][1]
    learner = Adaline(class_weight=class_weight, eta=0.01)
    learn(learner, store, schema, encoder, passes=1, seed=0)
    runs, rng = cut_into_runs(store.blocks), np.random.default_rng([0, 0])
    order = Gatherer(store, runs, None)(next(shuffled(runs, rng, 10**6)), {}).rows
    fitted = Adaline(class_weight=class_weight, eta=0.01, order="cyclic", max_iter=1)
    fitted.fit(X[order], np.array(schema.labels)[target[order]])
    assert np.array_equal(weights(learner), weights(fitted))


def test_regression():
    store, schema, encoder = made("table", "numbers")
    learner = AdalineRegressor()
    ending = learn(learner, store, schema, encoder, passes=20, seed=0)
    assert ending.reason == "budget"
    found = evaluate(learner, store, schema, encoder)
    assert found.misses.r2 == pytest.approx(r2_score(SCORES, learner.predict(X)))
    assert found.misses.mean_squared_error == pytest.approx(np.mean((SCORES - learner.predict(X)) ** 2))
    assert found.misses.r2 > 0.99
    assert found.n == ROWS


@overflows
def test_rows_that_cannot_be_learned_from_are_refused():
    store, schema, encoder = made()
    with pytest.raises(DataError, match="No row"):
        learn(Perceptron(), store, schema, encoder, members=lambda rows: rows < 0, passes=1, seed=0)
    with pytest.raises(DataError, match="No row"):
        gather_all(store, schema, encoder, lambda rows: rows < 0)
    schema.labels = ["yes"]
    only = Store(10**6)
    only.add(TableBlock(X, np.empty((ROWS, 0), np.int32), np.zeros(ROWS, np.int32), np.arange(ROWS)))
    with pytest.raises(ValueError, match="only one class"):
        learn(Perceptron(), only, schema, encoder, passes=1, seed=0)
    store, schema, encoder = made("table", "numbers")
    with pytest.raises(OverflowError, match=r"row \d+ is no longer finite"):
        learn(AdalineRegressor(eta=1e9), store, schema, encoder, passes=99, seed=0)


def test_an_error_in_a_later_pass_leaves_the_learner_as_it_was():
    store, schema, encoder = made("table", "noisy")

    def fail(number, learner):
        if number == 3:
            raise OSError("no space left")

    fresh = Perceptron(keep="average")
    with pytest.raises(OSError, match="no space"):
        learn(fresh, store, schema, encoder, passes=9, seed=0, after_pass=fail)
    assert not hasattr(fresh, "coef_")
    learner, twin = Perceptron(keep="average"), Perceptron(keep="average")
    for part in (learner, twin):
        learn(part, store, schema, encoder, passes=2, seed=0)
    with pytest.raises(OSError, match="no space"):
        learn(learner, store, schema, encoder, passes=9, seed=0, first_pass=2, after_pass=fail)
    assert (learner.n_iter_, len(learner.history_["norm"])) == (2, 2)
    for part in (learner, twin):
        learn(part, store, schema, encoder, passes=5, seed=0, first_pass=2)
    assert np.array_equal(weights(learner), weights(twin))


REFUSED = [
    ("keep", Perceptron(keep="pocket")),
    ("keep", Perceptron(keep="run")),
    ("keep", Perceptron(keep="ratchet")),
    ("order", Perceptron(order="random")),
    ("order", Perceptron(order="alternate")),
    ("order", Adaline(order="worst")),
    ("solver", Adaline(solver="direct")),
    ("on_separation", LogisticNeuron(on_separation="raise")),
    ("KernelPerceptron", KernelPerceptron()),
    ("LinearSVM", LinearSVM()),
]


@pytest.mark.parametrize(("name", "learner"), REFUSED)
def test_learners_that_need_all_rows_say_why(name, learner):
    assert name in needs_all_rows(learner)
    store, schema, encoder = made()
    with pytest.raises(ValueError, match=name):
        learn(learner, store, schema, encoder, passes=1, seed=0)


@pytest.mark.parametrize("learner", [Perceptron(batch_size=8), Adaline(), HingeSGD(), LogisticNeuron()])
def test_learners_that_do_not(learner):
    assert needs_all_rows(learner) == ""


@pytest.mark.parametrize("kind", ["table", "sparse"])
@pytest.mark.parametrize("labels", ["noisy", "three"])
def test_evaluation(kind, labels, monkeypatch):
    monkeypatch.setattr("novikoff.rows.store.row_store.NUMBERS_AT_ONCE", 500)
    store, schema, encoder = made(kind, labels, limit=5000)
    learner = Perceptron(keep="average")
    learn(learner, store, schema, encoder, passes=2, seed=0)
    some = folds(schema, count_targets(store, schema, None), 3, 0)[1].test.among(store)
    held = some(np.arange(ROWS))
    found = evaluate(learner, store, schema, encoder, some)
    true = np.array(schema.labels)[LABELS[labels][1]][held]
    assert np.array_equal(found.confusion.toarray(), confusion_matrix(true, learner.predict(X[held])))
    assert found.labels == tuple(sorted(schema.labels))
    assert (found.n, found.errors) == (held.sum(), np.sum(true != learner.predict(X[held])))
    distances = [distance(learner, x, label) for x, label in zip(X[held], true, strict=True)]
    counts, edges = found.margins.counts, found.margins.edges
    assert len(counts) <= MOST_BINS
    assert 0 in edges
    assert np.array_equal(counts, np.histogram(distances, edges)[0])


def distance(learner, x, label):
    """Slowly: the distance from the boundary between the row's class and its best rival."""
    coef, bias = learner.coef_, learner.intercept_
    if len(coef) == 1:
        coef, bias = np.vstack([0 * coef, coef]), np.append(0, bias)
    own = learner.classes_.tolist().index(label)
    rivals = [k for k in range(len(coef)) if k != own]
    best = max(rivals, key=lambda k: coef[k] @ x + bias[k])
    return (coef[own] @ x + bias[own] - coef[best] @ x - bias[best]) / np.linalg.norm(coef[own] - coef[best])


def test_labels_that_the_model_does_not_know_are_errors():
    store, schema, encoder = made()
    learner = Perceptron()
    learn(learner, store, schema, encoder, passes=5, seed=0)
    schema.labels = ["perhaps", "no"]
    found = evaluate(learner, store, schema, encoder)
    assert found.labels == ("no", "perhaps", "yes")
    assert found.confusion.toarray()[1].sum() == np.sum(LABELS["two"][1] == 0) <= found.errors
    assert found.margins.counts.sum() == np.sum(LABELS["two"][1] == 1)


def test_bins_do_not_depend_on_how_numbers_come(rng):
    values = rng.standard_normal(500) ** 3 + 1
    whole, parts = Bins(), Bins()
    whole.add(values)
    for part in np.array_split(values, 37):
        parts.add(part)
    for one, other in zip(whole.histogram(), parts.histogram(), strict=True):
        assert np.array_equal(one, other)
    assert whole.histogram().counts.sum() == 500
    assert MOST_BINS / 2 - 1 <= whole.histogram().counts.size <= MOST_BINS
    assert Bins().histogram() is None


@pytest.mark.parametrize("kind", ["table", "sparse"])
def test_all_rows_together(kind, monkeypatch):
    monkeypatch.setattr("novikoff.rows.store.row_store.NUMBERS_AT_ONCE", 500)
    store, schema, encoder = made(kind, "three", limit=5000)
    rows, y = gather_all(store, schema, encoder, lambda rows: rows % 3 == 0)
    rows = rows if kind == "table" else rows.toarray()
    assert np.array_equal(rows, X[::3])
    assert np.array_equal(y, np.array(schema.labels)[LABELS["three"][1]][::3])


MADE_FROM = {"options": {"passes": 5, "keep": "average"}, "data": [["a.csv", 1000, 700]], "seed": 5}


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("stop_at", [2, 9, 25])
def test_killed_at_any_instant_and_resumed_the_bits_are_the_same(stop_at, tmp_path):
    store, schema, encoder = made("table", "noisy")
    checkpoint = Checkpoint(tmp_path / "half.novikoff", MADE_FROM)
    fresh = Perceptron(keep="average", max_iter=5)
    assert checkpoint.resume(fresh) is None
    seen = []

    def kill(rows):
        seen.append(rows)
        if len(seen) == stop_at:
            raise SystemExit

    def after_pass(number, learner):
        checkpoint.write(learner, number + 1)

    go = {"passes": 5, "seed": 5, "after_pass": after_pass}
    with pytest.raises(SystemExit):
        learn(clone(fresh), store, schema, encoder, progress=kill, **go)
    found = checkpoint.resume(fresh)
    learner, first = (clone(fresh), 0) if found is None else found[:2]
    assert first == (stop_at - 1) // 5  # batches a pass
    learn(learner, store, schema, encoder, first_pass=first, **go)
    whole = Perceptron(keep="average")
    learn(whole, store, schema, encoder, **go)
    assert np.array_equal(weights(learner), weights(whole))
    assert learner.history_["mistakes"].tolist() == whole.history_["mistakes"].tolist()


def test_a_checkpoint_without_what_a_pass_leaves_is_refused(tmp_path):
    path = tmp_path / "half.novikoff"
    fitted = Perceptron(max_iter=2).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    del fitted._learned.history["mistakes"]
    Checkpoint(path, MADE_FROM).write(fitted, 2)
    with pytest.raises(DataError, match=r"half\.novikoff: its model lacks .*; delete the file to start again"):
        Checkpoint(path, MADE_FROM).resume(Perceptron(max_iter=2))


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    path = tmp_path / "half.novikoff"
    fitted = Perceptron().fit([[0.0], [1.0]], [0, 1])
    Checkpoint(path, MADE_FROM).write(fitted, 3)
    other = {"options": {"passes": 9, "keep": "average"}, "data": [["a.csv", 1000, 700]], "seed": 6, "version": "2"}
    with pytest.raises(
        DataError, match=r"options passes was 5 and is 9 now; seed was 5 and is 6 now; version was None"
    ):
        Checkpoint(path, other).resume(Perceptron())
    save(fitted, path)
    with pytest.raises(DataError, match="finished model"):
        Checkpoint(path, MADE_FROM).resume(Perceptron())


@pytest.mark.parametrize(
    ("noted", "message"),
    [
        ([], "its notes are not those of a checkpoint"),
        ({"next_pass": 1}, "its notes are not those of a checkpoint"),
        ({"next_pass": 1, "made_from": MADE_FROM, "more": 1}, "its notes are not those of a checkpoint"),
        ({"next_pass": 1, "made_from": [MADE_FROM]}, "its notes are not those of a checkpoint"),
        ({"next_pass": 1, "made_from": {}}, "this was learned from something else"),
        ({"next_pass": 0, "made_from": MADE_FROM}, "it says that 0 passes of 4 are done"),
        ({"next_pass": 1, "made_from": MADE_FROM}, "it says that 1 passes of 4 are done, and its model has made 2"),
        ({"next_pass": 5, "made_from": MADE_FROM}, "it says that 5 passes of 4 are done"),
        ({"next_pass": True, "made_from": MADE_FROM}, "it says that True passes"),
        ({"next_pass": "2", "made_from": MADE_FROM}, "it says that '2' passes"),
    ],
)
def test_a_checkpoint_that_learning_cannot_have_left_is_refused(tmp_path, noted, message):
    path, learner = tmp_path / "half.novikoff", Perceptron(max_iter=4)
    for _ in range(2):
        learner.partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1])
    save(learner, path, notes={"checkpoint": noted})
    with pytest.raises(DataError, match=message) as refusal:
        Checkpoint(path, MADE_FROM).resume(Perceptron(max_iter=4))
    assert str(refusal.value).startswith(str(path))
    Checkpoint(path, MADE_FROM).write(learner, 2)
    assert Checkpoint(path, MADE_FROM).resume(Perceptron(max_iter=4)).next_pass == 2
    for other in (Perceptron(max_iter=4, eta=0.5), HingeSGD(max_iter=4)):
        with pytest.raises(DataError, match="its model is not what its notes say"):
            Checkpoint(path, MADE_FROM).resume(other)
