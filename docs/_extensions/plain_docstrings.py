"""Docstrings are written to be read in a terminal, where ``|x|`` is a length and ``coef_`` a name: none of that is markup.

Before numpydoc reads a docstring, what reStructuredText would take for markup outside of ````literals```` and examples is escaped,
and each line of the references stays a line.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

LITERAL = re.compile(r"(``.+?``)", re.S)
ENTRY = re.compile(r"[*\w, ]+ : ")  # a parameter and its type, which numpydoc reads
SECTION = re.compile(r"-{3,}")


def escaped(text: str) -> str:
    """The text without markup, but for literals."""
    parts = LITERAL.split(text)
    parts[::2] = [re.sub(r"[|*]|(?<=\w)_(?!\w)", r"\\\g<0>", part) for part in parts[::2]]
    return "".join(parts)


def mended(lines: list[str]) -> list[str]:
    """The lines of a docstring, ready for numpydoc."""
    found: list[str] = []
    for paragraph in "\n".join(lines).split("\n\n"):
        rows = paragraph.split("\n")
        if any(row.lstrip().startswith(">>>") for row in rows):
            found += [paragraph]
        elif rows[0] == "References" and len(rows) > 1 and SECTION.fullmatch(rows[1]):
            found += ["\n".join([*rows[:2], *(f"| {escaped(row.strip())}" for row in rows[2:])])]
        else:
            found += ["\n".join(_by_entries(rows))]
    return "\n\n".join(found).split("\n")


def _by_entries(rows: list[str]) -> list[str]:
    """Escape what stands between the lines that name parameters; a literal may run over several lines."""
    found: list[str] = []
    waiting: list[str] = []
    for row in [*rows, None]:
        if row is None or ENTRY.match(row):
            found += escaped("\n".join(waiting)).split("\n") if waiting else []
            found += [] if row is None else [row]
            waiting = []
        else:
            waiting.append(row)
    return found


def process(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Mend a docstring in place."""
    lines[:] = mended(lines)


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to autodoc, before numpydoc does."""
    app.connect("autodoc-process-docstring", process, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
