"""The picture: accuracy against time, one point a cell, one panel a pair."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .measure import COLUMNS, Trial
from .pairs import PAIRS
from .verdicts import POINTS, SLOW, Cell, cells_of

ACROSS = 5
COLOURS = dict(zip(COLUMNS, ("#0072B2", "#E69F00"), strict=True))
WORSE = "#D55E00"
GREY = "#999999"


def draw(path: Path, trials: Sequence[Trial]) -> None:
    """Write the picture as the file type that the path names."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    cells = cells_of(trials)
    pairs = [pair for pair in PAIRS if any(place[0] == pair.name for place in cells)]
    across = min(ACROSS, len(pairs))
    down = -(-len(pairs) // across)
    with rc_context({"font.size": 9}):
        figure = Figure(figsize=(3.3 * across, 3.3 * down + 0.6), layout="constrained")
        axes = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
        for ax, pair in zip(axes.flat, pairs, strict=False):
            ax.set_title(f"{pair.name}\nagainst {pair.peer_text}", fontsize=9)
            frame(ax)
            for place, cell in cells.items():
                if place[0] == pair.name:
                    point(ax, place, cell)
        for ax in axes.flat[len(pairs) :]:
            ax.set_visible(False)
        figure.supxlabel("their time / ours (right: ours is faster)")
        figure.supylabel("our accuracy less theirs, points (up: ours is better)")
        figure.legend(handles=legend(), loc="outside upper center", ncols=5, frameon=False)
        figure.savefig(path, dpi=130)


def frame(ax: Any) -> None:
    """Logarithms both ways, points below 1 in full; the worse side of each verdict is shaded."""
    ax.set_xscale("log")
    ax.set_yscale("symlog", linthresh=1.0)
    ax.yaxis.set_major_formatter("{x:+g}")
    ax.axhline(0, color=GREY, linewidth=0.8)
    ax.axvline(1, color=GREY, linewidth=0.8)
    ax.axhspan(-100, -100 * POINTS, color=WORSE, alpha=0.06, linewidth=0)
    ax.axvspan(1e-4, SLOW, color=WORSE, alpha=0.06, linewidth=0)
    ax.set_xlim(1 / 300, 300)
    ax.set_ylim(-60, 60)
    ax.spines[["top", "right"]].set_visible(False)


def point(ax: Any, place: tuple[str, str, str], cell: Cell) -> None:
    if not cell.counts:
        face, edge = "none", GREY
    else:
        face, edge = COLOURS[place[2]], WORSE if cell.lower() or cell.slow else "none"
    ax.scatter(cell.ratio, 100 * cell.difference[0], s=26, c=face, edgecolors=edge, linewidths=1.2, alpha=0.85)


def legend() -> list[Any]:
    from matplotlib.lines import Line2D

    def handle(text: str, face: str, edge: str) -> Line2D:
        return Line2D([], [], marker="o", linestyle="", label=text, markerfacecolor=face, markeredgecolor=edge)

    return [
        *(handle(columns, colour, "none") for columns, colour in COLOURS.items()),
        handle("lower or slow", "white", WORSE),
        handle("peer not converged", "none", GREY),
    ]
