"""Formulas as MathML, which browsers draw by themselves: pages need no script for them, from here or elsewhere.

What docutils cannot translate is a warning, and the site is built without warnings.
"""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

LOGGER = logging.getLogger(__name__)


def translated(node: Any, block: bool) -> str:
    """The formula of a node, or its source if that cannot be translated."""
    source = node.astext()
    try:
        return tex2mathml(source, as_block=block)
    except MathError as error:
        LOGGER.warning("this formula cannot be drawn: %s: %s", source, error, location=node)
        return f"<code>{escape(source)}</code>"


def visit_inline(writer: Any, node: Any) -> None:
    """A formula in a line."""
    writer.body.append(translated(node, block=False))
    raise nodes.SkipNode


def visit_block(writer: Any, node: Any) -> None:
    """A formula on its own, with its number if it has one; it scrolls by itself where the page is narrow."""
    number = f'<span class="eqno">({get_node_equation_number(writer, node)})</span>' if node["number"] else ""
    writer.body.append(writer.starttag(node, "div", CLASS="formula") + number + translated(node, block=True) + "</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Make the renderer known."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
