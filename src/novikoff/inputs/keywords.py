"""Keyword arguments as messages name them.

A message of the library says what to pass as Python writes it: ``ignore='id'``, ``test=False``, or ``memory=...`` where the
value is up to the user.  Whoever shows messages elsewhere, as the command line does, can tell such words from the rest and
put their own in their place.
"""

from __future__ import annotations

from typing import Any


def keyword(name: str, value: Any = ...) -> str:
    """A keyword argument as it is typed: ``ignore='id'``; without a value ``ignore=...``."""
    return f"{name}={'...' if value is ... else repr(value)}"
