"""Linear classifiers that prove their answers."""

from typing import TYPE_CHECKING, Any

from .estimators.learners import LEARNERS
from .system.backends import BACKENDS

if TYPE_CHECKING:
    from . import course, distributed, plots, theory
    from .estimators.features import RadialBasis
    from .estimators.kernel_svm import KernelSVM
    from .estimators.learners import *  # noqa: F403
    from .estimators.linear_svm import LinearSVM
    from .estimators.online import online
    from .estimators.separation import SeparationError
    from .models.export.exporting import export
    from .models.files.saving import load, save
    from .proof.answer.fewest import fewest_errors
    from .proof.answer.separable import separability
    from .proof.check.quick import CertificateError, check_certificate
    from .rows.encoding.encoder import TableEncoder
    from .studies.curves import passes_curve
    from .studies.kkt import svm_kkt
    from .studies.model_formula import separability_from_formula
    from .studies.regularization_path import logistic_path, svm_path
    from .studies.separation_of_fits import explain_separation
    from .studies.svm_steps import svm_trace
    from .studies.traces import load_trace
    from .studies.tracing import trace
    from .system.backends import Backend
    from .tables.check_table import check_table
    from .tables.compare_tables import compare_tables
    from .tables.fit_table import fit_table
    from .tables.model_weights import model_weights
    from .tables.predict_table import predict_table
    from .tables.score_table import score_table
    from .tables.warming import warm_up

__version__ = "0.1.0"
__all__ = [
    "CertificateError",
    "KernelSVM",
    "LinearSVM",
    "RadialBasis",
    "SeparationError",
    "TableEncoder",
    "check_certificate",
    "check_table",
    "compare_tables",
    "course",
    "distributed",
    "explain_separation",
    "export",
    "fewest_errors",
    "fit_table",
    "load",
    "load_trace",
    "logistic_path",
    "model_weights",
    "online",
    "passes_curve",
    "plots",
    "predict_table",
    "save",
    "score_table",
    "separability",
    "separability_from_formula",
    "svm_kkt",
    "svm_path",
    "svm_trace",
    "theory",
    "trace",
    "warm_up",
]
__all__ += [row.name for row in LEARNERS]

_HOMES = {  # imported when first asked for
    **{row.name: f"estimators.{row.module}" for row in LEARNERS},
    "CertificateError": "proof.check.quick",
    "KernelSVM": "estimators.kernel_svm",
    "LinearSVM": "estimators.linear_svm",
    "RadialBasis": "estimators.features",
    "SeparationError": "estimators.separation",
    "TableEncoder": "rows.encoding.encoder",
    "check_certificate": "proof.check.quick",
    "check_table": "tables.check_table",
    "compare_tables": "tables.compare_tables",
    "explain_separation": "studies.separation_of_fits",
    "export": "models.export.exporting",
    "fewest_errors": "proof.answer.fewest",
    "fit_table": "tables.fit_table",
    "load": "models.files.saving",
    "load_trace": "studies.traces",
    "logistic_path": "studies.regularization_path",
    "model_weights": "tables.model_weights",
    "online": "estimators.online",
    "passes_curve": "studies.curves",
    "predict_table": "tables.predict_table",
    "save": "models.files.saving",
    "score_table": "tables.score_table",
    "separability": "proof.answer.separable",
    "separability_from_formula": "studies.model_formula",
    "svm_kkt": "studies.kkt",
    "svm_path": "studies.regularization_path",
    "svm_trace": "studies.svm_steps",
    "trace": "studies.tracing",
    "warm_up": "tables.warming",
}
_PARTS = ("course", "distributed", "plots", "theory")  # modules, likewise


def __getattr__(name: str) -> Any:
    if name not in (*_HOMES, *_PARTS):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name in _PARTS:
        return import_module(f".{name}", __name__)
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES, *_PARTS])


def _dask() -> "Backend":
    from .distributed.cluster_answers import BACKEND  # and Dask

    return BACKEND


BACKENDS["dask"] = _dask
