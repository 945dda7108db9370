"""Pictures inside HTML: SVG in data URIs, each with the text that stands for it where it cannot be seen.

Letters stay letters in the SVG, so that browsers show names in any script with their own fonts.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any, NamedTuple

from .shell import installing

SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "novikoff", "font.size": 10, "axes.edgecolor": "#222222"}
SIZE = 6.4, 4.8  # inches


class Picture(NamedTuple):
    """A picture as a data URI, and what it shows in words."""

    uri: str
    alt: str


def as_uri(figure: Any) -> str:
    """A figure of matplotlib as a data URI."""
    file = BytesIO()
    figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return "data:image/svg+xml;base64," + b64encode(file.getvalue()).decode("ascii")


@contextmanager
def settings() -> Iterator[None]:
    """Matplotlib's, within it; no style that the user has chosen, which may be white on black."""
    try:
        from matplotlib import style
    except ImportError as error:
        raise ImportError(f"A report needs matplotlib: {installing('cli')}") from error
    with style.context(["default", SETTINGS]):
        yield


def drawn(plot: Callable[[Any], Any]) -> Picture | None:
    """What ``plot(ax)`` draws, its title as the words; None without matplotlib, and where it refuses the data (``ValueError``)."""
    try:
        with settings():
            from matplotlib.figure import Figure  # not pyplot, which would show the figure a second time

            ax = Figure(figsize=SIZE, layout="constrained").subplots()
            plot(ax)
            words = "; ".join(ax.get_title().replace(r"\$", "$").splitlines())
            return Picture(as_uri(ax.figure), words)
    except (ImportError, ValueError):
        return None
