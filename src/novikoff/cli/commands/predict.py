"""``novikoff predict``."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from ...system.files import all_files_named, atomic_write, check_outputs
from ..command_options import OUTPUT, Dask, Files, ModelFile, ReadingOptions, Unseen, UnseenValues, keywords_of
from ..printing import WATCHER
from ..process import begin_work, import_compiler, printing


def predict(
    model: ModelFile,
    files: Files,
    reading: ReadingOptions,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where to write the answers, as CSV; default: standard output. With --dask: a new folder, with a file for each partition.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            help="A column of the file to print before the answer, such as a row's id; all: every column. Can be repeated.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    scores: Annotated[
        bool, typer.Option("--scores", help="Also print the score of every class.", rich_help_panel=OUTPUT)
    ] = False,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            help="Also print the probability of every class (logistic-neuron, ada-grad-classifier).",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    unseen: UnseenValues = Unseen.ZEROS,
    dask: Dask = None,
) -> None:
    """Predict the label of every row, as CSV.

    A missing number becomes the median of training, a missing category is one more level. --unseen says what
    happens to a row with a level that training did not have, or a missing value in a column where training had none.

    Example: novikoff predict penguins.novikoff examples/penguins.csv --keep year
    """
    if dask is not None and output is None:
        raise ValueError("--dask writes one file for each partition: name a new folder with -o.")
    if output is not None and dask is None:
        check_outputs((output,), (model, *all_files_named(files)))
    from ...tables.predict_table import predict_lines, predict_table  # scikit-learn takes long to import

    import_compiler()
    begin_work()
    asked: dict[str, Any] = {
        "keep": keep,
        "scores": scores,
        "probabilities": probabilities,
        "unseen": unseen.value,
        "watcher": WATCHER,
        **keywords_of(reading),
    }
    if dask is not None:
        predict_table(model, files, dask=dask, output=output, **asked)
        return
    lines = predict_lines(model, files, **asked)
    if output is not None:
        atomic_write(output, lines)
        return
    with tempfile.TemporaryFile() as whole:  # nothing is printed unless all rows are right
        whole.writelines(lines)
        whole.seek(0)
        with printing():
            shutil.copyfileobj(whole, sys.stdout.buffer)
