"""Models as programs in other languages."""

from .exporting import export

__all__ = ["export"]
