"""Rules that remember each feature, against plain Python; their laws."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from novikoff import AdaGradClassifier, AdaGradRegressor, AROWClassifier, SecondOrderPerceptron
from novikoff.models.files import load, save

pytestmark = pytest.mark.plain_python


class Twin:
    """One output, or several of which the true class and its highest rivals move, one or two, by the formulas of the papers; the last
    feature is the constant one."""

    rivals = 1

    def __init__(self, outputs, features, c=1.0):
        self.w = np.zeros((outputs, features + 1))
        self.S = np.zeros((outputs, features + 1))  # sums of squares, of slopes or of features
        self.s = np.zeros(features + 1)
        self.N = self.t = 0.0
        self.c = c
        self.mistakes = 0

    def learn(self, x, target, weight=1.0):
        x = np.append(x, self.c)
        self.before(x)
        scores = [self.score(k, x) for k in range(len(self.w))]
        if len(scores) == 1:
            y, a, moving = (1.0 if target == 1 else -1.0), scores[0], [(0, 1.0)]
        else:
            others = sorted((k for k in range(len(scores)) if k != target), key=lambda k: (-scores[k], k))[
                : self.rivals
            ]
            share = np.exp([scores[k] - scores[others[0]] for k in others])
            y, a = 1.0, scores[target] - scores[others[0]] - np.log(share.sum())
            moving = [(target, 1.0), *((k, -part / share.sum()) for k, part in zip(others, share, strict=True))]
        self.mistakes += not (y * a if len(scores) == 1 else scores[target] - scores[others[0]]) > 0
        g = self.step(y, a, x, [k for k, _ in moving])
        if g:
            for k, sign in moving:
                for j in np.flatnonzero(x):
                    self.move(k, j, x[j], sign * g * weight)

    def before(self, x):
        pass

    def score(self, k, x):
        return float(self.w[k] @ x)


class AdaGrad(Twin):
    rivals = 2

    def before(self, x):
        for j in np.flatnonzero(x):
            if abs(x[j]) > self.s[j]:
                if self.s[j]:
                    self.w[:, j] *= self.s[j] / abs(x[j])
                self.s[j] = abs(x[j])
        self.N += sum((x[j] / self.s[j]) ** 2 for j in np.flatnonzero(x))
        self.t += 1

    def step(self, y, a, x, moving):
        return y / (1 + np.exp(y * a))

    def move(self, k, j, x, g):
        self.S[k, j] += (g * x) ** 2
        self.w[k, j] += np.sqrt(self.t / self.N) * g * x / (self.s[j] * np.sqrt(self.S[k, j]))


class AROW(Twin):
    def step(self, y, a, x, moving):
        lost = max(0.0, 1 - y * a)
        return y * lost / (1 + sum(float((x**2 / (1 + self.S[k])).sum()) for k in moving))

    def move(self, k, j, x, g):
        self.w[k, j] += g * x / (1 + self.S[k, j])
        self.S[k, j] += x**2


class SecondOrder(Twin):
    def __init__(self, *shape, **c):
        super().__init__(*shape, **c)
        self.v = np.zeros_like(self.w)

    def score(self, k, x):
        return float((self.v[k] * x / (1 + self.S[k] + x**2)).sum())

    def step(self, y, a, x, moving):
        return 0.0 if y * a > 0 else y

    def move(self, k, j, x, g):
        self.v[k, j] += g * x
        self.S[k, j] += abs(g) * x**2  # a row of weight 2 is there twice in both sums
        self.w[k, j] = self.v[k, j] / (1 + self.S[k, j])


LEARNERS = [(AdaGradClassifier, AdaGrad), (AROWClassifier, AROW), (SecondOrderPerceptron, SecondOrder)]
each = pytest.mark.parametrize(("learner", "twin"), LEARNERS, ids=lambda kind: kind.__name__)


def drawn(rng, rows=60, classes=2):
    X = rng.integers(-3, 4, (rows, 4)) * np.array([1.0, 0.5, 30.0, 0.01])
    y = (X / [1, 0.5, 30, 0.01] @ rng.normal(size=(4, classes)) + rng.normal(size=(rows, classes))).argmax(1)
    y[:classes] = range(classes)
    return X, y


@each
@pytest.mark.parametrize("classes", [2, 3, 6])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_steps_are_those_of_plain_python(rng, learner, twin, classes, store):
    X, y = drawn(rng, classes=classes)
    scaling = 2.0
    last = learner(keep="last", intercept_scaling=scaling).partial_fit(store(X), y, classes=range(classes))
    average = learner(keep="average", intercept_scaling=scaling).partial_fit(store(X), y, classes=range(classes))
    plain = twin(1 if classes == 2 else classes, 4, c=scaling)
    total = np.zeros_like(plain.w)
    for x, target in zip(X, y, strict=True):
        plain.learn(x, target)
        total += plain.w
    assert np.allclose(last.coef_, plain.w[:, :4], rtol=1e-9, atol=1e-12)
    assert np.allclose(last.intercept_, scaling * plain.w[:, 4], rtol=1e-9, atol=1e-12)
    assert np.allclose(average.coef_, total[:, :4] / len(X), rtol=1e-9, atol=1e-12)
    assert last.n_mistakes_ == plain.mistakes


@each
@pytest.mark.parametrize("classes", [2, 3])
def test_rows_have_weights(rng, learner, twin, classes):
    X, y = drawn(rng, classes=classes)
    weight = rng.choice([0.01, 0.5, 3.0, 100.0], len(y))
    clf, plain = learner(keep="last"), twin(1 if classes == 2 else classes, 4)
    clf.partial_fit(X, y, classes=range(classes), sample_weight=weight)
    for x, target, heavy in zip(X, y, weight, strict=True):
        plain.learn(x, target, heavy)
    assert np.allclose(clf.coef_, plain.w[:, :4], rtol=1e-9, atol=1e-12)
    assert np.allclose(clf.intercept_, plain.w[:, 4], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_heavy_row_of_the_second_order_perceptron_is_many(rng, classes):
    """No row moves a weight farther than the row alone needs, whatever weight it has: w_j = s x_j / (a + s x_j^2)."""
    x = np.array([[2.0, -0.5, 0.0, 4.0]])
    for weight in (1.0, 7.0, 1e6):
        clf = SecondOrderPerceptron(a=3.0, keep="last")
        clf.partial_fit(x, [classes - 1], classes=range(classes), sample_weight=[weight])
        assert np.allclose(clf.coef_[-1], weight * x[0] / (3 + weight * x[0] ** 2), rtol=1e-12)


@each
@pytest.mark.parametrize("classes", [2, 3])
def test_calls_row_by_row_and_one_cyclic_pass_are_the_same(rng, tmp_path, learner, twin, classes):
    X, y = drawn(rng, 40, classes)
    whole = learner(keep="last", order="cyclic", max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        whole.fit(X, y)
    single = learner(keep="last")
    for i in range(len(y)):
        single.partial_fit(X[i : i + 1], y[i : i + 1], classes=range(classes))
        if i == 20:
            save(single, tmp_path / "model.novikoff")
            single = load(tmp_path / "model.novikoff")
    assert np.array_equal(whole.coef_, single.coef_)
    assert np.array_equal(whole.intercept_, single.intercept_)


@each
def test_layouts_may_change_in_a_stream(rng, learner, twin):
    X, y = drawn(rng, 60, 3)
    one, other = learner(keep="average"), learner(keep="average")
    for part in range(0, 60, 10):
        rows = slice(part, part + 10)
        one.partial_fit(X[rows], y[rows], classes=range(3))
        other.partial_fit(sparse.csr_array(X[rows]) if part % 20 else X[rows], y[rows], classes=range(3))
    assert np.allclose(one.coef_, other.coef_, rtol=1e-9)


@each
def test_classes_may_come_later(rng, learner, twin):
    X, y = drawn(rng, 60, 3)
    clf = learner(keep="last", multiclass="ovr")
    for label in (0, 1, 2):
        clf.partial_fit(X[y <= label], y[y <= label], extend_classes=True)
    assert clf.coef_.shape == (3, 4)
    assert np.isfinite(clf.coef_).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_scales_of_columns_do_not_matter_to_adagrad(rng, classes):
    X, y = drawn(rng, 80, classes)
    factors = 2.0 ** rng.integers(-40, 41, 4)
    one = AdaGradClassifier().partial_fit(X, y, classes=range(classes))
    other = AdaGradClassifier().partial_fit(X * factors, y, classes=range(classes))
    assert np.allclose(one.coef_, other.coef_ * factors, rtol=1e-12)


def test_adagrad_learns_numbers(rng):
    X = rng.normal(size=(300, 3)) * [1, 1000, 0.01]
    d = X @ [1.0, 0.002, 50.0] + 3
    line = AdaGradRegressor(random_state=0, max_iter=30, min_progress=None).fit(X, d)
    assert line.score(X, d) > 0.9


def test_the_second_order_perceptron_keeps_its_bound(rng):
    """g m <= D_g + sqrt((a + sum_j u_j^2 S_j) sum_j ln(1 + S_j / a)), for any u of length 1 and any g > 0."""
    X, y = drawn(rng, 100)
    plain = SecondOrder(1, 4)
    wrong = np.zeros(len(X), bool)
    for i, (x, target) in enumerate(zip(X, y, strict=True)):
        before = plain.mistakes
        plain.learn(x, target)
        wrong[i] = plain.mistakes > before
    rows = np.column_stack([X, np.ones(len(X))])[wrong]
    signs, squares = np.where(y[wrong] == 1, 1.0, -1.0), (rows**2).sum(axis=0)
    clf = SecondOrderPerceptron().partial_fit(X, y, classes=[0, 1])
    assert clf.n_mistakes_ == wrong.sum()
    for _ in range(200):
        u = rng.normal(size=5) / np.array([1, 0.5, 30, 0.01, 1]) ** rng.integers(0, 2)
        u /= np.linalg.norm(u)
        g = 10 ** rng.uniform(-3, 3)
        hinge = np.maximum(0, g - signs * (rows @ u)).sum()
        bound = hinge + np.sqrt((1 + (u**2 * squares).sum()) * np.log1p(squares).sum())
        assert g * clf.n_mistakes_ <= bound * (1 + 1e-12)


def test_adagrad_has_probabilities_of_its_loss_only(rng):
    X, y = drawn(rng, 60, 3)
    told = AdaGradClassifier().partial_fit(X, y, classes=range(3)).predict_proba(X)
    assert np.allclose(told.sum(axis=1), 1)
    assert not hasattr(AdaGradClassifier(loss="hinge"), "predict_proba")


@pytest.mark.parametrize("number", [1e200, 1e-200])
def test_numbers_out_of_range_are_told(rng, number):
    X, y = drawn(rng, 10)
    X[7, 1] = number
    with pytest.raises(OverflowError, match="row 7"):
        AdaGradClassifier().partial_fit(X, y, classes=[0, 1])
