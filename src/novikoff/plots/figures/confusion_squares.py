"""Which classes were answered for which, as squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...inputs.counts import count
from ..drawing import INK
from .blank_figure import Drawn, new_figure, short_name

MOST_NUMBERS = 12  # classes whose confusion is written into the squares
MOST_NAMES = 40  # classes that are named beside them
MOST_DRAWN = 200  # classes


def draw_confusion(result: dict[str, Any]) -> Drawn:
    """Squares: the darker, the larger the share of the true class; numbers in them if they are few."""
    confusion = result.get("confusion") or {}
    labels, counts = confusion.get("labels") or [], np.asarray(confusion.get("counts") or [])
    if not counts.size or len(labels) > MOST_DRAWN:
        return None
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    side = 2.2 + 0.42 * min(len(labels), 8)
    figure = new_figure(side)
    ax = figure.subplots()
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
    if len(labels) <= MOST_NUMBERS:
        for (true, said), own in np.ndenumerate(counts):
            ink = "white" if shares[true, said] > 0.55 else INK
            ax.text(said, true, count(int(own)), ha="center", va="center", fontsize=9, color=ink)
    named = [short_name(label) for label in labels] if len(labels) <= MOST_NAMES else []
    small = 9 if len(labels) <= MOST_NUMBERS else 6
    ax.set_xticks(
        range(len(named)), named, rotation=45 if len(named) > 3 else 0, ha="right" if len(named) > 3 else "center"
    )
    ax.set_yticks(range(len(named)), named)
    ax.tick_params(length=0, labelsize=small)
    ax.set_xlabel("answer")
    ax.set_ylabel("true class")
    ax.spines[:].set_visible(False)
    wrong = int(counts.sum() - np.trace(counts))
    alt = f"Confusion of {count(len(labels))} classes: {count(wrong)} of {count(int(counts.sum()))} rows got a wrong class."
    return figure, alt
