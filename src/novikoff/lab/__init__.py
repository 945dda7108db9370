"""The lab: a page in the browser on which algorithms can be watched step by step.

Python answers all questions (``answering.answer``); the page only draws what it is told.  ``show`` puts it into a notebook.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .notebook_door import show

__all__ = ["show"]


def __getattr__(name: str) -> Any:
    if name != "show":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .notebook_door import show  # and all demonstrations, which the server does without

    return show
