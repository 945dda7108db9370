"""Sections as HTML.  Every text goes through ``text_of``: no name or value can become markup."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from html import escape
from io import BytesIO
from typing import Any, NamedTuple

from .sections import TERMINAL, Section, Table
from .words import LONG, clean, cut, installing, listed, some

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


SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "novikoff", "font.size": 10, "axes.edgecolor": "#222222"}
SIZE = 6.4, 4.8  # inches


class Picture(NamedTuple):
    """A picture as a data URI, and what it shows in words."""

    uri: str
    alt: str


def as_uri(figure: Any) -> str:
    """A figure of matplotlib as a data URI."""
    file = BytesIO()
    figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return "data:image/svg+xml;base64," + b64encode(file.getvalue()).decode("ascii")


@contextmanager
def settings() -> Iterator[None]:
    """Matplotlib's, within it; no style that the user has chosen, which may be white on black."""
    try:
        from matplotlib import style
    except ImportError as error:
        raise ImportError(f"A report needs matplotlib: {installing('cli')}") from error
    with style.context(["default", SETTINGS]):
        yield


def drawn(plot: Callable[[Any], Any]) -> Picture | None:
    """What ``plot(ax)`` draws, its title as the words; None without matplotlib, and where it refuses the data (``ValueError``)."""
    try:
        with settings():
            from matplotlib.figure import Figure  # not pyplot, which would show the figure a second time

            ax = Figure(figsize=SIZE, layout="constrained").subplots()
            plot(ax)
            words = "; ".join(ax.get_title().replace(r"\$", "$").splitlines())
            return Picture(as_uri(ax.figure), words)
    except (ImportError, ValueError):
        return None


NOTEBOOK_STYLE = """
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
    parts = [
        _folded_section(first, drawn, folded=False),
        *(_folded_section(other, None, _lines(other) > TERMINAL.rows) for other in others),
    ]
    return f'<div class="novikoff"><style>{NOTEBOOK_STYLE}</style>\n' + "\n".join(parts) + "\n</div>"


def _lines(section: Section) -> int:
    return sum(len(table.rows) for table in section.tables)


def _folded_section(section: Section, drawn: Picture | None, folded: bool) -> str:
    """Where it is folded, the summary says how many lines are inside."""
    inside, opened = ("", ' open=""') if not folded else (f"<span> ({some(_lines(section), 'line')} inside)</span>", "")
    body = "\n".join(section_parts(section, drawn))
    return f"<details{opened}><summary>{text_of(section.title)}{inside}</summary>\n{body}\n</details>"


Draw = Callable[
    [str, dict[str, Any]], Picture | None
]  # a picture by its name, of a document; None: there is nothing to draw
STYLE = """
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --faint: #666; --line: #ddd; --soft: #f4f4f2; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e4e0; --paper: #1a1a1a; --faint: #a0a09a; --line: #3c3c3a; --soft: #262624; }
  img { filter: invert(0.9) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
body { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 2.2rem 0 0.5rem; } p { margin: 0.3rem 0; }
.wide { overflow-x: auto; margin: 0.8rem 0; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.8rem 0.2rem 0; text-align: left; vertical-align: top; min-width: 3rem;
  max-width: 20rem; overflow-wrap: break-word; }
th { border-bottom: 1px solid var(--line); color: var(--faint); font-weight: 600; }
.r { text-align: right; white-space: nowrap; max-width: 12rem; overflow: hidden; text-overflow: ellipsis; }
.note { color: var(--faint); font-size: 0.9rem; }
figure { margin: 0.8rem 0; } img { display: block; width: 100%; max-width: 45rem; height: auto; }
pre { background: var(--soft); padding: 0.6rem 0.8rem; overflow-x: auto; border-radius: 4px; font-size: 0.85rem; }
footer { margin-top: 3rem; color: var(--faint); font-size: 0.85rem; }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } section, figure, tr { break-inside: avoid; }
  .wide, pre { overflow: visible; white-space: pre-wrap; } }
"""


def page(document: dict[str, Any], sections: Sequence[Section], picture: Draw) -> str:
    """The whole page of a result as text; ``picture`` draws what sections name."""
    head = text_of(_title(document))
    body = "\n".join(_section(section, document, picture) for section in sections)
    version = f" {text_of(document['version'])}" if document.get("version") else ""
    made = f"<footer>Made by novikoff{version}.</footer>"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"{policy_of(STYLE)}\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{head}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{head}</h1>\n{body}\n{made}\n</body>\n</html>\n"
    )


def _title(document: dict[str, Any]) -> str:
    """A result in a line."""
    subject = document.get("model") if document["command"] in ("score", "weights") else None
    files = listed(document.get("files") or [], 3)
    return " ".join(filter(None, ("novikoff", document["command"], clean(subject) if subject else "", files)))


def _section(section: Section, document: dict[str, Any], picture: Draw) -> str:
    drawn = picture(section.picture, document) if section.picture else None
    parts = [f"<h2>{text_of(section.title)}</h2>", *section_parts(section, drawn)]
    return "<section>\n" + "\n".join(parts) + "\n</section>"
