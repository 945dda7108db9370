"""``novikoff warm-up``."""

from __future__ import annotations

from typing import Annotated

import typer

from ..command_options import LEARNER_NAMES
from ..printing import WATCHER
from ..process import begin_work, import_compiler, printing


def warm_up(
    learner: Annotated[
        list[str] | None,
        typer.Option("--learner", help=f"A learner to compile for. Can be repeated; default: all. {LEARNER_NAMES}."),
    ] = None,
) -> None:
    """Compile beforehand what fits need.

    Then no later run has to wait for it: for images, and for rooms of computers.

    Example: novikoff warm-up --learner perceptron --learner linear-svm
    """
    from ...tables.warming import warm_up  # when it runs: scikit-learn takes long to import

    import_compiler()
    begin_work()
    result = warm_up(learner, watcher=WATCHER)
    with printing():
        print(result)
