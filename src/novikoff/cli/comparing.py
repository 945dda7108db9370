"""``novikoff compare``: all learners on the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..data.splits import Split
from ..data.splits import folds as cut_into_folds
from .by_class import advise, by_class, doubt, doubt_of_numbers
from .choices import CHOICES, Choice, choose, make, read_settings
from .compiling import stopwatch
from .loading import Rows, loaded
from .options import ColumnOptions, LearningOptions, ReadingOptions
from .testing import cross_validate, refuse_too_many, spread_over

KERNEL_ROWS = 5_000  # beyond which learners that compare rows with rows are left out unless asked for


def compare(
    files: list[str],
    target: str | None,
    task: str,
    asked: list[str] | None,
    folds: int,
    plot: Path | None,
    reading: ReadingOptions,
    columns: ColumnOptions,
    learning: LearningOptions,
) -> dict[str, Any]:
    """Everything that ``--json`` prints."""
    if plot is not None:
        from ..models.atomic import check_writable, keep_apart
        from .report_plots import picture_format

        keep_apart(plot, files)
        check_writable(plot)
        picture_format(plot)
    choices = [choose(name) for name in asked] if asked else [choice for choice in CHOICES if choice.task == task]
    if unsuited := [choice.name for choice in choices if choice.task != task]:
        raise ValueError(
            f"{', '.join(unsuited)}: not for a target that is {'a label' if task == 'classes' else 'a number'}."
        )
    settings = read_settings(learning.set)
    with stopwatch() as watch, loaded(files, target, task, reading, columns, learning.memory) as rows:
        refuse_too_many(folds, rows.store.n_rows)
        splits = cut_into_folds(rows.store, rows.schema, folds, learning.seed)
        found = [_try(rows, choice, settings, splits, learning, bool(asked)) for choice in choices]
        chance = max(rows.class_counts()) / rows.store.n_rows if task == "classes" else None
        n_rows, notes, left_out, compiling = rows.store.n_rows, rows.notes, rows.left_out, watch.compiling
    found.sort(key=lambda one: -1e9 if one["score"] is None else one["score"], reverse=True)
    metric = "accuracy" if task == "classes" else "r2"
    result = {
        "command": "compare",
        "files": files,
        "target": target,
        "rows": n_rows,
        "test": {
            "kind": "cross-validated",
            "metric": metric,
            "folds": folds,
            "spread_is": spread_over(folds, n_rows),
        },
        "learners": found,
        "chance": chance,
        "left_out": left_out,
        "compiling": compiling,
        "notes": notes,
        "warnings": _none_better(found),
        "plot": None if plot is None else str(plot),
    }
    if plot is not None:
        from .report_plots import save_comparison

        save_comparison(result, plot)
    return result


def _none_better(found: list[dict[str, Any]]) -> list[str]:
    """A warning, if no learner has learned anything."""
    tried = [line for line in found if line["score"] is not None]
    if not tried or not all(line["note"] for line in tried):
        return []
    return advise("No learner does better than to give every row the same answer.")


def _try(
    rows: Rows, choice: Choice, settings: dict[str, Any], splits: list[Split], learning: LearningOptions, asked: bool
) -> dict[str, Any]:
    """One learner's line."""
    line: dict[str, Any] = {
        "name": choice.name,
        "score": None,
        "spread": None,
        "balanced_accuracy": None,
        "seconds": None,
        "note": "",
    }
    if not choice.linear and rows.store.n_rows > KERNEL_ROWS and not asked:
        return {
            **line,
            "note": f"left out: it compares rows with rows, and there are many; ask with --learner {choice.name}",
        }
    try:
        learner = make(choice, settings, learning.passes, learning.seed)
        test, tested = cross_validate(rows, learner, splits, learning.seed, learning.standardise, choice.name)
    except (ValueError, ArithmeticError) as error:
        return {**line, "note": str(error)}
    line |= {name: test[name] for name in ("score", "spread", "seconds")}
    if rows.schema.task == "numbers":
        return {**line, "note": doubt_of_numbers(test["score"], "tested") or ""}
    balanced = by_class(tested.labels, tested.confusion)["balanced_accuracy"]
    return {**line, "balanced_accuracy": balanced, "note": doubt(tested.labels, tested.confusion, "tested") or ""}
