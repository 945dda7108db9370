"""Workers that die in the middle of a round: a file names a round and a partition, and the worker that begins to learn there is killed.

Each file is good for one death, and its absence for the proof that it happened.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from distributed import WorkerPlugin

from novikoff.distributed import rounds


class Mines(WorkerPlugin):
    """Kills the worker's process when it comes to a round and partition that a file in the folder names."""

    name = "mines"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def setup(self, worker: Any) -> None:
        make_pass = rounds.pass_over

        def mined(number: int, ready: Any, told: Any, schedule: Any) -> Any:
            step_on(self._folder / mine(told.seed[1], number))
            return make_pass(number, ready, told, schedule)

        rounds.pass_over = mined


def mine(round_number: int, partition: int) -> str:
    return f"round-{round_number}-partition-{partition}"


def lay(folder: Path, round_number: int, partition: int) -> None:
    (folder / mine(round_number, partition)).touch()


def step_on(path: Path) -> None:
    """Die, if there is such a file, which is used up by that."""
    try:
        path.unlink()
    except FileNotFoundError:
        return
    os.kill(os.getpid(), signal.SIGKILL)
