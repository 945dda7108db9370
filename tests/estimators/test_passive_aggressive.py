"""Passive-aggressive learners and HingeSGD against scikit-learn's, step for step, and what their steps are made for."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model

from common import overflows, stacked
from novikoff import HingeSGD, PassiveAggressiveClassifier, PassiveAggressiveRegressor

pytestmark = pytest.mark.plain_python


@pytest.fixture
def X(rng):
    rows = rng.normal(size=(60, 5)) * (rng.random((60, 5)) < 0.6)
    rows[7] = 0  # nothing can be learned from a row of zeros
    return rows


@pytest.fixture
def LABELS(X, rng):
    return np.where(X @ [1.0, -2.0, 0.5, 1.0, 0.0] + rng.normal(size=60) > 0, "yes", "no")


@pytest.fixture
def NUMBERS(X, rng):
    return X @ [1.0, -2.0, 0.5, 1.0, 0.0] + rng.normal(size=60)


@pytest.fixture
def WEIGHT(rng):
    return rng.uniform(0.2, 2.0, 60)


VARIANTS = [("PA-I", "pa1"), ("PA-II", "pa2")]


def theirs(name, learning_rate, C, **choice):
    """scikit-learn's retiring class while it exists, then what its notice says to put in its place."""
    choice = {"fit_intercept": False, "shuffle": False, "tol": None, **choice}
    retiring = getattr(linear_model, f"PassiveAggressive{name}", None)
    if retiring is not None:
        loss = {"pa1": "hinge", "pa2": "squared_hinge"}
        if name == "Regressor":
            loss = {"pa1": "epsilon_insensitive", "pa2": "squared_epsilon_insensitive"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return retiring(C=C, loss=loss[learning_rate], **choice)
    loss = "hinge" if name == "Classifier" else "epsilon_insensitive"
    chosen = getattr(linear_model, f"SGD{name}")
    return chosen(loss=loss, penalty=None, learning_rate=learning_rate, eta0=C, **choice)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("variant", "learning_rate"), VARIANTS)
