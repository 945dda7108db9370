"""How much memory rows may take."""

from __future__ import annotations

import os
import re

from ..inputs.keywords import keyword

PROGRAM = 620_000_000  # bytes that the program itself needs, its libraries and the blocks it works on
SMALLEST = 64_000_000  # for rows
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


def rows_budget(asked: str | None) -> int:
    """Bytes for rows, if the whole process may take ``asked`` (such as "1GB"); None: half of what is free."""
    total = _free() // 2 if asked is None else _bytes(asked)
    if asked is not None and total < PROGRAM + SMALLEST:
        raise ValueError(
            f"{keyword('memory', asked)} is too little: at least {(PROGRAM + SMALLEST) // 10**6}MB are needed."
        )
    return max(SMALLEST, total - PROGRAM)


def _bytes(text: str) -> int:
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", text.upper())
    if not match:
        raise ValueError(f"{keyword('memory', text)} is not an amount of memory: write, say, 800MB or 2GB.")
    return int(float(match[1]) * UNITS[match[2]])


def _free() -> int:
    """Memory that is free now; where the system does not say, what a small machine has."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 4_000_000_000
