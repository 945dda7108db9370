"""``novikoff score``."""

from __future__ import annotations

from typing import Annotated

import typer

from ..command_options import AsJson, Dask, Files, ModelFile, ReadingOptions, Unseen, UnseenValues, keywords_of
from ..process import begin_work, import_compiler
from ..show.printed import WATCHER, document_of, print_result


def score(
    model: ModelFile,
    files: Files,
    reading: ReadingOptions,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="The true labels; default: as in training.")
    ] = None,
    unseen: UnseenValues = Unseen.ERROR,
    dask: Dask = None,
    as_json: AsJson = False,
) -> None:
    """Test a model on files whose labels are known. Files may be larger than memory.

    Example: novikoff score penguins.novikoff examples/penguins.csv
    """
    from ...workflow.tables.score_table import score_table  # when it runs: scikit-learn takes long to import

    import_compiler()
    begin_work()
    result = score_table(model, files, target, unseen=unseen.value, dask=dask, watcher=WATCHER, **keywords_of(reading))
    print_result(document_of(result), as_json)
