"""The program: its commands, and how it begins."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated, Any

import typer

from .. import __version__
from .command_options import with_groups
from .errors import CleanGroup, guarded
from .process import open_streams, start_sooner

COMMANDS = (
    "fit",
    "learn",
    "check",
    "predict",
    "score",
    "compare",
    "weights",
    "export",
    "lab",
    "warm_up",
)  # in the order of help


def _version(asked: bool) -> None:
    if asked:
        print(f"novikoff {__version__}")
        raise typer.Exit


def novikoff(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Linear classification with proof."""


def program(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The program with these commands.  A command that runs needs no other, so the others are not imported then."""
    app = typer.Typer(
        name="novikoff",
        cls=CleanGroup,
        help="Linear classification with proof: train, test and export linear classifiers from data files, and prove whether "
        "classes are linearly separable.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(novikoff)
    for name in names:
        app.command()(with_groups(guarded(getattr(import_module(f".commands.{name}", __package__), name))))
    return app


def _terminated(number: int, frame: Any) -> None:
    sys.exit(128 + number)  # as an exception, so that temporary files go


def main() -> None:
    """The program."""
    open_streams()
    start_sooner()
    signal.signal(signal.SIGTERM, _terminated)
    asked = [name for name in COMMANDS if sys.argv[1:2] == [name.replace("_", "-")]]
    program(asked or COMMANDS)()
