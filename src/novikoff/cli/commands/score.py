"""``novikoff score``."""

from __future__ import annotations

from typing import Annotated

import typer

from ...workflow.views.score_sections import score_sections
from ..command_options import AsJson, Files, ModelFile, ReadingOptions, Unseen, UnseenValues, reading_of
from ..interrupts import begin_work, import_compiler
from ..show.printed import print_result
from ..show.progress_bar import WATCHER


def score(
    model: ModelFile,
    files: Files,
    reading: ReadingOptions,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="The true labels; default: as in training.")
    ] = None,
    unseen: UnseenValues = Unseen.ERROR,
    as_json: AsJson = False,
) -> None:
    """Test a model on files whose labels are known. Files may be larger than memory.

    Example: novikoff score penguins.novikoff examples/penguins.csv
    """
    from ...workflow import scoring  # when it runs: scikit-learn takes long to import

    import_compiler()
    begin_work()
    result = scoring.score(model, files, reading_of(reading), target, unseen.value, WATCHER)
    print_result({"command": "score", **result.to_dict()}, score_sections, as_json)
