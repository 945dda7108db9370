"""Linear classifiers that prove their answers."""

from typing import TYPE_CHECKING, Any

from .estimators import Perceptron

if TYPE_CHECKING:
    from .curves import passes_curve
    from .proof import separability
    from .tracing import trace

__version__ = "0.1.0"
__all__ = ["Perceptron", "passes_curve", "separability", "trace"]

_HOMES = {"passes_curve": "curves", "separability": "proof", "trace": "tracing"}  # imported when first asked for


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
