"""``novikoff fit``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...report.words import command
from ...system.files import all_files_named, check_outputs
from ..command_options import (
    LEARNER_NAMES,
    LEARNING,
    OUTPUT,
    AsJson,
    ColumnOptions,
    Dask,
    Files,
    LearningOptions,
    Positive,
    ReadingOptions,
    Target,
    TestOptions,
    Threshold,
    Top,
    keywords_of,
    on_same_rows,
)
from ..printing import (
    WATCHER,
    check_report,
    document_of,
    print_result,
    write_report,
)
from ..process import INTERRUPTED, begin_work, import_compiler

if TYPE_CHECKING:
    from ...tables.training import Interrupted


def fit(
    files: Files,
    reading: ReadingOptions,
    columns: ColumnOptions,
    learning: LearningOptions,
    testing: TestOptions,
    target: Target = None,
    learner: Annotated[
        str, typer.Option("--learner", help=f"The learner. {LEARNER_NAMES}.", rich_help_panel=LEARNING)
    ] = "perceptron",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to save the model.", rich_help_panel=OUTPUT)
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="A folder for a page with pictures.", rich_help_panel=OUTPUT)
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint",
            help="A file that is saved after every pass; the same command goes on from there.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    dask: Dask = None,
    top: Top = 5,
    positive: Positive = None,
    threshold: Threshold = None,
    as_json: AsJson = False,
) -> None:
    """Learn to predict a column, and say how well that works.

    Numbers are standardised, categories one-hot encoded, missing values filled in. Ids of rows and empty columns are left out,
    and rows without a label. The default learner is the perceptron. Files may be larger than memory.

    With --dask, rows stay in partitions, on workers here or on a cluster.

    Example: novikoff fit examples/penguins.csv --target species -o penguins.novikoff
    """
    check_outputs((output, checkpoint), all_files_named(files))
    if report is not None:
        check_report(report)
    options = keywords_of(reading, columns, learning, testing)
    from ...tables.fit_table import fit_table, saved_before  # when it runs: scikit-learn takes long to import

    import_compiler()
    begin_work()
    result = fit_table(
        files,
        target,
        learner,
        output=output,
        checkpoint=checkpoint,
        dask=dask,
        top=top,
        positive=positive,
        threshold=threshold,
        regions=report is not None,
        interrupted="return",
        watcher=WATCHER,
        **options,
    )
    document = document_of(result)
    if result.separability is not None and result.separability.ask is not None:
        document["separability"]["ask"] = on_same_rows("check", files, target, reading, columns, dask)
    if result.resume is not None:
        document["resume"] = _how_to_go_on(result.resume, checkpoint)
    elif report is not None:
        document.setdefault("regions", None)  # which a page asks for, and not every model has
        with saved_before(output):
            write_report(document, report)
    print_result(document, as_json)
    if result.resume is not None:
        raise typer.Exit(INTERRUPTED)


def _how_to_go_on(left: Interrupted, given: Path | None) -> dict[str, Any]:
    """What is left of an interrupted fit, and the command that goes on from there; ``given`` is the checkpoint asked for."""
    if left.checkpoint is None:
        return {"text": "The first pass was not over: nothing was saved.", "commands": []}
    more = [] if given is not None else ["--checkpoint", left.checkpoint]
    text = f"What was learned in {left.passes} whole passes is in {left.checkpoint}. To go on from there:"
    return {"text": text, "commands": [command("novikoff", *sys.argv[1:], *more)]}
