"""``partial_fit``: one pass over the given rows, in the given order, going on from the present weights."""

import copy

import numpy as np
import pytest
from scipy import sparse

from common import overflows
from novikoff import (
    AdaGradClassifier,
    AdalineRegressor,
    ALMAClassifier,
    AROWClassifier,
    HingeSGD,
    KernelPerceptron,
    LogisticNeuron,
    Perceptron,
    SecondOrderPerceptron,
)
from novikoff.estimators import base
from novikoff.learn.learning import Learning


@pytest.fixture
def X(rng):
    return rng.integers(-5, 6, size=(90, 4)).astype(float)


@pytest.fixture
def Y(rng):
    return rng.permutation(90) % 3


@pytest.fixture
def TWO(X):
    return (X @ [1, -2, 3, 1] > 0).astype(int)


@pytest.mark.parametrize("keep", ["last", "average", "vote", "run"])
@pytest.mark.parametrize("several", [False, True])
def test_any_cut_is_one_cyclic_pass(keep, several, X, Y, TWO):
    labels = Y if several else TWO
    classes = np.unique(labels)
    whole = Perceptron(keep=keep).partial_fit(X, labels, classes=classes)
    pieces = Perceptron(keep=keep)
    for rows in np.split(np.arange(90), [1, 2, 10, 50, 51]):
        pieces.partial_fit(X[rows], labels[rows], classes=classes)
    assert np.allclose(whole.coef_, pieces.coef_, rtol=1e-12)
    assert whole.n_mistakes_ == pieces.n_mistakes_
    assert pieces.n_iter_ == len(pieces.history_["mistakes"]) == 6
    assert pieces.history_["mistakes"].sum() == pieces.n_mistakes_
    assert pieces.stop_reason_ is None
    assert pieces.n_errors_ is None
    if keep in ("last", "average"):
        fitted = Perceptron(keep=keep, order="cyclic", max_iter=1).fit(X, labels)
        assert np.array_equal(whole.coef_, fitted.coef_)


@pytest.mark.parametrize("learner", [Perceptron(), KernelPerceptron(), AdalineRegressor()])
def test_a_stream_without_end_takes_no_memory_for_its_history(learner, monkeypatch, TWO, X):
    monkeypatch.setattr(base, "MOST_CALLS", 5)
    classes = {"classes": [0, 1]} if hasattr(learner, "decision_function") else {}
    norms = []
    for call in range(12):
        rows = slice(5 * call, 5 * call + 5)
        learner.partial_fit(X[rows], TWO[rows], **classes)
        norms.append(learner.history_["norm"][-1])
    assert learner.n_iter_ == 12
    assert {len(values) for values in learner.history_.values()} == {5}
    assert learner.history_["norm"].tolist() == norms[-5:]
    assert np.all(np.diff(learner.history_["seconds"]) > 0)


def test_calls_are_counted_after_the_passes_of_a_fit(monkeypatch, X, Y):
    monkeypatch.setattr(base, "MOST_CALLS", 5)
    clf = Perceptron(order="cyclic", max_iter=8).fit(X, Y)
    assert len(clf.history_["norm"]) == 8
    assert clf.partial_fit(X, Y).n_iter_ == 9
    assert len(clf.history_["norm"]) == 5


def test_it_goes_on_after_fit(X, Y):
    fitted = Perceptron(keep="average", order="cyclic", max_iter=2).fit(X, Y).partial_fit(X, Y)
    longer = Perceptron(keep="average", order="cyclic", max_iter=3).fit(X, Y)
    assert np.allclose(fitted.coef_, longer.coef_, rtol=1e-12)
    assert fitted.n_mistakes_ == longer.n_mistakes_


