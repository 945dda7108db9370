"""A result as a page: one HTML file that needs nothing else, for screens light and dark, large and small, and for paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...inputs.atomic import atomic_write, check_writable
from ...inputs.html_sections import policy_of, section_parts, text_of
from ...inputs.readable import listed
from ...inputs.sections import PAGE, Limits, Section
from ...inputs.shell import clean

Sections = Callable[[dict[str, Any], Limits], list[Section]]
PAGE_NAME = "index.html"
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


def check_report(folder: Path) -> None:
    """Make the folder of a page, and raise an error if none can be written into it."""
    folder.mkdir(parents=True, exist_ok=True)
    check_writable(folder / PAGE_NAME)


def write_report(document: dict[str, Any], sections: Sections, directory: str | Path) -> Path:
    """Write the page of a result into a directory, which is made if need be.

    An older page is replaced only by a whole new one.

    Parameters
    ----------
    document : dict
        What was found, as a document.
    sections : function
        Of the document and limits: what is shown of it.
    directory : str or Path
        Where to write ``index.html``.

    Returns
    -------
    Path
        Of the page.
    """
    html = page(document, sections)
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / PAGE_NAME
    atomic_write(target, [html.encode("utf-8", "backslashreplace")])
    return target


def page(document: dict[str, Any], sections: Sections) -> str:
    """The whole page as text."""
    head = text_of(_title(document))
    body = "\n".join(_section(section, document) for section in sections(document, PAGE))
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


def _section(section: Section, document: dict[str, Any]) -> str:
    from ...plots.report_pictures import picture  # when a page is made: pictures need NumPy and scikit-learn

    drawn = picture(section.picture, document) if section.picture else None
    parts = [f"<h2>{text_of(section.title)}</h2>", *section_parts(section, drawn)]
    return "<section>\n" + "\n".join(parts) + "\n</section>"
