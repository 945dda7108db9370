"""Ctrl-C before there is any work: an exception would get lost where imports call back, and the program go on."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import Any

INTERRUPTED = 130  # the exit status
NOTHING = "Nothing was written."


def end_at_once() -> None:
    """From now on Ctrl-C ends the program on the spot, unless it was told to ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def import_compiler() -> None:
    """Import Numba, which reading and learning soon call, while Ctrl-C still ends the program on the spot."""
    from ..compiled import machine_code  # noqa: F401 it takes long, and help does without


def begin_work() -> None:
    """From now on Ctrl-C raises ``KeyboardInterrupt``, since there is something to be saved or removed."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(number: int, frame: Any) -> None:
    with suppress(OSError):
        os.write(2, f"novikoff: interrupted. {NOTHING}\n".encode())
    os._exit(INTERRUPTED)
