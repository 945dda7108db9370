"""The process that works on the user's files, and tells how far it has come: ``python -m novikoff.lab.own_data.work_process``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ...tables.progress import Advance, Watcher
from ..worker import answers_to

PAUSE = 0.1  # seconds between two lines on how far it has come
Tell = Callable[[dict[str, Any]], None]


def watcher_that(tell: Tell) -> Watcher:
    """One that tells a title, and the share that is done where that is known."""

    @contextmanager
    def progress(title: str, total: float | None, unit: str) -> Iterator[Advance]:
        done, last = 0.0, time.monotonic()
        tell({"title": title, "share": 0.0 if total else None})

        def advance(more: float) -> None:
            nonlocal done, last
            done += more
            if total and time.monotonic() - last >= PAUSE:
                last = time.monotonic()
                tell({"title": title, "share": min(1.0, done / total)})

        yield advance

    return Watcher(progress, lambda text: tell({"said": text}))


def serve() -> None:
    """Answer lines on standard input until there are none."""
    answers = answers_to()

    def write(line: Any) -> None:
        answers.write(json.dumps(line, allow_nan=False).encode() + b"\n")
        answers.flush()

    from .table_work import work  # within the process, which is there at once

    write("ready")
    watcher = watcher_that(lambda news: write({"news": news}))
    for line in sys.stdin.buffer:
        write(work(json.loads(line), watcher, lambda part: write({"news": {"part": part}})))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt, BrokenPipeError):
        serve()
