"""Two checkouts of this project side by side: the one this file is in, and another.

What is compared runs in separate processes, each of which finds the package of one checkout and the benchmarks of this
one.  Modules inside the package may lie elsewhere in the other: what runs in both uses public names only.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parents[1]


class Checkout(NamedTuple):
    """A folder that holds ``src/novikoff``."""

    root: Path

    @property
    def src(self) -> Path:
        return self.root / "src"

    @property
    def package(self) -> Path:
        return self.src / "novikoff"

    @property
    def environment(self) -> dict[str, str]:
        """Of processes that import this checkout's package and this project's benchmarks."""
        return os.environ | {"PYTHONPATH": os.pathsep.join([str(self.src), str(HERE)])}

    def python(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """What ``python arguments`` prints; an error if it fails."""
        done = subprocess.run(
            [sys.executable, *arguments], env=self.environment | environment, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"in {self.root}: {done.stderr[-3000:]}")
        return done


def checkout(path: str | os.PathLike[str]) -> Checkout:
    """The checkout at a path, if there is one."""
    found = Checkout(Path(path).resolve())
    if not (found.package / "__init__.py").is_file():
        raise SystemExit(f"{path} is no checkout of this project: it has no src/novikoff/__init__.py")
    return found


def this() -> Checkout:
    return checkout(HERE)


def refuse_another_package() -> None:
    """Make sure that this process imported the package that stands first in PYTHONPATH."""
    import novikoff

    wanted = os.environ["PYTHONPATH"].split(os.pathsep)[0]
    if not Path(novikoff.__file__).is_relative_to(wanted):
        raise RuntimeError(f"imported {novikoff.__file__}, not the package in {wanted}")