def test_dense_and_sparse_calls_mix(X, Y):
    mixed, plain = Perceptron(keep="average"), Perceptron(keep="average")
    for number, rows in enumerate(np.array_split(np.arange(90), 7)):
        given = sparse.csr_array(X[rows]) if number % 2 else X[rows]
        mixed.partial_fit(given, Y[rows], classes=[0, 1, 2])
        plain.partial_fit(X[rows], Y[rows], classes=[0, 1, 2])
    assert np.allclose(mixed.coef_, plain.coef_, rtol=1e-12)


def test_one_row_at_a_time_keeps_every_check(TWO, X):
    clf = Perceptron().partial_fit(X[:1], TWO[:1], classes=[0, 1])
    with pytest.raises(ValueError, match="features"):
        clf.partial_fit(X[:1, :3], TWO[:1])
    with pytest.raises(ValueError, match="row 0, column 1"):
        clf.partial_fit(np.array([[1.0, np.nan, 0.0, 0.0]]), [1])
    with pytest.raises(ValueError, match="label 7"):
        clf.partial_fit(X[:1], [7])
    with pytest.raises(ValueError, match="not the same as on the last call"):
        clf.partial_fit(X[:1], [1], classes=[0, 1, 2])
    with pytest.raises(ValueError, match="inconsistent"):
        clf.partial_fit(X[:2], [1])
    with pytest.raises(ValueError, match="2D"):
        clf.partial_fit(X[0], [1])


def test_first_call_needs_classes(X, Y):
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        Perceptron().partial_fit(X, Y)
    with pytest.raises(ValueError, match="list of labels"):
        Perceptron().partial_fit(X, Y, classes=[[0, 1, 2]])


@pytest.mark.parametrize("keep", ["pocket", "ratchet"])
def test_keeps_that_need_all_rows_have_no_partial_fit(keep, X, Y):
    assert not hasattr(Perceptron(keep=keep), "partial_fit")
    with pytest.raises(AttributeError) as caught:
        Perceptron(keep=keep).partial_fit(X, Y, classes=[0, 1, 2])
    assert "which partial_fit does not have" in str(caught.value.__cause__)


def test_rows_of_weight_zero_are_not_there(X, Y, rng):
    weight = rng.integers(0, 3, 90).astype(float)
    clf = Perceptron(keep="average").partial_fit(X, Y, classes=[0, 1, 2], sample_weight=weight)
    present = weight > 0
    same = Perceptron(keep="average").partial_fit(
        X[present], Y[present], classes=[0, 1, 2], sample_weight=weight[present]
    )
    assert np.array_equal(clf.coef_, same.coef_)
    before = clf.coef_
    assert np.array_equal(clf.partial_fit(X, Y, sample_weight=np.zeros(90)).coef_, before)


def test_balanced_weights_use_running_counts():
    clf = Perceptron(class_weight="balanced", keep="last", fit_intercept=False)
    clf.partial_fit([[1.0], [1.0], [1.0], [-1.0]], [1, 1, 1, 0], classes=[0, 1])
    assert clf.coef_.tolist() == [[4 / 6]]
    clf.partial_fit([[-1.0]], [1])
    assert clf.coef_.tolist() == [[4 / 6 - 5 / 8]]


def test_new_classes_start_at_zero(TWO, X, Y):
    clf = Perceptron().partial_fit(X[:1], ["b"], extend_classes=True)
    assert clf.predict(X[:3]).tolist() == ["b"] * 3
    two = X[:40][TWO[:40] == 1], X[:40][TWO[:40] == 0]
    clf.partial_fit(np.vstack(two), ["b"] * len(two[0]) + ["d"] * len(two[1]), extend_classes=True)
    assert clf.coef_.shape == (1, 4)
    present, bias = clf.coef_[0].copy(), clf.intercept_[0]
    clf.partial_fit(np.zeros((1, 4)), ["z"], classes=["a", "b", "d"], extend_classes=True, sample_weight=[0.0])
    assert clf.classes_.tolist() == ["a", "b", "d"]
    assert np.array_equal(clf.coef_, [np.zeros(4), -present, present])
    assert np.array_equal(clf.intercept_, [0.0, -bias, bias])
    clf.partial_fit(X[:5], ["c"] * 5, extend_classes=True)
    assert clf.coef_.shape == (4, 4)
    with pytest.raises(ValueError, match="cannot add a class"):
        Perceptron(keep="vote").partial_fit(X, Y, classes=[0, 1, 2]).partial_fit(X[:1], [5], extend_classes=True)


