"""Sections as HTML.  Every text goes through ``text_of``: no name or value can become markup."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import Any

from .readable import LONG, cut
from .sections import Section, Table
from .shell import clean

MOST_OPEN = 20  # rows of a table below its own picture; longer ones are folded
FOLDED = "The same as a table"


def text_of(text: Any) -> str:
    """Any text as HTML, so that the page shows it and does nothing else with it."""
    return escape(clean(text))


def policy_of(style: str, script: str = "", others: str = "img-src data:") -> str:
    """The element that has browsers refuse, on a page in one file, all but its own style and script: nothing is loaded, and no text
    that gets into the page is run."""
    allowed = [
        f"{kind}-src 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
        for kind, text in (("style", style), ("script", script))
        if text
    ]
    rules = ["default-src 'none'", *allowed, others, "base-uri 'none'", "form-action 'none'"]
    return f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(rules)}">'


def section_parts(section: Section, drawn: Any) -> list[str]:
    """What stands below the title of a section; ``drawn`` is its picture, or None."""
    parts = [f"<p>{text_of(line)}</p>" for line in section.lines]
    if drawn:
        parts.append(f'<figure><img src="{drawn.uri}" alt="{text_of(drawn.alt)}" /></figure>')
    for table in section.tables:
        if drawn and len(table.rows) > MOST_OPEN:
            parts.append(f"<details><summary>{FOLDED} ({len(table.rows)} lines)</summary>{_table(table)}</details>")
        else:
            parts.append(_table(table))
    parts += [f'<p class="note">{text_of(line)}</p>' for line in section.footnotes]
    if section.commands:
        parts.append("<pre>" + "\n".join(map(text_of, section.commands)) + "</pre>")
    return parts


def _table(table: Table) -> str:
    sides = [' class="r"' if side == "r" else "" for side in table.align]
    heads = "".join(
        f'<th scope="col"{side}>{text_of(cut(head, LONG))}</th>' for side, head in zip(sides, table.heads, strict=True)
    )
    rows = "\n".join(
        "<tr>"
        + "".join(f"<td{side}>{text_of(cut(cell, LONG))}</td>" for side, cell in zip(sides, row, strict=True))
        + "</tr>"
        for row in table.rows
    )
    return f'<div class="wide"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table></div>'
