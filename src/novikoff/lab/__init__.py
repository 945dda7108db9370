"""The lab: a page in the browser on which algorithms can be watched step by step.

The page works everything out by itself (``page/engine``, ``page/lessons``); Python serves it, works on the user's own data
(``own_data``), and puts it into a notebook (``show``).
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .notebook_door import show

__all__ = ["show"]


def __getattr__(name: str) -> Any:
    if name != "show":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .notebook_door import show  # when a notebook wants it

    return show
