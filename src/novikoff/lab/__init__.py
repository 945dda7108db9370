"""The lab: a page in the browser on which algorithms can be watched step by step.

Python answers all questions (``answering.answer``); the page only draws what it is told.  ``show`` puts it into a notebook.
"""

from .notebook_door import show

__all__ = ["show"]
