"""The logistic neuron: maximum likelihood, probabilities at any score, and warnings that are never false."""

import pickle
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from common import JIT_OFF, plain_only, stacked
from novikoff import LogisticNeuron, SeparationError
from novikoff.proof.check.sure_margins import sure_margins

pytestmark = pytest.mark.plain_python


@pytest.fixture
def X(rng):
    return rng.normal(size=(40, 2))


@pytest.fixture
def TWO(X, rng):
    return (X @ [1.0, -1.0] + rng.logistic(size=40) > 0).astype(int)


@pytest.fixture
def THREE(X, rng):
    return np.digitize(X @ [1.0, -1.0] + rng.logistic(size=40), [-0.7, 0.7])


@pytest.fixture
def WEIGHT(rng):
    return rng.integers(1, 3, 40).astype(float)


def gaps(learner, X, target, weight):
    """The gradient of the likelihood at the fitted weights, by every weight: zero where it is largest."""
    truth = target[:, None] == learner.classes_
    return (weight[:, None] * (truth - learner.predict_proba(X))).T @ np.column_stack([X, np.ones(40)])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("slope", [1.0, 2.0])
def test_it_comes_to_the_maximum_of_the_likelihood(classes, weighted, slope, X, TWO, THREE, WEIGHT):
    target, weight = TWO if classes == 2 else THREE, WEIGHT if weighted else np.ones(40)
    choice = {"batch_size": "all", "slope": slope, "max_iter": 400 if JIT_OFF else 4000, "min_progress": None}
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)  # these classes overlap
        neuron = LogisticNeuron(**choice).fit(X, target, weight)
    exact = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X, target, weight)
    tolerance = 2e-2 if JIT_OFF else 1e-6
    np.testing.assert_allclose(neuron.predict_proba(X), exact.predict_proba(X), atol=tolerance)
    assert np.abs(gaps(neuron, X, target, weight)).max() < 50 * tolerance
    ours, theirs = slope * stacked(neuron), stacked(exact)
    if len(ours) > 1:  # one vector may be added to all of them
        ours, theirs = ours - ours.mean(axis=0), theirs - theirs.mean(axis=0)
    np.testing.assert_allclose(ours, theirs, atol=10 * tolerance)


def set_weights(neuron, coef):
    neuron.coef_, neuron.intercept_ = np.atleast_2d(coef), np.zeros(len(np.atleast_2d(coef)))
    return neuron


