"""A result in a notebook: the sections of a terminal as HTML that takes colours and fonts from the page around it."""

from __future__ import annotations

from collections.abc import Sequence

from .html_page import section_parts, text_of
from .sections import Section

SHORT = 8  # rows of its tables up to which a section is open; longer ones are folded
STYLE = """
.novikoff { font-size: 0.95em; line-height: 1.45; max-width: 56rem; overflow-wrap: anywhere; }
.novikoff details { margin: 0 0 0.5em; } .novikoff summary { font-weight: 600; cursor: pointer; }
.novikoff p { margin: 0.2em 0 0.2em 1em; } .novikoff .wide { overflow-x: auto; margin: 0.4em 0 0.4em 1em; }
.novikoff table { border-collapse: collapse; margin: 0; font-variant-numeric: tabular-nums; }
.novikoff th, .novikoff td { padding: 0.1em 1em 0.1em 0; text-align: left; vertical-align: top; border: 0; }
.novikoff th { border-bottom: 1px solid currentColor; font-weight: 600; }
.novikoff .r { text-align: right; white-space: nowrap; } .novikoff .note { opacity: 0.7; }
.novikoff pre { margin: 0.3em 0 0.3em 1em; padding: 0; background: none; }
"""


def notebook_view(sections: Sequence[Section]) -> str:
    """The sections, those that are too much for a terminal left out and long ones folded."""
    parts = [_section(section) for section in sections if not section.page_only]
    return f'<div class="novikoff"><style>{STYLE}</style>\n' + "\n".join(parts) + "\n</div>"


def _section(section: Section) -> str:
    opened = "" if sum(len(table.rows) for table in section.tables) > SHORT else ' open=""'
    body = "\n".join(section_parts(section, None))
    return f"<details{opened}><summary>{text_of(section.title)}</summary>\n{body}\n</details>"
