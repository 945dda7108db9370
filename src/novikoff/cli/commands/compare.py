"""``novikoff compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...report.words import command
from ..command_options import (
    LEARNER_NAMES,
    LEARNING,
    OUTPUT,
    TESTING,
    AsJson,
    ColumnOptions,
    Dask,
    Files,
    LearningOptions,
    ReadingOptions,
    Target,
    keywords_of,
    on_same_rows,
)
from ..printing import WATCHER, check_picture, document_of, print_result, save_comparison
from ..process import begin_work, import_compiler


def compare(
    files: Files,
    reading: ReadingOptions,
    columns: ColumnOptions,
    learning: LearningOptions,
    target: Target = None,
    learner: Annotated[
        list[str] | None,
        typer.Option(
            "--learner",
            help=f"A learner to compare. Can be repeated; default: all that suit. {LEARNER_NAMES}.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    numbers: Annotated[
        bool,
        typer.Option("--numbers", help="The target is a number to predict, not a label.", rich_help_panel=LEARNING),
    ] = False,
    folds: Annotated[
        int,
        typer.Option(
            "--folds",
            min=2,
            help="Parts of the cross-validation, each with its share of every class.",
            rich_help_panel=TESTING,
        ),
    ] = 5,
    dask: Dask = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the comparison to this file.", rich_help_panel=OUTPUT)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Cross-validate all learners on the same rows, with times.

    Example: novikoff compare examples/penguins.csv --target species --plot penguins.png
    """
    if plot is not None:
        check_picture(plot, files)
    options = keywords_of(reading, columns, learning)
    from ...tables.compare_tables import compare_tables  # when it runs: scikit-learn takes long to import

    import_compiler()
    begin_work()
    task = "numbers" if numbers else "classes"
    result = compare_tables(files, target, learner, task=task, folds=folds, dask=dask, watcher=WATCHER, **options)
    document = {**document_of(result), "plot": None if plot is None else str(plot)}
    best = result.learners[0]
    if best.score is not None:
        again = on_same_rows("fit", files, target, reading, columns, dask)
        more: list[object] = [word for text in learning.set or [] for word in ("--set", text)]
        more += ["--passes", learning.passes] * (learning.passes is not None) + ["--raw"] * (not learning.standardise)
        more += ["--seed", learning.seed] * (learning.seed != 0)
        document["next"] = f"{again} {command('--learner', best.name, *more, '-o', 'MODEL')}"
    if plot is not None:
        save_comparison(document, plot)
    print_result(document, as_json)
