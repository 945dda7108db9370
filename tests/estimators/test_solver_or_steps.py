"""One meaning a parameter: what asks for steps, what limits a fit, and the penalty, which is the same whoever looks for the minimum."""

from contextlib import nullcontext

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from common import stacked
from novikoff import Adaline, AdalineRegressor, LogisticNeuron, load, passes_curve, save, trace
from novikoff.distributed import fit
from novikoff.estimators.solver_or_steps import OF_STEPS
from novikoff.solvers import choose
from novikoff.solvers.lbfgs import Minimum

IRIS = load_iris(return_X_y=True)
SOLVED = {Adaline: "direct", AdalineRegressor: "direct", LogisticNeuron: "newton"}
OTHER = {
    "eta": 0.01,
    "order": "cyclic",
    "batch_size": 7,
    "keep": "average",
    "init": "ones",
    "min_progress": None,
    "intercept_scaling": 2.0,
    "early_stopping": True,
    "validation_fraction": 0.2,
    "n_iter_no_change": 3,
    "history": "full",
}
LIMITS = (
    {"max_iter": 1000},
    {"max_iter": 100},
    {"tol": 1e-4},
    {"time_limit": 600.0},
    {"warm_start": True},
    {"random_state": 3},
)
learners = pytest.mark.parametrize("learner", SOLVED)


@learners
def test_what_nobody_asks_steps_of_is_solved(learner):
    fitted = learner().fit(*IRIS)
    assert fitted.solver_ == SOLVED[learner]
    assert fitted.stop_reason_ == "solved"
    assert fitted.l2_ == (0.0 if learner is AdalineRegressor else 1.0)
    assert OTHER.keys() == set(OF_STEPS)


@learners
@pytest.mark.parametrize("choice", LIMITS, ids=str)
def test_limits_starts_and_seeds_change_no_model(learner, choice):
    fitted, plain = learner(**choice).fit(*IRIS), learner().fit(*IRIS)
    assert (fitted.solver_, fitted.l2_, fitted.stop_reason_) == (plain.solver_, plain.l2_, "solved")
    np.testing.assert_array_equal(fitted.coef_, plain.coef_)
    np.testing.assert_allclose(fitted.fit(*IRIS).coef_, plain.coef_, atol=1e-3)  # a second time, perhaps from there


@pytest.mark.parametrize("choice", [{}, {"solver": "steps"}, {"solver": "newton"}, {"solver": "lbfgs"}], ids=str)
def test_more_of_what_ended_a_fit_leads_to_the_same_model(choice):
    """Raising max_iter after "budget" changes how far a fit gets, not what it goes for."""
    with pytest.warns(ConvergenceWarning) if choice.get("solver") != "steps" else nullcontext():
        short = LogisticNeuron(**choice, max_iter=2, on_separation="ignore", random_state=0).fit(*IRIS)
    longer = clone(short).set_params(max_iter=200).fit(*IRIS)
    assert short.stop_reason_ == "budget"
    assert (short.solver_, short.l2_) == (longer.solver_, longer.l2_)
    assert longer.n_iter_ > short.n_iter_


@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_a_solver_that_is_ended_early_says_so_with_a_remedy_that_works(solver):
    with pytest.warns(
        ConvergenceWarning,
        match=rf"the solver \({solver}\) made 2 iterations, all that max_iter=2 allows.*Pass max_iter=20",
    ):
        short = LogisticNeuron(solver=solver, max_iter=2).fit(*IRIS)
    assert short.set_params(max_iter=None).fit(*IRIS).stop_reason_ == "solved"
    with pytest.warns(
        ConvergenceWarning, match=r"made 0 iterations, all that time_limit=1e-09 s allows.*Raise time_limit"
    ):
        short = LogisticNeuron(solver=solver, time_limit=1e-9).fit(*IRIS)
    assert short.stop_reason_ == "time"
    assert short.set_params(time_limit=600.0).fit(*IRIS).stop_reason_ == "solved"


