"""The page as one file that needs no Python: it replays answers that were worked out when it was written."""

from __future__ import annotations

import base64
import json
import re
from os import PathLike
from pathlib import Path
from typing import Any

from ..inputs.atomic import atomic_write
from ..inputs.html_sections import policy_of
from .answering import answer, checked_scene
from .catalogue_of_demos import DEMONSTRATIONS
from .page_files import SCRIPT, page_files
from .scenes import MOST_BYTES, VERSION, packed, unpacked

LARGEST = 600_000  # bytes of an exported page


def find_scene(given: str) -> dict[str, Any]:
    """The scene that is meant by the name of a demonstration, a link or a file."""
    if given in DEMONSTRATIONS:
        preset = DEMONSTRATIONS[given].described()["presets"][0]
        parts = {"data": preset["data"], "parameters": preset["parameters"]}
        return {"version": VERSION, "demo": given, **parts, "view": {}}
    if "#s=" in given:
        return checked_scene(unpacked(given.split("#s=", 1)[1]))
    path = Path(given)
    if not path.is_file():
        raise ValueError(
            f"{given} is no scene file, no link, and none of the demonstrations {', '.join(DEMONSTRATIONS)}."
        )
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{given} is too large to be a scene.")
    try:
        return checked_scene(json.loads(path.read_text(encoding="utf8")))
    except ValueError as error:
        raise ValueError(f"{given} is no scene: {error}") from None


def fragment_of(scene: dict[str, Any]) -> str:
    """The end of an address that shows this scene."""
    return f"#s={packed(scene)}"


def export_page(path: str | PathLike[str], scene: dict[str, Any] | None = None) -> int:
    """Write the page with recorded answers for a scene and the presets of its demonstration, or for all presets of all; its size."""
    content = exported(scene).encode()
    if len(content) > LARGEST:
        raise ValueError(
            f"The page would have {len(content):,} bytes, more than {LARGEST:,}: name one demonstration, or a scene of fewer rows."
        )
    atomic_write(path, [content])
    return len(content)


def exported(scene: dict[str, Any] | None, by_port: bool = False) -> str:
    """The page as HTML; with ``by_port``, what is not recorded is asked of the page around it."""
    page = {name: file.text for name, file in page_files().items() if file.text is not None}
    script = "\n".join([page["vendor/uplot.js"], page[SCRIPT]])
    style = _with_fonts("\n".join(page[name] for name in sorted(page) if name.endswith(".css")))
    recorded = packed({"scene": scene, "answers": recordings(scene)})
    head = policy_of(style, script, "font-src data:; img-src data:")
    body = re.sub(r"\s*<(?:link rel=\"stylesheet\"|script)[^>]*>(?:</script>)?", "", page["index.html"])
    body = body.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{head}')
    body = body.replace("</head>", f"<style>{style}</style>\n</head>")
    asks = " data-by-port" if by_port else ""
    data = f'<script type="text/plain" id="recorded"{asks}>{recorded}</script>'
    return body.replace("</body>", f"{data}\n<script>{script}</script>\n</body>")


def recordings(scene: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Messages that the page will send, each with its answer."""
    demos = [DEMONSTRATIONS[scene["demo"]]] if scene else list(DEMONSTRATIONS.values())
    catalogue = answer({"ask": "catalogue"})["answer"]
    names = [demo.name for demo in demos]
    kept = [each for each in catalogue["demonstrations"] if each["name"] in names]
    questions = [each for each in catalogue["questions"] if each["demo"] in names]
    shown = catalogue | {"demonstrations": kept, "questions": questions}
    found = [{"message": {"ask": "catalogue"}, "answer": {"answer": shown}}]
    for described in kept:
        views = [{"data": preset["data"], "parameters": preset["parameters"]} for preset in described["presets"]]
        if scene:
            views.append({"data": scene["data"], "parameters": scene["parameters"]})
        asks = [name for name, ask in described["asks"].items() if ask["by_itself"]] + ["python"]
        for view in views:
            for ask in asks:
                message = {"demo": described["name"], "ask": ask, **view}
                found.append({"message": message, "answer": answer(message)})
    return found


def _with_fonts(style: str) -> str:
    """The style with its fonts in it."""

    def held(found: re.Match[str]) -> str:
        file = page_files()[found[1]]
        return f"url(data:{file.kind};base64,{base64.b64encode(file.content).decode()})"

    return re.sub(r'url\("([^"]+)"\)', held, style)
