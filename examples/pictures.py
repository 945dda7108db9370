"""Saves the examples' pictures as small files."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image


def save(figure: Figure, path: Path) -> Path:
    """Write the figure as a PNG of at most 128 colours, a third of the usual size."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png")
    Image.open(buffer).convert("RGB").quantize(128).save(path, optimize=True)
    return path
