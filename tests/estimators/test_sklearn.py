"""scikit-learn's conventions: its own checks, and what its users combine estimators with."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.callback import ProgressBar, ScoringMonitor
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFE, SequentialFeatureSelector
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    cross_val_score,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    estimator_checks_generator,
    parametrize_with_checks,
)

from common import JIT_OFF, plain_only
from novikoff import KernelPerceptron, KernelSVM, LinearSVM, Perceptron
from novikoff.estimators.learners import LEARNERS as TABLE

X, Y = load_iris(return_X_y=True)

# Every learner of the table is enrolled in scikit-learn's checks, with the checks that cannot hold and the reason.
REPEATS = (
    "a repeated row is tested again after the first step, a row of weight 2 is not: equal for batch_size='all' only"
)
ONLINE = {
    "check_sample_weight_equivalence_on_dense_data": REPEATS,
    "check_sample_weight_equivalence_on_sparse_data": REPEATS,
}
NEARLY = "a solver stops near the minimum, not at it: the last digits depend on how its sums were added up"
OWN = {
    "Adaline": {},  # solved at once, like
    "AdalineRegressor": {},
    "LogisticNeuron": dict.fromkeys(ONLINE, NEARLY),
    "ALMAClassifier": ONLINE
    | {"check_class_weight_classifiers": "weights of length 1 are all of one step that is a thousand times as long"},
}
LEARNERS = [
    *((row.make(), OWN.get(row.name, ONLINE)) for row in TABLE),
    (Perceptron(keep="ratchet", max_iter=100), ONLINE),
    (KernelPerceptron(keep="last", budget=200, max_iter=20), ONLINE),
]
BATCH = [
    row.make(batch_size="all", min_progress=None)  # more rows are more work
    for row in TABLE
    if "batch_size" in row.make().get_params()
]


@parametrize_with_checks(
    [learner for learner, _ in LEARNERS],
    expected_failed_checks=lambda learner: next(why for known, why in LEARNERS if repr(known) == repr(learner)),
)
def test_scikit_learn_checks(estimator, check):
    if not JIT_OFF and wants_kernels_of_its_own(estimator, check):
        pytest.skip("without the compiler, below")
    check(estimator)


def wants_kernels_of_its_own(estimator, check):
    """Single precision and 64-bit indices are a compilation of some seconds for every rule.  Compiled, perceptrons
    show them here (and rules in single precision equal their twins in test_learners.py), all others without the compiler."""
    shown = isinstance(estimator, (Perceptron, KernelPerceptron))
    names = "check_estimators_dtypes", "check_estimator_sparse_array", "check_estimator_sparse_matrix"
    return not shown and (check.func.__name__ in names or check.keywords.get("X_dtype") == "float32")


def name_of(value):
    return getattr(value, "func", type(value)).__name__


@plain_only
@pytest.mark.parametrize(
    ("estimator", "check"),
    [
        pair
        for row in TABLE
        for pair in estimator_checks_generator(row.make(max_iter=20))
        if wants_kernels_of_its_own(*pair)
    ],
    ids=name_of,
)
@pytest.mark.plain_python
def test_scikit_learn_checks_without_the_compiler(estimator, check):
    check(estimator)


@pytest.mark.parametrize("learner", BATCH, ids=repr)
def test_a_weight_is_a_repetition_for_all_rows_at_once(learner):
    check_sample_weight_equivalence_on_dense_data(type(learner).__name__, learner)
    check_sample_weight_equivalence_on_sparse_data(type(learner).__name__, learner)


@pytest.mark.parametrize("keep", ["last", "average", "vote", "pocket", "run", "ratchet"])
def test_pickle_and_clone(keep):
    clf = Perceptron(keep=keep, max_iter=5, random_state=0).fit(X, Y)
    again = pickle.loads(pickle.dumps(clf))
    assert np.array_equal(again.decision_function(X), clf.decision_function(X))
    assert again.history_.keys() == clf.history_.keys()
    fresh = clone(clf)
    assert not hasattr(fresh, "coef_")
    assert not hasattr(fresh, "history_")
    assert np.array_equal(fresh.fit(X, Y).coef_, clf.coef_)


def test_partial_fit_goes_on_after_pickling():
    one, two = (Perceptron(keep="average").partial_fit(X[::2], Y[::2], classes=[0, 1, 2]) for _ in range(2))
    two = pickle.loads(pickle.dumps(two))
    for learner in (one, two):
        learner.partial_fit(X[1::2], Y[1::2])
    assert np.array_equal(one.coef_, two.coef_)
    assert one.n_mistakes_ == two.n_mistakes_


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_joblib(backend):
    clf = Perceptron(max_iter=5, random_state=0)
    alone = clone(clf).fit(X, Y).coef_
    with joblib.parallel_backend(backend, n_jobs=2):
        fits = joblib.Parallel()(joblib.delayed(clone(clf).fit)(X, Y) for _ in range(4))
    assert all(np.array_equal(fit.coef_, alone) for fit in fits)


def test_pipeline_grid_search_and_meta_estimators():
    pipe = make_pipeline(StandardScaler(), Perceptron(random_state=0, max_iter=20))
    grid = GridSearchCV(pipe, {"perceptron__keep": ["last", "average"], "perceptron__eta": [0.1, 1.0]}, cv=3).fit(X, Y)
    assert grid.best_score_ > 0.9
    averaged = Perceptron(keep="average", max_iter=20, random_state=0)
    assert cross_val_score(OneVsRestClassifier(averaged), X, Y).mean() > 0.8


@pytest.mark.parametrize(
    "frame", [pd.DataFrame, lambda values, columns: pl.DataFrame(dict(zip(columns, values.T, strict=True)))]
)
def test_data_frames_give_names(frame):
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    given = frame(X, columns=names)
    labels = np.array(["setosa", "versicolor", "virginica"])[Y]
    clf = Perceptron(keep="average", max_iter=10, random_state=0).fit(given, labels)
    assert clf.feature_names_in_.tolist() == names
    assert clf.predict(given).tolist() == clf.classes_[np.argmax(clf.decision_function(given), axis=1)].tolist()
    plain = Perceptron(keep="average", max_iter=10, random_state=0).fit(X, Y)
    assert np.array_equal(plain.coef_, clf.coef_)
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(given[[*names[1:], names[0]]])


@pytest.mark.parametrize(
    "convert",
    [
        sparse.csr_matrix,
        sparse.csr_array,
        sparse.csc_array,
        sparse.coo_array,
        np.asfortranarray,
        lambda A: np.repeat(A, 2, axis=0)[::2],
        lambda A: np.frombuffer(A.tobytes()).reshape(A.shape),  # read-only
        lambda A: A.tolist(),
    ],
)
def test_formats_agree(convert):
    clf = Perceptron(max_iter=7, random_state=0).fit(convert(X), Y)
    same = Perceptron(max_iter=7, random_state=0).fit(X, Y)
    assert np.allclose(clf.coef_, same.coef_, rtol=1e-9)
    assert clf.n_errors_ == np.count_nonzero(clf.predict(convert(X)) != Y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, bool])
def test_dtypes(dtype):
    given = (X.mean(axis=0) < X).astype(dtype) if dtype is bool else X.astype(dtype)
    clf = Perceptron(keep="average", max_iter=10).fit(given, Y)
    assert clf.coef_.dtype == clf.intercept_.dtype == (np.float32 if dtype is np.float32 else np.float64)
    assert clf.decision_function(given).dtype == clf.coef_.dtype


def test_64_bit_sparse_indices():
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    clf = Perceptron(max_iter=5, random_state=0).fit(wide, Y)
    narrow = Perceptron(max_iter=5, random_state=0).fit(sparse.csr_array(X), Y)
    assert np.array_equal(clf.coef_, narrow.coef_)


def test_progress_bar_and_scoring_monitor(capsys):
    monitor = ScoringMonitor(scoring="accuracy")
    clf = Perceptron(keep="average", max_iter=6, random_state=0).set_callbacks(monitor, ProgressBar()).fit(X, Y)
    log = [entry for entry in monitor.get_logs().data if entry["task_name"] == "pass"]
    assert len(log) == clf.n_iter_ == 6
    assert log[-1]["accuracy"] == clf.score(X, Y)
    silent = Perceptron(keep="average", max_iter=6, random_state=0).fit(X, Y)
    assert np.array_equal(silent.coef_, clf.coef_)


def test_callback_may_stop_the_fit():
    class Enough:
        def setup(self, estimator, context): ...
        def teardown(self, estimator, context): ...
        def on_fit_task_begin(self, estimator, context): ...
        def on_fit_task_end(self, estimator, context):
            return context.task_name == "pass" and context.task_id == 2

    clf = Perceptron(max_iter=50, random_state=0).set_callbacks(Enough()).fit(X, Y)
    assert (clf.stop_reason_, clf.n_iter_) == ("callback", 3)


CLASSIFIERS = [*(row.make() for row in TABLE if row.task == "classes"), LinearSVM(), KernelSVM()]
REGRESSORS = [row.make() for row in TABLE if row.task == "numbers"]
SCALED = StandardScaler().fit_transform(X)


@pytest.mark.slow
@pytest.mark.parametrize("learner", CLASSIFIERS, ids=repr)
def test_curves_of_rows_sorted_by_class_need_a_shuffle(learner):
    """The first rows of iris have one class only: scikit-learn's linear learners refuse them, too."""
    for either, said in ((learner, "shuffle them before they are split"), (SVC(), "greater than one")):
        with pytest.warns(FitFailedWarning, match=said):
            _, _, scores = learning_curve(either, SCALED, Y)
        assert np.isnan(scores).any(axis=1).tolist() == [True, True, False, False, False]
    assert np.isfinite(learning_curve(learner, SCALED, Y, shuffle=True, random_state=0)[2]).all()


