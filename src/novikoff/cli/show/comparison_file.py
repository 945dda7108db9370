"""The picture of a comparison, in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...inputs.atomic import atomic_write, check_writable, keep_apart
from ...inputs.patterns import all_files_named
from .missing_letters import no_word_of_missing_letters


def check_picture(path: Path, files: list[str]) -> None:
    """Raise an error if no picture can be written there, or it would replace one of the files."""
    from ...plots.report_pictures import picture_format  # when something is drawn: it needs NumPy and scikit-learn

    keep_apart(path, all_files_named(files))
    check_writable(path)
    picture_format(path)


def save_comparison(document: dict[str, Any], path: str | Path) -> Path:
    """Draw the result of ``compare`` into a file; its ending says which kind (png, svg, pdf)."""
    from ...plots.report_pictures import comparison_picture, picture_format  # likewise

    with no_word_of_missing_letters():
        atomic_write(path, [comparison_picture(document, picture_format(path))])
    return Path(path)
