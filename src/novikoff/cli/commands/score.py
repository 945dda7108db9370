"""``novikoff score``."""

from __future__ import annotations

from typing import Annotated

import typer

from ..command_options import (
    AsJson,
    Dask,
    Files,
    ModelFile,
    Positive,
    ReadingOptions,
    Threshold,
    Unseen,
    UnseenValues,
    keywords_of,
)
from ..printing import WATCHER, document_of, print_result
from ..process import begin_work, import_compiler


def score(
    model: ModelFile,
    files: Files,
    reading: ReadingOptions,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="The column of the true labels; default: the target of training."),
    ] = None,
    positive: Positive = None,
    threshold: Threshold = None,
    unseen: UnseenValues = Unseen.ZEROS,
    dask: Dask = None,
    as_json: AsJson = False,
) -> None:
    """Test a model on files whose labels are known. Files may be larger than memory.

    Example: novikoff score penguins.novikoff examples/penguins.csv
    """
    from ...tables.fitted_models import unseen_note  # when it runs: scikit-learn takes long to import
    from ...tables.score_table import score_table  # when it runs: scikit-learn takes long to import

    import_compiler()
    begin_work()
    result = score_table(
        model,
        files,
        target,
        positive=positive,
        threshold=threshold,
        unseen=unseen.value,
        dask=dask,
        watcher=WATCHER,
        **keywords_of(reading),
    )
    for note in unseen_note(result.unseen) if as_json else []:
        WATCHER.tell(f"novikoff: {note}.")
    print_result(document_of(result), as_json)
