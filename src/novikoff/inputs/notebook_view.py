"""A result in a notebook: its sections as HTML that takes colours and fonts from the page around it."""

from __future__ import annotations

from collections.abc import Sequence

from .html_sections import section_parts, text_of
from .inline_picture import Picture
from .readable import some
from .sections import TERMINAL, Section

STYLE = """
.novikoff { font-size: 0.95em; line-height: 1.45; max-width: 56rem; overflow-wrap: anywhere; }
.novikoff details { margin: 0 0 0.5em; } .novikoff summary { font-weight: 600; cursor: pointer; }
.novikoff summary span { font-weight: 400; opacity: 0.7; }
.novikoff p { margin: 0.2em 0 0.2em 1em; } .novikoff .wide { overflow-x: auto; margin: 0.4em 0 0.4em 1em; }
.novikoff table { border-collapse: collapse; margin: 0; font-variant-numeric: tabular-nums; }
.novikoff .wide table th, .novikoff .wide table td { padding: 0.1em 1em 0.1em 0; text-align: left; vertical-align: top; border: 0;
  color: inherit; background: none; }
.novikoff .wide table th { border-bottom: 1px solid currentColor; font-weight: 600; white-space: nowrap; }
.novikoff .wide table .r { text-align: right; white-space: nowrap; } .novikoff .note { opacity: 0.7; }
.novikoff pre { margin: 0.3em 0 0.3em 1em; padding: 0; background: none; color: inherit;
  font-family: monospace; }
.novikoff figure { margin: 0.5em 0 0.5em 1em; }
.novikoff img { box-sizing: border-box; width: 100%; max-width: 36rem; height: auto; padding: 0.5rem; background: #fff;
  border-radius: 4px; }
"""


def notebook_view(sections: Sequence[Section], drawn: Picture | None = None) -> str:
    """The sections, those that are too much for a terminal left out, and of all but the first long ones folded; ``drawn`` is the
    picture of the first."""
    first, *others = [section for section in sections if not section.page_only]
    parts = [_section(first, drawn, folded=False), *(_section(other, None, _is_long(other)) for other in others)]
    return f'<div class="novikoff"><style>{STYLE}</style>\n' + "\n".join(parts) + "\n</div>"


def _is_long(section: Section) -> bool:
    """Whether its tables are longer than one of a terminal."""
    return _lines(section) > TERMINAL.rows


def _lines(section: Section) -> int:
    return sum(len(table.rows) for table in section.tables)


def _section(section: Section, drawn: Picture | None, folded: bool) -> str:
    """Where it is folded, the summary says how many lines are inside."""
    inside, opened = ("", ' open=""') if not folded else (f"<span> ({some(_lines(section), 'line')} inside)</span>", "")
    body = "\n".join(section_parts(section, drawn))
    return f"<details{opened}><summary>{text_of(section.title)}{inside}</summary>\n{body}\n</details>"
