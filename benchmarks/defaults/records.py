"""Trials as a JSON file, to merge and to draw later."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from .measure import Trial
from .verdicts import by_cell


def write(path: Path, trials: Iterable[Trial], versions: str) -> None:
    path.write_text(json.dumps({"versions": versions, "trials": [asdict(trial) for trial in trials]}, indent=1))


def read(path: Path) -> list[Trial]:
    stored = json.loads(path.read_text())["trials"]
    return [Trial(**each | {"shape": tuple(each["shape"])}) for each in stored]


def merged(paths: Iterable[Path]) -> list[Trial]:
    """The trials of several files; those of a cell are those of the last file that has it."""
    found: dict[tuple[str, str, str], list[Trial]] = {}
    for path in paths:
        found |= by_cell(read(path))
    return [trial for trials in found.values() for trial in trials]
