"""Who is told of long work while it goes on: nobody, or a terminal, or a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

Advance = Callable[[float], None]


@contextmanager
def unwatched(title: str, total: float | None, unit: str) -> Iterator[Advance]:
    """Hand out what to call with work just done; nothing comes of it."""
    yield lambda done: None


def untold(text: str) -> None:
    """Nobody is told."""


@dataclass(frozen=True)
class Watcher:
    """What work is told to.

    ``progress`` is given a title, how much there is to do (None: that is not known) and of what ("bytes", or a word such
    as "rows"); ``tell`` a line that cannot wait for the result.
    """

    progress: Callable[[str, float | None, str], AbstractContextManager[Advance]] = unwatched
    tell: Callable[[str], None] = untold


NOBODY = Watcher()
