"""The table of learners.  Estimator checks, documents, benchmarks and the command line read it."""

from __future__ import annotations

from typing import Any, NamedTuple


class Learner(NamedTuple):
    """One row: a learner that goes through rows and takes part in everything that is said of learners."""

    name: str  # of the class, to be imported from ``novikoff``
    task: str  # "classes" or "numbers"
    step: str  # g of w <- w + eta g x, for one output: score a, label y = +1 or -1, number d
    source: str
    purpose: str  # when to choose it
    linear: bool = True  # in the columns of X: it has ``coef_``

    def make(self, **parameters: Any) -> Any:
        """The estimator."""
        import novikoff

        return getattr(novikoff, self.name)(**parameters)


LEARNERS = (
    Learner(
        "Perceptron",
        "classes",
        "y if y a <= 0",
        "Rosenblatt 1958",
        "separable or nearly separable classes; averaged, a strong and cheap first classifier",
    ),
    Learner(
        "Adaline",
        "classes",
        "y - a",
        "Widrow & Hoff 1960",
        "learning from every row when classes overlap; least squares on labels",
    ),
    Learner(
        "AdalineRegressor",
        "numbers",
        "d - a",
        "Widrow & Hoff 1960",
        "following a stream of numbers; least squares",
    ),
    Learner(
        "LogisticNeuron",
        "classes",
        "y s phi(-y a), phi(a) = 1 / (1 + exp(-s a))",
        "Cox 1958; Rumelhart et al. 1986",
        "probabilities",
    ),
    Learner(
        "HingeSGD",
        "classes",
        "y if y a < 1, and w decays",
        "Shalev-Shwartz et al. 2007",
        "a large margin on large data or streams",
    ),
    Learner(
        "PassiveAggressiveClassifier",
        "classes",
        "y min(C, max(0, 1 - y a) / |x|^2)",
        "Crammer et al. 2006",
        "streams, above all of sparse rows, with no rate to tune",
    ),
    Learner(
        "PassiveAggressiveRegressor",
        "numbers",
        "sign(d - a) min(C, max(0, |d - a| - epsilon) / |x|^2)",
        "Crammer et al. 2006",
        "streams of numbers, with no rate to tune",
    ),
    Learner(
        "KernelPerceptron",
        "classes",
        "y if y a <= 0, a = sum_i g_i k(x_i, x) + b",
        "Aizerman et al. 1964; Freund & Schapire 1999",
        "classes that no line separates, when a kernel says which rows are alike",
        linear=False,
    ),
)
