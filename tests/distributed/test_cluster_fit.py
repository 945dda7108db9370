"""``fit``: partitions of every shape, the choices of every fit, and what is refused."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

import novikoff
from novikoff import AdalineRegressor, ALMAClassifier, KernelPerceptron, Perceptron, SecondOrderPerceptron
from novikoff.distributed import fit


def table(rng, rows=600, classes=3):
    X = rng.normal(size=(rows, 4))
    return X, (X @ rng.normal(size=(4, classes))).argmax(axis=1)


@pytest.fixture
def blocks(rng):
    X, y = table(rng)
    return [(X[:50], y[:50]), (X[50:52], y[50:52]), (X[:0], y[:0]), (X[52:], y[52:])]


def test_partitions_may_be_empty_small_or_lack_classes(rng):
    X, y = table(rng)
    some = y < 2
    blocks = [(X[some], y[some]), (X[:0], y[:0]), (X[y == 2], y[y == 2]), (X[:1], y[:1])]
    learner = fit(Perceptron(random_state=0), blocks)
    assert learner.classes_.tolist() == [0, 1, 2]
    assert learner.score(X, y) > 0.9
    alone = fit(Perceptron(random_state=0), [blocks[1], *blocks], reshuffle=False)
    assert alone.coef_.shape == (3, 4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_rows_of_every_kind(blocks, dtype, kind):
    learner = Perceptron(max_iter=2, random_state=0)  # after many passes rounding may have had its say
    fitted = fit(clone(learner), [(kind(X.astype(dtype)), y) for X, y in blocks])
    assert fitted.coef_.dtype == dtype
    np.testing.assert_allclose(fitted.coef_, fit(learner, blocks).coef_, rtol=1e-3)


def test_rows_of_mixed_kinds(blocks):
    first, *others = blocks
    mixed = fit(Perceptron(random_state=0), [(sparse.csr_array(first[0].astype(np.float32)), first[1]), *others])
    assert mixed.coef_.dtype == np.float64


def test_weights_count_as_in_every_fit(blocks):
    learner = Perceptron(random_state=0)
    none = fit(clone(learner), blocks)
    ones = fit(clone(learner), [(X, y, np.ones(len(y))) for X, y in blocks])
    np.testing.assert_array_equal(ones.coef_, none.coef_)
    apart = fit(
        clone(learner),
        [X for X, _ in blocks],
        [y for _, y in blocks],
        sample_weight=[2 * np.ones(len(y)) for _, y in blocks],
    )
    np.testing.assert_allclose(apart.coef_, 2 * none.coef_)
    zero = [(np.vstack([X, X]), np.append(y, y), np.repeat([1.0, 0.0], len(y))) for X, y in blocks]
    np.testing.assert_array_equal(fit(clone(learner).set_params(order="cyclic"), zero, reshuffle=False).coef_,
                                  fit(clone(learner).set_params(order="cyclic"), blocks, reshuffle=False).coef_)  # fmt: skip


def test_class_weights_are_those_of_all_rows(blocks):
    learner = Perceptron(batch_size="all", class_weight="balanced", max_iter=9, min_progress=None)
    X, y = (np.concatenate(part) for part in zip(*blocks, strict=True))
    one, summed = clone(learner).fit(X, y), fit(learner, blocks)
    np.testing.assert_allclose(summed.coef_, one.coef_)


def test_choices_of_every_fit(blocks):
    X, y = (np.concatenate(part) for part in zip(*blocks, strict=True))
    early = fit(Perceptron(early_stopping=True, random_state=0), blocks)
    assert early.stop_reason_ in ("no_improvement", "separated")
    assert np.all((early.history_["held_out_score"] >= 0) & (early.history_["held_out_score"] <= 1))
    full = Perceptron(history="full", intercept_scaling="radius", random_state=0, keep="last")
    assert fit(full, blocks).n_errors_ is None
    fit(full, blocks, count_errors=True)
    assert full.history_["errors"][-1] == full.n_errors_ == (full.predict(X) != y).sum()
    assert fit(Perceptron(time_limit=1e-9), blocks).stop_reason_ == "time"
    assert fit(Perceptron(max_iter=1, min_progress=None), blocks).n_iter_ == 1
    drawn = fit(Perceptron(order="random", random_state=0), blocks)
    assert drawn.score(X, y) > 0.85
    warm = fit(Perceptron(warm_start=True, max_iter=1, random_state=0), blocks)
    first = warm.coef_
    assert not np.array_equal(fit(warm, blocks).coef_, first)


def test_numbers(rng):
    X = rng.normal(size=(500, 3))
    y = X @ [1.0, 2.0, 3.0] + 4
    learner = fit(
        AdalineRegressor(early_stopping=True, random_state=0), [(X[start::4], y[start::4]) for start in range(4)]
    )
    assert learner.score(X, y) > 0.99
    assert learner.history_["held_out_score"][-1] > 0.99


def test_what_is_fitted_is_an_ordinary_learner(blocks, tmp_path):
    X = blocks[0][0]
    learner = fit(Perceptron(random_state=0), blocks)
    novikoff.save(learner, tmp_path / "model.novikoff")
    for other in pickle.loads(pickle.dumps(learner)), novikoff.load(tmp_path / "model.novikoff"):
        np.testing.assert_array_equal(other.predict(X), learner.predict(X))
        other.partial_fit(*blocks[3])
    assert learner.keep_ in ("last", "average")


@pytest.mark.parametrize("batch", [1, "all"])
def test_a_pocket_counts_errors_once_a_round(blocks, batch):
    X, y = (np.concatenate(part) for part in zip(*blocks, strict=True))
    noisy = [(X, np.where(np.arange(len(y)) % 5, y, (y + 1) % 3)) for X, y in blocks]
    y = np.concatenate([part for _, part in noisy])
    learner = Perceptron(keep="pocket", batch_size=batch, max_iter=8, min_progress=None, history="full", random_state=0)
    fit(learner, noisy, count_errors=True)
    assert learner.n_errors_ == min(learner.history_["errors"].min(), (y != 0).sum())
    assert learner.n_errors_ == (pickle.loads(pickle.dumps(learner)).predict(X) != y).sum()


def test_ends_are_heard_are_heard(blocks):
    class Interrupting(Perceptron):
        def _hand_back(self, learning):
            if learning.passes >= 2 and not learning.reason:
                raise KeyboardInterrupt
            return super()._hand_back(learning)

    learner = Interrupting(early_stopping=True)
    with pytest.raises(KeyboardInterrupt):
        fit(learner, blocks)
    assert learner.stop_reason_ == "interrupted"
    assert learner.coef_.shape == (3, 4)


REFUSED = [
    (Perceptron(keep="vote"), "lets every weight vector of the fit vote"),
    (Perceptron(keep="run"), "runs of right answers"),
    (Perceptron(keep="ratchet"), "runs of right answers"),
    (Perceptron(order="worst"), "all rows before every update"),
    (KernelPerceptron(), "sums of rows"),
    (ALMAClassifier(), "keeps a memory beside the weights"),
    (SecondOrderPerceptron(), "keeps a memory beside the weights"),
]


@pytest.mark.parametrize(("learner", "why"), REFUSED, ids=[f"{type(row[0]).__name__} {row[1]}" for row in REFUSED])
def test_what_cannot_be_is_refused_with_the_reason(blocks, learner, why):
    with pytest.raises(ValueError, match=why):
        fit(learner, blocks)


def test_bad_partitions_are_named(blocks, rng):
    X, y = table(rng, 20)
    learner = fit(Perceptron(random_state=0), blocks)
    before = learner.coef_
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"Partition 1: X contains NaN, first in row 3, column 1"):
        fit(learner, [(X, y), (bad, y)])
    with pytest.raises(ValueError, match=r"Partition 0: X has 20 rows, and y has 19"):
        fit(learner, [(X, y[1:])])
    with pytest.raises(ValueError, match="same columns, but some have 4, some 3"):
        fit(learner, [(X, y), (X[:, 1:], y)])
    frame = pd.DataFrame(X, columns=list("abcd"))
    with pytest.raises(ValueError, match=r"same columns, but some have \['a', 'b', 'c', 'd'\], some \['d'"):
        fit(learner, [(frame, y), (frame[list("dcba")], y)])
    with pytest.raises(ValueError, match="text in some partitions"):
        fit(learner, [(X, y), (X, y.astype(str))])
    with pytest.raises(ValueError, match="only one class"):
        fit(learner, [(X, np.zeros(20))])
    with pytest.raises(ValueError, match="nothing to learn from"):
        fit(learner, [(X, y, np.zeros(20))])
    with pytest.raises(ValueError, match=r"Partition 0: .*egative"):
        fit(learner, [(X, y, -np.ones(20))])
    with pytest.raises(ValueError, match="reshuffle must be"):
        fit(learner, blocks, reshuffle="never")
    with pytest.warns(FutureWarning, match="reshuffle"):
        fit(clone(learner), blocks, deal=False)
    with pytest.raises(TypeError, match="list of partitions, not ndarray"):
        fit(learner, X, y)
    with pytest.raises(OverflowError, match="row 1 of partition 1 is no longer finite"):
        fit(Perceptron(order="cyclic"), [(X, y), (np.full((2, 4), 1e308), y[:2])], reshuffle=False)
    np.testing.assert_array_equal(learner.coef_, before)