@pytest.mark.parametrize("C", [0.05, 1.0])
@pytest.mark.parametrize("epochs", [1, 4])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["Classifier", "Regressor"])
def test_scikit_learn_takes_the_same_steps(
    name, weighted, epochs, C, variant, learning_rate, convert, X, LABELS, NUMBERS, WEIGHT
):
    weight = WEIGHT if weighted else None
    choice = {"C": C, "fit_intercept": False, "max_iter": epochs}
    classes = name == "Classifier"
    target = LABELS if classes else NUMBERS
    if classes:
        ours, theirs_choice = PassiveAggressiveClassifier, {"class_weight": {"yes": 0.5, "no": 1.5}}
    else:
        ours, theirs_choice = PassiveAggressiveRegressor, {"epsilon": 0.2}
    # Their retiring classes take no sample weights in fit, those that replace them do
    other = theirs(name, learning_rate, max_iter=epochs, **{"C": C}, **theirs_choice)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        if weight is None:
            other.fit(convert(X), target)
        else:
            loss = "hinge" if classes else "epsilon_insensitive"
            other = getattr(linear_model, f"SGD{name}")(
                loss=loss,
                penalty=None,
                learning_rate=learning_rate,
                eta0=C,
                fit_intercept=False,
                shuffle=False,
                tol=None,
            )
            other.set_params(max_iter=epochs, **theirs_choice).fit(convert(X), target, sample_weight=weight)
    mine = ours(**choice, **theirs_choice, variant=variant, order="cyclic", keep="last").fit(convert(X), target, weight)
    assert mine.n_iter_ == epochs
    np.testing.assert_allclose(np.ravel(mine.coef_), np.ravel(other.coef_), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize(("variant", "learning_rate"), VARIANTS)
def test_scikit_learn_streams_the_same_steps(variant, learning_rate, LABELS, X):
    mine = PassiveAggressiveClassifier(0.3, variant=variant, keep="last", fit_intercept=False)
    other = theirs("Classifier", learning_rate, 0.3)
    for rows in np.array_split(np.arange(60), 7):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            other.partial_fit(X[rows], LABELS[rows], classes=["no", "yes"])
        mine.partial_fit(X[rows], LABELS[rows], classes=["no", "yes"])
        np.testing.assert_allclose(mine.coef_, other.coef_, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("keep", ["last", "average"])
@pytest.mark.parametrize(("eta", "lam"), [(0.1, 0.01), (0.5, 1.9), (0.01, 1e-6)])
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learn_hinge_takes_the_same_steps(weighted, eta, lam, keep, convert, X, LABELS, WEIGHT):
    """Theirs, too, takes the score first, then decays, then steps; but it steps also where y a = 1 exactly.  Its average
    counts no sample weights, and goes wrong where the scale of its weights falls below 1e-9 (the slow twin has ours)."""
    weight = WEIGHT if weighted else None
    if keep == "average" and (weighted or lam > 1):
        pytest.skip("their average is another one")
    other = linear_model.SGDClassifier(
        loss="hinge", penalty="l2", alpha=lam, learning_rate="constant", eta0=eta, average=keep == "average"
    )
    other.set_params(fit_intercept=False, shuffle=False, tol=None, max_iter=4).fit(
        convert(X), LABELS, sample_weight=weight
    )
    mine = HingeSGD(lam, eta=eta, keep=keep, fit_intercept=False, order="cyclic", max_iter=4)
    mine.fit(convert(X), LABELS, weight)
    np.testing.assert_allclose(mine.coef_, other.coef_, rtol=1e-9, atol=1e-12)


def test_scikit_learn_hinge_has_the_same_bias(LABELS, X):
    """Of dense rows; of sparse rows theirs moves a hundredth as far."""
    other = linear_model.SGDClassifier(loss="hinge", alpha=0.01, learning_rate="constant", eta0=0.1, shuffle=False)
    other.set_params(tol=None, max_iter=4).fit(X, LABELS)
    mine = HingeSGD(0.01, eta=0.1, keep="last", order="cyclic", max_iter=4).fit(X, LABELS)
    np.testing.assert_allclose(stacked(mine), stacked(other), rtol=1e-9, atol=1e-12)


# What a step is made for


def lead(learner, x, label):
    """By how much the class leads its best rival; of two classes, y a."""
    a = learner.decision_function(x[None])[0]
    own = np.flatnonzero(learner.classes_ == label)[0]
    return (a if own else -a) if np.ndim(a) == 0 else a[own] - np.delete(a, own).max()


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("c", [None, 1.0, 3.0])
def test_a_step_gives_the_row_a_margin_of_one(classes, c, X, rng):
    """And no shorter step can: it is l / |x| long, and l / (sqrt 2 |x|) where two vectors share it."""
    learner = PassiveAggressiveClassifier(
        variant="PA", keep="last", fit_intercept=c is not None, intercept_scaling=c or 1.0
    )
    rows = X[np.any(X != 0, axis=1)]
    labels = rng.permutation(len(rows)) % classes
    learner.partial_fit(rows[:1], labels[:1], classes=range(classes))
    for x, label in zip(rows[1:], labels[1:], strict=True):
        loss, before = max(0.0, 1 - lead(learner, x, label)), stacked(learner)
        learner.partial_fit(x[None], [label])
        moved = stacked(learner) - before
        moved[:, -1] /= c or 1.0
        length = np.linalg.norm(np.append(x, c or 0.0)) * (1 if classes == 2 else np.sqrt(2))
        assert np.linalg.norm(moved) == pytest.approx(loss / length, abs=1e-12)
        if loss and classes == 2:
            assert lead(learner, x, label) == pytest.approx(1)
        elif loss:  # a third class may now be the best rival
            assert lead(learner, x, label) <= 1 + 1e-12


def test_a_step_of_a_number_ends_at_epsilon(NUMBERS, X):
    learner = PassiveAggressiveRegressor(variant="PA", keep="last", epsilon=0.25).partial_fit(X[:1], NUMBERS[:1])
    for x, number in zip(X[1:], NUMBERS[1:], strict=True):
        before = number - learner.predict(x[None])[0]
        after = number - learner.partial_fit(x[None], [number]).predict(x[None])[0]
        assert after == pytest.approx(np.clip(before, -0.25, 0.25))


def test_no_step_is_longer_than_C(LABELS, X):
    learner = PassiveAggressiveClassifier(0.02, keep="last", fit_intercept=False)
    before = np.zeros((1, 5))
    for x, label in zip(X, LABELS, strict=True):
        learner.partial_fit(x[None], [label], classes=["no", "yes"])
        assert np.linalg.norm(learner.coef_ - before) <= 0.02 * np.linalg.norm(x) * (1 + 1e-12)
        before = learner.coef_.copy()


@pytest.mark.parametrize("learner", [PassiveAggressiveClassifier, PassiveAggressiveRegressor])
def test_rows_of_zeros_teach_nothing_without_an_intercept(learner):
    target = [0, 1] if learner is PassiveAggressiveClassifier else [5.0, -5.0]
    for variant in ("PA", "PA-I", "PA-II"):
        clf = learner(variant=variant, fit_intercept=False).fit(np.zeros((2, 3)), target)
        assert np.array_equal(np.ravel(clf.coef_), np.zeros(3))


@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
@pytest.mark.parametrize("batch", [1, 3, "all"])
def test_separable_rows_get_their_margins(variant, batch, X):
    rows = X[np.abs(X[:, 0]) > 0.5][:12]
    labels = rows[:, 0] > 0
    choice = {
        "variant": variant,
        "batch_size": batch,
        "C": 10.0,
        "max_iter": 2000,
        "min_progress": None,
        "random_state": 0,
    }
    clf = PassiveAggressiveClassifier(**choice).fit(rows, labels)
    assert clf.n_errors_ == 0
    assert (np.where(labels, 1, -1) * clf.decision_function(rows)).min() > 0.99


@overflows
@pytest.mark.parametrize("learner", [PassiveAggressiveClassifier, PassiveAggressiveRegressor])
@pytest.mark.parametrize("scale", [1e155, 1e200])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_rows_too_long_are_an_error(learner, scale, convert, LABELS, NUMBERS, X):
    """Their squared length is infinite, so that the step would be nothing."""
    target = LABELS if learner is PassiveAggressiveClassifier else NUMBERS
    with pytest.raises(OverflowError, match="Scale the columns"):
        learner(random_state=0).fit(convert(X * scale), target)
    with pytest.raises(OverflowError, match="Scale the columns"):
        learner(variant="PA", fit_intercept=False).fit(convert(X * 1e-200), target)
