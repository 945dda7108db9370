"""Keyword arguments as messages name them.

A message of the library says what to pass as Python writes it: ``ignore='id'``, ``test=False``, or ``memory=...`` where the
value is up to the user.  Other places that show messages, such as the command line, can find these words and replace them by
their own.
"""

from __future__ import annotations

from typing import Any


def keyword(name: str, value: Any = ...) -> str:
    """A keyword argument as it is typed: ``ignore='id'``; without a value ``ignore=...``."""
    return f"{name}={'...' if value is ... else repr(value)}"
