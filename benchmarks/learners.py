"""Every learner of ``novikoff.estimators.learners`` against its peer: dense, sparse and ten classes, each in two orders."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from sklearn import linear_model
from sklearn.svm import SVC

from novikoff.estimators.learners import LEARNERS, Learner

from . import data
from .fits import Maker, fits, fits_and_accuracy
from .measure import Benchmark, Limit, at_least, no_limit

AS_WRITTEN: dict[str, Any] = {
    "keep": "last",
    "min_progress": None,
}  # as many passes on both sides, and the last weights
ROUNDS = 7
DIGITS_ROUNDS = 3
DENSE = {"shuffle": at_least(2.5, 4), "blocks": at_least(4, 8)}
WITH_EXPONENTIAL = {"shuffle": at_least(2, 3), "blocks": at_least(3, 6)}
SPARSE = {"shuffle": at_least(1.3, 2), "blocks": at_least(2, 4)}
TEN_CLASSES = at_least(10, 30)


class Peer(NamedTuple):
    """What a learner is compared with, and what it is asked for."""

    short: str  # begins the names of its rows
    peer: Maker
    ours: dict[str, Any]
    dense: dict[str, Limit] = DENSE
    averaged: bool = False  # whether ten classes are learned with averaged weights, on both sides


def sgd(loss: str, **parameters: Any) -> Maker:
    """Their steps of a constant size; no penalty, unless told."""
    usual = {"penalty": None, "learning_rate": "constant", "eta0": 0.001}
    return partial(linear_model.SGDClassifier, loss=loss, tol=None, random_state=0, **usual | parameters)


def retiring(name: str) -> Maker:
    """Their passive-aggressive classes, which announce their end in every fit."""
    warnings.filterwarnings("ignore", category=FutureWarning, module="sklearn")
    return partial(getattr(linear_model, name), tol=None, random_state=0)


PEERS = {
    "Adaline": Peer("adaline", sgd("squared_error"), {"eta": 0.001}, averaged=True),
    "LogisticNeuron": Peer("neuron", sgd("log_loss", eta0=0.01), {}, WITH_EXPONENTIAL),
    "HingeSGD": Peer("hinge", sgd("hinge", penalty="l2", learning_rate="optimal"), {}, averaged=True),
    "PassiveAggressiveClassifier": Peer("pa", retiring("PassiveAggressiveClassifier"), {}),
    "ALMAClassifier": Peer("alma", sgd("perceptron"), {}),
    "AdaGradClassifier": Peer("adagrad", sgd("log_loss", eta0=0.01), {}, WITH_EXPONENTIAL),
    "AdaGradRegressor": Peer(
        "adagrad-reg",
        partial(
            linear_model.SGDRegressor, penalty=None, learning_rate="constant", eta0=0.001, tol=None, random_state=0
        ),
        {},
    ),
    "AROWClassifier": Peer("arow", sgd("hinge"), {}),
    "SecondOrderPerceptron": Peer("second-order", sgd("perceptron"), {}),
    "AdalineRegressor": Peer(
        "adaline-reg",
        partial(
            linear_model.SGDRegressor, penalty=None, learning_rate="constant", eta0=0.001, tol=None, random_state=0
        ),
        {"eta": 0.001},
    ),
    "PassiveAggressiveRegressor": Peer("pa-reg", retiring("PassiveAggressiveRegressor"), {}),
}


def learner_rows() -> Iterator[Benchmark]:
    """The rows of all learners but those that have rows of their own in the catalogue."""
    for learner in LEARNERS:
        if learner.name not in ("Perceptron", "KernelPerceptron"):
            yield from rows_of(learner, *PEERS[learner.name])


def rows_of(
    learner: Learner, short: str, peer: Maker, ours: dict[str, Any], dense: dict[str, Limit], averaged: bool
) -> Iterator[Benchmark]:
    ours = AS_WRITTEN | ours
    for order, limit in dense.items():
        make = partial(learner.make, random_state=0, order=order, **ours)
        if learner.task == "numbers":
            yield row(f"{short}-{order}", "dense, 200k x 100, numbers", order, no_limit(), data.numbers, make, peer)
            continue
        yield row(f"{short}-dense-{order}", "dense, 200k x 100", order, limit, data.dense, make, peer)
        yield row(f"{short}-csr-{order}", "CSR, 200k x 47k", order, SPARSE[order], data.csr, make, peer)
    if learner.task == "classes":
        make = partial(learner.make, random_state=0, **ours | ({"keep": "average"} if averaged else {}))
        yield Benchmark(
            f"{short}-digits",
            f"`{learner.name}`{', averaged' * averaged}, 10 classes, 60k x 784 float32 in 0..1, 2 passes",
            TEN_CLASSES,
            fits_and_accuracy(
                data.unit_digits, make, partial(peer, average=True) if averaged else peer, 2, DIGITS_ROUNDS
            ),
        )


def row(name: str, what: str, order: str, limit: Limit, source: Callable, ours: Maker, peer: Maker) -> Benchmark:
    work = f"`{ours.func.__self__.name}`, {what}, 10 passes, {order}"  # type: ignore[attr-defined]
    return Benchmark(name, work, limit, fits(source, ours, peer, 10, rounds=ROUNDS))


def kernel_rows(learner: Maker) -> tuple[Benchmark, ...]:
    """Where ``SVC`` takes long, and where it is quick."""
    return tuple(
        Benchmark(
            name,
            f"`KernelPerceptron`, RBF, 20k x 50{what}, against `SVC`, accuracy within one point",
            at_least(5, 20),
            fits_and_accuracy(source, learner, partial(SVC), None, 1, tolerance=0.01),
        )
        for name, what, source in (("kernel", "", data.curved), ("kernel-clusters", ", clusters", data.clusters))
    )
