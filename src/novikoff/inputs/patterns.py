"""Patterns of file names: ``data/*.csv``."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable

from .addresses import addresses_like, is_address


def files_named(path: str | os.PathLike[str]) -> list[str]:
    """The files that a path names: itself or, of a pattern (with * ? or [...]) that is no file's name, all that fit it."""
    name = os.fspath(path)
    if is_address(name):
        found = addresses_like(name) if any(sign in name for sign in "*?[") else [name]
    elif os.path.exists(name) or not any(sign in name for sign in "*?["):
        return [name]
    else:
        found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise ValueError(f"{name}: no file has such a name.")
    return found


def all_files_named(paths: Iterable[str | os.PathLike[str]]) -> list[str]:
    """The files that several paths name."""
    return [name for path in paths for name in files_named(path)]
