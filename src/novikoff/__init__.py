"""Linear classifiers that prove their answers."""

from typing import TYPE_CHECKING, Any

from .estimators.learners import LEARNERS
from .inputs.drivers import DRIVERS

if TYPE_CHECKING:
    from . import distributed, plots, theory
    from .data.encoding.encoder import TableEncoder
    from .estimators.features import RadialBasis
    from .estimators.kernel_svm import KernelSVM
    from .estimators.learners import *  # noqa: F403
    from .estimators.linear_svm import LinearSVM
    from .estimators.separation import SeparationError
    from .inputs.drivers import Driver
    from .models.files.saving import load, save
    from .proof.answer.separable import separability
    from .proof.check.quick import CertificateError, check_certificate
    from .studies.curves import passes_curve
    from .studies.regularization_path import svm_path
    from .studies.tracing import trace
    from .svm.kkt import svm_kkt

__version__ = "0.1.0"
__all__ = [
    "CertificateError",
    "KernelSVM",
    "LinearSVM",
    "RadialBasis",
    "SeparationError",
    "TableEncoder",
    "check_certificate",
    "distributed",
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
__all__ += [row.name for row in LEARNERS]

_HOMES = {  # imported when first asked for
    **{row.name: f"estimators.{row.module}" for row in LEARNERS},
    "CertificateError": "proof.check.quick",
    "KernelSVM": "estimators.kernel_svm",
    "LinearSVM": "estimators.linear_svm",
    "RadialBasis": "estimators.features",
    "SeparationError": "estimators.separation",
    "TableEncoder": "data.encoding.encoder",
    "check_certificate": "proof.check.quick",
    "load": "models.files.saving",
    "passes_curve": "studies.curves",
    "save": "models.files.saving",
    "separability": "proof.answer.separable",
    "svm_kkt": "svm.kkt",
    "svm_path": "studies.regularization_path",
    "trace": "studies.tracing",
}
_PARTS = ("distributed", "plots", "theory")  # modules, likewise


def __getattr__(name: str) -> Any:
    if name not in (*_HOMES, *_PARTS):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name in _PARTS:
        return import_module(f".{name}", __name__)
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES, *_PARTS])


def _dask() -> "Driver":
    from .distributed.cluster_answers import DRIVER  # and Dask

    return DRIVER


DRIVERS["dask"] = _dask
