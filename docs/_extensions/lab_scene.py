"""The directive ``lab-scene``: a demonstration of the lab inside a page, as ``novikoff lab DEMO --export`` writes it.

    ```{lab-scene} perceptron
    :preset: xor
    ```

The exported page is alive, and needs no Python.  It is written once for each scene of the site.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from sphinx.application import Sphinx

from novikoff.lab.page_export import export_page, preset_scene
from novikoff.lab.page_files import presets

FOLDER = "lab-scenes"  # of the built site
SANDBOX = "allow-scripts allow-downloads"
WRITTEN: set[Path] = set()  # by this build


class LabSceneNode(nodes.General, nodes.Element):
    """The place of a scene: ``demo``, ``preset`` and ``title``."""


class LabScene(Directive):
    """Reads the name of a demonstration and of its preset."""

    required_arguments = 1
    option_spec = {"preset": directives.unchanged_required}  # noqa: RUF012 (docutils declares it so)

    def run(self) -> list[nodes.Node]:
        """The node, or an error that names what there is."""
        demo, preset = self.arguments[0], self.options.get("preset", "")
        if demo not in presets():
            raise self.error(f"The lab has no demonstration {demo!r}; it has {', '.join(presets())}.")
        known = presets()[demo].presets
        if preset and preset not in known:
            raise self.error(f"The demonstration {demo!r} has no preset {preset!r}; it has {', '.join(known)}.")
        return [LabSceneNode(demo=demo, preset=preset, title=presets()[demo].title)]


def visit(writer: Any, node: LabSceneNode) -> None:
    """Write the exported page, unless this build has it already, and the frame that shows it."""
    name = "-".join(filter(None, (node["demo"], node["preset"]))) + ".html"
    target = Path(writer.builder.outdir) / FOLDER / name
    if target not in WRITTEN:
        target.parent.mkdir(exist_ok=True)
        export_page(target, preset_scene(node["demo"], node["preset"]))
        WRITTEN.add(target)
    depth = writer.builder.get_target_uri(writer.builder.current_docname).count("/")
    address, title = f"{'../' * depth}{FOLDER}/{name}", escape(node["title"])
    writer.body.append(
        f'<figure class="lab-scene"><iframe src="{address}" title="The lab: {title}" sandbox="{SANDBOX}" loading="lazy"></iframe>'
        f'<figcaption><a href="{address}">{title}: open this page alone</a>. Rows can be moved.</figcaption></figure>\n'
    )


def leave(writer: Any, node: LabSceneNode) -> None:
    """Nothing follows."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Make the directive known."""
    app.add_node(LabSceneNode, html=(visit, leave))
    app.add_directive("lab-scene", LabScene)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
