"""Formulas as MathML, which browsers draw by themselves: pages need no script for them, from here or elsewhere.

docutils translates them; some usual words of LaTeX that it does not know are put in its own first.  What it cannot translate is
a warning, and the site is built without warnings.
"""

from __future__ import annotations

import re
from html import escape, unescape
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

LOGGER = logging.getLogger(__name__)
NAMESPACE = "http://www.w3.org/1998/Math/MathML"
SPACE = f"{{{NAMESPACE}}}"
ElementTree.register_namespace("", NAMESPACE)
ACCENTS = set("ˆˉ~→˙¨ˇ")
ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)\w+;")  # known to HTML alone
TAG = re.compile(r"\\tag\{([^{}]*)\}")
OTHER_WORDS = (
    (re.compile(r"\\dots(?![a-z])"), r"\\ldots"),
    (re.compile(r"\\(big|Big|bigg|Bigg)(?![a-z])"), r"\\\1l"),
    (re.compile(r"\\([dt]?frac)(\d)(\d)"), r"\\\1{\2}{\3}"),
    (re.compile(r"\\displaystyle(?![a-z])"), ""),
    (re.compile(r"\\\\\[[\w.]+\]"), r"\\\\"),  # space between lines
)


def known(source: str) -> str:
    """A formula in those words of LaTeX that docutils knows."""
    for usual, same in OTHER_WORDS:
        source = usual.sub(same, source)
    return source


def drawn(source: str, block: bool) -> str:
    """A formula as MathML.  An index of a letter with an accent stands beside it, not below, where docutils puts it."""
    text = ENTITY.sub(lambda found: unescape(found[0]), tex2mathml(known(source), as_block=block))
    tree = ElementTree.fromstring(text)
    for both in tree.iter(f"{SPACE}munderover"):
        base, index, accent = both
        if accent.text in ACCENTS:
            both.tag = f"{SPACE}msub"
            both[:] = [ElementTree.Element(f"{SPACE}mover"), index]
            both[0][:] = [base, accent]
    return ElementTree.tostring(tree, encoding="unicode")


def translated(node: Any, source: str, block: bool) -> str:
    """The formula of a node, or its source if that cannot be translated."""
    try:
        return drawn(source, block)
    except MathError as error:
        LOGGER.warning("this formula cannot be drawn: %s: %s", source, error, location=node)
        return f"<code>{escape(source)}</code>"


def visit_inline(writer: Any, node: Any) -> None:
    """A formula in a line."""
    writer.body.append(translated(node, node.astext(), block=False))
    raise nodes.SkipNode


def visit_block(writer: Any, node: Any) -> None:
    """A formula on its own, with its number if it has one; it scrolls by itself where the page is narrow."""
    source = node.astext()
    tags = TAG.findall(source) or ([get_node_equation_number(writer, node)] if node["number"] else [])
    number = "".join(f'<span class="eqno">({escape(tag)})</span>' for tag in tags)
    formula = translated(node, TAG.sub("", source), block=True)
    writer.body.append(f"{writer.starttag(node, 'div', CLASS='formula')}{number}{formula}</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Make the renderer known."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
