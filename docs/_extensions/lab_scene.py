"""The directive ``lab-scene``: a demonstration of the lab inside a page, as ``novikoff lab DEMO --export`` writes it.

    ```{lab-scene} perceptron
    :preset: xor
    ```

The exported page needs no Python: it replays steps and presets.  It is written once for each scene of the site.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from sphinx.application import Sphinx

from novikoff.lab.catalogue_of_demos import DEMONSTRATIONS
from novikoff.lab.page_export import export_page, find_scene

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
        if demo not in DEMONSTRATIONS:
            raise self.error(f"The lab has no demonstration {demo!r}; it has {', '.join(DEMONSTRATIONS)}.")
        presets = [each.name for each in DEMONSTRATIONS[demo].presets]
        if preset and preset not in presets:
            raise self.error(f"The demonstration {demo!r} has no preset {preset!r}; it has {', '.join(presets)}.")
        return [LabSceneNode(demo=demo, preset=preset, title=DEMONSTRATIONS[demo].title)]


def scene_of(demo: str, preset: str) -> dict[str, Any]:
    """The scene of a demonstration: its first preset, or the one that is named."""
    scene = find_scene(demo)
    for each in DEMONSTRATIONS[demo].described()["presets"]:
        if each["name"] == preset:
            scene |= {"data": each["data"], "parameters": each["parameters"]}
    return scene


def visit(writer: Any, node: LabSceneNode) -> None:
    """Write the exported page, unless this build has it already, and the frame that shows it."""
    name = "-".join(filter(None, (node["demo"], node["preset"]))) + ".html"
    target = Path(writer.builder.outdir) / FOLDER / name
    if target not in WRITTEN:
        target.parent.mkdir(exist_ok=True)
        export_page(target, scene_of(node["demo"], node["preset"]))
        WRITTEN.add(target)
    depth = writer.builder.get_target_uri(writer.builder.current_docname).count("/")
    address, title = f"{'../' * depth}{FOLDER}/{name}", escape(node["title"])
    writer.body.append(
        f'<figure class="lab-scene"><iframe src="{address}" title="The lab: {title}" sandbox="{SANDBOX}" loading="lazy"></iframe>'
        f'<figcaption><a href="{address}">{title}: open this page alone</a>. It replays recorded steps; '
        f"<code>novikoff lab {node['demo']}</code> opens it with Python, and rows can be moved.</figcaption></figure>\n"
    )


def leave(writer: Any, node: LabSceneNode) -> None:
    """Nothing follows."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Make the directive known."""
    app.add_node(LabSceneNode, html=(visit, leave))
    app.add_directive("lab-scene", LabScene)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
