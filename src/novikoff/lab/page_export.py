"""The page as one file that needs no Python and no network, and the scenes that it may begin with."""

from __future__ import annotations

import base64
import json
import re
from os import PathLike
from pathlib import Path
from typing import Any

from ..report.html import policy_of
from ..system.files import atomic_write
from .page_files import SCRIPT, page_files, presets
from .scenes import MOST_BYTES, VERSION, packed, read_scene, unpacked


def find_scene(given: str) -> dict[str, Any]:
    """The scene that is meant by the name of a demonstration, a link or a file."""
    if given in presets():
        return preset_scene(given)
    if "#s=" in given:
        return _known(unpacked(given.split("#s=", 1)[1]))
    path = Path(given)
    if not path.is_file():
        raise ValueError(f"{given} is no scene file, no link, and none of the demonstrations {', '.join(presets())}.")
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{given} is too large to be a scene.")
    try:
        return _known(read_scene(json.loads(path.read_text(encoding="utf8"))))
    except ValueError as error:
        raise ValueError(f"{given} is no scene: {error}") from None


def _known(scene: dict[str, Any]) -> dict[str, Any]:
    if scene["demo"] not in presets():
        raise ValueError(f"There is no demonstration {scene['demo']!r}. There are: {', '.join(presets())}.")
    return scene


def preset_scene(demo: str, preset: str = "") -> dict[str, Any]:
    """A preset of a demonstration, the first if none is named; the page knows its data and parameters."""
    return {"version": VERSION, "demo": demo, "view": {"preset": preset} if preset else {}}


def fragment_of(scene: dict[str, Any]) -> str:
    """The end of an address that shows this scene."""
    return f"#s={packed(scene)}"


def export_page(path: str | PathLike[str], scene: dict[str, Any] | None = None) -> int:
    """Write the page, which begins with this scene; its size."""
    content = exported(scene).encode()
    atomic_write(path, [content])
    return len(content)


def exported(scene: dict[str, Any] | None) -> str:
    """The page as HTML."""
    page = {name: file.text for name, file in page_files().items() if file.text is not None}
    script = "\n".join([page["vendor/uplot.js"], page[SCRIPT]])
    style = _with_fonts("\n".join(page[name] for name in sorted(page) if name.endswith(".css")))
    head = policy_of(style, script, "font-src data:; img-src data:")
    body = re.sub(r"\s*<(?:link rel=\"stylesheet\"|script defer)[^>]*>(?:</script>)?", "", page["index.html"])
    body = body.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{head}')
    body = body.replace("</head>", f"<style>{style}</style>\n</head>")
    first = json.dumps(scene, allow_nan=False).replace("<", "\\u003c") if scene else ""
    data = f'<script type="application/json" id="scene">{first}</script>'
    return body.replace("</body>", f"{data}\n<script>{script}</script>\n</body>")


def _with_fonts(style: str) -> str:
    """The style with its fonts in it."""

    def held(found: re.Match[str]) -> str:
        file = page_files()[found[1]]
        return f"url(data:{file.kind};base64,{base64.b64encode(file.content).decode()})"

    return re.sub(r'url\("([^"]+)"\)', held, style)
