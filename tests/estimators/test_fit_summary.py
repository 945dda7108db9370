"""A fit in a notebook: scikit-learn's picture of the estimator as it is, and below it why the fit stopped."""

import re

import numpy as np
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

from markup import HOSTILE, read_view, words
from novikoff import AdalineRegressor, ALMAClassifier, KernelSVM, LinearSVM, Perceptron, SecondOrderPerceptron
from novikoff.checks.sklearn_parts import BaseEstimator
from novikoff.estimators.base import refuse_for_partitions
from novikoff.estimators.learners import LEARNERS
from novikoff.learn import rules

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
AND, XOR = [0, 0, 0, 1], [0, 1, 1, 0]


def numberless(html):
    """Without the running numbers of its elements."""
    return re.sub(r"sk-(container|estimator)-id-\d+", "", html)


def summary(estimator):
    """What stands below scikit-learn's picture, which is as it is without it."""
    html = estimator._repr_html_()
    place = html.index('<div class="novikoff">')
    assert numberless(html[:place]) == numberless(estimator_html_repr(estimator))
    assert numberless(estimator._repr_mimebundle_()["text/html"]) == numberless(html)
    return words(read_view(html[place:]))


@pytest.mark.parametrize("learner", [*LEARNERS], ids=lambda row: row.name)
def test_every_learner_says_why_it_stopped(learner):
    estimator = learner.make(max_iter=20) if "max_iter" in learner.make().get_params() else learner.make()
    assert "novikoff" not in estimator._repr_html_().split("</style>")[-1]  # nothing before a fit
    text = summary(estimator.fit(X, AND))
    assert f"{learner.name} stopped" in text


@pytest.mark.parametrize("learner", [*LEARNERS], ids=lambda row: row.name)
def test_the_sentence_names_what_its_rule_is_judged_by(learner):
    estimator = learner.make()
    steps = {"solver": "steps", "max_iter": 2}
    estimator.set_params(**{name: steps[name] for name in steps.keys() & estimator.get_params().keys()})
    estimator.fit(X, AND).stop_reason_ = "no_progress"
    rule = getattr(estimator, "_rule", rules.Perceptron)()
    assert ("its loss" if rules.judged_by_loss(rule) else "its mistakes") + " stopped falling" in summary(estimator)


@pytest.mark.parametrize("learner", [ALMAClassifier, SecondOrderPerceptron])
def test_rules_whose_weights_cannot_be_mixed_refuse_partitions(learner):
    with pytest.raises(ValueError, match="cannot learn from partitions: its rule keeps a memory"):
        refuse_for_partitions(learner())


def test_rates_that_depend_on_rows_are_those_of_curvature_and_reach():
    by_rows = {row.name for row in LEARNERS if row.make()._rate_from_rows}
    assert by_rows == {"Adaline", "AdalineRegressor", "LogisticNeuron", "HingeSGD", "KernelPerceptron"}


def test_mistakes_errors_and_keep_are_those_of_the_fit():
    clf = Perceptron(order="cyclic").fit(X, AND)
    text = summary(clf)
    assert f"after {clf.n_iter_} passes: every training row was classified correctly" in text
    assert f"it made {clf.n_mistakes_} mistakes" in text
    assert "(keep: last) classify no training rows wrongly" in text


def test_a_proof_is_named():
    clf = Perceptron(random_state=0).fit(X, XOR)
    assert clf.stop_reason_ == "inseparable"
    text = summary(clf)
    assert "it was proved that no weights separate the classes" in text
    assert "not separable, the classes overlap (4 rows, 2 features, 2 classes" in text
    cycle = Perceptron(order="cyclic", min_progress=None).fit(X, XOR)
    assert "The cycle proves" in summary(cycle)


def test_machines_say_how_close_they_are():
    for machine in (LinearSVM(), KernelSVM()):
        text = summary(machine.fit(X, AND))
        assert f"within {machine.duality_gap_:.1e} of its minimum" in text
        assert f"{len(machine.support_)} support vectors" in text
        assert "passes" not in text


def test_regressors_and_streams():
    assert "AdalineRegressor stopped" in summary(AdalineRegressor().fit(X, X[:, 0]))
    assert "learning from a stream: 1 pass so far" in summary(Perceptron().partial_fit(X, AND, classes=[0, 1]))


def test_labels_cannot_become_markup():
    labels = np.array([HOSTILE, "b", "b", HOSTILE, "c"])
    clf = Perceptron(multiclass="ovr", random_state=0).fit([*X.tolist(), [3.0, 3.0]], labels)
    assert clf.stop_reason_ == "inseparable"
    assert clf.proof_.against_rest in labels
    assert "against the rest" in summary(clf)


def test_pipelines_are_drawn_by_scikit_learn():
    pipe = make_pipeline(StandardScaler(), Perceptron()).fit(X, AND)
    assert numberless(pipe._repr_html_()) == numberless(estimator_html_repr(pipe))
    assert 'class="novikoff"' not in pipe._repr_html_()


def test_text_is_shown_where_text_is_asked_for():
    clf = Perceptron().fit(X, AND)
    with config_context(display="text"):
        assert not hasattr(clf, "_repr_html_")
        assert set(clf._repr_mimebundle_()) == {"text/plain"}


def test_scikit_learn_has_what_is_built_on():
    assert callable(BaseEstimator._html_repr)