@pytest.mark.parametrize("reason", ["separated", "no_minimum"])
def test_a_solver_without_a_minimum_says_so_where_nothing_is_proved(reason, monkeypatch):
    """Whether the classes are separated is then too dear to find out."""
    monkeypatch.setattr("novikoff.estimators.separation.CHEAP_NUMBERS", 0)

    def grow(problem, *_):
        return Minimum(np.ones((3, 4)), np.ones(3), reason, 20, np.inf)

    monkeypatch.setattr("novikoff.estimators.neuron.maximise", grow)
    with pytest.warns(ConvergenceWarning, match="After 20 iterations of solver='newton' the loss still falls.*penalty"):
        LogisticNeuron(l2=0).fit(*IRIS)
    LogisticNeuron(l2=0, on_separation="ignore").fit(*IRIS)


@learners
@pytest.mark.parametrize("name", OF_STEPS)
def test_a_choice_about_steps_is_a_choice_of_steps(learner, name):
    fitted = learner(**{name: OTHER[name]}, random_state=0).fit(*IRIS)
    named = learner(solver="steps", **{name: OTHER[name]}, random_state=0).fit(*IRIS)
    assert fitted.solver_ == named.solver_ == "steps"
    assert fitted.l2_ == named.l2_ == 0
    assert fitted.stop_reason_ != "solved"
    np.testing.assert_array_equal(fitted.coef_, named.coef_)


@learners
@pytest.mark.parametrize("name", OF_STEPS)
def test_a_choice_about_steps_and_another_solver_are_refused_together(learner, name):
    both = learner(solver=SOLVED[learner], **{name: OTHER[name]})
    with pytest.raises(
        ValueError, match=rf"{name}={OTHER[name]!r} applies only to steps, but solver='{SOLVED[learner]}'.*use"
    ):
        both.fit(*IRIS)
    with pytest.raises(ValueError, match="applies only to steps"):
        fit(both, [IRIS])
    assert clone(both).set_params(solver="steps").fit(*IRIS).solver_ == "steps"
    assert clone(both).set_params(**{name: getattr(learner(), name)}).fit(*IRIS).stop_reason_ == "solved"


def test_an_array_is_not_spelled_out():
    with pytest.raises(ValueError, match=r"^eta=0.5, init=\.\.\. apply only to steps, but solver='lbfgs'.*leave them"):
        LogisticNeuron(0.5, init=np.zeros((3, 4)), solver="lbfgs").fit(*IRIS)


@learners
@pytest.mark.parametrize("choice", [{}, {"solver": "steps"}, {"keep": "last"}], ids=str)
def test_what_was_used_can_be_asked_for(learner, choice):
    fitted = learner(**choice, random_state=0).fit(*IRIS)
    asked = learner(**{**choice, "solver": fitted.solver_}, random_state=0).fit(*IRIS)
    assert (asked.solver_, asked.l2_, asked.stop_reason_) == (fitted.solver_, fitted.l2_, fitted.stop_reason_)
    np.testing.assert_array_equal(asked.coef_, fitted.coef_)


def test_each_solver_can_be_asked_for_with_the_usual_penalty():
    for learner in SOLVED:
        (options,) = (each.options for each in learner._parameter_constraints["solver"])
        for solver in options - {"auto"}:
            fitted = learner(solver=solver).fit(*IRIS)
            usual = 0.0 if solver == "steps" or learner is AdalineRegressor else 1.0
            assert (fitted.solver_, fitted.l2_) == (solver, usual)


@learners
def test_a_pipeline_is_no_watcher(learner):
    """scikit-learn links the tasks of a pipeline and of its steps, also where no callback is there to be told of them."""
    scaled = StandardScaler().fit_transform(IRIS[0])
    alone = learner(random_state=0).fit(scaled, IRIS[1])
    pipeline = make_pipeline(StandardScaler(), learner(random_state=0))
    search = GridSearchCV(pipeline, {}, cv=2)
    for last in (pipeline.fit(*IRIS)[-1], search.fit(*IRIS).best_estimator_[-1]):
        assert (last.solver_, last.l2_) == (alone.solver_, alone.l2_) == (SOLVED[learner], alone.l2_)
        np.testing.assert_array_equal(last.coef_, alone.coef_)


