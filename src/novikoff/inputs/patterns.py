"""Patterns of file names: ``data/*.csv``."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable


def files_named(path: str | os.PathLike[str]) -> list[str]:
    """The files that a path names: itself or, of a pattern (with * ? or [...]) that is no file's name, all that fit it."""
    name = os.fspath(path)
    if os.path.exists(name) or not any(sign in name for sign in "*?["):
        return [name]
    found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise ValueError(f"{name}: no file has such a name.")
    return found


def all_files_named(paths: Iterable[str | os.PathLike[str]]) -> list[str]:
    """The files that several paths name."""
    return [name for path in paths for name in files_named(path)]
