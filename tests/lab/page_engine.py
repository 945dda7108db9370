"""The engine of the lab's page, run by Node: what it answers is what a browser would show."""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from novikoff.lab.page_files import page_modules
from novikoff.lab.single_script import single_script

RUNNER = """
import { answer } from "./lessons/answering.js";
const read = require("node:readline").createInterface({ input: process.stdin });
read.on("line", (line) => process.stdout.write(JSON.stringify(JSON.parse(line).map(answer)) + "\\n"));
"""


@cache
def _process() -> Any:
    node = shutil.which("node")
    if node is None:
        pytest.skip("the engine of the page needs Node")
    script = Path(mkdtemp()) / "engine.cjs"
    script.write_text(single_script(page_modules() | {"runner.js": RUNNER}, "runner.js"), encoding="utf8")
    process = subprocess.Popen([node, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf8")
    atexit.register(process.kill)
    atexit.register(shutil.rmtree, script.parent)
    return process


def answers(messages: list[Any]) -> list[dict[str, Any]]:
    """What the page answers to these messages."""
    process = _process()
    process.stdin.write(json.dumps(messages) + "\n")
    process.stdin.flush()
    found: list[dict[str, Any]] = json.loads(process.stdout.readline())
    return found


def answer(message: Any) -> dict[str, Any]:
    """The same of one message."""
    return answers([message])[0]
