"""The pictures of a report, each with the text that stands for it where it cannot be seen; and the picture of a comparison, as a
file."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from ..inputs.inline_picture import Picture, as_uri, settings
from .figures.answer_dots import draw_answers
from .figures.answer_regions import draw_regions
from .figures.comparison_dots import draw_comparison
from .figures.confusion_squares import draw_confusion
from .figures.histograms import draw_margins, draw_residuals
from .figures.learning_curve import draw_history
from .figures.score_dots import draw_scores
from .figures.weight_bars import draw_weights

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


def picture(name: str, result: dict[str, Any]) -> Picture | None:
    """One of ``PICTURES``, or None if the result has nothing to draw."""
    with settings():
        drawn = PICTURES[name](result)
        if drawn is None:
            return None
        figure, alt = drawn
        return Picture(as_uri(figure), alt)


def comparison_picture(result: dict[str, Any], kind: str) -> memoryview:
    """The result of ``compare``, drawn: what a file of this kind (png, svg, pdf) holds."""
    with settings():
        drawn = draw_comparison(result)
        if drawn is None:
            raise ValueError("No learner has a score that could be drawn.")
        file = BytesIO()
        drawn[0].savefig(file, format=kind, dpi=150, facecolor="white")
    return file.getbuffer()


def picture_format(path: str | Path) -> str:
    """The kind of picture that a file's name asks for: png if it has no ending."""
    with settings():
        from matplotlib.figure import Figure

        known = Figure().canvas.get_supported_filetypes()
    asked = Path(path).suffix[1:].lower() or "png"
    if asked not in known:
        raise ValueError(f"{path}: a picture cannot be a .{asked} file; choose one of {', '.join(sorted(known))}.")
    return asked