class Heard:
    """A callback that notes what it is told."""

    def __init__(self):
        self.tasks = []

    def setup(self, estimator, context): ...
    def teardown(self, estimator, context): ...
    def on_fit_task_begin(self, estimator, context):
        self.tasks.append(f"{context.task_name} begins")

    def on_fit_task_end(self, estimator, context):
        self.tasks.append(f"{context.task_name} ends")
        return False


@learners
def test_callbacks_change_nothing_and_hear_of_one_pass(learner):
    heard = Heard()
    told = learner().set_callbacks(heard).fit(*IRIS)
    plain = learner().fit(*IRIS)
    assert (told.solver_, told.l2_) == (plain.solver_, plain.l2_)
    np.testing.assert_array_equal(told.coef_, plain.coef_)
    assert heard.tasks == ["fit begins", "pass begins", "pass ends", "fit ends"]
    bar = make_pipeline(StandardScaler(), learner()).set_callbacks(ProgressBar()).fit(*IRIS)
    assert bar[-1].solver_ == SOLVED[learner]
    parts = fit(learner().set_callbacks(Heard()), [IRIS])
    assert parts.solver_ == SOLVED[learner]


@learners
def test_steps_that_are_watched_are_made(learner):
    X, y = IRIS[0][:100], IRIS[1][:100]
    steps = trace(learner(random_state=0), X, y)
    last = learner(solver="steps", keep="last", random_state=0).fit(X, y)
    np.testing.assert_array_equal(steps[len(steps) - 1].after, stacked(last))
    assert len(passes_curve(learner(random_state=0), X, y, passes=4, cv=2).passes) == 4
    for choice in ({}, {"solver": SOLVED[learner]}):
        stream = learner(**choice)
        stream.partial_fit(X, y, **({} if learner is AdalineRegressor else {"classes": [0, 1]}))
        assert (stream.solver_, stream.l2_, stream.stop_reason_) == ("steps", 0.0, None)


@learners
def test_a_named_solver_has_the_penalty_it_is_told(learner):
    named = SOLVED[learner]
    assert learner(solver=named, l2=3.0).fit(*IRIS).l2_ == 3
    assert learner(l2=3.0).fit(*IRIS).solver_ == named
    with pytest.raises(ValueError, match=f"solver='{named}' makes no steps"):
        trace(learner(solver=named), *IRIS)
    with pytest.raises(ValueError, match=f"solver='{named}' makes no passes"):
        passes_curve(learner(solver=named), *IRIS)


def test_the_usual_penalty_is_that_of_the_peers():
    X, y = IRIS
    np.testing.assert_allclose(stacked(Adaline().fit(X, y)), stacked(RidgeClassifier(tol=1e-12).fit(X, y)), atol=1e-8)
    neuron, theirs = LogisticNeuron().fit(X, y), LogisticRegression(tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(neuron.predict_proba(X), theirs.predict_proba(X), atol=1e-3)


# Steps descend on the same sum


@pytest.mark.parametrize("l2", [0.5, 20.0])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_batch_steps_come_to_the_penalised_minimum(l2, convert, rng):
    X = rng.normal(loc=[1.0, 0, 0], size=(30, 3))
    d = X @ [1.0, -1.0, 2.0] + 3 + rng.normal(size=30)
    weight = rng.integers(0, 3, 30).astype(float)
    choice = {"batch_size": "all", "max_iter": 20_000, "tol": 1e-13, "min_progress": None, "l2": l2}
    steps, direct = AdalineRegressor(**choice), AdalineRegressor(solver="direct", l2=l2)
    for line in (steps, direct):
        line.fit(convert(X), d, weight)
    np.testing.assert_allclose(stacked(steps), stacked(direct), atol=1e-8)
    for target in (d > np.median(d), np.digitize(d, np.quantile(d, [0.3, 0.6]))):
        one, other = LogisticNeuron(**choice), LogisticNeuron(solver="newton", l2=l2, tol=1e-8)
        for neuron in (one, other):
            neuron.fit(convert(X), target, weight)
        np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=2e-4)