@pytest.mark.parametrize("size", [1.0, 30.0, 800.0, 1e4, 1e300])
@pytest.mark.parametrize("slope", [1.0, 1e-3, 1e10])
@pytest.mark.parametrize("form", ["binary", "softmax", pytest.param("ovr", marks=plain_only)])
def test_probabilities_at_any_score(form, slope, size, THREE, TWO, X):
    multiclass = "auto" if form == "binary" else form
    neuron = LogisticNeuron(solver="steps", slope=slope, max_iter=1, multiclass=multiclass).fit(
        X, TWO if form == "binary" else THREE
    )
    rows = size * np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0], [-0.9, -1.0], [-1.0, -0.9]])
    set_weights(neuron, [1.0, 0.0] if form == "binary" else [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    p = neuron.predict_proba(rows)
    assert np.all((p >= 0) & (p <= 1))
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    best = neuron.classes_[p.argmax(axis=1)]
    certain = p.max(axis=1) > np.sort(p, axis=1)[:, -2]
    np.testing.assert_array_equal(best[certain], neuron.predict(rows)[certain])
    logarithm = neuron.predict_log_proba(rows)
    assert np.all(logarithm <= 0)
    np.testing.assert_allclose(np.exp(logarithm), p, atol=1e-12)
    if slope * size < 1e300:
        assert np.isfinite(logarithm).all()
    if form == "binary":
        small = slope * size < 700
        assert p[0, 0] == pytest.approx(1 / (1 + np.exp(slope * size)) if small else 0.0, rel=1e-9)


@plain_only
def test_low_scores_of_one_vs_rest_still_tell_classes_apart(THREE, X):
    neuron = set_weights(
        LogisticNeuron(solver="steps", max_iter=1, multiclass="ovr").fit(X, THREE), [[1.0, 0], [0, 1.0], [1.0, 1.0]]
    )
    np.testing.assert_allclose(neuron.predict_proba([[-800.0, -790.0]]), [[4.54e-5, 1.0, 0.0]], rtol=1e-3)


# The warning


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("choice", [{}, {"batch_size": "all"}, {"keep": "average"}])
def test_separable_classes_warn_with_evidence(classes, choice, X):
    target = np.digitize(X[:, 0], [0.0] if classes == 2 else [-0.5, 0.5])
    far = X + 3 * np.column_stack([target, np.zeros(40)])
    with pytest.warns(ConvergenceWarning, match=r"all 40 training rows.*linearly separable.*no minimum") as caught:
        neuron = LogisticNeuron(solver="steps", max_iter=300, random_state=0, **choice).fit(far, target)
    assert caught[0].filename == __file__
    scores = neuron.decision_function(far)
    if classes == 2:
        margins = np.where(target == 1, scores, -scores)
    else:
        margins = scores[range(40), target] - np.where(target[:, None] == range(3), -np.inf, scores).max(axis=1)
    assert f"by at least {margins.min():.3g} in score:" in str(caught[0].message)


@plain_only
def test_one_vs_rest_names_the_class_that_is_separable(X, rng):
    target = np.where(X[:, 0] > 0.3, "far", np.where(rng.random(40) < 0.5, "a", "b"))
    far = X + np.where(target == "far", 5.0, 0.0)[:, None]
    with pytest.warns(ConvergenceWarning, match="'far' and the rest are linearly separable"):
        LogisticNeuron(solver="steps", multiclass="ovr", max_iter=300, random_state=0).fit(far, target)


@pytest.mark.parametrize("loss", ["cross_entropy", "squared"])
def test_overlap_does_not_warn_and_separation_may_be_ignored(loss, TWO, X):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        LogisticNeuron(solver="steps", loss=loss, max_iter=20, random_state=0).fit(X, TWO)
        LogisticNeuron(solver="steps", loss=loss, max_iter=20, random_state=0, on_separation="ignore").fit(
            X, X[:, 0] > 0
        )


@pytest.fixture
def quasi(X):
    """Classes apart, but for two equal rows on the line x0 = 0, one of each class."""
    rows, target = X.copy(), (X[:, 0] > 0).astype(int)
    rows[:2], target[:2] = 0, (0, 1)
    return rows, target


@pytest.mark.parametrize("loss", ["cross_entropy", "squared"])
def test_quasi_complete_separation_names_what_goes_to_infinity(loss, quasi):
    frame = pd.DataFrame(quasi[0], columns=["dose", "age"])
    text = "quasi-completely separated: some weights separate 38 of 40 rows.*that of dose to .infinity"
    with pytest.warns(ConvergenceWarning, match=text):
        LogisticNeuron(solver="steps", loss=loss, max_iter=50, random_state=0).fit(frame, quasi[1])
    with pytest.raises(SeparationError, match=text) as refused:
        LogisticNeuron(loss=loss, on_separation="raise").fit(frame, quasi[1])
    assert refused.value.proof.verify(*quasi)
    assert refused.value.proof.directions == {"intercept": "finite", "dose": "+inf", "age": "either"}
    again = pickle.loads(pickle.dumps(refused.value))
    assert str(again) == str(refused.value)
    assert again.proof.kind == "quasi-complete"


def test_separation_can_be_refused(TWO, X):
    learner = LogisticNeuron(solver="steps", on_separation="raise", max_iter=5, random_state=0)
    with pytest.raises(SeparationError, match="The classes are linearly separable"):
        learner.fit(X, X[:, 0] > 0)
    with pytest.raises(SeparationError, match="Class 2 and the rest are linearly separable"):
        clone(learner).set_params(multiclass="ovr").fit(*three_apart(X, TWO))
    assert not hasattr(learner, "coef_")
    assert learner.fit(X, TWO).n_iter_ == 5
    left_out = np.ones(42)
    left_out[40:] = 0
    with pytest.raises(SeparationError):  # the last two rows contradict, but take no part
        learner.fit(np.vstack([X, -X[:2]]), np.append(X[:, 0] > 0, X[:2, 0] > 0), sample_weight=left_out)


def three_apart(X, TWO):
    """Classes 0 and 1 overlap, class 2 lies far from both."""
    target = np.where(X[:, 0] > 0.3, 2, TWO)
    return X + 5.0 * (target == 2)[:, None], target


def test_undecided_goes_on_and_says_so():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(2000, 300))
    learner = LogisticNeuron(solver="steps", on_separation="raise", time_limit=1e-3, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="could not be decided"):
        learner.fit(rows, rng.integers(2, size=2000))


def test_a_separation_that_is_mere_rounding_is_no_evidence(rng):
    """Three equal rows, one of another class: nothing separates them, though scores that are sums of many numbers of
    both signs may be rounded to either side of zero."""
    row = rng.normal(size=30)
    copies = np.vstack([row, row[::-1], row])
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "The weights classify", ConvergenceWarning)
        for passes in (1, 3, 50):
            LogisticNeuron(solver="steps", max_iter=passes, random_state=0).fit(copies, [0, 1, 1])
            LogisticNeuron(solver="steps", max_iter=passes, random_state=0, fit_intercept=False).fit(copies, [0, 1, 1])


@settings(max_examples=200)
@given(
    seed=st.integers(0, 10**6),
    outputs=st.sampled_from((1, 3)),
    exponents=st.tuples(st.integers(-165, 150), st.integers(-165, 150)),
    nearly=st.booleans(),
)
def test_sure_margins_are_below_the_exact_ones(seed, outputs, exponents, nearly):
    """In exact arithmetic, also for sums that nearly cancel and for products too small to be numbers."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 6))
    rows = rng.integers(-9, 10, (3, d)) * 10.0 ** exponents[0]
    coef = rng.normal(size=(outputs, d)) * 10.0 ** exponents[1]
    bias = np.zeros(outputs)
    if nearly:
        bias = -coef @ rows[0]
    target = np.arange(3) % max(2, outputs)
    with np.errstate(under="ignore"):
        lead, each = sure_margins(coef, bias, rows, target, np.arange(3))
    exact = [
        [sum(Fraction(w) * Fraction(x) for w, x in zip(ws.tolist(), xs.tolist(), strict=True)) + Fraction(float(b))
         for ws, b in zip(coef, bias, strict=True)]
        for xs in rows
    ]  # fmt: skip
    signs = [[1 if target[i] == (k if outputs > 1 else 1) else -1 for k in range(outputs)] for i in range(3)]
    for k in range(outputs):
        assert each[k] <= min(signs[i][k] * exact[i][k] for i in range(3))
    if outputs == 1:
        assert lead == each[0]
    else:
        leads = [exact[i][target[i]] - max(exact[i][k] for k in range(3) if k != target[i]) for i in range(3)]
        assert lead <= min(leads)


def test_squared_error_and_softmax_contradict_each_other():
    for call in (LogisticNeuron.fit, lambda neuron, X, y: neuron.partial_fit(X, y, classes=[0, 1, 2])):
        with pytest.raises(ValueError, match="one neuron for each class"):
            call(LogisticNeuron(loss="squared", multiclass="softmax"), np.eye(3), [0, 1, 2])
