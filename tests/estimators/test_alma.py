"""ALMA: its twin, its bounds, and what a rule that remembers and shrinks weights asks of everything else."""

import math

import numpy as np
import pytest
from scipy import sparse

import novikoff
from common import SEED, as_kind, plain_only, same_passes, stacked
from novikoff import ALMAClassifier, separability
from twins import AlmaTwin, Rule

KINDS = ["dense64", pytest.param("csr64", marks=plain_only)]


def data(seed, classes=2):
    rng = np.random.default_rng(seed)
    X, target = rng.normal(size=(30, 4)), rng.permutation(30) % classes
    return X + np.eye(4)[target], target, rng.uniform(0.5, 2, 30)


def twin_of(clf, X, target, weight=None):
    rule = clf._rule()
    outputs = 1 if target.max() < 2 else target.max() + 1
    c2 = clf.intercept_scaling**2 if clf.fit_intercept else 0.0
    return AlmaTwin(
        X,
        target,
        np.zeros((outputs, X.shape[1] + 1)),
        form="binary" if outputs == 1 else "ovr",
        rule=Rule("alma", C=rule.C, alpha=rule.alpha, B=rule.B),
        c2=c2,
        weight=weight,
        keep=clf.keep,
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("keep", ["last", "average", "vote", "pocket"])
def test_fit_equals_twin(keep, classes, kind):
    X, target, weight = data(SEED, classes)
    clf = ALMAClassifier(0.4, keep=keep, max_votes=None, max_iter=4, intercept_scaling=0.7, random_state=SEED)
    clf.set_params(order="shuffle")
    clf.fit(as_kind(X, kind), target, weight)
    twin = twin_of(clf, X, target, weight)
    assert same_passes(twin, clf) == clf.history_["mistakes"].tolist()
    np.testing.assert_allclose(stacked(clf), twin.handed_back(), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(clf._learned.state.memory[:, 0] + 1, twin.k)


@pytest.mark.parametrize("classes", [2, 3])
def test_stream_equals_twin_after_every_call(classes, tmp_path):
    """Dense and sparse rows by turns, and through a file in between."""
    X, target, weight = data(SEED + 1, classes)
    clf = ALMAClassifier(0.3, B=2.0, C=0.5, keep="average", fit_intercept=False)
    twin = twin_of(clf, X, target, weight)
    for number, chunk in enumerate(np.split(np.arange(30), [1, 4, 11, 12])):
        given = X[chunk] if number % 2 or classes == 2 else sparse.csr_array(X[chunk])
        clf.partial_fit(given, target[chunk], classes=range(classes), sample_weight=weight[chunk])
        twin.one_pass(chunk)
        novikoff.save(clf, tmp_path / "alma.novikoff")
        clf = novikoff.load(tmp_path / "alma.novikoff")
        assert clf.n_mistakes_ == twin.mistakes
        np.testing.assert_allclose(stacked(clf), twin.handed_back(), rtol=1e-9, atol=1e-12)


def separable(seed):
    """Rows whose largest margin, of rows and weights of length 1 with the constant feature, is known."""
    rng = np.random.default_rng(seed)
    rows = np.column_stack([rng.normal(size=(40, 3)), np.ones(40)])
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    away = np.append(rng.normal(size=3), 0.0)
    rows = rows[np.abs(rows @ away) > 0.3 * np.linalg.norm(away)]
    y = np.where(rows @ away > 0, 1, -1)
    largest = separability(rows, y, fit_intercept=False).margin
    return rows[:, :-1] / rows[:, -1:], y, largest


@pytest.mark.parametrize("alpha", [1.0, 0.9, 0.5, 0.3])
@pytest.mark.parametrize("seed", [SEED, SEED + 1, SEED + 2])
def test_updates_and_margins_keep_their_bounds(seed, alpha):
    """Gentile 2001, theorem 3: at most 2 / g^2 (2 / alpha - 1)^2 + 8 / alpha - 4 updates for a margin g, whatever the order;
    and then every margin is more than (1 - alpha) g."""
    X, y, largest = separable(seed)
    clf = ALMAClassifier(alpha, max_iter=100_000, min_progress=None, random_state=seed).fit(X, y)
    assert clf.stop_reason_ == "separated"
    assert clf.n_errors_ == 0
    updates = clf._learned.state.memory[0, 0]
    assert updates <= 2 / largest**2 * (2 / alpha - 1) ** 2 + 8 / alpha - 4
    whole = np.append(clf.coef_, clf.intercept_)
    assert np.linalg.norm(whole) <= 1 + 1e-12
    rows = np.column_stack([X, np.ones(len(X))])
    margins = y * (rows @ whole) / np.linalg.norm(rows, axis=1)
    assert margins.min() > (1 - alpha) * largest


def test_alpha_1_learns_from_mistakes_only():
    X, y, _ = separable(SEED)
    clf = ALMAClassifier(1.0, random_state=0).fit(X, y)
    assert clf._learned.state.memory[0, 0] == clf.n_mistakes_


def test_the_length_of_a_row_changes_nothing():
    X, target, _ = data(SEED)
    long = X * np.exp2(np.random.default_rng(SEED).integers(-3, 4, len(X)))[:, None]
    one, other = (
        ALMAClassifier(fit_intercept=False, order="cyclic", max_iter=3).fit(rows, target) for rows in (X, long)
    )
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-9)


def test_rows_too_long_or_too_short_are_an_error():
    X, target, _ = data(SEED)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for scale in (1e200, 1e-200):
            with pytest.raises(OverflowError, match="Scale the columns"):
                ALMAClassifier(fit_intercept=False).fit(X * scale, target)


def test_defaults_are_those_of_the_theorem():
    assert ALMAClassifier(0.5)._rule()[1:3] == (math.sqrt(8) / 0.5, math.sqrt(2))


def test_classes_added_later_go_on_with_what_the_rule_remembers():
    X, target, _ = data(SEED, 3)
    two = target < 2
    clf = ALMAClassifier().partial_fit(X[two], target[two], classes=[0, 1])
    updates = clf._learned.state.memory[0, 0]
    clf.partial_fit(X[:1], target[:1], classes=[0, 1, 2], extend_classes=True)
    memory = clf._learned.state.memory
    assert memory.shape == (3, 2)
    assert all(0 <= count - before <= 1 for count, before in zip(memory[:, 0], (updates, updates, 0), strict=True))
