"""Who is compared with whom: defaults on both sides, but for what a pair's name says."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn import linear_model
from sklearn.svm import SVC, LinearSVC

import novikoff

NEARLY_NONE = 1e-6  # a ridge that only keeps the equations solvable
PLAIN = "-plain"  # ends the name of a pair whose peer has no penalty


class Pair(NamedTuple):
    """A learner and its peer."""

    name: str
    peer_text: str
    ours: Callable[[], Any]
    peer: Callable[[], Any]


def retired_passive_aggressive() -> Any:
    """Their passive-aggressive classifier, which announces its end in every fit."""
    warnings.filterwarnings("ignore", category=FutureWarning, module="sklearn")
    return linear_model.PassiveAggressiveClassifier()


PAIRS = (
    Pair("Perceptron", "Perceptron()", novikoff.Perceptron, linear_model.Perceptron),
    Pair("Adaline", "RidgeClassifier()", novikoff.Adaline, linear_model.RidgeClassifier),
    Pair(
        "Adaline" + PLAIN,
        f"RidgeClassifier(alpha={NEARLY_NONE:g})",
        novikoff.Adaline,
        partial(linear_model.RidgeClassifier, alpha=NEARLY_NONE),
    ),
    Pair("LogisticNeuron", "LogisticRegression()", novikoff.LogisticNeuron, linear_model.LogisticRegression),
    Pair(
        "LogisticNeuron" + PLAIN,
        "LogisticRegression(C=inf)",
        novikoff.LogisticNeuron,
        partial(linear_model.LogisticRegression, C=np.inf),
    ),
    Pair("HingeSGD", "SGDClassifier()", novikoff.HingeSGD, linear_model.SGDClassifier),
    Pair(
        "PassiveAggressiveClassifier",
        "PassiveAggressiveClassifier()",
        novikoff.PassiveAggressiveClassifier,
        retired_passive_aggressive,
    ),
    Pair("LinearSVM", "LinearSVC()", novikoff.LinearSVM, LinearSVC),
    Pair(
        "LinearSVM-hinge",
        'LinearSVC(loss="hinge")',
        partial(novikoff.LinearSVM, loss="hinge"),
        partial(LinearSVC, loss="hinge"),
    ),
    Pair("KernelSVM", "SVC()", novikoff.KernelSVM, SVC),
)


def seeded(make: Callable[[], Any], seed: int) -> Any:
    """A new estimator; the seed only makes the table repeatable, where an estimator draws anything."""
    estimator = make()
    return estimator.set_params(random_state=seed) if "random_state" in estimator.get_params() else estimator
