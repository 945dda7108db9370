"""How far long work has come, on the terminal; nothing where nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...workflow.watching import Watcher
from ..errors import tell
from ..option_words import in_options


@contextmanager
def progress(title: str, total: float | None, unit: str) -> Iterator[Callable[[float], None]]:
    """A bar with rate and time left on standard error, if that is a terminal; hands out what to call with work just done.

    ``unit`` is "bytes" or a word such as "rows".
    """
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    in_bytes = unit == "bytes"
    speed = TransferSpeedColumn() if in_bytes else TextColumn(f"{{task.fields[rate]}} {unit}/s")
    shown = [DownloadColumn()] if in_bytes else []
    columns = [TextColumn("{task.description}"), BarColumn(), *shown, speed, TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total, rate="")

        def advance(done: float) -> None:
            speed_now = bar.tasks[0].speed
            bar.update(task, advance=done, rate=f"{speed_now:,.0f}" if speed_now else "")

        yield advance


def show_status(text: str) -> None:
    """One line on standard error, in place of the one before, if that is a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


WATCHER = Watcher(progress, lambda text: tell(in_options(text)), show_status)
