"""Models as files that are safe to open."""

from .saving import load, read_header, save

__all__ = ["load", "read_header", "save"]
