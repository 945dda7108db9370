"""The program: its commands, and how it begins."""

from __future__ import annotations

import signal
import sys
from typing import Annotated, Any

import typer

from .. import __version__
from .command_options import with_groups
from .commands import check, compare, export, fit, lab, learn, predict, score, warm_up, weights
from .errors import CleanGroup, guarded
from .process import open_streams, start_sooner

COMMANDS = (
    fit.fit,
    learn.learn,
    check.check,
    predict.predict,
    score.score,
    compare.compare,
    weights.weights,
    export.export,
    lab.lab,
    warm_up.warm_up,
)

app = typer.Typer(
    name="novikoff",
    cls=CleanGroup,
    help="Linear classification with proof: train, test and export linear classifiers from data files, and prove whether "
    "classes are linearly separable.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(asked: bool) -> None:
    if asked:
        print(f"novikoff {__version__}")
        raise typer.Exit


@app.callback()
def novikoff(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Linear classification with proof."""


for command in COMMANDS:
    app.command()(with_groups(guarded(command)))


def _terminated(number: int, frame: Any) -> None:
    sys.exit(128 + number)  # as an exception, so that temporary files go


def main() -> None:
    """The program."""
    open_streams()
    start_sooner()
    signal.signal(signal.SIGTERM, _terminated)
    app()