@pytest.mark.parametrize("batch", [1, 4, 30, 100, "all"])
@pytest.mark.parametrize("learner", SOLVED)
def test_over_a_pass_weights_decay_by_eta_l2_in_all(learner, batch):
    """Rows of zeros move nothing but the bias: what is left of the weights is decay alone."""
    batches = {1: 30, 4: 8}.get(batch, 1)
    X, y = np.zeros((30, 2)), np.arange(30) % 2
    fitted = learner(
        0.01, l2=6.0, batch_size=batch, keep="last", init=[[1.0, -2.0, 0.0]], max_iter=2, fit_intercept=False
    )
    fitted.fit(X, y)
    np.testing.assert_allclose(np.ravel(fitted.coef_), np.array([1.0, -2.0]) * (1 - 0.06 / batches) ** (2 * batches))
    assert fitted.l2_ == 6


def test_in_a_stream_the_penalty_is_shared_out_over_the_rows_so_far():
    line = AdalineRegressor(0.01, l2=6.0, keep="last", init=[[1.0, 0.0]], fit_intercept=False)
    line.partial_fit(np.zeros((10, 1)), np.zeros(10))
    np.testing.assert_allclose(line.coef_, (1 - 0.01 * 6 / 10) ** 10)
    line.partial_fit(np.zeros((20, 1)), np.zeros(20))
    np.testing.assert_allclose(line.coef_, (1 - 0.01 * 6 / 10) ** 10 * (1 - 0.01 * 6 / 30) ** 20)


def test_averaged_steps_come_close_to_the_penalised_minimum(rng):
    X = rng.normal(size=(300, 5))
    y = (X @ [1.0, -1.0, 0.5, 0.0, 0.0] + rng.logistic(size=300) > 0).astype(int)
    for learner in (Adaline, LogisticNeuron):
        solved = learner(l2=10.0).fit(X, y)
        steps = learner(0.02, l2=10.0, keep="average", order="random", max_iter=300, min_progress=None, random_state=0)
        steps.fit(X, y)
        assert np.abs(stacked(steps) - stacked(solved)).max() < 0.05


@pytest.mark.parametrize("work", ["adaline", "neuron"])
def test_solutions_that_cost_too_much_give_way_to_steps(work, monkeypatch, rng):
    """With the usual penalty, since nobody asked for steps: the answer is about the same."""
    X = rng.normal(size=(200, 4))
    y = (X @ [1.0, -1.0, 0.5, 0.0] + rng.logistic(size=200) > 0).astype(int)
    learner = Adaline if work == "adaline" else LogisticNeuron
    solved = learner().fit(X, y)
    monkeypatch.setattr(choose, "MOST_SQUARES" if work == "adaline" else "MOST_LIKELIHOOD", 1)
    steps = learner(random_state=0).fit(X, y)
    assert (steps.solver_, steps.l2_) == ("steps", 1.0)
    assert steps.stop_reason_ in ("budget", "no_progress")
    assert np.mean(steps.predict(X) == solved.predict(X)) > 0.7


@learners
def test_files_hold_what_was_used(learner, tmp_path):
    for choice in ({}, {"solver": "steps", "l2": 2.0}):
        fitted = learner(**choice, random_state=0).fit(*IRIS)
        save(fitted, tmp_path / "model")
        again = load(tmp_path / "model")
        assert (again.solver_, again.l2_) == (fitted.solver_, fitted.l2_)
        np.testing.assert_array_equal(again.predict(IRIS[0]), fitted.predict(IRIS[0]))
        assert again.get_params() == fitted.get_params()


@pytest.mark.parametrize("learner", [Adaline(solver="direct"), LogisticNeuron(solver="newton", l2=0.0)])
@pytest.mark.parametrize("where", ["here", "parts"])
@pytest.mark.parametrize("scale", [1e-170, 1e-300, 1e160])
def test_rows_out_of_range_are_refused_with_an_intercept_too(learner, where, scale, rng):
    """Zero weights would not be what solves them."""
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] + rng.logistic(size=40) > 0).astype(int)
    with pytest.raises(OverflowError, match="Scale the columns"):
        clone(learner).fit(X * scale, y) if where == "here" else fit(clone(learner), [(X * scale, y)])