def curves_and_searches(learner, y):
    """What needs nothing but ``fit`` and ``score``."""
    name, values = ("C", [0.1, 1.0]) if "C" in learner.get_params() else ("max_iter", [2, 5])
    yield validation_curve(learner, SCALED, y, param_name=name, param_range=values)
    yield permutation_test_score(learner, SCALED, y, n_permutations=2, random_state=0)[:2]
    yield HalvingGridSearchCV(learner, {name: values}, random_state=0).fit(SCALED, y).score(SCALED, y)
    yield SequentialFeatureSelector(learner, n_features_to_select=2, cv=2).fit_transform(SCALED, y)
    yield cross_val_score(make_pipeline(StandardScaler().set_output(transform="pandas"), learner), X, y)
    if hasattr(learner, "partial_fit"):
        yield learning_curve(
            learner, SCALED, y, exploit_incremental_learning=True, shuffle=True, random_state=0, train_sizes=[0.5, 1.0]
        )[1:]
    if hasattr(clone(learner).fit(SCALED, y), "coef_"):
        yield RFE(learner, n_features_to_select=2).fit(SCALED, y).score(SCALED, y)


def ensembles(learner):
    """Several learners of classes in one."""
    yield CalibratedClassifierCV(learner, cv=2).fit(SCALED, Y).predict_proba(SCALED)
    for kind in (OneVsRestClassifier, OneVsOneClassifier):
        yield kind(learner).fit(SCALED, Y).score(SCALED, Y)
    yield BaggingClassifier(learner, n_estimators=2, random_state=0).fit(SCALED, Y).score(SCALED, Y)
    yield VotingClassifier([("one", learner), ("other", learner)]).fit(SCALED, Y).score(SCALED, Y)
    some = np.where(np.arange(len(Y)) % 3, Y, -1)
    yield SelfTrainingClassifier(CalibratedClassifierCV(learner, cv=2)).fit(SCALED, some).score(SCALED, Y)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [*CLASSIFIERS, *REGRESSORS], ids=repr)
def test_tools_of_scikit_learn(learner):
    y = Y if learner in CLASSIFIERS else SCALED @ [1.0, 2.0, 0.0, -1.0]
    for answer in [*curves_and_searches(learner, y), *(ensembles(learner) if learner in CLASSIFIERS else ())]:
        assert all(np.isfinite(part).all() for part in (answer if isinstance(answer, tuple | list) else [answer]))


def test_metadata_routing_of_sample_weight():
    weight = np.where(Y == 0, 0.0, 1.0)
    clf = Perceptron(max_iter=5, random_state=0).fit(X, Y, sample_weight=weight)
    removed = Perceptron(max_iter=5, random_state=0).fit(X[Y > 0], Y[Y > 0])
    assert np.array_equal(clf.coef_, removed.coef_)
    with config_context(enable_metadata_routing=True):
        asking = Perceptron(max_iter=5, random_state=0).set_fit_request(sample_weight=True)
        routed = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asking)
        routed.fit(X, Y, sample_weight=weight)
    assert routed[-1].classes_.tolist() == [1, 2]
