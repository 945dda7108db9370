"""One row at a time: the same weights as ``partial_fit``, arrays and mappings, names and classes that come later."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy import sparse

import novikoff
from common import JIT_OFF
from novikoff import (
    AdaGradClassifier,
    AdaGradRegressor,
    AROWClassifier,
    HingeSGD,
    KernelPerceptron,
    LogisticNeuron,
    PassiveAggressiveClassifier,
    Perceptron,
    SecondOrderPerceptron,
    online,
)
from novikoff.learn.rules import loss, step
from novikoff.learn.sweep import sweep
from novikoff.models.files import read_header

pytestmark = pytest.mark.plain_python

LEARNERS = [
    Perceptron(),
    Perceptron(keep="last", multiclass="ovr"),
    Perceptron(keep="vote"),
    PassiveAggressiveClassifier(),
    AdaGradClassifier(),
    AROWClassifier(),
    SecondOrderPerceptron(),
    HingeSGD(),
    KernelPerceptron(budget=10, random_state=0),
    LogisticNeuron(class_weight="balanced"),
]
each = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


def drawn(rng, classes, rows=40):
    X = rng.integers(-3, 4, (rows, 5)).astype(float)
    y = (X @ rng.normal(size=(5, classes))).argmax(1)
    y[:classes] = range(classes)
    return X, np.array(["a", "b", "c"])[y]


def same_weights(one, other):
    for name in ("coef_", "intercept_", "dual_coef_", "classes_"):
        if hasattr(one, name):
            assert np.array_equal(getattr(one, name), getattr(other, name))


@each
@pytest.mark.parametrize("classes", [2, 3])
def test_weights_are_those_of_partial_fit_row_by_row(rng, learner, classes):
    X, y = drawn(rng, classes)
    named = sorted(set(y)) if learner.keep == "vote" else None
    stream, ordinary = online(novikoff_clone(learner), classes=named), novikoff_clone(learner)
    for i in range(len(y)):
        answer = stream.predict_one(X[i])
        if i > classes:
            assert answer == ordinary.predict(X[i : i + 1])[0]
        stream.learn_one(X[i], y[i])
        ordinary.partial_fit(X[i : i + 1], y[i : i + 1], classes=named, extend_classes=named is None)
        if i % 13 == 0:
            same_weights(stream.learner, ordinary)
    same_weights(stream.learner, ordinary)
    assert stream.learner.n_mistakes_ == ordinary.n_mistakes_
    assert stream.scores().rows == len(y)


def novikoff_clone(learner):
    return type(learner)(**learner.get_params())


@pytest.mark.parametrize("learner", [Perceptron(), AdaGradClassifier(keep="average"), AROWClassifier()], ids=repr)
@pytest.mark.parametrize("classes", [2, 3])
def test_names_may_come_later(rng, learner, classes, tmp_path):
    X, y = drawn(rng, classes, 60)
    X[:20, 3:] = 0
    rows = [{f"f{j}": v for j, v in enumerate(x) if v} for x in X]
    stream, arrays = online(novikoff_clone(learner)), online(novikoff_clone(learner))
    for i, (mapping, x, label) in enumerate(zip(rows, X, y, strict=True)):
        stream.learn_one(mapping, label)
        arrays.learn_one(x, label)
        if i == 30:
            novikoff.save(stream.learner, tmp_path / "m.novikoff")
            same_weights(novikoff.load(tmp_path / "m.novikoff"), stream.learner)
    fitted = stream.learner
    order = [list(fitted.feature_names_in_).index(f"f{j}") for j in range(5)]
    assert np.allclose(fitted.coef_[:, order], arrays.learner.coef_, rtol=1e-9)
    assert stream.predict_one(rows[7]) == arrays.predict_one(X[7])
    assert stream.predict_one({"never seen": 1.0, **rows[7]}) == arrays.predict_one(X[7])
    assert len(stream.learner.feature_names_in_) == 5


def test_a_stream_of_mappings_goes_on_in_a_later_process(rng, tmp_path):
    X, y = drawn(rng, 3, 60)
    rows = [{f"f{j}": v for j, v in enumerate(x) if v and (j < 3 or i > 20)} for i, x in enumerate(X)]
    for learner in (AdaGradClassifier(), Perceptron(), LogisticNeuron(), AROWClassifier(keep="last")):
        whole = online(novikoff_clone(learner), window=7).learn_many(rows, y)
        first = online(novikoff_clone(learner), window=7).learn_many(rows[:30], y[:30])
        assert whole.scores().loss > 0 or isinstance(learner, Perceptron)
        novikoff.save(first.learner, tmp_path / "model", notes={"progress": first.progress()})
        noted = read_header(tmp_path / "model")["notes"]["progress"]
        later = online(novikoff.load(tmp_path / "model"), window=7, progress=noted).learn_many(rows[30:], y[30:])
        assert later.names == whole.names
        same_weights(later.learner, whole.learner)
        assert later.progress() == whole.progress()
    with pytest.raises(ValueError, match="columns"):
        online(whole.learner, names=["one"])


def test_many_names_grow_and_are_bounded(rng):
    streams = [online(Perceptron()), online(Perceptron(), max_names=10), online(Perceptron(), hashed=50)]
    for i in range(300):
        for stream in streams:
            stream.learn_one({f"n{i}": 1.0, "bias": 1.0}, i % 2)
    assert [stream.learner.coef_.shape[1] for stream in streams] == [301, 10, 50]


def test_numbers(rng):
    X = rng.normal(size=(50, 3))
    stream, ordinary = online(AdaGradRegressor()), AdaGradRegressor()
    for x in X:
        stream.learn_one(x, x.sum())
        ordinary.partial_fit(x[None], [x.sum()])
    same_weights(stream.learner, ordinary)
    assert stream.predict_one(X[0]) == pytest.approx(ordinary.predict(X[:1])[0])
    assert np.isnan(stream.scores().accuracy)


def test_scores_are_of_predictions_before_learning(rng):
    X, y = drawn(rng, 2, 100)
    stream = online(Perceptron(keep="last"), window=10)
    wrong = []
    for x, label in zip(X, y, strict=True):
        wrong.append(stream.predict_one(x) != label)
        stream.learn_one(x, label)
    assert stream.scores().mistakes == sum(wrong)
    assert stream.scores(window=True).mistakes == sum(wrong[-10:])


def test_a_window_of_another_size_goes_on_with_the_rows_it_knows(rng):
    X, y = drawn(rng, 2, 60)
    whole = online(Perceptron(keep="last"), window=60).learn_many(X, y).progress()["window"]
    for before, after in [(5, 20), (20, 5), (0, 8), (8, 0)]:
        first = online(Perceptron(keep="last"), window=before).learn_many(X[:50], y[:50])
        assert first.progress()["window"] == whole[50 - before : 50]
        later = online(first.learner, window=after, progress=first.progress())
        known = min(before, after)
        assert later.progress()["window"] == whole[50 - known : 50]
        later.learn_many(X[50:], y[50:])
        known = min(before + 10, after)
        assert later.progress()["window"] == whole[60 - known :]
        assert later.scores(window=True).rows == known


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_bad_row_is_told_and_changes_nothing(rng, bad):
    X, y = drawn(rng, 2)
    stream = online(AdaGradClassifier()).learn_many(X, y)
    before = stream.learner.coef_.copy()
    with pytest.raises(ValueError, match="Row 40"):
        stream.learn_one(np.array([1.0, bad, 0, 0, 0]), "a")
    assert np.array_equal(stream.learner.coef_, before)
    with pytest.raises(ValueError, match="had 5"):
        stream.learn_one(np.ones(4), "a")


def test_only_named_classes_are_admitted():
    stream = online(Perceptron(), classes=["a", "b"]).learn_one(np.ones(2), "a")
    with pytest.raises(ValueError, match="c"):
        stream.learn_one(np.ones(2), "c")


def test_probabilities(rng):
    X, y = drawn(rng, 3)
    stream = online(AdaGradClassifier())
    assert stream.predict_proba_one(X[0]) == {}
    told = stream.learn_many(X, y).predict_proba_one(X[0])
    assert set(told) == {"a", "b", "c"}
    assert sum(told.values()) == pytest.approx(1)


def test_river_takes_it(rng):
    pytest.importorskip("river")
    from river import evaluate, metrics, preprocessing

    X, y = drawn(rng, 2, 200)
    rows = [({f"f{j}": v for j, v in enumerate(x)}, label) for x, label in zip(X, y, strict=True)]
    model = preprocessing.StandardScaler() | online(AdaGradClassifier()).as_river()
    assert evaluate.progressive_val_score(rows, model, metrics.Accuracy()).get() > 0.7
    assert online(Perceptron()).as_river().clone().predict_one(rows[0][0]) is None


class Timid(NamedTuple):
    """The perceptron, for which no machine code is on disk."""


@step.of(Timid)
def step_timid(rule, y, a):
    return 0.0 if y * a > 0 else y


@loss.of(Timid)
def loss_timid(rule, y, a):
    return max(0.0, -y * a)


@pytest.mark.skipif(JIT_OFF, reason="nothing is compiled")
def test_rows_go_straight_to_machine_code_once_there_is_some(rng, monkeypatch):
    """A kernel that is not on disk runs as plain Python first; when it is compiled, no row looks for it any more."""
    kind = type("TimidPerceptron", (Perceptron,), {"_rule": lambda self: Timid(), "__module__": Perceptron.__module__})
    monkeypatch.setattr(sweep, "_enough", 3000.0)
    X, y = drawn(rng, 2, 200)
    stream, ordinary = online(kind(keep="last")), online(Perceptron(keep="last"))
    stream.learn_many(X[:100], y[:100])
    ordinary.learn_many(X, y)
    monkeypatch.setattr(type(sweep), "__call__", None)
    stream.learn_many(X[100:], y[100:])
    same_weights(stream.learner, ordinary.learner)


@pytest.mark.parametrize("learner", [Perceptron(), AdaGradClassifier(), AROWClassifier(), HingeSGD()], ids=repr)
@pytest.mark.parametrize("classes", [2, 3])
def test_sparse_rows_are_those_of_partial_fit(rng, learner, classes):
    X, y = drawn(rng, classes, 60)
    wide = np.zeros((60, 300))
    wide[:, 200:205] = X
    wide[50] = 1.0  # more numbers than a row is given room for at first
    rows = sparse.csr_array(wide)
    stream, ordinary = online(novikoff_clone(learner)), novikoff_clone(learner)
    for i, label in enumerate(y):
        given = sparse.coo_array(rows[[i]]) if i % 2 else rows[[i]]
        if i > classes:
            assert stream.predict_one(given) == ordinary.predict(rows[[i]])[0]
        stream.learn_one(given, label)
        ordinary.partial_fit(rows[[i]], [label], extend_classes=True)
    same_weights(stream.learner, ordinary)
    same_weights(online(novikoff_clone(learner)).learn_many(rows, y).learner, ordinary)
    with pytest.raises(ValueError, match=r"had 300|expecting 300"):
        stream.learn_one(rows[[0], :4], "a")
    for other in (X[0], {"a": 1.0}):
        with pytest.raises(TypeError, match="sparse rows"):
            stream.predict_one(other)
    with pytest.raises(TypeError, match="sparse rows"):
        online(Perceptron()).learn_many(X, y).learn_one(sparse.csr_array(X)[[0]], "a")
