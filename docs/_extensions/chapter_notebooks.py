"""The chapters of the course as notebooks, in one archive: the results of the cells as this build has run them.

The directive ``chapter-notebooks`` is the link to it.  Cells are run once: MyST-NB leaves each page that it has run as a
notebook beside the site.  What only the site understands (scenes of the lab, directives, links to other pages) is turned into
what every notebook shows.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import nbformat
from docutils import nodes
from docutils.parsers.rst import Directive
from nbformat.v4 import new_code_cell, new_markdown_cell
from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
ARCHIVE = "course/novikoff-notebooks.zip"  # in the built site
README = Path(__file__).with_name("notebooks_readme.md")
SCENE = re.compile(r"^(`{3,}|:{3,})\{lab-scene\} +(\S+)\n(?::preset: +(\S+)\n)?(?:.*\n)*?\1[ \t]*$", re.M)
BOX = re.compile(r"^(`{3,}|:{3,})\{(\w+)\}[ \t]*(.*)\n((?::\w+:.*\n)*)((?:.*\n)*?)\1[ \t]*$", re.M)
LABEL = re.compile(r"^\(([\w-]+)\)=\n", re.M)
LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]*?)(?:\.md)?(#[^()\s]*)?\)")


class ChapterNotebooks(Directive):
    """The link to the archive."""

    def run(self) -> list[nodes.Node]:
        """A paragraph; the page is course/index."""
        link = f'<a href="{Path(ARCHIVE).name}" download>all chapters as Jupyter notebooks (zip)</a>'
        return [nodes.raw("", f"<p>Download {link}, with a page for teachers.</p>", format="html")]


def plain(text: str) -> str:
    """Markdown that every notebook shows: boxes become quotations, links to chapters lead to notebooks, others are text."""

    def quoted(found: re.Match[str]) -> str:
        _, kind, title, _, body = found.groups()
        if kind == "math":
            return f"$$\n{body.strip()}\n$$"
        named = title if kind == "admonition" else " ".join(filter(None, (kind.capitalize(), title)))
        stop = "" if named.endswith(("?", "!", ".", ":")) else "."
        return "\n".join(f"> {line}".rstrip() for line in (f"**{named}{stop}**", "", *body.strip().splitlines()))

    def linked(found: re.Match[str]) -> str:
        words, target, place = found.groups()
        if "://" in target or (place and not target):
            return found[0]
        return f"[{words}]({target}.ipynb{place or ''})" if re.fullmatch(r"lecture\d", target) else words

    return LINK.sub(linked, BOX.sub(quoted, LABEL.sub(r'<a id="\1"></a>\n\n', text)))


def cells_of(text: str) -> list[Any]:
    """The cells of one cell of Markdown: text, and a cell of code, not run, in place of every scene of the lab."""
    cells, begin = [], 0
    for found in SCENE.finditer(text):
        preset = f"  # then choose the preset {found[3]}" if found[3] else ""
        code = f'from novikoff.lab import show\n\nshow("{found[2]}"){preset}'
        cells += [new_markdown_cell(plain(text[begin : found.start()]).strip()), new_code_cell(code)]
        begin = found.end()
    cells.append(new_markdown_cell(plain(text[begin:]).strip()))
    return [cell for cell in cells if cell.source]


def prepared(notebook: Any) -> Any:
    """The notebook as it goes into the archive."""
    parts = [cells_of(cell.source) if cell.cell_type == "markdown" else [cell] for cell in notebook.cells]
    notebook.cells = [cell for part in parts for cell in part]
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"  # the same in every build
    return notebook


def pack(app: Sphinx, exception: Exception | None) -> None:
    """Write the archive when the site has been built."""
    if exception is not None or app.builder.name != "html":
        return
    chapters = sorted((Path(app.outdir).parent / "jupyter_execute" / "course").glob("lecture*.ipynb"))
    if not chapters:
        LOGGER.info("no chapters, no archive of notebooks")
        return
    target = Path(app.outdir) / ARCHIVE
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        archive.writestr(_entry("README.md"), README.read_text(encoding="utf8"))
        for path in chapters:
            notebook = prepared(nbformat.read(path, as_version=4))
            archive.writestr(_entry(path.name), nbformat.writes(notebook))
    LOGGER.info("%d notebooks in %s", len(chapters), target)


def _entry(name: str) -> ZipInfo:
    """A file of the archive, without the time of the build."""
    entry = ZipInfo(f"novikoff-notebooks/{name}")
    entry.compress_type = ZIP_DEFLATED
    return entry


def setup(app: Sphinx) -> dict[str, Any]:
    """Make the directive known, and wait for the end of the build."""
    app.add_directive("chapter-notebooks", ChapterNotebooks)
    app.connect("build-finished", pack)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
