"""The pictures of a report, as SVG in data URIs, each with the text that stands for it where it cannot be seen.

Letters stay letters in the SVG, so that browsers show names in any script with their own fonts.
"""

from __future__ import annotations

import warnings
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from ..drawing import INK
from ..models.atomic import atomic_write
from .figures import (
    draw_answers,
    draw_comparison,
    draw_confusion,
    draw_history,
    draw_margins,
    draw_regions,
    draw_residuals,
    draw_scores,
    draw_weights,
)

SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "novikoff", "font.size": 10, "axes.edgecolor": INK}
PICTURES = {
    "history": draw_history,
    "scores": draw_scores,
    "confusion": draw_confusion,
    "weights": draw_weights,
    "margins": draw_margins,
    "regions": draw_regions,
    "residuals": draw_residuals,
    "answers": draw_answers,
    "compare": draw_comparison,
}


class Picture(NamedTuple):
    """A picture as a data URI, and what it shows in words."""

    uri: str
    alt: str


def picture(name: str, result: dict[str, Any]) -> Picture | None:
    """One of ``PICTURES``, or None if the result has nothing to draw."""
    with _settings():
        drawn = PICTURES[name](result)
        if drawn is None:
            return None
        figure, alt = drawn
        file = BytesIO()
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return Picture("data:image/svg+xml;base64," + b64encode(file.getvalue()).decode("ascii"), alt)


def save_comparison(result: dict[str, Any], path: str | Path) -> Path:
    """Draw the result of ``compare`` into a file; its ending says which kind (png, svg, pdf)."""
    with _settings():
        drawn = draw_comparison(result)
        if drawn is None:
            raise ValueError("No learner has a score that could be drawn.")
        file = BytesIO()
        drawn[0].savefig(file, format=picture_format(path), dpi=150, facecolor="white")
    atomic_write(path, [file.getbuffer()])
    return Path(path)


def picture_format(path: str | Path) -> str:
    """The kind of picture that a file's name asks for: png if it has no ending."""
    with _settings():
        from matplotlib.figure import Figure

        known = Figure().canvas.get_supported_filetypes()
    asked = Path(path).suffix[1:].lower() or "png"
    if asked not in known:
        raise ValueError(f"{path}: a picture cannot be a .{asked} file; choose one of {', '.join(sorted(known))}.")
    return asked


@contextmanager
def _settings() -> Iterator[None]:
    """Matplotlib's, and no warning of letters that its own font lacks."""
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError('A report needs matplotlib: pip install "novikoff[cli]"') from error
    with matplotlib.rc_context(SETTINGS), warnings.catch_warnings():  # type: ignore[arg-type]
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support", category=UserWarning)
        yield
