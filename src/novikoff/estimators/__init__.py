"""Thin scikit-learn classes around the loop."""

from .adaline import Adaline, AdalineRegressor
from .hinge import HingeSGD
from .kernel_perceptron import KernelPerceptron
from .kernel_svm import KernelSVM
from .linear_svm import LinearSVM
from .neuron import LogisticNeuron
from .passive_aggressive import PassiveAggressiveClassifier, PassiveAggressiveRegressor
from .perceptron import Perceptron

__all__ = [
    "Adaline",
    "AdalineRegressor",
    "HingeSGD",
    "KernelPerceptron",
    "KernelSVM",
    "LinearSVM",
    "LogisticNeuron",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "Perceptron",
]
