"""Links that work in the repository work on the site: files outside docs/ that are pages here are linked as such."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

PAGES = {
    "benchmarks/README.md": "/benchmarks.md",
    "examples/README.md": "/gallery/index.rst",
    "CHANGELOG.md": "/changelog.md",
    "CONTRIBUTING.md": "/contributing.md",
    "README.md": "/index.md",
}
LINK = re.compile(r"\]\((?:\.\./)+(" + "|".join(map(re.escape, PAGES)) + r")(?=[#)])")


def mended(text: str) -> str:
    """The text of a page with its links to such files."""
    return LINK.sub(lambda found: f"]({PAGES[found[1]]}", text)


def read(app: Sphinx, page: str, content: list[str]) -> None:
    """Mend the links of a page that has been read."""
    content[0] = mended(content[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to pages being read."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
