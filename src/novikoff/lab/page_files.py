"""The files of the page, by the names that browsers ask for: nothing else can be asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from .single_script import single_script

SCRIPT = "lab.js"  # all modules: one file is there sooner than forty
APART = ("vendor/uplot.js",)  # which is no module of the page
LESSON = re.compile(r'^  name: "(\S+)",\n  title: "(.*)",', re.M)
PRESET = re.compile(r'^    \{ name: "(\S+)", title: "(.*?)", data:', re.M)
KINDS = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "woff2": "font/woff2",
}


class PageFile(NamedTuple):
    """One file of the page."""

    content: bytes
    kind: str  # as browsers are told

    @property
    def text(self) -> str | None:
        """The content of a file of text."""
        return self.content.decode() if "charset" in self.kind else None


@cache
def page_files() -> dict[str, PageFile]:
    """What browsers may ask for: "index.html", "lab.js", ..."""
    modules = page_modules()
    script = single_script(modules, "shell.js").encode()
    others = {name: file for name, file in _sources().items() if name not in modules}
    checker = (files("novikoff") / "proof" / "check" / "plain.py").read_text(encoding="utf8")
    held = f'<script type="text/plain" id="checker">{checker}</script>\n</body>'
    index = others["index.html"].content.decode().replace("</body>", held).encode()
    return others | {SCRIPT: PageFile(script, KINDS["js"]), "index.html": PageFile(index, KINDS["html"])}


def page_modules() -> dict[str, str]:
    """The modules that the script is made of: "shell.js", "demos/verdict.js", ..."""
    return {
        name: file.content.decode() for name, file in _sources().items() if name.endswith(".js") and name not in APART
    }


class Presets(NamedTuple):
    """A demonstration of the page: its title, and the titles of its presets by their names."""

    title: str
    presets: dict[str, str]


@cache
def presets() -> dict[str, Presets]:
    """The demonstrations by their names, as the page's lessons have them."""
    found = {}
    for name, text in page_modules().items():
        if name.startswith("lessons/") and (lesson := LESSON.search(text)):
            found[lesson[1]] = Presets(lesson[2], dict(PRESET.findall(text)))
    return found


@cache
def _sources() -> dict[str, PageFile]:
    return dict(_found(files("novikoff.lab") / "page", ""))


def _found(folder: Any, before: str) -> Iterator[tuple[str, PageFile]]:
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        name = before + entry.name
        if entry.is_dir():
            yield from _found(entry, f"{name}/")
        elif name.rsplit(".", 1)[-1] in KINDS:
            yield name, PageFile(entry.read_bytes(), KINDS[name.rsplit(".", 1)[-1]])
