"""Adaline, the neuron, hinge and passive-aggressive learners against their slow twin, whatever the choices are."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from common import JIT_OFF, SEED, as_kind, constant2, members_of, outputs_of, same_passes, stacked
from novikoff import (
    Adaline,
    AdalineRegressor,
    HingeSGD,
    LogisticNeuron,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
)
from twins import Rule, Twin

pytestmark = pytest.mark.plain_python

SEEDS = range(12 if JIT_OFF else 40)


class Case(NamedTuple):
    """A learner, what it is called with, and the rule that its twin follows."""

    learner: Any
    choice: dict
    form: str
    rule: Rule
    kinds: str = ""  # compiled, only for these: each is a compilation of some seconds


PA = PassiveAggressiveClassifier
CASES = {
    "Adaline": Case(Adaline, {}, "binary", Rule("delta"), "dense64"),
    "Adaline, ovr": Case(Adaline, {}, "ovr", Rule("delta"), "csr64"),
    "AdalineRegressor": Case(AdalineRegressor, {}, "real", Rule("delta"), "dense64 dense32"),
    "neuron": Case(LogisticNeuron, {}, "binary", Rule("cross_entropy", slope=1.7), "dense64"),
    "neuron, softmax": Case(LogisticNeuron, {}, "softmax", Rule("cross_entropy", slope=0.6), "dense64 dense32 csr64"),
    "neuron, ovr": Case(LogisticNeuron, {"multiclass": "ovr"}, "ovr", Rule("cross_entropy", slope=1.7)),
    "squared neuron": Case(LogisticNeuron, {"loss": "squared"}, "binary", Rule("squared", slope=2.5), "dense64"),
    "squared neuron, ovr": Case(LogisticNeuron, {"loss": "squared"}, "ovr", Rule("squared", slope=0.8)),
    "hinge": Case(HingeSGD, {}, "binary", Rule("hinge", lam=0.3), "dense64 dense32"),
    "hinge, inverse": Case(HingeSGD, {"eta": "inverse"}, "binary", Rule("hinge", lam=0.2), "dense64 dense32"),
    "hinge, auto": Case(HingeSGD, {"eta": "auto"}, "binary", Rule("hinge", lam=0.2), "dense64"),
    "hinge, great decay": Case(
        HingeSGD, {"eta": 0.5}, "binary", Rule("hinge", lam=1.95), "dense64"
    ),  # the scale is 1e-6 soon
    "hinge, worst": Case(HingeSGD, {"eta": "inverse"}, "worst", Rule("hinge", lam=0.1), "dense64 csr64"),
    "hinge, ovr": Case(HingeSGD, {"multiclass": "ovr"}, "ovr", Rule("hinge", lam=0.3)),
    "PA": Case(PA, {}, "binary", Rule("pa", variant="PA"), "dense64"),
    "PA-I": Case(PA, {}, "binary", Rule("pa", variant="PA-I", C=0.1), "dense64 dense32"),
    "PA-II": Case(PA, {}, "binary", Rule("pa", variant="PA-II", C=0.1), "dense64"),
    "PA, worst": Case(PA, {}, "worst", Rule("pa", variant="PA"), "dense64"),
    "PA-I, worst": Case(PA, {}, "worst", Rule("pa", variant="PA-I", C=0.1), "dense64"),
    "PA-II, worst": Case(PA, {}, "worst", Rule("pa", variant="PA-II", C=0.1), "dense64"),
    "PA-I, ovr": Case(PA, {"multiclass": "ovr"}, "ovr", Rule("pa", variant="PA-I", C=0.1)),
    "PA-II, ovr": Case(PA, {"multiclass": "ovr"}, "ovr", Rule("pa", variant="PA-II", C=0.1)),
    "PA, numbers": Case(
        PassiveAggressiveRegressor, {}, "real", Rule("pa_real", variant="PA", epsilon=0.2), "dense64 csr64"
    ),
    "PA-I, numbers": Case(
        PassiveAggressiveRegressor,
        {},
        "real",
        Rule("pa_real", variant="PA-I", C=0.05, epsilon=0.2),
        "dense64 dense32 csr64",
    ),
    "PA-II, numbers": Case(PassiveAggressiveRegressor, {}, "real", Rule("pa_real", variant="PA-II", C=0.05), "dense64"),
}
KINDS = ("dense64", "dense32", "csr64")
PAIRS = [(name, kind) for name in CASES for kind in KINDS if JIT_OFF or kind in CASES[name].kinds]
DENSE = [name for name, kind in PAIRS if kind == "dense64"]
SURVEYED = "hinge", "PA-I, worst", "AdalineRegressor"  # order "worst" needs another kernel


def data_of(case, seed, n=15, d=4):
    """Rows, targets, weights (or None), first weights: all of them real numbers, so that nothing is ever just on a kink."""
    rng = np.random.default_rng(seed)
    classes = {"binary": 2, "real": 1}.get(case.form, 3 + seed % 2)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    target = rng.permutation(n) % classes if classes > 1 else 2 * rng.normal(size=n)
    weight = rng.uniform(0.1, 2.5, n) * (rng.random(n) < 0.9) if seed % 3 else None
    if weight is not None:
        weight[np.unique(target, return_index=True)[1]] += 0.5  # every class keeps a row
    first = rng.normal(size=(outputs_of(case.form, target), d + 1)) * (seed % 5 > 0)
    return X, target, weight, first


def choices_of(case, seed, surveyed):
    """Choices that do not contradict each other, so that forty seeds meet all pairs of them."""
    rng = np.random.default_rng(seed)
    keeps = {Adaline: 3, LogisticNeuron: 3, PA: 4}.get(case.learner, 2)
    batch = (1, 1, 3, "all")[seed % 4]
    orders = ["cyclic", "shuffle", "blocks", "random"] + ["worst"] * (batch == 1 and surveyed)
    orders += ["alternate"] * (case.form != "real")
    choice = {
        "batch_size": batch,
        "keep": ("last", "average", "pocket", "vote")[rng.integers(keeps)],
        "order": "cyclic" if batch == "all" else orders[rng.integers(len(orders))],
        "fit_intercept": bool(rng.random() < 0.7),
        "intercept_scaling": (1, 0.7, 2, "radius")[rng.integers(4)],
        "max_iter": int(rng.integers(1, 5)),
        "random_state": SEED,
    }
    return choice | ({"max_votes": None} if choice["keep"] == "vote" else {})


def learner_of(case, **choice):
    rule = case.rule
    own = {
        "delta": {"eta": 0.03},
        "cross_entropy": {"eta": 0.2, "slope": rule.slope},
        "squared": {"eta": 0.7, "loss": "squared", "slope": rule.slope},
        "hinge": {"eta": 0.11, "lam": rule.lam},
        "pa": {"C": rule.C, "variant": rule.variant},
        "pa_real": {"C": rule.C, "variant": rule.variant, "epsilon": rule.epsilon},
    }[rule.name]
    return case.learner(**own | case.choice | choice)


def rate_of(learner):
    """What a twin needs to know of the rate."""
    if isinstance(learner, HingeSGD) and learner.eta == "auto":  # begins with eta_ and ends as 1 / (lam t)
        return lambda t: learner.eta_ / (1 + learner.eta_ * learner.lam * (t - 1))
    return getattr(learner, "eta", 1.0)


def twin_of(case, learner, X, target, weight, first):
    mean = None
    if case.rule.name.startswith("pa"):
        mean = "weight" if learner.batch_size == "all" else "rows"
    return Twin(
        X,
        target,
        first,
        form=case.form,
        rule=case.rule,
        eta=rate_of(learner),
        mean=mean,
        c2=constant2(X, members_of(X, weight), learner.fit_intercept, learner.intercept_scaling),
        weight=weight,
        keep=learner.keep,
    )


def assert_close(learner, twin):
    size = max(np.abs(weights).max() for weights in twin.path)
    rtol = 1e-3 if learner.coef_.dtype == np.float32 else 1e-9
    np.testing.assert_allclose(stacked(learner), twin.handed_back(), rtol=0, atol=rtol * size)


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_fit_equals_twin(name, kind):
    case = CASES[name]
    for seed in SEEDS:
        X, target, weight, first = data_of(case, seed)
        choice = choices_of(case, seed, surveyed=JIT_OFF or (name in SURVEYED and kind == "dense64"))
        first[:, -1] *= choice["fit_intercept"]
        learner = learner_of(case, init=first, **choice).fit(as_kind(X, kind), target, weight)
        twin = twin_of(case, learner, X, target, weight, first)
        mistakes = same_passes(twin, learner)
        if case.form != "real":
            assert learner.history_["mistakes"].tolist() == mistakes, choice
        assert learner.coef_.dtype == (np.float32 if "32" in kind else np.float64)
        assert_close(learner, twin)


@pytest.mark.parametrize("batch", [1, 3, "all"])
@pytest.mark.parametrize("name", DENSE)
def test_stream_equals_twin_after_every_call(name, batch):
    """Chunks of any length, some rows of weight 0; a batch is cut where a chunk ends."""
    case = CASES[name]
    for keep in ("last", "average"):
        X, target, _, first = data_of(case, 1, n=30)
        weight = np.random.default_rng(2).integers(0, 4, 30) / 2
        weight[[0, 3, 11]] = 1, 0, 2  # chunks of one row
        learner = learner_of(case, keep=keep, batch_size=batch, intercept_scaling=0.7, init=first)
        twin = twin_of(case, learner, X, target, weight, first)
        known = {} if case.form == "real" else {"classes": np.unique(target)}
        for number, chunk in enumerate(np.split(np.arange(30), [1, 3, 4, 11, 12, 20])):
            kind = "csr64" if number % 2 and (JIT_OFF or "csr64" in case.kinds) else "dense64"
            learner.partial_fit(as_kind(X[chunk], kind), target[chunk], sample_weight=weight[chunk], **known)
            rows = chunk[weight[chunk] > 0]
            if rows.size:
                twin.one_pass(rows, len(rows) if batch == "all" else batch)
                assert_close(learner, twin)
        if case.form != "real":
            assert learner.n_mistakes_ == twin.mistakes


@pytest.mark.parametrize("name", DENSE)
def test_a_stream_goes_on_where_a_fit_ended(name):
    """Rates that fall, decay and averages go on, too."""
    case = CASES[name]
    X, target, weight, first = data_of(case, 1)
    choice = {"order": "cyclic", "keep": "average", "batch_size": 3, "init": first}
    gone_on = learner_of(case, **choice, max_iter=2).fit(X, target, weight)
    gone_on.partial_fit(X, target, sample_weight=weight)
    longer = learner_of(case, **choice, max_iter=3).fit(X, target, weight)
    np.testing.assert_allclose(stacked(gone_on), stacked(longer), rtol=1e-12)


@pytest.mark.parametrize("name", DENSE)
def test_a_whole_weight_is_as_many_rows_for_batch_all(name):
    case = CASES[name]
    X, target, _, first = data_of(case, 1)
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    choice = {"batch_size": "all", "max_iter": 4, "keep": "average", "init": first}
    once = learner_of(case, **choice).fit(X, target, weight)
    often = learner_of(case, **choice).fit(np.repeat(X, weight, axis=0), np.repeat(target, weight))
    np.testing.assert_allclose(stacked(once), stacked(often), rtol=1e-10)


@pytest.mark.parametrize("name", DENSE)
def test_rows_of_weight_zero_are_not_there(name):
    case = CASES[name]
    for batch in (1, 3, "all"):
        X, target, weight, first = data_of(case, 1)
        weight[5:8] = 0
        there = weight > 0
        choice = {"batch_size": batch, "max_iter": 3, "init": first, "random_state": 0}
        whole = learner_of(case, **choice).fit(X, target, weight)
        part = learner_of(case, **choice).fit(X[there], target[there], weight[there])
        np.testing.assert_array_equal(stacked(whole), stacked(part))
