"""Cells as Markdown: one table a pair, and one of all pairs."""

from __future__ import annotations

from collections.abc import Sequence

from ..measure import show_time
from ..table import markdown
from .measure import FOLDS, REPETITIONS, Trial
from .pairs import PAIRS, Pair
from .verdicts import Cell, cells_of, difference, plain_twin, summary, verdict

HEAD = ("Set", "Columns", "Rows", "Features", "Classes", "Ours", "Peer", "Points", "Ours", "Peer", "Ratio", "Verdict")
SUMMARY_HEAD = ("Learner", "Peer", "Cells", "Points, mean", "Ratio, geometric mean", "Lower", "of these by the penalty")
SUMMARY_HEAD += ("Slow", "Not counted")


def tables(trials: Sequence[Trial]) -> str:
    """The tables of all pairs that were measured, and their summary."""
    cells = cells_of(trials)
    parts, summaries = [], []
    for pair in PAIRS:
        said = {
            place: (cell, verdict(cell, cells.get(plain_twin(place))))
            for place, cell in cells.items()
            if place[0] == pair.name
        }
        if said:
            rows = [row(place, cell, text) for place, (cell, text) in said.items()]
            parts.append(f"### {pair.name} against {pair.peer_text}\n\n{markdown(HEAD, rows)}\n")
            summaries.append(summary_row(pair, list(said.values())))
    return "\n".join([*parts, "### Summary\n", markdown(SUMMARY_HEAD, summaries)])


def row(place: tuple[str, str, str], cell: Cell, text: str) -> tuple[str, ...]:
    sides = ("ours", "peer")
    return (
        *place[1:],
        *map(str, cell.trials[0].shape),
        *(f"{cell.accuracy(side):.2%}" for side in sides),
        "; ".join(points(trial) for trial in cell.trials),
        *(show_time(cell.seconds(side)) for side in sides),
        f"{cell.ratio:.2f}x",
        text,
    )


def points(trial: Trial) -> str:
    """The difference of a trial in points, with its standard error; the number of folds, where patience ended early."""
    mean, error = difference([trial])
    count = len(trial.accuracy["ours"])
    few = f" ({count} folds)" if count < FOLDS * REPETITIONS else ""
    return f"{round(100 * mean, 2) + 0.0:+.2f} ± {100 * error:.2f}{few}"


def summary_row(pair: Pair, cells: list[tuple[Cell, str]]) -> tuple[str, ...]:
    found = summary(cells)
    return (
        pair.name,
        f"`{pair.peer_text}`",
        str(found.counted),
        f"{100 * found.difference:+.2f}",
        f"{found.ratio:.2f}x",
        str(found.lower),
        str(found.penalty),
        str(found.slow),
        str(found.not_counted),
    )
