"""The table of learners.  Everything that lists learners reads it: the package's public names, model files, the command
line, estimator checks, documents, benchmarks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # what type checkers take the package's public names for
    from .adagrad import AdaGradClassifier as AdaGradClassifier
    from .adagrad import AdaGradRegressor as AdaGradRegressor
    from .adaline import Adaline as Adaline
    from .adaline import AdalineRegressor as AdalineRegressor
    from .alma import ALMAClassifier as ALMAClassifier
    from .arow import AROWClassifier as AROWClassifier
    from .hinge import HingeSGD as HingeSGD
    from .kernel_perceptron import KernelPerceptron as KernelPerceptron
    from .neuron import LogisticNeuron as LogisticNeuron
    from .passive_aggressive import PassiveAggressiveClassifier as PassiveAggressiveClassifier
    from .passive_aggressive import PassiveAggressiveRegressor as PassiveAggressiveRegressor
    from .perceptron import Perceptron as Perceptron
    from .second_order import SecondOrderPerceptron as SecondOrderPerceptron


class Learner(NamedTuple):
    """One row of the table: a learner that reads rows one after the other."""

    name: str  # of the class
    module: str  # that holds it, here
    task: str  # "classes" or "numbers"
    step: str  # g of w <- w + eta g x, for one output: score a, label y = +1 or -1, number d
    source: str
    purpose: str  # when to choose it
    linear: bool = True  # in the columns of X: it has ``coef_``

    def kind(self) -> Any:
        """The class."""
        return getattr(import_module(f".{self.module}", __package__), self.name)

    def make(self, **parameters: Any) -> Any:
        """The estimator."""
        return self.kind()(**parameters)


LEARNERS = (
    Learner(
        "Perceptron",
        "perceptron",
        "classes",
        "y if y a <= 0",
        "Rosenblatt 1958",
        "separable or nearly separable classes; with averaged weights, a fast and accurate first classifier",
    ),
    Learner(
        "Adaline",
        "adaline",
        "classes",
        "y - a",
        "Widrow & Hoff 1960",
        "classes that overlap: it learns from every row, by least squares on the labels",
    ),
    Learner(
        "AdalineRegressor",
        "adaline",
        "numbers",
        "d - a",
        "Widrow & Hoff 1960",
        "regression by least squares, also on streams",
    ),
    Learner(
        "LogisticNeuron",
        "neuron",
        "classes",
        "y s phi(-y a), phi(a) = 1 / (1 + exp(-s a))",
        "Cox 1958; Rumelhart et al. 1986",
        "probabilities",
    ),
    Learner(
        "HingeSGD",
        "hinge",
        "classes",
        "y if y a < 1, and w decays",
        "Shalev-Shwartz et al. 2007",
        "a large margin on large data or streams",
    ),
    Learner(
        "PassiveAggressiveClassifier",
        "passive_aggressive",
        "classes",
        "y min(C, max(0, 1 - y a) / |x|^2)",
        "Crammer et al. 2006",
        "streams, especially of sparse rows, with no learning rate to tune",
    ),
    Learner(
        "PassiveAggressiveRegressor",
        "passive_aggressive",
        "numbers",
        "sign(d - a) min(C, max(0, |d - a| - epsilon) / |x|^2)",
        "Crammer et al. 2006",
        "regression on streams, with no learning rate to tune",
    ),
    Learner(
        "ALMAClassifier",
        "alma",
        "classes",
        "y C / (sqrt(k) |x|) if y a / |x| <= (1 - alpha) B / sqrt(k), and w shrinks to length 1",
        "Gentile 2001",
        "nearly the largest margin on separable classes, for large data or streams, with no learning rate to tune",
    ),
    Learner(
        "AdaGradClassifier",
        "adagrad",
        "classes",
        "y phi(-y a), and each feature's step is divided by s_j sqrt(G_j)",
        "Duchi et al. 2011; Ross et al. 2013",
        "streams and single passes, also of columns with different scales, with no learning rate to tune; probabilities",
    ),
    Learner(
        "AdaGradRegressor",
        "adagrad",
        "numbers",
        "d - a, and each feature's step is divided by s_j sqrt(G_j)",
        "Duchi et al. 2011; Ross et al. 2013",
        "regression on streams, also of columns with different scales",
    ),
    Learner(
        "AROWClassifier",
        "arow",
        "classes",
        "y max(0, 1 - y a) / (v + r), v = sum_j S_j x_j^2, and each feature's step is multiplied by S_j",
        "Crammer et al. 2009",
        "streams of sparse rows, where rare features matter",
    ),
    Learner(
        "SecondOrderPerceptron",
        "second_order",
        "classes",
        "y if y sum_j v_j x_j / (A_j + x_j^2) <= 0, and w_j = v_j / A_j",
        "Cesa-Bianchi et al. 2005",
        "the perceptron for features of which some are much more common than others",
    ),
    Learner(
        "KernelPerceptron",
        "kernel_perceptron",
        "classes",
        "y if y a <= 0, a = sum_i g_i k(x_i, x) + b",
        "Aizerman et al. 1964; Freund & Schapire 1999",
        "classes that no line separates, with a kernel that measures how similar two rows are",
        linear=False,
    ),
)
