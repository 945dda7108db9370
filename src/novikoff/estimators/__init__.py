"""Thin scikit-learn classes around the loop."""

from .perceptron import Perceptron

__all__ = ["Perceptron"]
