"""The pictures of a report as SVG in data URIs, each with the text that stands for it where it cannot be seen; and the
picture of a comparison, as a file.

Letters stay letters in the SVG, so that browsers show names in any script with their own fonts.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from .drawing import INK
from .figures.answer_dots import draw_answers
from .figures.answer_regions import draw_regions
from .figures.comparison_dots import draw_comparison
from .figures.confusion_squares import draw_confusion
from .figures.histograms import draw_margins, draw_residuals
from .figures.learning_curve import draw_history
from .figures.score_dots import draw_scores
from .figures.weight_bars import draw_weights

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


def comparison_picture(result: dict[str, Any], kind: str) -> memoryview:
    """The result of ``compare``, drawn: what a file of this kind (png, svg, pdf) holds."""
    with _settings():
        drawn = draw_comparison(result)
        if drawn is None:
            raise ValueError("No learner has a score that could be drawn.")
        file = BytesIO()
        drawn[0].savefig(file, format=kind, dpi=150, facecolor="white")
    return file.getbuffer()


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
    """Matplotlib's."""
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError('A report needs matplotlib: pip install "novikoff[cli]"') from error
    with matplotlib.rc_context(SETTINGS):  # type: ignore[arg-type]
        yield
