"""The result of a command, printed: as JSON, or as text for people."""

from __future__ import annotations

import sys
from typing import Any

from ...inputs.sections import TERMINAL, Limits, Section
from ...inputs.shell import quote_file
from ...workflow.views.terminal import show
from ...workflow.views.wording import Advice, Wording
from ..option_words import told_in_options
from ..standard_streams import printing


def _uses(file: str) -> list[str]:
    model = quote_file(file)
    return [f"novikoff predict {model} NEW.csv", f"novikoff score {model} LABELLED.csv", f"novikoff weights {model}"]


SHELL = Wording(
    prompt="$ ",
    saved=_uses,
    unsaved=Advice("The model was not saved: pass -o FILE.", []),
    interrupted=lambda left: Advice(left["text"], left["commands"]),
)


def document_of(result: Any) -> dict[str, Any]:
    """What is printed of a result, with options in place of keyword arguments."""
    found: dict[str, Any] = told_in_options({"command": result.command, **result.to_dict()})
    return found


def shell_sections(document: dict[str, Any], limits: Limits) -> list[Section]:
    """What is shown of it, with commands to go on with."""
    from ...workflow.views.all_sections import sections_of  # when it prints: help does without

    return sections_of(document, limits, SHELL)


def print_result(document: dict[str, Any], as_json: bool = False, printed: int = 0) -> int:
    """Print a result, of which so many sections are printed already; returns how many are printed now."""
    with printing():
        if as_json:
            from .as_json import dumps  # when it is asked for: it needs NumPy

            print(dumps(document, sys.stdout.encoding))
        else:
            printed = show(shell_sections(document, TERMINAL), printed=printed, prompt=SHELL.prompt)
    return printed
