"""Linear classifiers that prove their answers."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import plots, theory
    from .curves import passes_curve
    from .data.encoder import TableEncoder
    from .estimators import (
        Adaline,
        AdalineRegressor,
        HingeSGD,
        KernelPerceptron,
        LogisticNeuron,
        PassiveAggressiveClassifier,
        PassiveAggressiveRegressor,
        Perceptron,
    )
    from .estimators.kernel_svm import KernelSVM
    from .estimators.linear_svm import LinearSVM
    from .estimators.separation import SeparationError
    from .features import RadialBasis
    from .models.files import load, save
    from .proof import separability
    from .svm.kkt import svm_kkt
    from .svm.path import svm_path
    from .tracing import trace

__version__ = "0.1.0"
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
    "RadialBasis",
    "SeparationError",
    "TableEncoder",
    "load",
    "passes_curve",
    "plots",
    "save",
    "separability",
    "svm_kkt",
    "svm_path",
    "theory",
    "trace",
]

_HOMES = {  # imported when first asked for
    "Adaline": "estimators",
    "AdalineRegressor": "estimators",
    "HingeSGD": "estimators",
    "KernelPerceptron": "estimators",
    "KernelSVM": "estimators.kernel_svm",
    "LinearSVM": "estimators.linear_svm",
    "LogisticNeuron": "estimators",
    "PassiveAggressiveClassifier": "estimators",
    "PassiveAggressiveRegressor": "estimators",
    "Perceptron": "estimators",
    "RadialBasis": "features",
    "SeparationError": "estimators.separation",
    "TableEncoder": "data.encoder",
    "load": "models.files",
    "passes_curve": "curves",
    "save": "models.files",
    "separability": "proof",
    "svm_kkt": "svm.kkt",
    "svm_path": "svm.path",
    "trace": "tracing",
}
_PARTS = ("plots", "theory")  # modules, likewise


def __getattr__(name: str) -> Any:
    if name not in (*_HOMES, *_PARTS):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name in _PARTS:
        return import_module(f".{name}", __name__)
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES, *_PARTS])
