"""What the figures of a report share: their width, short names, axes of percentages.

Each ``draw_...`` makes a figure and the words that stand for it where it cannot be seen, or None if there is nothing to
draw.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

from ...inputs.readable import cut
from ..drawing import literal

WIDE = 7.2  # inches
NAME = 26  # characters of a name in a picture
Drawn = tuple[Any, str] | None


def new_figure(height: float) -> Any:
    """A figure as wide as a page, that is so many inches high."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDE, height), layout="constrained")


def short_name(text: Any) -> str:
    """A name that is short enough for a picture."""
    return literal(cut(text, NAME))


def is_finite(value: float | None) -> bool:
    """Whether this is a number that can be drawn."""
    return value is not None and isfinite(value)


def label_as_shares(axis: Any, metric: str | None) -> None:
    """Accuracies as percentages."""
    if metric == "accuracy":
        axis.set_major_formatter(lambda value, _: f"{100 * value:.6g}%")
