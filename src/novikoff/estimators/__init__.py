"""Thin scikit-learn classes around the loop."""

from .kernel_perceptron import KernelPerceptron
from .perceptron import Perceptron

__all__ = ["KernelPerceptron", "Perceptron"]
