"""The page's modules as one script, for a page in one file, which cannot import others.

Every module becomes a function that returns what it exports; imports become assignments.  It understands what the page's
modules use, and refuses anything else: ``import {a, b as c} from "./x.js";`` at the start of a line, ``export function``,
``export const``, ``export class``, and ``export{a as b};`` of libraries.
"""

from __future__ import annotations

import re
from posixpath import dirname, join, normpath

IMPORT = re.compile(r"^import\s*\{([^}]*)\}\s*from\s*\"([^\"]+)\";?", re.M)
DECLARED = re.compile(r"^export\s+((?:async\s+)?function|const|class)\s+(\w+)", re.M)
COMMENT = re.compile(
    r"^[ \t]*(?://[^\n]*|/\*\*[^*]*(?:\*(?!/)[^*]*)*\*/[ \t]*)\n", re.M
)  # one that has its lines to itself
LISTED = re.compile(r"export(?<!\wexport)\s*\{([^}]*)\};?")  # \b in front would make it fifteen times as slow


def single_script(page: dict[str, str], entry: str) -> str:
    """One script that does what the entry module and all that it imports do."""
    order: list[str] = []
    _visit(page, entry, order, [])
    parts = [_wrapped(name, page[name]) for name in order]
    return '"use strict";\n(() => {\nconst modules = {};\n' + "\n".join(parts) + "\n})();\n"


def _visit(page: dict[str, str], name: str, order: list[str], above: list[str]) -> None:
    """Add a module after those that it imports."""
    if name in order:
        return
    if name in above:
        raise ValueError(f"{name} imports itself around a corner: {' -> '.join(above)}.")
    for _, source in IMPORT.findall(page[name]):
        _visit(page, _resolved(name, source), order, [*above, name])
    order.append(name)


def _resolved(name: str, source: str) -> str:
    return normpath(join(dirname(name), source))


def _wrapped(name: str, text: str) -> str:
    exports: list[str] = []

    def taken(found: re.Match[str]) -> str:
        names = found[1].replace(" as ", ": ")
        return f'const {{{names}}} = modules["{_resolved(name, found[2])}"];'

    def declared(found: re.Match[str]) -> str:
        exports.append(found[2])
        return f"{found[1]} {found[2]}"

    def listed(found: re.Match[str]) -> str:
        for part in filter(None, (each.strip() for each in found[1].split(","))):
            own, _, public = part.partition(" as ")
            exports.append(f"{public or own}: {own}" if public else own)
        return ""

    text = LISTED.sub(listed, DECLARED.sub(declared, IMPORT.sub(taken, text)))
    text = COMMENT.sub("", text + "\n")
    left = re.search(r"^(import|export)\b.*", text, re.M)
    if left:
        raise ValueError(f"{name}: this cannot be put into one script: {left[0]}")
    return f'modules["{name}"] = (() => {{\n{text}\nreturn {{{", ".join(exports)}}};\n}})();'
