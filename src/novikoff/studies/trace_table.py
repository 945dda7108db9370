"""A trace as a table, of text or in a notebook: one line for each step and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.base import is_classifier

from ..inputs.sections import Section, Table

if TYPE_CHECKING:
    from .traces import Trace

ALL_LINES = 40  # a table of more steps than this shows the first and the last few only
FEW_LINES = 8
ALL_COLUMNS = 8  # and weights longer than this are shown by their first and last ones


def trace_lines(trace: Trace) -> list[str]:
    """One line for each step and output, columns right-aligned; long tables without their middle."""
    first, last = _steps(trace)
    lines = [_head(trace), *first, *last]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    text = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    if last:
        text.insert(1 + len(first), "...".rjust(widths[0]))
    return text


def trace_section(trace: Trace, title: str, said: str) -> Section:
    """The same table for a notebook."""
    head, (first, last) = _head(trace), _steps(trace)
    gap = [["..."] + [""] * (len(head) - 1)] if last else []
    return Section(title, [said], [Table(head, [*first, *gap, *last], "r" * len(head))])


def _steps(trace: Trace) -> tuple[list[list[str]], list[list[str]]]:
    """The lines of all steps; of many, of the first few and of the last few."""
    steps = [range(len(trace)), range(0)]
    if len(trace) > ALL_LINES:
        steps = [range(FEW_LINES), range(len(trace) - FEW_LINES, len(trace))]
    first, last = ([line for number in part for line in _lines_of(trace, number)] for part in steps)
    return first, last


def _head(trace: Trace) -> list[str]:
    outputs, width = trace.after.shape[1:]
    what = ["row", "score"] if trace.row.ndim == 1 else ["rows", "mistakes"][: 1 + is_classifier(trace.estimator)]
    if outputs > 1:
        what.insert(1, "class")
    names = [f"alpha{i}" if trace.dual else f"w{i + 1}" for i in range(width - 1)]
    return ["update" if trace.moved.all() else "step", "pass", *what, *_shortened([*names, "b"])]


def _lines_of(trace: Trace, number: int) -> list[list[str]]:
    """The cells of one step: a line for each output, its number only in the first."""
    update = trace[number]
    outputs = len(update.after)
    lines = []
    for k, weights in enumerate(update.after):
        if trace.row.ndim == 1:
            what = [str(update.row) if k == 0 else "", f"{update.scores[k]:.4g}"]
        else:
            what = [str(len(update.row)), str(update.mistakes)] if k == 0 else ["", ""]
            what = what[: 1 + is_classifier(trace.estimator)]
        if outputs > 1:
            what.insert(1, str(trace.estimator.classes_[k]))
        place = [str(number + 1), str(update.pass_number)] if k == 0 else ["", ""]
        lines.append([*place, *what, *_shortened([f"{w:.4g}" for w in weights])])
    return lines


def _shortened(cells: list[str]) -> list[str]:
    """Without the middle, where there are too many."""
    return cells if len(cells) <= ALL_COLUMNS else [*cells[: ALL_COLUMNS - 3], "...", *cells[-2:]]
