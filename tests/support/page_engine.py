"""The engine of the lab's page, run by Node: what it answers is what a browser would show."""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from types import SimpleNamespace
from typing import Any, NamedTuple

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
        pytest.skip("the engine of the page needs Node", allow_module_level=True)
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


class Data(NamedTuple):
    """The data of a scene."""

    X: list[list[float]]
    y: list[int]
    names: list[str]
    classes: list[str]

    def as_dict(self) -> dict[str, Any]:
        """As a message holds it."""
        return self._asdict()


def _read(described: dict[str, Any]) -> SimpleNamespace:
    presets = [SimpleNamespace(**each | {"data": Data(**each["data"])}) for each in described["presets"]]
    asks = {name: SimpleNamespace(**ask) for name, ask in described["asks"].items()}
    return SimpleNamespace(**described | {"presets": presets, "asks": asks})


DEMONSTRATIONS = {each["name"]: _read(each) for each in answer({"ask": "catalogue"})["answer"]["demonstrations"]}


def points(demo: str, preset: str) -> Data:
    """The data of a preset."""
    return next(each.data for each in DEMONSTRATIONS[demo].presets if each.name == preset)


EIGHT, AND, XOR, NARROW, CLOUDS = (points("perceptron", name) for name in ("eight", "and", "xor", "narrow", "clouds"))
TOUCHING, OVERLAP = points("verdict", "touching"), points("verdict", "overlap")
NEARLY, ONE_FAR = points("separation", "nearly"), points("descent", "all")
NOISY, FAR, RING = points("support", "noisy"), points("support", "far"), points("kernel", "ring")
FAR_OF_FEW, BENT, NOISE = points("rules", "far"), points("passes", "over"), points("passes", "noise")
THREE_CLOUDS, FIVE_ON_A_LINE, FOUR_CORNERS, INNER, THREE_MIXED = (
    points("classes", name) for name in ("three", "line", "corners", "inner", "mixed")
)
