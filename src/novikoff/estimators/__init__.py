"""Thin scikit-learn classes around the loop."""

from .adaline import Adaline, AdalineRegressor
from .hinge import HingeSGD
from .kernel_perceptron import KernelPerceptron
from .neuron import LogisticNeuron
from .passive_aggressive import PassiveAggressiveClassifier, PassiveAggressiveRegressor
from .perceptron import Perceptron

__all__ = [
    "Adaline",
    "AdalineRegressor",
    "HingeSGD",
    "KernelPerceptron",
    "LogisticNeuron",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "Perceptron",
]
