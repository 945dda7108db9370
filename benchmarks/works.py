"""Pieces of work whose times are compared between two checkouts: public names only.

The names are those of the rows of the catalogue that do such work.  Here it is short, a tenth of a second or so: fewer
passes, for machines fewer rows.  So the two sides can take many turns, and some of them are undisturbed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import novikoff

from . import data
from .data import Data
from .fits import Maker, Source, fit, stream
from .machines import ours as linear_svm
from .measure import Settings
from .proofs import apart, breast_cancer, one_turned, words

Make = Callable[[Data], Callable[[], object]]


class Work(NamedTuple):
    """Something to be done again and again with the same data."""

    name: str
    data: Source
    make: Make  # from the data to what is timed


def passes(make: Maker, count: int, repeat: int = 1) -> Make:
    return lambda rows: fit(make, *rows, count, repeat)


def proof(rows: Data) -> Callable[[], object]:
    return lambda: novikoff.separability(*rows)


def machine(estimator: Any) -> Make:
    return lambda rows: lambda: estimator.fit(*rows)


def unit_digits(settings: Settings) -> Data:
    return data.unit_digits(settings).train


def curved(settings: Settings) -> Data:
    return data.curved(settings).train


@cache
def first(count: int, source: Source) -> Source:
    """The first rows only."""
    return lambda settings: Data(*(part[:count] for part in source(settings)))


def perceptron(**parameters: Any) -> Maker:
    return partial(novikoff.Perceptron, random_state=0, **{"keep": "last"} | parameters)


def learners() -> list[Work]:
    """Each learner but the perceptron: dense rows, sparse rows, ten classes."""
    short = {
        "adaline": partial(novikoff.Adaline, eta=0.001),
        "neuron": novikoff.LogisticNeuron,
        "hinge": novikoff.HingeSGD,
        "pa": novikoff.PassiveAggressiveClassifier,
    }
    works = []
    for name, learner in short.items():
        make = partial(learner, keep="last", random_state=0)
        works += [
            Work(f"{name}-dense-shuffle", data.dense, passes(make, 2)),
            Work(f"{name}-csr-blocks", data.csr, passes(partial(make, order="blocks"), 2)),
            Work(f"{name}-digits", unit_digits, passes(make, 1)),
        ]
    regressor = partial(novikoff.PassiveAggressiveRegressor, keep="last", random_state=0)
    return [*works, Work("pa-reg-shuffle", data.numbers, passes(regressor, 2))]


WORKS = (
    Work("dense-shuffle", data.dense, passes(perceptron(), 2)),
    Work("dense-blocks", data.dense, passes(perceptron(order="blocks"), 2)),
    Work("dense-cyclic", data.dense, passes(perceptron(order="cyclic"), 2)),
    Work("dense-average", data.dense, passes(perceptron(keep="average"), 2)),
    Work("dense-batch", data.dense, passes(perceptron(batch_size=32), 2)),
    Work("csr-shuffle", data.csr, passes(perceptron(), 2)),
    Work("csr-blocks", data.csr, passes(perceptron(order="blocks"), 2)),
    Work("csr-average", data.csr, passes(perceptron(keep="average"), 2)),
    Work("digits-epoch", data.digits, passes(perceptron(), 1)),
    Work("digits-ovr", data.digits, passes(perceptron(multiclass="ovr"), 1)),
    Work("partial-fit", first(1_000, data.small), lambda rows: stream(perceptron(), *rows, every_call=True)),
    Work("iris", data.iris, passes(perceptron(), 20, repeat=30)),
    *learners(),
    Work("kernel", first(2_000, curved), machine(novikoff.KernelPerceptron(random_state=0))),
    Work("proof-1e-4", apart(100_000, 20, 1e-4), proof),
    Work("proof-turned", one_turned(100_000, 20, 1e-2), proof),
    Work("proof-words", words(20_000, 0), proof),
    Work("proof-cancer", breast_cancer, proof),
    Work("svm-dense", first(10_000, data.noisy), machine(linear_svm(1e-6))),
    Work("svm-text", first(10_000, data.text), machine(linear_svm(1e-3))),
    Work("svm-census", first(10_000, data.census), machine(linear_svm(1e-6))),
    Work("svm-kernel", first(2_000, curved), machine(novikoff.KernelSVM())),
)
