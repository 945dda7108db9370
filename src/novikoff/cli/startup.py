"""What lets the program start, and end, in half the time.

Most of the start is scikit-learn's imports, and two of those serve functions that no command calls: ``scipy.stats``, here
an empty module that becomes the real one when it is first asked for something, and pandas, which scikit-learn and Arrow
do without where it is not installed.  Imports make many objects and no garbage, so the collector need not look so often.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

OBJECTS = 100_000  # new ones before the collector looks for garbage; Python's own number is in the hundreds
WITHOUT = "pandas"
LATER = "scipy.stats"


def start_sooner() -> None:
    """For a process that runs the command line and nothing else."""
    os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")  # the system may take longer to find huge pages than they save
    gc.set_threshold(OBJECTS, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)  # nor look for garbage when the process ends, and its memory with it
    if not {WITHOUT, LATER} & sys.modules.keys():
        sys.meta_path.insert(0, Finder())


class Finder:
    """Finds nothing where pandas is, and at first an empty module in place of a large one."""

    def __init__(self) -> None:
        self._later = LATER

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """See ``importlib.abc.MetaPathFinder``."""
        if name == WITHOUT:
            raise ModuleNotFoundError(f"No module named {name!r}: this program does without it.", name=name)
        return ModuleSpec(name, self) if name == self._later else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """See ``importlib.abc.Loader``: a plain module will do."""

    def exec_module(self, module: ModuleType) -> None:
        """Have the empty module become the real one when something is missing in it (``__path__``, if it is a submodule)."""

        def become(name: str) -> Any:
            if sys.modules.get(LATER) is module:
                self._later = ""
                sys.modules.pop(LATER, None)
                parent, _, own = LATER.rpartition(".")
                vars(sys.modules[parent]).pop(own, None)
            real = importlib.import_module(LATER)
            vars(module).update(vars(real))
            return getattr(real, name)

        module.__getattr__ = become  # type: ignore[method-assign]
