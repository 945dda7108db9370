"""What lets the program start, and end, sooner."""

from __future__ import annotations

import atexit
import gc
import os

OBJECTS = 100_000  # new ones before the collector looks for garbage; Python's own number is in the hundreds


def start_sooner() -> None:
    """For a process that runs the command line and nothing else: imports make many objects and no garbage, so the
    collector need not look so often, nor when the process ends, and its memory with it."""
    os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")  # the system may take longer to find huge pages than they save
    gc.set_threshold(OBJECTS, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)
