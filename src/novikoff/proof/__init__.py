"""Are classes linearly separable?  Answers with proofs, checked in exact arithmetic."""

from .report import Proof
from .separable import separability

__all__ = ["Proof", "separability"]