def test_full_history_looks_at_the_given_rows(TWO, X):
    clf = Perceptron(history="full", keep="last").partial_fit(X, TWO, classes=[0, 1])
    margins = (X @ clf.coef_[0] + clf.intercept_) * np.where(TWO == 1, 1, -1)
    assert clf.history_["smallest_margin"][0] == margins.min()
    assert clf.history_["errors"][0] == np.count_nonzero(clf.predict(X) != TWO)
    assert np.isclose(clf.history_["loss"][0], np.maximum(0, -margins).mean())


# A call that raises is as if it had not been made

STREAMS = [
    *((Perceptron, {"keep": keep}) for keep in ("auto", "last", "average", "vote", "run")),
    (KernelPerceptron, {"kernel": "linear", "keep": "average"}),
    (KernelPerceptron, {"kernel": "linear", "keep": "vote"}),
    (KernelPerceptron, {"kernel": "linear", "budget": 20, "random_state": 0}),
    (AdalineRegressor, {"keep": "average"}),
    (ALMAClassifier, {}),
    (AdaGradClassifier, {}),
    (AROWClassifier, {}),
    (SecondOrderPerceptron, {}),
    (LogisticNeuron, {"class_weight": "balanced"}),
    (HingeSGD, {"history": "full"}),
]
streams = pytest.mark.parametrize(("kind", "choices"), STREAMS, ids=str)


def told(learner):
    """All that was learned, but for the seconds that it took."""
    fitted = {name: value for name, value in vars(learner).items() if name.endswith("_")}
    history = {name: values.tolist() for name, values in learner.history_.items() if name != "seconds"}
    return repr((fitted, history, learner._learned.class_counts, learner._learned.reach))


def begun(kind, choices, X, y):
    learner = kind(**choices)
    names = {} if isinstance(learner, AdalineRegressor) else {"classes": [0, 1]}
    return learner.partial_fit(X, y, **names).partial_fit(X[:9], y[:9])


def raised_in(learner, X, y, error):
    """Fail in a call, and see whether what comes next is as if it had not been made."""
    twin = copy.deepcopy(learner)
    before = told(learner)
    with pytest.raises(error):
        learner.partial_fit(X, y)
    assert told(learner) == before
    for part in (learner, twin):
        part.partial_fit(X[:30], y[:30])
    assert told(learner) == told(twin)


@overflows
@streams
def test_an_overflow_leaves_the_learner_as_it_was(kind, choices, X, TWO):
    learner = begun(kind, choices, X, TWO)
    rows = np.vstack([X[:30], X[:30] * 1e300, -X[:30] * 1e305])
    with pytest.raises(OverflowError):
        kind(**choices).fit(rows, np.tile(TWO[:30], 3))  # else the rows below raise nothing in the middle
    raised_in(learner, rows, np.tile(TWO[:30], 3), OverflowError)


@streams
def test_an_interrupted_call_leaves_the_learner_as_it_was(kind, choices, monkeypatch, X, TWO):
    learner = begun(kind, choices, X, TWO)

    def interrupted(self, record):
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(Learning, "note", interrupted)  # after the steps of the pass
    raised_in(learner, X, TWO, KeyboardInterrupt)


def test_a_kernel_that_fails_leaves_the_learner_as_it_was(X, TWO):
    def products(A, B):
        if np.abs(A).max() > 100:
            raise ValueError("too far away")
        return A @ B.T

    learner = begun(KernelPerceptron, {"kernel": products, "keep": "average"}, X, TWO)
    raised_in(learner, np.vstack([X] * 4 + [X * 1000]), np.tile(TWO, 5), ValueError)
