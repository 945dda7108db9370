"""The result of a command, printed: as JSON, or as text for people."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ...workflow.views.sections import TERMINAL, Limits, Section
from ...workflow.views.terminal import show
from ..option_words import told_in_options
from ..standard_streams import printing


def print_result(
    document: dict[str, Any],
    sections: Callable[[dict[str, Any], Limits], list[Section]],
    as_json: bool = False,
    printed: int = 0,
) -> int:
    """Print a result, of which so many sections are printed already; returns how many are printed now."""
    document = told_in_options(document)
    with printing():
        if as_json:
            from .as_json import dumps  # when it is asked for: it needs NumPy

            print(dumps(document, sys.stdout.encoding))
        else:
            printed = show(sections(document, TERMINAL), printed=printed)
    return printed
