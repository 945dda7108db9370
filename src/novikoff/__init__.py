"""Linear classifiers that prove their answers."""

from .estimators import Perceptron

__version__ = "0.1.0"
__all__ = ["Perceptron"]
